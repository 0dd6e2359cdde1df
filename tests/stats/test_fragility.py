"""Fragility against a search over all counts."""

from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poisson_stats.comparison import compare_paired, compare_unpaired
from poisson_stats.fragility import fragility_paired, fragility_unpaired
from poisson_stats.limits import limits_paired, limits_unpaired
from tests.oracles.exact_tables import fisher_p, mcnemar_p

Q = 0.5


def word(p_values, effects, too_small):
    """Return the verdict by Holm's procedure in fractions."""
    m, worse, safer = len(p_values), False, False
    for i, (p, effect) in enumerate(sorted(zip(p_values, effects, strict=True))):
        if p > Fraction(Q) / (m - i) * (1 + Fraction(1, 10**12)):
            break
        worse, safer = worse or effect > 0, safer or effect < 0
    if worse and safer:
        return "trade"
    if worse or safer:
        return "worse" if worse else "safer"
    return "too small to tell" if any(too_small) else "no significant change"


@cache
def small_unpaired(n0, n1, alpha, max_mde):
    k = np.arange(n0 + 1)
    ceiling = limits_unpaired(k, np.full_like(k, n0), np.full_like(k, n1), alpha=alpha).ceiling
    return tuple(ceiling > max_mde)


@cache
def small_paired(n, alpha, max_mde):
    k = np.arange(n + 1)
    return tuple(limits_paired(k, np.full_like(k, n), alpha=alpha).ceiling > max_mde)


def fewest(start, states, word_of):
    """Return the smallest distance to a state with another word; None if there is none."""
    here = word_of(start)
    distances = [
        sum(
            abs(x - y)
            for ours, theirs in zip(start, state, strict=True)
            for x, y in zip(ours, theirs, strict=True)
        )
        for state in states
        if word_of(state) != here
    ]
    return min(distances, default=None)


def check(found, brute, verdict_after):
    """Whatever was found leads elsewhere, is never below the true minimum, and is it where certified."""
    assert (found.outcomes is None) or (brute is not None and found.outcomes >= brute)
    if found.certified:
        assert found.outcomes == brute
    if found.outcomes is not None:
        assert found.outcomes == sum(flip.count for flip in found.flips)
        assert verdict_after(found.flips) == found.becomes != found.word


@st.composite
def unpaired(draw, rows):
    size = st.integers(1, 6 if rows < 3 else 3)
    sizes = [(draw(size), draw(size)) for _ in range(rows)]
    counts = [(draw(st.integers(0, n)), draw(st.integers(0, m))) for n, m in sizes]
    return (
        sizes,
        counts,
        [draw(st.sampled_from([-1, 1])) for _ in range(rows)],
        draw(st.sampled_from([0.3, 0.7, 0.9])),
    )


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_unpaired_equals_brute_force(rows):
    """Certified numbers are the minimum over all counts of one to three rows; others are not below it."""
    certified = []

    @given(unpaired(rows))
    @settings(max_examples=50 if rows == 1 else 25, deadline=None)
    def run(drawn):
        sizes, counts, direction, max_mde = drawn

        def word_of(state):
            p = [fisher_p(k0, n0, k1, n1) for (k0, k1), (n0, n1) in zip(state, sizes, strict=True)]
            effect = [
                d * (Fraction(k1, n1) - Fraction(k0, n0))
                for d, (k0, k1), (n0, n1) in zip(direction, state, sizes, strict=True)
            ]
            small = [
                small_unpaired(n0, n1, Q / rows, max_mde)[k0]
                for (k0, _), (n0, n1) in zip(state, sizes, strict=True)
            ]
            return word(p, effect, small)

        (k0, k1), (n0, n1) = np.array(counts).T, np.array(sizes).T
        found = fragility_unpaired(k0, n0, k1, n1, direction=direction, q=Q, max_mde=max_mde)
        assert found.word == word_of(counts)
        states = product(*[list(product(range(n + 1), range(m + 1))) for n, m in sizes])

        def verdict_after(flips):
            moved = {"before": k0.copy(), "after": k1.copy()}
            for flip in flips:
                moved[flip.arm][flip.row] += flip.count if flip.to_event else -flip.count
            return compare_unpaired(
                moved["before"], n0, moved["after"], n1, direction=direction, q=Q, max_mde=max_mde
            ).verdict

        check(found, fewest(counts, states, word_of), verdict_after)
        certified.append(found.certified)

    run()
    assert np.mean(certified) > 0.9


@st.composite
def splits(draw):
    """Draw how the episodes of both arms end: with one event, with another, or with neither."""
    first, second = (draw(st.integers(1, 5)) for _ in "ab")
    arms = [draw(st.sampled_from(sorted(ways(n)))) for n in (first, second)]
    return arms, [draw(st.sampled_from([-1, 1])) for _ in "xy"], draw(st.sampled_from([0.3, 0.7, 0.9]))


def ways(n):
    return [(x, y, n - x - y) for x in range(n + 1) for y in range(n + 1 - x)]


def test_two_events_of_one_condition_equal_brute_force():
    """Where the rows are events of the same episodes, no fewer episodes that end otherwise change the word."""
    certified = []

    @given(splits())
    @settings(max_examples=60, deadline=None)
    def run(drawn):
        (before, after), direction, max_mde = drawn
        n, m = sum(before), sum(after)

        def word_of(ours, theirs):
            pairs = list(zip(ours[:2], theirs[:2], strict=True))
            p = [fisher_p(k0, n, k1, m) for k0, k1 in pairs]
            effect = [
                d * (Fraction(k1, m) - Fraction(k0, n)) for d, (k0, k1) in zip(direction, pairs, strict=True)
            ]
            return word(p, effect, [small_unpaired(n, m, Q / 2, max_mde)[k0] for k0, _ in pairs])

        here = word_of(before, after)
        fewest_episodes = min(
            (
                sum(sum(map(abs, np.subtract(old, new))) // 2 for old, new in ((before, a), (after, b)))
                for a, b in product(ways(n), ways(m))
                if word_of(a, b) != here
            ),
            default=None,
        )
        found = fragility_unpaired(
            before[:2],
            [n] * 2,
            after[:2],
            [m] * 2,
            direction=direction,
            q=Q,
            max_mde=max_mde,
            condition=[0, 0],
        )
        assert found.word == here
        if found.outcomes is not None:
            assert found.outcomes >= fewest_episodes
        if found.certified:
            assert found.outcomes == fewest_episodes
        certified.append(found.certified)

    run()
    assert np.mean(certified) > 0.6


@st.composite
def paired(draw, rows):
    cells = [tuple(draw(st.integers(0, 3)) for _ in range(4)) for _ in range(rows)]
    cells = [cell if any(cell) else (1, 0, 0, 0) for cell in cells]
    return (
        cells,
        [draw(st.sampled_from([-1, 1])) for _ in range(rows)],
        draw(st.sampled_from([0.3, 0.7, 0.9])),
    )


MOVES = {
    "both to only before": (0, 1, "after", False),
    "only before to both": (1, 0, "after", True),
    "only after to neither": (2, 3, "after", False),
    "neither to only after": (3, 2, "after", True),
    "both to only after": (0, 2, "before", False),
    "only after to both": (2, 0, "before", True),
    "only before to neither": (1, 3, "before", False),
    "neither to only before": (3, 1, "before", True),
}


def reachable(cells):
    """Return the fewest single flips from these cells to every split of as many pairs, by breadth-first search."""
    distance, frontier = {cells: 0}, [cells]
    while frontier:
        following = []
        for state in frontier:
            for source, target, *_ in MOVES.values():
                if state[source]:
                    moved = list(state)
                    moved[source] -= 1
                    moved[target] += 1
                    if tuple(moved) not in distance:
                        distance[tuple(moved)] = distance[state] + 1
                        following.append(tuple(moved))
        frontier = following
    return distance


def test_paired_equals_brute_force():
    """One row of pairs: a breadth-first search over single flips finds no fewer, and certified means equal."""
    certified = []

    @given(paired(1))
    @settings(max_examples=60, deadline=None)
    def run(drawn):
        (cells,), direction, max_mde = drawn
        n = sum(cells)

        def word_of(state):
            a, b, c, _ = state
            return word([mcnemar_p(b, c)], [direction[0] * (c - b)], [small_paired(n, Q, max_mde)[a + b]])

        arguments = [[cell] for cell in cells]
        found = fragility_paired(*arguments, direction=direction, q=Q, max_mde=max_mde)
        assert found.word == word_of(cells)
        others = [steps for state, steps in reachable(cells).items() if word_of(state) != found.word]

        def verdict_after(flips):
            moved = list(cells)
            for flip in flips:
                source, target, arm, to_event = MOVES[flip.pairs]
                assert (flip.arm, flip.to_event) == (arm, to_event)
                moved[source] -= flip.count
                moved[target] += flip.count
                assert moved[source] >= 0
            return compare_paired(
                *[[cell] for cell in moved], direction=direction, q=Q, max_mde=max_mde
            ).verdict

        check(found, min(others, default=None), verdict_after)
        certified.append(found.certified)

    run()
    assert np.mean(certified) > 0.95


@given(paired(3), st.booleans())
@settings(max_examples=30, deadline=None)
def test_flips_of_several_rows_lead_to_the_stated_word(drawn, shared):
    """The flips can be carried out, and the comparison then says what was announced."""
    cells, direction, max_mde = drawn
    columns = np.array(cells).T
    choices = {"direction": direction, "q": Q, "max_mde": max_mde}
    found = fragility_paired(*columns, **choices, condition=[0, 0, 1] if shared else None)
    assert found.word == compare_paired(*columns, **choices).verdict
    if found.outcomes is None:
        return
    moved = columns.copy()
    for flip in found.flips:
        source, target, *_ = MOVES[flip.pairs]
        moved[source, flip.row] -= flip.count
        moved[target, flip.row] += flip.count
    assert (moved >= 0).all()
    assert compare_paired(*moved, **choices).verdict == found.becomes != found.word


def test_pairs_turn_in_the_stated_order():
    """A rise is undone by pairs with the event in both runs first, then by those with it only after."""
    found = fragility_paired([2], [0], [40], [100], direction=1)
    assert {flip.pairs: flip.count for flip in found.flips}["both to only before"] == 2
    assert {flip.pairs for flip in found.flips} <= {
        "both to only before",
        "only after to neither",
        "neither to only before",
    }
    alone = fragility_paired([50], [0], [9], [100], direction=1)
    assert [flip.pairs for flip in alone.flips] == ["both to only before"]


def test_events_of_one_condition_share_their_outcomes():
    """Two events of one condition that both fell: certified alone, not when one outcome may serve both."""
    counts = ([10, 150], [200, 200], [60, 90], [200, 200])
    apart = fragility_unpaired(*counts, direction=[1, -1])
    together = fragility_unpaired(*counts, direction=[1, -1], condition=["a", "a"])
    assert apart.outcomes == together.outcomes
    assert (apart.certified, together.certified) == (True, False)


def test_a_word_that_nothing_changes():
    """One replicate an arm is too small to tell, however it ends; that is certain."""
    found = fragility_unpaired([0], [1], [1], [1], direction=1)
    assert (found.word, found.becomes, found.outcomes, found.flips, found.certified) == (
        "too small to tell",
        None,
        None,
        (),
        True,
    )


def test_bad_input_is_named():
    """A condition array of another shape, and k > n, are refused."""
    with pytest.raises(ValueError, match=r"^condition has shape \(1,\) where the counts have \(2,\)\.$"):
        fragility_unpaired([1, 1], [2, 2], [1, 1], [2, 2], direction=1, condition=[0])
    with pytest.raises(ValueError, match=r"^k_after\[0\]=3 must not exceed n_after\[0\]=2\.$"):
        fragility_unpaired([1], [2], [3], [2], direction=1)
