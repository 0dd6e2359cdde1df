"""What a replicate has recorded when its time is nearly over: the process that ends it cannot ask any more."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

from pytest_poisson.span_rows import trace_row

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_poisson.rollout import Rollout

SHARE = 0.9
"""How much of its time a replicate has had when its spans are told; what comes after is lost with it."""

LOOKS = 50
"""How often the replicate under way is looked at in that time."""


class LastWords:
    """Tells the spans of a replicate that is about to be ended for its time, from a thread beside it.

    A replicate that holds the interpreter all the time cannot be told of.

    Parameters
    ----------
    timeout_s
        The longest a replicate may take.
    under_way
        Gives the replicate that runs now, if one runs that this process cannot cancel itself.
    tell
        Is handed its number and the items of its row from `tokens_in` on, once.
    """

    def __init__(
        self,
        timeout_s: float,
        under_way: Callable[[], Rollout | None],
        tell: Callable[[int, list[Any]], None],
    ) -> None:
        self._timeout_s = timeout_s
        self._under_way = under_way
        self._tell = tell
        self._seen: Rollout | None = None
        self._since = 0.0

    def start(self) -> None:
        """Begin to look, until the process ends."""
        threading.Thread(target=self._watch, name="poisson-last-words", daemon=True).start()

    def _watch(self) -> None:
        while True:
            time.sleep(self._timeout_s / LOOKS)
            self.look(time.monotonic())

    def look(self, now: float) -> None:
        """Look at the replicate under way once; `now` is on the monotonic clock."""
        rollout = self._under_way()
        if rollout is not self._seen:
            self._seen, self._since = rollout, now
        elif rollout is not None and now - self._since >= SHARE * self._timeout_s:
            self._since = float("inf")
            items = trace_row(rollout.trace)
            if items:
                self._tell(rollout.replicate, items)
