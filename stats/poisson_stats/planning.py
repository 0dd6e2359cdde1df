"""How many replicates a design needs, and what a design of n replicates could detect."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy.special import bdtrc, ndtri

from poisson_stats.binomial import STANDARD_DEVIATIONS, log_choose
from poisson_stats.limits import STEPS, TARGET_POWER
from poisson_stats.power import FisherRows, PairedRows
from poisson_stats.significance import alpha_per_test, is_significant_log
from poisson_stats.validation import levels, positive

if TYPE_CHECKING:
    from collections.abc import Callable

Powers: TypeAlias = "Callable[[int, float, float], tuple[float, float]]"

SCAN_ROOTS = 2
"""The scan past an n that fails covers at least this many sqrt(n).

The rejection limits move by one unit about every 2 sqrt(2n)/z replicates, z the normal quantile of the level,
and that is the tooth of the saw; so at least one whole tooth is seen.
"""


@dataclass(frozen=True, slots=True)
class DesignLimit:
    """What a design can detect at the base rate where detecting is hardest.

    Attributes
    ----------
    limit
        The smallest change found 4 times in 5 at that base rate, rounded up to 1/10,000; NaN where even a
        change from 0 to 1 is found less often.
    base_rate
        The rate before at which the limit is largest: (1 - limit) / 2, or 0 for the few designs so small that
        they reject little but the extremes. NaN where the limit is.
    replicates, tests, q, paired
        The design asked about.
    """

    limit: float
    base_rate: float
    replicates: int
    tests: int
    q: float
    paired: bool


def plan_replicates(max_mde: float, tests: int, *, q: float = 0.05, paired: bool = True) -> int:
    """Return the replicates per condition and arm that keep the worst-case limit within ``max_mde``.

    The smallest n such that this n and every larger one finds a change of ``max_mde`` at least 4 times in 5,
    whatever the base rate. Fisher's test is not monotone in n (for 0.20 and 18 tests it succeeds at 188, fails
    again at 189 to 192 and holds from 193), so the first n that succeeds may not be enough.

    Parameters
    ----------
    max_mde
        The change, in rate, that must not go unseen; strictly between 0 and 1.
    tests
        m, the number of tests the comparison will make (conditions times events).
    q
        The error level over all tests; each test is planned at q/m.
    paired
        Whether the run may later be paired: then the larger n of McNemar's and Fisher's tests. If false,
        Fisher's test alone.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    The power in n is a rising saw whose teeth shrink. The scan for the last n that fails ends when it has
    covered a whole tooth without a failure and the power clears the target by the largest drop on the way.

    Examples
    --------
    >>> plan_replicates(0.20, 18), plan_replicates(0.20, 18, paired=False)
    (194, 193)
    """
    levels(max_mde=max_mde)
    alpha = alpha_per_test(q, tests)
    fisher = _smallest_that_holds(_fisher_powers, max_mde, alpha)
    return max(fisher, _smallest_that_holds(_mcnemar_powers, max_mde, alpha)) if paired else fisher


def design_limit(n: int, tests: int, *, q: float = 0.05, paired: bool = True) -> DesignLimit:
    """Return the smallest change that ``n`` replicates per condition and arm find, at the worst base rate.

    By symmetry (swap the arms and the event with its absence) the power from p0 to p0 + c is stationary where
    the two rates lie evenly around 1/2, and it is lowest there: the worst base rate is (1 - c) / 2. Only
    where a design rejects little but complete changes is it lowest at p0 = 0; both are looked at.

    Parameters
    ----------
    n
        Replicates per condition and arm, at least 1.
    tests, q
        As in `plan_replicates`.
    paired
        True for McNemar's test (independent arms assumed for the discordance), false for Fisher's.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> design = design_limit(194, 18, paired=False)
    >>> round(design.limit, 3), round(design.base_rate, 3)
    (0.199, 0.4)
    """
    positive(n=n)
    alpha = alpha_per_test(q, tests)
    powers = _mcnemar_powers if paired else _fisher_powers
    steps = _smallest_detected(int(n), alpha, powers)
    limit = np.nan if steps is None else steps / STEPS
    middle, edge = powers(int(n), limit, alpha) if steps is not None else (np.nan, np.nan)
    base_rate = 0.0 if edge < middle else (1 - limit) / 2
    return DesignLimit(limit, base_rate, replicates=int(n), tests=int(tests), q=q, paired=paired)


def _fisher_powers(n: int, change: float, alpha: float) -> tuple[float, float]:
    """Return the power of Fisher's test from (1 - change)/2, and from 0."""
    reach = int(np.ceil(STANDARD_DEVIATIONS * np.sqrt(2 * n) / 2))
    size = np.array([n])
    rows = FisherRows.prepare(
        np.array([(1 - change) / 2]), size, size, alpha, margins=(max(0, n - reach), min(2 * n, n + reach))
    )
    middle = float(rows.power(np.array([(1 + change) / 2]))[0])
    # From 0, the y events are all in one arm: p = 2 C(n, y) / C(2n, y), the two extremes of its margin.
    y = np.arange(1, n + 1)
    log_p = np.log(2) + log_choose(size, y) - log_choose(2 * size, y)
    missed = n - int(np.count_nonzero(is_significant_log(log_p, np.log(alpha))))
    return middle, float(bdtrc(missed, n, change))


def _mcnemar_powers(n: int, change: float, alpha: float) -> tuple[float, float]:
    """Return the power of McNemar's test from (1 - change)/2, and from 0."""
    rows = PairedRows(np.array([(1 - change) / 2, 0.0]), np.array([n, n]), alpha)
    middle, edge = rows.power(np.array([(1 + change) / 2, change]))
    return float(middle), float(edge)


def _smallest_detected(n: int, alpha: float, powers: Powers) -> int | None:
    """Return the fewest grid steps found at both base rates; None if not even a change from 0 to 1 is."""
    missed, found = 0, STEPS
    if min(powers(n, 1.0, alpha)) < TARGET_POWER:
        return None
    while found - missed > 1:
        middle = (missed + found) // 2
        hit = min(powers(n, middle / STEPS, alpha)) >= TARGET_POWER
        missed, found = (missed, middle) if hit else (middle, found)
    return found


@lru_cache(maxsize=64)
def _smallest_that_holds(powers: Powers, change: float, alpha: float) -> int:
    """Return the smallest n from which on every n finds ``change`` at both base rates."""

    def power(n: int) -> float:
        return min(powers(n, change, alpha))

    last_failure = n = _some_failure(power, change, alpha)
    highest = largest_drop = present = 0.0
    while n < last_failure + SCAN_ROOTS * np.sqrt(n) or present < TARGET_POWER + largest_drop:
        n += 1
        present = power(n)
        last_failure = n if present < TARGET_POWER else last_failure
        highest = max(highest, present)
        largest_drop = max(largest_drop, highest - present)
    return last_failure + 1


def _some_failure(power: Callable[[int], float], change: float, alpha: float) -> int:
    """Return an n that fails while n + 1 succeeds, found by bisection below the normal approximation."""
    z = ndtri(TARGET_POWER) - ndtri(alpha / 2)
    fails, holds = 0, int(np.ceil(z * z / (2 * change * change))) + 1
    while power(holds) < TARGET_POWER:
        fails, holds = holds, holds * 5 // 4 + 1
    while holds - fails > 1:
        middle = (fails + holds) // 2
        fails, holds = (fails, middle) if power(middle) >= TARGET_POWER else (middle, holds)
    return fails
