"""Which conditions two runs have in common, in an order that no test order can change."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from poisson_store.records import Accounting

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from poisson_store.reader import RunReader
    from poisson_store.records import ConditionRecord, Json


@dataclass(frozen=True, slots=True)
class Coverage:
    """The conditions of two runs, each list sorted by rollout and axis values.

    Attributes
    ----------
    common
        Planned by both and not skipped whole in both, as the after run planned them.
    only_before, only_after
        Planned by one run alone: the other did not run them, which does not say that they are gone.
    skipped
        Planned by both, every replicate that ran skipped in both: deliberately not measured.
    """

    common: tuple[ConditionRecord, ...]
    only_before: tuple[ConditionRecord, ...]
    only_after: tuple[ConditionRecord, ...]
    skipped: tuple[ConditionRecord, ...]


def cover(before: RunReader, after: RunReader) -> Coverage:
    """Match the conditions of two runs by key."""
    ours = {condition.key: condition for condition in before.conditions}
    theirs = {condition.key: condition for condition in after.conditions}
    skipped = skipped_whole(before) & skipped_whole(after)
    return Coverage(
        common=in_order(theirs[key] for key in theirs if key in ours and key not in skipped),
        only_before=in_order(ours[key] for key in ours if key not in theirs),
        only_after=in_order(theirs[key] for key in theirs if key not in ours),
        skipped=in_order(theirs[key] for key in skipped),
    )


def in_order(conditions: Iterable[ConditionRecord]) -> tuple[ConditionRecord, ...]:
    """Sort conditions by rollout, then by axis values: numbers by size, text by letters, kinds apart."""
    return tuple(sorted(conditions, key=_sort_key))


def total(accounts: Mapping[str, Accounting], conditions: Iterable[ConditionRecord]) -> Accounting:
    """Sum the accounts of some conditions."""
    return sum((accounts[condition.key] for condition in conditions), Accounting(0))


def skipped_whole(reader: RunReader) -> set[str]:
    """Return the keys of the conditions of which every replicate that ran was skipped."""
    return {key for key, account in reader.accounting_by_condition().items() if account.skipped_whole}


def _sort_key(condition: ConditionRecord) -> tuple[Any, ...]:
    return (condition.rollout, [value_key(value) for value in condition.axes.values()], condition.key)


def value_key(value: Json) -> tuple[int, Any]:
    """Order JSON values of different kinds: null, booleans, numbers, text, then lists and objects as JSON."""
    if value is None:
        return 0, 0
    if isinstance(value, bool):
        return 1, value
    if isinstance(value, (int, float)):
        return 2, value
    if isinstance(value, str):
        return 3, value
    return 4, json.dumps(value, sort_keys=True)
