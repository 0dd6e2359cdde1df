"""What every reader of a kind of file has."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from poisson_store.episode_lines import is_count, is_number
from poisson_store.errors import ImportRefusedError
from poisson_store.importers.case import Origin
from poisson_store.importers.files import expand

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from poisson_store.importers.case import Case, Planned
    from poisson_store.importers.declared import Declared


class Reader(ABC):
    """Reads the files of one kind; `cases` may be called again and gives the same.

    Attributes
    ----------
    suffixes : tuple of str
        The files a directory stands for.
    identity : tuple of str or None
        The fields that are a case's axes unless the user names others; None for all there are.
    alike : tuple of str
        Fields in which the replicates of one condition must agree: where they differ, the user has to choose.
    measures : str
        What is measured where the user has no choice.
    passes_or_fails : bool
        Whether the outcomes are `pass` and `fail`; otherwise the files have words of their own.
    rollout, t_unit : str or None
        What the files say of their rollout.
    origin : Origin
        What the files say about all cases; whole once `cases` has come to its end.
    """

    suffixes: ClassVar[tuple[str, ...]] = (".json",)
    identity: ClassVar[tuple[str, ...] | None] = ()
    alike: ClassVar[tuple[str, ...]] = ()
    measures: ClassVar[str] = ""
    passes_or_fails: ClassVar[bool] = True

    def __init__(self, files: Sequence[Path], declared: Declared) -> None:
        self.files = expand(files, self.suffixes)
        self.declared = declared
        self.rollout: str | None = None
        self.t_unit: str | None = None
        self.origin = Origin()

    @abstractmethod
    def cases(self) -> Iterator[Case]:
        """Yield every case in file order."""

    def planned(self) -> Iterable[Planned]:
        """Tell what was planned, as far as the files do; whole once `cases` has come to its end."""
        return ()

    def is_text(self, field: str) -> bool:  # noqa: ARG002 (for readers whose files hold prompts)
        """Tell whether a field holds a prompt or an answer, which identifies a case by its digest alone."""
        return False


def pick(values: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Give the named values that there are; what is empty is not there."""
    return {name: values[name] for name in names if values.get(name) not in (None, "", [], {})}


def parts(value: Any) -> dict[str, Any]:
    """Give an object; an empty one for anything else, where a file need not have what is asked for."""
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[Any]:
    """Give an array; an empty one for anything else, where a file need not have what is asked for."""
    return value if isinstance(value, list) else []


def text(value: Any) -> str | None:
    """Give a text, or None for anything else."""
    return value if isinstance(value, str) else None


def number(value: Any) -> float | None:
    """Give a finite number that a store holds, or None for anything else."""
    return value if is_number(value) else None


def seconds(value: Any) -> float | None:
    """Give a duration, or None for anything else: a clock that was set back may have made it negative."""
    found = number(value)
    return found if found is None or found >= 0 else None


def whole(value: Any) -> int | None:
    """Give a whole number from 0, or None for anything else."""
    return value if is_count(value) else None


def as_object(value: Any, where: str) -> dict[str, Any]:
    """Give a JSON object.

    Raises
    ------
    ImportRefusedError
        If it is something else.
    """
    if not isinstance(value, dict):
        raise ImportRefusedError(f"{where}: an object is expected, not {type(value).__name__}.")
    return value


def unknown_metric(
    what: str, wanted: str | None, known: Iterable[str], files: Sequence[Path]
) -> ImportRefusedError:
    """Say that something is measured in no case, and what is."""
    place = files[0] if len(files) == 1 else f"{files[0]} and {len(files) - 1} more"
    found = ", ".join(dict.fromkeys(known)) or "none"
    return ImportRefusedError(f"{what} {wanted!r} is in no case of {place}; there is: {found}.")
