"""Paired replay: which pairs are eligible, how often their decisions flip, when the arms ran, what they cost."""

from __future__ import annotations

from collections import Counter, defaultdict
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np

from poisson_stats.agreement import agreement, majority_stability
from pytest_poisson.analyses.flips import count_flips
from pytest_poisson.analyses.paired_result import ArmRun, Flips, PairedResult, Repeats, SweepResult, Window
from pytest_poisson.conditions import axis_label
from pytest_poisson.errors import UserError
from pytest_poisson.replay.eligibility import CAUSES, Call, Pair, judge_pair

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from poisson_store import RunReader
    from poisson_store.records import Json
    from pytest_poisson.replay.declaration import Cut, ReplayDeclaration, SweepArms

Key = tuple[str, int]  # condition key, replicate


def paired(declaration: ReplayDeclaration, open_run: Callable[[str], RunReader]) -> PairedResult:
    """Analyse a paired replay.

    Parameters
    ----------
    declaration
        What is asked.
    open_run
        Opens an arm by its name.

    Raises
    ------
    UserError
        If arms were drawn differently, an axis or a cut is missing, an item is under two cuts, or no pair is
        eligible.
    """
    material = _Material(declaration, open_run)
    sweeps = tuple(_sweep(material, sweep) for sweep in declaration.sweeps)
    if not any(sweep.eligible for sweep in sweeps):
        causes: Counter[str] = Counter()
        for sweep in sweeps:
            causes.update(sweep.excluded)
        named = ", ".join(f"{causes[cause]} {cause}" for cause in CAUSES if causes[cause]) or "there is none"
        raise UserError(f"No pair of this replay is eligible: {named}.")
    several = len(sweeps) > 1
    pairs = [pair for sweep in sweeps for pair in sweep.pairs if pair.scores is not None]
    return PairedResult(
        declaration,
        sweeps,
        _flips(material, pairs) if several else (),
        tuple(_repeats(material, cut) for cut in _cuts_of(material)) if material.has_third_arm else (),
        material.item_of,
        material.cut_of,
    )


def item_and_cut(declaration: ReplayDeclaration, run: str, axes: Mapping[str, Json]) -> tuple[str, str]:
    """Return the item that a condition of a run is, and the cut it is under.

    Raises
    ------
    UserError
        If it has no such axis, or its cut is not declared.
    """
    for key in (declaration.cluster_key, declaration.stratum_key):
        if key not in axes:
            raise UserError(
                f"Axis {key!r} is none of run {run!r}, whose axes are: {', '.join(axes) or 'none'}."
            )
    cut, names = axis_label(axes[declaration.stratum_key]), {each.name for each in declaration.cuts}
    if cut not in names:
        raise UserError(
            f"Run {run!r} has items under {cut!r}, which is no declared cut: {', '.join(sorted(names))}."
        )
    return axis_label(axes[declaration.cluster_key]), cut


class _Material:
    """The arms' calls, and what item and cut each condition is."""

    def __init__(self, declaration: ReplayDeclaration, open_run: Callable[[str], RunReader]) -> None:
        self.declaration = declaration
        self.item_of: dict[str, str] = {}
        self.cut_of: dict[str, str] = {}
        self.arms: dict[str, ArmRun] = {}
        self.calls: dict[str, dict[Key, Call]] = {}
        self._salts: dict[str, str] = {}
        for name in dict.fromkeys(arm for sweep in declaration.sweeps for arm in sweep.arms):
            with open_run(name) as run:
                self._read(name, run)
        for sweep in declaration.sweeps:
            self._refuse_other_draws(sweep)
        self._refuse_items_under_two_cuts()

    @property
    def has_third_arm(self) -> bool:
        return any(len(sweep.arms) > 2 for sweep in self.declaration.sweeps)

    def _read(self, name: str, run: RunReader) -> None:
        self._salts[name] = run.run.salt
        for condition in run.conditions:
            item, cut = item_and_cut(self.declaration, name, condition.axes)
            self.item_of[condition.key], self.cut_of[condition.key] = item, cut
        episodes = list(run.episodes(spans=True))
        calls = {(each.condition, each.replicate): Call.of(each, self.declaration) for each in episodes}
        self.calls[name] = calls
        starts = [each.started_ns for each in episodes if each.started_ns is not None]
        ends = [
            each.started_ns + int((each.wall_s or 0.0) * 1e9)
            for each in episodes
            if each.started_ns is not None
        ]
        known = [[span.tokens.input for span in call.requests if span.tokens] for call in calls.values()]
        requests = sum(len(call.requests) for call in calls.values())
        counted = [tokens for each in known for tokens in each if tokens is not None]
        self.arms[name] = ArmRun(
            run.run.run_id,
            run.run.name,
            min(starts, default=None),
            max(ends, default=None),
            sum(counted),
            len(counted),
            requests - len(counted),
        )

    def _refuse_other_draws(self, sweep: SweepArms) -> None:
        first, *others = sweep.arms
        for other in others:
            for key, call in self.calls[other].items():
                partner = self.calls[first].get(key)
                if partner is not None and partner.episode.seed != call.episode.seed:
                    raise UserError(
                        f"Arms {first!r} and {other!r} of sweep {sweep.name!r} were drawn differently: replicate "
                        f"{key[1]} of a condition has seed {partner.episode.seed} in one and {call.episode.seed} in the "
                        "other; pair the second with the first when it is swept."
                    )

    def _refuse_items_under_two_cuts(self) -> None:
        cuts: dict[str, str] = {}
        for key, item in self.item_of.items():
            cut = cuts.setdefault(item, self.cut_of[key])
            if cut != self.cut_of[key]:
                raise UserError(
                    f"Item {item!r} is under two cuts, {cut!r} and {self.cut_of[key]!r}; an item has one."
                )


def _sweep(material: _Material, sweep: SweepArms) -> SweepResult:
    first, second = (material.calls[arm] for arm in sweep.arms[:2])
    keys = sorted(first.keys() | second.keys())
    pairs = tuple(judge_pair(key, first.get(key), second.get(key), material.declaration) for key in keys)
    excluded = Counter(pair.cause for pair in pairs if pair.cause is not None)
    eligible = [pair for pair in pairs if pair.scores is not None]
    arms = tuple(material.arms[arm] for arm in sweep.arms)
    return SweepResult(
        sweep.name,
        arms,
        _window(arms, material.declaration.declared_window_s),
        pairs,
        {cause: excluded[cause] for cause in CAUSES if excluded[cause]},
        _flips(material, eligible),
    )


def _window(arms: Sequence[ArmRun], declared_s: Decimal | None) -> Window:
    starts = [arm.started_ns for arm in arms if arm.started_ns is not None]
    ends = [arm.ended_ns for arm in arms if arm.ended_ns is not None]
    if len(starts) < len(arms) or len(ends) < len(arms):
        return Window(None, None, None)
    span_s = (max(ends) - min(starts)) / 1e9
    a, b = sorted(zip(starts[:2], ends[:2], strict=True))
    return Window(
        span_s,
        max(0.0, (b[0] - a[1]) / 1e9),
        None if declared_s is None else Decimal(repr(span_s)) <= declared_s,
    )


def _flips(material: _Material, pairs: Sequence[Pair]) -> tuple[Flips, ...]:
    """Count the flips at every cut that has an eligible pair, in the order of their declaration."""
    by_cut: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        by_cut[material.cut_of[pair.condition]].append(pair)
    declaration = material.declaration
    return tuple(
        count_flips(declaration, cut, by_cut[cut.name], material.item_of)
        for cut in declaration.cuts
        if cut.name in by_cut
    )


def _cuts_of(material: _Material) -> list[Cut]:
    """Return the declared cuts that an item is under."""
    used = {material.cut_of[condition] for calls in material.calls.values() for condition, _ in calls}
    return [cut for cut in material.declaration.cuts if cut.name in used]


def _repeats(material: _Material, cut: Cut) -> Repeats:
    """Lay the decisions out as condition by sweep by call; a replicate counts as a sweep of its own."""
    declaration = material.declaration
    calls = max(len(sweep.arms) for sweep in declaration.sweeps)
    rows: dict[str, dict[tuple[int, int], list[int]]] = defaultdict(dict)
    for number, sweep in enumerate(declaration.sweeps):
        for arm_number, arm in enumerate(sweep.arms):
            for (condition, replicate), call in material.calls[arm].items():
                if material.cut_of[condition] == cut.name:
                    first = material.calls[sweep.arms[0]].get((condition, replicate))
                    pair = judge_pair((condition, replicate), first, call, declaration)
                    row = rows[condition].setdefault((number, replicate), [-1] * calls)
                    row[arm_number] = -1 if pair.scores is None else int(cut.decides(pair.scores[1]))
    rounds = sorted({key for row in rows.values() for key in row})
    decisions = np.full((len(rows), len(rounds), calls), -1, dtype=np.int64)
    conditions = sorted(rows, key=lambda condition: (material.item_of[condition], condition))
    for index, condition in enumerate(conditions):
        for key, row in rows[condition].items():
            decisions[index, rounds.index(key)] = row
    names = [material.item_of[condition] for condition in conditions]
    item = np.unique(names, return_inverse=True)[1]
    cost = _cost_per_call(material)
    resamples, seed = declaration.bootstrap_b, declaration.bootstrap_seed
    return Repeats(
        cut.name,
        agreement(decisions, items=item, cost_per_call=cost, resamples=resamples, seed=seed),
        majority_stability(decisions, items=item, cost_per_call=cost, resamples=resamples, seed=seed),
    )


def _cost_per_call(material: _Material) -> float | None:
    """Return what a call cost on average at the declared price; None without one, or where nothing was recorded."""
    price = material.declaration.price_per_input_token
    recorded = sum(arm.recorded for arm in material.arms.values())
    if price is None or not recorded:
        return None
    return float(price * sum(arm.tokens_in for arm in material.arms.values()) / recorded)
