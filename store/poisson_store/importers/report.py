"""What an import did, as one frozen value."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from poisson_store.importers.declared import Declared
    from poisson_store.importers.reader import Reader
    from poisson_store.importers.survey import Survey
    from poisson_store.reader import RunReader
    from poisson_store.records import Accounting

DUPLICATE = "duplicate"
"""The reason for which a case is left out whose replicate is there already."""


@dataclass(frozen=True, slots=True)
class ImportReport:
    """Where every case that was read went.

    Attributes
    ----------
    kind, files
        What was imported.
    run_id, name, status
        The run it became.
    read
        Cases in the files; those in `left_out`, by reason, and those stored add up to it.
    accounting
        Of the run: what was stored, by cause, and what the files say was planned and did not run.
    outcomes
        How often each outcome came.
    conditions
        How many there are.
    fewest, most
        Replicates stored of a condition.
    rollouts
        Their ids, which say what was measured and what passes.
    paired_by
        What replicate i of two imports has in common: `trial`, `none`, or `salt` where the files name their draws.
    """

    kind: str
    files: tuple[str, ...]
    run_id: str
    name: str
    status: str
    read: int
    left_out: Mapping[str, int]
    accounting: Accounting
    outcomes: Mapping[str, int]
    conditions: int
    fewest: int
    most: int
    rollouts: tuple[str, ...]
    paired_by: str

    @property
    def imported(self) -> int:
        """Cases that were stored."""
        return self.accounting.stored


def make_report(
    kind: str, reader: Reader, declared: Declared, survey: Survey, *, duplicates: int, run: RunReader
) -> ImportReport:
    """Report an import from what was read and what was stored."""
    stored = [account.stored for account in run.accounting_by_condition().values()]
    counted = sum(run.outcome_counts().values(), Counter[str]())
    return ImportReport(
        kind=kind,
        files=tuple(path.name for path in reader.files),
        run_id=run.run.run_id,
        name=run.run.name,
        status=run.run.status,
        read=survey.read,
        left_out={**survey.left_out, **({DUPLICATE: duplicates} if duplicates else {})},
        accounting=run.accounting(),
        outcomes={word: counted[word] for word in run.run.outcomes},
        conditions=len(stored),
        fewest=min(stored, default=0),
        most=max(stored, default=0),
        rollouts=tuple(rollout.id for rollout in run.run.rollouts),
        paired_by="salt" if reader.origin.salt else declared.paired_by or "none",
    )
