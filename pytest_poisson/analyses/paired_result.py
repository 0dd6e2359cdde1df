"""What a paired replay found; the text, the files and the gate all read this."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from poisson_stats.agreement import AgreementAt
    from pytest_poisson.replay.declaration import ReplayDeclaration
    from pytest_poisson.replay.eligibility import Pair


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

    @property
    def unjudged(self) -> Mapping[str, int]:
        """The cuts that items are under and no pair counts at, in the order of declaration, with all their pairs."""
        pairs = Counter(self.cut_of[pair.condition] for sweep in self.sweeps for pair in sweep.pairs)
        used, judged = set(self.cut_of.values()), {each.cut for each in self.judged}
        return {
            cut.name: pairs[cut.name]
            for cut in self.declaration.cuts
            if cut.name in used and cut.name not in judged
        }
