"""The runners of a job's conditions, in whichever process holds the collected session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_poisson.replicate import ConditionRunner, RunContext

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_poisson.collect import CollectedCondition
    from pytest_poisson.job import Job


class Runners:
    """One runner a condition, by its position among the job's keys, made when it is first wanted.

    Parameters
    ----------
    collected
        What this process has collected.
    job
        What is to be served.
    interruptible
        As for `ConditionRunner`.
    """

    def __init__(
        self, collected: Iterable[CollectedCondition], job: Job, *, interruptible: bool = False
    ) -> None:
        self._collected = {found.condition.key: found for found in collected}
        self._job = job
        runs = [(job.run_id, job.variant), *([] if job.against is None else [job.against])]
        self._contexts = [
            RunContext(run_id, job.salt, variant, job.outcomes, job.retries, job.concurrency, job.timeout_s)
            for run_id, variant in runs
        ]
        self._interruptible = interruptible
        self._runners: dict[int, ConditionRunner] = {}

    def missing(self) -> list[str]:
        """Return the keys of the job's conditions that were not collected here."""
        return [key for key in self._job.keys if key and key not in self._collected]

    def __getitem__(self, index: int) -> ConditionRunner:
        if index not in self._runners:
            found = self._collected[self._job.keys[index]]
            self._runners[index] = ConditionRunner(
                found.item,
                condition=found.condition,
                index=index,
                declaration=found.declaration,
                context=self._contexts[index % len(self._contexts)],
                interruptible=self._interruptible,
            )
        return self._runners[index]
