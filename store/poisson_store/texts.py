"""Texts as bytes: cutting, digests, and compression where it pays; each distinct text stored once."""

from __future__ import annotations

import hashlib
import zlib
from typing import TYPE_CHECKING

from poisson_store.bulk import insert_many
from poisson_store.errors import DamagedRunError
from poisson_store.records import Cut

if TYPE_CHECKING:
    import sqlite3

WORTH_PACKING = 512
"""Bytes below which compressing costs more time than the space is worth."""

SHORT = 500
"""Characters up to which a text is remembered itself, which saves encoding and digesting it again."""

REMEMBERED = 20_000
"""How many texts a writer remembers: digests of about 4 MB, and the short texts among them, at most 20 MB."""


def encode(text: str) -> bytes:
    """Encode any text, lone surrogates included, so that `decode` gives the very same back."""
    return text.encode("utf-8", "surrogatepass")


def decode(data: bytes) -> str:
    """Undo `encode`."""
    return data.decode("utf-8", "surrogatepass")


def storable(text: str | None) -> str | None:
    r"""Give a text as an SQLite text can hold it: a lone surrogate is written out, as `\udc80`."""
    if text is None or text.isascii():
        return text
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def cut_text(text: str, max_bytes: int) -> tuple[str, Cut | None]:
    """Keep at most the first `max_bytes` UTF-8 bytes of a text, never half a character.

    Returns the beginning and, where something was cut, the full length and digest.
    """
    data = encode(text)
    if len(data) <= max_bytes:
        return text, None
    end = max_bytes
    while end > 0 and data[end] & 0xC0 == 0x80:  # a continuation byte: its character began before the cut
        end -= 1
    return decode(data[:end]), describe_text(text)


def describe_text(text: str) -> Cut:
    """Give the length and digest of a text, for one that is not kept."""
    data = encode(text)
    return Cut(len(data), hashlib.sha256(data).hexdigest())


def pack(data: bytes) -> tuple[int, bytes]:
    """Compress where that saves at least a tenth; the first item tells whether it did."""
    if len(data) < WORTH_PACKING:
        return 0, data
    packed = zlib.compress(data, 1)
    return (1, packed) if len(packed) * 10 <= len(data) * 9 else (0, data)


def unpack(packed: int, body: bytes, length: int) -> bytes:
    """Undo `pack`; no more than the recorded length is ever made in memory.

    Raises
    ------
    DamagedRunError
        If the body does not give the recorded length.
    """
    try:
        data = zlib.decompressobj().decompress(body, length + 1) if packed else body
    except zlib.error as error:
        raise DamagedRunError(f"A stored text of {length} bytes cannot be unpacked: {error}.") from error
    if len(data) != length:
        raise DamagedRunError(f"A stored text has {len(data)} bytes where {length} were recorded.")
    return data


class TextTable:
    """The `texts` of a run as its one writer sees them."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._known: dict[bytes, int] = {}
        self._short: dict[str, int] = {}
        self._waiting: list[tuple[int, bytes, int, int, bytes]] = []
        self._next = 0
        self.forget()

    def intern(self, text: str | None) -> int | None:
        """Give the number of a text; `store` must follow in the same transaction."""
        if text is None:
            return None
        number = self._short.get(text)
        if number is not None:
            return number
        data = encode(text)
        digest = hashlib.sha256(data).digest()
        number = self._known.get(digest)
        if number is None:
            number = self._known[digest] = self._find(digest) or self._queue(digest, data)
        if len(text) <= SHORT:
            self._short[text] = number
        return number

    def store(self) -> None:
        """Store the new texts."""
        insert_many(self._connection, "texts", self._waiting)
        self._waiting.clear()
        if len(self._known) > REMEMBERED:
            self._known.clear()
            self._short.clear()

    def forget(self) -> None:
        """Begin afresh; needed where a transaction was rolled back."""
        self._known.clear()
        self._short.clear()
        self._waiting.clear()
        (last,) = self._connection.execute("SELECT ifnull(max(text), 0) FROM texts").fetchone()
        self._next = last + 1

    def _find(self, digest: bytes) -> int | None:
        row = self._connection.execute("SELECT text FROM texts WHERE digest = ?", (digest,)).fetchone()
        return None if row is None else int(row[0])

    def _queue(self, digest: bytes, data: bytes) -> int:
        number, self._next = self._next, self._next + 1
        self._waiting.append((number, digest, len(data), *pack(data)))
        return number


def read_text(connection: sqlite3.Connection, number: int | None) -> str | None:
    """Read one of the `texts` of a run."""
    if number is None:
        return None
    row = connection.execute("SELECT packed, body, bytes FROM texts WHERE text = ?", (number,)).fetchone()
    if row is None:
        raise DamagedRunError(f"Text {number} of a span is missing.")
    return decode(unpack(*row))
