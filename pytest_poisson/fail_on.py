"""Which verdicts fail a gate: the one rule for the session and for `pytest-poisson check`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from pytest_poisson.errors import UserError

if TYPE_CHECKING:
    from pytest_poisson.analyses.diff_result import DiffResult

FailWord: TypeAlias = Literal["worse", "any", "too-small", "missing", "flips"]
Reason: TypeAlias = Literal["worse", "any", "too-small", "missing", "flips", "not-comparable"]

FAIL_WORDS: tuple[FailWord, ...] = ("worse", "any", "too-small", "missing", "flips")
NEVER = "never"
DEFAULT: tuple[FailWord, ...] = ("worse",)


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether a comparison passes a gate, and why not.

    Attributes
    ----------
    fail_on
        The words that were to fail; empty for `never`.
    reasons
        Those that did, in the order of `FAIL_WORDS`, then `not-comparable`.
    rows
        Positions in the result's rows of the changes for the worse that fail the gate, each by its condition.
    """

    fail_on: tuple[FailWord, ...]
    reasons: tuple[Reason, ...] = ()
    rows: tuple[int, ...] = ()

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


def decide(result: DiffResult, fail_on: tuple[FailWord, ...] = DEFAULT) -> Decision:
    """Return which of `fail_on` the comparison meets.

    `worse`: the verdict is `worse`, or the worse part of a `trade`. `any`: a change counts either way. `too-small`:
    the verdict is `too small to tell`. `missing`: the outcomes that are missing could hide a change, or would
    change the verdict if they were failures. `not comparable` fails with any word, and so do missing outcomes beside `too small to tell`; nothing fails with none.
    """
    if not fail_on:
        return Decision(fail_on)
    met: dict[Reason, bool] = {
        "worse": any(row.is_worse for row in result.rows),
        "any": any(row.counted for row in result.rows),
        "too-small": result.verdict == "too small to tell",
        "missing": _missing_matters(result),
        "flips": False,  # of a paired replay, which is no comparison of rates
    }
    reasons: list[Reason] = [word for word in fail_on if met[word]]
    if result.verdict == "not comparable" or _too_much_is_missing(result):
        reasons.append("not-comparable")
    fails_rows = "worse" in fail_on or "any" in fail_on
    rows = tuple(i for i, row in enumerate(result.rows) if fails_rows and row.is_worse)
    return Decision(fail_on, tuple(reasons), rows)


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
