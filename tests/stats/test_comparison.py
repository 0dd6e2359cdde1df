"""One comparison of many rows: its parts agree with the single functions, and the words follow the tests."""

import sys
from subprocess import run

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poisson_stats.attainable import attainable_fisher, attainable_mcnemar
from poisson_stats.comparison import compare_paired, compare_unpaired
from poisson_stats.difference_intervals import miettinen_nurminen, tango
from poisson_stats.discrete_fdr import discrete_benjamini_hochberg
from poisson_stats.fisher import fisher_test
from poisson_stats.limits import limits_paired, limits_unpaired
from poisson_stats.mcnemar import mcnemar_test
from poisson_stats.multiplicity import benjamini_hochberg, holm

count = st.integers(0, 30)
rows = st.lists(st.tuples(count, count, count, count, st.sampled_from([-1, 1])), min_size=1, max_size=6)


@given(rows, st.sampled_from([0.01, 0.05, 0.2]))
@settings(max_examples=40, deadline=None)
def test_unpaired_rows_are_the_single_functions(drawn, q):
    """Tests, corrections, intervals and limits equal those computed one function at a time."""
    k0, other0, k1, other1, direction = np.array(drawn).T
    n0, n1 = k0 + other0, k1 + other1
    ours = compare_unpaired(k0, n0, k1, n1, direction=direction, q=q)
    test = fisher_test(k0, n0, k1, n1)
    bounds = miettinen_nurminen(k1, n1, k0, n0, confidence=ours.level)
    limits = limits_unpaired(k0, n0, n1, alpha=q / len(drawn))
    np.testing.assert_array_equal(ours.log_p, test.log_p)
    np.testing.assert_array_equal(ours.p_bh, benjamini_hochberg(test.log_p, q=q).p)
    np.testing.assert_array_equal(ours.p_holm, holm(test.log_p, q=q).p)
    np.testing.assert_array_equal(np.stack([ours.low, ours.high]), np.stack([bounds.low, bounds.high]))
    np.testing.assert_array_equal(ours.limit_rise, limits.rise)
    np.testing.assert_array_equal(ours.limit_fall, limits.fall)
    for i, (x0, m0, x1, m1) in enumerate(zip(k0, n0, k1, n1, strict=True)):
        before, after = (x / m if m else np.nan for x, m in ((x0, m0), (x1, m1)))
        assert (ours.rate_before[i], ours.rate_after[i]) == pytest.approx((before, after), nan_ok=True)
        assert ours.change[i] == pytest.approx(after - before, nan_ok=True)
    assert ours.level == pytest.approx(
        1 - max(ours.flagged.sum(), len(drawn) * (not ours.flagged.any())) * q / len(drawn)
    )


@given(rows)
@settings(max_examples=40, deadline=None)
def test_paired_rows_are_the_single_functions(drawn):
    """Tests, intervals (after minus before) and limits equal those computed one function at a time."""
    both, before, after, neither, direction = np.array(drawn).T
    ours = compare_paired(both, before, after, neither, direction=direction)
    bounds = tango(both, before, after, neither, confidence=ours.level)
    limits = limits_paired(both + before, both + before + after + neither, alpha=0.05 / len(drawn))
    np.testing.assert_array_equal(ours.log_p, mcnemar_test(before, after).log_p)
    np.testing.assert_allclose(
        np.stack([-ours.high, -ours.low]), np.stack([bounds.low, bounds.high]), atol=1e-12
    )
    np.testing.assert_array_equal(ours.limit_rise, limits.rise)
    assert ours.status_fall == limits.status_fall
    np.testing.assert_array_equal(ours.k_before, both + before)
    np.testing.assert_array_equal(ours.k_after, both + after)
    pairs = both + before + after + neither
    np.testing.assert_allclose(
        ours.change, np.divide(after - before, pairs, out=np.full(pairs.size, np.nan), where=pairs > 0)
    )


@given(rows)
@settings(max_examples=40, deadline=None)
def test_the_discrete_procedure_knows_what_p_values_the_counts_can_have(drawn):
    """Its flags and adjusted p-values are those of attainable p-values, Fisher's or McNemar's; the other's are not."""
    a, b, c, d, direction = np.array(drawn).T
    unpaired = (a, a + b, c, c + d), attainable_fisher(a, a + b, c, c + d)
    paired = (a, b, c, d), attainable_mcnemar(b, c)
    for compare, (counts, attainable) in ((compare_unpaired, unpaired), (compare_paired, paired)):
        ours = compare(*counts, direction=direction, q=0.2, fdr="discrete")
        adjusted = discrete_benjamini_hochberg(ours.log_p, attainable, q=0.2).adjusted
        np.testing.assert_array_equal(ours.log_p_bh, adjusted.log_p)
        np.testing.assert_array_equal(ours.flagged, adjusted.rejected)
        assert ours.fdr == "discrete"
        assert compare(*counts, direction=direction, q=0.2).fdr == "benjamini-hochberg"


@given(rows)
@settings(max_examples=40, deadline=None)
def test_words_follow_flags_and_limits(drawn):
    """A flagged row is worse when the event moved in the bad direction; the others are judged by their ceiling."""
    k0, other0, k1, other1, direction = np.array(drawn).T
    ours = compare_unpaired(k0, k0 + other0, k1, k1 + other1, direction=direction, q=0.2)
    for i, word in enumerate(ours.words):
        if ours.flagged[i]:
            assert word == ("worse" if ours.change[i] * direction[i] > 0 else "safer")
        else:
            assert word == ("too small to tell" if ours.ceiling[i] > 0.2 else "no significant change")
    assert not (ours.counted & ~ours.flagged).any()


def test_turning_the_direction_turns_the_word():
    """The same counts are worse for a failure event and safer for a success event."""
    failure = compare_unpaired([10], [200], [80], [200], direction=1)
    success = compare_unpaired([10], [200], [80], [200], direction=-1)
    assert (failure.verdict, failure.words) == ("worse", ("worse",))
    assert (success.verdict, success.words) == ("safer", ("safer",))


def test_one_better_and_one_worse_is_a_trade():
    """A failure event that rose in one row and fell in another is a trade."""
    both = compare_unpaired([10, 90], [200, 200], [80, 5], [200, 200], direction=1)
    assert both.verdict == "trade"


def test_flagged_rows_need_not_make_the_verdict():
    """Benjamini-Hochberg flags rows that Holm does not count: the row says worse, the whole does not."""
    k0, k1 = [40] * 10, [60, 60, 60, 61, 61, 61, 40, 40, 40, 40]
    ours = compare_unpaired(k0, [200] * 10, k1, [200] * 10, direction=1, max_mde=0.3)
    assert ours.flagged.sum() == 6
    assert not ours.counted.any()
    assert ours.words[0] == "worse"
    assert ours.verdict == "no significant change"


def test_rows_without_data_are_too_small_and_harm_nobody():
    """A row without outcomes has p = 1, NaN rates and no limit; the others keep their words."""
    ours = compare_unpaired([0, 10], [0, 200], [3, 80], [5, 200], direction=1)
    assert ours.p[0] == 1.0
    assert np.isnan([ours.rate_before[0], ours.change[0], ours.low[0], ours.high[0]]).all()
    assert ours.words == ("too small to tell", "worse")
    assert ours.verdict == "worse"


def test_a_row_of_one_episode_has_a_rate():
    """One of one is a rate of 1, none of one a rate of 0."""
    ours = compare_unpaired([1, 0], [1, 1], [0, 1], [1, 1], direction=1)
    assert (ours.rate_before.tolist(), ours.rate_after.tolist()) == ([1, 0], [0, 1])


def test_a_limit_that_equals_what_is_accepted_is_not_too_small():
    """The accepted change is the largest that may go unseen, not the smallest that may not."""
    counts = [40], [37], [37], [80]
    (ceiling,) = compare_paired(*counts, direction=1).ceiling
    assert compare_paired(*counts, direction=1, max_mde=ceiling).words == ("no significant change",)
    assert compare_paired(*counts, direction=1, max_mde=ceiling - 1e-9).words == ("too small to tell",)


def test_the_limit_of_the_mock_example_decides_the_word():
    """With 194 replicates and 18 tests no row is too small for 0.20; with 193 pairs the worst row is."""
    enough = compare_paired([40] * 18, [37] * 18, [37] * 18, [80] * 18, direction=1)
    assert (enough.verdict, enough.largest_limit <= 0.2) == ("no significant change", True)
    short = compare_paired([40] * 18, [37] * 18, [37] * 18, [77] * 18, direction=1)
    assert short.verdict == "too small to tell"
    assert short.largest_limit > 0.2


@pytest.mark.parametrize(
    ("arguments", "choices", "message"),
    [
        (([1], [2], [3], [2]), {"direction": 1}, "k_after[0]=3 must not exceed n_after[0]=2."),
        (
            ([1], [2], [1], [2]),
            {"direction": 0},
            "direction=0 must be +1 (a rise is worse) or -1 (a fall is).",
        ),
        (([1], [2], [1], [2]), {"direction": [1, 1]}, "direction has shape (2,) where the counts have (1,)."),
        (([1], [2], [1], [2]), {"direction": 1, "q": 0}, "q=0 must lie strictly between 0 and 1."),
        (
            ([1], [2], [1], [2]),
            {"direction": 1, "max_mde": 1.2},
            "max_mde=1.2 must lie strictly between 0 and 1.",
        ),
        (([], [], [], []), {"direction": 1}, "k_before is empty."),
        (
            ([[1]], [[2]], [[1]], [[2]]),
            {"direction": 1},
            "k_before has shape (1, 1); one dimension, one row each, is accepted.",
        ),
    ],
)
def test_bad_input_is_named(arguments, choices, message):
    """Every refusal names the argument and the value."""
    with pytest.raises(ValueError, match=r"\S") as refusal:
        compare_unpaired(*arguments, **choices)
    assert str(refusal.value) == message


def test_paired_bad_input_is_named():
    """The paired comparison refuses by the names of its own arguments."""
    with pytest.raises(ValueError, match=r"^only_after\[1\]=-1 must not be negative\.$"):
        compare_paired([1, 1], [1, 1], [1, -1], [1, 1], direction=1)


def test_comparing_does_not_import_scipy_stats():
    """Importing the comparison leaves out scipy.stats, which takes seconds."""
    code = "import sys, poisson_stats.missing, poisson_stats.planning; sys.exit('scipy.stats' in sys.modules)"
    assert run([sys.executable, "-c", code], check=False).returncode == 0
