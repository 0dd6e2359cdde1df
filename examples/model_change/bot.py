"""A support bot: it asks a model what to do next, and does it, until the ticket is closed."""

import json
from dataclasses import dataclass

SCRIPTS = {
    "password": ["look_up", "send_link"],
    "refund": ["look_up", "check_order", "refund"],
    "shipping": ["look_up", "check_order", "ask_carrier", "reply"],
}
TURNS = 8


@dataclass(frozen=True)
class Ending:
    """How a ticket ended, after how many calls of the model."""

    outcome: str
    calls: int


class Bot:
    """Handles one ticket with one model."""

    def __init__(self, client, model, seed):
        self.client = client
        self.model = model
        self.seed = seed

    def handle(self, ticket):
        """Work on a ticket until it is closed, given away, or has taken too long."""
        messages = [{"role": "user", "content": json.dumps({"ticket": ticket, "script": SCRIPTS[ticket]})}]
        done = []
        for call in range(1, TURNS + 1):
            action = self.ask(messages)
            if action == "close":
                return Ending("resolved" if done == SCRIPTS[ticket] else "wrong", call)
            if action == "escalate":
                return Ending("escalated", call)
            done += [] if action == "apologise" else [action]
            messages.append({"role": "assistant", "content": action})
        return Ending("escalated", TURNS)

    def ask(self, messages):
        """Return the model's next action."""
        answer = self.client.chat.completions.create(model=self.model, messages=messages, seed=self.seed)
        return answer.choices[0].message.content.split()[0]
