"""Keys: the same for the same axis values, and for nothing else."""

import dataclasses
import enum
import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_poisson.conditions import axis_label, canonical_json, condition_key, encode_axis
from pytest_poisson.errors import UserError

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


class Colour(enum.Enum):
    RED = 1


class Level(enum.IntEnum):
    LOW = 1


@dataclasses.dataclass
class Point:
    x: int
    y: list


def test_the_key_is_the_hash_that_the_design_names():
    """The key is the first 16 hex digits of SHA-256 over the compact, sorted JSON of axes and rollout id."""
    text = '{"axes":{"a":1,"b":"é"},"rollout":"support"}'
    assert condition_key("support", {"b": "é", "a": 1}) == hashlib.sha256(text.encode()).hexdigest()[:16]


def test_one_in_four_types_is_four_conditions():
    """1, "1", 1.0 and True are different axis values."""
    values = [1, "1", 1.0, True]
    assert len({condition_key("r", {"x": encode_axis("x", value)}) for value in values}) == 4


@given(st.dictionaries(st.text(), json_values, max_size=4))
def test_the_order_of_axes_does_not_matter(axes):
    """A key depends on the axes, not on the order in which they were collected."""
    assert condition_key("r", axes) == condition_key("r", dict(reversed(axes.items())))


@given(json_values)
def test_json_values_stand_for_themselves(value):
    """A JSON value is its own encoding, and its text reads back as the value."""
    encoded = encode_axis("x", value)
    assert json.loads(canonical_json(encoded)) == value


def test_what_has_a_name_is_encoded_by_it():
    """Enums (also those that are numbers), dataclasses, and objects with an id have a JSON form and a label."""
    cases = [
        (Colour.RED, None, {"enum": "Colour.RED"}, "Colour.RED"),
        (Level.LOW, None, {"enum": "Level.LOW"}, "Level.LOW"),
        (Point(1, [2]), None, {"dataclass": "Point", "fields": {"x": 1, "y": [2]}}, "Point(x=1, y=[2])"),
        (object(), "fast", {"id": "fast"}, "fast"),
        ((1, "a"), None, [1, "a"], '[1,"a"]'),
    ]
    for value, given_id, encoded, label in cases:
        assert encode_axis("x", value, given_id) == encoded
        assert axis_label(encoded) == label


CIRCLE: list = []
CIRCLE.append(CIRCLE)


@pytest.mark.parametrize(
    "value", [CIRCLE, object(), float("nan"), float("inf"), {1: 2}, {1, 2}, b"x", [object()]]
)
def test_what_has_no_name_is_refused_by_it(value):
    """Anything else is refused, naming the axis, and the way out."""
    with pytest.raises(UserError, match=r"Axis 'x' has the value .* id='\.\.\.'"):
        encode_axis("x", value)
