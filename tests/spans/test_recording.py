"""Recording spans by hand: what is kept, how they nest, and what happens outside a replicate."""

import asyncio
import contextvars
import json
import sys
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pytest_poisson
from poisson_store.records import KINDS as STORED_KINDS
from pytest_poisson import spans
from pytest_poisson.span_rows import UNFINISHED, trace_row
from tests.spans.support import new_rollout, recorded, replicate, tree


def test_kinds_are_those_the_store_knows():
    """A span's kind is a position in the store's list, so both lists are the same."""
    assert spans.KINDS == STORED_KINDS


def test_a_span_keeps_what_it_was_given_and_when():
    """Input, output, tokens and attributes are stored, and the end is not before the start."""
    with replicate() as rollout, rollout.span("llm", "grader.request", input="question") as span:
        span.output = "answer"
        span.tokens = {"in": 12, "out": 3}
        span.attrs["url.full"] = "http://127.0.0.1/"
    (row,) = recorded(rollout)
    assert (row.kind, row.name, row.input, row.output) == (
        STORED_KINDS.index("llm"),
        "grader.request",
        "question",
        "answer",
    )
    assert (row.tokens_in, row.tokens_out, json.loads(row.attrs)) == (
        12,
        3,
        {"url.full": "http://127.0.0.1/"},
    )
    assert 0 < row.start_ns <= row.end_ns
    assert row.error is row.parent_id is row.step is None


def test_nesting_is_by_context():
    """A span opened inside another is its child; one opened after it is not."""
    with replicate() as rollout:
        with rollout.span("agent", "outer"):
            with pytest_poisson.span("tool", "first"):
                pass
            with pytest_poisson.span("tool", "second"):
                pass
        with pytest_poisson.span("other", "after"):
            pass
    rows = recorded(rollout)
    names = {row.span_id: row.name for row in rows}
    assert [(row.name, names.get(row.parent_id)) for row in rows] == [
        ("outer", None),
        ("first", "outer"),
        ("second", "outer"),
        ("after", None),
    ]


def test_the_current_span_is_the_innermost_open_one():
    """`current_span` follows entering and leaving, on the rollout and as a function."""
    with replicate() as rollout:
        assert rollout.current_span is None
        with rollout.span("agent", "outer") as outer:
            with rollout.span("tool", "inner") as inner:
                assert rollout.current_span is inner is pytest_poisson.current_span()
            assert rollout.current_span is outer
        assert rollout.current_span is None
        assert pytest_poisson.current_rollout() is rollout
    assert pytest_poisson.current_rollout() is None


def test_an_exception_is_recorded_and_passes():
    """What is raised inside a span is its error, and is raised on."""
    with replicate() as rollout:
        with pytest.raises(KeyError), rollout.span("tool", "lookup"):
            raise KeyError("order 7")
        with rollout.span("tool", "by hand") as span:
            span.error = "no stock"
    assert [row.error for row in recorded(rollout)] == ["KeyError: 'order 7'", "no stock"]


def test_an_exception_without_a_text_is_recorded_too():
    """An exception whose str raises does not take the place of the one under way."""

    class MuteError(Exception):
        def __str__(self):
            raise RuntimeError("no text")

    with replicate() as rollout, pytest.raises(MuteError), rollout.span("tool", "mute"):
        raise MuteError
    assert recorded(rollout)[0].error == "MuteError: (its text cannot be made)"


def test_children_follow_await_and_copied_contexts():
    """Across await, tasks and threads started with a copied context, the parent is the span they started in."""

    async def work(name):
        with pytest_poisson.span("tool", name):
            await asyncio.sleep(0)

    async def main():
        with pytest_poisson.span("agent", "outer"):
            await asyncio.gather(work("a"), work("b"))
            await asyncio.to_thread(
                lambda: pytest_poisson.span("tool", "thread").__enter__().__exit__(None, None, None)
            )

    with replicate() as rollout:
        asyncio.run(main())
        with rollout.span("agent", "second"):
            context = contextvars.copy_context()
            thread = threading.Thread(target=lambda: context.run(asyncio.run, work("c")))
            thread.start()
            thread.join()
    rows = recorded(rollout)
    names = {row.span_id: row.name for row in rows}
    parents = {row.name: names.get(row.parent_id) for row in rows}
    assert parents == {
        "outer": None,
        "a": "outer",
        "b": "outer",
        "thread": "outer",
        "second": None,
        "c": "second",
    }


def test_spans_of_concurrent_replicates_never_mix():
    """200 replicates in one event loop, each with nested spans over awaits: every span is with its own."""

    async def one(number):
        with replicate(number) as rollout:
            with pytest_poisson.span("agent", f"{number}.outer"):
                for turn in range(3):
                    await asyncio.sleep((number * 7 + turn * 3) % 5 / 1000)
                    with pytest_poisson.span("llm", f"{number}.{turn}") as span:
                        await asyncio.sleep(number % 3 / 1000)
                        assert pytest_poisson.current_rollout() is rollout
                        span.tokens = {"in": number, "out": turn}
            return rollout

    async def main():
        return await asyncio.gather(*(asyncio.create_task(one(number)) for number in range(200)))

    rollouts = asyncio.run(main())
    for number, rollout in enumerate(rollouts):
        rows = recorded(rollout)
        assert [row.name for row in rows] == [f"{number}.outer", *(f"{number}.{turn}" for turn in range(3))]
        assert {row.parent_id for row in rows[1:]} == {rows[0].span_id}
        assert trace_row(rollout.trace)[:3] == [3 * number, 3, None]


def test_a_span_of_another_replicate_is_no_parent():
    """A context that still holds an open span of another replicate gives its children no parent from there."""
    with replicate() as first, first.span("agent", "left open"):
        other = new_rollout(1)
        with other.span("tool", "own"):
            assert first.current_span is None
    assert recorded(other)[0].parent_id is None


def test_a_generator_closed_elsewhere_leaves_the_current_span_alone():
    """A span that a generator holds open and that ends in another context changes no other context."""

    def stream():
        with pytest_poisson.span("llm", "stream"):
            yield 1
            yield 2

    with replicate() as rollout:
        generator = contextvars.copy_context().run(lambda: (made := stream(), next(made))[0])
        with rollout.span("agent", "outer") as outer:
            generator.close()
            assert rollout.current_span is outer
    stream_row, _ = recorded(rollout)
    assert stream_row.end_ns >= stream_row.start_ns
    assert stream_row.error is None


def test_what_comes_after_streams_that_ended_in_any_order_is_inside_none_of_them():
    """Two streams read in turn: the one that began first may end first, and contains nothing from then on."""

    def stream(name):
        with pytest_poisson.span("llm", name) as span:
            yield
            span.tokens = {"in": 5}

    with replicate() as rollout:
        first, second = stream("first"), stream("second")
        next(first), next(second), next(first, None), next(second, None)
        with rollout.span("llm", "after") as span:
            span.tokens = {"in": 5}
    assert tree(rollout) == [("llm", "first", None), ("llm", "second", "first"), ("llm", "after", None)]


def test_a_span_that_is_entered_again_is_one_span():
    """Its tokens are those of one call, and where it is entered inside itself or what is inside it, it still ends."""
    with replicate() as rollout:
        call, inside = rollout.span("llm", "call"), rollout.span("tool", "inside")
        call.tokens = {"in": 5}
        with call, call, inside, call:
            pass
        with call:
            pass
        assert rollout.current_span is None
    assert tree(rollout) == [("llm", "call", None), ("tool", "inside", "call")]
    assert trace_row(rollout.trace)[0] == 5


def test_a_span_still_open_at_the_end_says_so():
    """A span that the replicate leaves open is kept, ends when the replicate does, and has an error."""
    with replicate() as rollout:
        rollout.span("tool", "background").__enter__()
    (row,) = recorded(rollout)
    assert row.error == UNFINISHED
    assert row.end_ns >= row.start_ns


def test_steps_name_the_spans_that_follow():
    """`step` names the step of every span opened after it, and of none before; a number is named by its text."""
    with replicate() as rollout:
        for step in (None, "plan", 2):
            if step:
                rollout.step(step)
            with rollout.span("tool", "call"):
                pass
    assert [row.step for row in recorded(rollout)] == [None, "plan", "2"]


def test_unknown_usage_is_not_zero():
    """Sums hold what was reported; an llm span that reported nothing is counted as unknown."""
    with replicate() as rollout:
        for kind, tokens in (
            ("llm", {"in": 5, "out": 2}),
            ("llm", {"in": 7}),
            ("llm", None),
            ("tool", None),
        ):
            with rollout.span(kind, "call") as span:
                span.tokens = tokens
    assert trace_row(rollout.trace)[:4] == [12, 2, 1, None]
    with replicate() as silent, silent.span("llm", "call"):
        pass
    assert trace_row(silent.trace)[:4] == [None, None, 1, None]


@pytest.mark.parametrize(
    "tokens",
    [
        {"in": -1},
        {"in": 2**63},
        {"in": 1.5},
        {"out": "many"},
        {"in": True},
        {"input": 3},
        {"in": 1, "total": 2},
        5,
    ],
)
def test_tokens_that_are_none_are_refused(tokens):
    """Anything but whole numbers from 0 under `in` and `out` is refused where it is set, with the value."""
    with replicate() as rollout, rollout.span("llm", "call") as span, pytest.raises(ValueError) as refusal:
        span.tokens = tokens
    assert repr(tokens) in str(refusal.value)


def test_an_unknown_kind_is_refused():
    """A kind outside the list is refused with the list."""
    with (
        replicate() as rollout,
        pytest.raises(ValueError, match=r"kind='gpu' of span 'x' is none of llm, tool"),
    ):
        rollout.span("gpu", "x")


def test_beyond_the_cap_spans_are_counted_and_their_tokens_summed():
    """Spans beyond the cap leave no row, but their number and their tokens are kept."""
    with replicate() as rollout:
        rollout.trace = spans.Trace(max_spans=2)
        with rollout.span("agent", "outer"):
            for _ in range(4):
                with rollout.span("llm", "call") as span:
                    span.tokens = {"in": 10}
    tokens_in, tokens_out, unknown, left_out, rows = trace_row(rollout.trace)
    assert (tokens_in, tokens_out, unknown, left_out, len(rows)) == (40, None, None, 3, 2)


def test_outside_a_replicate_nothing_is_kept():
    """The span outside a replicate takes everything, keeps nothing, is shared, and lets exceptions pass."""
    with pytest.raises(KeyError), pytest_poisson.span("llm", "x", input=object()) as span:
        span.output, span.tokens, span.error = "text", {"in": 1}, "bad"
        span.attrs["key"] = "value"
        assert (span.output, span.tokens, span.error, span.attrs) == (None, None, None, {})
        raise KeyError
    assert span is pytest_poisson.span("tool", "y")
    assert pytest_poisson.current_span() is None


def test_input_is_kept_as_it_was_when_the_span_began():
    """A list that grows after the span began is stored as it was."""
    messages = [{"role": "user", "content": "hello"}]
    with replicate() as rollout, rollout.span("llm", "call", input=messages) as span:
        messages.append({"role": "assistant", "content": "hi"})
        span.output = messages
    (row,) = recorded(rollout)
    assert (len(json.loads(row.input)), len(json.loads(row.output))) == (1, 2)


@given(st.binary())
def test_bytes_come_back_from_their_text(data):
    """Any bytes, invalid UTF-8 and NUL included, are kept as text that gives the same bytes back."""
    assert spans.as_text(data).encode("utf-8", "surrogateescape") == data


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@settings(max_examples=40, deadline=None)
@given(st.lists(_JSON, max_size=4))
def test_json_values_come_back_from_their_text(value):
    """What has a JSON form is kept as that form."""
    assert json.loads(spans.as_text(value)) == value


def test_what_has_no_json_form_is_described():
    """NaN, sets, bytes, odd keys, cycles and objects whose own methods raise become text; nothing raises."""

    class Odd:
        def __str__(self):
            raise RuntimeError

        def model_dump(self, mode):
            raise RuntimeError

    cycle = []
    cycle.append(cycle)
    made = spans.as_text([float("nan"), {3, 1, 2}, b"\xff", {(1, 2): 1}, Odd()])
    assert json.loads(made) == ["nan", [1, 2, 3], "\udcff", {"(1, 2)": 1}, "<Odd>"]
    assert json.loads(spans.as_text([{3, 1, 2}, b"\xff", range(2)])) == [[1, 2, 3], "\udcff", "range(0, 2)"]
    assert spans.as_text(cycle).startswith("[[[")


def test_importing_the_functions_imports_nothing_heavy(pytester):
    """Code under test that imports `span` gets the standard library's share of the package alone."""
    code = (
        "import sys; before = set(sys.modules); from pytest_poisson import span, current_rollout; "
        "print({name.split('.')[0] for name in set(sys.modules) - before} - sys.stdlib_module_names)"
    )
    result = pytester.run(sys.executable, "-c", code)
    result.stdout.fnmatch_lines(["{'pytest_poisson'}"])
