"""What every page of a store in the browser has: head, way back, addresses; its style and its script as files."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from pytest_poisson.render.html import asset
from pytest_poisson.render.html import script as report_script
from pytest_poisson.render.markup import Html, element, joined, link

if TYPE_CHECKING:
    from collections.abc import Sequence

STYLE_FILE, SCRIPT_FILE = "/style.css", "/live.js"
DEEPEST = 12  # levels of spans that are indented


def style() -> str:
    """Return the style of every page: that of a report, and what is more here."""
    deep = (f".depth-{depth}{{padding-left:{depth * 1.2:.1f}rem}}" for depth in range(1, DEEPEST + 1))
    return "\n".join([asset("report.css"), asset("browse.css"), *deep, ""])


def script() -> str:
    """Return the script of every page, which renews what is live."""
    return asset("live.js")


def report_inside() -> tuple[str, str]:
    """Return the style and the script that a report has inside."""
    return asset("report.css"), report_script()


def frame(title: str, *body: str, trail: Sequence[tuple[str, str]] | None = ()) -> str:
    """Return a whole page.

    Parameters
    ----------
    title
        Its heading.
    body
        What stands below.
    trail
        The pages between the list of runs and it, as address and name; None for the list of runs.
    """
    head = joined(
        [
            element("meta", charset="utf-8"),
            element("meta", name="viewport", content="width=device-width, initial-scale=1"),
            element("title", f"{title} - pytest-poisson"),
            element("link", rel="stylesheet", href=STYLE_FILE),
        ]
    )
    above = [] if trail is None else [("/", "all runs"), *trail]
    way = element("nav", *(link(*each) for each in above), aria_label="Breadcrumb") if above else ""
    main = element("main", way, element("h1", title), *body)
    script = element("script", src=SCRIPT_FILE, defer="")
    page = element("html", element("head", head), element("body", main, script), lang="en")
    return f"<!DOCTYPE html>\n{page}\n"


def live(*body: str, running: bool) -> Html:
    """Return the part of a page that the script renews while a sweep is running."""
    note = element("p", "A sweep is running: this page renews itself.") if running else ""
    return element("div", note, *body, id="live", data_running="yes" if running else "no")


def problem_page(title: str, sentence: str) -> str:
    """Return the page that says in one sentence why there is no other."""
    return frame(title, element("p", sentence, class_="problem"))


def run_address(run_id: str) -> str:
    """Return the address of a run's page."""
    return f"/runs/{quote(run_id, safe='')}"


def condition_address(run_id: str, key: str, **query: str) -> str:
    """Return the address of the page of one condition of a run."""
    return f"{run_address(run_id)}/conditions/{quote(key, safe='')}{_query(query)}"


def replicate_address(run_id: str, key: str, replicate: int) -> str:
    """Return the address of the page of one replicate."""
    return f"{condition_address(run_id, key)}/{replicate}"


def compare_address(before: str, after: str, *, report: bool = False) -> str:
    """Return the address of the page that compares two runs, or of the report of the two."""
    return f"/compare{'/report' if report else ''}{_query({'before': before, 'after': after})}"


def comparison_address(known_as: str) -> str:
    """Return the address of a saved comparison's page."""
    return f"/comparisons/{quote(known_as, safe='')}"


def with_query(address: str, **values: str) -> str:
    """Return an address with values in its query."""
    return f"{address}{_query(values)}"


def _query(values: dict[str, str]) -> str:
    return f"?{urlencode(values)}" if values else ""
