"""The support agent, swept over tasks and tool failure rates."""

import pytest
from agent import HORIZON, Agent


@pytest.fixture(params=["search", "refund", "checkout"])
def task(request):
    return request.param


@pytest.fixture(params=[0.0, 0.1, 0.3])
def tool_fail_rate(request):
    return request.param


@pytest.mark.rollout(
    id="support",
    outcomes=["resolved", "timeout", "violated"],
    failures=["timeout", "violated"],
    successes=["resolved"],
    t_unit="tool_calls",
    replicates=194,
)
def test_support(task, tool_fail_rate, rollout):
    agent = Agent(task, tool_fail_rate, seed=rollout.seed, retry=rollout.variant.get("agent") == "patched")
    ending = agent.run()
    rollout.end(ending.outcome, t=ending.calls, horizon=HORIZON)
