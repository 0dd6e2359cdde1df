"""Where runs die, as reports: real episodes, read once by a person and kept."""

from pathlib import Path

import pytest

from pytest_poisson.analyses.compare import compare
from pytest_poisson.analyses.where import where
from pytest_poisson.render.compare_text import compare_sheet
from pytest_poisson.render.compare_text import headline as compare_headline
from pytest_poisson.render.sheet import as_markdown, as_text
from pytest_poisson.render.survival_documents import compare_document
from pytest_poisson.render.where_text import where_sheet
from tests.golden import assert_golden
from tests.render.scenarios import fixed_store
from tests.tau_runs import BEGAN_NS, HOUR_NS, write_tau
from tests.traced_runs import STEPPED, Trail, died, ended, task, through, write_traced

GOLDEN = Path(__file__).with_name("golden")
PARTS = [
    "What ran",
    "Where they landed",
    "Test",
    "How far they get (Kaplan-Meier, 200 runs)",
    "What they die of (Aalen-Johansen: share of runs dead of it by then)",
    "How alike the runs of one input are",
    "What this could not have detected",
    "**",
    "By input",
    "What this cannot say",
]


@pytest.fixture
def airline(tmp_path):
    """Return a store with the airline episodes, whole and in halves by trial."""
    store = fixed_store(tmp_path)
    write_tau(store, "all", (0, 1, 2, 3))
    write_tau(store, "first", (0, 1))
    write_tau(store, "second", (2, 3), began_ns=BEGAN_NS + 5 * HOUR_NS)
    return store


def report(store, **options):
    """Return the report on run A."""
    with store.open("A") as reader:
        return as_text(where_sheet(where(reader, **({"events": ["timeout"], "resamples": 20} | options))))


def flat(text):
    """Return a text on one line."""
    return " ".join(text.split())


def test_where_on_real_episodes(airline):
    """The 200 airline episodes: the report as it was read."""
    with airline.open("all") as reader:
        result = where(reader, events=["failed"])
    assert_golden(as_text(where_sheet(result)), GOLDEN / "where_airline.txt")


def test_compare_on_real_episodes(airline):
    """Two halves of the trials, as text and as Markdown."""
    with airline.open("first") as first, airline.open("second") as second:
        result = compare(first, second, events=["failed"], max_hazard_ratio=1.3)
    assert_golden(as_text(compare_sheet(result)), GOLDEN / "compare_airline.txt")
    assert_golden(as_markdown(compare_sheet(result)), GOLDEN / "compare_airline.md")


def test_the_parts_come_in_their_order(airline):
    """What ran, placement, test, estimate, consistency, limits, one bold line, inputs, what it cannot say."""
    with airline.open("all") as reader:
        text = as_text(where_sheet(where(reader, events=["failed"], resamples=10)))
    starts = [text.index(f"\n{part}") for part in PARTS]
    assert starts == sorted(starts)
    assert text.count("**") == 2


def test_no_line_is_wider_than_the_terminal(airline):
    """Reports fit 80 columns, with names as long as a run's id."""
    with airline.open("first") as first, airline.open("second") as second:
        one = where_sheet(where(first, events=["failed"], resamples=10), verbose=True)
        two = compare_sheet(compare(first, second, events=["failed"], max_hazard_ratio=1.3), verbose=True)
    for sheet in (one, two):
        assert max(map(len, as_text(sheet).splitlines())) <= 80
        assert as_text(sheet).isascii()


def test_what_is_said_is_true_of_this_report(tmp_path):
    """What a report cannot say follows from its rows: cut-off and excluded runs are named where there are some."""
    store = fixed_store(tmp_path / "all")
    write_traced(store, "A", [(task(1), [died(2), ended(3), Trail("timed_out", 4), died(0)])])
    text = flat(report(store))
    assert "How 1 run that was timed out or capped would have gone on" in text
    assert "Anything about 1 excluded row." in text
    assert "Excluded, each under the first reason that applies: 1 no trace." in text
    store = fixed_store(tmp_path / "dead")
    write_traced(store, "A", [(task(1), [died(2)] * 3)])
    cannot = flat(report(store)).partition("What this cannot say")[2]
    assert cannot == " - Why a run died: its last step is where it was last seen, not what went wrong."


def test_never_reached(tmp_path):
    """Declared steps have their table, with what never reaching one means, and gates are marked."""
    store = fixed_store(tmp_path)
    trails = [through("resolved", "plan", "act"), through("timeout", "plan"), through("resolved", "approve")]
    write_traced(store, "A", [(task(1), trails)], rollouts=(STEPPED,))
    text = report(store)
    assert "  plan              1/3     0        0      1\n" in text
    assert "  act (gate)        2/3     1        0      1\n" in text
    assert "that is no failure of the step." in flat(text)


def test_a_success_is_no_death(tmp_path):
    """An event that is declared a success may be asked about; the report says that dying means success then."""
    store = fixed_store(tmp_path)
    write_traced(store, "A", [(task(1), [died(2), ended(3)])])
    assert "resolved is declared a success, and 'died' means that a run ended so." in flat(
        report(store, events=["resolved"])
    )


@pytest.mark.parametrize(("hung", "warned"), [(9, True), (0, False)])
def test_a_version_that_hangs_where_it_failed_does_not_just_die_later(tmp_path, hung, warned):
    """Runs that were timed out count as alive; where one version has more of them the bold line says so."""
    store = fixed_store(tmp_path)
    write_traced(store, "A", [(task(1), [died(2)] * 9 + [ended(9)] * 3)])
    after = [Trail("timed_out", 2)] * hung + [died(2)] * (9 - hung) + [ended(9)] * 3
    write_traced(store, "B", [(task(1), after)])
    with store.open("A") as ours, store.open("B") as theirs:
        result = compare(ours, theirs, events=["timeout"], max_hazard_ratio=2)
    text = " ".join(as_text(compare_sheet(result), columns=80).split())
    assert compare_headline(result).endswith("; but the runs differ in runs that were cut off.") == warned
    assert ("capped of the runs compared: 0 of 12 in 'A', 9 of 12 in 'B'." in text) == warned
    assert compare_document(result)["cut_off_differ"] == warned


@pytest.mark.parametrize(("lost", "warned"), [(9, True), (0, False)])
def test_excluded_rows_that_differ_are_in_the_bold_line(tmp_path, lost, warned):
    """Where one run's deaths left no trace, the other is not said to die sooner without a word about that."""
    store = fixed_store(tmp_path)
    write_traced(store, "A", [(task(1), [died(2)] * 9 + [ended(9)] * 3)])
    write_traced(
        store, "B", [(task(1), [Trail("errored", 2)] * lost + [died(2)] * (9 - lost) + [ended(9)] * 3)]
    )
    with store.open("A") as ours, store.open("B") as theirs:
        result = compare(ours, theirs, events=["timeout"], max_hazard_ratio=2)
    text = " ".join(as_text(compare_sheet(result), columns=80).split())
    assert compare_headline(result).endswith("; but the runs differ in excluded rows.") == warned
    assert ("0 of 12 in 'A', 9 of 12 in 'B'. Their shares differ" in text) == warned
    assert ("Where 9 excluded rows died, or whether." in text) == warned


@pytest.mark.parametrize(
    ("first", "second", "ratio", "words"),
    [
        ([died(9)] * 9, [died(1)] * 9, 3, "different: runs of 'B' died sooner than runs of 'A' (p "),
        (
            [died(2)] * 9,
            [died(2)] * 9,
            4,
            "no significant difference (p 1.000), and a hazard ratio of 4 would have been",
        ),
        (
            [died(2)] * 9,
            [died(2)] * 9,
            2,
            "too small to tell (p 1.000): a hazard ratio of 2 was asked, only one of 3.746 or",
        ),
        (
            [ended(2)] * 9,
            [died(0), ended(2)],
            2,
            "too small to tell (p 1.000): a hazard ratio of 2 was asked, no ratio would",
        ),
    ],
)
def test_words(tmp_path, first, second, ratio, words):
    """The bold line begins with the word and says what it rests on."""
    store = fixed_store(tmp_path)
    write_traced(store, "A", [(task(1), first)])
    write_traced(store, "B", [(task(1), second)])
    with store.open("A") as ours, store.open("B") as theirs:
        result = compare(ours, theirs, events=["timeout"], max_hazard_ratio=ratio)
    assert compare_headline(result).startswith(words)
