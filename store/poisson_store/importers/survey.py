"""The first reading of an import: what there is, and whether it can be imported at all."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from poisson_store.errors import ImportRefusedError
from poisson_store.importers.identity import Conditions

if TYPE_CHECKING:
    from poisson_store.importers.case import Case
    from poisson_store.importers.declared import Declared
    from poisson_store.importers.reader import Reader


MOST_TOKENS = 10**12
"""Of a span or an episode, so that their sums fit the 64 bits of the store; a span that is recorded has the same bound."""


@dataclass(slots=True)
class Survey:
    """What the files hold.

    Attributes
    ----------
    conditions
        Those the cases belong to.
    words
        The outcomes of each rollout, in order of first mention.
    read
        Cases read.
    left_out
        Those left out, by reason.
    causes
        Those without an outcome, by cause.
    """

    conditions: Conditions
    words: dict[str, dict[str, None]]
    read: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    causes: Counter[str] = field(default_factory=Counter)


def take_survey(kind: str, reader: Reader, declared: Declared) -> Survey:
    """Read every case once.

    Raises
    ------
    ImportRefusedError
        If a file is broken or lacks what is declared, or no case has an outcome.
    """
    rollout = declared.rollout or reader.rollout or rollout_id(kind, reader, declared)
    conditions = Conditions(rollout, declared.case_by or reader.identity, reader.alike, reader.is_text)
    survey = Survey(conditions, {rollout: {}})
    for case in reader.cases():
        _check_sizes(case)
        survey.read += 1
        reason = reason_to_leave_out(case, declared)
        if reason is None:
            _count(survey, case, declared)
        else:
            survey.left_out[reason] += 1
    if not any(survey.words.values()):
        raise ImportRefusedError(_nothing_measured(survey, reader))
    for planned in reader.planned():
        conditions.plan(planned, str(reader.files[0]), only_known=bool(declared.where))
    _check_draws(reader, declared)
    return survey


def rollout_id(kind: str, reader: Reader, declared: Declared) -> str:
    """Say what is measured, so that imports that measure something else have no condition in common."""
    measured = " ".join(part for part in (declared.scorer, declared.metric) if part) or reader.measures
    facts = [
        *((measured,) if measured else ()),
        *((str(declared.judge),) if declared.judge is not None else ()),
        *(("errors fail",) if declared.errors_fail else ()),
        *(("limits score",) if declared.limits_score else ()),
    ]
    return f"{kind}:{' '.join(facts)}" if facts else kind


def reason_to_leave_out(case: Case, declared: Declared) -> str | None:
    """Tell why a case is not what the user chose; None for one that is.

    Raises
    ------
    ImportRefusedError
        If it lacks the field to choose by.
    """
    for name, wanted in declared.where:
        if name not in case.fields:
            raise ImportRefusedError(
                f"{case.where} has no {name!r} to choose by; it has {', '.join(case.fields)}."
            )
        value = case.fields[name]
        if wanted != (value if isinstance(value, str) else json.dumps(value, default=str)):
            return f"{name} is not {wanted}"
    return None


def ending(case: Case, declared: Declared) -> tuple[str | None, str | None]:
    """Give the outcome of a case, or its cause of having none.

    Raises
    ------
    ImportRefusedError
        If its value cannot be judged by what is declared.
    """
    if case.cause is not None:
        return None, case.cause
    if case.outcome is not None:
        return case.outcome, None
    if declared.judge is None:
        raise ImportRefusedError(
            f"{case.where} has a value; say what passes with --cut SIDE X, or --pass and --fail."
        )
    return declared.judge.judge(case.score, case.where), None


def _count(survey: Survey, case: Case, declared: Declared) -> None:
    record = survey.conditions.records[survey.conditions.place(case)]
    word, cause = ending(case, declared)
    words = survey.words.setdefault(record.rollout, {})
    if word is not None:
        words.setdefault(word)
    if cause is not None:
        survey.causes[cause] += 1


def _check_sizes(case: Case) -> None:
    """Refuse durations that no replicate can have, and counts whose sums no store holds."""
    for name in ("t", "horizon"):
        value = getattr(case, name)
        if value is not None and value < 0:
            raise ImportRefusedError(f"{case.where}: {name}={value!r} must be a finite number from 0.")
    if case.t is not None and case.horizon is not None and case.t > case.horizon:
        raise ImportRefusedError(f"{case.where}: t={case.t!r} exceeds horizon={case.horizon!r}.")
    used = [
        (case.tokens_in, case.tokens_out),
        *((each.tokens.input, each.tokens.output) for each in case.spans if each.tokens),
    ]
    for count in (count for sides in used for count in sides):
        if count is not None and count > MOST_TOKENS:
            raise ImportRefusedError(
                f"{case.where}: {count} tokens are more than {MOST_TOKENS}, the most one call may take."
            )


def _nothing_measured(survey: Survey, reader: Reader) -> str:
    if not survey.read:
        return f"{reader.files[0]} holds no case."
    why = ", ".join(f"{count} {word}" for word, count in (*survey.causes.items(), *survey.left_out.items()))
    return f"None of the {survey.read} cases in {reader.files[0]} has an outcome to import: {why}."


def _check_draws(reader: Reader, declared: Declared) -> None:
    """Hold what the files say of their draws against what the user says of the order."""
    if reader.origin.salt is None and declared.paired_by is None:
        raise ImportRefusedError(
            f"{reader.files[0]} names no draws; say with --paired-by whether replicate i of two imports belongs"
            " together: trial or none."
        )
    if reader.origin.salt is not None and declared.paired_by is not None:
        raise ImportRefusedError(
            f"{reader.files[0]} names its draws by a salt, which decides what it pairs with; leave out --paired-by."
        )
