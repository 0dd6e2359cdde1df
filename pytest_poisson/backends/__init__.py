"""Where replicates run: the seam between the sweep and its workers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_poisson.batches import Batch


class Rows(NamedTuple):
    """Rows that have arrived, each with the 17 items of `poisson_store.EpisodeRow`."""

    rows: Sequence[tuple[Any, ...]]


class BatchEnded(NamedTuple):
    """The last word on a batch, said once of each; what is left of it is to be dealt again.

    `left` is empty unless the worker was lost or stopped. The times tell how large the next batch should be; they
    are None where the batch did not run to its end.
    """

    left: Batch
    replicates: int
    seconds: float | None = None  # running the replicates
    set_up_s: float | None = None  # before the first of them


class Notice(NamedTuple):
    """Something the reader of the report must know that belongs to no replicate."""

    text: str


class ExitRequest(NamedTuple):
    """A replicate called `pytest.exit`: no more batches are to be dealt."""

    text: str


Event: TypeAlias = Rows | BatchEnded | Notice | ExitRequest


class Backend(Protocol):
    """Runs batches; everything it has to say comes out of `poll`.

    Of every replicate that was submitted comes exactly one row, or it is left of its batch; also when its worker
    dies, hangs past its time, or is lost with its machine.
    """

    def start(self) -> None:
        """Start the workers.

        Raises
        ------
        UserError
            If there can be none.
        """

    def wants(self) -> bool:
        """Tell whether one more batch would be taken up at once or wait next in line."""

    def submit(self, batch: Batch) -> None:
        """Take a batch; called only where `wants` is true."""

    def poll(self, timeout_s: float) -> list[Event]:
        """Return what has happened, waiting up to `timeout_s` for something.

        Raises
        ------
        UserError
            If workers cannot be kept alive.
        """

    def finish(self) -> list[Event]:
        """End the workers once there is nothing left to run, giving wider fixtures time to be torn down."""

    def stop(self) -> None:
        """End every worker at once; what was in flight leaves no row. Safe to call twice, and after a failure."""

    @property
    def workers(self) -> int:
        """How many workers run at a time."""
