"""Parts of the reports that compare shares input by input."""

from __future__ import annotations

from typing import TYPE_CHECKING

from poisson_stats.missing import ACCEPTED_SHARE, MISSING_LEVEL
from pytest_poisson.render import formatting as write
from pytest_poisson.render.accounting_text import PARTS
from pytest_poisson.render.report_parts import inputs_compared

if TYPE_CHECKING:
    from poisson_stats.risk_difference import RiskDifference
    from poisson_store.records import Accounting
    from pytest_poisson.analyses.input_shares import LeftOutInputs, LeftOutRows

MORE = {"more": "more often there", "less": "less often there"}


def compared_line(compared: int, left_out: LeftOutInputs, names: tuple[str, str]) -> str:
    """Return how many inputs are compared, and why the others are not; `names` say the two runs."""
    reasons = [
        (left_out.not_run_old, f"not run on {names[0]}"),
        (left_out.not_run_new, f"not run on {names[1]}"),
        (left_out.no_outcome, "no outcome on one of them"),
    ]
    return inputs_compared(compared, left_out.total, reasons)


def row_lines(rows: LeftOutRows | None, names: tuple[str, str], alpha: float) -> tuple[str, ...]:
    """Return which rows are left out for having no outcome, and whether that could matter."""
    if rows is None:
        return ("Every row of these inputs has an outcome.",)
    shares = rows.shares
    p = write.p_value(shares.p, shares.log_p, MISSING_LEVEL)
    told = "differ between the runs" if shares.differs else "do not differ significantly"
    way = rows.failed_as_failures(alpha)
    test_p = write.p_value(rows.as_failures.p, rows.as_failures.log_p, alpha)
    what = f"it {MORE[way]}" if way else "no difference"
    return (
        (
            f"Rows without an outcome, left out: {_arm(names[0], rows.old)}; {_arm(names[1], rows.new)}. Their shares {told} "
            f"(p {p})."
        ),
        (
            f"Were each of them the event on {names[1]} and none on {names[0]}, the test would find {what} "
            f"(p {test_p})."
        ),
    )


def missing_warning(rows: LeftOutRows | None, arms: str) -> str:
    """Return what the bold line must say of rows without an outcome; nothing where they could hide little."""
    if rows is None or rows.shares.problem is None:
        return ""
    if rows.shares.differs:
        return f"; but the {arms} differ in rows without an outcome"
    where = f"both {arms}" if rows.shares.problem == "too many in both" else f"one of the {arms}"
    return f"; but more than {write.percent(ACCEPTED_SHARE)} of the rows of {where} have no outcome"


def difference_line(found: RiskDifference) -> str:
    """Return the common difference with its interval."""
    level = write.percent(found.confidence)
    change = write.percentage_points(found.difference)
    if found.variance == 0:
        return f"Difference {change} points (Mantel-Haenszel); no interval: no input varies."
    return (
        f"Difference {change} points, {level} interval {write.percentage_points(found.low)} to "
        f"{write.percentage_points(found.high)} (Mantel-Haenszel, variance after Sato)."
    )


def _arm(name: str, account: Accounting) -> str:
    causes = [(getattr(account, part), part.replace("_", " ")) for part in PARTS if part != "not_run"]
    listed = ", ".join(f"{write.integer(count)} {cause}" for count, cause in causes if count)
    counted = f"{write.integer(account.without_outcome)} of {write.integer(account.stored)} on {name}"
    return f"{counted} ({listed})" if listed else counted
