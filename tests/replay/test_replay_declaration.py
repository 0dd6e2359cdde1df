"""The declaration: no defaults, one sentence for whatever is wrong, a digest of what was meant."""

import copy
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poisson_store import Store
from poisson_store.records import ConditionRecord, RolloutRecord, RunRecord
from pytest_poisson.errors import UserError
from pytest_poisson.replay.declaration import REQUIRED, digest, parse_declaration, read_declaration
from pytest_poisson.replay.starter import starter_declaration
from tests.replay.arms import DECLARATION


def changed(**changes):
    content = copy.deepcopy(DECLARATION)
    for path, value in changes.items():
        content[path] = value
    return content


@pytest.mark.parametrize("key", REQUIRED)
def test_nothing_required_has_a_default(key):
    """Leaving out any required key is refused by its name."""
    content = copy.deepcopy(DECLARATION)
    del content[key]
    with pytest.raises(UserError, match=f"x lacks the key '{key}', which has no default"):
        parse_declaration(content, where="x")


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"treshold": 1}, "'treshold' in x is not a key of a declaration; it takes value_key,"),
        ({"headers": "yes"}, "headers = 'yes' in x must be one of asserted, not_recorded."),
        ({"bootstrap_b": 0}, "bootstrap_b = 0 in x must be a whole number from 1."),
        ({"bootstrap_b": True}, "bootstrap_b = True in x must be a whole number from 1."),
        ({"exemptions": "user"}, "exemptions = 'user' in x must be a list of texts."),
        ({"value_key": ""}, "value_key = '' in x must be a text."),
        ({"model_pin": "CHOOSE"}, "model_pin = 'CHOOSE' in x is still to be chosen."),
        ({"floor": 2}, "floor = 2 in x must be a number from 0 to 1."),
        (
            {"cuts": []},
            r"cuts = \[\] in x must be one or more \[\[cuts\]\] with name, threshold, comparison.",
        ),
        (
            {"cuts": [{"name": "c", "threshold": "x", "comparison": "ge"}]},
            r"threshold = 'x' in \[\[cuts\]\] 1 of x must be a number from 0 to 1.",
        ),
        (
            {"cuts": [{"name": "c", "threshold": 0.5, "comparison": "lt"}]},
            r"comparison = 'lt' in \[\[cuts\]\] 1 of x must be one of ge, gt.",
        ),
        (
            {"sweeps": [{"name": "s", "a": "latest", "b": "b"}]},
            "must name a run for good, which 'latest' does not",
        ),
        ({"sweeps": [{"name": "s", "a": "b", "b": "b"}]}, "arms = 'b' .* is named twice"),
    ],
)
def test_what_is_wrong_is_refused_by_key_and_value(changes, sentence):
    """Each refusal is one sentence with key, value, place and rule."""
    with pytest.raises(UserError, match=sentence):
        parse_declaration(changed(**changes), where="x")


def test_the_digest_is_of_what_is_meant():
    """Writing a number otherwise, or keys in another order, changes no digest; changing a value does."""
    spelled = changed(cuts=[{"comparison": "ge", "threshold": Decimal("0.6"), "name": "pass"}])
    same = changed(cuts=[{"name": "pass", "threshold": Decimal("0.60"), "comparison": "ge"}])
    other = changed(cuts=[{"name": "pass", "threshold": Decimal("0.61"), "comparison": "ge"}])
    assert digest(spelled) == digest(same) != digest(other)
    assert len(digest(same)) == 64


@given(st.text())
def test_any_text_is_a_declaration_or_a_sentence(tmp_path_factory, text):
    """Whatever a file holds, reading it ends with a declaration or one sentence."""
    file = tmp_path_factory.getbasetemp() / "any.toml"
    file.write_text(text, encoding="utf-8", errors="surrogatepass")
    with pytest.raises(UserError):
        read_declaration(file)


def test_a_declaration_begins_with_the_axis_of_few_values_as_the_cut(tmp_path):
    """There are more items than cuts, in whatever order the axes were declared."""
    conditions = tuple(
        ConditionRecord(f"{n:016x}", "r", {"cut": "pass", "item": n}, "", 1) for n in range(12)
    )
    rollout = RolloutRecord("r", ("ok", "bad"), ("bad",), ("ok",))
    store = Store(tmp_path)
    with store.create(RunRecord(salt="0" * 32, name="b", rollouts=(rollout,), conditions=conditions)):
        pass
    with store.open("b") as run:
        begun = starter_declaration(run, run)
    assert 'cluster_key = "item"' in begun
    assert 'stratum_key = "cut"' in begun


def test_a_declaration_begins_with_runs_of_several_rollouts(tmp_path):
    """A condition of another rollout, which lacks the axis that may name the cut, does not stand in the way."""
    store = Store(tmp_path)
    rollouts = tuple(RolloutRecord(name, ("ok", "bad"), ("bad",), ("ok",)) for name in ("grader", "router"))
    conditions = (
        ConditionRecord("0" * 16, "grader", {"item": 1, "cut": "pass"}, "", 1),
        ConditionRecord("1" * 16, "router", {"item": 2}, "", 1),
    )
    with store.create(RunRecord(salt="0" * 32, name="a", rollouts=rollouts, conditions=conditions)):
        pass
    with store.open("a") as run:
        begun = starter_declaration(run, run)
    assert 'stratum_key = "cut"' in begun
    assert 'name = "pass"' in begun
