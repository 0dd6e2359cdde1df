"""`show` of one replicate: which one it is, and its spans as a tree."""

import json
from pathlib import Path

import pytest

from poisson_store import Store
from pytest_poisson.analyses.episode_trace import trace_episode
from pytest_poisson.analyses.find_condition import find_condition
from pytest_poisson.cli import main
from pytest_poisson.errors import UserError
from pytest_poisson.render.trace_text import render_trace
from tests.golden import assert_golden
from tests.priced_runs import GREETING, REFUND, write_priced
from tests.stored_runs import cell, write_run

GOLDEN = Path(__file__).with_name("golden")


@pytest.fixture
def reader(tmp_path):
    store = Store(tmp_path)
    write_priced(store)
    with store.open("traced") as reader:
        yield reader


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({}, (GREETING, 0)),
        ({"condition": "ticket=refund"}, (REFUND, 0)),
        ({"condition": "refund", "replicate": 1}, (REFUND, 1)),
        ({"condition": REFUND.key[:6]}, (REFUND, 0)),
        ({"condition": REFUND.nodeid, "replicate": 2}, (REFUND, 2)),
        ({"failures": True}, (GREETING, 1)),
        ({"failures": True, "condition": REFUND.key}, (REFUND, 1)),
        ({"failures": True, "replicate": 2}, (REFUND, 2)),
    ],
)
def test_the_first_replicate_that_fits_is_shown(reader, wanted, found):
    """Conditions go by key, its beginning, pytest id or axis values; failures are declared ones and lost ones."""
    result = trace_episode(reader, **wanted)
    condition, replicate = found
    assert (result.condition.key, result.episode.replicate) == (condition.key, replicate)
    assert result.alike[0] == (condition.key, replicate)


def test_all_that_fit_are_listed(reader):
    """The other replicates that fit are named, so that they can be asked for."""
    assert trace_episode(reader, failures=True).alike == ((GREETING.key, 1), (REFUND.key, 1), (REFUND.key, 2))


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        ({"replicate": 7}, "Run 'traced' has no stored replicate 7."),
        (
            {"failures": True, "condition": "ticket=greeting", "replicate": 0},
            f"Run 'traced' has no stored replicate 0 of condition {GREETING.key} that failed.",
        ),
        (
            {"condition": "ticket=return"},
            "--condition=ticket=return fits no condition of the run; among them are ticket=refund; ticket=greeting.",
        ),
    ],
)
def test_what_is_not_there_is_refused(reader, wanted, sentence):
    """The sentence names what was asked for, and what there is."""
    with pytest.raises(UserError) as refusal:
        trace_episode(reader, **wanted)
    assert str(refusal.value) == sentence


def test_an_ambiguous_condition_is_refused():
    """Where several conditions fit, they are named; all their axis values tell them apart."""
    conditions = [cell(model=model, size=size) for model in ("a", "b") for size in (1, 2)]
    with pytest.raises(
        UserError, match=r"--condition=model=a fits 2 conditions .* model=a,size=1; model=a,size=2"
    ):
        find_condition(conditions, "model=a")
    assert find_condition(conditions, "model=a,size=2") is conditions[1]
    assert find_condition(conditions, "b, 1") is conditions[2]


def test_spans_stand_in_their_places(reader):
    """Depth, order and times follow from parents and starts, whatever the order they were recorded in."""
    nodes = trace_episode(reader, condition="refund").nodes
    assert [
        (node.depth, node.span.name, round(node.after_s, 4), round(node.took_s, 4)) for node in nodes
    ] == [
        (0, "turn", 0, 2.5),
        (1, "ChatCompletion", 0.0004, 1.2),
        (2, "POST", 0.1, 1.0),
        (1, "summarise", 1.3, 0.5),
        (1, "search", 1.9, 0.05),
    ]
    assert [(node.counted, node.silent, node.model) for node in nodes] == [
        (False, False, None),
        (True, False, "small"),
        (False, False, None),
        (False, True, None),
        (False, False, None),
    ]


def test_the_text_is_as_it_was(reader):
    """What a person reads: the ending, the tree with times, tokens, cuts and errors, and what it means."""
    assert_golden(
        render_trace(trace_episode(reader, failures=True, condition="refund")), GOLDEN / "trace.txt"
    )


def test_texts_are_printed_where_asked_and_made_harmless(reader):
    """With `texts`, input and output stand under their span; what a terminal would act upon is written out."""
    text = render_trace(trace_episode(reader, condition="refund"), texts=True)
    assert 'in  [{"role":"user"' in text
    assert "out It is so." in text
    assert r"Really\x1b[31m." in text
    assert "\x1b" not in text


@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_line_is_wider_than_the_terminal(reader, width):
    """Whatever the width, every line keeps to it, texts included."""
    for condition in ("refund", "greeting"):
        text = render_trace(trace_episode(reader, condition=condition), width=width, texts=True)
        assert max(map(len, text.splitlines())) <= width


def test_the_document_has_everything(tmp_path, capsys):
    """`show --replicate --json` gives the episode, its spans in order, and the cuts; equal inputs give equal bytes."""
    write_priced(Store(tmp_path))
    command = ["show", "traced", "--condition=refund", "--replicate=1", "--json", f"--store={tmp_path}"]
    assert main(command) == 0
    first = capsys.readouterr().out
    main(command)
    assert capsys.readouterr().out == first
    document = json.loads(first)
    assert document["schema"] == "pytest-poisson.trace/1"
    assert document["episode"]["outcome"] == "violated"
    assert [span["name"] for span in document["spans"]] == [
        "turn",
        "ChatCompletion",
        "POST",
        "summarise",
        "search",
    ]
    assert document["spans"][1]["input_cut"] == {"bytes": 5000, "digest": "ab" * 32}
    assert document["spans"][3]["unknown_usage"] is True


@pytest.mark.parametrize("asked", [["--failures"], ["--condition=x"]])
def test_a_run_without_conditions_has_none_to_show(tmp_path, capsys, asked):
    """What could be recovered of a damaged file may be no condition at all: that is a sentence, too."""
    write_run(Store(tmp_path), "empty", [])
    assert main(["show", "empty", *asked, f"--store={tmp_path}"]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_the_command_prints_the_tree(tmp_path, capsys):
    """`show --failures` prints a replicate, `show` alone still the run, and a wrong number is a usage error."""
    write_priced(Store(tmp_path))
    assert main(["show", "traced", "--failures", f"--store={tmp_path}"]) == 0
    assert "greeting, replicate 1: ended timeout" in capsys.readouterr().out
    assert main(["show", "traced", f"--store={tmp_path}"]) == 0
    assert "5 replicates planned" in capsys.readouterr().out
    assert main(["show", "traced", "--replicate=-1", f"--store={tmp_path}"]) == 2
