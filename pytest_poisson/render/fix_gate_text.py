"""What a session's fix-check says, as a report with its gate and as files."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_poisson.render.documents import dump
from pytest_poisson.render.fix_check_text import fix_check_sheet
from pytest_poisson.render.formatting import printable
from pytest_poisson.render.share_documents import FIX_CHECK_SCHEMA, fix_check_document
from pytest_poisson.render.sheet import Bold, as_markdown, section, sheet

if TYPE_CHECKING:
    from pytest_poisson.fix_gate import FixVerdict
    from pytest_poisson.render.documents import Document
    from pytest_poisson.render.sheet import Sheet


def fix_verdict_sheet(fix: FixVerdict, *, top: int | None = 10) -> Sheet:
    """Return the report of a session's fix-check, with what the gate makes of it."""
    decided = f"failed: {', '.join(fix.reasons)}." if fix.reasons else "passed."
    gate = section("Gate", printable(f"gate: {decided}"))
    if fix.result is None:
        return sheet("Did the fix work", [Bold(printable(f"not comparable: {fix.refusal}")), gate])
    report = fix_check_sheet(fix.result, top=top, in_session=True)
    return replace(report, parts=(*report.parts, *([gate] if gate else [])))


def fix_verdict_document(fix: FixVerdict) -> Document:
    """Return a session's fix-check with its gate as a document; of a refused one the reason is all there is."""
    gate = {"failed": bool(fix.reasons), "reasons": list(fix.reasons)}
    if fix.result is not None:
        return {**fix_check_document(fix.result), "gate": gate}
    refused: Document = {"word": fix.word, "failed": None, "refusal": fix.refusal, "gate": gate}
    return {"schema": FIX_CHECK_SCHEMA, **refused}


def fix_check_files(fix: FixVerdict) -> dict[str, str]:
    """Return the report of a session's fix-check as files: Markdown, and JSON where anything was compared."""
    files = {"fix-check.md": as_markdown(fix_verdict_sheet(fix))}
    if fix.result is not None:
        files["fix-check.json"] = dump(fix_check_document(fix.result))
    return files
