"""Reading a run; nothing here changes a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Collection, Iterator
    from pathlib import Path
    from types import TracebackType

    from typing_extensions import Self

    from poisson_store.records import Accounting, ConditionRecord, Episode, EpisodeColumns, RunRecord


def open_run(path: str | Path) -> RunReader:
    """Open one run file for reading, wherever it lies.

    Raises
    ------
    StoreError
        If the file is missing, damaged or of a newer schema.
    """
    raise NotImplementedError


class RunReader:
    """One run, read-only; a context manager."""

    path: Path

    @property
    def run(self) -> RunRecord:
        """The run as it stands; `interrupted` where its writer died."""
        raise NotImplementedError

    @property
    def conditions(self) -> tuple[ConditionRecord, ...]:
        """The planned conditions, in the order of collection."""
        raise NotImplementedError

    def accounting(self) -> Accounting:
        """Where every planned replicate went."""
        raise NotImplementedError

    def accounting_by_condition(self) -> dict[str, Accounting]:
        """Account for each condition by key, in the order of collection."""
        raise NotImplementedError

    def outcome_counts(self) -> dict[str, Counter[str]]:
        """Count outcomes, and causes of having none, for each condition key, in the order of collection."""
        raise NotImplementedError

    def columns(self) -> EpisodeColumns:
        """Every episode as NumPy arrays, without errors, meta and spans."""
        raise NotImplementedError

    def episodes(
        self,
        condition: str | None = None,
        replicate: int | None = None,
        outcomes: Collection[str] | None = None,
        *,
        spans: bool = False,
    ) -> Iterator[Episode]:
        """Yield episodes ordered by condition, then replicate, holding few in memory.

        Parameters
        ----------
        condition : str, optional
            A condition's key.
        replicate : int, optional
            One replicate of each condition.
        outcomes : collection of str, optional
            Outcomes, and causes of having none, to keep.
        spans : bool
            Whether to read the spans; without, `Episode.spans` is empty.
        """
        raise NotImplementedError

    def close(self) -> None:
        """Release the file."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
