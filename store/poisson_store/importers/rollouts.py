"""What an import declares of its rollouts: by the files' own header, by the kind, or by the user."""

from __future__ import annotations

from typing import TYPE_CHECKING

from poisson_store.errors import ImportRefusedError
from poisson_store.importers.declared import FAIL, PASS
from poisson_store.records import RolloutRecord

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poisson_store.importers.declared import Declared
    from poisson_store.importers.reader import Reader
    from poisson_store.importers.survey import Survey


def make_rollouts(reader: Reader, declared: Declared, survey: Survey) -> tuple[RolloutRecord, ...]:
    """Declare the rollouts of an import.

    Raises
    ------
    ImportRefusedError
        If an outcome is declared that no case has, or a case has one that its header does not declare, or an
        outcome is declared twice over.
    """
    if reader.passes_or_fails:
        return tuple(RolloutRecord(each, (PASS, FAIL), (FAIL,), (PASS,)) for each in survey.words)
    if reader.origin.rollouts:
        _check_header(reader.origin.rollouts, declared, survey)
        return reader.origin.rollouts
    absent = _absent_words(declared, survey)
    return tuple(
        RolloutRecord(
            rollout,
            (*words, *absent),
            tuple(word for word in declared.failures if word in words or word in absent),
            tuple(word for word in declared.successes if word in words or word in absent),
            declared.t_unit or reader.t_unit,
        )
        for rollout, words in survey.words.items()
        if words or rollout in {record.rollout for record in survey.conditions.records}
    )


def _check_header(rollouts: Sequence[RolloutRecord], declared: Declared, survey: Survey) -> None:
    if declared.failures or declared.successes or declared.t_unit:
        raise ImportRefusedError(
            "The header of the file declares its rollouts; leave out --failures, --successes and --t-unit."
        )
    known = {rollout.id: rollout.outcomes for rollout in rollouts}
    for record in survey.conditions.records:
        if record.rollout not in known:
            raise ImportRefusedError(
                f"Rollout {record.rollout!r} is none that the header declares: {', '.join(known)}."
            )
    for rollout, words in survey.words.items():
        for word in words:
            if word not in known.get(rollout, ()):
                raise ImportRefusedError(
                    f"Outcome {word!r} is none that the header declares for rollout {rollout!r}."
                )


def _absent_words(declared: Declared, survey: Survey) -> tuple[str, ...]:
    """Return what is declared and in no case: fine where every case has a declared word, else it may be a slip."""
    found = dict.fromkeys(word for words in survey.words.values() for word in words)
    words = dict.fromkeys((*declared.failures, *declared.successes))
    for word in words:
        if word not in found and not words.keys() >= found.keys():
            raise ImportRefusedError(f"Outcome {word!r} is in no case; there is: {', '.join(found)}.")
        if word in declared.failures and word in declared.successes:
            raise ImportRefusedError(
                f"Outcome {word!r} is declared a failure and a success; it can be one of them."
            )
    return tuple(word for word in words if word not in found)
