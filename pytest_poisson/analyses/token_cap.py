"""Whether runs stayed under a cap of input tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from poisson_store import RunReader


@dataclass(frozen=True, slots=True)
class TokenCapResult:
    """The input tokens that runs recorded, against a cap; `unrecorded` spans reported no usage and are not in it."""

    tokens_in: int
    cap: int
    unrecorded: int

    @property
    def under(self) -> bool:
        """Whether the sum is below the cap; at the cap is not."""
        return self.tokens_in < self.cap


def check_token_cap(runs: Iterable[str], open_run: Callable[[str], RunReader], cap: int) -> TokenCapResult:
    """Sum the input tokens of runs, without reading their spans."""
    tokens, unrecorded = 0, 0
    for name in runs:
        with open_run(name) as run:
            usage = run.usage().values()
            tokens += sum(each.tokens_in for each in usage)
            unrecorded += sum(each.unknown for each in usage)
    return TokenCapResult(tokens, cap, unrecorded)
