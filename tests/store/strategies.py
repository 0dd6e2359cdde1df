"""Random runs and episodes for the tests of the store."""

from __future__ import annotations

from hypothesis import strategies as st

from poisson_store.records import (
    CAUSES,
    KINDS,
    Attempt,
    ConditionRecord,
    Cut,
    Episode,
    RolloutRecord,
    RunRecord,
    Span,
    Tokens,
)
from tests.store.support import SALT

# A lone surrogate is what a file name or a broken stream can put into a Python text.
texts = st.text(st.characters(exclude_categories=()), max_size=30)
whole_texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=30)
int64 = st.integers(-(2**63), 2**63 - 1)
counts = st.integers(0, 2**40)
finite = st.floats(allow_nan=False)
t_values = st.none() | st.integers(-(2**53), 2**53) | finite
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
json_objects = st.dictionaries(texts, json_values, max_size=3)
cuts = st.none() | st.builds(Cut, counts, st.text("0123456789abcdef", min_size=64, max_size=64))
tokens = st.none() | st.builds(Tokens, counts, st.none() | counts) | st.builds(Tokens, st.none(), counts)
spans = st.builds(
    Span,
    span_id=whole_texts,
    parent_id=st.none() | whole_texts,
    kind=st.sampled_from(KINDS),
    name=whole_texts,
    start_ns=int64,
    end_ns=int64,
    input=st.none() | texts | st.builds(lambda text, times: text * times, texts, st.integers(0, 2000)),
    output=st.none() | texts,
    tokens=tokens,
    attrs=json_objects,
    error=st.none() | whole_texts,
    step=st.none() | whole_texts,
    input_cut=cuts,
    output_cut=cuts,
)
attempts = st.lists(st.builds(Attempt, st.just(0), whole_texts, int64, finite), max_size=2).map(
    lambda found: tuple(Attempt(n + 1, a.error, a.started_ns, a.wall_s) for n, a in enumerate(found))
)


@st.composite
def episodes(draw, run: RunRecord):
    word = draw(st.sampled_from(run.outcomes + CAUSES))
    return Episode(
        condition=draw(st.sampled_from([condition.key for condition in run.conditions])),
        replicate=draw(st.integers(0, 9)),
        seed=draw(st.none() | st.integers(0, 2**32 - 1)),
        outcome=word if word in run.outcomes else None,
        cause=word if word in CAUSES else None,
        t=draw(t_values),
        horizon=draw(t_values),
        started_ns=draw(st.none() | int64),
        wall_s=draw(st.none() | finite),
        error=draw(st.none() | whole_texts),
        meta=draw(st.none() | json_objects),
        tokens_in=draw(st.none() | counts),
        tokens_out=draw(st.none() | counts),
        unknown_usage=draw(st.none() | counts),
        spans_left_out=draw(st.none() | counts),
        spans=tuple(draw(st.lists(spans, max_size=3))),
        attempts=draw(attempts),
    )


@st.composite
def run_records(draw):
    words = st.lists(whole_texts, min_size=1, max_size=4, unique=True)
    ids = draw(st.lists(whole_texts, min_size=1, max_size=3, unique=True))
    rollouts = []
    for rollout_id in ids:
        outcomes = draw(words)
        cut = draw(st.integers(0, len(outcomes)))
        unit = draw(st.none() | whole_texts)
        settings = draw(json_objects)
        rollouts.append(
            RolloutRecord(
                rollout_id, tuple(outcomes), tuple(outcomes[:cut]), tuple(outcomes[cut:]), unit, "n", settings
            )
        )
    keys = draw(st.lists(st.text("0123456789abcdef", min_size=16, max_size=16), max_size=5, unique=True))
    conditions = [
        ConditionRecord(
            name, draw(st.sampled_from(ids)), draw(json_objects), draw(whole_texts), draw(st.integers(0, 99))
        )
        for name in keys
    ]
    return RunRecord(
        salt=SALT,
        rollouts=tuple(rollouts),
        conditions=tuple(conditions),
        paired_with=draw(st.none() | whole_texts),
        selection=draw(st.none() | whole_texts),
        suite=draw(st.none() | whole_texts),
        shard=draw(st.none() | st.just((1, 4))),
        environment=draw(json_objects),
        variant=draw(st.dictionaries(texts, texts, max_size=2)),
        settings=draw(json_objects),
    )
