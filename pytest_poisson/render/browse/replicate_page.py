"""One replicate in the browser: how it ended, the command that runs it again, and the tree of its spans."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pytest_poisson.render import formatting as write
from pytest_poisson.render.browse.frame import (
    DEEPEST,
    condition_address,
    frame,
    live,
    replicate_address,
    run_address,
)
from pytest_poisson.render.browse.run_page import ending
from pytest_poisson.render.commands import replicate_command
from pytest_poisson.render.layout import Column
from pytest_poisson.render.markup import Html, element, grid, joined, lines, link
from pytest_poisson.render.trace_text import HEADERS, cuts, figures, notes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from poisson_store.records import Episode, Json
    from pytest_poisson.analyses.episode_trace import EpisodeTrace, Node

SPAN_COLUMNS = (Column("span"), *(Column(header, right=True) for header in HEADERS))
MOST_CHARACTERS = 50_000
"""Of one text in the page."""


def replicate_page(result: EpisodeTrace, *, store: str | None) -> str:
    """Return the page of one replicate, all texts in it as text."""
    run, key, episode = result.run, result.condition.key, result.episode
    label = write.condition_labels([result.condition])[key]
    command = replicate_command(run.name, result.condition, episode.replicate, store)
    error = element("section", element("h2", "Error"), _cut(episode.error)) if episode.error else ""
    return frame(
        f"{label}, replicate {episode.replicate}",
        live(
            element("p", f"{ending(episode)}.", class_="verdict"),
            element("p", ", ".join(_facts(episode)) + "."),
            error,
            element("section", element("h2", "Run it again"), lines(command)) if command else "",
            element("section", element("h2", "Spans"), *_spans(result)),
            *_rest(episode),
            _neighbours(result),
            running=False,
        ),
        trail=[(run_address(run.run_id), run.name), (condition_address(run.run_id, key), label)],
    )


def _facts(episode: Episode) -> Iterator[str]:
    yield f"took {write.duration(episode.wall_s)}"
    if episode.t is not None:
        yield f"t = {episode.t:g}" + ("" if episode.horizon is None else f" of {episode.horizon:g}")
    if episode.seed is not None:
        yield f"seed {episode.seed}"
    if episode.tokens_in is not None or episode.tokens_out is not None:
        known = (
            "unknown" if side is None else write.integer(side)
            for side in (episode.tokens_in, episode.tokens_out)
        )
        yield f"tokens in and out: {', '.join(known)}"
    if episode.attempts:
        yield f"attempt {len(episode.attempts) + 1}"


def _spans(result: EpisodeTrace) -> list[Html]:
    if not result.nodes:
        return [element("p", "It left no spans.")]
    rows = ((_span(node), *figures(node)) for node in result.nodes)
    return [grid(SPAN_COLUMNS, rows), *(element("p", each) for each in notes(result))]


def _span(node: Node) -> Html:
    span = node.span
    model = f" ({node.model})" if node.model else ""
    step = f" [{span.step}]" if span.step else ""
    failed = " failed" if span.error else ""
    title = f"{span.kind} {span.name}{model}{step}{failed}"
    parts = [
        *(
            part
            for name, text in (("error", span.error), ("input", span.input), ("output", span.output))
            if text
            for part in (element("h3", name), _cut(text))
        ),
        *(element("p", each) for each in cuts(span)),
        *([element("h3", "attributes"), _cut(_written_out(span.attrs))] if span.attrs else []),
    ]
    depth = min(node.depth, DEEPEST)
    shown = element("details", element("summary", title), *parts) if parts else joined([title])
    return element("div", shown, class_=f"depth-{depth}" if depth else None)


def _rest(episode: Episode) -> list[Html]:
    """Return what else was kept of a replicate: its meta, and its earlier attempts."""
    found = []
    if episode.meta:
        found.append(element("section", element("h2", "Meta"), _cut(_written_out(episode.meta))))
    if episode.attempts:
        attempts = (
            joined([element("p", f"attempt {each.number}, {write.duration(each.wall_s)}:"), _cut(each.error)])
            for each in episode.attempts
        )
        found.append(element("section", element("h2", "Earlier attempts"), *attempts))
    return found


def _neighbours(result: EpisodeTrace) -> Html:
    run_id, key, number = result.run.run_id, result.condition.key, result.episode.replicate
    found = [link(replicate_address(run_id, key, number - 1), f"replicate {number - 1}")] if number else []
    if number + 1 < result.condition.planned:
        found.append(link(replicate_address(run_id, key, number + 1), f"replicate {number + 1}"))
    return element("p", joined(found, ", "))


def _written_out(values: Mapping[str, Json]) -> str:
    return json.dumps(dict(values), indent=2, ensure_ascii=False)


def _cut(text: str) -> Html:
    """Return a text, of a very long one its beginning with what is left out."""
    left = len(text) - MOST_CHARACTERS
    if left <= 0:
        return lines(text)
    said = f"{write.plural(left, 'more character')}: pytest-poisson show --texts prints all."
    return joined([lines(text[:MOST_CHARACTERS]), element("p", said)])
