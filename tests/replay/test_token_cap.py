"""A replay's input tokens against its cap."""

import pytest

from poisson_store import Store
from poisson_store.records import RunRecord, Tokens
from pytest_poisson.analyses.token_cap import TokenCapResult, check_token_cap
from pytest_poisson.errors import UserError
from tests.priced_runs import REFUND, episode, made
from tests.stored_runs import SALT, SUPPORT


def stored(tmp_path, *calls):
    """Store a run of one replicate that made these calls."""
    store = Store(tmp_path)
    writer = store.create(RunRecord(salt=SALT, name="a", rollouts=(SUPPORT,), conditions=(REFUND,)))
    spans = tuple(made(str(n), None, "llm", "call", n, 1, tokens=each) for n, each in enumerate(calls))
    known = [each.input for each in calls if each is not None and each.input is not None]
    writer.add(
        [
            episode(
                REFUND,
                0,
                "resolved",
                spans,
                tokens_in=sum(known) if known else None,
                unknown_usage=calls.count(None),
            )
        ]
    )
    writer.finish()
    return store


def test_calls_that_told_the_other_side_alone_are_not_in_the_sum(tmp_path):
    """They are counted with those that told nothing."""
    store = stored(tmp_path, Tokens(10, 2), Tokens(None, 2), None)
    assert check_token_cap(["a"], store.open, 11) == TokenCapResult(10, 11, 2)


@pytest.mark.parametrize("calls", [[], [None], [Tokens(None, 7)]])
def test_nothing_is_under_no_cap(tmp_path, calls):
    """Where no call reported what it took the cap is not held, and not passed either."""
    store = stored(tmp_path, *calls)
    with pytest.raises(UserError, match=r"No span of 'a' reported input tokens, .* the cap of 1,000"):
        check_token_cap(["a"], store.open, 1000)
