"""Promised bounds, judged from a stored run."""

from dataclasses import replace

import pytest
from scipy.stats import binomtest

from poisson_store import Store
from pytest_poisson.analyses.promises import judge_run
from tests.stored_runs import SUPPORT, cell, endings, write_run

A, B = cell(task="a"), cell(task="b")


def promising(at_most=None, at_least=None):
    """Return the rollout with promises."""
    given = {"at_most": at_most, "at_least": at_least}
    return replace(SUPPORT, settings={name: bounds for name, bounds in given.items() if bounds})


def judged(tmp_path, cells, *, at_most=None, at_least=None, q=0.05, **record):
    store = Store(tmp_path)
    write_run(store, "run", cells, rollouts=(promising(at_most, at_least),), **record)
    with store.open("run") as run:
        return judge_run(run, q=q)


@pytest.mark.parametrize(
    ("timeouts", "word"),
    [(0, "met"), (1, "met"), (2, "too small to tell"), (6, "too small to tell"), (12, "missed")],
)
def test_a_bound_is_met_or_missed_where_the_data_prove_it(tmp_path, timeouts, word):
    """One promise of at most 5 % over 100 replicates is decided by the exact one-sided binomial tests at 0.05."""
    (promise,) = judged(
        tmp_path, [(A, endings(timeout=timeouts, resolved=100 - timeouts))], at_most={"timeout": 0.05}
    ).promises
    tails = {
        side: binomtest(timeouts, 100, 0.05, alternative=side).pvalue <= 0.05 for side in ("less", "greater")
    }
    assert promise.word == word
    assert (word == "met", word == "missed") == (tails["less"], tails["greater"])


def test_at_least_is_the_mirror_of_at_most(tmp_path):
    """At least 90 % resolved and at most 10 % of everything else are one promise: the same p and word."""
    result = judged(
        tmp_path,
        [(A, endings(timeout=10, violated=15, resolved=75))],
        at_most={"timeout+violated": 0.1},
        at_least={"resolved": 0.9},
    )
    below, above = result.promises
    assert (below.word, above.word) == ("missed", "missed")
    assert below.p == pytest.approx(above.p)
    assert below.count.events + above.count.events == 100


def test_the_number_that_would_settle_it_does(tmp_path):
    """A promise that is too small to tell states replicates; that many at the rate seen settle it."""
    (open_one,) = judged(
        tmp_path / "few", [(A, endings(timeout=2, resolved=98))], at_most={"timeout": 0.05}
    ).promises
    assert open_one.word == "too small to tell"
    n = 50 * (open_one.settle // 50 + 1)
    (settled,) = judged(
        tmp_path / "many", [(A, endings(timeout=n // 50, resolved=n - n // 50))], at_most={"timeout": 0.05}
    ).promises
    assert settled.word == "met"


def test_many_promises_share_one_level(tmp_path):
    """Twenty promises that each look missed by chance are not called missed: Holm corrects over all of them."""
    cells = [(cell(task=f"t{i}"), endings(timeout=10 if i == 0 else 5, resolved=95)) for i in range(20)]
    alone = judged(tmp_path / "alone", cells[:1], at_most={"timeout": 0.05})
    together = judged(tmp_path / "together", cells, at_most={"timeout": 0.05})
    assert alone.promises[0].word == "missed"
    assert [promise.word for promise in together.promises] == ["too small to tell"] * 20


def test_missing_outcomes_withdraw_met_and_nothing_else(tmp_path):
    """`met` stands only where all missing outcomes may go against the promise; `missed` stands as it is."""
    cells = [
        (A, endings(resolved=150, timed_out=10)),
        (B, endings(timeout=50, resolved=50, timed_out=60)),
    ]
    kept, broken = judged(tmp_path, cells, at_most={"timeout": 0.05}).promises
    assert (kept.word, kept.withdrawn, kept.missing) == ("too small to tell", True, 10)
    assert (broken.word, broken.withdrawn) == ("missed", False)


def test_one_missing_outcome_among_many_withdraws_nothing(tmp_path):
    """A promise with room to spare is met although an outcome is missing."""
    (promise,) = judged(tmp_path, [(A, endings(resolved=199, errored=1))], at_most={"timeout": 0.05}).promises
    assert (promise.word, promise.withdrawn, promise.missing) == ("met", False, 1)


def test_a_condition_that_was_skipped_promises_nothing(tmp_path):
    """A condition skipped whole was not to be measured; one that errored whole is too small to tell."""
    cells = [(A, endings(skipped=20)), (B, endings(errored=20))]
    (promise,) = judged(tmp_path, cells, at_most={"timeout": 0.05}).promises
    assert promise.condition.key == B.key
    assert (promise.word, promise.count.rate, promise.settle) == ("too small to tell", None, None)


@pytest.mark.parametrize(
    ("promise", "wrong"),
    [({"at_most": {"timeout": 0.05}}, "timeout"), ({"at_least": {"resolved": 0.9}}, "timeout")],
)
def test_a_missed_promise_names_a_replicate_that_went_against_it(tmp_path, promise, wrong):
    """The replicate to run again ended with the bounded event, or without the promised one."""
    ended = endings(resolved=40, timed_out=3, timeout=40)
    (missed,) = judged(tmp_path, [(A, ended)], **promise).promises
    assert missed.word == "missed"
    assert ended[missed.replay] == wrong


def test_the_level_is_the_one_the_run_was_swept_with(tmp_path):
    """Without a level, that of the stored run is used."""
    store = Store(tmp_path)
    write_run(
        store,
        "run",
        [(A, endings(resolved=9))],
        rollouts=(promising({"timeout": 0.5}),),
        settings={"q": 0.01},
    )
    with store.open("run") as run:
        assert judge_run(run).q == 0.01


def test_a_run_that_promises_nothing_has_no_promises(tmp_path):
    """Without promises there is nothing to judge, and nothing fails."""
    assert judged(tmp_path, [(A, endings(timeout=50))]).promises == ()
