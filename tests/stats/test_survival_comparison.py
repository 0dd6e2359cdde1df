"""Comparing where two runs die: the word, the strata it rests on, and its parts."""

import math

import numpy as np
import pytest

from poisson_stats.logrank import detectable_hazard_ratio, log_rank
from poisson_stats.survival import survival_curve
from poisson_stats.survival_comparison import compare_survival


def episodes(seed, hazard):
    """Draw 200 episodes an arm over 10 strata, dying of two kinds; the second arm's hazard as given."""
    rng = np.random.default_rng(seed)
    arm = np.repeat([0, 1], 200)
    times = np.minimum(rng.geometric(np.where(arm == 1, hazard, 0.15)), 12)
    causes = np.where(times == 12, 0, rng.integers(1, 3, 400))
    return times, causes, arm, np.tile(np.arange(10), 40)


def compared(times, causes, arm, strata, **options):
    asked = {"kinds": 2, "at": [3, 6], "max_hazard_ratio": 1.5} | options
    return compare_survival(times, causes, arm, strata=strata, **asked)


def test_a_doubled_hazard_is_different():
    """The word is `different`, the second arm dies sooner, and the differences of S are below nought."""
    result = compared(*episodes(1, 0.3))
    assert (result.word, result.test.second_dies) == ("different", "sooner")
    assert (result.difference.difference < 0).all()
    assert result.by_kind_adjusted.rejected.all()


def test_equal_hazards_are_judged_by_what_could_have_been_seen():
    """Not significant: an answer where the detectable ratio is accepted, too small to tell where it is not."""
    data = episodes(2, 0.15)
    result = compared(*data)
    assert result.word == "no significant difference"
    assert compared(*data, max_hazard_ratio=1.05).word == "too small to tell"
    assert compared(*data, max_hazard_ratio=result.detectable).word == "no significant difference"


def test_only_strata_with_both_arms_count():
    """Strata of one arm alone change nothing but their own counts."""
    times, causes, arm, strata = episodes(3, 0.2)
    result = compared(times, causes, arm, strata)
    more = compared(
        np.append(times, [1, 1, 2]),
        np.append(causes, [1, 1, 2]),
        np.append(arm, [0, 0, 1]),
        np.append(strata, [90, 91, 92]),
    )
    assert (more.common, more.only_first, more.only_second) == (10, 2, 1)
    assert (more.test, more.word, more.first.placed) == (result.test, result.word, result.first.placed)


def test_kinds_add_up_to_all_deaths():
    """Observed and expected deaths of the kinds sum to those of the whole test."""
    times, causes, arm, strata = episodes(4, 0.2)
    result = compared(times, causes, arm, strata)
    assert sum(k.observed for k in result.by_kind) == result.test.observed
    assert sum(k.expected for k in result.by_kind) == pytest.approx(result.test.expected)
    assert result.test == log_rank(times, causes > 0, arm, strata=strata)


def test_the_parts_are_those_of_the_arms():
    """Curves are of the first arm and of the second, at the level; the ratio is that of their shares and all deaths."""
    times, causes, arm, strata = episodes(5, 0.3)
    kept = np.arange(400) % 3 > 0  # so that the arms are of different sizes
    kept[:200] |= arm[:200] == 0
    times, causes, arm, strata = (column[kept] for column in (times, causes, arm, strata))
    result = compared(times, causes, arm, strata, alpha=0.1)
    for curve, which in ((result.first, 0), (result.second, 1)):
        alone = survival_curve(times[arm == which], causes[arm == which] > 0, confidence=0.9)
        np.testing.assert_array_equal(curve.survival, alone.survival)
        np.testing.assert_array_equal(curve.low, alone.low)
    deaths, share = int((causes > 0).sum()), (arm == 0).mean()
    assert result.detectable == detectable_hazard_ratio(deaths, share, alpha=0.1)


def test_without_deaths_it_is_too_small_to_tell():
    """Nobody died: no ratio is detectable, and no difference is claimed."""
    result = compared([5, 5], [0, 0], [0, 1], ["a", "a"])
    assert (result.word, result.detectable, result.test.p) == ("too small to tell", math.inf, 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"max_hazard_ratio": 1}, "max_hazard_ratio=1 must be a number above 1."),
        ({"alpha": 5}, "alpha=5 must lie strictly between 0 and 1."),
        ({"kinds": 0}, "kinds=0 must be a whole number of at least 1."),
        (
            {"strata": ["a", "b"]},
            "strata holds 2 labels, none of them with both arms; one at least is needed.",
        ),
        ({"strata": ["a"]}, "strata has shape (1,); one label an episode, (2,), is accepted."),
        ({"second": [0, 2]}, "second[1]=2 must be a whole number from 0 to 1."),
    ],
)
def test_bad_input_is_refused_by_name_and_value(change, message):
    """Each refusal names the argument, its value and what would be accepted."""
    arguments = {
        "times": [1, 2],
        "causes": [1, 0],
        "second": [0, 1],
        "kinds": 1,
        "strata": ["a", "a"],
        "at": [1],
        "max_hazard_ratio": 2,
    } | change
    with pytest.raises(ValueError) as refusal:
        compare_survival(**arguments)
    assert str(refusal.value) == message
