"""Which inputs changed between two runs: a test an input, flagged together."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING

from poisson_stats.consistency import consistency
from poisson_stats.input_flags import flag_inputs
from poisson_stats.risk_difference import risk_difference
from poisson_stats.significance import is_significant_log
from poisson_stats.stratified import stratified_test
from pytest_poisson.analyses.coverage import in_order
from pytest_poisson.analyses.event_set import choose_events
from pytest_poisson.analyses.input_shares import gather_shares
from pytest_poisson.analyses.one_sided import refuse_undeclared
from pytest_poisson.analyses.side import describe_side, refuse_same, same_draws, time_apart
from pytest_poisson.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poisson_stats.consistency import Consistency
    from poisson_stats.input_flags import InputFlags
    from poisson_stats.risk_difference import RiskDifference
    from poisson_stats.stratified import StratifiedTest
    from poisson_store.reader import RunReader
    from pytest_poisson.analyses.event_set import EventSet
    from pytest_poisson.analyses.input_shares import InputShares, LeftOutInputs, LeftOutRows
    from pytest_poisson.analyses.side import Apart, Side


@dataclass(frozen=True, slots=True, eq=False)
class ChangesResult:
    """Which inputs changed between two runs.

    Attributes
    ----------
    first, second
        The runs.
    apart
        How far apart they began; None where that was not recorded.
    same_draws
        Whether the second run took the first one's seeds; nothing is matched by them.
    events
        What is counted.
    left_out
        The inputs that are not compared.
    rows
        The rows without an outcome; None where there are none.
    flags
        A test, an adjusted p-value and limits for every input, in the order of `inputs`.
    together, difference
        All inputs together: the exact stratified test and the common difference, second minus first.
    consistency
        How strongly the event clings to inputs, both runs pooled.
    inputs
        The inputs compared, sorted by rollout and axis values; `old` is the first run.
    importance
        Positions in `inputs`: flagged ones first, then by p-value.
    """

    first: Side
    second: Side
    apart: Apart | None
    same_draws: bool
    events: EventSet
    left_out: LeftOutInputs
    rows: LeftOutRows | None
    flags: InputFlags
    together: StratifiedTest
    difference: RiskDifference
    consistency: Consistency
    inputs: tuple[InputShares, ...]
    importance: tuple[int, ...]

    @property
    def blind(self) -> int:
        """How many inputs have no limit in either direction: alone, no change of theirs is flagged 4 times in 5."""
        pairs = zip(self.flags.limits.status_rise, self.flags.limits.status_fall, strict=True)
        return sum("limit" not in pair for pair in pairs)

    @property
    def differ_together(self) -> bool:
        """Whether the test of all inputs together rejects at the level of the flags."""
        return bool(is_significant_log(self.together.log_p, log(self.flags.q)))

    @property
    def more(self) -> int:
        """How many flagged inputs have the event more often in the second run."""
        return int((self.flags.flagged & (self.flags.change > 0)).sum())

    @property
    def less(self) -> int:
        """How many flagged inputs have it less often."""
        return int((self.flags.flagged & (self.flags.change < 0)).sum())


def changes(
    first: RunReader, second: RunReader, *, events: Sequence[str], alpha: float = 0.05
) -> ChangesResult:
    """Flag the inputs on which the event became more or less frequent.

    Parameters
    ----------
    first, second
        The runs. Nothing is matched by seed.
    events
        The outcomes that are counted.
    alpha
        Level of the flags: the false discovery rate over all inputs compared.

    Raises
    ------
    UserError
        If the runs are one, an event is the outcome of no stored row, or no input can be compared; if the second run
        does not declare what the first one ended with, or the first one not the success that the second ended with.
    """
    refuse_same(first, second)
    chosen = choose_events([first, second], events)
    known = {each.key: each for reader in (first, second) for each in chosen.keep(reader.conditions)}
    material = gather_shares(first, second, in_order(known.values()), chosen)
    if not material.inputs:
        left = material.left_out
        raise UserError(
            f"Runs '{first.run.name}' and '{second.run.name}' have no input with an outcome in both: "
            f"{left.not_run_old + left.not_run_new} ran in one alone, {left.no_outcome} have no outcome in one."
        )
    _refuse_one_sided(first, second, material.inputs, chosen)
    old_events, old_runs, new_events, new_runs = counts = material.counts()
    flags = flag_inputs(*counts, q=alpha)
    return ChangesResult(
        first=describe_side(first),
        second=describe_side(second),
        apart=time_apart(first, second),
        same_draws=same_draws(first, second, material.inputs[0].condition.key),
        events=chosen,
        left_out=material.left_out,
        rows=material.rows,
        flags=flags,
        together=stratified_test(*counts),
        difference=risk_difference(*counts, confidence=1 - alpha),
        consistency=consistency(old_events + new_events, old_runs + new_runs),
        inputs=material.inputs,
        importance=_by_importance(material.inputs, flags),
    )


def _refuse_one_sided(
    first: RunReader, second: RunReader, inputs: Sequence[InputShares], events: EventSet
) -> None:
    """Refuse an event that could only improve, as one of the runs could not end with it."""
    if set(events.successes) < set(events.names):
        refuse_undeclared(second.run, events, (each.condition for each in inputs if each.old_events))
    else:
        refuse_undeclared(first.run, events, (each.condition for each in inputs if each.new_events))


def _by_importance(inputs: Sequence[InputShares], flags: InputFlags) -> tuple[int, ...]:
    flagged, log_p = flags.flagged.tolist(), flags.log_p.tolist()
    return tuple(sorted(range(len(inputs)), key=lambda i: (not flagged[i], log_p[i], -abs(inputs[i].change))))
