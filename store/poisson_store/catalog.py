"""A store: a directory of runs, their names, baselines and saved comparisons."""

from __future__ import annotations

import os
import tempfile
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import datetime, timezone
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from poisson_store.connection import connect, now_text
from poisson_store.errors import StoreError, UnknownRunError, storage_errors
from poisson_store.index import Index
from poisson_store.late_spans import add_spans
from poisson_store.listing import list_runs, summarize
from poisson_store.merge import copy_episodes, merged_record, merged_status
from poisson_store.names import SUFFIX, check_name, find_run, is_run_id, new_run_id
from poisson_store.reader import RunReader
from poisson_store.recover import Wreck
from poisson_store.transfer import export_run, hold_the_same, refuse_if_written, unpack_run
from poisson_store.writer import RunWriter, create_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from poisson_store.late_spans import AddedSpans
    from poisson_store.records import Json, RunRecord, RunSummary, Span

_AT_ONCE = 5_000


def _utc_now() -> datetime:
    return datetime.now(timezone.utc)


def _four_hex() -> str:
    return os.urandom(2).hex()


class Store:
    """A directory with one SQLite file a run; made when the first run is.

    Parameters
    ----------
    path : str or Path
        The directory.
    clock : callable, optional
        Gives the present time in UTC.
    new_suffix : callable, optional
        Gives the 4 hex digits that end a run id.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        clock: Callable[[], datetime] = _utc_now,
        new_suffix: Callable[[], str] = _four_hex,
    ) -> None:
        self.path = Path(path)
        self._clock = clock
        self._new_suffix = new_suffix
        self._index = Index(self.path)

    def create(self, record: RunRecord) -> RunWriter:
        """Begin a run; its run id, name (default: the run id) and time of creation are filled in where empty.

        Raises
        ------
        StoreError
            If the name is taken or not allowed, or the directory cannot be written.
        """
        with self._index.lock():
            run = self._complete(record)
            create_file(self._file(run.run_id), run)
            return RunWriter(self._file(run.run_id))

    @contextmanager
    def draft(self, record: RunRecord) -> Iterator[RunWriter]:
        """Write a run that nobody sees before it is whole; on an exception nothing of it is left.

        Raises
        ------
        StoreError
            As `create` does, and again when the run is whole, should its name be taken meanwhile.
        """
        run = self._complete(record)
        with self._draft() as draft:
            create_file(draft, run)
            with RunWriter(draft) as writer:
                yield writer
            self._admit(draft, run.run_id, run.name)

    def check_free(self, name: str) -> None:
        """Check that a run may be given this name.

        Raises
        ------
        StoreError
            If it is not allowed or taken.
        """
        self._refuse_taken("", check_name(name))

    def reopen(self, name: str) -> RunWriter:
        """Continue a run.

        Raises
        ------
        StoreError
            If the run's writer is alive, or the run cannot be written.
        """
        path = self.resolve(name)
        with self._index.lock():
            refuse_if_written(path)
            return RunWriter(path)

    def runs(self) -> list[RunSummary]:
        """List every run, newest first; a damaged file is listed with its problem."""
        return list_runs(self.path, self._index)

    def resolve(self, name: str) -> Path:
        """Find the one run that is meant.

        Parameters
        ----------
        name : str
            A run id, a name, the unique beginning of a run id, `latest` (the newest complete run of a whole
            suite), `@baseline`, or the path of a run file.

        Raises
        ------
        UnknownRunError
            If there is none or more than one; the message names candidates.
        """
        if name.startswith("@"):
            baselines = self.baselines()
            if name[1:] not in baselines:
                raise UnknownRunError(self._index.no_baseline(name[1:]))
            name = baselines[name[1:]]
        if is_run_id(name) and self._file(name).is_file():
            return self._file(name)
        if name.endswith(SUFFIX):
            return self._run_file(Path(name))
        return find_run(self.runs(), name, self.path).path

    def open(self, name: str) -> RunReader:
        """Open the run that `resolve` finds, for reading."""
        return RunReader(self.resolve(name))

    def set_baseline(self, baseline: str, name: str) -> str:
        """Let `@baseline` mean the run that `name` resolves to now; return its run id."""
        check_name(baseline, what="baseline name")
        run_id = summarize(self.resolve(name)).run_id
        self._index.set_baseline(baseline, run_id)
        return run_id

    def remove_baseline(self, baseline: str) -> None:
        """Forget a baseline."""
        self._index.remove_baseline(baseline)

    def baselines(self) -> dict[str, str]:
        """Map each baseline to its run id."""
        return self._index.baselines()

    def export_run(self, name: str, file: str | Path) -> Path:
        """Write one run as one new file with a checksum, atomically.

        Raises
        ------
        StoreError
            If the run is being written, or the file exists.
        """
        export_run(self.resolve(name), Path(file))
        return Path(file)

    def import_run(self, file: str | Path, *, name: str | None = None) -> str:
        """Add an exported run (or a plain run file) to the store, atomically, and return its run id.

        Where the very same run is there already, under the name asked for if one is, nothing is done.

        Parameters
        ----------
        file : str or Path
            What `export_run` wrote, or a run's own file.
        name : str, optional
            The name to give it here; by default the one it has.

        Raises
        ------
        StoreError
            If the file is truncated or damaged, or its name is taken, or a run of its id is in the store that holds
            something else or has another name than is asked for.
        """
        with self._draft() as draft:
            unpack_run(Path(file), draft)
            found = summarize(draft)
            if not is_run_id(found.run_id):
                raise StoreError(f"{file} has the run id {found.run_id!r}, which is none.")
            present = self._file(found.run_id)
            if present.is_file() and hold_the_same(draft, present):
                known_as = summarize(present).name
                if name in (None, known_as):
                    return found.run_id
                raise StoreError(
                    f"Run {found.run_id} is in {self.path} already, as {known_as!r}; it cannot be {name!r} as well."
                )
            self._admit(draft, found.run_id, name or found.name)
            return found.run_id

    def merge(self, names: Sequence[str], *, name: str = "") -> str:
        """Join parts of one design (shards, selections) into a new run and return its run id.

        Raises
        ------
        StoreError
            If the parts differ in salt, declarations or variant, hold a replicate twice, or are being written.
        """
        paths = [self.resolve(part) for part in names]
        for part, path in zip(names, paths, strict=True):
            if paths.count(path) > 1:
                raise StoreError(f"Run {part!r} was given more than once; each part may come once.")
        parts = []
        for path in paths:
            refuse_if_written(path)
            with RunReader(path) as reader:
                parts.append(reader.run)
        run = self._complete(replace(merged_record(parts), name=name))
        with self._draft() as draft:
            create_file(draft, run)
            copy_episodes(draft, paths, merged_status(parts), now_text())
            self._admit(draft, run.run_id, run.name)
        return run.run_id

    def recover(self, file: str | Path, *, name: str = "") -> str:
        """Save what can be read of a damaged run file as a new, interrupted run and return its run id.

        The damaged file is left as it is.

        Raises
        ------
        DamagedRunError
            If not even the run's declarations can be read.
        """
        with Wreck(Path(file)) as wreck:
            settings = {**wreck.run.settings, "recovered_from": wreck.run.run_id}
            record = replace(wreck.run, run_id="", name=name, created_at="", ended_at=None, settings=settings)
            with self.create(record) as writer:
                rows = wreck.rows()
                while batch := list(islice(rows, _AT_ONCE)):
                    writer.add(batch)
                writer.finish("interrupted")
        return writer.run.run_id

    def add_spans(self, name: str, spans: Iterable[tuple[str, int, Span]]) -> AddedSpans:
        """Add spans, by condition key and replicate, to the stored episodes of a run that nobody writes.

        A span that its episode has already, by its id, is left as it is, so that a file may be added twice.

        Raises
        ------
        StoreError
            If the run is being written, a span cannot be stored, or the disk refuses.
        """
        path = self.resolve(name)
        with self._index.lock():
            refuse_if_written(path)
            return add_spans(path, spans)

    def save_comparison(self, comparison_id: str, result: Mapping[str, Json]) -> None:
        """Keep a comparison's result under its id; the same id again replaces it."""
        self._index.save_comparison(comparison_id, result)

    def comparison(self, comparison_id: str) -> Mapping[str, Json]:
        """Read a saved comparison by its id or the unique beginning of one."""
        return self._index.comparison(comparison_id)

    def forget_comparisons(self, comparison_ids: Sequence[str]) -> list[str]:
        """Delete saved comparisons, by id or the unique beginning of one; all of them or, where one is none, none."""
        return self._index.forget_comparisons(comparison_ids)

    def comparisons(self) -> dict[str, str]:
        """Map the ids of the saved comparisons, newest first, to when each was saved (ISO 8601, UTC)."""
        return self._index.comparisons()

    def _file(self, run_id: str) -> Path:
        return self.path / f"{run_id}{SUFFIX}"

    def _run_file(self, path: Path) -> Path:
        for place in (path, self.path / path):
            if place.is_file():
                return place
        raise UnknownRunError(f"There is no run file {path}, here or in {self.path}.")

    def _complete(self, record: RunRecord) -> RunRecord:
        """Fill in what a store gives a new run, and check its name."""
        now = self._clock()
        run_id = record.run_id or new_run_id(now, self._new_suffix, lambda taken: self._file(taken).exists())
        name = check_name(record.name or run_id, run_id=run_id)
        self._refuse_taken(run_id, name)
        created_at = record.created_at or now.isoformat(timespec="milliseconds")
        return replace(record, run_id=run_id, name=name, created_at=created_at, status="running")

    def _refuse_taken(self, run_id: str, name: str) -> None:
        for run in self.runs():
            if run.run_id == run_id or run.path == self._file(run_id):
                raise StoreError(f"Run {run_id} is in {self.path} already; a run is never overwritten.")
            if run.name == name:
                raise StoreError(
                    f"The name {name!r} is taken by run {run.run_id} in {self.path}; choose another."
                )

    @contextmanager
    def _draft(self) -> Iterator[Path]:
        """Give the path of a file that no one sees until `_admit` has made it a run."""
        with self._index.lock(), storage_errors(self.path, "write"):
            folder = tempfile.TemporaryDirectory(prefix=".draft-", dir=self.path)
        with folder as place:
            yield Path(place, f"run{SUFFIX}")

    def _admit(self, draft: Path, run_id: str, name: str) -> None:
        check_name(name, run_id=run_id)
        with self._index.lock(), storage_errors(draft, "write"):
            self._refuse_taken(run_id, name)
            with closing(connect(draft, "rw")) as connection:
                connection.execute("UPDATE run SET name = ?", (name,))
            draft.rename(self._file(run_id))
