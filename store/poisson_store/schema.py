"""The file format of a run: its tables as commented text, its version and the way from older versions.

`DDL` is the only source: files are made from it and `docs/store.md` is generated from it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from poisson_store.records import CAUSES, KINDS

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping, Sequence

APPLICATION_ID = 0x504F4953
"""`POIS`: tells a run from any other SQLite file."""

HISTORY = {
    1: "The first format.",
}
"""What each format version changed."""

VERSION = max(HISTORY)
"""The format this version writes."""

DDL = """\
-- The run itself; exactly one row.
CREATE TABLE run (
    run_id TEXT NOT NULL,           -- UTC time of creation and four hex digits; the file is named after it
    name TEXT NOT NULL,             -- unique in its store; the run id where none was given
    salt TEXT NOT NULL,             -- 32 hex digits; seeds follow from salt, condition key and replicate
    status TEXT NOT NULL,           -- running, complete, partial or interrupted
    created_at TEXT NOT NULL,       -- ISO 8601, UTC
    ended_at TEXT,                  -- ISO 8601, UTC; NULL while running
    paired_with TEXT,               -- run id of the run whose salt was taken
    selection TEXT,                 -- what a partial selection was; NULL for the whole suite
    suite TEXT,                     -- SHA-256 in hex of all condition keys there were to select from
    shard INTEGER,                  -- which part of `shards`, from 1; NULL without sharding
    shards INTEGER,                 -- into how many parts the sweep was cut
    environment TEXT NOT NULL,      -- JSON object: Python, platform, packages, commit, command line
    variant TEXT NOT NULL,          -- JSON object of texts: the variant that was measured
    settings TEXT NOT NULL          -- JSON object: options of the sweep
);

-- Each process that wrote to the run; the last one is the writer of a run that is running.
CREATE TABLE sessions (
    session INTEGER PRIMARY KEY,    -- in order of time
    host TEXT NOT NULL,             -- name of the writer's machine
    pid INTEGER NOT NULL,           -- process id there
    process_started TEXT NOT NULL,  -- when that process began, as its system tells it; pids are used again
    started_at TEXT NOT NULL,       -- ISO 8601, UTC
    beat_ns INTEGER NOT NULL,       -- last sign of life, UTC epoch ns
    ended_at TEXT,                  -- ISO 8601, UTC; NULL while running, or where the writer died
    status TEXT                     -- the run's status at the end of this session
);

-- The format versions this file has had.
CREATE TABLE history (
    version INTEGER PRIMARY KEY,    -- format version
    reached_at TEXT NOT NULL        -- ISO 8601, UTC: when the file was made or migrated
);

-- The rollouts as declared, in the order of collection.
CREATE TABLE rollouts (
    rollout INTEGER PRIMARY KEY,    -- from 0
    id TEXT NOT NULL UNIQUE,        -- what pairs across runs
    outcomes TEXT NOT NULL,         -- JSON array of texts
    failures TEXT NOT NULL,         -- JSON array of texts, a subset of outcomes
    successes TEXT NOT NULL,        -- JSON array of texts, a subset of outcomes
    t_unit TEXT,                    -- what t counts
    nodeid TEXT NOT NULL,           -- the test function's pytest id
    settings TEXT NOT NULL          -- JSON object: the other arguments of the mark
);

-- Every declared outcome once, in the order of first mention.
CREATE TABLE outcomes (
    outcome INTEGER PRIMARY KEY,    -- from 0
    word TEXT NOT NULL UNIQUE
);

-- The causes of having no outcome.
CREATE TABLE causes (
    cause INTEGER PRIMARY KEY,      -- from 0
    word TEXT NOT NULL UNIQUE
);

-- The conditions, in the order of collection.
CREATE TABLE conditions (
    condition INTEGER PRIMARY KEY,  -- from 0
    key TEXT NOT NULL UNIQUE,       -- 16 hex digits of SHA-256 over the canonical JSON of axes and rollout id
    rollout INTEGER NOT NULL REFERENCES rollouts,
    axes TEXT NOT NULL,             -- JSON object of axis values
    nodeid TEXT NOT NULL,           -- the item's pytest id
    planned INTEGER NOT NULL        -- replicates this run set out to make
);

-- What each replicate left. Wide or rare values are in tables of their own, so that counting reads little.
CREATE TABLE episodes (
    condition INTEGER NOT NULL REFERENCES conditions,
    replicate INTEGER NOT NULL,     -- from 0
    seed INTEGER,                   -- 0 to 2**32 - 1; NULL where an imported result has none
    outcome INTEGER REFERENCES outcomes,
    cause INTEGER REFERENCES causes,
    t,                              -- integer or real, in the rollout's t_unit
    horizon,                        -- integer or real, the most t could have been
    started_ns INTEGER,             -- UTC epoch ns
    wall_s REAL,                    -- seconds
    CHECK ((outcome IS NULL) <> (cause IS NULL)),
    CHECK (typeof(replicate) = 'integer' AND replicate >= 0),
    PRIMARY KEY (replicate, condition)
) WITHOUT ROWID;

-- What the spans of an episode add up to, for the episodes that have any.
CREATE TABLE traces (
    condition INTEGER NOT NULL,
    replicate INTEGER NOT NULL,
    tokens_in INTEGER,              -- NULL where no span had one
    tokens_out INTEGER,             -- NULL where no span had one
    unknown_usage INTEGER,          -- model calls without usage, each once; unknown, not 0
    spans_left_out INTEGER,         -- spans beyond the cap; above 0 the episode is capped
    leaves INTEGER,                 -- spans that are parent of none
    last_leaf INTEGER,              -- position of the last leaf, ordered by start_ns, then span_id
    PRIMARY KEY (replicate, condition)
) WITHOUT ROWID;

-- Errors and meta of the episodes that have any.
CREATE TABLE notes (
    condition INTEGER NOT NULL,
    replicate INTEGER NOT NULL,
    error TEXT,
    meta TEXT,                      -- JSON object
    PRIMARY KEY (replicate, condition)
) WITHOUT ROWID;

-- Earlier attempts of replicates that were retried, on the same seed, after an infrastructure error.
CREATE TABLE attempts (
    condition INTEGER NOT NULL,
    replicate INTEGER NOT NULL,
    attempt INTEGER NOT NULL,       -- from 1
    error TEXT NOT NULL,
    started_ns INTEGER NOT NULL,    -- UTC epoch ns
    wall_s REAL NOT NULL,           -- seconds
    PRIMARY KEY (replicate, condition, attempt)
) WITHOUT ROWID;

-- The kinds of span.
CREATE TABLE kinds (
    kind INTEGER PRIMARY KEY,       -- from 0
    word TEXT NOT NULL UNIQUE
);

-- Bodies and attributes of spans, each distinct text once.
CREATE TABLE texts (
    text INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE,    -- SHA-256 of the text's bytes
    bytes INTEGER NOT NULL,         -- length of the text's bytes
    packed INTEGER NOT NULL,        -- 1 where body is compressed (zlib), else 0
    body BLOB NOT NULL              -- UTF-8; lone surrogates are kept as three bytes
);

-- The timed steps of the episodes, in the order they were recorded.
CREATE TABLE spans (
    condition INTEGER NOT NULL,
    replicate INTEGER NOT NULL,
    position INTEGER NOT NULL,      -- from 0
    span_id TEXT NOT NULL,          -- unique in its episode
    parent_id TEXT,                 -- span_id of the enclosing span
    kind INTEGER NOT NULL,          -- of kinds
    name TEXT NOT NULL,
    start_ns INTEGER NOT NULL,      -- UTC epoch ns
    end_ns INTEGER NOT NULL,        -- UTC epoch ns
    input INTEGER,                  -- of texts; NULL where there was none or it was not kept
    output INTEGER,                 -- of texts; NULL where there was none or it was not kept
    tokens_in INTEGER,              -- as the provider reported; NULL is unknown
    tokens_out INTEGER,             -- as the provider reported; NULL is unknown
    attrs INTEGER,                  -- of texts: a JSON object; NULL where it is empty
    error TEXT,
    step TEXT,                      -- the named step it belongs to
    PRIMARY KEY (replicate, condition, position)
) WITHOUT ROWID;

-- What the bodies were that were cut or not kept.
CREATE TABLE cuts (
    condition INTEGER NOT NULL,
    replicate INTEGER NOT NULL,
    position INTEGER NOT NULL,      -- of the span
    side TEXT NOT NULL,             -- input or output
    bytes INTEGER NOT NULL,         -- full length in UTF-8
    digest TEXT NOT NULL,           -- SHA-256 in hex of the full text
    PRIMARY KEY (replicate, condition, position, side)
) WITHOUT ROWID;

-- Episodes counted by condition and outcome or cause; filled when the run ends, empty while it is running.
CREATE TABLE tallies (
    condition INTEGER NOT NULL,
    outcome INTEGER,
    cause INTEGER,
    episodes INTEGER NOT NULL
);

-- Episodes in words, for reading by hand.
CREATE VIEW readable AS
    SELECT conditions.key, rollouts.id AS rollout, conditions.axes, replicate, seed,
           outcomes.word AS outcome, causes.word AS cause, t, horizon, started_ns, wall_s,
           tokens_in, tokens_out, unknown_usage, error, meta
    FROM episodes
    JOIN conditions USING (condition)
    JOIN rollouts ON rollouts.rollout = conditions.rollout
    LEFT JOIN outcomes ON outcomes.outcome = episodes.outcome
    LEFT JOIN causes ON causes.cause = episodes.cause
    LEFT JOIN traces USING (replicate, condition)
    LEFT JOIN notes USING (replicate, condition);
"""

BY_EPISODE = ("episodes", "traces", "notes", "attempts", "spans", "cuts")
"""The tables whose rows belong to one (condition, replicate)."""

MIGRATIONS: Mapping[int, Sequence[str]] = {}
"""The statements that lead to each version from the one before; a new column goes to the end of its table."""


def create_tables(connection: sqlite3.Connection, now: str) -> None:
    """Make an empty run of the present version; `now` is ISO 8601 in UTC."""
    connection.executescript(f"BEGIN; {DDL}")
    connection.executemany("INSERT INTO causes VALUES (?, ?)", enumerate(CAUSES))
    connection.executemany("INSERT INTO kinds VALUES (?, ?)", enumerate(KINDS))
    connection.execute("INSERT INTO history VALUES (?, ?)", (VERSION, now))
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")


def migrate(
    connection: sqlite3.Connection,
    now: str,
    *,
    migrations: Mapping[int, Sequence[str]] | None = None,
    version: int | None = None,
) -> list[int]:
    """Bring an older run up to a version (default: the present one), each step in one transaction with its record in `history`.

    Returns the versions reached, in order; none where the file is up to date. A step that fails leaves the
    file as it was before that step. Another process may be migrating the same file.
    """
    steps = MIGRATIONS if migrations is None else migrations
    goal = VERSION if version is None else version
    reached: list[int] = []
    while (present := _take_version(connection)) < goal:
        try:
            for statement in steps[present + 1]:
                connection.execute(statement)
            connection.execute("INSERT INTO history VALUES (?, ?)", (present + 1, now))
            connection.execute(f"PRAGMA user_version = {present + 1}")
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")
        reached.append(present + 1)
    connection.execute("ROLLBACK")
    return reached


def _take_version(connection: sqlite3.Connection) -> int:
    """Lock the file for writing, so that nobody else migrates it, and read its version."""
    connection.execute("BEGIN IMMEDIATE")
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)
