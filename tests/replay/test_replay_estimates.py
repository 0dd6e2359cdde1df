"""What a replay says of its flips: published numbers, few items, repeats, several sweeps."""

import pytest

from poisson_store import Store
from pytest_poisson.analyses.paired import paired
from pytest_poisson.render.paired_documents import paired_document
from pytest_poisson.render.paired_text import headline
from pytest_poisson.replay.declaration import parse_declaration
from tests.replay.arms import DECLARATION, ERRORED, call, request, write_arm

YES, NO = call(0.9), call(0.1)


def replay(tmp_path, rows, **changes):
    """Analyse pairs given by item: a list of (a says yes, b says yes)."""
    for arm in (0, 1):
        calls = {item: [YES if pair[arm] else NO for pair in pairs] for item, pairs in rows.items()}
        write_arm(tmp_path, "ab"[arm], calls)
    return paired(parse_declaration({**DECLARATION, **changes}, where="replay.toml"), Store(tmp_path).open)


def one_each(n11, n10, n01, n00):
    pairs = [(1, 1)] * n11 + [(1, 0)] * n10 + [(0, 1)] * n01 + [(0, 0)] * n00
    return {f"i{number:04}": [pair] for number, pair in enumerate(pairs)}


@pytest.mark.parametrize(
    ("table", "rate", "low", "high", "p"),
    [
        ((91, 20, 26, 149), 0.160839, 0.120225, 0.208646, 0.461391),
        ((155, 10, 5, 130), 0.05, 0.028251, 0.081127, 0.301758),
    ],
)
def test_published_tables_come_out(tmp_path, table, rate, low, high, p):
    """The tables of STATISTICS section 5, through store and analysis."""
    (flips,) = replay(tmp_path, one_each(*table)).judged
    assert (flips.n11, flips.n10, flips.n01, flips.n00) == table
    assert (flips.rate, flips.low, flips.high) == pytest.approx((rate, low, high), abs=1e-6)
    assert flips.order_p == pytest.approx(p, abs=1e-6)
    assert flips.basis == "exact binomial"


def test_no_flips_are_never_outcome_a_from_a_point(tmp_path):
    """Without flips the interval is not a point, and the outcome is A only where it lies below the floor."""
    (flips,) = replay(tmp_path, one_each(150, 0, 0, 150), floor="0.02").judged
    assert flips.rate == 0
    assert 0 < flips.high < 0.02
    assert flips.outcome == "A"
    (again,) = replay_floor(tmp_path, "0.001").judged
    assert again.outcome == "C"


def replay_floor(tmp_path, floor):
    return paired(parse_declaration({**DECLARATION, "floor": floor}, where="x"), Store(tmp_path).open)


def test_every_decision_flips(tmp_path):
    """All flips: a rate of 1, outcome B, all one way."""
    (flips,) = replay(tmp_path, one_each(0, 40, 0, 0), floor="0.1").judged
    assert (flips.rate, flips.net_swing, flips.outcome) == (1.0, -1.0, "B")


def test_an_interval_that_begins_above_zero_does_not_read_as_if_it_held_it(tmp_path):
    """One flip of 300 is outcome B, since the interval lies above 0: its end is not written as 0.000."""
    result = replay(tmp_path, one_each(150, 1, 0, 149), floor="0.1")
    (flips,) = result.judged
    assert (flips.outcome, 0 < flips.low < 0.0005) == ("B", True)
    assert "(0.003, <0.001 to 0.018)" in headline(result)


def test_one_item_has_no_interval(tmp_path):
    """From one item nothing can be said of items: no interval, by name, and no outcome."""
    (flips,) = replay(tmp_path, {"i": [(1, 0), (1, 1), (0, 0)]}, floor="0.1").judged
    assert (flips.low, flips.high, flips.outcome) == (None, None, None)
    assert flips.basis == "none: one item"


def test_repeats_have_the_item_as_the_unit(tmp_path):
    """Unbalanced repeats: resampled or adjusted over items, with correlation and design effect."""
    rows = {f"i{n}": [(1, 0)] * (n % 3) + [(1, 1)] * (3 + n % 2) for n in range(12)}
    (flips,) = replay(tmp_path, rows).judged
    assert flips.pairs == sum(map(len, rows.values()))
    assert flips.basis == "bootstrap over items"
    assert flips.korn_graubard is not None
    assert flips.design_effect is not None


def test_several_sweeps_are_pooled_by_item(tmp_path):
    """Two sweeps give their own tables and one pooled estimate with the items as units; three arms give agree and MS."""
    for arm, decisions in {"a": "1100", "b": "1010", "c": "1110", "d": "1001"}.items():
        write_arm(tmp_path, arm, {f"i{n}": [YES if d == "1" else NO] for n, d in enumerate(decisions)})
    sweeps = [
        {"name": "s1", "a": "a", "b": "b", "more": ["c"]},
        {"name": "s2", "a": "c", "b": "d", "more": ["a"]},
    ]
    result = paired(
        parse_declaration({**DECLARATION, "sweeps": sweeps, "price_per_input_token": "0.1"}, where="x"),
        Store(tmp_path).open,
    )
    assert [[(f.n11, f.n10, f.n01, f.n00) for f in s.flips] for s in result.sweeps] == [
        [(1, 1, 1, 1)],
        [(1, 2, 1, 0)],
    ]
    (pooled,) = result.pooled
    assert (pooled.pairs, pooled.items) == (8, 4)
    (repeats,) = result.repeats
    assert [(each.j, each.cost) for each in repeats.agreement] == [
        (2, pytest.approx(1.0)),
        (3, pytest.approx(1.5)),
    ]
    assert [each.j for each in repeats.majority] == [1, 3]


THREE = [{"name": "s1", "a": "a", "b": "b", "more": ["c"]}]


def three_arms(tmp_path, decided, **changes):
    """Analyse three arms given by (item, style): the decisions of a, b and c, or other calls in their place."""
    for arm in range(3):
        calls = {
            key: [{"1": YES, "0": NO}[given[arm]] if isinstance(given[arm], str) else given[arm]]
            for key, given in decided.items()
        }
        write_arm(tmp_path, "abc"[arm], calls, axes=("item", "cut", "style"))
    return paired(
        parse_declaration({**DECLARATION, "sweeps": THREE, **changes}, where="x"), Store(tmp_path).open
    )


def test_every_request_of_an_item_counts_in_its_agreement(tmp_path):
    """An item asked in two styles has two requests: both are compared, each with its own repeats alone."""
    decided = {
        (item, style): "111" if style == "short" else "110" for item in "pqr" for style in ("short", "long")
    }
    (repeats,) = three_arms(tmp_path, decided).repeats
    assert [(each.compared, each.items, each.rate) for each in repeats.agreement] == [
        (6, 3, 1.0),
        (6, 3, 0.5),
    ]


def test_a_call_that_is_no_replay_agrees_with_nothing(tmp_path):
    """A third arm that asked another model is left out of agree@j, as it would be of a pair."""
    other = call(0.9, spans=[request({"model": "m-2", "prompt": "p", "user": "u"})])
    decided = {("p", "short"): "111", ("q", "short"): ["1", "1", other]}
    (repeats,) = three_arms(tmp_path, decided).repeats
    assert [(each.compared, each.left_out) for each in repeats.agreement] == [(2, 0), (1, 1)]


def test_a_cut_without_items_has_no_repeats(tmp_path):
    """A declared cut that no item is under is no reason to fail."""
    cuts = [*DECLARATION["cuts"], {"name": "unused", "threshold": "0.5", "comparison": "ge"}]
    result = three_arms(tmp_path, {("p", "short"): "111", ("q", "short"): "110"}, cuts=cuts)
    assert [each.cut for each in result.repeats] == ["pass"]


def test_a_cut_whose_pairs_all_fail_is_not_passed_over(tmp_path):
    """The headline says that nothing is known there; a cut that no item is under is not named."""
    cut = {"p": "pass", "q": "strict", "r": "strict"}
    for arm, lost in (("a", call()), ("b", ERRORED)):
        write_arm(tmp_path, arm, {"p": [call()], "q": [lost], "r": [lost]}, cut=cut)
    names = ("strict", "unused")
    cuts = [*DECLARATION["cuts"], *({"name": n, "threshold": "0.5", "comparison": "ge"} for n in names)]
    result = paired(parse_declaration({**DECLARATION, "cuts": cuts}, where="r.toml"), Store(tmp_path).open)
    assert headline(result).endswith("; strict: none of 2 pairs counts, so nothing is known there.")
    assert paired_document(result)["unjudged"] == {"strict": 2}


def test_the_window_withdraws_a_claim_and_drops_no_pair(tmp_path):
    """Arms that ran further apart than declared keep their pairs; the report says that the claim is withdrawn."""
    from pytest_poisson.render.paired_text import paired_sheet
    from pytest_poisson.render.sheet import as_text

    write_arm(tmp_path, "a", {"i": [YES], "j": [NO]}, started_ns=10**18)
    write_arm(tmp_path, "b", {"i": [YES], "j": [NO]}, started_ns=10**18 + 100 * 10**9)
    result = paired(
        parse_declaration({**DECLARATION, "declared_window_s": 60}, where="x"), Store(tmp_path).open
    )
    window = result.sweeps[0].window
    assert (window.span_s, window.gap_s, window.held) == (101.0, 99.0, False)
    assert result.sweeps[0].eligible == 2
    assert "the claim that the arms ran side by side is withdrawn" in " ".join(
        as_text(paired_sheet(result)).split()
    )
