"""The numbers of the statistical definition of a comparison: q = 0.05, 18 tests, 194 replicates."""

import numpy as np
import pytest

from poisson_stats.comparison import compare_paired, compare_unpaired
from poisson_stats.difference_intervals import miettinen_nurminen, tango
from poisson_stats.limits import limits_paired
from poisson_stats.mcnemar import mcnemar_test
from poisson_stats.multiplicity import false_coverage_level
from poisson_stats.planning import _Fisher, design_limit, plan_replicates
from poisson_stats.significance import alpha_per_test, is_significant
from tests.oracles.exact_tables import mcnemar_p

ALPHA = alpha_per_test(0.05, 18)


@pytest.mark.parametrize(("paired", "limit"), [(False, "0.199"), (True, "0.200")])
def test_design_limit_of_the_example(paired, limit):
    """194 replicates and 18 tests: 0.199 unpaired and 0.200 paired, both at base rate 0.400."""
    design = design_limit(194, 18, paired=paired)
    assert (f"{design.limit:.3f}", f"{design.base_rate:.3f}") == (limit, "0.400")


def test_one_replicate_fewer_misses_the_paired_limit():
    """The paired worst case at 193 is 0.20028, which the grid rounds up to 0.2003."""
    assert design_limit(193, 18).limit == 0.2003


def test_plan_of_the_example():
    """A limit of 0.20 over 18 tests needs 194 replicates, 193 if never paired."""
    assert plan_replicates(0.20, 18) == 194
    assert plan_replicates(0.20, 18, paired=False) == 193


def test_fisher_succeeds_at_188_and_fails_again():
    """Fisher alone meets 0.20 at 188, fails at 189 to 192 and holds from 193."""
    meets = [n for n in range(180, 240) if min(_Fisher(ALPHA).powers(n, 0.20)) >= 0.8]
    assert meets == [188, *range(193, 240)]


@pytest.mark.parametrize(
    ("k", "rise", "fall"),
    [
        (0, "0.064", "no room"),
        (2, "0.085", "none detectable"),
        (12, "0.132", "none detectable"),
        (52, "0.192", "0.156"),
        (56, "0.195", "0.161"),
        (91, "0.198", "0.193"),
        (162, "0.121", "0.173"),
    ],
)
def test_paired_row_limits_of_the_example(k, rise, fall):
    """The limits of a row of 194 pairs of which k had the event before."""
    limits = limits_paired([k], [194], alpha=ALPHA)
    printed = [
        f"{value[0]:.3f}" if status[0] == "limit" else status[0]
        for value, status in ((limits.rise, limits.status_rise), (limits.fall, limits.status_fall))
    ]
    assert printed == [rise, fall]


def test_false_coverage_level_of_the_example():
    """8 of 18 flagged: intervals at 97.778 %."""
    assert f"{100 * false_coverage_level(8, 18, q=0.05):.3f}" == "97.778"


@pytest.mark.parametrize(
    ("cells", "low", "high"),
    [((53, 16, 8, 9), "-0.020", "0.207"), ((1, 1, 7, 12), "-0.517", "-0.026")],
)
def test_tango_examples(cells, low, high):
    """Tango's interval for first minus second, 95 %."""
    interval = tango(*cells)
    assert (f"{interval.low:.3f}", f"{interval.high:.3f}") == (low, high)


def test_miettinen_nurminen_example():
    """5 of 56 against 0 of 29, 95 %."""
    interval = miettinen_nurminen(5, 56, 0, 29)
    assert (f"{interval.low:.4f}", f"{interval.high:.4f}") == ("-0.0326", "0.1933")


def test_zero_and_full_rates_of_the_example():
    """A before rate of 0 leaves no room to fall, and a row with 194 of 194 none to rise."""
    limits = limits_paired([0, 194], [194, 194], alpha=ALPHA)
    assert (limits.status_fall[0], limits.status_rise[1]) == ("no room", "no room")


def test_mid_p_would_exceed_the_level():
    """Why McNemar's mid-p is not offered: at level 1/360 its true size reaches 1.13 times the level."""
    alpha = 1 / 360
    worst = 0.0
    for n in range(8, 61):
        lopsided = np.arange(n // 2)
        log_ways = [mcnemar_p(int(b), int(n - b)) for b in lopsided]
        point = [float(p) - float(q) for p, q in zip(log_ways, [0, *log_ways[:-1]], strict=True)]
        mid_p = [float(p) - mass / 2 for p, mass in zip(log_ways, point, strict=True)]
        worst = max([worst, *(float(p) for p, mid in zip(log_ways, mid_p, strict=True) if mid <= alpha)])
    assert worst / alpha > 1.13


@pytest.mark.parametrize("compare", ["paired", "unpaired"])
def test_the_largest_limit_is_accepted_as_a_ceiling(compare):
    """A comparison that is too small to tell is accepted once its largest ceiling is the accepted change."""

    def run(max_mde):
        if compare == "paired":
            return compare_paired([20], [4], [5], [30], direction=1, max_mde=max_mde)
        return compare_unpaired([24], [59], [25], [59], direction=1, max_mde=max_mde)

    first = run(0.05)
    assert first.verdict == "too small to tell"
    assert run(first.ceiling.max()).verdict == "no significant change"
    assert run(first.ceiling.max() - 1e-4).verdict == "too small to tell"


def test_a_p_equal_to_the_level_counts():
    """3 of 3 against 0 of 3 has p = 1/10 exactly, and is significant at 0.1."""
    comparison = compare_unpaired([3], [3], [0], [3], direction=1, q=0.1)
    assert comparison.flagged.all()
    assert comparison.counted.all()
    assert is_significant(mcnemar_test(6, 0).p, 2 / 64)
