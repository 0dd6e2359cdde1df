"""All rows of one comparison in one call: tests, flags, intervals, limits and the verdict's word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from poisson_stats.validation import BoolArray, FloatArray, IntArray
    from poisson_stats.verdict import RowWord, Verdict

LimitStatus: TypeAlias = Literal["limit", "no room", "none detectable"]
Method: TypeAlias = Literal["mcnemar", "fisher"]


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """One comparison of two arms over m rows (a row is a condition and an event).

    Every array has one element a row, in the order given. Rates and changes are in [0, 1] and [-1, 1];
    change is after minus before. ``log_…`` are natural logarithms, which stay exact where the p-value itself
    underflows to 0.

    Attributes
    ----------
    method
        ``mcnemar`` (paired) or ``fisher`` (unpaired).
    q, max_mde, tests, alpha
        The error level, the accepted change, m, and q/m.
    direction
        +1 where a rise is worse, -1 where a fall is worse.
    k_before, n_before, k_after, n_after
        Episodes with the event and with an outcome, per arm (of the pairs, if paired).
    only_before, only_after
        Discordant pairs: the event only before, only after. None if unpaired.
    rate_before, rate_after, change
        NaN where an arm has no outcome.
    p, log_p
        Two-sided exact p-value of the row alone; 1 where an arm has no outcome.
    p_bh, log_p_bh, flagged
        Benjamini-Hochberg adjusted p-value, and whether it is at most q.
    p_holm, log_p_holm, counted
        Holm adjusted p-value, and whether it is at most q: these rows make the verdict.
    low, high, level
        Score interval for the change at confidence ``level`` (Tango if paired, Miettinen-Nurminen if not);
        ``level`` is 1 - R q/m with R rows flagged, 1 - q with none. Its false coverage promise holds for
        flagged rows only. NaN where an arm has no outcome.
    limit_rise, limit_fall, status_rise, status_fall
        The smallest rise and fall from the rate before that this row alone would be flagged for 4 times in 5,
        rounded up at the 4th decimal. NaN unless the status is ``limit``; the other statuses are ``no room``
        (the rate is already at the edge) and ``none detectable`` (even the largest change is missed too often).
    ceiling
        The smallest ``max_mde`` under which the row is not too small: its larger limit, or the whole room
        where nothing in that room is detectable; infinite where an arm has no outcome.
    too_small
        ``ceiling > max_mde``.
    words
        ``worse`` or ``safer`` for flagged rows, else ``too small to tell`` or ``no significant change``.
    verdict
        The word for the whole comparison.
    largest_limit
        The largest limit of any row and direction, NaN if there is none.
    """

    method: Method
    q: float
    max_mde: float
    tests: int
    alpha: float
    direction: IntArray
    k_before: IntArray
    n_before: IntArray
    k_after: IntArray
    n_after: IntArray
    only_before: IntArray | None
    only_after: IntArray | None
    rate_before: FloatArray
    rate_after: FloatArray
    change: FloatArray
    p: FloatArray
    log_p: FloatArray
    p_bh: FloatArray
    log_p_bh: FloatArray
    flagged: BoolArray
    p_holm: FloatArray
    log_p_holm: FloatArray
    counted: BoolArray
    low: FloatArray
    high: FloatArray
    level: float
    limit_rise: FloatArray
    limit_fall: FloatArray
    status_rise: tuple[LimitStatus, ...]
    status_fall: tuple[LimitStatus, ...]
    ceiling: FloatArray
    too_small: BoolArray
    words: tuple[RowWord, ...]
    verdict: Verdict
    largest_limit: float


def compare_unpaired(
    k_before: ArrayLike,
    n_before: ArrayLike,
    k_after: ArrayLike,
    n_after: ArrayLike,
    *,
    direction: ArrayLike,
    q: float = 0.05,
    max_mde: float = 0.20,
) -> Comparison:
    """Compare two independent arms row by row with Fisher's exact test.

    Parameters
    ----------
    k_before, n_before, k_after, n_after
        Per row, episodes with the event and episodes with an outcome, in each arm. n may differ between arms
        and between rows, and may be 0.
    direction
        +1 where a rise of the event is worse, -1 where a fall is; a scalar or one element a row.
    q
        Error level of the flags (false discovery rate) and of the verdict (familywise).
    max_mde
        The accepted change: a limit above it makes a row too small to tell.

    Raises
    ------
    ValueError
        For counts that are negative, fractional, NaN, empty, of different shapes or with k > n; for a
        direction other than +1 or -1; for a level outside (0, 1).
    """
    raise NotImplementedError


def compare_paired(
    both: ArrayLike,
    only_before: ArrayLike,
    only_after: ArrayLike,
    neither: ArrayLike,
    *,
    direction: ArrayLike,
    q: float = 0.05,
    max_mde: float = 0.20,
) -> Comparison:
    """Compare two arms that shared their seeds, row by row, with McNemar's exact conditional test.

    Parameters
    ----------
    both, only_before, only_after, neither
        Per row, pairs in which the event happened in both arms, in the one before only, in the one after
        only, in neither. A pair has an outcome in both arms and the same seed.
    direction, q, max_mde
        As in `compare_unpaired`.

    Raises
    ------
    ValueError
        As in `compare_unpaired`.
    """
    raise NotImplementedError
