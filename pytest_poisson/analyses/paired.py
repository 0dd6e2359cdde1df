"""Paired replay: which pairs are eligible, how often their decisions flip, when the arms ran, what they cost."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np

from poisson_stats.agreement import AgreementAt, agreement, majority_stability
from poisson_stats.replay import arm_order, flip_outcome, flip_rate, pooled_flips
from pytest_poisson.conditions import axis_label
from pytest_poisson.errors import UserError
from pytest_poisson.replay.eligibility import CAUSES, Call, Pair, judge_pair

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from poisson_store import RunReader
    from pytest_poisson.replay.declaration import Cut, ReplayDeclaration, SweepArms

Key = tuple[str, int]  # condition key, replicate


@dataclass(frozen=True, slots=True)
class ArmRun:
    """An arm: its run, when it ran (UTC epoch ns), and the input tokens it recorded.

    `recorded` and `unrecorded` count the request spans with and without usage.
    """

    run_id: str
    name: str
    started_ns: int | None
    ended_ns: int | None
    tokens_in: int
    recorded: int
    unrecorded: int


@dataclass(frozen=True, slots=True)
class Window:
    """When the arms of a sweep ran: from the first start to the last end, and the pause between a and b, in seconds.

    `held` is whether the span is within the declared window; None where none was declared or no time recorded. An
    overrun withdraws the claim that the arms ran side by side, and drops no pair.
    """

    span_s: float | None
    gap_s: float | None
    held: bool | None


@dataclass(frozen=True, slots=True)
class Flips:
    """The flips of one cut, in one sweep or in all.

    Attributes
    ----------
    cut
        The cut's name.
    n11, n10, n01, n00
        Pairs decided yes by both arms, by a alone, by b alone, by neither.
    items
        Items with an eligible pair.
    rate, low, high, confidence, basis
        (n10 + n01) / pairs with its interval, None where there is none, and how that was computed.
    korn_graubard
        The design-effect-adjusted exact interval beside it, where pairs repeat.
    icc, design_effect
        Where pairs repeat within items.
    net_swing
        (n01 - n10) / pairs: b's rate of yes minus a's.
    order_p, order_could_reject
        McNemar's exact test of whether flips go one way; it does not test whether they happen.
    outcome, below_floor
        B where the interval excludes 0, else A where it lies below the floor, else C; None without a floor.
    ties
        Scores, of both arms, that equal the threshold.
    points
        For each item: its name, its mean score over both arms, its flips and its pairs.
    """

    cut: str
    n11: int
    n10: int
    n01: int
    n00: int
    items: int
    rate: float
    low: float | None
    high: float | None
    confidence: float
    basis: str
    korn_graubard: tuple[float, float] | None
    icc: float | None
    design_effect: float | None
    net_swing: float
    order_p: float
    order_could_reject: bool
    outcome: str | None
    below_floor: bool | None
    ties: int
    points: tuple[tuple[str, float, int, int], ...]

    @property
    def pairs(self) -> int:
        """Eligible pairs."""
        return self.n11 + self.n10 + self.n01 + self.n00


@dataclass(frozen=True, slots=True)
class SweepResult:
    """One sweep of the replay: its arms, every pair of a and b, the causes of exclusion, and the flips by cut."""

    name: str
    arms: tuple[ArmRun, ...]
    window: Window
    pairs: tuple[Pair, ...]
    excluded: Mapping[str, int]
    flips: tuple[Flips, ...]

    @property
    def eligible(self) -> int:
        """Pairs that count."""
        return len(self.pairs) - sum(self.excluded.values())


@dataclass(frozen=True, slots=True)
class Repeats:
    """How stable decisions are with several calls, where a sweep has three arms or more."""

    cut: str
    agreement: tuple[AgreementAt, ...]
    majority: tuple[AgreementAt, ...]


@dataclass(frozen=True, slots=True)
class PairedResult:
    """A paired replay.

    Attributes
    ----------
    declaration
        What was asked.
    sweeps
        Each sweep of it.
    pooled
        The flips by cut over all sweeps, with the item as the unit; empty with one sweep.
    repeats
        By cut; empty where every sweep has two arms.
    item_of, cut_of
        The item and the cut of each condition, by key.
    """

    declaration: ReplayDeclaration
    sweeps: tuple[SweepResult, ...]
    pooled: tuple[Flips, ...]
    repeats: tuple[Repeats, ...]
    item_of: Mapping[str, str]
    cut_of: Mapping[str, str]

    @property
    def arms(self) -> tuple[ArmRun, ...]:
        """Every arm once."""
        return tuple({arm.run_id: arm for sweep in self.sweeps for arm in sweep.arms}.values())

    @property
    def judged(self) -> tuple[Flips, ...]:
        """What the replay says at each cut: over all sweeps where there are several."""
        return self.pooled or self.sweeps[0].flips


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
        tuple(_flips(material, cut, pairs) for cut in material.cuts_with(pairs)) if several else (),
        tuple(_repeats(material, cut) for cut in declaration.cuts) if material.has_third_arm else (),
        material.item_of,
        material.cut_of,
    )


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

    def cuts_with(self, pairs: Sequence[Pair]) -> list[Cut]:
        """Return the cuts that have a pair, in the order of their declaration."""
        present = {self.cut_of[pair.condition] for pair in pairs}
        return [cut for cut in self.declaration.cuts if cut.name in present]

    def _read(self, name: str, run: RunReader) -> None:
        self._salts[name] = run.run.salt
        names = {cut.name for cut in self.declaration.cuts}
        for condition in run.conditions:
            for key in (self.declaration.cluster_key, self.declaration.stratum_key):
                if key not in condition.axes:
                    axes = ", ".join(condition.axes) or "none"
                    raise UserError(f"Axis {key!r} is none of run {name!r}, whose axes are: {axes}.")
            cut = axis_label(condition.axes[self.declaration.stratum_key])
            if cut not in names:
                raise UserError(
                    f"Run {name!r} has items under {cut!r}, which is no declared cut: {', '.join(sorted(names))}."
                )
            self.item_of[condition.key] = axis_label(condition.axes[self.declaration.cluster_key])
            self.cut_of[condition.key] = cut
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
        tuple(_flips(material, cut, eligible) for cut in material.cuts_with(eligible)),
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


def _flips(material: _Material, cut: Cut, pairs: Sequence[Pair]) -> Flips:
    """Count the decisions at one cut and estimate how often they flip."""
    declaration = material.declaration
    table: Counter[tuple[bool, bool]] = Counter()
    by_item: dict[str, list[Pair]] = defaultdict(list)
    ties = 0
    for pair in pairs:
        if pair.scores is not None and material.cut_of[pair.condition] == cut.name:
            first, second = pair.scores
            table[cut.decides(first), cut.decides(second)] += 1
            ties += (first == cut.threshold) + (second == cut.threshold)
            by_item[material.item_of[pair.condition]].append(pair)
    points = tuple(_point(item, by_item[item], cut) for item in sorted(by_item))
    n11, n10, n01, n00 = table[True, True], table[True, False], table[False, True], table[False, False]
    flips, counts = [each[2] for each in points], [each[3] for each in points]
    estimate = _estimate((n11, n10, n01, n00), flips, counts, declaration)
    total, order = n11 + n10 + n01 + n00, arm_order(n10, n01)
    outcome = None
    if declaration.floor is not None and estimate.low is not None and estimate.high is not None:
        outcome = flip_outcome(estimate.low, estimate.high, floor=float(declaration.floor))
    return Flips(
        cut.name,
        n11,
        n10,
        n01,
        n00,
        len(points),
        (n10 + n01) / total,
        estimate.low,
        estimate.high,
        estimate.confidence,
        estimate.basis,
        estimate.korn_graubard,
        estimate.icc,
        estimate.design_effect,
        (n01 - n10) / total,
        order.p,
        order.could_reject,
        None if outcome is None else outcome.letter,
        None if outcome is None else outcome.below_floor,
        ties,
        points,
    )


def _point(item: str, pairs: Sequence[Pair], cut: Cut) -> tuple[str, float, int, int]:
    scores = [score for pair in pairs if pair.scores is not None for score in pair.scores]
    flips = sum(
        cut.decides(first) != cut.decides(second)
        for first, second in (pair.scores for pair in pairs if pair.scores)
    )
    return item, float(sum(scores) / len(scores)), flips, len(pairs)


@dataclass(frozen=True, slots=True)
class _Estimate:
    low: float | None
    high: float | None
    confidence: float
    basis: str
    korn_graubard: tuple[float, float] | None = None
    icc: float | None = None
    design_effect: float | None = None


def _estimate(
    table: tuple[int, int, int, int],
    flips: Sequence[int],
    counts: Sequence[int],
    declaration: ReplayDeclaration,
) -> _Estimate:
    """Return the interval of a flip rate: exact for one pair an item, else with the item as the unit."""
    if max(counts) == 1 and len(counts) > 1:
        exact = flip_rate(*table)
        return _Estimate(exact.low, exact.high, exact.confidence, "exact binomial")
    pooled = pooled_flips(
        np.array(flips), np.array(counts), resamples=declaration.bootstrap_b, seed=declaration.bootstrap_seed
    )
    interval, kg = pooled.interval, pooled.interval.korn_graubard
    return _Estimate(
        _or_none(interval.low),
        _or_none(interval.high),
        interval.confidence,
        interval.basis,
        None if kg is None else (kg.low, kg.high),
        _or_none(pooled.clustering.icc),
        _or_none(pooled.clustering.design_effect),
    )


def _or_none(value: float) -> float | None:
    """Return a number, or None for NaN: undefined is never 0."""
    return None if np.isnan(value) else float(value)


def _repeats(material: _Material, cut: Cut) -> Repeats:
    """Lay the decisions out as item by sweep by call; a replicate counts as a sweep of its own."""
    declaration = material.declaration
    calls = max(len(sweep.arms) for sweep in declaration.sweeps)
    rows: dict[str, dict[tuple[int, int], list[int]]] = defaultdict(dict)
    for number, sweep in enumerate(declaration.sweeps):
        for arm_number, arm in enumerate(sweep.arms):
            for (condition, replicate), call in material.calls[arm].items():
                if material.cut_of[condition] == cut.name:
                    row = rows[material.item_of[condition]].setdefault((number, replicate), [-1] * calls)
                    row[arm_number] = _decision(call, cut)
    rounds = sorted({key for row in rows.values() for key in row})
    decisions = np.full((len(rows), len(rounds), calls), -1, dtype=np.int64)
    for index, item in enumerate(sorted(rows)):
        for key, row in rows[item].items():
            decisions[index, rounds.index(key)] = row
    cost = _cost_per_call(material)
    resamples, seed = declaration.bootstrap_b, declaration.bootstrap_seed
    return Repeats(
        cut.name,
        agreement(decisions, cost_per_call=cost, resamples=resamples, seed=seed),
        majority_stability(decisions, cost_per_call=cost, resamples=resamples, seed=seed),
    )


def _decision(call: Call, cut: Cut) -> int:
    if call.episode.outcome is None or call.score is None or not 0 <= call.score <= 1:
        return -1
    return int(cut.decides(call.score))


def _cost_per_call(material: _Material) -> float | None:
    """Return what a call cost on average at the declared price; None without one, or where nothing was recorded."""
    price = material.declaration.price_per_input_token
    recorded = sum(arm.recorded for arm in material.arms.values())
    if price is None or not recorded:
        return None
    return float(price * sum(arm.tokens_in for arm in material.arms.values()) / recorded)
