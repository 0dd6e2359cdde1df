"""Where replicates run: the seam between the sweep and its workers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_poisson.batches import Batch, BatchPolicy
    from pytest_poisson.job import Job


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


class Interrupted(NamedTuple):
    """A signal asked for the end while a replicate ran in this process."""

    error: KeyboardInterrupt


class Doing(NamedTuple):
    """What the backend is busy with while no rows can come: a part of a sentence, shown until the first."""

    text: str


class ExitRequest(NamedTuple):
    """A replicate called `pytest.exit`: no more batches are to be dealt."""

    text: str


Event: TypeAlias = Rows | BatchEnded | Notice | ExitRequest | Interrupted | Doing


class Outlook(NamedTuple):
    """What a backend says of a sweep before it starts: lines of the plan, and what it will charge.

    The cost is None where the backend charges nothing, and NaN where it charges what nobody can tell.
    """

    lines: tuple[tuple[str, str], ...] = ()
    cost_usd: float | None = None


class Backend(Protocol):
    """Runs batches; everything it has to say comes out of `poll`.

    Of every replicate that was submitted comes a row, or it is left of its batch; also when its worker dies, hangs
    past its time, or is lost with its machine. Rows may come in any order, and more than once: the store keeps the
    first of each replicate.

    Attributes
    ----------
    name
        What the run's record calls it.
    workers
        How many replicates run at a time; 0 where they run in this process.
    batch_policy
        How large its batches should be.
    """

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def workers(self) -> int: ...  # noqa: D102
    @property
    def batch_policy(self) -> BatchPolicy: ...  # noqa: D102

    def outlook(self, replicates: int, seconds_each: float | None) -> Outlook:
        """Return what is to be printed of a sweep with so many replicates; start, open and import nothing heavy.

        `seconds_each` is how long a replicate should take; None where nobody knows.

        Raises
        ------
        UserError
            If the sweep could not be started.
        """

    def start(self, job: Job) -> None:
        """Start workers that serve this job.

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

    def stop(self) -> list[Event]:
        """End every worker at once and return what they had finished by then; what was in flight leaves no row.

        Called last, in every case: also after `finish`, after a failure, on Ctrl-C, and where `start` failed.
        """
