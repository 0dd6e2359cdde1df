"""Which outcomes are compared, and which way each is worse."""

import pytest

from poisson_store.records import RolloutRecord
from pytest_poisson.errors import UserError
from pytest_poisson.events import resolve_events

SUPPORT = RolloutRecord(
    "support",
    outcomes=("resolved", "timeout", "violated", "partial"),
    failures=("timeout", "violated"),
    successes=("resolved",),
)
SEARCH = RolloutRecord("search", outcomes=("found", "nothing", "timeout"), failures=(), successes=("found",))


def names(events):
    return [(event.rollout, event.name, event.kind) for event in events]


def test_the_default_is_each_declared_failure():
    """Without a name every declared failure is an event of its own, and a success is none."""
    assert names(resolve_events([SUPPORT])) == [
        ("support", "timeout", "failure"),
        ("support", "violated", "failure"),
    ]


def test_a_rollout_without_failures_is_compared_by_its_successes():
    """A rollout that declares successes alone has those as its events, beside another rollout's failures."""
    assert names(resolve_events([SUPPORT, SEARCH])) == [
        ("search", "found", "success"),
        ("support", "timeout", "failure"),
        ("support", "violated", "failure"),
    ]


def test_an_undeclared_failure_is_an_event_where_it_occurs():
    """`failed` joins the defaults of the rollout in which it occurs undeclared, and of no other."""
    events = resolve_events([SUPPORT, SEARCH], occurring={"search": {"found", "failed"}})
    assert ("search", "failed", "failure") in names(events)
    assert ("support", "failed", "failure") not in names(events)
    assert next(event for event in events if event.name == "failed").basis == "implicit"


def test_a_declared_failed_is_not_added_twice():
    """Where `failed` is declared, its occurrence adds nothing."""
    plain = RolloutRecord("plain", outcomes=("passed", "failed"), failures=("failed",), successes=("passed",))
    events = resolve_events([plain], occurring={"plain": {"failed"}})
    assert names(events) == [("plain", "failed", "failure")]
    assert events[0].basis == "declared"


def test_a_set_counts_each_of_its_outcomes():
    """`a+b` is one event whose outcomes are both, under the name as given."""
    (event,) = resolve_events([SUPPORT], ["violated + timeout"])
    assert (event.name, event.outcomes, event.direction) == ("violated+timeout", ("violated", "timeout"), 1)


def test_a_success_is_worse_when_it_falls():
    """A declared success asked for by name has the direction -1."""
    (event,) = resolve_events([SUPPORT], ["resolved"])
    assert (event.kind, event.direction, event.basis) == ("success", -1, "declared")


def test_a_neutral_outcome_counts_as_a_failure_and_says_so():
    """An outcome declared as neither is taken for a failure, and the event remembers that nobody said so."""
    (event,) = resolve_events([SUPPORT], ["partial"])
    assert (event.kind, event.basis) == ("failure", "neutral")


@pytest.mark.parametrize("name", ["timeout+resolved", "resolved+partial"])
def test_a_set_that_mixes_directions_is_refused(name):
    """Failures (neutral ones too) and successes do not make one event; the message names each word's kind."""
    with pytest.raises(UserError, match=rf"Event '{name}'".replace("+", r"\+")) as refusal:
        resolve_events([SUPPORT], [name])
    assert "'resolved' as a success" in str(refusal.value)
    assert "rollout 'support'" in str(refusal.value)


def test_an_unknown_event_is_refused_with_those_there_are():
    """A name that no rollout declares is refused; the sentence lists what would be accepted."""
    with pytest.raises(UserError) as refusal:
        resolve_events([SUPPORT, SEARCH], ["tiemout"])
    assert str(refusal.value) == (
        "Event 'tiemout' is no outcome of these runs; an event is one of found, nothing, timeout, resolved, "
        "violated, partial, or several joined by '+'."
    )


def test_a_cause_is_not_an_event():
    """Having no outcome is not an outcome: the cause is refused under its own sentence."""
    with pytest.raises(UserError, match="'timed_out' of having no outcome"):
        resolve_events([SUPPORT], ["timed_out"])


@pytest.mark.parametrize("name", ["", "timeout+", "+"])
def test_an_empty_word_is_refused(name):
    """A name or a part of one that is empty is no outcome."""
    with pytest.raises(UserError, match="Event '' is no outcome"):
        resolve_events([SUPPORT], [name])


def test_an_event_belongs_to_every_rollout_that_knows_it():
    """A word shared by two rollouts is an event of both, each in the direction its rollout gives it."""
    events = resolve_events([SUPPORT, SEARCH], ["timeout"])
    assert [(event.rollout, event.basis) for event in events] == [
        ("search", "neutral"),
        ("support", "declared"),
    ]


def test_a_set_applies_with_the_words_a_rollout_has():
    """Of `a+b` a rollout that declares only `a` counts `a`: the rest cannot happen there."""
    events = {
        event.rollout: event.outcomes for event in resolve_events([SUPPORT, SEARCH], ["timeout+violated"])
    }
    assert events == {"search": ("timeout",), "support": ("timeout", "violated")}


def test_the_same_set_twice_is_one_event():
    """Naming a set twice, in whatever order, must not make two tests of it."""
    assert len(resolve_events([SUPPORT], ["timeout+violated", "violated+timeout", "timeout+violated"])) == 1


def test_the_later_declaration_wins_and_keeps_older_words():
    """Of two declarations of a rollout the later decides a word's kind; a word only the earlier has stays known."""
    older = RolloutRecord("support", outcomes=("resolved", "lost"), failures=("resolved", "lost"))
    assert names(resolve_events([older, SUPPORT], ["resolved", "lost"])) == [
        ("support", "resolved", "success"),
        ("support", "lost", "failure"),
    ]


def test_nothing_declared_gives_no_default():
    """A rollout of neutral outcomes has no event unless one is asked for."""
    assert resolve_events([RolloutRecord("neutral", outcomes=("left", "right"))]) == ()
