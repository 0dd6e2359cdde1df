"""Rows a second that a sweep stores from simulated Modal containers, beside one call for each replicate.

Run: python benchmarks/modal_ingest.py [--rows N] [--containers N]

Everything of the controlling process is real: dealing, the client's thread, decoding, the store. Only Modal is not:
each call is answered at once, in this process, with the rows of its batch. Prints rows a second, what a batch and a
row cost, peak memory and the size of the store.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from contextlib import asynccontextmanager
from pathlib import Path

from poisson_store import Store
from poisson_store.records import ConditionRecord, RolloutRecord, RunRecord
from pytest_poisson.backends.modal.backend import ModalBackend
from pytest_poisson.backends.modal.image import Recipe, this_python
from pytest_poisson.backends.modal.project import Project
from pytest_poisson.backends.modal.requirements import Requirements
from pytest_poisson.backends.modal.settings import ModalSettings
from pytest_poisson.backends.modal.wire import Call, Reply, reply_bytes
from pytest_poisson.job import Job
from pytest_poisson.sweep import Sweep

CONDITIONS = 50
SECONDS_EACH = 0.3  # what a replicate claims to take, so that batches hold 64 or so
META = json.dumps({"model": "small", "calls": 7, "note": "the tool answered late, once"})


def answer(payload: bytes) -> bytes:
    """Return what a container would: a row of about 120 bytes for each replicate."""
    batch = Call.from_bytes(payload).batch
    rows = [
        b"[%d,%d,%d,%d,null,%d,12,1700000000000000000,0.300012,null,%s]"
        % (batch.condition, each, each * 7919, each % 2, each % 12, json.dumps(META).encode())
        for each in batch.replicates()
    ]
    rest = b",null" * 6 + b"]"
    done = [row[:-1] + rest for row in rows]
    return reply_bytes(Reply(batch.only([]), seconds=SECONDS_EACH * len(batch)), done)


def simulated(calls: list[int]):
    """Return what opens a session with a Modal that answers at once, and counts calls."""

    def connect(*_):
        @asynccontextmanager
        async def session():
            async def remote(payload: bytes) -> bytes:
                calls[0] += 1
                return answer(payload)

            yield remote

        return session

    return connect


def sweep(directory: Path, rows: int, containers: int, batch: int) -> tuple[float, float, int, int]:
    """Store so many rows; return the seconds it took, those of a core, the calls, and the bytes of the store."""
    each = rows // CONDITIONS
    keys = tuple(f"{index:016x}" for index in range(CONDITIONS))
    record = RunRecord(
        salt="0" * 32,
        rollouts=(RolloutRecord("it", ("won", "lost")),),
        conditions=tuple(
            ConditionRecord(key, "it", {"axis": key}, "test_it.py::test_it", each) for key in keys
        ),
    )
    writer = Store(directory / "store").create(record)
    calls = [0]
    backend = ModalBackend(
        ModalSettings(containers=containers, batch=batch),
        Recipe(this_python(), Requirements("none"), ()),
        Project(directory, (), 0),
        simulated(calls),
    )
    backend.outlook(rows, SECONDS_EACH if batch > 1 else 60.0)
    job = Job((), str(directory), (), writer.run.run_id, record.salt, {}, record.outcomes, keys)
    work = Sweep([((0, each),)] * CONDITIONS, job=job, backend=backend, writer=writer, show=lambda _: None)
    if batch == 1:
        work._sizer._cap = 1  # noqa: SLF001  the alternative that no setting offers
    started, cpu_started = time.perf_counter(), time.process_time()
    work.run()
    seconds, cpu_s = time.perf_counter() - started, time.process_time() - cpu_started
    return seconds, cpu_s, calls[0], sum(file.stat().st_size for file in (directory / "store").iterdir())


def main() -> None:
    """Print the figures of both ways, and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--containers", type=int, default=64)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        few = arguments.rows // 20
        alone_s, _, _, _ = sweep(Path(directory) / "alone", few, arguments.containers, batch=1)
    with tempfile.TemporaryDirectory() as directory:
        seconds, cpu_s, calls, size = sweep(Path(directory), arguments.rows, arguments.containers, batch=64)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    rate, alone_rate = arguments.rows / seconds, few / alone_s
    print(
        f"{arguments.containers} containers, {calls:,} calls of {arguments.rows / calls:.0f} rows: {rate:,.0f} rows/s, "
        f"{arguments.rows / cpu_s:,.0f} a second of a core, "
        f"{1e3 * seconds / calls:.2f} ms a batch; {size / arguments.rows:.0f} bytes a row in the store, "
        f"peak memory {peak:.0f} MiB"
    )
    print(f"one call a replicate: {alone_rate:,.0f} rows/s; batches: {rate / alone_rate:.1f} times more")


if __name__ == "__main__":
    main()
