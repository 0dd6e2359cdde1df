"""Compare two values of one axis of one run: the conditions that differ in it alone, side by side."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from pytest_poisson.analyses.complete import Extras, complete
from pytest_poisson.analyses.coverage import Coverage, in_order, skipped_whole, total
from pytest_poisson.analyses.diff_result import Arm, DiffResult
from pytest_poisson.analyses.levels import events_of, levels_of
from pytest_poisson.analyses.margin import chosen_margin
from pytest_poisson.analyses.material import lay_out, why_not_comparable
from pytest_poisson.analyses.notes import undeclared
from pytest_poisson.analyses.pairing import different_draws
from pytest_poisson.conditions import axis_label, canonical_json
from pytest_poisson.errors import UserError
from pytest_poisson.methods import METHODS
from pytest_poisson.stopping_rule import PAIRED, UNPAIRED, declared_rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from poisson_store.reader import RunReader
    from poisson_store.records import ConditionRecord, Json, OutcomeColumns, RunRecord
    from pytest_poisson.analyses.material import Material
    from pytest_poisson.methods import Method

Columns = TypeVar("Columns", bound="OutcomeColumns")


@dataclass(frozen=True, slots=True)
class Along:
    """Which conditions of a run are compared with which.

    Attributes
    ----------
    axis
        The axis in which they differ.
    before, after
        Its two values.
    shares_seeds
        Whether the rollouts leave the axis out of the seed, so that both sides drew the same.
    """

    axis: str
    before: Json
    after: Json
    shares_seeds: bool


def diff_along(
    reader: RunReader,
    text: str,
    *,
    events: Sequence[str] | None = None,
    q: float | None = None,
    max_mde: float | None = None,
    method: str | None = None,
    margin: float | None = None,
    full: bool = False,
) -> DiffResult:
    """Compare, in one run, the conditions with one value of an axis with those that differ from them in it alone.

    Parameters
    ----------
    reader
        The run.
    text
        `AXIS=A:B`, the values written as reports write them; A stands before, B after.
    events, q, max_mde, method, margin, full
        As for `diff`; the paired test is the default where the axis is left out of the seed.

    Raises
    ------
    UserError
        If there is no such axis or value, the paired test is asked for where the two sides drew apart, or as `diff`.
    """
    along = _read(reader.run, text)
    chosen = _choose(reader.run, along, method)
    q, max_mde = levels_of(reader.run, q, max_mde)
    size = chosen_margin(reader.run, margin, q, chosen)
    sides = _Sides.match(reader, along)
    columns = reader.outcome_columns()
    material = lay_out(
        (reader.run, reader.run),
        sides.coverage,
        (sides.rename(columns, sides.before), sides.rename(columns, sides.after)),
        events or events_of(reader.run),
        joined=METHODS[chosen].paired,
    )
    frame = DiffResult(
        before=_arm(reader, sides, "before", along, material.unpartnered[0]),
        after=_arm(reader, sides, "after", along, material.unpartnered[1]),
        method=chosen,
        paired=along.shares_seeds,
        q=q,
        max_mde=max_mde,
        verdict="not comparable",
        verdict_by_test="not comparable",
        events=material.events,
        only_before=sides.coverage.only_before,
        only_after=sides.coverage.only_after,
        skipped=sides.coverage.skipped,
        along=along,
        refusal=_refusal(along, material),
    )
    if frame.refusal:
        return frame
    timed = reader.columns() if reader.has_horizons() else None
    both = timed and (sides.rename(timed, sides.before), sides.rename(timed, sides.after))
    return complete(
        frame, material, Extras(both or None, size, full, list(undeclared((reader.run,), chosen, size)))
    )


def _read(run: RunRecord, text: str) -> Along:
    """Find the axis and its two values; a value may hold a colon itself."""
    axis, given, values = text.partition("=")
    known: dict[str, Json] = {}
    for condition in run.conditions:
        if axis in condition.axes:
            known.setdefault(axis_label(condition.axes[axis]), condition.axes[axis])
    if not given or not known:
        axes = ", ".join(dict.fromkeys(name for condition in run.conditions for name in condition.axes))
        wrong = f"names no axis of run '{run.name}'" if given else "must have the form AXIS=A:B"
        raise UserError(f"--along={text} {wrong}; the axes of the run are {axes or 'none'}.")
    cuts = [position for position, letter in enumerate(values) if letter == ":"]
    pairs = [(values[:cut], values[cut + 1 :]) for cut in cuts]
    found = [
        (first, second) for first, second in pairs if first in known and second in known and first != second
    ]
    if len(found) != 1:
        raise UserError(
            f"--along={text} must name two values of axis '{axis}', as in A:B; it has {', '.join(known)}."
        )
    first, second = found[0]
    rollouts = {condition.rollout for condition in run.conditions if axis in condition.axes}
    shared = [axis in _shared(run, rollout) for rollout in rollouts]
    return Along(axis, known[first], known[second], all(shared))


def _shared(run: RunRecord, rollout: str) -> Sequence[Json]:
    found = next((each.settings.get("shared_seed_axes") for each in run.rollouts if each.id == rollout), None)
    return found if isinstance(found, list) else []


def _choose(run: RunRecord, along: Along, method: str | None) -> Method:
    if method is None and declared_rule(run) is not None:
        return PAIRED if along.shares_seeds else UNPAIRED
    if method is None:
        return "mcnemar_bh" if along.shares_seeds else "fisher_bh"
    known = next((name for name in METHODS if name == method), None)
    if known is None:
        raise UserError(f"method={method} is unknown; it is one of {', '.join(METHODS)}.")
    if METHODS[known].paired and not along.shares_seeds:
        raise UserError(
            f"method={method} needs pairs, and the seeds of the values of '{along.axis}' differ; use fisher_bh, or sweep "
            f"again with shared_seed_axes=['{along.axis}'] on the mark."
        )
    return known


@dataclass(frozen=True, slots=True)
class _Sides:
    """The matched conditions: keys of each side -> the key that stands for both."""

    coverage: Coverage
    before: Mapping[str, str]
    after: Mapping[str, str]

    @classmethod
    def match(cls, reader: RunReader, along: Along) -> _Sides:
        """Match the conditions that differ in the axis alone; the pair is known by the second one's key."""
        ours, theirs = (_by_rest(reader.conditions, along, value) for value in (along.before, along.after))
        both = [rest for rest in theirs if rest in ours]
        whole = skipped_whole(reader)
        skipped = {rest for rest in both if {ours[rest].key, theirs[rest].key} <= whole}
        return cls(
            Coverage(
                common=in_order(_without(theirs[rest], along.axis) for rest in both if rest not in skipped),
                only_before=in_order(ours[rest] for rest in ours if rest not in theirs),
                only_after=in_order(theirs[rest] for rest in theirs if rest not in ours),
                skipped=in_order(_without(theirs[rest], along.axis) for rest in skipped),
            ),
            before={ours[rest].key: theirs[rest].key for rest in both},
            after={theirs[rest].key: theirs[rest].key for rest in both},
        )

    @staticmethod
    def rename(columns: Columns, names: Mapping[str, str]) -> Columns:
        """Return a side's episodes under the keys of the pairs; the others are known by no key."""
        return replace(columns, conditions=tuple(names.get(key, "") for key in columns.conditions))


def _by_rest(
    conditions: Iterable[ConditionRecord], along: Along, value: Json
) -> dict[tuple[str, str], ConditionRecord]:
    """Return the conditions with a value of the axis, by rollout and the other axes."""
    wanted = canonical_json(value)
    return {
        (each.rollout, canonical_json(dict(_rest(each, along.axis)))): each
        for each in conditions
        if along.axis in each.axes and canonical_json(each.axes[along.axis]) == wanted
    }


def _rest(condition: ConditionRecord, axis: str) -> dict[str, Json]:
    return {name: value for name, value in condition.axes.items() if name != axis}


def _without(condition: ConditionRecord, axis: str) -> ConditionRecord:
    return replace(condition, axes=_rest(condition, axis))


def _arm(reader: RunReader, sides: _Sides, side: str, along: Along, unpartnered: int) -> Arm:
    run = reader.run
    names, value = (sides.before, along.before) if side == "before" else (sides.after, along.after)
    alone = sides.coverage.only_before if side == "before" else sides.coverage.only_after
    of_pairs = {pair: key for key, pair in names.items()}
    accounts = reader.accounting_by_condition()
    compared = total({pair: accounts[key] for pair, key in of_pairs.items()}, sides.coverage.common)
    left_out = total({pair: accounts[key] for pair, key in of_pairs.items()}, sides.coverage.skipped)
    return Arm(
        run_id=run.run_id,
        name=run.name,
        status=run.status,
        created_at=run.created_at,
        salt=run.salt,
        selection=run.selection,
        accounting=compared + left_out + total(accounts, alone),
        compared=compared,
        unpartnered=unpartnered,
        part=f"{along.axis}={axis_label(value)}",
    )


def _refusal(along: Along, material: Material) -> str | None:
    """Return why there is nothing to compare, in the words of one run."""
    name = material.runs[0].name
    first, second = (f"{along.axis}={axis_label(value)}" for value in (along.before, along.after))
    if not material.coverage.common:
        if material.coverage.skipped:
            return f"In run '{name}' every condition with {first} that has one with {second} was skipped on both sides."
        return f"In run '{name}' no condition with {first} has one with {second} that differs in it alone."
    if material.joined and (wrong := different_draws(material.before, material.after)) is not None:
        number = int(material.before.replicate[wrong])
        return (
            f"Run '{name}' leaves '{along.axis}' out of the seed, but replicate {number} has other seeds with {first} than "
            f"with {second}; compare them unpaired with --method=fisher_bh."
        )
    return why_not_comparable(material)
