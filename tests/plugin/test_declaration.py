"""The mark: what it takes and what it refuses."""

import pytest

from pytest_poisson.declaration import Declaration, declare
from pytest_poisson.errors import UserError


def read(*marks):
    return declare(marks, default_id="test_a.py::test_x", where="test_a.py::test_x[1]")


def test_a_bare_mark_means_pytests_own_words():
    """Without arguments a rollout passes or fails, and failing is its failure."""
    assert read({}) == Declaration("test_a.py::test_x", ("passed", "failed"), ("failed",), ("passed",))


def test_the_closest_mark_wins_argument_by_argument():
    """A mark on the function overrides one on its class or module, and keeps what it does not mention."""
    declaration = read({"replicates": 5}, {"replicates": 50, "id": "support"})
    assert (declaration.replicates, declaration.id) == (5, "support")


def test_outcomes_may_be_left_to_successes_and_failures():
    """Without `outcomes` the declared successes and failures are the outcomes."""
    assert read({"failures": ["timeout"], "successes": ["ok"]}).outcomes == ("ok", "timeout")


def test_promises_are_kept_with_the_rollout():
    """Promised bounds are stored with the declaration, their events spelled in one way."""
    declaration = read({"outcomes": ["a", "b"], "at_most": {"a + b": 0.5}, "at_least": {"passed": 0.25}})
    assert declaration.settings()["at_most"] == {"a+b": 0.5}
    assert declaration.settings()["at_least"] == {"passed": 0.25}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            {"outcome": ["a"]},
            r"outcome=\['a'\] .* test_a.py::test_x\[1\] is not an argument of the mark; it takes id,",
        ),
        ({"outcomes": "abc"}, r"outcomes='abc' .* must be a list of words"),
        ({"outcomes": ["a", "a"]}, r"names a word twice"),
        ({"outcomes": ["a+b"]}, r"holds 'a\+b'; a word is printable text"),
        (
            {"outcomes": ["a"], "failures": ["b"]},
            r"failures=\['b'\] .* holds 'b', which is not among the outcomes a",
        ),
        ({"outcomes": ["a"], "failures": ["a"], "successes": ["a"]}, r"both hold 'a'"),
        ({"replicates": 0}, r"replicates=0 .* must be a whole number from 1"),
        ({"replicates": True}, r"replicates=True .* must be a whole number from 1"),
        ({"raises": {"TimeoutError": "a"}}, r"must map exception classes to outcomes"),
        ({"raises": {TimeoutError: "slow"}}, r"holds 'slow', which is not among the outcomes passed, failed"),
        ({"id": ""}, r"id='' .* must be a text"),
        ({"at_most": ["failed"]}, r"at_most=\['failed'\] .* must map events to rates"),
        ({"at_most": {"failed": 5}}, r"promises 5 of 'failed'; a bound is a rate between 0 and 1"),
        ({"at_least": {"passed": True}}, r"promises True of 'passed'; a bound is a rate between 0 and 1"),
        ({"at_least": {"passed+lost": 0.5}}, r"holds 'lost', which is not among the outcomes passed, failed"),
    ],
)
def test_what_makes_no_sense_is_refused_with_its_value(arguments, sentence):
    """Each refusal names the argument, its value, the test and the rule."""
    with pytest.raises(UserError, match=sentence):
        read(arguments)
