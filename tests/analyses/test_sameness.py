"""Replicates that are copies of each other are noticed."""

import pytest

from poisson_store import Store
from poisson_store.records import Cut, Episode, RunRecord, Span
from pytest_poisson.analyses.sameness import copied_conditions, sameness_notices
from tests.plugin.support import sweep
from tests.stored_runs import SALT, SUPPORT, cell

ONE, TWO, THREE = (cell(ticket=name, planned=30) for name in ("one", "two", "three"))


def answers(*outputs, cut=None):
    return tuple(
        Span(str(place), None, "llm", "call", 1, 2, output=output, output_cut=cut)
        for place, output in enumerate(outputs)
    )


def run_of(tmp_path, **spans):
    """Store a run in which replicate i of each condition has the spans that its function makes of i."""
    cells = {"one": ONE, "two": TWO, "three": THREE}
    store = Store(tmp_path)
    with store.create(
        RunRecord(salt=SALT, name="run", rollouts=(SUPPORT,), conditions=tuple(cells.values()))
    ) as writer:
        writer.add(
            Episode(cells[name].key, i, 1, "resolved", None, started_ns=1, wall_s=0.1, spans=make(i))
            for name, make in spans.items()
            for i in range(30)
        )
    return store.open("run")


def test_the_same_answers_in_every_replicate_are_copies(tmp_path):
    """All answers of all replicates must agree; one that differs, in any place, is enough to be none."""
    with run_of(
        tmp_path,
        one=lambda i: answers("yes", "no"),
        two=lambda i: answers("yes", "no" if i != 7 else "maybe"),
        three=lambda i: answers(*["yes"] * (1 + (i == 3))),
    ) as reader:
        assert copied_conditions(reader) == ([ONE.key], 3)
        (notice,) = sameness_notices(reader)
    assert notice.startswith("In 1 of 3 conditions with model calls")


def test_answers_that_were_not_kept_are_known_by_their_digest(tmp_path):
    """With content off, equal digests are equal answers."""
    with run_of(
        tmp_path,
        one=lambda i: answers(None, cut=Cut(3, "ab" * 32)),
        two=lambda i: answers(None, cut=Cut(3, f"{i:02x}" * 32)),
    ) as reader:
        assert copied_conditions(reader) == ([ONE.key], 2)


def test_without_answers_nothing_is_said(tmp_path):
    """Spans without output, too few replicates with any, or none at all tell nothing."""
    with run_of(
        tmp_path,
        one=lambda i: answers(None),
        two=lambda i: answers("yes") if i < 9 else (),
        three=lambda i: (),
    ) as reader:
        assert copied_conditions(reader) == ([], 0)
        assert sameness_notices(reader) == []


@pytest.mark.parametrize(("answer", "noticed"), [("'same'", True), ("str(rollout.seed)", False)])
def test_a_sweep_says_so(pytester, answer, noticed):
    """The summary names the copies where a cache answers every replicate alike."""
    pytester.makepyfile(
        "import pytest\n@pytest.mark.rollout(replicates=12)\ndef test_it(rollout):\n"
        f"    with rollout.span('llm', 'call') as span: span.output = {answer}\n"
    )
    result = sweep(pytester)
    assert ("got the very same answers" in " ".join(result.stdout.str().split())) == noticed
