"""How many replicates a design needs, and what a design of n replicates could detect."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

import numpy as np
from scipy.special import bdtrc, ndtri

from poisson_stats.binomial import STANDARD_DEVIATIONS, log_choose, window, window_width
from poisson_stats.fisher_region import central_fisher_region
from poisson_stats.limits import STEPS, TARGET_POWER
from poisson_stats.power import FisherRows, PairedRows
from poisson_stats.significance import alpha_per_test, is_significant_log
from poisson_stats.validation import levels, positive

if TYPE_CHECKING:
    from collections.abc import Callable

SCAN_ROOTS = 2
"""The scan past an n that fails covers at least this many sqrt(n).

The rejection limits move by one unit about every 2 sqrt(2n)/z replicates, z the normal quantile of the level,
and that is the tooth of the saw; so at least one whole tooth is seen.
"""

MOST_REPLICATES = 500_000
"""What independent arms may need, by the normal approximation, for a plan to be made: beyond, an exact one takes
minutes, and then hours."""


class TooManyReplicatesError(ValueError):
    """A change is too small to plan for."""


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
    TooManyReplicatesError
        If independent arms would need more than `MOST_REPLICATES`.

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
    fisher = _smallest_that_holds(_Fisher(alpha), max_mde)
    return max(fisher, _smallest_that_holds(_McNemar(alpha, 0.0), max_mde)) if paired else fisher


def plan_pairs(max_mde: float, tests: int, *, q: float = 0.05, correlation: float) -> int:
    """Return the pairs per condition that keep the worst-case limit within ``max_mde`` at a given correlation.

    As `plan_replicates` for McNemar's test alone, with the correlation φ that an earlier pair of runs showed
    (`correlation.pair_correlation`) in place of independent arms. It holds for a pair as alike as that one;
    whether the next will be is for its observed limit to say.

    Parameters
    ----------
    max_mde, tests, q
        As in `plan_replicates`.
    correlation
        φ in [-1, 1].

    Raises
    ------
    ValueError
        If an argument is out of range.
    TooManyReplicatesError
        If independent arms would need more than `MOST_REPLICATES`.

    Examples
    --------
    >>> [plan_pairs(0.20, 18, correlation=phi) for phi in (0.0, 0.2, 0.4, 0.6)]
    [194, 157, 119, 77]
    """
    levels(max_mde=max_mde)
    return _smallest_that_holds(_McNemar(alpha_per_test(q, tests), _correlation(correlation)), max_mde)


def design_limit(
    n: int, tests: int, *, q: float = 0.05, paired: bool = True, correlation: float = 0.0
) -> DesignLimit:
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
        True for McNemar's test, false for Fisher's.
    correlation
        φ of paired arms; independent arms by default. Without meaning for Fisher's test.

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
    test = _McNemar(alpha, _correlation(correlation)) if paired else _Fisher(alpha)
    steps = _smallest_detected(test, int(n))
    limit = np.nan if steps is None else steps / STEPS
    middle, edge = test.powers(int(n), limit) if steps is not None else (np.nan, np.nan)
    base_rate = 0.0 if edge < middle else (1 - limit) / 2
    return DesignLimit(limit, base_rate, replicates=int(n), tests=int(tests), q=q, paired=paired)


class _Test(Protocol):
    """A test at its level; hashable, so that plans can be remembered."""

    @property
    def alpha(self) -> float:
        """Level of the single test."""

    def powers(self, n: int, change: float) -> tuple[float, float]:
        """Return the power from (1 - change)/2, and from 0."""


@dataclass(frozen=True, slots=True)
class _Fisher:
    """Fisher's test of two arms of n."""

    alpha: float

    def powers(self, n: int, change: float) -> tuple[float, float]:
        reach = int(np.ceil(STANDARD_DEVIATIONS * np.sqrt(2 * n) / 2))
        size, rate = np.array([n], dtype=np.int64), np.array([(1 - change) / 2])
        counts = np.minimum(window(size, rate, window_width(size))[0], n)
        region = central_fisher_region(n, self.alpha, reach, np.arange(counts[0], counts[-1] + 1))
        rows = FisherRows.prepare(rate, size, size, lambda *_: region)
        middle = float(rows.power(np.array([(1 + change) / 2]))[0])
        return middle, float(bdtrc(self._most_missed_from_zero(n), n, change))

    def _most_missed_from_zero(self, n: int) -> int:
        """Return the largest count after that is not rejected beside none before.

        All y events are in one arm: p = 2 C(n, y) / C(2n, y), the two extremes of the margin, at most 2 / 2^y.
        """
        size, y = np.array([n], dtype=np.int64), np.arange(1, min(n, int(2 - np.log2(self.alpha))) + 1)
        log_p = np.log(2) + log_choose(size, y) - log_choose(2 * size, y)
        return y.size - int(np.count_nonzero(is_significant_log(log_p, np.log(self.alpha))))


@dataclass(frozen=True, slots=True)
class _McNemar:
    """McNemar's test of n pairs with a correlation."""

    alpha: float
    correlation: float

    def powers(self, n: int, change: float) -> tuple[float, float]:
        before = np.array([(1 - change) / 2, 0.0])
        rows = PairedRows(before, np.array([n, n], dtype=np.int64), np.full(2, self.correlation), self.alpha)
        middle, edge = rows.power(before + change)
        return float(middle), float(edge)


def _correlation(value: float) -> float:
    if not -1 <= value <= 1:
        raise ValueError(f"correlation={value!r} must lie in -1 to 1.")
    return float(value)


def _smallest_detected(test: _Test, n: int) -> int | None:
    """Return the fewest grid steps found at both base rates; None if not even a change from 0 to 1 is."""
    if min(test.powers(n, 1.0)) < TARGET_POWER:
        return None
    missed, found = 0, STEPS
    while found - missed > 1:
        middle = (missed + found) // 2
        hit = min(test.powers(n, middle / STEPS)) >= TARGET_POWER
        missed, found = (missed, middle) if hit else (middle, found)
    return found


@lru_cache(maxsize=64)
def _smallest_that_holds(test: _Test, change: float) -> int:
    """Return the smallest n from which on every n finds ``change`` at both base rates."""

    def power(n: int) -> float:
        return min(test.powers(n, change))

    about = _about_enough(change, test.alpha)
    if about > MOST_REPLICATES:
        raise TooManyReplicatesError(
            f"max_mde={change!r} is too small to plan for: independent arms need more than {MOST_REPLICATES:,} replicates."
        )
    last_failure = n = _some_failure(power, about)
    highest = largest_drop = present = 0.0
    while n < last_failure + SCAN_ROOTS * np.sqrt(n) or present < TARGET_POWER + largest_drop:
        n += 1
        present = power(n)
        last_failure = n if present < TARGET_POWER else last_failure
        highest = max(highest, present)
        largest_drop = max(largest_drop, highest - present)
    return last_failure + 1


def _about_enough(change: float, alpha: float) -> float:
    """Return the replicates that independent arms need by the normal approximation."""
    z = ndtri(TARGET_POWER) - ndtri(alpha / 2)
    return float(z * z / (2 * change * change))


def _some_failure(power: Callable[[int], float], about: float) -> int:
    """Return an n that fails while n + 1 succeeds, found by bisection from about where it must be."""
    fails, holds = 0, int(np.ceil(about)) + 1
    while power(holds) < TARGET_POWER:
        fails, holds = holds, holds * 5 // 4 + 1
    while holds - fails > 1:
        middle = (fails + holds) // 2
        fails, holds = (fails, middle) if power(middle) >= TARGET_POWER else (middle, holds)
    return fails
