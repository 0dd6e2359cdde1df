"""What `@pytest.mark.rollout(...)` declares, checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_poisson.errors import UserError
from pytest_poisson.option import MOST_REPLICATES, BadValueError, Option
from pytest_poisson.option_table import RECORDING, option_named

PASSED, FAILED = "passed", "failed"
"""The outcomes of a replicate that does not call `rollout.end`."""

PROMISES = ("at_most", "at_least")
"""The arguments that promise a bound on the rate of an event."""


MARK = {
    "id": "What pairs the rollout across runs; by default its path and qualified name.",
    "outcomes": "The words with which a replicate may end; by default `passed` and `failed`.",
    "failures": "Those of them whose rate is compared; by default `failed`.",
    "successes": "Those of them that are successes, for pass^k and for reports; by default `passed`.",
    "t_unit": "What `t` and `horizon` count, as in `calls`.",
    "replicates": "How many replicates of every condition; by default computed from the accepted change.",
    "raises": "Exceptions that are outcomes, as in `{TimeoutError: 'timeout'}`. A failed assertion is `failed`; any other "
    "exception leaves no outcome.",
    "retries": "How often a replicate is tried again, on its seed, after an exception of `retry_on`.",
    "retry_on": "Exceptions of the infrastructure, as in `[ConnectionError]`; none that is an outcome.",
    "steps": "Names for `rollout.step`, in order, whose absence is counted.",
    "gates": "Those steps that every replicate is to pass.",
    "at_most": "Promised bounds on rates, as in `{'timeout': 0.05}`; a sum of outcomes is joined by `+`.",
    "at_least": "The same from below, as in `{'resolved': 0.9}`.",
    "shared_seed_axes": "Axes left out of the seed: conditions that differ in them alone draw the same.",
}
"""What the mark takes beside `RECORDING`, as the reference says it."""


@dataclass(frozen=True)
class Declaration:
    """One rollout's words and settings, as its mark gave them."""

    id: str
    outcomes: tuple[str, ...] = (PASSED, FAILED)
    failures: tuple[str, ...] = (FAILED,)
    successes: tuple[str, ...] = (PASSED,)
    t_unit: str | None = None
    replicates: int | None = None
    raises: Mapping[type[BaseException], str] = field(default_factory=dict)
    recording: Mapping[str, Any] = field(default_factory=dict)  # by option name
    retries: int = 0
    retry_on: tuple[type[BaseException], ...] = ()
    steps: tuple[str, ...] = ()  # that `rollout.step` may name, in order
    gates: tuple[str, ...] = ()  # steps that every replicate is to pass
    at_most: Mapping[str, float] = field(default_factory=dict)  # promised bounds on rates, by event
    at_least: Mapping[str, float] = field(default_factory=dict)
    shared_seed_axes: tuple[
        str, ...
    ] = ()  # left out of the seed: conditions that differ in them alone draw the same

    def knows(self, outcome: str) -> bool:
        """Tell whether a replicate may end with this word: a declared one, or `passed` or `failed`."""
        return outcome in self.outcomes or outcome in (PASSED, FAILED)

    def settings(self) -> dict[str, Any]:
        """Return what the store keeps beside the words, as JSON."""
        promised = {name: dict(getattr(self, name)) for name in PROMISES if getattr(self, name)}
        return {
            "raises": {kind.__name__: outcome for kind, outcome in self.raises.items()},
            "recording": dict(self.recording),
            "retries": self.retries,
            "retry_on": [kind.__name__ for kind in self.retry_on],
            "steps": list(self.steps),
            "gates": list(self.gates),
            **promised,
            **({"shared_seed_axes": list(self.shared_seed_axes)} if self.shared_seed_axes else {}),
        }


def declare(marks: Iterable[Mapping[str, Any]], *, default_id: str, where: str) -> Declaration:
    """Return the declaration that a test's `rollout` marks make together.

    Parameters
    ----------
    marks
        The keyword arguments of each mark, closest to the test first; a closer mark's argument wins.
    default_id
        The id of a rollout that names none: its path relative to the root and its qualified name.
    where
        What an error message calls the test: its node id.

    Raises
    ------
    UserError
        If an argument is unknown or its value is not one that is accepted.
    """
    given: dict[str, Any] = {}
    for arguments in reversed(list(marks)):
        given.update(arguments)
    reader = _MarkReader(given, where)
    reader.refuse_unknown()
    outcomes = reader.words("outcomes")
    failures, successes = reader.words("failures"), reader.words("successes")
    if outcomes is None:
        outcomes = _unique((*(successes or ()), *(failures or ()))) or (PASSED, FAILED)
    if failures is None and successes is None:
        failures, successes = _implicit(outcomes)
    declaration = Declaration(
        id=reader.text("id") or default_id,
        outcomes=outcomes,
        failures=failures or (),
        successes=successes or (),
        t_unit=reader.text("t_unit"),
        replicates=reader.count("replicates"),
        raises=reader.raises(),
        recording=reader.recording(),
        retries=reader.count("retries") or 0,
        retry_on=reader.exception_types("retry_on"),
        steps=reader.words("steps") or (),
        gates=reader.words("gates") or (),
        at_most=reader.bounds("at_most"),
        at_least=reader.bounds("at_least"),
        shared_seed_axes=reader.names("shared_seed_axes"),
    )
    reader.refuse_contradictions(declaration)
    reader.refuse_retried_outcomes(declaration)
    return declaration


def _implicit(outcomes: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return failures and successes of a mark that declares neither: the words pytest itself knows."""
    return (
        tuple(word for word in outcomes if word == FAILED),
        tuple(word for word in outcomes if word == PASSED),
    )


def _unique(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(words))


class _MarkReader:
    """Reads one mark's arguments; every refusal names the argument, the value and the test."""

    known = (*MARK, *RECORDING)

    def __init__(self, given: Mapping[str, Any], where: str) -> None:
        self.given = given
        self.where = where

    def refuse(self, name: str, rule: str) -> UserError:
        return UserError(f"{name}={self.given.get(name)!r} on the rollout mark of {self.where} {rule}.")

    def refuse_unknown(self) -> None:
        for name in self.given:
            if name not in self.known:
                raise self.refuse(name, f"is not an argument of the mark; it takes {', '.join(self.known)}")

    def text(self, name: str) -> str | None:
        value = self.given.get(name)
        if value is None:
            return None
        if not isinstance(value, str) or not value.strip() or not value.isprintable():
            raise self.refuse(name, "must be a text of printable characters")
        return value

    def count(self, name: str) -> int | None:
        value = self.given.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise self.refuse(name, "must be a whole number from 1")
        if value > MOST_REPLICATES:
            raise self.refuse(name, f"must be a whole number from 1 to {MOST_REPLICATES:,}")
        return value

    def words(self, name: str) -> tuple[str, ...] | None:
        value = self.given.get(name)
        if value is None:
            return None
        if isinstance(value, (str, bytes)) or not isinstance(value, (list, tuple)):
            raise self.refuse(name, "must be a list of words")
        for word in value:
            if not is_outcome_word(word):
                raise self.refuse(name, f"holds {word!r}; a word is printable text without '+' or ','")
        if len(set(value)) != len(value):
            raise self.refuse(name, "names a word twice")
        return tuple(value)

    def raises(self) -> dict[type[BaseException], str]:
        value = self.given.get("raises")
        if value is None:
            return {}
        if not isinstance(value, Mapping) or not all(map(_is_exception_type, value)):
            raise self.refuse(
                "raises", "must map exception classes to outcomes, as in {TimeoutError: 'timeout'}"
            )
        return dict(value)

    def names(self, name: str) -> tuple[str, ...]:
        value = self.given.get(name, ())
        if not isinstance(value, (list, tuple)) or not all(isinstance(each, str) for each in value):
            raise self.refuse(name, "must be a list of names of axes")
        return _unique(value)

    def bounds(self, name: str) -> dict[str, float]:
        value = self.given.get(name)
        if value is None:
            return {}
        if not isinstance(value, Mapping) or not all(isinstance(event, str) for event in value):
            raise self.refuse(name, "must map events to rates, as in {'timeout': 0.05}")
        for event, bound in value.items():
            if isinstance(bound, bool) or not isinstance(bound, (int, float)) or not 0 < bound < 1:
                raise self.refuse(name, f"promises {bound!r} of {event!r}; a bound is a rate between 0 and 1")
        return {"+".join(parts_of(event)): float(bound) for event, bound in value.items()}

    def recording(self) -> dict[str, Any]:
        return {name: self.setting(option_named(name)) for name in RECORDING if name in self.given}

    def setting(self, option: Option) -> Any:
        value = self.given[option.name]
        if option.repeat and not isinstance(value, (list, tuple)):
            raise self.refuse(option.name, "must be a list")
        try:
            parsed = [option.parse(item) for item in (value if option.repeat else [value])]
        except BadValueError as refusal:
            raise self.refuse(option.name, str(refusal)) from None
        return tuple(parsed) if option.repeat else parsed[0]

    def exception_types(self, name: str) -> tuple[type[BaseException], ...]:
        value = self.given.get(name)
        if value is None:
            return ()
        if not isinstance(value, (list, tuple)) or not all(map(_is_exception_type, value)):
            raise self.refuse(name, "must list exception classes, as in [ConnectionError]")
        return tuple(value)

    def refuse_retried_outcomes(self, declaration: Declaration) -> None:
        """Refuse to retry what is an outcome: it would bias the rate."""
        if declaration.retries and not declaration.retry_on:
            raise self.refuse("retries", "needs retry_on=[...], the exceptions of your infrastructure")
        for kind in declaration.retry_on:
            outcomes: list[type[BaseException]] = [AssertionError, *declaration.raises]
            for outcome in outcomes:
                if issubclass(outcome, kind) or issubclass(kind, outcome):
                    raise self.refuse(
                        "retry_on",
                        f"holds {kind.__name__}, which covers {outcome.__name__}, an outcome; "
                        "retrying outcomes would bias the rate",
                    )

    def refuse_contradictions(self, declaration: Declaration) -> None:
        for name, words in (
            ("failures", declaration.failures),
            ("successes", declaration.successes),
            ("raises", declaration.raises.values()),
            ("at_most", [word for event in declaration.at_most for word in parts_of(event)]),
            ("at_least", [word for event in declaration.at_least for word in parts_of(event)]),
        ):
            for word in words:
                if not declaration.knows(word):
                    declared = ", ".join(declaration.outcomes)
                    raise self.refuse(name, f"holds {word!r}, which is not among the outcomes {declared}")
        for word in declaration.failures:
            if word in declaration.successes:
                raise self.refuse(
                    "failures", f"and successes both hold {word!r}; an outcome is one or the other"
                )


def parts_of(event: str) -> tuple[str, ...]:
    """Return the outcomes that an event joins by '+'."""
    return tuple(dict.fromkeys(part.strip() for part in event.split("+")))


def is_outcome_word(word: object) -> bool:
    """Tell whether a value can name an outcome: printable text without '+' or ',', which join events."""
    return (
        isinstance(word, str)
        and word.strip() == word != ""
        and word.isprintable()
        and not set(word) & set("+,")
    )


def _is_exception_type(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, BaseException)
