"""Which verdicts fail a gate: the one rule for the session and for `pytest-poisson check`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from pytest_poisson.errors import UserError

if TYPE_CHECKING:
    from pytest_poisson.analyses.diff_result import DiffResult
    from pytest_poisson.analyses.promises import PromisesResult

FailWord: TypeAlias = Literal["worse", "any", "too-small", "missing", "flips"]
Reason: TypeAlias = Literal["worse", "any", "too-small", "missing", "flips", "missed", "not-comparable"]

FAIL_WORDS: tuple[FailWord, ...] = ("worse", "any", "too-small", "missing", "flips")
NEVER = "never"
DEFAULT: tuple[FailWord, ...] = ("worse",)


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


def parse_fail_on(text: str, *, option: str = "--fail-on") -> tuple[FailWord, ...]:
    """Return the words of a comma-separated list in their fixed order, or nothing for `never`.

    Raises
    ------
    UserError
        If a word is unknown, or `never` stands beside another; the message names `option`.
    """
    words = {word.strip() for word in text.split(",")}
    if words == {NEVER}:
        return ()
    if NEVER in words:
        raise UserError(f"{option}={text}: {NEVER!r} stands alone.")
    for word in sorted(words.difference(FAIL_WORDS)):
        choices = ", ".join(FAIL_WORDS)
        raise UserError(f"{option}={text} holds {word!r}; it takes {choices}, joined by commas, or {NEVER}.")
    return tuple(word for word in FAIL_WORDS if word in words)


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
    of_diff = {} if result is None else _met_by_diff(result)
    words = [] if promises is None else [promise.word for promise in promises.promises]
    missed = tuple(i for i, word in enumerate(words) if word == "missed")
    undecided: set[FailWord] = {"too-small"} if "too small to tell" in words else set()
    reasons: list[Reason] = [word for word in fail_on if of_diff.get(word) or word in undecided]
    if missed:
        reasons.append("missed")
    if result is None:
        return Decision(fail_on, tuple(reasons), missed=missed)
    if result.verdict == "not comparable" or _too_much_is_missing(result):
        reasons.append("not-comparable")
    fails_rows = "worse" in fail_on or "any" in fail_on
    rows = tuple(i for i, row in enumerate(result.rows) if fails_rows and row.is_worse)
    return Decision(fail_on, tuple(reasons), rows, missed)


def _met_by_diff(result: DiffResult) -> dict[FailWord, bool]:
    return {
        "worse": any(row.is_worse for row in result.rows),
        "any": any(row.counted for row in result.rows),
        "too-small": result.verdict == "too small to tell",
        "missing": _missing_matters(result),
        "flips": False,  # of a paired replay, which is no comparison of rates
    }


def _too_much_is_missing(result: DiffResult) -> bool:
    """Tell whether outcomes are missing where no word has been said that stands without them.

    A change that counts stands. `too small to tell` is no reassurance, but it passes the default gate, and a run
    whose replicates error must not.
    """
    return (
        result.verdict == "too small to tell"
        and result.missing is not None
        and result.missing.problem is not None
    )


def _missing_matters(result: DiffResult) -> bool:
    missing = result.missing
    return missing is not None and (
        missing.problem is not None
        or bool(missing.emptied)
        or missing.verdict_as_failures != result.verdict_by_test
    )
