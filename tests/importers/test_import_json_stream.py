"""JSON documents read a piece at a time give what the whole gives."""

import io
import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poisson_store import StoreError
from poisson_store.importers import json_stream
from poisson_store.importers.json_stream import stream_json

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=25,
)


def rebuild(pieces):
    """Put (path, value) pieces together again."""
    root = {}
    for path, value in pieces:
        place = root
        for key in ("", *path[:-1]) if path else ():
            place = place.setdefault(key, {})
        place[path[-1] if path else ""] = value
    return root.get("", {})


def flatten(value, opened, path=()):
    """Take a document apart as the stream is said to."""
    if not isinstance(value, (dict, list)) or not opened(path):
        return [(path, value)]
    items = value.items() if isinstance(value, dict) else enumerate(value)
    return [piece for key, item in items for piece in flatten(item, opened, (*path, key))]


@pytest.mark.parametrize("chunk", [1, 7, 1 << 18])
@settings(max_examples=150, deadline=None)
@given(document=JSON, depth=st.integers(0, 3), indent=st.sampled_from([None, 1]))
def test_pieces_are_those_of_the_document(chunk, document, depth, indent):
    """Whatever is opened and however little is read at a time, the pieces are those of the parsed document."""
    before, json_stream.CHUNK = json_stream.CHUNK, chunk
    try:
        text = f" {json.dumps(document, indent=indent)}\n"
        opened = lambda path: len(path) < depth  # noqa: E731
        assert list(stream_json(io.StringIO(text), "it", opened)) == flatten(document, opened)
    finally:
        json_stream.CHUNK = before


@settings(max_examples=150, deadline=None)
@given(document=JSON.filter(lambda value: isinstance(value, (dict, list, str))), cut=st.integers(0, 10_000))
def test_a_truncated_document_is_refused(document, cut):
    """No proper beginning of an object, array or string is a document."""
    text = json.dumps(document)
    before, json_stream.CHUNK = json_stream.CHUNK, 5
    try:
        with pytest.raises(StoreError, match=r"^it is (empty|broken JSON at character \d+: .*)\.$"):
            list(stream_json(io.StringIO(text[: cut % len(text)]), "it", lambda path: len(path) < 2))
    finally:
        json_stream.CHUNK = before


@pytest.mark.parametrize(
    ("text", "character"),
    [("[1,,2]", 4), ('{"a" 1}', 6), ('{"a": tru}', 7), ("[1] 2", 5), ("{1: 2}", 2), ('["\x01"]', 3)],
)
def test_the_place_of_the_fault_is_named(text, character):
    """The character at which a document stops being JSON is counted from 1, from its very beginning."""
    with pytest.raises(StoreError, match=f"at character {character}:"):
        list(stream_json(io.StringIO(text), "it", lambda path: len(path) < 2))


def test_a_fault_at_the_beginning_does_not_read_the_rest():
    """What is certainly broken is refused at once: a large file is not read to its end."""
    file = io.StringIO("[{]" + " " * 10_000_000)
    with pytest.raises(StoreError, match="character 3"):
        list(stream_json(file, "it", lambda path: path == ()))
    assert file.tell() < 1_000_000


def test_constants_of_python_are_numbers_here():
    """NaN and the infinities, which Python tools write, are read; who needs a number refuses them."""
    ((_, value),) = stream_json(io.StringIO("[NaN, -Infinity]"), "it", lambda _: False)
    assert math.isnan(value[0])
    assert value[1] == -math.inf


def test_deep_nesting_is_refused():
    """A document nested beyond Python's recursion is one sentence, not a crash."""
    with pytest.raises(StoreError, match="nested too deeply"):
        list(stream_json(io.StringIO("[" * 200_000), "it", lambda _: False))


def test_a_number_of_thousands_of_digits_is_refused_or_read():
    """What Python refuses to read as a number is one sentence."""
    try:
        list(stream_json(io.StringIO(f"[{'9' * 6000}]"), "it", lambda _: False))
    except StoreError as refusal:
        assert "it is broken JSON" in str(refusal)
