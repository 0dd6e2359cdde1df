"""Gymnasium's CartPole with noisy sensors: a policy that looks further ahead falls less, and drifts away more."""

import gymnasium
import pytest

HORIZON = 200
LOOKAHEAD = {"cautious": 0.1, "anticipating": 0.3}  # how much the pole's speed counts beside its angle


@pytest.fixture(params=[0.1, 0.2])
def sensor_noise(request):
    return request.param


@pytest.fixture
def environment():
    made = gymnasium.make("CartPole-v1", max_episode_steps=HORIZON)
    yield made
    made.close()


@pytest.mark.rollout(
    id="cartpole",
    outcomes=["upright", "fell", "drifted"],
    failures=["fell", "drifted"],
    successes=["upright"],
    t_unit="steps",
    replicates=150,
)
def test_cartpole(environment, sensor_noise, rollout):
    lookahead = LOOKAHEAD[rollout.variant.get("policy", "cautious")]
    state, _ = environment.reset(seed=rollout.seed)
    for step in range(1, HORIZON + 1):
        _, _, angle, speed = state + rollout.rng.normal(0, sensor_noise, 4)
        state, _, ended, _, _ = environment.step(int(angle + lookahead * speed > 0))
        if ended:
            fell = abs(state[2]) > environment.unwrapped.theta_threshold_radians
            rollout.end("fell" if fell else "drifted", t=step, horizon=HORIZON)
            return
    rollout.end("upright", t=HORIZON, horizon=HORIZON)
