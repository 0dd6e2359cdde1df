"""The support bot, swept over tickets on the model that `--poisson-variant=model=…` names."""

import pytest
from bot import SCRIPTS, TURNS, Bot
from openai import OpenAI
from provider import local_provider


@pytest.fixture(params=sorted(SCRIPTS))
def ticket(request):
    return request.param


@pytest.fixture(scope="session")
def client():
    with local_provider() as address, OpenAI(base_url=address, api_key="local") as client:
        yield client


@pytest.mark.rollout(
    id="tickets",
    outcomes=["resolved", "escalated", "wrong"],
    failures=["escalated", "wrong"],
    successes=["resolved"],
    t_unit="calls",
    capture=["openai"],
)
def test_ticket(ticket, client, rollout):
    bot = Bot(client, model=rollout.variant.get("model", "small-1"), seed=rollout.seed)
    ending = bot.handle(ticket)
    rollout.end(ending.outcome, t=ending.calls, horizon=TURNS)
