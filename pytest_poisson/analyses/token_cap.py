"""Whether runs stayed under a cap of input tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from poisson_store.records import KINDS
from poisson_store.usage import counted_spans
from pytest_poisson.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from poisson_store import RunReader


@dataclass(frozen=True, slots=True)
class TokenCapResult:
    """The input tokens that runs recorded, against a cap; `unrecorded` calls reported none and are not in it."""

    tokens_in: int
    cap: int
    unrecorded: int

    @property
    def under(self) -> bool:
        """Whether the sum is below the cap; at the cap is not."""
        return self.tokens_in < self.cap


def check_token_cap(runs: Iterable[str], open_run: Callable[[str], RunReader], cap: int) -> TokenCapResult:
    """Sum the input tokens of runs.

    Raises
    ------
    UserError
        If no call reported any: a sum of nothing is under every cap.
    """
    names = tuple(runs)
    tokens, unrecorded = 0, 0
    for name in names:
        with open_run(name) as run:
            usage = run.usage().values()
            tokens += sum(each.tokens_in for each in usage)
            unrecorded += sum(each.unknown for each in usage) + _without_input(run)
    if not tokens:
        of = ", ".join(f"'{name}'" for name in names)
        raise UserError(
            f"No span of {of} reported input tokens, so that nothing can be held against the cap of {cap:,}."
        )
    return TokenCapResult(tokens, cap, unrecorded)


def _without_input(run: RunReader) -> int:
    """Return how many model calls reported what they gave and not what they took."""
    return sum(
        episode.spans[place].tokens_in is None and episode.spans[place].kind == KINDS.index("llm")
        for episode in run.span_usage()
        for place in counted_spans(episode.spans)[0]
    )
