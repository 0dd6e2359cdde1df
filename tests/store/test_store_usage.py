"""Tokens count once, however many spans repeat them."""

from hypothesis import given, settings
from hypothesis import strategies as st

from poisson_store.records import KINDS
from poisson_store.usage import SpanUsage, counted_spans, sum_usage

LLM, AGENT, HTTP = (KINDS.index(kind) for kind in ("llm", "agent", "http"))


def test_an_agent_that_repeats_the_sum_of_its_calls_is_not_counted():
    """The calls inside count; the agent's own total does not."""
    spans = [
        SpanUsage("a", None, AGENT, 30, 5),
        SpanUsage("b", "a", LLM, 10, 2),
        SpanUsage("c", "a", LLM, 20, 3),
    ]
    assert counted_spans(spans) == ([1, 2], [])
    assert sum_usage(spans) == (30, 5, 0)


def test_a_client_that_uses_another_counts_once():
    """Of two nested llm spans with usage the inner one counts; where only the outer knows, it does."""
    inner_knows = [
        SpanUsage("a", None, LLM, 10, 2),
        SpanUsage("b", "a", LLM, 10, 2),
        SpanUsage("c", "b", HTTP, None, None),
    ]
    outer_knows = [SpanUsage("a", None, LLM, 10, 2), SpanUsage("b", "a", LLM, None, None)]
    neither = [SpanUsage("a", None, LLM, None, None), SpanUsage("b", "a", LLM, None, None)]
    assert (sum_usage(inner_knows), sum_usage(outer_knows), sum_usage(neither)) == (
        (10, 2, 0),
        (10, 2, 0),
        (None, None, 1),
    )


def test_a_silent_call_beside_one_that_reports_is_unknown():
    """An agent's total does not cover a call when it is not counted itself."""
    spans = [
        SpanUsage("a", None, AGENT, 99, 9),
        SpanUsage("b", "a", LLM, 10, None),
        SpanUsage("c", "a", LLM, None, None),
    ]
    assert sum_usage(spans) == (10, None, 1)


@st.composite
def forests(draw):
    """Draw spans each of whose parents came before it, is missing, or is none."""
    count = draw(st.integers(0, 9))
    known = st.none() | st.integers(0, 5)
    return [
        SpanUsage(
            str(place),
            draw(st.sampled_from([None, "gone", *map(str, range(place))])),
            draw(st.sampled_from([LLM, AGENT])),
            draw(known),
            draw(known),
        )
        for place in range(count)
    ]


def inside(spans, place):
    """Return the spans that one contains, by looking at every other one's line of parents."""
    parents = {span.span_id: span.parent_id for span in spans}

    def line(span_id):
        while (span_id := parents.get(span_id)) is not None:
            yield span_id

    return [span for span in spans if spans[place].span_id in line(span.span_id)]


@settings(max_examples=200, deadline=None)
@given(forests())
def test_the_rule_holds_on_any_forest(spans):
    """What counts and what is unknown is what the rule says, read off every pair of spans."""
    counted, unknown = counted_spans(spans)
    assert counted == [
        place
        for place, span in enumerate(spans)
        if span.known and not any(other.known for other in inside(spans, place))
    ]
    assert unknown == [
        place
        for place, span in enumerate(spans)
        if span.kind == LLM
        and not span.known
        and not any(other.kind == LLM or other.known for other in inside(spans, place))
        and not any(span in inside(spans, other) for other in counted)
    ]


def test_spans_that_are_their_own_ancestors_end():
    """A damaged trace whose parents go in a circle is summed all the same."""
    assert sum_usage([SpanUsage("a", "b", LLM, None, None), SpanUsage("b", "a", LLM, None, None)]) == (
        None,
        None,
        0,
    )
