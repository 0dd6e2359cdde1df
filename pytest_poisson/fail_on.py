"""The words that say which verdicts fail a gate, and the reading of a list of them."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pytest_poisson.errors import UserError

FailWord: TypeAlias = Literal["worse", "any", "too-small", "missing", "flips"]

FAIL_WORDS: tuple[FailWord, ...] = ("worse", "any", "too-small", "missing", "flips")
NEVER = "never"
DEFAULT: tuple[FailWord, ...] = ("worse",)


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
