"""Which condition a case is of, and which replicate."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from poisson_store.errors import ImportRefusedError
from poisson_store.importers.case import brief
from poisson_store.keys import canonical_json, condition_key
from poisson_store.records import ConditionRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from poisson_store.importers.case import Case, Planned

LONGEST_VALUE = 200
"""Characters of an axis value; a longer text is known by its digest, as prompts and answers always are."""


class Conditions:
    """The conditions that cases belong to, in order of first mention.

    Parameters
    ----------
    rollout : str
        The rollout of the cases that name none.
    identity : sequence of str or None
        The fields that are the axes; None for all.
    alike : sequence of str
        Fields in which the cases of a condition must agree.
    is_text : callable
        Tells which fields hold prompts or answers.
    """

    def __init__(
        self,
        rollout: str,
        identity: Sequence[str] | None,
        alike: Sequence[str] = (),
        is_text: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self.records: list[ConditionRecord] = []
        self._rollout, self._identity, self._is_text = rollout, identity, is_text
        self._alike = tuple(name for name in alike if identity is None or name not in identity)
        self._positions: dict[tuple[str, str], int] = {}
        self._written: dict[tuple[str | None, str], int] = {}
        self._common: list[tuple[Any, ...]] = []
        self._planned: dict[int, tuple[int, str]] = {}

    def place(self, case: Case) -> int:
        """Give the position of a case's condition, which is new where none has these axes.

        Raises
        ------
        ImportRefusedError
            If the case lacks a field of the identity, or would be a replicate of one that it is not like.
        """
        axes = self._axes(case.fields, case.where)
        position = self._position(axes, case.rollout, case.where)
        if self._alike:
            self._check_alike(position, case)
        return position

    def plan(self, planned: Planned, where: str, *, only_known: bool) -> None:
        """Take note of how many replicates a condition was to have; the larger number counts.

        What a file plans is known by the kind's own fields: where the user identifies cases by others, or chose
        some (`only_known`), nothing is known of cases that are not there.
        """
        if self._identity is not None and any(planned.fields.get(name) is None for name in self._identity):
            return
        axes = self._axes(planned.fields, where)
        if only_known and self._name(axes, planned.rollout, where) not in self._positions:
            return
        position = self._position(axes, planned.rollout, where)
        count, nodeid = self._planned.get(position, (0, ""))
        self._planned[position] = (max(count, planned.replicates), planned.nodeid or nodeid)

    def declared(self) -> tuple[ConditionRecord, ...]:
        """Give the conditions with what was planned for them; 0 where nothing is known."""
        return tuple(
            ConditionRecord(record.key, record.rollout, record.axes, nodeid, planned)
            for position, record in enumerate(self.records)
            for planned, nodeid in (self._planned.get(position, (0, "")),)
        )

    def _axes(self, fields: Mapping[str, Any], where: str) -> Mapping[str, Any]:
        if self._identity is None:
            return fields
        return {name: self._value(fields, name, where) for name in self._identity}

    def _value(self, fields: Mapping[str, Any], name: str, where: str) -> Any:
        value = fields.get(name)
        if value is None:
            known = ", ".join(name for name, value in fields.items() if value is not None)
            raise ImportRefusedError(
                f"{where} has no {name!r} to identify it by; it has {known or 'nothing'}."
            )
        if self._is_text(name) or (isinstance(value, str) and len(value) > LONGEST_VALUE):
            return digest(value)
        return value

    def _name(self, axes: Mapping[str, Any], rollout: str | None, where: str) -> tuple[str, str]:
        try:
            return rollout or self._rollout, canonical_json(axes)
        except (ValueError, TypeError) as error:
            raise ImportRefusedError(
                f"{where} is identified by a value that no JSON has: {error}."
            ) from error

    def _position(self, axes: Mapping[str, Any], rollout: str | None, where: str) -> int:
        """Find or add the condition of these axes.

        Most cases are of a condition that is known. What Python writes for JSON values tells apart whatever
        canonical JSON does, at a third of the time.
        """
        written = (rollout, repr(axes))
        position = self._written.get(written)
        if position is None:
            name = self._name(axes, rollout, where)
            position = self._positions.setdefault(name, len(self.records))
            if position == len(self.records):
                self.records.append(ConditionRecord(condition_key(name[0], axes), name[0], dict(axes)))
            self._written[written] = position
        return position

    def _check_alike(self, position: int, case: Case) -> None:
        common = tuple(case.fields.get(name) for name in self._alike)
        while len(self._common) <= position:
            self._common.append(common)
        for name, ours, theirs in zip(self._alike, common, self._common[position], strict=True):
            if ours != theirs:
                raise ImportRefusedError(
                    f"{case.where} would be a replicate of one whose {name} differs ({brief(theirs)!r}, {brief(ours)!r});"
                    f" add {name} to --case-by, or choose with --where {name}=VALUE."
                )


def digest(value: Any) -> str:
    """Give the digest by which a text, or a value that holds texts, is known."""
    text = (
        value
        if isinstance(value, str)
        else json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
    )
    return f"sha256:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


class Numbering:
    """The replicate numbers of cases: their own, else in file order."""

    def __init__(self, *, renumber: bool) -> None:
        self._renumber = renumber
        self._next: dict[int, int] = {}

    def number(self, position: int, case: Case) -> int:
        """Give the replicate number of the next case of a condition.

        Raises
        ------
        ImportRefusedError
            If its file gives a number that is none.
        """
        if case.replicate is not None and not self._renumber:
            if isinstance(case.replicate, bool) or not isinstance(case.replicate, int) or case.replicate < 0:
                raise ImportRefusedError(f"{case.where}: {case.replicate!r} is no number of a replicate.")
            return case.replicate
        given = self._next.get(position, 0)
        self._next[position] = given + 1
        return given
