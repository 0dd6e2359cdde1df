"""Which condition of a run a person means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_poisson.conditions import axis_label
from pytest_poisson.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poisson_store.records import ConditionRecord

SHOWN = 5


def find_condition(conditions: Sequence[ConditionRecord], wanted: str) -> ConditionRecord:
    """Find a condition by its key, the beginning of its key, its pytest id, or some of its axis values.

    Axis values are given as `axis=value`, several joined by commas, or as values alone.

    Raises
    ------
    UserError
        If none or several conditions fit; the sentence names some that could be meant.
    """
    found = [each for each in conditions if wanted in (each.key, each.nodeid)]
    found = found or [each for each in conditions if each.key.startswith(wanted)]
    found = found or [each for each in conditions if _fits(each, wanted)]
    if len(found) == 1:
        return found[0]
    if not conditions:
        raise UserError(f"--condition={wanted} fits nothing: the run has no condition.")
    fault = "fits no condition of the run" if not found else f"fits {len(found)} conditions of the run"
    raise UserError(f"--condition={wanted} {fault}; among them are {_some(found or conditions)}.")


def _fits(condition: ConditionRecord, wanted: str) -> bool:
    """Tell whether every part of what is wanted is an axis value of the condition, as it is shown."""
    shown = {name: axis_label(value) for name, value in condition.axes.items()}
    if ", ".join(shown.values()) == wanted:
        return True
    for part in wanted.split(","):
        name, given, value = part.strip().partition("=")
        fits = shown.get(name) == value if given else name in shown.values()
        if not fits:
            return False
    return True


def _some(conditions: Sequence[ConditionRecord]) -> str:
    names = [
        ",".join(f"{name}={axis_label(value)}" for name, value in each.axes.items()) or each.key
        for each in conditions[:SHOWN]
    ]
    return "; ".join(names) + (f" and {len(conditions) - SHOWN} more" if len(conditions) > SHOWN else "")
