"""What became of imported spans, as terminal text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_poisson.render import formatting as write
from pytest_poisson.render.layout import INDENT, wrap

if TYPE_CHECKING:
    from pytest_poisson.span_files.attach import AttachResult


def render_attach(result: AttachResult, *, width: int = 80) -> str:
    """Return how many spans were added to a run, and why others were not."""
    files = write.plural(len(result.files), "file")
    head = (
        f"{write.plural(result.read, 'span')} in {files}: {write.integer(result.added)} added to run "
        f"{write.printable(result.name)}, {write.integer(result.read - result.added)} left out."
    )
    lines = wrap(head, width)
    for reason, count in result.left_out.items():
        lines += wrap(f"{write.integer(count)} {reason}", width, first=INDENT)
    return "\n".join(lines) + "\n"
