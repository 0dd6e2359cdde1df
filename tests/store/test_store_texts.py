"""Bodies of spans: cut, packed and stored once."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poisson_store import DamagedRunError, Store
from poisson_store.texts import WORTH_PACKING, cut_text, decode, describe_text, encode, pack, storable, unpack
from tests.store.strategies import texts
from tests.store.support import full_row, make_run, numbers, sql


@given(texts)
def test_any_text_becomes_bytes_and_back(text):
    """Encoding loses nothing, lone surrogates included; texts without them are plain UTF-8."""
    assert decode(encode(text)) == text
    if storable(text) == text:
        assert encode(text) == text.encode()


@given(texts, st.integers(0, 60))
def test_a_cut_text_is_a_beginning_with_its_length_and_digest(text, limit):
    """A cut keeps whole characters within the limit, as many as fit, and records the full length and SHA-256."""
    kept, cut = cut_text(text, limit)
    assert text.startswith(kept)
    assert len(encode(kept)) <= limit
    if len(encode(text)) <= limit:
        assert (kept, cut) == (text, None)
    else:
        assert len(encode(text[: len(kept) + 1])) > limit
        assert (cut.bytes, cut.digest) == (len(encode(text)), hashlib.sha256(encode(text)).hexdigest())
        assert cut == describe_text(text)


@given(st.binary(max_size=50), st.integers(1, 200))
def test_packing_loses_nothing_and_never_grows(data, times):
    """Any bytes come back as they were; what is packed is at least a tenth smaller."""
    data *= times
    packed, body = pack(data)
    assert unpack(packed, body, len(data)) == data
    assert len(body) * 10 <= len(data) * 9 if packed else body == data


def test_packing_pays_for_long_texts_only():
    """Prose beyond the limit is packed, short or random bytes are not."""
    assert pack(b"the quick brown fox " * 100)[0] == 1
    assert pack(b"x" * (WORTH_PACKING - 1))[0] == 0
    assert pack(bytes(hashlib.sha256(str(n).encode()).digest()[0] for n in range(5000)))[0] == 0


@pytest.mark.parametrize("body", [pack(b"x" * 10**6)[1], b"no zlib at all", b""])
def test_a_packed_body_of_another_length_is_damage(body):
    """A body that would unpack to more than was recorded, or to nothing sound, is refused without making it."""
    with pytest.raises(DamagedRunError, match="2000 "):
        unpack(1, body, 2000)


def test_equal_texts_are_stored_once(tmp_path):
    """A body that many spans share, in one batch, in later ones and after a resume, is stored once."""
    span = ("s", None, 0, "ask", 1, 2, "question", "answer", *(None,) * 9)
    store = Store(tmp_path)
    with store.create(make_run(name="x")) as writer:
        for replicate in range(4):
            writer.add([(*numbers(0, replicate)[:9], *(None,) * 6, [span, span])])
            writer._texts.forget()
        writer.finish("interrupted")
    with store.reopen("x") as writer:
        writer.add([(*numbers(1, 0)[:9], *(None,) * 6, [span])])
    assert sql(writer.path, "SELECT count(*), sum(bytes) FROM texts") == [(2, len("questionanswer"))]
    assert sql(writer.path, "SELECT count(DISTINCT input), count(*) FROM spans") == [(1, 9)]


def test_a_refused_batch_leaves_no_text_behind(tmp_path):
    """Texts of a batch that was refused are not remembered as stored."""
    with Store(tmp_path).create(make_run(name="x")) as writer:
        for bad in (numbers(9, 9), numbers(8, 8)):
            with pytest.raises(Exception, match="not of run"):
                writer.add([full_row(0, 0), bad])
        writer.add([full_row(0, 0)])
    assert sql(
        writer.path, "SELECT count(*) FROM spans JOIN texts ON text = input WHERE body = ?", b"in 0"
    ) == [(1,)]
    assert sql(writer.path, "SELECT count(*) FROM texts") == [(3,)]
