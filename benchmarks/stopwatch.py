"""Time a call, and print it beside the obvious way of getting the same number."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def seconds(call: Callable[[], object], repeats: int) -> float:
    """Return the fastest of some calls, the first of which also warms up."""
    taken = []
    for _ in range(repeats):
        begun = time.perf_counter()
        call()
        taken.append(time.perf_counter() - begun)
    return min(taken)


def compare(what: str, ours: Callable[[], object], name: str, theirs: Callable[[], object] | None) -> None:
    """Print our time, the alternative's on the same input, and the ratio; no alternative means none in a minute."""
    mine = seconds(ours, 3)
    if theirs is None:
        print(f"{what}: {mine:.3f} s; {name}: not within a minute")
        return
    other = seconds(theirs, 1)
    print(f"{what}: {mine:.3f} s; {name}: {other:.2f} s; ratio {other / mine:.0f}")
