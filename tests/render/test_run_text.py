"""One run, and the list of runs, as terminal text."""

from pathlib import Path

import pytest

from poisson_store import Store
from poisson_store.records import RolloutRecord
from pytest_poisson.analyses.show import show
from pytest_poisson.render.runs_text import render_runs
from pytest_poisson.render.show_text import render_show
from tests.golden import assert_golden
from tests.render import scenarios
from tests.stored_runs import SUPPORT, cell, endings, write_run

GOLDEN = Path(__file__).with_name("golden")
WORDS = tuple(f"a_rather_long_outcome_{number}" for number in range(6))
MANY = RolloutRecord("many", outcomes=WORDS, failures=WORDS[:1])


@pytest.fixture
def store(tmp_path):
    """Return a store with a pair of runs, an interrupted part of a suite with two rollouts, and a damaged file."""
    scenarios.trade(tmp_path)
    store = Store(tmp_path)
    write_run(
        store,
        "half",
        [
            (cell(task="refund"), [*endings(resolved=2, errored=1), None]),
            (cell("many", n=1), [WORDS[0], WORDS[5]]),
        ],
        status="interrupted",
        selection="-k refund",
        rollouts=(SUPPORT, MANY),
    )
    return store


def shown(store, name, **choices):
    with store.open(name) as reader:
        return render_show(show(reader), **choices)


def test_one_run_is_as_it_was_read(store):
    """The text of a run with its environment is the one a person found good."""
    assert_golden(shown(store, "patched", verbose=True), GOLDEN / "show_patched.txt")


def test_wide_outcomes_become_a_list(store):
    """Outcomes too many or too long for a table are listed under their condition; nothing is cut or too wide."""
    text = shown(store, "half")
    assert all(len(line) <= 80 for line in text.splitlines())
    assert all(word in text for word in WORDS)
    assert "4 more" not in text
    assert "6 replicates planned = 4 with outcome + 1 errored + 1 not run" in text


def test_many_conditions_are_cut_and_counted(tmp_path):
    """Beyond 30 conditions the rest are counted, and verbose text has them all."""
    store = Store(tmp_path)
    write_run(store, "wide", [(cell(n=n), endings(resolved=1)) for n in range(40)])
    assert "10 more conditions: -v shows all." in shown(store, "wide")
    assert "more condition" not in shown(store, "wide", verbose=True)
    assert len(shown(store, "wide", verbose=True).splitlines()) > 40


def test_the_list_names_everything_one_can_type(store):
    """Each run is there with its name, status and partner; a damaged file with its reason; names are not cut."""
    (store.path / "broken.sqlite").write_bytes(b"broken")
    text = render_runs(store.runs(), store=str(store.path))
    assert "paired with base" in text
    assert "a part of the suite" in text
    assert "broken.sqlite: " in text
    assert [line.split()[0] for line in text.splitlines() if "complete" in line or "interrupted" in line] == [
        run.name for run in store.runs() if run.problem is None
    ]


def test_an_empty_store_says_so(tmp_path):
    """Without a run there is a sentence with the store's name instead of an empty table."""
    assert render_runs([], store="here") == "Store 'here' holds no run.\n"
