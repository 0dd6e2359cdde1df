"""A stand-in for a support agent: it calls tools until its task is done, and tools fail now and then."""

from __future__ import annotations

import random
from dataclasses import dataclass

CALLS_NEEDED = {"search": 2, "refund": 3, "checkout": 5}
HORIZON = 12  # tool calls after which the agent is stopped
ASKS_AGAIN = 0.15  # the agent repeats a call whose answer it did not understand
GUESSES = 0.8  # after a failed call the agent acts on a guess, against policy, instead of starting over


@dataclass(frozen=True)
class Ending:
    """How an episode ended, and after how many tool calls."""

    outcome: str
    calls: int


class Agent:
    """Works on one task.

    With ``retry`` it makes a failed tool call once more before it draws conclusions from it.
    """

    def __init__(self, task: str, tool_fail_rate: float, *, seed: int, retry: bool = False) -> None:
        self.needed = CALLS_NEEDED[task]
        self.tool_fail_rate = tool_fail_rate
        self.retry = retry
        self.random = random.Random(seed)
        self.calls = 0

    def run(self) -> Ending:
        """Work until the task is done, the policy is violated, or the calls are used up."""
        done = 0
        while done < self.needed:
            if self.calls >= HORIZON:
                return Ending("timeout", HORIZON)
            if self._call_tool() or (self.retry and self._call_tool()):
                done += self.random.random() >= ASKS_AGAIN
            elif self.random.random() < GUESSES:
                return Ending("violated", min(self.calls, HORIZON))
            else:
                done = 0
        return Ending("resolved", min(self.calls, HORIZON))

    def _call_tool(self) -> bool:
        self.calls += 1
        return self.random.random() >= self.tool_fail_rate
