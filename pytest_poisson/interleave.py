"""Two variants swept side by side: one sweep whose batches alternate, two stored runs on the same seeds."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from pytest_poisson.opening import OpenedRun, create_run
from pytest_poisson.stops import Usage

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pytest

    from poisson_store import Store
    from pytest_poisson.options import Settings
    from pytest_poisson.plan import Plan
    from pytest_poisson.selection import Selection
    from pytest_poisson.sweep import Writer


class TwinWriter:
    """Writes two runs of the same conditions as if they were one of twice as many.

    A row's condition at an even position is the first run's, one at an odd position the second's.
    """

    def __init__(self, first: Writer, second: Writer) -> None:
        self._writers = (first, second)
        self.run = first.run

    def add(self, rows: Iterable[tuple[Any, ...]]) -> int:
        """Store rows in the run that each belongs to, and return how many were new."""
        parts: tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]] = ([], [])
        for condition, *rest in rows:
            parts[condition % 2].append((condition // 2, *rest))
        return sum(writer.add(part) for writer, part in zip(self._writers, parts, strict=True) if part)

    def beat(self) -> None:
        """Show that both runs are being written."""
        for writer in self._writers:
            writer.beat()

    def finish(self, status: str = "complete") -> None:
        """End both runs; the second also where the first cannot be ended."""
        first, second = self._writers
        try:
            first.finish(status)
        finally:
            second.finish(status)


def names_of(settings: Settings) -> tuple[str, ...]:
    """Return the names that a session's runs take, the second where two are swept; none where none was given."""
    if not settings.name:
        return ()
    return (settings.name, f"{settings.name}-against") if settings.interleave else (settings.name,)


def create_twins(
    store: Store, *, config: pytest.Config, settings: Settings, selection: Selection, plan: Plan
) -> tuple[OpenedRun, str]:
    """Begin two runs: the variant's, on the salt of the one it is measured against.

    Returns
    -------
    OpenedRun
        To sweep into: its conditions are both runs' in turn.
    str
        The run id of the run to compare with.
    """
    variant, against = settings.variants
    name, name_beside = names_of(settings) or ("", "")
    begin = partial(create_run, store, config=config, settings=settings, selection=selection, plan=plan)
    second = begin(variant=against, name=name_beside, paired=None)
    try:
        first = begin(variant=variant, name=name, paired=second.writer.run)
    except BaseException:
        second.writer.finish("interrupted")
        raise
    missing = tuple(ranges for pair in zip(first.missing, second.missing, strict=True) for ranges in pair)
    twin = OpenedRun(TwinWriter(first.writer, second.writer), missing, Usage(), leaves_gaps=False)
    return twin, second.writer.run.run_id
