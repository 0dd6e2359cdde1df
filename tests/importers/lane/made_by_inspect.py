"""Run by a Python that has Inspect AI: evaluates a task three times with a mock model, as both forms of a log."""

from inspect_ai import Task, task
from inspect_ai import eval as evaluate
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, match, mean, scorer
from inspect_ai.solver import generate, solver, use_tools
from inspect_ai.tool import tool


@tool
def add():
    async def execute(x: int, y: int):
        """Add two numbers.

        Args:
            x: The first.
            y: The second.
        """
        return x + y

    return execute


@scorer(metrics={"a": [mean()], "b": [mean()]})
def two():
    async def score(state, target):
        return Score(value={"a": 0.5, "b": 1})

    return score


@solver
def boom():
    async def solve(state, generate):
        if state.sample_id == "s2" and state.epoch == 2:
            raise RuntimeError("boom")
        return state

    return solve


def answers():
    number = 0
    while True:
        number += 1
        call = number % 3 == 0
        output = (
            ModelOutput.for_tool_call("mockllm/model", "add", {"x": 1, "y": 1})
            if call
            else ModelOutput.from_content("mockllm/model", "The answer is 2")
        )
        output.usage = ModelUsage(input_tokens=11, output_tokens=5, total_tokens=16)
        yield output


@task
def arithmetic():
    samples = [Sample(id="s1", input="1+1?", target="2"), Sample(id="s2", input="2+2 \u00e9?", target="4")]
    solvers = [use_tools(add()), boom(), generate()]
    return Task(dataset=samples, solver=solvers, scorer=[match(), two()], epochs=3)


for form in ("json", "eval"):
    model = get_model("mockllm/model", custom_outputs=answers())
    evaluate(arithmetic(), model=model, log_format=form, log_dir=form, display="none", fail_on_error=False)
