"""Cases as a run: read once to see what there is, and once more to write it, all or nothing."""

from __future__ import annotations

import json
import secrets
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from poisson_store.codec import to_json
from poisson_store.errors import ImportRefusedError
from poisson_store.importers.case import brief, plain
from poisson_store.importers.files import describe_file
from poisson_store.importers.identity import Numbering
from poisson_store.importers.kinds import KINDS
from poisson_store.importers.report import make_report
from poisson_store.importers.rollouts import make_rollouts
from poisson_store.importers.survey import ending, reason_to_leave_out, take_survey
from poisson_store.records import CAUSES, AttemptRow, EpisodeRow, RunRecord
from poisson_store.spans import span_row

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from poisson_store.catalog import Store
    from poisson_store.importers.case import Case
    from poisson_store.importers.declared import Declared
    from poisson_store.importers.identity import Conditions
    from poisson_store.importers.reader import Reader
    from poisson_store.importers.report import ImportReport
    from poisson_store.importers.survey import Survey
    from poisson_store.records import Json
    from poisson_store.writer import RunWriter

TRIAL_SALT = "0" * 32
"""The salt of every import whose replicates are paired by their number: it claims that, and no draws."""

_AT_ONCE = 5_000
_CAUSES = {cause: number for number, cause in enumerate(CAUSES)}


def import_results(store: Store, kind: str, files: Sequence[str | Path], declared: Declared) -> ImportReport:
    """Import files of another tool as one run.

    Parameters
    ----------
    store : Store
        Where the run is added.
    kind : str
        One of `KINDS`.
    files : sequence of path
        The files; a directory stands for those of the kind in it.
    declared : Declared
        What is measured, what passes and what identifies a case.

    Returns
    -------
    ImportReport
        Where every case went.

    Raises
    ------
    StoreError
        If a file is broken, lacks what is declared, or has no outcome at all; nothing is written then.
    """
    store.check_free(declared.name)
    reader = KINDS[kind].load()([Path(file) for file in files], declared)
    survey = take_survey(kind, reader, declared)
    with store.draft(_record(kind, reader, declared, survey)) as writer:
        duplicates = _write(reader, declared, survey.conditions, writer)
        status = reader.origin.status
        writer.finish("interrupted" if status == "running" else status)
    with store.open(writer.run.run_id) as run:
        return make_report(kind, reader, declared, survey, duplicates=duplicates, run=run)


def _record(kind: str, reader: Reader, declared: Declared, survey: Survey) -> RunRecord:
    origin = reader.origin
    return RunRecord(
        salt=origin.salt or (TRIAL_SALT if declared.paired_by == "trial" else secrets.token_hex(16)),
        rollouts=make_rollouts(reader, declared, survey),
        conditions=survey.conditions.declared(),
        name=declared.name,
        paired_with=origin.paired_with,
        selection=origin.selection,
        suite=origin.suite,
        shard=origin.shard,
        environment=plain(origin.environment),
        variant={**origin.variant, **declared.variant},
        settings={**origin.settings, "imported": _provenance(kind, reader, declared)},
    )


def _provenance(kind: str, reader: Reader, declared: Declared) -> dict[str, Json]:
    return {
        "kind": kind,
        "files": [describe_file(path) for path in reader.files],
        "metric": declared.metric,
        "scorer": declared.scorer,
        "judge": None if declared.judge is None else str(declared.judge),
        "case_by": list(declared.case_by or reader.identity or ()),
        "where": [list(pair) for pair in declared.where],
        "paired_by": declared.paired_by,
        "duplicates": declared.duplicates,
        "keep_text": declared.keep_text,
    }


def _write(reader: Reader, declared: Declared, conditions: Conditions, writer: RunWriter) -> int:
    """Write every case that is not left out and return how many came again."""
    rows = _rows(reader, declared, conditions, writer.run)
    duplicates = 0
    while batch := list(islice(rows, _AT_ONCE)):
        duplicates += len(batch) - writer.add(batch)
        if duplicates and declared.duplicates == "refuse":
            raise ImportRefusedError(_first_duplicate(reader, declared, conditions))
    return duplicates


def _rows(reader: Reader, declared: Declared, conditions: Conditions, run: RunRecord) -> Iterator[EpisodeRow]:
    outcomes = {word: position for position, word in enumerate(run.outcomes)}
    for case, position, replicate in _placed(reader, declared, conditions):
        word, cause = ending(case, declared)
        if position >= len(run.conditions) or (word is not None and word not in outcomes):
            raise ImportRefusedError(f"{case.where} changed while it was being imported.")
        yield EpisodeRow(
            position,
            replicate,
            replicate if case.seed is None and declared.paired_by == "trial" else case.seed,
            None if word is None else outcomes[word],
            None if cause is None else _CAUSES[cause],
            case.t,
            case.horizon,
            case.started_ns,
            case.wall_s,
            case.error,
            _meta(case, declared),
            case.tokens_in,
            case.tokens_out,
            case.unknown_usage,
            case.spans_left_out,
            [span_row(span) for span in case.spans] or None,
            [AttemptRow(each.number, each.error, each.started_ns, each.wall_s) for each in case.attempts]
            or None,
        )


def _placed(reader: Reader, declared: Declared, conditions: Conditions) -> Iterator[tuple[Case, int, int]]:
    """Yield each case that is not left out with the position of its condition and its replicate number."""
    numbering = Numbering(renumber=declared.renumber)
    for case in reader.cases():
        if reason_to_leave_out(case, declared) is None:
            position = conditions.place(case)
            yield case, position, numbering.number(position, case)


def _meta(case: Case, declared: Declared) -> str | None:
    texts = case.texts if declared.keep_text else None
    if not case.meta and not texts:
        return None
    meta = dict(case.meta or {})
    if texts:
        meta["texts"] = plain(texts)
    return to_json(meta, f"meta of {case.where}")


def _first_duplicate(reader: Reader, declared: Declared, conditions: Conditions) -> str:
    """Say where a replicate comes again, reading the files once more to find it."""
    seen: dict[tuple[int, int], str] = {}
    for case, position, replicate in _placed(reader, declared, conditions):
        if (position, replicate) in seen:
            axes = brief(json.dumps(conditions.records[position].axes, ensure_ascii=False))
            return (
                f"{case.where} is replicate {replicate} of {axes}, and so is {seen[position, replicate]}; keep the"
                " first with --duplicates=keep-first, or number them in file order with --renumber."
            )
        seen[position, replicate] = case.where
    return f"{reader.files[0]} changed while it was being imported."
