"""What came in from elsewhere and what went out, as terminal text and as documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_poisson.render import formatting as write
from pytest_poisson.render.accounting_text import accounting_line
from pytest_poisson.render.documents import accounting_document
from pytest_poisson.render.layout import INDENT, wrap

if TYPE_CHECKING:
    from collections.abc import Iterable

    from poisson_store.importers.report import ImportReport
    from poisson_store.records import Accounting, RunRecord
    from pytest_poisson.render.documents import Document

IMPORT_SCHEMA = "pytest-poisson.import/1"
EXPORT_SCHEMA = "pytest-poisson.export/1"
IMPORT_RUN_SCHEMA = "pytest-poisson.import-run/1"

PAIRED_BY = {
    "trial": "paired by trial: replicate i belongs to replicate i of other imports that say so",
    "none": "not paired: replicate i of two imports has nothing in common",
    "salt": "paired by its salt: with runs of the same draws",
}


def render_import(report: ImportReport, *, width: int = 80) -> str:
    """Return what an import did: where every case that was read went."""
    head = (
        f"Imported {write.plural(len(report.files), 'file')} of kind {report.kind} as run '{write.printable(report.name)}'"
        f" ({report.run_id}), {report.status}."
    )
    lines = wrap(head, width)
    lines += _items((_read_line(report), accounting_line(report.accounting), _outcome_line(report)), width)
    lines += _items((_condition_line(report), PAIRED_BY[report.paired_by]), width)
    return "\n".join(lines) + "\n"


def import_document(report: ImportReport) -> Document:
    """Return what an import did as a document."""
    return {
        "schema": IMPORT_SCHEMA,
        "kind": report.kind,
        "files": list(report.files),
        "run_id": report.run_id,
        "name": report.name,
        "status": report.status,
        "read": report.read,
        "imported": report.imported,
        "left_out": dict(report.left_out),
        "accounting": accounting_document(report.accounting),
        "outcomes": dict(report.outcomes),
        "conditions": report.conditions,
        "fewest_replicates": report.fewest,
        "most_replicates": report.most,
        "rollouts": list(report.rollouts),
        "paired_by": report.paired_by,
    }


def render_export(run: RunRecord, accounting: Accounting, file: str, *, width: int = 80) -> str:
    """Return what was written, as text."""
    head = f"Wrote run '{write.printable(run.name)}' to {write.printable(file)}:"
    return "\n".join([*wrap(f"{head} {accounting_line(accounting)}.", width, rest=INDENT), ""])


def export_document(run: RunRecord, accounting: Accounting, file: str) -> Document:
    """Return what was written as a document."""
    return {
        "schema": EXPORT_SCHEMA,
        "file": file,
        "run_id": run.run_id,
        "name": run.name,
        "accounting": accounting_document(accounting),
    }


def render_import_run(run: RunRecord, accounting: Accounting, *, added: bool, width: int = 80) -> str:
    """Return what was added, or was there already, as text."""
    known_as = f"run '{write.printable(run.name)}' ({run.run_id}), {run.status}"
    head = f"Added {known_as}:" if added else f"Nothing added, as {known_as}, is in the store already:"
    return "\n".join([*wrap(f"{head} {accounting_line(accounting)}.", width, rest=INDENT), ""])


def import_run_document(run: RunRecord, accounting: Accounting, *, added: bool) -> Document:
    """Return what was added, or was there already, as a document."""
    return {
        "schema": IMPORT_RUN_SCHEMA,
        "run_id": run.run_id,
        "name": run.name,
        "status": run.status,
        "added": added,
        "accounting": accounting_document(accounting),
    }


def _items(texts: Iterable[str], width: int) -> list[str]:
    return [line for text in texts for line in wrap(text, width, first=INDENT, rest=INDENT * 2)]


def _read_line(report: ImportReport) -> str:
    parts = [f"{write.integer(report.imported)} imported"]
    parts += [
        f"{write.integer(count)} left out ({write.printable(reason)})"
        for reason, count in report.left_out.items()
    ]
    return f"{write.plural(report.read, 'case')} read = {' + '.join(parts)}"


def _outcome_line(report: ImportReport) -> str:
    counts = ", ".join(f"{write.integer(count)} {word}" for word, count in report.outcomes.items())
    return f"outcomes: {counts}"


def _condition_line(report: ImportReport) -> str:
    span = write.plural(report.most, "replicate")
    if report.fewest != report.most:
        span = f"{write.integer(report.fewest)} to {span}"
    measured = ", ".join(f"'{write.printable(rollout)}'" for rollout in report.rollouts)
    return f"{write.plural(report.conditions, 'condition')} of {measured}, {span} each"
