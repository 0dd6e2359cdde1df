"""A stand-in for a model that grades answers: the same answer does not get the same score twice."""

from __future__ import annotations

import json

ANSWERS = {"A": 0.52, "B": 0.58, "C": 0.61, "D": 0.66, "E": 0.74, "F": 0.45}
NOISE = 0.05


def request_body(answer: str) -> str:
    """Return the request that asks for a grade, as it would be sent."""
    return json.dumps(
        {"model": "grader-1", "messages": [{"role": "user", "content": f"Grade answer {answer}."}]}
    )


def grade(answer: str, rng) -> float:
    """Return a score in [0, 1], with two decimals, that varies around the answer's own."""
    return round(min(1.0, max(0.0, ANSWERS[answer] + rng.normal(0, NOISE))), 2)
