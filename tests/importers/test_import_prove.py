"""Runs of the store that prove writes."""

import hashlib
import json

import pytest

from poisson_store import Store
from tests.importers.bring import assert_refused, axes, bring, endings, episodes, run_record

pyarrow = pytest.importorskip("pyarrow")
from pyarrow import parquet  # noqa: E402

MANIFEST = {
    "run_salt": "f" * 32,
    "target_id": "suite::agent",
    "t_unit": "turns",
    "axis_types": {"size": "int"},
    "status": "complete",
    "created_at": "2025-11-01T00:00:00Z",
    "environment": {"python": "3.12"},
}


def row(size, replicate, outcome="resolved", **more):
    """Return a row as its Parquet files have it."""
    config = {"size": size, "na\u00efve": "\u00e9"}
    compact = json.dumps(config, sort_keys=True, separators=(",", ":"))
    return {
        "run_id": "r1",
        "config": json.dumps(config),
        "config_hash": hashlib.sha256(compact.encode()).hexdigest()[:16],
        "replicate_index": replicate,
        "seed": 2**40 + replicate,
        "outcome": outcome,
        "error": None,
        "meta": '{"note": 1}',
        "trace_obs": '["secret"]',
        "t": 3.0,
        "horizon": float("nan"),
        "wall_time": 0.5,
        **more,
    }


def write(folder, *parts, manifest=MANIFEST):
    """Write a run and return its directory."""
    (folder / "episodes").mkdir(parents=True)
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    for number, rows in enumerate(parts):
        parquet.write_table(
            pyarrow.Table.from_pylist(rows), folder / "episodes" / f"part-{number:04}.parquet"
        )
    return folder


DRAWN = {"paired_by": None}
PARTS = [[row(1, 0), row(1, 1, "timeout")], [row(2, 0, None, error="Boom: x\ntrace")]]


def key(size):
    return axes(naïve="\u00e9", size=size)


def test_a_run(tmp_path):
    """Config, replicate, seed, outcome, t, meta and error are those of the rows; the salt and target are kept."""
    report = bring(tmp_path, "prove", [write(tmp_path / "p", *PARTS)], failures=("timeout",), **DRAWN)
    assert endings(tmp_path) == {(key(1), 0): "resolved", (key(1), 1): "timeout", (key(2), 0): "errored"}
    first, broken = episodes(tmp_path)[key(1), 0], episodes(tmp_path)[key(2), 0]
    assert (first.seed, first.t, first.horizon, first.wall_s, first.meta) == (
        2**40,
        3.0,
        None,
        0.5,
        {"note": 1},
    )
    assert broken.error == "Boom: x"
    record = run_record(tmp_path)
    assert (record.salt, record.rollouts[0].id, record.rollouts[0].t_unit) == (
        "f" * 32,
        "suite::agent",
        "turns",
    )
    assert (report.paired_by, report.status) == ("salt", "complete")


def test_two_runs_of_one_salt_pair(tmp_path):
    """Imports that keep one salt and its seeds are compared in pairs."""
    from pytest_poisson.analyses.diff import diff

    for name in ("before", "after"):
        bring(tmp_path, "prove", [write(tmp_path / name, *PARTS)], name, failures=("timeout",), **DRAWN)
    store = Store(tmp_path / "store")
    with store.open("before") as before, store.open("after") as after:
        result = diff(before, after)
    assert (result.method, result.refusal) == ("mcnemar_bh", None)


def test_observations_are_kept_on_request(tmp_path):
    """What was observed along the way is text: it is stored only where that is asked for."""
    folder = write(tmp_path / "p", *PARTS)
    for name, keep_text in (("without", False), ("with", True)):
        bring(tmp_path, "prove", [folder], name, keep_text=keep_text, **DRAWN)
        assert ("texts" in episodes(tmp_path, name)[key(1), 0].meta) == keep_text


def test_a_run_that_did_not_finish(tmp_path):
    """Any status but complete and partial is `interrupted`."""
    folder = write(tmp_path / "p", *PARTS, manifest={**MANIFEST, "status": "started"})
    assert bring(tmp_path, "prove", [folder], **DRAWN).status == "interrupted"


@pytest.mark.parametrize(
    ("parts", "manifest", "words"),
    [
        ([], MANIFEST, ["no episodes/part-*.parquet"]),
        (PARTS, {"status": "complete"}, ["names no run_salt"]),
        ([[{"config": "{}", "seed": 1, "outcome": "x"}]], MANIFEST, ["no column 'replicate_index'"]),
        ([[row(1, 0, config="{")]], MANIFEST, ["config is broken JSON"]),
        ([[row(1, 0, config="[]")]], MANIFEST, ["an object is expected"]),
        ([[row(1, 0, config_hash="0" * 16)]], MANIFEST, ["config_hash='0000000000000000'"]),
        ([[row(1, 0), row(1, 0)]], MANIFEST, ["row 2 is replicate 0"]),
        ([[row(1, 0, None)]], MANIFEST, ["None of the 1 cases"]),
        ([[row(1, 0, config=None)]], MANIFEST, ["row 1 has no config"]),
        ([[row(1, 0, config=3)]], MANIFEST, ["config=3 must be a text"]),
        ([[row(1, 0, config_hash=[1])]], MANIFEST, ["config_hash=[1]"]),
        ([[row(1, 0, 1)]], MANIFEST, ["outcome=1 must be a printable word"]),
        ([[row(1, 0, seed="s")]], MANIFEST, ["seed='s' must be a whole number"]),
        ([[row(1, 0, meta=3)]], MANIFEST, ["meta=3 must be a text"]),
        (PARTS, {**MANIFEST, "t_unit": 3}, ["t_unit=3 must be a text"]),
    ],
)
def test_what_is_refused(tmp_path, parts, manifest, words):
    """A run that lacks a part, a column or its salt is one sentence; nothing is written."""
    folder = write(tmp_path / "p", *parts, manifest=manifest)
    assert_refused(tmp_path, "prove", [folder], *words, **DRAWN)


def test_other_files_are_refused(tmp_path):
    """What is no directory with a manifest is no run."""
    assert_refused(tmp_path, "prove", [tmp_path], "no run of prove", **DRAWN)
    folder = write(tmp_path / "p", *PARTS)
    (folder / "episodes" / "part-0001.parquet").write_bytes(b"PAR1")
    assert_refused(tmp_path, "prove", [folder], "part-0001.parquet", "truncated", **DRAWN)
