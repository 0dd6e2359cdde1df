"""What a comparison of two runs found; the text, the JSON and the gate all read this."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from poisson_stats.comparison import LimitStatus
    from poisson_stats.missing import MissingProblem
    from poisson_stats.verdict import RowWord, Verdict
    from poisson_store.records import Accounting, ConditionRecord, Json
    from pytest_poisson.analyses.along import Along
    from pytest_poisson.analyses.fragility import Fragility
    from pytest_poisson.analyses.margin import Margin
    from pytest_poisson.analyses.observed import Pairing
    from pytest_poisson.analyses.over_time import OverTime
    from pytest_poisson.analyses.sequential import Early
    from pytest_poisson.analyses.whole import Whole
    from pytest_poisson.events import Event
    from pytest_poisson.methods import Method


@dataclass(frozen=True, slots=True)
class Count:
    """How many of the replicates with an outcome had the event.

    Attributes
    ----------
    events
        Replicates with the event.
    outcomes
        Replicates with an outcome; of a paired row, its pairs.
    """

    events: int
    outcomes: int

    @property
    def rate(self) -> float | None:
        """`events / outcomes`; None where nothing was measured, which is not 0."""
        return self.events / self.outcomes if self.outcomes else None


@dataclass(frozen=True, slots=True)
class Pairs:
    """The pairs of a paired row, by which arm had the event."""

    both: int
    only_before: int
    only_after: int
    neither: int


@dataclass(frozen=True, slots=True)
class Limit:
    """The smallest change of one row in one direction that would have been flagged 4 times in 5.

    Attributes
    ----------
    status
        `limit`: `size` is it; `no room`: the rate is at its end already; `none detectable`: not even a change
        to the end of the scale would be found 4 times in 5; `not stated`: what the method could find is not known.
    size
        The change, in (0, 1]; None unless `status` is `limit`.
    """

    status: LimitStatus | Literal["not stated"]
    size: float | None = None


@dataclass(frozen=True, slots=True)
class Observed:
    """What the pairs of one row could have shown, given how alike their arms were.

    Attributes
    ----------
    correlation
        Of the event between the arms of a pair; None where an arm always or never had it.
    rise, fall
        The detection limits from the before rate at that correlation, at 0 where there is none.
    """

    correlation: float | None
    rise: Limit
    fall: Limit


@dataclass(frozen=True, slots=True)
class DiffRow:
    """One condition and event, compared.

    Attributes
    ----------
    condition
        The condition as the after run planned it.
    event
        The event as it applies to the condition's rollout.
    before, after
        The counts of each arm.
    pairs
        The four kinds of pair, of a paired comparison.
    word
        `worse` or `safer` where the row is flagged, `p_bh` being at most q; else `too small to tell` where a limit
        exceeds the accepted change; else `no significant change`.
    counted
        Whether the verdict counts the change: `p_holm` is at most q.
    p, log_p
        The exact two-sided p-value and its natural logarithm, which never underflows; of a sequential method 1/E, which
        is valid whenever one looks.
    p_bh, log_p_bh
        Adjusted over all rows by the procedure of the flags: Benjamini and Hochberg's, or the discrete one.
    p_holm, log_p_holm
        Adjusted over all rows, after Holm; of a sequential method the same as before, since what it flags counts.
    change
        After's rate minus before's; None where an arm has no outcome.
    low, high
        The score interval of the change, at the result's `level`.
    rise, fall
        The detection limits from the before rate: of a paired row those of its design, which takes the arms for
        independent.
    observed
        The limits at the correlation that the pairs had; None of an unpaired row.
    over_time
        The rates by the horizon, where replicates were cut off before it.
    replay
        A replicate to look at: it had the event the worse way after and, in a paired comparison, not before.
    """

    condition: ConditionRecord
    event: Event
    before: Count
    after: Count
    pairs: Pairs | None
    word: RowWord
    counted: bool
    p: float
    log_p: float
    p_bh: float
    log_p_bh: float
    p_holm: float
    log_p_holm: float
    change: float | None
    low: float | None
    high: float | None
    rise: Limit
    fall: Limit
    observed: Observed | None = None
    over_time: OverTime | None = None
    replay: int | None = None

    @property
    def is_worse(self) -> bool:
        """Whether this row makes the verdict worse: what fails the condition's pytest item."""
        return self.counted and self.word == "worse"

    @property
    def is_safer(self) -> bool:
        """Whether this row makes the verdict safer."""
        return self.counted and self.word == "safer"


@dataclass(frozen=True, slots=True)
class Arm:
    """A run as one side of the comparison.

    Attributes
    ----------
    run_id, name, status, created_at, salt, selection
        As stored; `selection` says what part of the suite ran, None for all of it.
    accounting
        Of the whole run.
    compared
        Of the conditions that both runs have.
    unpartnered
        Replicates with an outcome whose partner has none, in a paired comparison.
    part
        Which conditions of the run stand on this side, where both sides are of one run; else empty.
    """

    run_id: str
    name: str
    status: str
    created_at: str
    salt: str
    selection: str | None
    accounting: Accounting
    compared: Accounting
    unpartnered: int = 0
    part: str = ""


@dataclass(frozen=True, slots=True)
class Missing:
    """What the replicates without an outcome may hide.

    Attributes
    ----------
    before_missing, before_ran, after_missing, after_ran
        Replicates without an outcome, and replicates that ran, in the conditions compared; of a paired comparison,
        those that ran in both arms.
    p, log_p
        Of the test that the shares are equal: Fisher's, or McNemar's where the comparison is paired.
    problem
        Why they forbid `safer` and `no significant change`: a share above 20 %, else shares that differ at 0.05;
        None where neither holds.
    emptied
        Conditions that ran in both arms and have outcomes in one of them alone: nothing milder than `worse` is said.
    uneven
        Conditions whose arms lack outcomes unequally often (Holm at 0.05 over all of them): nothing that reassures is
        said.
    cause
        The cause whose count differs most between the arms, or the most frequent one where none does.
    verdict_as_failures
        The verdict with all of them counted as failures after and as none before.
    """

    before_missing: int
    before_ran: int
    after_missing: int
    after_ran: int
    p: float
    log_p: float
    problem: MissingProblem | None
    emptied: tuple[ConditionRecord, ...]
    uneven: tuple[ConditionRecord, ...]
    cause: str
    verdict_as_failures: Verdict


@dataclass(frozen=True, slots=True)
class Design:
    """What the comparison could have seen at all.

    Attributes
    ----------
    replicates
        The fewest outcomes (paired: pairs) in an arm of any row.
    tests
        Rows, over which the level is corrected.
    limit
        The smallest change found 4 times in 5 at the least favourable base rate, if one row alone changed; None where
        there is no such change.
    base_rate
        That base rate.
    largest
        The largest limit of a row from its own before rate.
    largest_row
        Its position in the rows.
    largest_is_rise
        Whether it is the limit on a rise.
    too_small
        Rows that could hide a change above the result's `max_mde`.
    ceiling
        The smallest `max_mde` under which no row is too small; None where a row has no outcome in an arm.
    needed
        Replicates an arm at which the least favourable limit is at most `max_mde`; None unless the verdict is
        `too small to tell`.
    """

    replicates: int
    tests: int
    limit: float | None
    base_rate: float | None
    largest: float | None
    largest_row: int | None
    largest_is_rise: bool
    too_small: int
    ceiling: float | None
    needed: int | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """A setting that is not the same in both runs: a variant, or something of the environment.

    Attributes
    ----------
    name
        As stored, nested names joined by dots: `variant.policy`, `packages.numpy`.
    before, after
        The two values; None where a run does not have it.
    """

    name: str
    before: Json
    after: Json


@dataclass(frozen=True, slots=True)
class DiffResult:
    """A comparison of two runs.

    Attributes
    ----------
    before, after
        The arms.
    method
        The test and the procedure of the flags: a key of `pytest_poisson.methods.METHODS`.
    paired
        Whether the runs share their draws, whatever the method.
    q
        The error level.
    max_mde
        The change above which a limit makes `no significant change` into `too small to tell`.
    events
        The events compared, by rollout.
    rows
        Condition by event, sorted by rollout, axis values and event.
    importance
        Positions in `rows`, the most important first.
    verdict
        The word for the comparison.
    verdict_by_test
        The word before the missing outcomes were considered, and the events of one run alone.
    level
        Confidence level of every interval in `rows`.
    design
        What could have been seen; None of a refused comparison.
    pairing
        How alike the arms of the pairs were; None of an unpaired comparison.
    fragility
        How many outcomes the tests' word hangs on; None where that is not known: of Boschloo's test, and where the
        margin made the word.
    margin
        The rows held against a declared margin; None without one.
    missing
        The replicates without an outcome; None where there are none.
    one_sided
        Events whose rate could only improve, since but one of the runs declares them: nothing that reassures is said.
    early
        What stopping early came to, where the method is a sequential one; else None.
    whole
        The comparison as a whole, where it was asked for.
    only_before, only_after
        Conditions that only one run planned: the other did not run them.
    skipped
        Conditions of which every replicate was skipped in both runs; they are left out.
    changes
        What else differs between the runs, besides the code under test.
    along
        The axis and its two values, where conditions of one run are compared; else None.
    refusal
        Why nothing could be compared, in one sentence; then there are no rows and the verdict is `not comparable`.
    notes
        What a reader must know besides, a sentence each.
    """

    before: Arm
    after: Arm
    method: Method
    paired: bool
    q: float
    max_mde: float
    verdict: Verdict
    verdict_by_test: Verdict
    events: tuple[Event, ...] = ()
    rows: tuple[DiffRow, ...] = ()
    importance: tuple[int, ...] = ()
    level: float | None = None
    design: Design | None = None
    pairing: Pairing | None = None
    fragility: Fragility | None = None
    margin: Margin | None = None
    missing: Missing | None = None
    one_sided: tuple[Event, ...] = ()
    early: Early | None = None
    whole: Whole | None = None
    only_before: tuple[ConditionRecord, ...] = ()
    only_after: tuple[ConditionRecord, ...] = ()
    skipped: tuple[ConditionRecord, ...] = ()
    changes: tuple[Change, ...] = ()
    along: Along | None = None
    refusal: str | None = None
    notes: tuple[str, ...] = ()
