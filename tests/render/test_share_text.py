"""Did the fix work, and what changed, as reports."""

from pathlib import Path

import pytest

from pytest_poisson.analyses.changes import changes
from pytest_poisson.analyses.fix_check import fix_check
from pytest_poisson.render.changes_text import changes_sheet
from pytest_poisson.render.changes_text import headline as changes_headline
from pytest_poisson.render.fix_check_text import fix_check_sheet, headline
from pytest_poisson.render.sheet import as_markdown, as_text
from tests.fix_runs import cells, check, pilot, share, task
from tests.golden import assert_golden
from tests.render.scenarios import fixed_store
from tests.stored_runs import write_run
from tests.tau_runs import BEGAN_NS, HOUR_NS, write_tau

GOLDEN = Path(__file__).with_name("golden")
PARTS = [
    "What ran",
    "What was counted",
    "Test",
    "Estimate",
    "How alike the runs of one input are",
    "What this could not have detected",
    "**",
    "What it rests on",
    "What would settle it",
    "By input",
    "What this cannot say",
]


def flat(result, sheet=fix_check_sheet):
    """Return a report on one line."""
    return " ".join(as_text(sheet(result)).split())


@pytest.fixture
def halves(tmp_path):
    """Return the airline episodes in halves by trial, open."""
    store = fixed_store(tmp_path)
    write_tau(store, "first", (0, 1))
    write_tau(store, "second", (2, 3), began_ns=BEGAN_NS + 5 * HOUR_NS)
    with store.open("first") as first, store.open("second") as second:
        yield first, second


def test_the_pilot_as_it_was_read(tmp_path):
    """The whole report, as text and as Markdown."""
    report = fix_check_sheet(pilot(tmp_path))
    assert_golden(as_text(report), GOLDEN / "fix_check_pilot.txt")
    assert_golden(as_markdown(report), GOLDEN / "fix_check_pilot.md")


def test_the_parts_come_in_their_order(tmp_path):
    """What ran, counting, test, estimate, consistency, limits, one bold line, guidance, inputs, what it cannot say."""
    text = as_text(fix_check_sheet(pilot(tmp_path)))
    starts = [text.index(f"\n{part}") for part in PARTS]
    assert starts == sorted(starts)
    assert text.count("**") == 2


def test_real_episodes(halves):
    """Two halves of the airline trials: fix-check over all inputs, and changes."""
    result = fix_check(*halves, events=["failed"], failing_from=None, max_mde=0.2)
    assert_golden(as_text(fix_check_sheet(result)), GOLDEN / "fix_check_airline.txt")
    assert_golden(as_text(changes_sheet(changes(*halves, events=["failed"]))), GOLDEN / "changes_airline.txt")


def test_no_line_is_wider_than_the_terminal(halves, tmp_path):
    """Reports fit 80 columns and are ASCII."""
    sheets = [
        fix_check_sheet(pilot(tmp_path / "pilot")),
        changes_sheet(changes(*halves, events=["failed"]), top=99),
    ]
    for text in map(as_text, sheets):
        assert max(map(len, text.splitlines())) <= 80
        assert text.isascii()


@pytest.mark.parametrize(
    ("old", "new", "max_mde", "words"),
    [
        ((7, 8), (1, 8), 0.2, "different: the new version failed less (p 2.8e-17, -75.0 points)."),
        ((1, 8), (7, 8), 0.2, "different: the new version failed more (p 2.8e-17, +75.0 points)."),
        (
            (4, 8),
            (4, 8),
            0.5,
            "no significant difference (p 1.000): a drop of 50.0 points would have been seen 4 times in 5.",
        ),
        (
            (1, 50),
            (1, 50),
            0.2,
            "no significant difference (p 1.000): there are no more than 2.0 points to drop, and 20.0 were asked.",
        ),
        (
            (1, 2),
            (1, 2),
            0.2,
            "too small to tell (p 1.000): a drop of 20.0 points was asked, only one of 46.0 or more would have been seen 4 "
            "times in 5.",
        ),
    ],
)
def test_words(tmp_path, old, new, max_mde, words):
    """The bold line begins with the word and says what it rests on."""
    assert headline(check(tmp_path, cells([old] * 8), cells([new] * 8), max_mde=max_mde)) == words


def test_missing_outcomes_are_in_the_bold_line(tmp_path):
    """Where the versions differ in rows without an outcome, the one line to take home says so."""
    result = check(tmp_path, cells([(4, 8)] * 5), [(task(i), share(0, 4, timed_out=4)) for i in range(5)])
    assert headline(result).endswith("; but the versions differ in rows without an outcome.")
    text = flat(result)
    assert (
        "0 of 40 on the old version; 20 of 40 on the new version (20 timed out). Their shares differ" in text
    )
    assert "the test would find no difference (p 1.000)" in text
    assert "How 20 rows without an outcome would have ended." in text


@pytest.mark.parametrize(
    ("lost", "words"),
    [
        ((0, 3), "; but the {arms} differ in rows without an outcome."),
        ((3, 3), "; but more than 20 % of the rows of both {arms} have no outcome."),
        ((3, 2), "; but more than 20 % of the rows of one of the {arms} have no outcome."),
        ((1, 1), "."),
    ],
)
def test_what_missing_outcomes_may_hide_is_in_the_bold_line(tmp_path, lost, words):
    """Both reports say it where the runs differ in them, or have too many: the word rests on what is left."""
    store = fixed_store(tmp_path)
    for name, lacking in zip(("A", "B"), lost, strict=True):
        its = [(task(i), share(3, 8, timed_out=lacking)) for i in range(10)]
        write_run(store, name, its, salt=name.lower() * 32)
    with store.open("A") as a, store.open("B") as b:
        one, other = (
            headline(fix_check(a, b, events=["timeout"], failing_from=None, max_mde=0.2)),
            changes_headline(changes(a, b, events=["timeout"])),
        )
    assert ("; but" in one, one.endswith(words.format(arms="versions"))) == (words != ".", True)
    assert ("; but" in other, other.endswith(words.format(arms="runs"))) == (words != ".", True)


def test_what_it_rests_on(tmp_path):
    """An input without which the word is another is named with that word."""
    result = check(tmp_path, cells([(20, 20), (3, 6), (3, 6)]), cells([(0, 20), (3, 6), (3, 6)]), max_mde=0.9)
    assert "On 1 input, each by itself: without 0: no significant difference." in flat(result)


def test_nothing_can_settle_it(tmp_path):
    """Where the rate has less room than the asked drop the design is no longer too small, so nothing is advised."""
    result = check(tmp_path, cells([(1, 10)] * 3), cells([(1, 10)] * 3), max_mde=0.15)
    assert "What would settle it" not in flat(result)


def test_no_input_varies(tmp_path):
    """Without any variance there is a difference and no interval, and it is said why."""
    result = check(tmp_path, cells([(4, 4)] * 3), cells([(0, 4)] * 3))
    assert "Difference -100.0 points (Mantel-Haenszel); no interval: no input varies." in flat(result)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ([(20, 20), (5, 10)], [(0, 20), (5, 10)], "1 of 2 inputs changed: 1 had timeout less often."),
        (
            [(20, 20), (0, 20)],
            [(0, 20), (20, 20)],
            "2 of 2 inputs changed: 1 had timeout more often, 1 had timeout less often.",
        ),
        ([(20, 40)] * 2, [(20, 40)] * 2, "no input changed significantly: none of 2 inputs is flagged."),
        (
            [(5, 10)] * 2,
            [(5, 10)] * 2,
            "too small to tell: none of 2 inputs is flagged, and none would have been 4 times in 5 by itself.",
        ),
        (
            [(1, 1)] * 9,
            [(0, 1)] * 9,
            "too small to tell: none of 9 inputs is flagged, nor could any have been at so few repeats; yet all inputs "
            "together differ (p 0.004).",
        ),
    ],
)
def test_words_of_changes(tmp_path, old, new, words):
    """The bold line counts the inputs that changed, each way, or says why none is flagged."""
    store = fixed_store(tmp_path)
    write_run(store, "A", cells(old), salt="a" * 32)
    write_run(store, "B", cells(new), salt="b" * 32)
    with store.open("A") as first, store.open("B") as second:
        assert changes_headline(changes(first, second, events=["timeout"])) == words
