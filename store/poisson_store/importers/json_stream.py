"""JSON documents of any size, read a piece at a time."""

from __future__ import annotations

import re
from json import JSONDecodeError, JSONDecoder
from typing import IO, TYPE_CHECKING, Any

from poisson_store.errors import ImportRefusedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CHUNK = 1 << 18
"""Characters that are read at a time, at least."""

_LOOK_AHEAD = 16
"""Characters behind which nothing that is yet to be read can change what a value is: no literal is longer."""

_BLANKS = re.compile(r"[ \t\n\r]*")
_decode = JSONDecoder().raw_decode


def stream_json(
    file: IO[str], name: str, opened: Callable[[tuple[str | int, ...]], bool]
) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Yield (path, value) for what a JSON document holds.

    Parameters
    ----------
    file : text file
        The document.
    name : str
        What to call it in a refusal.
    opened : callable
        Tells by its path whether an object or array is taken apart, so that its items come one by one;
        everything else comes whole. The document's own path is ().

    Raises
    ------
    ImportRefusedError
        If the document is empty, broken or nested too deeply. `NaN` and the infinities are read as such.
    """
    window = _Window(file, name)
    if not window.peek():
        raise ImportRefusedError(f"{name} is empty.")
    yield from _walk(window, (), opened)
    if window.peek():
        raise window.broken("more follows where the document has ended")


def _walk(
    window: _Window, path: tuple[str | int, ...], opened: Callable[[tuple[str | int, ...]], bool]
) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    start = window.peek()
    if start not in ("[", "{") or not opened(path):
        yield path, window.value()
        return
    window.expect(start)
    end = "]" if start == "[" else "}"
    position = 0
    while window.peek() != end:
        if position:
            window.expect(",")
        key: str | int = position if start == "[" else window.key()
        yield from _walk(window, (*path, key), opened)
        position += 1
    window.expect(end)


class _Window:
    """The part of a document that is in memory."""

    def __init__(self, file: IO[str], name: str) -> None:
        self._file, self._name = file, name
        self._text, self._at, self._before = "", 0, 0

    def peek(self) -> str:
        """Give the next character that is no blank; empty at the end."""
        while True:
            blanks = _BLANKS.match(self._text, self._at)
            self._at = blanks.end() if blanks else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._read():
                return ""

    def expect(self, character: str) -> None:
        """Step over a character."""
        if self.peek() != character:
            raise self.broken(f"{character!r} is expected")
        self._at += 1

    def key(self) -> str:
        """Read a key and step over its colon."""
        if self.peek() != '"':
            raise self.broken("a key in double quotes is expected")
        key = self.value()
        self.expect(":")
        return str(key)

    def value(self) -> Any:
        """Read one value, whole."""
        self.peek()
        while True:
            value, length, problem = self._attempt()
            # near the end of what was read a literal may be cut, and a number may go on
            enough = self._at + length < len(self._text) - _LOOK_AHEAD
            unended = problem.startswith("Unterminated string")
            if (not enough or unended) and self._read():
                continue
            self._at += length
            if problem:
                raise self.broken(problem)
            return value

    def broken(self, problem: str) -> ImportRefusedError:
        """Say what is wrong at the present place."""
        return ImportRefusedError(
            f"{self._name} is broken JSON at character {self._before + self._at + 1}: {problem}."
        )

    def _attempt(self) -> tuple[Any, int, str]:
        """Decode a value from what is in memory: the value, up to where it was read, and what stood in the way."""
        try:
            value, end = _decode(self._text, self._at)
        except JSONDecodeError as error:
            return None, error.pos - self._at, error.msg
        except RecursionError:
            return None, 0, "it is nested too deeply"
        except ValueError as error:  # a number of thousands of digits
            return None, 0, str(error)
        return value, end - self._at, ""

    def _read(self) -> bool:
        """Read on, twice as much each time a value does not fit, so that no text is scanned often."""
        more = self._file.read(max(CHUNK, len(self._text) - self._at))
        self._before += self._at
        self._text, self._at = self._text[self._at :] + more, 0
        return bool(more)
