"""Eligibility: every cause of exclusion, alone and together, in their order; the counts reconcile."""

import json

import pytest

from poisson_store import Store
from pytest_poisson.analyses.paired import paired
from pytest_poisson.replay.declaration import parse_declaration
from pytest_poisson.replay.eligibility import CAUSES
from tests.replay.arms import DECLARATION, ERRORED, call, request, write_arm

GOOD = call()
BODY = {"model": "m-1", "prompt": "p", "user": "u"}
BAD = {
    "unmatched": None,
    "errored": ERRORED,
    "no_request_span": call(spans=[request(name="other")]),
    "retry_or_multicall": call(spans=[request(), request()]),
    "malformed_body": call(spans=[request(text="{not json")]),
    "model_pin": call(spans=[request({**BODY, "model": "m-2"})]),
    "body_field_absent": call(spans=[request({"model": "m-1", "user": "u"})]),
    "body": call(spans=[request({**BODY, "prompt": "q"})]),
    "target": call(spans=[request(url="https://x/2")]),
    "header": call(spans=[request(headers={"x-mode": "fast"})]),
    "value_missing": call(meta={"grade": {}}),
    "value_out_of_range": call(1.5),
}


def replay(tmp_path, b, a=None, **changes):
    write_arm(tmp_path, "a", {"i": [GOOD] * len(b) if a is None else a})
    write_arm(tmp_path, "b", {"i": b})
    declaration = parse_declaration({**DECLARATION, **changes}, where="replay.toml")
    return paired(declaration, Store(tmp_path).open)


def test_there_is_a_case_for_every_cause():
    """The cases below are all the causes, in their order."""
    assert tuple(BAD) == CAUSES


@pytest.mark.parametrize("cause", BAD)
@pytest.mark.parametrize("side", ["a", "b"])
def test_each_cause_alone(tmp_path, cause, side):
    """A fault in either arm leaves that pair out under its cause, and only that pair."""
    arms = {"a": [GOOD, GOOD], "b": [GOOD, GOOD], side: [BAD[cause], GOOD]}
    (sweep,) = replay(tmp_path, arms["b"], arms["a"]).sweeps
    assert dict(sweep.excluded) == {cause: 1}
    assert (len(sweep.pairs), sweep.eligible) == (2, 1)


@pytest.mark.parametrize("first", range(len(CAUSES) - 1))
def test_the_first_of_several_causes_counts(tmp_path, first):
    """With one fault in each arm the pair is left out under the earlier cause."""
    one, two = CAUSES[first], CAUSES[first + 1]
    (sweep,) = replay(tmp_path, [BAD[one], GOOD], [BAD[two], GOOD]).sweeps
    assert dict(sweep.excluded) == {one: 1}


def test_all_together_reconcile(tmp_path):
    """Pairs are eligible or excluded under exactly one cause, and the counts add up."""
    (sweep,) = replay(tmp_path, [*BAD.values(), GOOD]).sweeps
    assert dict(sweep.excluded) == dict.fromkeys(CAUSES, 1)
    assert sweep.eligible + sum(sweep.excluded.values()) == len(sweep.pairs) == 13


def test_exempt_fields_may_differ_and_are_reported(tmp_path):
    """A difference in an exempt field is no exclusion, and the exemption is listed as exercised."""
    (sweep,) = replay(tmp_path, [call(spans=[request({**BODY, "user": "v"})])]).sweeps
    assert sweep.eligible == 1
    assert sweep.pairs[0].exercised == ("user",)


def test_headers_that_were_not_recorded_exclude_nothing(tmp_path):
    """With `headers = "not_recorded"` a difference in headers is not looked at."""
    (sweep,) = replay(tmp_path, [BAD["header"]], headers="not_recorded").sweeps
    assert sweep.eligible == 1


def test_an_error_in_a_third_arm_leaves_the_first_pair_in(tmp_path):
    """Only a and b decide about their pair."""
    write_arm(tmp_path, "c", {"i": [ERRORED]})
    result = replay(tmp_path, [GOOD], sweeps=[{"name": "s1", "a": "a", "b": "b", "more": ["c"]}])
    assert result.sweeps[0].eligible == 1
    assert result.repeats[0].agreement[0].compared == 1


@pytest.mark.parametrize("score", ["0.60", 0.6, "0.6000"])
@pytest.mark.parametrize(("comparison", "decided"), [("ge", 1), ("gt", 0)])
def test_scores_are_decimals_as_recorded(tmp_path, score, comparison, decided):
    """A score that equals the threshold is on it, whether recorded as text or as a number; ties are counted."""
    cuts = [{"name": "pass", "threshold": "0.60", "comparison": comparison}]
    result = replay(tmp_path, [call(score)] * 3, [call(score)] * 3, cuts=cuts)
    (flips,) = result.judged
    assert (flips.n11, flips.n00, flips.ties) == (3 * decided, 3 - 3 * decided, 6)


def test_no_eligible_pair_is_refused_with_the_causes(tmp_path):
    """A replay in which nothing counts is refused in one sentence that names the causes."""
    from pytest_poisson.errors import UserError

    with pytest.raises(UserError, match="No pair of this replay is eligible: 1 errored, 1 body"):
        replay(tmp_path, [ERRORED, BAD["body"]])


def test_other_draws_and_items_under_two_cuts_are_refused(tmp_path):
    """Arms with different seeds, an unknown axis, an undeclared cut, an item under two cuts: one sentence each."""
    from pytest_poisson.errors import UserError

    declaration = parse_declaration(DECLARATION, where="replay.toml")
    write_arm(tmp_path, "a", {"i": [GOOD]})
    write_arm(tmp_path, "b", {"i": [GOOD]}, seed=99)
    with pytest.raises(UserError, match=r"'a' and 'b' of sweep 's1' were drawn differently: .* seed 0 .* 99"):
        paired(declaration, Store(tmp_path).open)
    write_arm(tmp_path, "c", {"i": [GOOD]}, cut="fail")
    write_arm(tmp_path, "d", {"i": [GOOD]}, axes=("item", "stratum"))
    for other, sentence in (
        ("c", "'fail', which is no declared cut: pass"),
        ("d", "Axis 'cut' is none of run 'd'"),
    ):
        with pytest.raises(UserError, match=sentence):
            paired(
                parse_declaration(
                    {**DECLARATION, "sweeps": [{"name": "s", "a": "a", "b": other}]}, where="x"
                ),
                Store(tmp_path).open,
            )


def test_the_files_state_the_digest_and_reconcile(tmp_path):
    """Every file is JSON with the declaration's digest; the assertion lists each pair with its one cause."""
    from pytest_poisson.render.paired_documents import paired_files

    result = replay(tmp_path, [*BAD.values(), GOOD])
    files = {name: json.loads(text) for name, text in paired_files(result).items()}
    assert set(files) == {
        f"{n}.json" for n in ("pair_assertion", "contingency_by_cut", "intervals_by_cut", "windows", "cost")
    }
    assert {each["declaration_digest"] for each in files.values()} == {result.declaration.digest}
    pairs = files["pair_assertion.json"]["sweeps"][0]["pairs"]
    assert [pair["cause"] for pair in pairs] == [*CAUSES, None]
    assert all(
        (pair["cause"] is None) == pair["eligible"] == (pair["request_digest"] is not None) for pair in pairs
    )
    assert files["cost.json"]["unrecorded"] == 0
    assert paired_files(result) == paired_files(replay_again(tmp_path))


def replay_again(tmp_path):
    return paired(parse_declaration(DECLARATION, where="replay.toml"), Store(tmp_path).open)
