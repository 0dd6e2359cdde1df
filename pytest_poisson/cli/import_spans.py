"""`pytest-poisson import otlp|litellm FILE... --run NAME`: spans that something else recorded, into a stored run."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_poisson.cli.arguments import open_store
from pytest_poisson.cli.output import Outcome, terminal_width

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_poisson.span_files.found import FoundSpan

SPAN_KINDS = ("otlp", "litellm")
OF_SPANS = ("run", "no_content", "redact")
NOT_OF_SPANS = (
    *(
        "name",
        "keep_text",
        "variant",
        "metric",
        "scorer",
        "cut",
        "passing",
        "failing",
        "errors_fail",
        "limits_score",
    ),
    *("case_by", "where", "paired_by", "renumber", "rollout", "failures", "successes", "t_unit"),
)
RENAMED = {"passing": "pass", "failing": "fail"}


def add_span_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what these kinds take besides the files."""
    group = parser.add_argument_group("spans for the episodes of a stored run (otlp, litellm)")
    group.add_argument(
        "--run", metavar="RUN", help="the run whose episodes the spans belong to, by name or id"
    )
    group.add_argument(
        "--no-content", action="store_true", help="keep lengths and digests of inputs and outputs alone"
    )
    group.add_argument(
        "--redact",
        metavar="REGEX",
        type=_pattern,
        action="append",
        default=[],
        help="take matches out of every text (repeatable)",
    )


def mismatch(arguments: argparse.Namespace) -> str | None:
    """Say which option is missing, or is of the other sort of import; None where nothing is wrong."""
    kind, of_spans = arguments.kind, arguments.kind in SPAN_KINDS
    needed, what = (
        ("run", "whose episodes the spans belong to") if of_spans else ("name", "of the run they become")
    )
    if not getattr(arguments, needed):
        return f"import {kind} needs --{needed}, the {'run' if of_spans else 'name'} {what}."
    for name in NOT_OF_SPANS if of_spans else OF_SPANS:
        if getattr(arguments, name, None):
            option = name.replace("_", "-")
            return f"import {kind} takes no --{RENAMED.get(name, option)}."
    return None


def run(arguments: argparse.Namespace) -> Outcome:
    """Add the spans of files to a run, all that fit or none."""
    from pytest_poisson.content import ContentRules
    from pytest_poisson.render.documents import dump
    from pytest_poisson.render.usage_documents import attach_document
    from pytest_poisson.render.usage_text import render_attach
    from pytest_poisson.span_files.attach import attach_spans

    rules = ContentRules(capture_content=not arguments.no_content, redact=tuple(arguments.redact))
    result = attach_spans(
        open_store(arguments),
        arguments.run,
        [Path(file) for file in arguments.files],
        _reader(arguments.kind),
        rules,
    )
    if arguments.json:
        return Outcome(dump(attach_document(result)))
    return Outcome(render_attach(result, width=terminal_width()))


def _reader(kind: str) -> Callable[[Path], Iterator[FoundSpan]]:
    from pytest_poisson.span_files.litellm_log import read_litellm
    from pytest_poisson.span_files.otlp import read_otlp

    return {"otlp": read_otlp, "litellm": read_litellm}[kind]


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as problem:
        raise argparse.ArgumentTypeError(f"{text!r} must be a regular expression ({problem})") from None
