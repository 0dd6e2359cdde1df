"""Steps by name, from the mark to the report: declared, recorded, counted where they were never reached."""

import json

import pytest

from pytest_poisson.cli import main
from tests.plugin.support import open_run, sweep
from tests.plugin.test_declaration import read

AGENT = """
import pytest
from pytest_poisson import span

@pytest.mark.rollout(
    id="agent", outcomes=["done", "stuck"], failures=["stuck"], successes=["done"], replicates=6,
    steps=["plan", "act", "report"], gates=["report"],
)
@pytest.mark.parametrize("task", [1])
def test_agent(task, rollout):
    rollout.step("plan")
    with span("llm", "think"):
        pass
    if rollout.replicate < 2:
        rollout.end("stuck")
        return
    rollout.step("act")
    with rollout.span("tool", "search"):
        pass
    if rollout.replicate < 5:
        rollout.step("report")
        with rollout.span("llm", "write"):
            pass
    rollout.end("done")
"""


def test_steps_are_declared_and_stored():
    """The mark's steps and gates go into the run as they were given."""
    settings = read({"steps": ["plan", "act"], "gates": ["act"]}).settings()
    assert (settings["steps"], settings["gates"]) == (["plan", "act"], ["act"])


@pytest.mark.parametrize("arguments", [{"steps": "plan"}, {"gates": ["a", "a"]}])
def test_steps_are_lists_of_words(arguments):
    """A text or a word twice is refused by name."""
    from pytest_poisson.errors import UserError

    with pytest.raises(UserError, match=next(iter(arguments))):
        read(arguments)


def test_never_reached(pytester, capsys):
    """A swept rollout's declared steps are counted over its replicates, by what became of those that missed them."""
    pytester.makepyfile(AGENT)
    sweep(pytester).assert_outcomes(passed=1)
    with open_run(pytester) as run:
        assert run.reached(["plan", "act", "report"]).sum(axis=0).tolist() == [6, 4, 3]
    capsys.readouterr()
    assert (
        main(["where", "latest", "--event=stuck", "--by=step", "--json", f"--store={pytester.path}/.poisson"])
        == 0
    )
    found = json.loads(capsys.readouterr().out)
    assert [(each["step"], each["gate"]) for each in found["steps"]] == [
        ("plan", False),
        ("act", False),
        ("report", True),
    ]
    missed = [each["arms"][0] for each in found["steps"]]
    assert [(arm["never_reached"], arm["died"], arm["ended"]) for arm in missed] == [
        (0, 0, 0),
        (2, 2, 0),
        (3, 2, 1),
    ]
    assert [(each["cause"], each["deaths"]) for each in found["causes"]] == [("plan", 2)]
