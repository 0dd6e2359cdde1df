"""Writes the pages under docs/reference from the code: `python docs/make_reference.py`. A test holds them to it."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest_poisson
from pytest_poisson import gate, hookspecs
from pytest_poisson.cli import statuses
from pytest_poisson.cli.main import COMMANDS, build_parser
from pytest_poisson.declaration import MARK
from pytest_poisson.option_table import INI_ONLY, OPTIONS, RECORDING, WITHOUT_SWEEP_WORDS, option_named
from pytest_poisson.rollout import Rollout
from pytest_poisson.shapes.schema import PREFIX, document_types, json_schema
from pytest_poisson.spans import Span

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator
    from types import ModuleType

    from pytest_poisson.option import Option

FOLDER = Path(__file__).parent / "reference"
MADE = "This page is made from the code by `python docs/make_reference.py`; a test holds it to that."
INHERITED = {"-h", "--help", "--debug"}

ATTRIBUTES = {
    "seed": "A whole number of 32 bits, to hand to a model or a simulation; it depends on the run's salt, the condition and "
    "the replicate's number alone.",
    "replicate": "The replicate's number, from 0.",
    "variant": "What `--poisson-variant=KEY=VALUE` set: a mapping of texts.",
    "run_id": "The id of the run.",
    "condition": "Which combination of axis values this is: `condition.axes`, `condition.key`.",
}
PYTEST_STATUSES = [
    (0, "Everything ran, and the verdict does not fail the gate."),
    (1, "A condition became worse or missed a promise (its item failed), or an ordinary test failed."),
    (2, "Interrupted, as pytest says it: Ctrl-C, `pytest.exit`."),
    (3, "An internal error, as pytest says it."),
    (4, "A bad option, declaration or configuration, a baseline that is not there, an event that is none."),
    (5, "No test was selected, as pytest says it."),
]


def main() -> None:
    """Write every page."""
    FOLDER.mkdir(exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")


def pages() -> dict[str, str]:
    """Return every page of the reference by its file name."""
    made = {
        "options.md": options_page(),
        "rollout.md": rollout_page(),
        "commands.md": commands_page(),
        "statuses.md": statuses_page(),
        "documents.md": documents_page(),
    }
    return {name: "\n".join(lines).rstrip() + "\n" for name, lines in made.items()}


def options_page() -> Iterator[str]:
    """Yield the options of a session, and how a configuration file spells them."""
    yield from ("# Options and ini keys", "", MADE, "")
    yield "An option on the command line wins over the mark, the mark over the environment variable, that over the"
    yield "configuration file. `pytest --help` lists the options too. A key stands in the section that your pytest reads:"
    yield from ("", "```ini", "[pytest]", "poisson_max_mde = 0.1", "poisson_timeout = 120", "```", "")
    yield "`[tool.pytest.ini_options]` of `pyproject.toml` takes the same keys as texts, and `[tool.pytest]` (pytest 9) as TOML values."
    yield from ("", "| option, and its key in a configuration file | |", "|---|---|")
    for option in OPTIONS:
        flag = [] if option.name in INI_ONLY else [f"`{spelling(option)}`"]
        key = [f"`{option.key}`"] if option.ini else []
        yield row("<br>".join([*flag, *key]), meaning(option))
    yield from ("", f"`poisson_without_sweep` is one of {listed(WITHOUT_SWEEP_WORDS)}.")


def rollout_page() -> Iterator[str]:
    """Yield the mark, the fixture, the functions and the hooks."""
    yield from ("# The mark, the fixture and the hooks", "", MADE, "", "## The mark", "")
    yield "`@pytest.mark.rollout(...)` takes these, all optional. On a class or module it applies to every test in it, and a mark closer"
    yield "to the test wins, argument by argument. It is refused on a method of a `unittest.TestCase`, beside `xfail`, and beside"
    yield "Hypothesis' `@given`: examples that shrink and are kept in a database are no independent replicates. Draw from `rollout.rng`"
    yield "instead; `@given` tests run beside rollouts as ever."
    yield from ("", "| argument | |", "|---|---|")
    for name, text in MARK.items():
        yield row(f"`{name}`", text)
    for name in RECORDING:
        yield row(f"`{name}`", f"{sentence(option_named(name).help)} As the option.")
    yield from ("", "## The fixture", "", sentence(first_line(Rollout)), "")
    yield from ("| attribute of `rollout` | |", "|---|---|")
    for name, text in ATTRIBUTES.items():
        yield row(f"`{name}`", text)
    for name in ("t", "horizon", "random", "rng", "identity", "current_span"):
        yield row(f"`{name}`", first_line(getattr(Rollout, name)))
    for name in ("end", "span", "step"):
        yield from callable_section(f"rollout.{name}", getattr(Rollout, name), level=3)
    yield from ("", "## A span", "", *prose(Span))
    yield from ("", "## Functions", "", "For code that takes no fixture, from `pytest_poisson`:")
    for name in pytest_poisson.__all__:
        if not name.startswith("_"):
            yield from callable_section(name, getattr(pytest_poisson, name), level=3)
    yield from ("", "## Hooks", "", "For a `conftest.py` or a plugin.")
    for name, hook in public(hookspecs):
        yield from callable_section(name, hook, level=3)
    yield from (
        "",
        "`pytest_poisson.testing.BackendContract` holds the tests of a backend: [backends.md](../backends.md).",
    )


def commands_page() -> Iterator[str]:
    """Yield every command of the command line with its arguments."""
    yield from ("# Commands", "", MADE, "")
    yield "A run is named by its name, its id, the beginning of its id, `latest` or `@BASELINE`. Every command takes `--help`, and"
    yield "`--debug` for the traceback of an unexpected failure; what they end with stands among the [statuses](statuses.md)."
    for name in COMMANDS:
        command = subparsers()[name]
        yield from ("", f"## {name}", "", sentence(command.description or ""))
        actions = [action for action in command._actions if not INHERITED & set(action.option_strings)]
        if actions:
            yield from ("", "| argument | |", "|---|---|")
            yield from (row(f"`{argument(command, action)}`", help_of(command, action)) for action in actions)


def statuses_page() -> Iterator[str]:
    """Yield what a session and a command end with."""
    yield from ("# Exit statuses", "", MADE, "", "## The session", "")
    yield "pytest's own 2, 3 and 4 stand whatever was measured; then a failed item counts, then a cap, then the gate."
    yield from ("", "| status | |", "|---|---|")
    ours = [(value, text) for _, value, text in constants(gate)]
    for status, text in sorted([*PYTEST_STATUSES, *ours]):
        yield row(str(status), text)
    yield from ("", "## The command line", "", "| status | |", "|---|---|")
    for name, status, text in sorted(constants(statuses), key=lambda each: each[1]):
        yield row(str(status), text if name != "TOO_SMALL" else text[0].upper() + text[1:])
    yield from (
        "",
        "A refusal is one sentence on standard error. A run without any outcome never ends with 0.",
    )


def documents_page() -> Iterator[str]:
    """Yield the fields of every JSON document, and those of the parts that they share."""
    schemas = {name: json_schema(name) for name in document_types()}
    shapes = {name: shape for schema in schemas.values() for name, shape in schema["$defs"].items()}
    yield from ("# JSON documents", "", MADE, "")
    yield "What `--json` prints, and what `--poisson-json`, reports and paired replays write. Each document names itself in its field"
    yield "`schema`; `pytest-poisson schema NAME` prints its JSON Schema, and `pytest_poisson.shapes` has the same as Python types."
    yield "[What stays as it is](../compatibility.md) says what may change."
    documents: set[str] = set()
    for name, schema in schemas.items():
        yield from ("", f"## {name.removeprefix(PREFIX)}")
        for shape in (each["$ref"].split("/")[-1] for each in schema.get("oneOf", [schema])):
            documents.add(shape)
            yield from fields(shapes[shape])
    yield from ("", "## Parts of documents")
    for name in sorted(shapes.keys() - documents):
        yield from ("", f"### {name}", *fields(shapes[name]))


def fields(shape: dict[str, Any]) -> Iterator[str]:
    """Yield what a shape is, and a table of its fields."""
    described = " ".join(shape.get("description", "").split())
    yield from ("", described, "", "| field | |", "|---|---|")
    for name, value in shape["properties"].items():
        yield row(f"`{name}`", kind_of(value) + ("" if name in shape["required"] else ", or left out"))


def kind_of(value: dict[str, Any]) -> str:
    """Return in words what a JSON Schema of ours admits."""
    match value:
        case {"$ref": where}:
            said = link(where.rpartition("/")[2])
        case {"enum": words}:
            said = " or ".join(f"`{word}`" for word in words)
        case {"anyOf": kinds}:
            said = " or ".join(map(kind_of, kinds))
        case {"type": "array", "items": items}:
            said = f"list of {kind_of(items)}"
        case {"type": "object", "additionalProperties": items}:
            said = f"object, each value {kind_of(items)}"
        case {"type": kind}:
            said = str(kind)
        case _:
            said = "anything"
    return said


def link(shape: str) -> str:
    """Return a link to where the page describes a shape: a document under its own name, a part under the shape's."""
    name = next(
        (name for name, types in document_types().items() if shape in {each.__name__ for each in types}),
        shape,
    )
    heading = name.removeprefix(PREFIX)
    return f"[{heading}](#{heading.replace('/', '').lower()})"


def spelling(option: Option) -> str:
    """Return an option as it is typed."""
    return option.flag if option.metavar is None else f"{option.flag}={option.metavar}"


def meaning(option: Option) -> str:
    """Return what an option says in the help, with its environment variable."""
    return sentence(option.help) + (
        f" `${option.env}`." if option.env and option.env not in option.help else ""
    )


def subparsers() -> dict[str, argparse.ArgumentParser]:
    """Return the parser of each command."""
    (choices,) = (action.choices for action in build_parser()._actions if isinstance(action.choices, dict))
    return choices


def argument(command: argparse.ArgumentParser, action: argparse.Action) -> str:
    """Return one argument of a command as it is typed."""
    value = command._get_formatter()._format_args(action, action.dest.upper())
    return " ".join([", ".join(action.option_strings), value]).strip()


def help_of(command: argparse.ArgumentParser, action: argparse.Action) -> str:
    """Return the help of one argument as a sentence."""
    return sentence(command._get_formatter()._expand_help(action)) if action.help else ""


def callable_section(name: str, function: Any, *, level: int) -> Iterator[str]:
    """Yield a heading with the signature, and the docstring."""
    parameters = [each for each in inspect.signature(function).parameters.values() if each.name != "self"]
    shown: list[str] = []
    for parameter in parameters:
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in shown:
            shown.append("*")
        shown.append(
            parameter.name + ("" if parameter.default is parameter.empty else f"={parameter.default!r}")
        )
    yield from ("", f"{'#' * level} `{name}({', '.join(shown)})`", "", *prose(function))


def prose(thing: Any) -> Iterator[str]:
    """Yield a numpy docstring as Markdown: its sections as lists."""
    text, *sections = re.split(r"^(\w+)\n-+\n", inspect.getdoc(thing) or "", flags=re.MULTILINE)
    yield text.strip().replace("``", "`")
    for title, body in zip(sections[::2], sections[1::2], strict=True):
        yield from ("", f"**{title}**", "")
        for name, said in re.findall(r"^(\S.*)\n((?:    .*\n?)+)", body, re.MULTILINE):
            yield f"- `{name}`: {' '.join(said.split())}".replace("``", "`")


def first_line(thing: Any) -> str:
    """Return the summary of a docstring."""
    return (inspect.getdoc(thing) or "").split("\n\n", 1)[0].replace("\n", " ").replace("``", "`")


def constants(module: ModuleType) -> Iterator[tuple[str, int, str]]:
    """Yield each number that a module names and explains in the text below it."""
    body = ast.parse(inspect.getsource(module)).body
    for here, below in pairwise(body):
        match here, below:
            case ast.Assign(value=ast.Constant(value=int(value))), ast.Expr(
                value=ast.Constant(value=str(text))
            ):
                yield here.targets[0].id, value, " ".join(text.split())


def public(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """Yield the functions that a module defines, in its order."""
    return ((name, thing) for name, thing in vars(module).items() if inspect.isfunction(thing))


def sentence(text: str) -> str:
    """Return a help text as a sentence."""
    text = text.strip()
    return text[:1].upper() + text[1:].rstrip(".") + "." if text else ""


def listed(words: Iterable[str]) -> str:
    """Return words in code, joined."""
    return ", ".join(f"`{word}`" for word in words)


def row(*cells: str) -> str:
    """Return one row of a table."""
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


if __name__ == "__main__":
    sys.exit(main())
