"""Outcomes counted without the causes of having none."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from poisson_store.records import CAUSES
from pytest_poisson.events import failures_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poisson_store.reader import RunReader


def outcomes_alone(reader: RunReader) -> dict[str, Counter[str]]:
    """Count each condition's outcomes by key, without the causes of having none, which may be spelled alike."""
    counts = reader.outcome_counts()
    alike = [cause for cause in CAUSES if cause in reader.run.outcomes]
    accounts = reader.accounting_by_condition() if alike else {}
    return {
        key: Counter(
            {word: count for word, count in counted.items() if word not in CAUSES}
            | {word: counted[word] - getattr(accounts[key], word) for word in alike}
        )
        for key, counted in counts.items()
    }


def carried_outcomes(readers: Sequence[RunReader]) -> frozenset[str]:
    """Return the outcomes that stored rows of some of the runs have."""
    return frozenset(
        word
        for reader in readers
        for counts in outcomes_alone(reader).values()
        for word, count in counts.items()
        if count
    )


def carried_failures(readers: Sequence[RunReader]) -> list[str]:
    """Return the outcomes by which stored rows failed, in the order of declaration."""
    known = dict.fromkeys(
        word for reader in readers for rollout in reader.run.rollouts for word in failures_of(rollout)
    )
    carried = carried_outcomes(readers)
    return [word for word in known if word in carried]
