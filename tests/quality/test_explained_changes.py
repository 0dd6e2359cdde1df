"""What is said of changes that no test notices is said of lines that are there."""

import importlib
from pathlib import Path

import pytest

from tests.mutation.changes import changes_of
from tests.mutation.explained import ANY, explanations, is_of

ENTRIES = [
    pytest.param(module, each, id=f"{module}: {each['line']}: {each['what']}")
    for module, entries in explanations().items()
    for each in entries
]


@pytest.fixture(scope="module")
def changes():
    """Return a function that gives the changes of a module, each made once."""
    made = {}

    def of(module):
        if module not in made:
            file = Path(importlib.import_module(module).__file__)
            made[module] = changes_of(file.read_text(encoding="utf-8"))
        return made[module]

    return of


@pytest.mark.parametrize(("module", "entry"), ENTRIES)
def test_an_explanation_is_of_a_change_that_can_be_made(changes, module, entry):
    """Where the line has gone or reads otherwise, its explanation goes too."""
    of_it = [each for each in changes(module) if is_of(entry, each)]
    assert of_it
    assert entry["why"]
    assert entry["what"] != ANY or len(of_it) > 1


def test_each_kind_of_change_is_made():
    """Comparisons, operators, constants, signs, branches and what is returned; messages and types are left alone."""
    source = '''
def f(a: int, *, b: bool = True) -> int:
    """Say nothing of 1 + 1."""
    if not a < 3:
        raise ValueError(f"{a + 1}")
    return -a if b else a * 2
'''
    assert [each.what for each in changes_of(source)] == [
        "True -> False",
        "condition negated",
        "no Not",
        "Lt -> LtE",
        "3 -> 4",
        "returns None",
        "the other branch",
        "no USub",
        "Mult -> Div",
        "2 -> 3",
    ]
