"""One replicate as terminal text: how it ended, and its spans as an indented tree."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from pytest_poisson.render import formatting as write
from pytest_poisson.render.layout import GAP, INDENT, Paint, wrap

if TYPE_CHECKING:
    from collections.abc import Iterator

    from poisson_store.records import Cut, Span
    from pytest_poisson.analyses.episode_trace import EpisodeTrace, Node

HEADERS = ("after", "took", "in", "out")
WIDTHS = (9, 9, 7, 7)
SHOWN = 8
UNKNOWN = "?"
DEEPEST = 12  # levels that are indented


def render_trace(result: EpisodeTrace, *, width: int = 80, colour: bool = False, texts: bool = False) -> str:
    """Return one replicate as text.

    Parameters
    ----------
    result
        The replicate.
    width
        Columns of the terminal.
    colour
        Whether to use terminal colours.
    texts
        Whether to print what went into every span and what came out.
    """
    paint = Paint(colour)
    below = [line for note in notes(result) for line in wrap(note, width)]
    sections = [_title(result, width, paint), _tree(result, width, paint, texts=texts), below]
    return "\n\n".join("\n".join(section) for section in sections if section) + "\n"


def _title(result: EpisodeTrace, width: int, paint: Paint) -> list[str]:
    episode = result.episode
    label = write.condition_labels([result.condition])[result.condition.key]
    ended = f"ended {episode.outcome}" if episode.outcome else f"no outcome: {episode.cause}"
    reached = "" if episode.t is None else f" at t={episode.t:g}"
    reached += "" if episode.horizon is None else f" of {episode.horizon:g}"
    facts = [f"run {write.printable(result.run.name)}", f"took {write.duration(episode.wall_s)}"]
    facts += [] if episode.seed is None else [f"seed {episode.seed}"]
    facts += [f"attempt {len(episode.attempts) + 1}"] if episode.attempts else []
    title = f"{write.shorten(label, width)}, replicate {episode.replicate}: {write.printable(ended)}{reached}"
    return [
        *(paint(line, "bold") for line in wrap(title, width)),
        *wrap(", ".join(facts), width),
        *(line for line in _lines(episode.error, width, INDENT)),
    ]


def _tree(result: EpisodeTrace, width: int, paint: Paint, *, texts: bool) -> list[str]:
    if not result.nodes:
        return ["It left no spans."]
    room = width - sum(WIDTHS) - len(GAP) * len(WIDTHS)
    header = _row("span", HEADERS, room)
    lines, step = [header, "-" * len(header)], None
    # An exception on its way out is the error of every span around it; it is printed where it came from.
    raised_inside = {(node.span.parent_id, node.span.error) for node in result.nodes}
    for node in result.nodes:
        if node.span.step != step:
            step = node.span.step
            lines.append(f"[{write.printable(step or 'no step')}]")
        lines.append(_row(_label(node), figures(node), room))
        inner = INDENT * (min(node.depth, DEEPEST) + 2)
        if (node.span.span_id, node.span.error) not in raised_inside:
            lines += [paint(line, "red") for line in _lines(node.span.error, width, f"{inner}! ")]
        lines += [line for cut in cuts(node.span) for line in wrap(cut, width, first=inner)]
        if texts:
            lines += _texts(node.span, width, inner)
    return lines


def _row(label: str, figures: tuple[str, ...], room: int) -> str:
    label = write.shorten(label, room)
    cells = (figure.rjust(columns) for figure, columns in zip(figures, WIDTHS, strict=True))
    return GAP.join([label + " " * (room - write.width(label)), *cells]).rstrip()


def _label(node: Node) -> str:
    indent = INDENT * min(node.depth, DEEPEST)
    model = f" ({node.model})" if node.model else ""
    return indent + write.printable(f"{node.span.kind} {node.span.name}{model}")


def figures(node: Node) -> tuple[str, str, str, str]:
    """Return when a span began, how long it took, and its tokens in and out, as `HEADERS` says."""
    tokens = node.span.tokens
    if tokens is None:
        known = (UNKNOWN, UNKNOWN) if node.silent else ("", "")
    else:
        sides = (tokens.input, tokens.output)
        known = tuple(UNKNOWN if side is None else write.integer(side) for side in sides)  # type: ignore[assignment]
        if not node.counted:
            known = tuple(f"({side})" for side in known)  # type: ignore[assignment]
    return span_time(node.after_s), span_time(node.took_s), *known


def cuts(span: Span) -> Iterator[str]:
    """Say of each text of a span that was cut, or not kept, how long it was."""
    for side, text, cut in (("input", span.input, span.input_cut), ("output", span.output, span.output_cut)):
        if cut is not None:
            yield f"{side} {_cut(text, cut)}, SHA-256 {cut.digest[:16]}"


def _cut(text: str | None, cut: Cut) -> str:
    if text is None:
        return f"of {write.plural(cut.bytes, 'byte')} not kept"
    kept = len(text.encode("utf-8", "surrogatepass"))
    return f"cut after {write.integer(kept)} of {write.plural(cut.bytes, 'byte')}"


def _texts(span: Span, width: int, inner: str) -> Iterator[str]:
    for side, text in (("in ", span.input), ("out", span.output)):
        yield from _lines(text, width, f"{inner}{side} ")


def _lines(text: str | None, width: int, first: str) -> Iterator[str]:
    """Yield a text's own lines, broken where they are too wide, the first begun by `first`."""
    rest = " " * len(first)
    columns = max(20, width - len(first))
    for line in (text or "").splitlines():
        shown = write.printable(line)
        for start in range(0, max(1, len(shown)), columns):
            yield f"{first}{shown[start : start + columns]}".rstrip()
            first = rest


def notes(result: EpisodeTrace) -> list[str]:
    """Return what must be known to read the tree, and which other replicates fit."""
    episode, found = result.episode, []
    if any(node.silent for node in result.nodes):
        found.append("? is a model call whose provider reported no usage: unknown, not 0.")
    if any(node.span.tokens is not None and not node.counted for node in result.nodes):
        found.append("(Tokens in parentheses are repeated by a span inside and count once.)")
    if episode.spans_left_out:
        found.append(
            f"{write.plural(episode.spans_left_out, 'more span')} went beyond max_spans and left no row."
        )
    if len(result.alike) > 1:
        others = len(result.alike) - 1
        fit = "replicate fits" if others == 1 else "replicates fit"
        found.append(f"{write.integer(others)} other {fit}: {_others(result)}")
    return found


def _others(result: EpisodeTrace) -> str:
    """Name the first of the other replicates that fit, by condition."""
    labels = write.condition_labels(result.run.conditions)
    shown = result.alike[1 : 1 + SHOWN]
    parts = []
    for key, group in groupby(shown, key=itemgetter(0)):
        numbers = ", ".join(str(number) for _, number in group)
        parts.append(numbers if key == result.condition.key else f"of {labels[key]} {numbers}")
    return "; ".join(parts) + (", .." if len(result.alike) - 1 > SHOWN else "")


def span_time(seconds: float) -> str:
    """Write a time of a span, which may be far below a millisecond."""
    return f"{seconds * 1000:.1f} ms" if seconds < 0.00995 else write.duration(seconds)
