"""A pull-request comment, and a step summary: a stored result as Markdown within a size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_poisson.analyses.check import CheckResult
from pytest_poisson.analyses.fix_check import FixCheckResult
from pytest_poisson.analyses.shares import shares
from pytest_poisson.analyses.show import ShowResult
from pytest_poisson.fix_gate import FixVerdict
from pytest_poisson.render.fix_check_text import fix_check_sheet
from pytest_poisson.render.fix_gate_text import fix_verdict_sheet
from pytest_poisson.render.github import COMMENT_BYTES, COMMENT_MARK, fitted_markdown
from pytest_poisson.render.report_sheet import TITLE, comparison_sheet, run_sheet
from pytest_poisson.render.sheet import Bold, sheet
from pytest_poisson.result_files import Nothing

if TYPE_CHECKING:
    from pytest_poisson.decision import Decision
    from pytest_poisson.render.sheet import Sheet
    from pytest_poisson.result_files import Result

COMMENT_ROWS = 30
NO_RESULT = "There is no result: the session ended before it had one, so nothing is known of this change. Its log says why."


def comment(result: Result | Nothing) -> str:
    """Return a comment: a mark to find it by, then the result, within what GitHub takes."""
    room = COMMENT_BYTES - len(COMMENT_MARK) - 2

    def report(rows: int | None) -> Sheet:
        return result_sheet(result, rows_shown=COMMENT_ROWS if rows is None else min(rows, COMMENT_ROWS))

    return f"{COMMENT_MARK}\n\n{fitted_markdown(report, room)}"


def result_sheet(
    result: Result | Nothing,
    *,
    rows_shown: int | None = None,
    decision: Decision | None = None,
    store: str | None = None,
) -> Sheet:
    """Return any result as a report; `decision` is that of the gate over one run alone."""
    if isinstance(result, Nothing):
        return sheet(TITLE, [Bold(NO_RESULT)])
    if isinstance(result, FixVerdict):
        return fix_verdict_sheet(result, top=rows_shown)
    if isinstance(result, FixCheckResult):
        return fix_check_sheet(result, top=rows_shown)
    if isinstance(result, CheckResult):
        return comparison_sheet(
            result.diff,
            decision=result.decision,
            promises=result.promises,
            rows_shown=rows_shown,
            store=store,
        )
    if isinstance(result, ShowResult):
        return run_sheet(result, shares(result), decision=decision, rows_shown=rows_shown, store=store)
    return comparison_sheet(result, rows_shown=rows_shown, store=store)
