"""What a sweeping session leaves for GitHub Actions: annotations in its log, and a step summary."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_poisson.analyses.show import show
from pytest_poisson.files import reason
from pytest_poisson.render.comment import result_sheet
from pytest_poisson.render.fix_gate_text import fix_verdict_sheet
from pytest_poisson.render.github import SUMMARY_BYTES, Annotation, annotation_lines, fitted_markdown

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pytest

    from poisson_store import RunReader
    from pytest_poisson.gate import Gate

LEAST_ROOM = 2048
"""Bytes of a summary below which nothing sensible fits."""


def leave_for_github(
    items: Mapping[pytest.Item, str],
    run: RunReader,
    gate: Gate | None,
    *,
    store: str | None,
    environ: Mapping[str, str] = os.environ,
) -> list[str]:
    """Add the result to the step summary, where there is one, and return the lines to print.

    Parameters
    ----------
    items
        The conditions' items, each with its key.
    run, gate
        What was measured, and what it means.
    store
        The store's directory where commands must name it.
    environ
        `GITHUB_ACTIONS` says that annotations are understood, `GITHUB_STEP_SUMMARY` names the summary's file.
    """
    lines = []
    if environ.get("GITHUB_ACTIONS") == "true" and gate is not None:
        lines += annotation_lines(_annotations(items, gate, environ))
    if environ.get("GITHUB_STEP_SUMMARY"):
        lines += _write_summary(Path(environ["GITHUB_STEP_SUMMARY"]), run, gate, store)
    return lines


def _annotations(
    items: Mapping[pytest.Item, str], gate: Gate, environ: Mapping[str, str]
) -> list[Annotation]:
    """Return an error for every condition that fails its item, those that changed or missed a promise first."""
    texts = {**gate.failures, **gate.unmeasured}
    by_key = {key: item for item, key in items.items()}
    return [_annotation(by_key[key], text, environ) for key, text in texts.items() if key in by_key]


def _annotation(item: pytest.Item, text: str, environ: Mapping[str, str]) -> Annotation:
    _, line, name = item.location
    root = Path(environ.get("GITHUB_WORKSPACE") or item.config.rootpath)
    file = item.path.relative_to(root) if item.path.is_relative_to(root) else item.path
    return Annotation(file.as_posix(), (line or 0) + 1, f"pytest-poisson: {name}", text)


def _write_summary(file: Path, run: RunReader, gate: Gate | None, store: str | None) -> list[str]:
    """Append the result to the summary; a summary that cannot be written is worth a line and no failure."""
    checked = None if gate is None else gate.check
    result = show(run) if checked is None else checked
    decision = None if gate is None else gate.decision
    fix = None if gate is None else gate.fix
    try:
        room = SUMMARY_BYTES - (file.stat().st_size if file.exists() else 0)
        if room < LEAST_ROOM:
            return ["The step summary has no room left for the result."]
        text = fitted_markdown(
            lambda rows: (
                result_sheet(result, rows_shown=rows, decision=decision, store=store)
                if fix is None
                else fix_verdict_sheet(fix, top=rows)
            ),
            room - 1,
        )
        with file.open("a", encoding="utf-8", newline="\n") as summary:
            summary.write(f"\n{text}")
    except OSError as problem:
        return [f"The step summary cannot be written: {reason(problem)}."]
    return []
