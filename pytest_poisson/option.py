"""One option: how it is given, and what values it takes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_poisson.caps import LARGEST_WHOLE, LEAST_FRACTION
from pytest_poisson.fail_on import FailWord, parse_fail_on

if TYPE_CHECKING:
    from collections.abc import Callable


class BadValueError(ValueError):
    """Why a text is not a value of its option, as the tail of a sentence."""


class Option(NamedTuple):
    """One setting: how it is given on the command line and in the configuration file, and what it takes."""

    name: str  # dest and ini key without the prefix `poisson_`
    help: str
    parse: Callable[[Any], Any]
    metavar: str | None = None  # None: a switch
    default: Any = None
    ini: str | None = None  # the ini type, or None where a configuration file cannot set it
    repeat: bool = False
    env: str | None = None

    @property
    def flag(self) -> str:
        """Return the command line's spelling."""
        return f"--poisson-{self.name.replace('_', '-')}"

    @property
    def key(self) -> str:
        """Return pytest's dest, which is the ini key as well."""
        return f"poisson_{self.name}"


MOST_REPLICATES = 10**9


def parse_replicates(value: Any) -> int:
    """Take a number of replicates."""
    number = _whole(value, 1)
    if number > MOST_REPLICATES:
        raise BadValueError(f"must be a whole number from 1 to {MOST_REPLICATES:,}")
    return number


def parse_positive_count(value: Any) -> int:
    """Take a whole number from 1."""
    return _whole(value, 1)


def parse_count(value: Any) -> int:
    """Take a whole number from 0."""
    return _whole(value, 0)


def _whole(value: Any, least: int) -> int:
    try:
        number = int(str(value))
    except ValueError:
        number = least - 1
    if not least <= number <= LARGEST_WHOLE:
        raise BadValueError(f"must be a whole number from {least}")
    return number


def parse_workers(value: Any) -> int | None:
    """Take a whole number from 0; `auto` is None."""
    if value == "auto":
        return None
    try:
        return parse_count(value)
    except BadValueError:
        raise BadValueError("must be a whole number from 0, or auto") from None


def parse_fraction(value: Any) -> float:
    """Take a number between 0 and 1."""
    number = _number(value)
    if not 0 < number < 1:
        raise BadValueError("must be a number between 0 and 1")
    if number < LEAST_FRACTION:
        raise BadValueError(f"must be at least {LEAST_FRACTION:g}")
    return number


def parse_seconds(value: Any) -> float:
    """Take a time above 0."""
    number = _number(value)
    if not 0 < number < float("inf"):
        raise BadValueError("must be a number of seconds above 0")
    return number


def _number(value: Any) -> float:
    """Return a number, or what lies in no range."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return float("nan")


def parse_amount(value: Any) -> float:
    """Take a number from 0."""
    number = _number(value)
    if not 0 <= number < float("inf"):
        raise BadValueError("must be a number from 0")
    return number


def parse_shard(value: Any) -> tuple[int, int]:
    """Take a part and the number of parts, as in `1/4`."""
    part, _, parts = str(value).partition("/")
    if not (part.isdecimal() and parts.isdecimal() and 1 <= int(part) <= int(parts)):
        raise BadValueError("must have the form I/N, with I from 1 to N, as in 1/4")
    return int(part), int(parts)


def parse_text(value: Any) -> str:
    """Take a text that can be printed."""
    text = str(value)
    if not text.strip() or not text.isprintable():
        raise BadValueError("must be a text of printable characters")
    return text


def parse_run_name(value: Any) -> str:
    """Take a name that a run may have."""
    text = parse_text(value)
    if text == "latest" or text.startswith("@"):
        raise BadValueError("must not be 'latest' or start with '@', which have a meaning of their own")
    return text


def parse_pair(value: Any) -> tuple[str, str]:
    """Take two runs, joined by a comma."""
    parts = [part.strip() for part in str(value).split(",")]
    if len(parts) != 2 or not all(parts):
        raise BadValueError("must name two runs, joined by a comma, as in before,after")
    return parts[0], parts[1]


def one_of(*words: str) -> Callable[[Any], str]:
    """Return what takes one of these words."""

    def parse(value: Any) -> str:
        if value not in words:
            raise BadValueError(f"must be one of {', '.join(words)}")
        return str(value)

    return parse


def parse_fail_words(value: Any) -> tuple[FailWord, ...]:
    """Take the words of `--poisson-fail-on`."""
    return parse_fail_on(str(value), option="--poisson-fail-on")


def parse_variant(value: Any) -> tuple[str, str]:
    """Take a setting of the form `KEY=VALUE`."""
    name, separator, setting = str(value).partition("=")
    if not separator or not name.isidentifier():
        raise BadValueError("must have the form KEY=VALUE, where KEY is a name")
    return name, setting


def parse_switch(value: Any) -> bool:
    """Take what a switch gives."""
    return bool(value)


def parse_truth(value: Any) -> bool:
    """Take `true` or `false`."""
    word = str(value).lower()
    if word not in ("true", "false"):
        raise BadValueError("must be true or false")
    return word == "true"


def parse_pattern(value: Any) -> str:
    """Take a regular expression."""
    try:
        re.compile(value)
    except (re.error, TypeError, OverflowError, RecursionError) as error:
        raise BadValueError(f"must be a regular expression ({error})") from None
    return str(value)
