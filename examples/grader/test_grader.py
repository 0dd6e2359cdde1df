"""A grader asked twice: the arms send the same requests, and only the model's own noise differs."""

import numpy as np
import pytest
from grader import ANSWERS, grade, request_body


@pytest.fixture(params=sorted(ANSWERS))
def answer(request):
    return request.param


@pytest.fixture(params=["pass"])
def cut(request):
    return request.param


@pytest.mark.rollout(id="grader", outcomes=["graded"], successes=["graded"], replicates=200)
def test_grader(answer, cut, rollout):
    arm = rollout.variant.get("arm", "a")
    noise = np.random.default_rng(
        [rollout.seed, ord(arm)]
    )  # what a model draws, which no seed of ours decides
    with rollout.span("llm", "grader.request", input=request_body(answer)) as span:
        score = grade(answer, noise)
        span.output = str(score)
        span.tokens = {"in": 12, "out": 1}
        span.attrs["url.full"] = "https://grader.example/v1/chat"
    rollout.end("graded", meta={"score": score})
