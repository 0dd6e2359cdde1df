"""What a report says of its runs beside the comparison: where they die, cost, provenance, and what it cannot say."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_poisson import __version__
from pytest_poisson.methods import METHODS
from pytest_poisson.render import formatting as write
from pytest_poisson.render.documents import apart_document
from pytest_poisson.render.early_text import PROCESSES
from pytest_poisson.render.layout import Column
from pytest_poisson.render.page_replicates import ROOM, failing_document
from pytest_poisson.render.report_parts import apart_points
from pytest_poisson.render.sheet import Grid, Points, section
from pytest_poisson.render.survival_documents import where_document
from pytest_poisson.render.svg.survival import Line, curves_svg
from pytest_poisson.render.tokens_sheet import models_grid, per_outcome_grid, token_notes
from pytest_poisson.render.usage_documents import tokens_document
from pytest_poisson.render.where_text import headline as where_headline

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from poisson_store.records import Json, RunRecord
    from pytest_poisson.analyses.diff_result import DiffResult
    from pytest_poisson.analyses.fix_check import FixCheckResult
    from pytest_poisson.analyses.report_details import ArmDetails, ReportDetails
    from pytest_poisson.render.documents import Document
    from pytest_poisson.render.sheet import Section, Sheet

WHERE = "Where runs die"
SIDES = ("before", "after")


def with_details(
    report: Sheet,
    details: ReportDetails | None,
    *,
    compared: DiffResult | None = None,
    fix: FixCheckResult | None = None,
) -> Sheet:
    """Return a report with what was found out about its runs besides; as it is where nothing was.

    Parameters
    ----------
    report
        The report.
    details
        What was found out.
    compared, fix
        The comparison, or the fix-check, which says itself what it cannot say; neither of one run alone.
    """
    if details is None:
        return report
    sections = [
        None if fix else section("What this cannot say", Points(tuple(_cannot_say(details, compared)))),
        _survival(details),
        _cost(details),
        section("Provenance", _provenance(details, _method(compared, fix), ("old", "new") if fix else SIDES)),
    ]
    return replace(report, parts=(*report.parts, *(each for each in sections if each)))


def survival_drawings(details: ReportDetails | None) -> list[tuple[str, str]]:
    """Return the survival curves of the runs as one drawing with its heading; none without spans."""
    lines = [] if details is None else [_line(arm) for arm in details.arms if arm.survival is not None]
    return [("Survival", curves_svg(lines))] if lines else []


def details_document(details: ReportDetails | None) -> Document:
    """Return what was found out as parts of a report's document; nothing where nothing was."""
    if details is None:
        return {}
    return {
        "arms": [_arm(arm) for arm in details.arms],
        "apart": apart_document(details.apart),
        "failing": {
            "total": {key: list(counts) for key, counts in details.failing.total.items()},
            "most_spans": ROOM.spans,
            "shown": failing_document(details.failing),
        },
        "survival": [None if arm.survival is None else where_document(arm.survival) for arm in details.arms],
        "tokens": None if details.tokens is None else tokens_document(details.tokens),
    }


def _arm(arm: ArmDetails) -> Document:
    run = arm.run
    return {
        "run_id": run.run_id,
        "name": run.name,
        "salt": run.salt,
        "suite": run.suite,
        "variant": dict(run.variant),
        "environment": dict(run.environment),
        "outcomes": {key: dict(counts) for key, counts in arm.outcomes.items()},
    }


def _line(arm: ArmDetails) -> Line:
    if arm.survival is None:
        raise ValueError(f"run {arm.run.name!r} has no survival curve")
    return Line(write.printable(arm.run.name), arm.survival.curve, arm.survival.censored)


def _cannot_say(details: ReportDetails, compared: DiffResult | None) -> Iterator[str]:
    """Yield what nobody may conclude from the report, whatever its figures are."""
    if compared is None:
        yield "Whether another version is better or worse: one run was made, and nothing is compared."
    else:
        yield (
            "That a condition without a flag did not change: what went unseen is not known of evidence that may be looked at "
            "any time."
            if compared.early is not None
            else "That a condition without a flag did not change: of a change as large as its limit, 1 in 5 goes unseen, and of "
            "smaller ones more."
        )
        yield from apart_points(details.apart)
    yield "Why a replicate failed: its spans say where, and a cause takes another experiment."
    yield "Anything of other inputs, models or settings than the conditions listed here."
    if any(each for arm in details.arms for each in _lost(arm)):
        yield "How the replicates without an outcome would have ended."


def _lost(arm: ArmDetails) -> Iterator[int]:
    return (account.without_outcome + account.not_run for account in arm.accounts.values())


def _survival(details: ReportDetails) -> Section | None:
    lines = [
        f"{write.printable(arm.run.name)}: {where_headline(arm.survival)}"
        for arm in details.arms
        if arm.survival is not None
    ]
    if not lines:
        return None
    compared = len(details.arms) > 1
    note = (
        "The curves describe; pytest-poisson compare tests whether one version dies sooner."
        if compared
        else "pytest-poisson where says more."
    )
    return section(WHERE, Points(tuple(lines)), note)


def _cost(details: ReportDetails) -> Section | None:
    tokens = details.tokens
    if tokens is None or not any(arm.models or arm.beyond.unknown for arm in tokens.arms):
        return None
    priced = tokens.prices.default or tokens.prices.models
    note = None if priced else "No price was declared, so there is no cost; none is built in."
    notes = [*token_notes(tokens), *([note] if note else [])]
    return section(
        "Tokens and cost",
        models_grid(tokens.arms),
        per_outcome_grid(tokens.arms),
        Points(tuple(notes)) if notes else None,
    )


def _provenance(details: ReportDetails, method: Sequence[tuple[str, str]], heads: tuple[str, str]) -> Grid:
    sides = [dict(_facts(arm.run)) for arm in details.arms]
    names = list(dict.fromkeys(name for side in sides for name in side))
    rows = [(name, *(side.get(name, write.NONE) for side in sides)) for name in names]
    rows += [(name, *[said] * len(sides)) for name, said in method]
    named = heads if len(sides) == 2 else ("run",)
    return Grid((Column("fact"), *(Column(head) for head in named)), tuple(rows))


def _facts(run: RunRecord) -> Iterator[tuple[str, str]]:
    yield "run", write.printable(run.name)
    yield "run id", run.run_id
    yield "begun", write.moment(run.created_at)
    yield "status", run.status
    yield "salt", write.printable(run.salt)
    if run.suite:
        yield "SHA-256 of the suite's conditions", run.suite
    yield from ((f"variant {write.value(name)}", write.value(value)) for name, value in run.variant.items())
    environment: Mapping[str, Json] = run.environment
    git = environment.get("git")
    if isinstance(git, dict):
        yield "commit", _commit(git)
    for name in ("python", "platform"):
        if name in environment:
            yield name, write.value(environment[name])
    packages = environment.get("packages")
    if isinstance(packages, dict):
        yield "packages", write.plural(len(packages), "package") + ", listed in report.json"
    command = environment.get("command")
    if isinstance(command, list):
        yield "command", write.printable(" ".join(map(str, command)))


def _commit(git: Mapping[str, Json]) -> str:
    known = [write.value(git.get("commit")), write.value(git.get("branch"))]
    return ", ".join([*known, *(["with uncommitted changes"] if git.get("dirty") else [])])


def _method(compared: DiffResult | None, fix: FixCheckResult | None) -> Sequence[tuple[str, str]]:
    report = ("report", f"pytest-poisson {__version__}")
    if fix is not None:
        found = fix.comparison
        return [
            ("level of the test", f"{found.alpha:g}"),
            ("accepted change", f"{found.max_mde:g}"),
            report,
        ]
    if compared is None:
        return [report]
    spec = METHODS[compared.method]
    rests_on = (
        f"{PROCESSES[compared.method]}, e-BH"
        if spec.sequential
        else f"{spec.test or 'mcnemar'}, {write.PROCEDURES[spec.fdr]}, Holm"
    )
    return [
        ("method", f"{compared.method}: {rests_on}"),
        ("error level q", f"{compared.q:g}"),
        ("accepted change", f"{compared.max_mde:g}"),
        report,
    ]
