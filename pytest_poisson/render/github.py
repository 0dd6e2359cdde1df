"""What GitHub shows of a session: Markdown within its limits, and annotations that point at a test."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_poisson.render.sheet import as_markdown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_poisson.render.sheet import Sheet

SUMMARY_BYTES = 1024 * 1024
"""A step summary above this size is rejected as a whole."""

COMMENT_BYTES = 65_536
"""A comment with more characters is refused; a character has at least one byte."""

MOST_ANNOTATIONS = 10
"""GitHub keeps so many a step."""

COMMENT_MARK = "<!-- pytest-poisson -->"
"""The first line of a comment, by which a workflow finds its own again."""


class Annotation(NamedTuple):
    """One error at a place in a file: the line counts from 1, the file's path begins at the repository."""

    file: str
    line: int
    title: str
    message: str


def fitted_markdown(report: Callable[[int | None], Sheet], most_bytes: int) -> str:
    """Return the longest Markdown of a report within a size: all its rows, else half of them, and so on.

    Parameters
    ----------
    report
        Makes the report with so many rows a table, or with all where that is None; it states what it leaves out.
    most_bytes
        Of the text in UTF-8.
    """
    text = as_markdown(report(None))
    rows = 1 << 20
    while len(text.encode()) > most_bytes and rows:
        rows //= 2
        text = as_markdown(report(rows))
    return cut(text, most_bytes)


def cut(text: str, most_bytes: int) -> str:
    """Return a text within a size, cut after a line, and saying how many bytes were cut."""
    whole = text.encode()
    if len(whole) <= most_bytes:
        return text
    room = max(most_bytes - 60, 0)
    kept, _, _ = whole[:room].rpartition(b"\n")
    return kept.decode(errors="ignore") + f"\n\nCut here: {len(whole) - len(kept):,} more bytes.\n"


def annotation_lines(annotations: Sequence[Annotation]) -> list[str]:
    """Return workflow commands for the first ten, and a line that says how many have none."""
    lines = [_command(each) for each in annotations[:MOST_ANNOTATIONS]]
    hidden = len(annotations) - len(lines)
    return [*lines, f"{hidden:,} more failing conditions have no annotation."] if hidden else lines


def _command(each: Annotation) -> str:
    place = f"file={_property(each.file)},line={each.line},title={_property(each.title)}"
    return f"::error {place}::{_data(each.message)}"


def _data(text: str) -> str:
    """Escape a command's message: a percent sign first, then the ends of lines."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Escape a command's property, which a colon or a comma would end."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")
