"""A mock agent that books a trip with unreliable tools. Measure it, change it, and see whether it fails less.

pytest test_agent.py --poisson-sweep
pytest test_agent.py --poisson-pair-with=latest --poisson-variant policy=retry
"""

import random

import pytest

STEPS = {"flight": 2, "trip": 4}  # tool calls that a task takes when none fails
PATIENCE = 9  # tool calls after which the user gives up


class Agent:
    """Calls one tool after the other; a call that fails spoils the booking, unless it is tried again."""

    def __init__(self, policy: str, draws: random.Random) -> None:
        self.policy = policy
        self.draws = draws
        self.calls = 0

    def book(self, steps: int, fail_rate: float) -> str:
        for _ in range(steps):
            done = self.call(fail_rate) or (self.policy == "retry" and self.call(fail_rate))
            if not done:
                return "wrong"
            if self.calls > PATIENCE:
                return "gave up"
        return "booked"

    def call(self, fail_rate: float) -> bool:
        self.calls += 2 if self.draws.random() < 0.2 else 1  # now and then a tool asks back
        return self.draws.random() >= fail_rate


@pytest.fixture(params=["flight", "trip"])
def task(request):
    return request.param


@pytest.fixture(params=[0.05, 0.2])
def fail_rate(request):
    return request.param


@pytest.mark.rollout(
    outcomes=["booked", "wrong", "gave up"],
    failures=["wrong", "gave up"],
    successes=["booked"],
    t_unit="calls",
    replicates=200,
)
def test_booking(task, fail_rate, rollout):
    agent = Agent(rollout.variant.get("policy", "plain"), rollout.random)
    outcome = agent.book(STEPS[task], fail_rate)
    rollout.end(outcome, t=agent.calls)
