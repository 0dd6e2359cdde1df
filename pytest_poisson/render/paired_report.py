"""The files of a report on a paired replay."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_poisson import __version__
from pytest_poisson.analyses.comparison_id import short_digest
from pytest_poisson.render import formatting as write
from pytest_poisson.render.documents import dump
from pytest_poisson.render.layout import Column
from pytest_poisson.render.page import plain_page
from pytest_poisson.render.paired_documents import paired_document
from pytest_poisson.render.paired_text import paired_sheet
from pytest_poisson.render.report_files import REPORT_SCHEMA, made_by
from pytest_poisson.render.sheet import Grid, Section, as_markdown
from pytest_poisson.render.svg.flips import flips_svg

if TYPE_CHECKING:
    from pytest_poisson.analyses.paired_result import PairedResult

FLIPS = "\n![How often each item's decision flips, against its mean score](flips.svg)\n"


def paired_report_files(result: PairedResult) -> dict[str, str]:
    """Return the files of a paired replay's report by name."""
    report, drawing = paired_sheet(result), flips_svg(result)
    report = replace(report, parts=(*report.parts, _replayed_runs(result)))
    runs = [arm.run_id for sweep in result.sweeps for arm in sweep.arms]
    known_as = short_digest([result.declaration.digest, runs])
    written = dump(
        {"schema": REPORT_SCHEMA, "id": known_as, "kind": "paired", "paired": paired_document(result)}
    )
    foot = f"Paired replay {known_as}, declaration {result.declaration.digest}. {made_by(written)}"
    return {
        "report.md": as_markdown(report) + FLIPS,
        "report.html": plain_page(report, drawings=[("Flips", drawing)], foot=foot),
        "report.json": written,
        "flips.svg": drawing,
    }


def _replayed_runs(result: PairedResult) -> Section:
    """Return which runs were replayed, and by what declaration they are read."""
    columns = (Column("sweep"), Column("arm"), Column("run id"))
    rows = tuple(
        (write.printable(sweep.name), write.printable(arm.name), arm.run_id)
        for sweep in result.sweeps
        for arm in sweep.arms
    )
    declaration = result.declaration
    said = (
        f"Declaration {declaration.digest}; {write.plural(declaration.bootstrap_b, 'resample')}, seed "
        f"{declaration.bootstrap_seed}; pytest-poisson {__version__}."
    )
    return Section("Provenance", (Grid(columns, rows), said))
