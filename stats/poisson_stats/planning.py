"""How many replicates a design needs, and what a design of n replicates could detect."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DesignLimit:
    """What a design can detect at the base rate where detecting is hardest.

    Attributes
    ----------
    limit
        The smallest change found 4 times in 5 at that base rate, rounded up at the 4th decimal; NaN where
        even a change from 0 to 1 is found less often.
    base_rate
        The rate before, (1 - limit) / 2, at which the limit is largest; NaN where the limit is.
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

    The smallest n such that this n and every larger one keeps the limit at or below ``max_mde`` at every
    base rate. Fisher's test is not monotone in n, so the first n that meets the limit may not be enough.

    Parameters
    ----------
    max_mde
        The change, in rate, that must not go unseen; strictly between 0 and 1.
    tests
        m, the number of tests the comparison will make (conditions times events).
    q
        The error level over all tests.
    paired
        Whether the run may later be paired: then the larger n of McNemar's and Fisher's tests. If false,
        Fisher's test alone.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    raise NotImplementedError


def design_limit(n: int, tests: int, *, q: float = 0.05, paired: bool = True) -> DesignLimit:
    """Return the smallest change that ``n`` replicates per condition and arm find, at the worst base rate.

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
    """
    raise NotImplementedError
