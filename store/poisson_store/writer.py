"""Writing a run while it happens."""

from __future__ import annotations

import math
import sqlite3
import time
from contextlib import closing, contextmanager
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from poisson_store.bulk import insert_many
from poisson_store.codec import episode_row, insert_run, points_inside, positions, read_run
from poisson_store.connection import SETTLE_S, connect, leave_plain, now_text, open_for_writing, transaction
from poisson_store.errors import StoreError, storage_errors
from poisson_store.liveness import this_session
from poisson_store.records import ENDS, EpisodeRow
from poisson_store.redeclare import redeclare
from poisson_store.schema import create_tables
from poisson_store.spans import INTO_CUTS, INTO_SPANS, count_leaves, span_row, stored_cuts, stored_span
from poisson_store.texts import TextTable, storable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path
    from types import TracebackType

    from typing_extensions import Self

    from poisson_store.records import Episode, RunRecord

SYNC_S = 1.0
"""A power cut loses at most what was added in this time; a killed process loses nothing that was added."""

BEAT_S = 10.0
"""How often a busy writer records that it lives."""

_KEY = "replicate, condition"
_UNFIT = (
    sqlite3.InterfaceError,
    sqlite3.IntegrityError,
    sqlite3.ProgrammingError,
    AttributeError,
    TypeError,
    ValueError,
    OverflowError,
)
_WIDTH = len(EpisodeRow._fields)
_NUMBERS = itemgetter(slice(0, 9))
_REST = itemgetter(slice(9, None))
_NO_SUMS = (None,) * 4
_NO_REST = (None,) * (_WIDTH - 9)


class RunWriter:
    """The one writer of a run, used from one thread.

    Made by `Store.create` and `Store.reopen`. As a context manager it ends the run as `complete` where `finish` was
    not called before, and abandons it on an exception.

    Attributes
    ----------
    path : Path
        The run's file.
    run : RunRecord
        The run as it is declared now.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection = open_for_writing(path)
        self._texts = TextTable(self._connection)
        self._synced = self._beaten = -math.inf
        self._identity = _identity(path)
        self._open = True
        self._changed = False
        try:
            self._before = self._begin_session()
            self._read_run()
        except BaseException:
            self._connection.close()
            raise

    def add(self, rows: Iterable[Episode | tuple[Any, ...]]) -> int:
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
        batch: list[tuple[Any, ...]] = []
        with self._transaction():
            try:
                batch += [row if isinstance(row, tuple) else self._row(row) for row in rows]
                bare, rich = _split(batch)
                if bare and rich:  # those come first that hold more, so that none may come twice
                    bare, rich = _split(_first_of_each(batch))
                fresh = self._fresh(rich) if rich else ()
                self._add_belongings(fresh)
                new = self._insert(bare) + len(fresh)
            except _UNFIT as error:
                raise self._refusal(batch, error) from error
        self._changed |= new > 0
        return new

    def beat(self) -> None:
        """Show that the writer lives and flush what was added; call it once a minute where no rows arrive."""
        with self._transaction():
            self._beaten = -math.inf

    def plan(self, planned: Mapping[str, int]) -> None:
        """Set how many replicates are planned, by condition key; a count may be raised only.

        Raises
        ------
        StoreError
            If a count is below the present one, or a key is unknown.
        """
        before = {condition.key: condition.planned for condition in self.run.conditions}
        for key, count in planned.items():
            if key not in before:
                raise StoreError(f"Condition {key!r} is not in run {self.run.name!r}.")
            if count < before[key]:
                raise StoreError(
                    f"planned={count} of condition {key!r} is below the {before[key]} planned before."
                )
        with self._transaction():
            self._connection.executemany(
                "UPDATE conditions SET planned = ? WHERE key = ?",
                [(count, key) for key, count in planned.items()],
            )
        self._changed |= planned != {key: before[key] for key in planned}
        self._read_run()

    def redeclare(self, run: RunRecord) -> int:
        """Let the run have the rollouts and conditions of `run`, and return how many episodes were dropped.

        For a resumed sweep whose suite has changed. An episode stays if its condition does and its rollout
        still declares its outcome; positions in `RunWriter.run` are new afterwards.
        """
        with self._transaction():
            dropped = redeclare(self._connection, self.run, run)
        self._changed = True
        self._read_run()
        return dropped

    def finish(self, status: str = "complete") -> None:
        """End the run as `complete`, `partial` or `interrupted`, leaving one plain file.

        Further calls do nothing. Where the disk refuses, the file is released as it is; it reads as
        `interrupted` once this process has ended.

        Raises
        ------
        StoreError
            If the status is none of the three, or the disk refuses.
        """
        if status not in ENDS:
            raise StoreError(f"status={status!r} is none of {', '.join(ENDS)}.")
        if self._open:
            self._end(status, now_text())

    def abandon(self) -> None:
        """Give the run back as it was, if nothing was changed since it was opened; else end it as `interrupted`.

        For a caller who finds that a run cannot be gone on with; an exception inside the context does the same.
        """
        status, ended_at = self._before
        if self._changed or status not in ENDS:
            self.finish("interrupted")
        elif self._open:
            self._end(status, ended_at, forget_session=True)

    def _end(self, status: str, ended_at: str, *, forget_session: bool = False) -> None:
        try:
            with self._transaction():
                if forget_session:
                    self._connection.execute(
                        "DELETE FROM sessions WHERE session = (SELECT max(session) FROM sessions)"
                    )
                end_run(self._connection, status, ended_at)
            self._connection.execute(f"PRAGMA busy_timeout = {int(SETTLE_S * 1000)}")
            leave_plain(self._connection)
        finally:
            self._open = False
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.finish()
            return
        try:
            self.abandon()
        except StoreError:
            return  # the exception on its way out says what went wrong first

    def _read_run(self) -> None:
        self.run = read_run(self._connection, "running")
        self._conditions = positions("condition key", (condition.key for condition in self.run.conditions))
        self._outcomes = positions("outcome", self.run.outcomes)

    def _begin_session(self) -> tuple[str, str]:
        """Become the run's writer; return its status so far and when it ended."""
        session = this_session()
        with self._transaction():
            before: tuple[str, str] = self._connection.execute("SELECT status, ended_at FROM run").fetchone()
            self._connection.execute("UPDATE run SET status = 'running', ended_at = NULL")
            self._connection.execute("DELETE FROM tallies")
            self._connection.execute(
                "INSERT INTO sessions (host, pid, process_started, started_at, beat_ns) VALUES (?, ?, ?, ?, ?)",
                (session.host, session.pid, session.process_started, now_text(), session.beat_ns),
            )
        return before

    def _row(self, episode: Episode) -> EpisodeRow:
        return episode_row(
            episode, self._conditions, self._outcomes, [span_row(span) for span in episode.spans]
        )

    def _insert(self, rows: Sequence[tuple[Any, ...]]) -> int:
        return insert_many(self._connection, "episodes", list(map(_NUMBERS, rows)), unless=_KEY)

    def _fresh(self, rows: Sequence[tuple[Any, ...]]) -> Sequence[tuple[Any, ...]]:
        """Insert the numbers of rows and return those rows that were new."""
        self._connection.execute("SAVEPOINT fresh")
        new = self._insert(rows)
        if new < len(rows):
            self._connection.execute("ROLLBACK TO fresh")
            rows = [row for row in rows if self._insert([row])]
        self._connection.execute("RELEASE fresh")
        return rows

    def _add_belongings(self, rows: Sequence[tuple[Any, ...]]) -> None:
        """Add what new episodes have beside numbers."""
        intern, spans, cuts = self._texts.intern, [], []
        for row in rows:
            for position, span in enumerate(row[15] or ()):
                spans.append((*row[:2], position, *stored_span(span, intern)))
                if span[8] is not None or span[10] is not None:
                    cuts += [(*row[:2], position, *cut) for cut in stored_cuts(span)]
        self._texts.store()
        tables = {
            "traces": [
                (*row[:2], *row[11:15], *count_leaves(row[15] or ()))
                for row in rows
                if row[15] or row[11:15] != _NO_SUMS
            ],
            "notes": [
                (*row[:2], storable(row[9]), storable(row[10])) for row in rows if row[9:11] != (None, None)
            ],
            "attempts": [
                (*row[:2], number, storable(error), started_ns, wall_s)
                for row in rows
                for number, error, started_ns, wall_s in row[16] or ()
            ],
            INTO_SPANS: spans,
            INTO_CUTS: cuts,
        }
        for table, values in tables.items():
            insert_many(self._connection, table, values)

    def _refusal(self, batch: Sequence[tuple[Any, ...]], error: Exception) -> StoreError:
        for row in batch:
            if not 9 <= len(row) <= _WIDTH:
                return StoreError(f"A row of {len(row)} items was added; an episode has 9 to {_WIDTH}.")
            if not points_inside(row, len(self._conditions), len(self._outcomes)):
                return StoreError(
                    f"The row condition={row[0]!r}, replicate={row[1]!r}, outcome={row[3]!r}, cause={row[4]!r}"
                    f" is not of run {self.run.name!r}: it has {len(self._conditions)} conditions,"
                    f" {len(self._outcomes)} outcomes and takes exactly one of outcome and cause."
                )
        return StoreError(f"A row cannot be stored in {self.path}: {error}.")

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Commit all or nothing, with a sign of life, flushed to the disk when due."""
        with storage_errors(self.path, "write"):
            self._check_place()
            self._sync_if_due()
            try:
                with transaction(self._connection):
                    yield
                    self._beat_if_due()
            except BaseException:
                self._texts.forget()
                raise

    def _sync_if_due(self) -> None:
        due = time.monotonic() - self._synced >= SYNC_S
        self._connection.execute(f"PRAGMA synchronous = {'FULL' if due else 'NORMAL'}")
        if due:
            self._synced = time.monotonic()

    def _beat_if_due(self) -> None:
        if time.monotonic() - self._beaten < BEAT_S:
            return
        self._connection.execute(
            "UPDATE sessions SET beat_ns = ? WHERE session = (SELECT max(session) FROM sessions)",
            (time.time_ns(),),
        )
        self._beaten = time.monotonic()

    def _check_place(self) -> None:
        """Refuse to write to a run that has ended, or into a file that is gone: SQLite would not notice."""
        if not self._open:
            raise StoreError(f"Run {self.run.name!r} has ended; it takes no more rows unless it is reopened.")
        if _identity(self.path) != self._identity:
            raise StoreError(f"Run file {self.path} was deleted or replaced while it was being written.")


def create_file(path: Path, run: RunRecord) -> None:
    """Make a run's file, whole or not at all, for its writer to open."""
    draft = path.with_name(f"{path.name}.new")
    with storage_errors(path, "create"):
        try:
            with closing(connect(draft, "rwc")) as connection:
                # A draft that is lost is made again, so nothing need reach the disk before the first rows do.
                connection.execute("PRAGMA synchronous = OFF")
                create_tables(connection, run.created_at)
                with transaction(connection):
                    insert_run(connection, run)
            draft.rename(path)
        finally:
            draft.unlink(missing_ok=True)


def end_run(connection: sqlite3.Connection, status: str, now: str) -> None:
    """Write down, within a transaction, how a run ended, and count its episodes once and for all.

    Where more was stored than planned, the plan is what was stored.
    """
    connection.execute("DELETE FROM tallies")
    connection.execute(
        "INSERT INTO tallies SELECT condition, outcome, cause, count(*) FROM episodes"
        " GROUP BY condition, outcome, cause ORDER BY condition, outcome, cause"
    )
    connection.execute(
        "UPDATE conditions SET planned ="
        " (SELECT sum(episodes) FROM tallies WHERE tallies.condition = conditions.condition)"
        " WHERE condition IN (SELECT condition FROM conditions JOIN tallies USING (condition)"
        " GROUP BY condition HAVING sum(episodes) > planned)"
    )
    connection.execute("UPDATE run SET status = ?, ended_at = ?", (status, now))
    connection.execute(
        "UPDATE sessions SET status = ?, ended_at = ? WHERE session = (SELECT max(session) FROM sessions)",
        (status, now),
    )


def _split(rows: Sequence[tuple[Any, ...]]) -> tuple[Sequence[tuple[Any, ...]], Sequence[tuple[Any, ...]]]:
    """Part the rows that hold numbers only from those with more, which are filled up to their full width."""
    rich = [row for row in rows if row[9:] != _NO_REST[: len(row) - 9]]
    if not rich:
        return rows, ()
    if not all(9 <= len(row) <= _WIDTH for row in rich):
        raise ValueError
    bare = [row for row in rows if row[9:] == _NO_REST[: len(row) - 9]]
    return bare, [row + _NO_REST[len(row) - 9 :] for row in rich]


def _first_of_each(rows: Sequence[tuple[Any, ...]]) -> Sequence[tuple[Any, ...]]:
    """Leave out rows whose condition and replicate a row before them has."""
    return tuple({row[:2]: row for row in reversed(rows)}.values())[::-1]


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
