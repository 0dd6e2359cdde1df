"""A fix-check read back from its JSON: it renders as the result it was written from did."""

import json

import pytest

from pytest_poisson.fix_check_file import read_fix_check
from pytest_poisson.fix_gate import FixVerdict
from pytest_poisson.render.comment import comment
from pytest_poisson.render.documents import dump
from pytest_poisson.render.fix_check_text import fix_check_sheet
from pytest_poisson.render.fix_gate_text import fix_verdict_document, fix_verdict_sheet
from pytest_poisson.render.share_documents import fix_check_document
from pytest_poisson.render.sheet import as_markdown
from pytest_poisson.result_files import read_result
from tests.fix_runs import cells, check, pilot, share, task

RESULTS = {
    "pilot": pilot,
    "fixed": lambda folder: check(folder, cells([(6, 8)] * 6), cells([(0, 8)] * 6)),
    "broken": lambda folder: check(folder, cells([(1, 8)] * 6), cells([(8, 8)] * 6)),
    "too small": lambda folder: check(folder, cells([(1, 2)] * 2), cells([(1, 2)] * 2)),
    "nothing varies": lambda folder: check(folder, cells([(2, 2)] * 3), cells([(2, 2)] * 3)),
    "one run each": lambda folder: check(folder, cells([(1, 1)] * 9), cells([(0, 1)] * 9)),
    "one input": lambda folder: check(folder, cells([(6, 8)]), cells([(1, 8)])),
    "missing": lambda folder: check(
        folder, cells([(6, 8)] * 6), [(task(i), share(0, 2, timed_out=6)) for i in range(6)]
    ),
    "tiny p": lambda folder: check(folder, cells([(400, 400)] * 6), cells([(0, 400)] * 6)),
}


@pytest.mark.parametrize("made", RESULTS.values(), ids=RESULTS)
def test_it_reads_as_it_was_written(tmp_path, made):
    """Markdown from the file equals Markdown from the result, whole and cut, and written again it is the same file."""
    result = made(tmp_path)
    written = dump(fix_check_document(result))
    found = read_fix_check(json.loads(written))
    for top in (None, 2):
        assert as_markdown(fix_check_sheet(found, top=top)) == as_markdown(fix_check_sheet(result, top=top))
    assert dump(fix_check_document(found)) == written


@pytest.mark.parametrize("reasons", [(), ("worse", "missing")])
def test_a_session_s_gate_is_kept(tmp_path, reasons):
    """The document of a session has its gate, and the comment says what it decided."""
    fix = FixVerdict(RESULTS["fixed"](tmp_path), "", reasons)
    text = dump(fix_verdict_document(fix))
    found = read_result(text, "r.json")
    assert as_markdown(fix_verdict_sheet(found)) == as_markdown(fix_verdict_sheet(fix))
    said = f"gate: failed: {', '.join(reasons)}." if reasons else "gate: passed."
    assert said in comment(found)


def test_a_refusal_is_kept():
    """Where nothing could be compared the document says why, and so does the comment."""
    sentence = "None of 3 inputs can be compared."
    fix = FixVerdict(None, sentence, (sentence.rstrip("."),), not_comparable=True)
    found = read_result(dump(fix_verdict_document(fix)), "r.json")
    assert found == fix
    assert f"**not comparable: {sentence}**" in comment(found)
