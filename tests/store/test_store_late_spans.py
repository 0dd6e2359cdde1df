"""Adding spans to a stored run gives what would have been stored with them at once."""

import pytest

from poisson_store import Store, StoreError
from poisson_store.records import Cut, Episode, Span, Tokens
from poisson_store.usage import SpanUsage, sum_usage
from tests.store.support import key, make_run

KINDS = ("llm", "tool", "agent")


def span(number, parent=None, tokens=None, **rest):
    return Span(
        f"{number:04x}",
        None if parent is None else f"{parent:04x}",
        KINDS[number % 3],
        f"call {number}",
        1000 + number,
        2000 + number,
        input="in" * number,
        tokens=tokens,
        **rest,
    )


SPANS = (
    span(0, tokens=Tokens(5, None)),
    span(1, 0, input_cut=Cut(99, "ab" * 32)),
    span(2, tokens=Tokens(9, 9)),
    span(3, 2, Tokens(4, 1), attrs={"model": "m"}, error="bad", step="plan"),
    span(6),
)


def stored(tmp_path, name, spans, left_out=0, extra=(0, 0)):
    """Store one episode with spans as a sweep would, and a bare one."""
    tokens_in, tokens_out, unknown = _sums(spans)
    store = Store(tmp_path / name)
    with store.create(make_run(name=name)) as writer:
        writer.add(
            [
                Episode(
                    key(0),
                    1,
                    7,
                    "resolved",
                    None,
                    started_ns=1,
                    wall_s=0.5,
                    tokens_in=tokens_in
                    if tokens_in is None and not extra[0]
                    else (tokens_in or 0) + extra[0],
                    tokens_out=tokens_out,
                    unknown_usage=unknown or None,
                    spans_left_out=left_out or None,
                    spans=spans,
                ),
                Episode(key(1), 0, 7, "timeout", None, started_ns=1, wall_s=0.5),
            ]
        )
    return store


def _sums(spans):
    usage = [
        SpanUsage(
            each.span_id,
            each.parent_id,
            ("llm", "tool", "retrieval", "db", "http", "agent").index(each.kind),
            each.tokens and each.tokens.input,
            each.tokens and each.tokens.output,
        )
        for each in spans
    ]
    return sum_usage(usage) if usage else (None, None, 0)


def episode_of(store, name):
    with store.open(name) as reader:
        (found,) = reader.episodes(key(0), 1, spans=True)
        columns = reader.trace_columns()
        return found, columns.leaves.tolist(), columns.last_kind.tolist()


@pytest.mark.parametrize("first", range(len(SPANS) + 1))
def test_spans_added_later_are_as_if_recorded_at_once(tmp_path, first):
    """However many spans come later, the episode, its sums and its leaves are the same in the end."""
    whole = stored(tmp_path, "whole", SPANS)
    parts = stored(tmp_path, "parts", SPANS[:first])
    added = parts.add_spans("parts", [(key(0), 1, each) for each in SPANS[first:]])
    assert (added.added, added.repeated, added.without_episode) == (len(SPANS) - first, 0, 0)
    assert episode_of(parts, "parts") == episode_of(whole, "whole")


def test_the_same_spans_again_change_nothing(tmp_path):
    """A span that is there already, by its id, is left as it is."""
    store = stored(tmp_path, "run", SPANS[:2])
    spans = [(key(0), 1, each) for each in SPANS]
    assert store.add_spans("run", spans).added == 3
    before = episode_of(store, "run")
    again = store.add_spans("run", spans)
    assert (again.added, again.repeated) == (0, 5)
    assert episode_of(store, "run") == before


def test_spans_without_an_episode_are_counted(tmp_path):
    """A condition or replicate that is not stored takes no spans; the others do."""
    store = stored(tmp_path, "run", ())
    added = store.add_spans("run", [(key(0), 5, SPANS[0]), ("f" * 16, 1, SPANS[0]), (key(1), 0, SPANS[2])])
    assert (added.added, added.without_episode) == (1, 2)
    with store.open("run") as reader:
        assert reader.usage()[key(1)].tokens_in == 9


def test_what_was_left_out_of_the_row_still_counts(tmp_path):
    """Tokens of spans beyond the cap, known as a sum alone, stay in the sum."""
    store = stored(tmp_path, "run", SPANS[:1], left_out=3, extra=(100, 0))
    store.add_spans("run", [(key(0), 1, SPANS[3])])
    found, _, _ = episode_of(store, "run")
    assert (found.tokens_in, found.tokens_out, found.spans_left_out) == (109, 1, 3)


def test_the_run_stays_one_plain_file_with_its_status(tmp_path):
    """Adding spans ends as it began: complete, no log beside the file, counts untouched."""
    store = stored(tmp_path, "run", ())
    store.add_spans("run", [(key(0), 1, SPANS[0])])
    assert [each.suffix for each in store.path.glob("2*")] == [".sqlite"]
    with store.open("run") as reader:
        assert reader.run.status == "complete"
        assert reader.accounting().with_outcome == 2


def test_a_run_that_is_being_written_is_refused(tmp_path):
    """Nobody adds to a run while its sweep does."""
    store = Store(tmp_path)
    with store.create(make_run(name="run")) as writer:
        writer.add([Episode(key(0), 1, 7, "resolved", None, started_ns=1, wall_s=0.5)])
        with pytest.raises(StoreError, match="run"):
            store.add_spans("run", [(key(0), 1, SPANS[0])])


def test_a_span_that_cannot_be_stored_adds_none(tmp_path):
    """All or nothing: an unknown kind is refused by name and nothing of the call is stored."""
    store = stored(tmp_path, "run", ())
    bad = Span("9", None, "gpu", "x", 1, 2)
    with pytest.raises(StoreError, match="gpu"):
        store.add_spans("run", [(key(0), 1, SPANS[0]), (key(0), 1, bad)])
    assert episode_of(store, "run")[0].spans == ()
