"""Which verdicts fail a gate: the one rule for the session and for `pytest-poisson check`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from pytest_poisson.fail_on import DEFAULT, FailWord

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poisson_stats.promises import PromiseWord
    from poisson_stats.verdict import Verdict
    from pytest_poisson.analyses.diff_result import DiffResult
    from pytest_poisson.analyses.promises import PromisesResult

Reason: TypeAlias = Literal["worse", "any", "too-small", "missing", "flips", "missed", "not-comparable"]


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether a comparison, and the promises of the run after, pass a gate, and why not.

    Attributes
    ----------
    fail_on
        The words that were to fail; empty for `never`.
    reasons
        Those that did, in the order of `FAIL_WORDS`, then `missed` for a promise, then `not-comparable`.
    rows
        Positions in the result's rows of the changes for the worse that fail the gate, each by its condition.
    missed
        Positions of the missed promises, each of which fails the gate by its condition.
    """

    fail_on: tuple[FailWord, ...]
    reasons: tuple[Reason, ...] = ()
    rows: tuple[int, ...] = ()
    missed: tuple[int, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether the gate fails."""
        return bool(self.reasons)


def decide(
    result: DiffResult | None,
    fail_on: tuple[FailWord, ...] = DEFAULT,
    promises: PromisesResult | None = None,
) -> Decision:
    """Return which of `fail_on` a comparison and the promises of the run after meet; either may be None.

    `worse`: the verdict is `worse`, or the worse part of a `trade`. `any`: a change counts either way. `too-small`:
    the verdict, or a promise, is `too small to tell`. `missing`: the outcomes that are missing could hide a change, or
    would change the verdict if they were failures. A missed promise fails with any word, and so does `not comparable`,
    also where outcomes are missing beside `too small to tell`; nothing fails with none.
    """
    if not fail_on:
        return Decision(fail_on)
    words = [] if promises is None else [promise.word for promise in promises.promises]
    missed = tuple(i for i, word in enumerate(words) if word == "missed")
    facts = None if result is None else facts_of(result)
    reasons = reasons_to_fail(fail_on, facts, promised=words)
    fails_rows = "worse" in fail_on or "any" in fail_on
    rows = tuple(i for i, row in enumerate(result.rows if result else ()) if fails_rows and row.is_worse)
    return Decision(fail_on, reasons, rows, missed)


@dataclass(frozen=True, slots=True)
class Facts:
    """What of a comparison a gate looks at.

    Attributes
    ----------
    verdict, verdict_by_test
        Its word, and the word before missing outcomes were considered.
    worse, changed
        Whether a change for the worse, and any change, counts.
    incomplete
        Whether more outcomes are missing, or more in one arm than in the other, than leave a reassuring word standing.
    emptied
        Whether a condition has outcomes in one arm alone, or lacks them unequally often in the two.
    as_failures
        The word if all missing outcomes were failures after and none before; None where none is missing.
    """

    verdict: Verdict
    verdict_by_test: Verdict
    worse: bool
    changed: bool
    incomplete: bool = False
    emptied: bool = False
    as_failures: Verdict | None = None


def facts_of(result: DiffResult) -> Facts:
    """Return what a gate looks at."""
    missing = result.missing
    return Facts(
        verdict=result.verdict,
        verdict_by_test=result.verdict_by_test,
        worse=any(row.is_worse for row in result.rows),
        changed=any(row.counted for row in result.rows),
        incomplete=missing is not None and missing.problem is not None,
        emptied=missing is not None and bool(missing.emptied or missing.uneven),
        as_failures=None if missing is None else missing.verdict_as_failures,
    )


def reasons_to_fail(
    fail_on: tuple[FailWord, ...], facts: Facts | None, *, promised: Sequence[PromiseWord] = ()
) -> tuple[Reason, ...]:
    """Return the words that a comparison, if there is one, and promises meet; the rule is that of `decide`."""
    met = {} if facts is None else _met(facts)
    met["too-small"] = met.get("too-small", False) or "too small to tell" in promised
    reasons: list[Reason] = [word for word in fail_on if met.get(word)]
    if fail_on and "missed" in promised:
        reasons.append("missed")
    if fail_on and facts is not None and (facts.verdict == "not comparable" or _too_much_is_missing(facts)):
        reasons.append("not-comparable")
    return tuple(reasons)


def _met(facts: Facts) -> dict[str, bool]:
    turned = facts.as_failures is not None and facts.as_failures != facts.verdict_by_test
    return {
        "worse": facts.worse,
        "any": facts.changed,
        "too-small": facts.verdict == "too small to tell",
        "missing": facts.incomplete or facts.emptied or turned,
    }


def _too_much_is_missing(facts: Facts) -> bool:
    """Tell whether outcomes are missing where no word has been said that stands without them.

    Of the whole, or of a condition. A change that counts stands. `too small to tell` is no reassurance, but it
    passes the default gate, and a run whose replicates error must not.
    """
    return facts.verdict == "too small to tell" and (facts.incomplete or facts.emptied)
