"""The gate's rule, word by word, over every combination of what it looks at."""

from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st

from pytest_poisson.decision import Facts, decide, facts_of, reasons_to_fail
from pytest_poisson.fail_on import FAIL_WORDS

VERDICTS = ["worse", "safer", "trade", "no significant change", "too small to tell", "not comparable"]
FACTS = st.builds(
    Facts,
    verdict=st.sampled_from(VERDICTS),
    verdict_by_test=st.sampled_from(VERDICTS),
    worse=st.booleans(),
    changed=st.booleans(),
    incomplete=st.booleans(),
    emptied=st.booleans(),
    as_failures=st.one_of(st.none(), st.sampled_from(VERDICTS)),
)
FAIL_ON = st.lists(st.sampled_from(FAIL_WORDS), unique=True).map(tuple)
PROMISED = st.lists(st.sampled_from(["met", "missed", "too small to tell"]), max_size=3)


@given(FAIL_ON, FACTS, PROMISED)
def test_each_word_has_its_rule(fail_on, facts, promised):
    """A reason is given if and only if its word is among those that fail and what it stands for is so."""
    turned = facts.as_failures not in {None, facts.verdict_by_test}
    small = facts.verdict == "too small to tell"
    holds = {
        "worse": facts.worse,
        "any": facts.changed,
        "too-small": small or "too small to tell" in promised,
        "missing": facts.incomplete or facts.emptied or turned,
        "flips": False,
    }
    expected = [word for word in fail_on if holds[word]]
    expected += ["missed"] if fail_on and "missed" in promised else []
    unfit = facts.verdict == "not comparable" or (small and (facts.incomplete or facts.emptied))
    expected += ["not-comparable"] if fail_on and unfit else []
    assert reasons_to_fail(fail_on, facts, promised=promised) == tuple(expected)


@given(FAIL_ON, PROMISED)
def test_without_a_comparison_promises_alone_fail(fail_on, promised):
    """A run without a baseline fails by its promises, and by nothing else."""
    expected = [word for word in fail_on if word == "too-small" and "too small to tell" in promised]
    expected += ["missed"] if fail_on and "missed" in promised else []
    assert reasons_to_fail(fail_on, None, promised=promised) == tuple(expected)


def test_nothing_is_missing_unless_said():
    """Facts of a comparison of which nothing more is said have no outcome missing."""
    facts = Facts("safer", "safer", worse=False, changed=True)
    assert reasons_to_fail(("missing",), facts) == ()


@given(st.lists(st.sampled_from(["met", "missed", "too small to tell"]), max_size=5))
def test_the_missed_promises_are_those(words):
    """A decision names the positions of the missed promises, so that each fails its own condition."""
    promises = SimpleNamespace(promises=[SimpleNamespace(word=word) for word in words])
    missed = decide(None, ("worse",), promises).missed
    assert missed == tuple(i for i, word in enumerate(words) if word == "missed")


@given(
    st.one_of(
        st.none(),
        st.tuples(st.one_of(st.none(), st.just("shares differ")), st.lists(st.just("a"), max_size=2)),
    )
)
def test_what_is_missing_is_read_off_the_comparison(found):
    """Outcomes are missing where the comparison says that their shares are a problem, or names emptied conditions."""
    missing = found and SimpleNamespace(
        problem=found[0], emptied=found[1], uneven=(), verdict_as_failures="worse"
    )
    facts = facts_of(SimpleNamespace(verdict="safer", verdict_by_test="safer", rows=[], missing=missing))
    assert facts.incomplete == bool(found and found[0])
    assert facts.emptied == bool(found and found[1])
    assert facts.as_failures == (found and "worse")
