"""Which inputs changed: flags, what could be flagged at all, all inputs together."""

import pytest
from scipy.stats import false_discovery_control, fisher_exact

from poisson_store import Store
from pytest_poisson.analyses.changes import changes
from pytest_poisson.errors import UserError
from tests.fix_runs import cells, share, task
from tests.stored_runs import write_run


def analyse(tmp_path, first, second, **options):
    """Store two runs and ask which inputs changed."""
    store = Store(tmp_path)
    write_run(store, "A", first, salt="a" * 32)
    write_run(store, "B", second, salt="b" * 32)
    with store.open("A") as ours, store.open("B") as theirs:
        return changes(ours, theirs, **({"events": ["timeout"]} | options))


def test_the_published_input(tmp_path):
    """12 of 32 against 32 of 32 has p 2.30e-08, and 7.55e-06 among 328 inputs, of which it alone is flagged."""
    quiet = [(0, 32)] * 327
    found = analyse(tmp_path, cells([(12, 32), *quiet]), cells([(32, 32), *quiet]))
    assert f"{found.flags.p[0]:.2e} {found.flags.p_bh[0]:.2e}" == "2.30e-08 7.55e-06"
    assert (found.more, found.less, found.importance[0]) == (1, 0, 0)


def test_flags_are_those_of_scipy(tmp_path):
    """Fisher's exact test an input and Benjamini-Hochberg over all of them."""
    old = [(3, 12), (9, 12), (0, 12), (12, 12), (6, 9)]
    new = [(11, 12), (1, 12), (0, 10), (4, 12), (5, 9)]
    found = analyse(tmp_path, cells(old), cells(new))
    p = [fisher_exact([[k, n - k], [j, m - j]]).pvalue for (k, n), (j, m) in zip(old, new, strict=True)]
    assert found.flags.p.tolist() == pytest.approx(p)
    assert found.flags.p_bh.tolist() == pytest.approx(false_discovery_control(p).tolist())
    assert (found.more, found.less) == (1, 2)


def test_too_few_repeats(tmp_path):
    """With one run an arm no input can ever be flagged; the repeats that could are told."""
    found = analyse(tmp_path, cells([(0, 1)] * 20), cells([(1, 1)] * 20))
    assert found.flags.flip_together is None
    assert found.flags.lone_flip_repeats == 6
    assert found.differ_together


def test_what_is_left_out(tmp_path):
    """Inputs of one run alone and rows without an outcome are left out and counted, as for a fix."""
    found = analyse(
        tmp_path,
        [(task(1), share(1, 4, errored=1)), (task(2), share(1, 4))],
        [(task(1), share(1, 4)), (task(3), share(1, 4))],
    )
    assert (found.left_out.not_run_old, found.left_out.not_run_new, len(found.inputs)) == (1, 1, 1)
    assert found.rows.old.errored == 1
    assert found.flags.tested.size == 1


def test_order(tmp_path):
    """Flagged inputs come first, then the others by p-value."""
    found = analyse(tmp_path, cells([(4, 8), (0, 20), (2, 8)]), cells([(4, 8), (20, 20), (6, 8)]))
    assert found.importance == (1, 2, 0)


def test_nothing_in_common(tmp_path):
    """Runs without an input that has outcomes in both are refused."""
    with pytest.raises(
        UserError, match=r"'A' and 'B' have no input with an outcome in both: 2 ran in one alone, 0 have no"
    ):
        analyse(tmp_path, [(task(1), share(1, 2))], [(task(2), share(1, 2))])
