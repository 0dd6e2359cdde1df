"""How large the next sweep must be, from what a stored pair of runs showed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from poisson_stats.planning import MOST_REPLICATES, TooManyReplicatesError, plan_pairs, plan_replicates
from pytest_poisson.analyses.diff import diff
from pytest_poisson.analyses.levels import levels_of
from pytest_poisson.analyses.pace import mean_wall_s
from pytest_poisson.analyses.pairing import claims_pairing
from pytest_poisson.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poisson_store.reader import RunReader
    from pytest_poisson.analyses.observed import Pairing


@dataclass(frozen=True, slots=True)
class Sizing:
    """Replicates a condition, in both runs, that find the accepted change 4 times in 5 at any base rate.

    Attributes
    ----------
    before, after
        The names of the pair.
    pairs
        The fewest pairs of a row of it.
    conditions, tests
        Conditions of the next sweep, and rows of its comparison.
    max_mde, q
        The change that must not go unseen, and the error level.
    pairing
        How alike the arms of the pair were.
    correlation
        The one that is planned with: the pair's where sharing seeds paid or where it is negative, else 0, since a small
        one may be chance.
    on_same_seeds
        With that correlation.
    if_independent
        On the same seeds, were the arms independent.
    on_fresh_seeds
        With Fisher's test.
    seconds_each
        How long a replicate of the pair took on average; None where that was not recorded.
    """

    before: str
    after: str
    pairs: int
    conditions: int
    tests: int
    max_mde: float
    q: float
    pairing: Pairing
    correlation: float
    on_same_seeds: int
    if_independent: int
    on_fresh_seeds: int
    seconds_each: float | None


def size_from_pair(
    before: RunReader,
    after: RunReader,
    *,
    events: Sequence[str] | None = None,
    q: float | None = None,
    max_mde: float | None = None,
    conditions: int | None = None,
    tests: int | None = None,
) -> Sizing:
    """Size the next sweep by the correlation that a stored pair showed.

    Parameters
    ----------
    before, after
        Two runs that share their seeds.
    events, q, max_mde
        As for `diff`.
    conditions, tests
        Of the next sweep; by default those of the pair.

    Raises
    ------
    UserError
        If the runs are no pair, cannot be compared, or an event is unknown.
    """
    if not claims_pairing(before.run, after.run):
        raise UserError(
            f"Runs '{before.run.name}' and '{after.run.name}' are no pair: they drew from different salts; name a run and "
            "one that was swept with --poisson-pair-with of it."
        )
    q, max_mde = levels_of(after.run, q, max_mde)
    found = diff(before, after, events=events, q=q, max_mde=max_mde, method="mcnemar_bh")
    if found.refusal or found.pairing is None or found.design is None:
        raise UserError(found.refusal or f"Runs '{before.run.name}' and '{after.run.name}' have no pairs.")
    m = tests if tests is not None else len(found.rows)
    correlation = found.pairing.correlation or 0.0
    used = correlation if found.pairing.helped or correlation < 0 else 0.0
    try:
        on_same_seeds = plan_pairs(max_mde, m, q=q, correlation=used)
        if_independent = plan_pairs(max_mde, m, q=q, correlation=0.0)
        on_fresh_seeds = plan_replicates(max_mde, m, q=q, paired=False)
    except TooManyReplicatesError:
        raise UserError(
            f"A change of {max_mde:g} is too small to size a sweep for: independent arms need more than "
            f"{MOST_REPLICATES:,} replicates of every condition."
        ) from None
    return Sizing(
        before=before.run.name,
        after=after.run.name,
        pairs=found.design.replicates,
        conditions=conditions if conditions is not None else len({row.condition.key for row in found.rows}),
        tests=m,
        max_mde=max_mde,
        q=q,
        pairing=found.pairing,
        correlation=used,
        on_same_seeds=on_same_seeds,
        if_independent=if_independent,
        on_fresh_seeds=on_fresh_seeds,
        seconds_each=mean_wall_s(before, after),
    )
