"""HTML in small pieces, in which whatever is not markup by its type becomes text."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from pytest_poisson.render.formatting import printable, printable_lines
from pytest_poisson.render.html import sheet_section
from pytest_poisson.render.sheet import Bold

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_poisson.render.layout import Column
    from pytest_poisson.render.sheet import Section, Sheet

VOID = frozenset({"input", "link", "meta"})


class Html(str):
    """Markup; any other text is escaped where it is put into an element."""

    __slots__ = ()


def element(tag: str, /, *children: str, **attributes: str | None) -> Html:
    """Write an element; an underscore in an attribute's name stands for a hyphen, one at its end for nothing.

    An attribute of None is left out.
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_text(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    if tag in VOID:
        return Html(f"<{tag}{written}>")
    return Html(f"<{tag}{written}>{joined(children)}</{tag}>")


def joined(children: Iterable[str], between: str = "") -> Html:
    """Put pieces one after another, text escaped, markup as it is."""
    return Html(between.join(child if isinstance(child, Html) else _text(child) for child in children))


def link(target: str, *children: str, **attributes: str | None) -> Html:
    """Write a link."""
    return element("a", *children, href=target, **attributes)


def lines(text: str, **attributes: str | None) -> Html:
    """Write a text of several lines as it was, with what no page should act upon written out."""
    return element("pre", Html(escape(printable_lines(text), quote=True)), **attributes)


def grid(columns: Sequence[Column], rows: Iterable[Sequence[str]], **attributes: str | None) -> Html:
    """Write a table; cells may be markup."""
    heads = joined(element("th", column.header, scope="col", class_=_side(column)) for column in columns)
    body = joined(
        element(
            "tr",
            *(element("td", cell, class_=_side(column)) for column, cell in zip(columns, row, strict=True)),
        )
        for row in rows
    )
    table = element("table", element("thead", element("tr", heads)), element("tbody", body), **attributes)
    return element("div", table, class_="wide", tabindex="0")  # it scrolls: by keyboard as well


def sheet_html(report: Sheet, *, leave_out: Iterable[str] = ()) -> Html:
    """Write a report in parts, without the sections of some headings."""
    hidden = set(leave_out)
    return joined(
        element("p", part.sentence, class_="verdict") if isinstance(part, Bold) else section_html(part)
        for part in report.parts
        if isinstance(part, Bold) or part.heading not in hidden
    )


def part_of(report: Sheet, heading: str) -> Section | None:
    """Return the section of a report that stands under a heading, if there is one."""
    sections = (part for part in report.parts if not isinstance(part, Bold))
    return next((part for part in sections if part.heading == heading), None)


def section_html(part: Section | None) -> Html:
    """Write one section of a report; nothing for none."""
    if part is None:
        return Html()
    return Html(sheet_section(part))


def _side(column: Column) -> str | None:
    return "number" if column.right else None


def _text(text: str) -> str:
    return escape(printable(text), quote=True)
