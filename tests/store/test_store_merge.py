"""Joining parts of one design."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from poisson_store import Store, StoreError
from poisson_store.records import ConditionRecord, RolloutRecord, suite_digest
from tests.store.support import SALT, SUPPORT, full_row, key, make_run, numbers, stem_files, write

SUITE = suite_digest(key(n) for n in range(4))
ROWS = [full_row(c, r) if (c + r) % 3 == 0 else numbers(c, r, r % 3) for r in range(8) for c in range(4)]


def part(run, chosen, **changes):
    """Give the part of a run with some of its conditions, in their order."""
    return replace(run, conditions=tuple(run.conditions[number] for number in chosen), **changes)


def write_part(store, name, chosen, keeps=lambda row: True, planned=8, **changes):
    run = part(make_run(4, planned, name=name, suite=SUITE), chosen, **changes)
    rows = [(chosen.index(row[0]), *row[1:]) for row in ROWS if row[0] in chosen and keeps(row)]
    return write(store, rows, run)


def episodes(store, name):
    with store.open(name) as reader:
        return list(reader.episodes(spans=True)), reader.run, reader.accounting_by_condition()


@pytest.mark.parametrize("seed", range(3))
def test_shards_give_the_run_they_were_cut_from(tmp_path, seed):
    """Whatever way replicates are dealt to shards, and in whatever order these come, the merged run is the whole one."""
    store, draw = Store(tmp_path), random.Random(seed)
    shards = {row[:2]: draw.randrange(3) for row in ROWS}
    for number in range(3):
        mine = [place for place, shard in shards.items() if shard == number]
        conditions = tuple(
            replace(condition, planned=sum(place[0] == n for place in mine))
            for n, condition in enumerate(make_run(4).conditions)
        )
        run = make_run(name=f"part{number}", conditions=conditions, shard=(number + 1, 3), suite=SUITE)
        write(store, [row for row in ROWS if row[:2] in mine], run)
    names = [f"part{number}" for number in range(3)]
    draw.shuffle(names)
    run_id = store.merge(names, name="whole")
    write(store, ROWS, make_run(4, 8, name="undisturbed"))
    merged, run, accounts = episodes(store, "whole")
    undisturbed, _, expected = episodes(store, "undisturbed")
    assert merged == undisturbed
    assert accounts == expected
    assert (run.run_id, run.status, run.whole, run.shard) == (run_id, "complete", True, None)
    assert [source["name"] for source in run.settings["merged_from"]] == names
    assert sorted(stem_files(tmp_path)) == sorted(f"{summary.run_id}.sqlite" for summary in store.runs())


def test_selections_that_cover_the_suite_give_the_whole_run(tmp_path):
    """Two `-k` parts with every condition of the suite between them are a whole run; conditions match by key."""
    store = Store(tmp_path)
    write_part(store, "a", [2, 0], selection="-k a")
    write_part(store, "b", [3, 1], selection="-k b")
    store.merge(["a", "b"], name="whole")
    write(store, ROWS, make_run(4, 8, name="undisturbed"))
    merged, run, accounts = episodes(store, "whole")
    undisturbed, _, expected = episodes(store, "undisturbed")
    assert sorted(merged, key=lambda e: (e.condition, e.replicate)) == undisturbed
    assert accounts == expected
    assert run.whole
    assert store.resolve("latest") != store.resolve("whole")


def test_selections_that_leave_something_out_stay_a_selection(tmp_path):
    """What the parts leave out of their suite is remembered, so that the run never becomes `latest`."""
    store = Store(tmp_path)
    write_part(store, "a", [0], selection="-k a")
    write_part(store, "b", [1], selection="-k b")
    store.merge(["a", "b"], name="ab")
    assert episodes(store, "ab")[1].selection == "-k a; -k b"
    write_part(store, "one", [0, 1, 2, 3], shard=(1, 3), keeps=lambda row: row[1] % 3 == 0)
    write_part(store, "two", [0, 1, 2, 3], shard=(2, 3), keeps=lambda row: row[1] % 3 == 1)
    store.merge(["one", "two"], name="shards")
    assert episodes(store, "shards")[1].selection == "shard 1/3, 2/3"


@pytest.mark.parametrize(
    ("statuses", "expected"),
    [
        (("complete", "complete"), "complete"),
        (("complete", "partial"), "partial"),
        (("partial", "interrupted"), "interrupted"),
    ],
)
def test_a_merged_run_is_no_more_complete_than_its_parts(tmp_path, statuses, expected):
    """The worst end among the parts is the end of the whole."""
    store = Store(tmp_path)
    for number, status in enumerate(statuses):
        run = part(make_run(4, name=str(number)), [number])
        write(store, [numbers()], run, status)
    store.merge(["0", "1"], name="both")
    assert episodes(store, "both")[1].status == expected


def test_vocabularies_are_joined_by_word(tmp_path):
    """Parts that declare different rollouts have different outcome numbers; words decide."""
    store = Store(tmp_path)
    other = RolloutRecord("other", ("violated", "won", "resolved"))
    write(store, [numbers(0, 0, 2)], part(make_run(1, name="a"), [0]))
    conditions = (ConditionRecord(key(9), "other", {}, planned=3),)
    write(
        store,
        [numbers(0, n, n) for n in range(3)],
        make_run(rollouts=(other,), conditions=conditions, name="b"),
    )
    store.merge(["a", "b"], name="ab")
    with store.open("ab") as reader:
        assert reader.outcome_counts() == {
            key(0): {"violated": 1},
            key(9): {"violated": 1, "won": 1, "resolved": 1},
        }


CLASHES = {
    "differ in salt": {"salt": "f" * 32},
    "differ in variant": {"variant": {"model": "b"}},
    "differ in paired_with": {"paired_with": "20260101T000000Z-0000"},
    "differ in suite": {"suite": "0" * 64},
    "differ in stop_early": {"settings": {"stop_early": {"rule": "sign_ebh"}}},
    "has outcomes": {"rollouts": (replace(SUPPORT, outcomes=("resolved", "timeout", "violated", "new")),)},
    "has failures": {"rollouts": (replace(SUPPORT, failures=("violated",)),)},
    "has t_unit": {"rollouts": (replace(SUPPORT, t_unit="s"),)},
    "differ in q": {"settings": {"q": 0.2}},
    "differ in max_mde": {"settings": {"max_mde": 0.5}},
    "differ in method": {"settings": {"method": "boschloo_bh"}},
    "differ in margin": {"settings": {"margin": 0.1}},
    "has at_most": {"rollouts": (replace(SUPPORT, settings={"at_most": {"timeout": 0.05}}),)},
    "has at_least": {"rollouts": (replace(SUPPORT, settings={"at_least": {"resolved": 0.9}}),)},
    "has shared_seed_axes": {"rollouts": (replace(SUPPORT, settings={"shared_seed_axes": ["task"]}),)},
    "has raises": {"rollouts": (replace(SUPPORT, settings={"raises": {"KeyError": "timeout"}}),)},
}


@pytest.mark.parametrize(("named", "changes"), CLASHES.items(), ids=list(CLASHES))
def test_parts_of_different_designs_are_refused(tmp_path, named, changes):
    """Parts that differ in salt, variant, pairing, suite, declarations, promises or levels are refused by what differs."""
    store = Store(tmp_path)
    write(store, run=part(make_run(4, name="a"), [0]))
    write(store, run=part(make_run(4, name="b"), [1], **changes))
    with pytest.raises(StoreError) as refused:
        store.merge(["a", "b"], name="ab")
    assert named in str(refused.value)
    assert "'a'" in str(refused.value)
    assert "'b'" in str(refused.value)
    assert len(store.runs()) == len(stem_files(tmp_path)) == 2


def test_a_replicate_in_two_parts_is_refused(tmp_path):
    """Parts that overlap are refused with the replicate, its condition and the file; nothing is written."""
    store = Store(tmp_path)
    write_part(store, "a", [0, 1])
    second = write_part(store, "b", [2, 1], keeps=lambda row: row[1] >= 5)
    with pytest.raises(StoreError, match=rf"{second}\.sqlite holds replicate 5 of condition '{key(1)}'"):
        store.merge(["a", "b"], name="ab")
    assert len(store.runs()) == len(stem_files(tmp_path)) == 2


def test_one_run_is_not_merged(tmp_path):
    """Merging needs two parts or more, and a name that is free."""
    store = Store(tmp_path)
    write_part(store, "a", [0])
    write_part(store, "b", [1])
    with pytest.raises(StoreError, match="1 run was given"):
        store.merge(["a"])
    with pytest.raises(StoreError, match="'a' is taken"):
        store.merge(["a", "b"], name="a")
    with (
        store.create(make_run(name="live", salt=SALT)),
        pytest.raises(StoreError, match="'live' is being written"),
    ):
        store.merge(["a", "live"])


def test_a_part_given_twice_is_refused_by_its_name(tmp_path):
    """The sentence names the run as it was given, under another of its names too, and nothing is written."""
    store = Store(tmp_path)
    write(store, run=make_run(name="x"))
    (only,) = store.runs()
    with pytest.raises(StoreError, match=r"^Run 'x' was given more than once; each part may come once\.$"):
        store.merge(["x", only.run_id])
    assert len(store.runs()) == 1
