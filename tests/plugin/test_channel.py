"""What goes through the wire between the controlling process and a worker."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_poisson.channel import FrameReader, encode_frame

values = st.lists(st.lists(st.integers() | st.text(), min_size=1), max_size=5)


@given(values, st.data())
def test_values_arrive_however_their_bytes_are_cut(sent, data):
    """Whatever was sent is read in order, wherever the stream is cut; a torn end waits."""
    stream = b"".join(map(encode_frame, sent)) + b"[1,"
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)))))
    reader, edges = FrameReader(), [0, *cuts, len(stream)]
    pieces = [stream[start:stop] for start, stop in pairwise(edges)]
    assert [value for piece in pieces for value in reader.feed(piece)] == sent
    assert list(reader.feed(b"2]\n")) == [[1, 2]]


@pytest.mark.parametrize("line", [b"no row\n", b"7\n", b"[]\n", b"\n", b"\xff\n"])
def test_a_line_that_nobody_sent_is_refused_after_those_before_it(line):
    """What is no list is a ValueError; what came before it was heard."""
    values_heard = FrameReader().feed(encode_frame([1]) + line)
    assert next(values_heard) == [1]
    with pytest.raises(ValueError):
        next(values_heard)
