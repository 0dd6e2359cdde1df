"""What may stand on the command line, read off its parser: for completion, and for whoever documents it."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

KINDS = {"FILE": "file", "RESULT.json": "file", "DIR": "file", "RUN": "run", "NAME [RUN]": "run"}
"""What a value is by its placeholder, where a shell can offer some."""


@dataclass(frozen=True, slots=True)
class Argument:
    """An option by its spellings, or without any a positional argument; what it takes, and of which kind that is."""

    spellings: tuple[str, ...]
    help: str
    takes_value: bool
    choices: tuple[str, ...]
    kind: str


@dataclass(frozen=True, slots=True)
class Command:
    """A command and what it takes; the one without a name is the program itself."""

    name: str
    help: str
    arguments: tuple[Argument, ...]

    @property
    def options(self) -> tuple[Argument, ...]:
        """Return the arguments that are spelled."""
        return tuple(each for each in self.arguments if each.spellings)

    @property
    def positionals(self) -> tuple[Argument, ...]:
        """Return the others."""
        return tuple(each for each in self.arguments if not each.spellings)


def words_of(parser: argparse.ArgumentParser) -> list[Command]:
    """Return the program and its commands, in the order of their declaration."""
    (commands,) = (each for each in _actions(parser) if isinstance(each, argparse._SubParsersAction))  # noqa: SLF001
    helps = {each.dest: each.help or "" for each in commands._choices_actions}  # noqa: SLF001
    program = Command("", parser.description or "", tuple(_arguments(parser)))
    return [program] + [
        Command(name, helps[name], tuple(_arguments(command))) for name, command in commands.choices.items()
    ]


def _arguments(parser: argparse.ArgumentParser) -> Iterable[Argument]:
    for action in _actions(parser):
        if action.help != argparse.SUPPRESS and not isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            names = action.metavar if isinstance(action.metavar, tuple) else (action.metavar,)
            yield Argument(
                tuple(action.option_strings),
                action.help or "",
                action.nargs != 0,
                tuple(map(str, action.choices or ())),
                next((KINDS[name] for name in names if name in KINDS), ""),
            )


def _actions(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    return parser._actions  # noqa: SLF001  argparse has no public way to ask a parser what it takes
