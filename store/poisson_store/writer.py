"""Writing a run while it happens."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from types import TracebackType

    from typing_extensions import Self

    from poisson_store.records import Episode, RunRecord


class RunWriter:
    """The one writer of a run; as a context manager it ends the run as `interrupted` on an exception.

    Made by `Store.create` and `Store.reopen`. Without an exception, leaving the context without a call of
    `finish` ends the run as `complete`.
    """

    path: Path
    run: RunRecord

    def add(self, rows: Iterable[Episode | tuple[object, ...]]) -> int:
        """Store episodes in one transaction and return how many were new.

        Parameters
        ----------
        rows : iterable of tuple or Episode
            Tuples in the order of `EpisodeRow` are the fast path. A (condition, replicate) that is already
            stored is left as it is, so a batch that comes twice counts once.

        Raises
        ------
        StoreError
            If a row cannot be stored (nothing of the call is) or the disk refuses.
        """
        raise NotImplementedError

    def beat(self) -> None:
        """Record that the writer lives; call it once a minute where no rows arrive."""
        raise NotImplementedError

    def finish(self, status: str = "complete") -> None:
        """End the run as `complete`, `partial` or `interrupted`, leaving one plain file; further calls do nothing."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.finish("complete" if kind is None else "interrupted")
