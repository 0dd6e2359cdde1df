"""The nearest counts of one row that a test decides otherwise, against a search over all counts."""

import heapq
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from poisson_stats.fisher_region import fisher_region
from poisson_stats.limits import limits_paired, limits_unpaired
from poisson_stats.nearest_counts import PairedCounts, UnpairedCounts
from tests.oracles.exact_tables import fisher_p, mcnemar_p

SLACK = 1 + Fraction(1, 10**12)
CELLS = ("both", "only before", "only after", "neither")
SIDES = st.sampled_from([-1, 1])
LEVELS = st.sampled_from([0.5, 0.3, 0.1])


def unpaired(k0, n0, k1, n1):
    return UnpairedCounts(*(np.array([each]) for each in (k0, n0, k1, n1)))


def paired(cells):
    return PairedCounts(*(np.array([each]) for each in cells))


def check_unpaired(move, counts, wanted):
    """Check that a move leads to wanted counts, that its flips do, too, and that no wanted counts are nearer."""
    k0, n0, k1, n1 = counts
    pairs = [(x, y) for x in range(n0 + 1) for y in range(n1 + 1) if wanted(x, y)]
    if not pairs:
        assert move is None
        return
    assert wanted(*move.counts)
    assert move.outcomes == min(abs(x - k0) + abs(y - k1) for x, y in pairs)
    moved = {"before": k0, "after": k1}
    for flip in move.flips:
        assert flip.count > 0
        moved[flip.arm] += flip.count if flip.to_event else -flip.count
    assert (moved["before"], moved["after"]) == move.counts
    assert sum(flip.count for flip in move.flips) == move.outcomes


@st.composite
def two_arms(draw):
    n0, n1 = draw(st.integers(1, 9)), draw(st.integers(1, 9))
    return draw(st.integers(0, n0)), n0, draw(st.integers(0, n1)), n1


def rejects(n0, n1, level, side):
    """Return whether the test of two counts rejects with a change to this side."""

    def is_rejected(x, y):
        change = Fraction(y, n1) - Fraction(x, n0)
        return side * change > 0 and fisher_p(x, n0, y, n1) <= Fraction(level) * SLACK

    return is_rejected


def accepts(n0, n1, level):
    """Return whether the test of two counts does not reject."""
    return lambda x, y: fisher_p(x, n0, y, n1) > Fraction(level) * SLACK


@given(two_arms(), LEVELS, SIDES)
@settings(deadline=None)
def test_the_nearest_rejected_counts_of_two_arms(counts, level, side):
    """Rises and falls each have their own."""
    _, n0, _, n1 = counts
    check_unpaired(unpaired(*counts).to_rejected(0, level, side), counts, rejects(n0, n1, level, side))


@given(two_arms(), LEVELS)
@settings(deadline=None)
def test_the_nearest_accepted_counts_of_two_arms(counts, level):
    """Where a test rejects, this is what it takes to undo it."""
    _, n0, _, n1 = counts
    check_unpaired(unpaired(*counts).to_accepted(0, level), counts, accepts(n0, n1, level))


@pytest.mark.parametrize(("n0", "n1", "level"), [(4, 33, 0.2758), (5, 48, 0.1439)])
def test_exceptions_of_a_region_are_rejected_counts(n0, n1, level):
    """Counts between two accepted ones are found, from wherever, and are not taken for accepted ones."""
    region = fisher_region(n0, n1, level)
    for x, y in zip(region.extra_before.tolist(), region.extra_after.tolist(), strict=True):
        side = 1 if Fraction(y, n1) > Fraction(x, n0) else -1
        for counts in ((x, n0, k1, n1) for k1 in range(n1 + 1)):
            rows = unpaired(*counts)
            check_unpaired(rows.to_rejected(0, level, side), counts, rejects(n0, n1, level, side))
            check_unpaired(rows.to_accepted(0, level), counts, accepts(n0, n1, level))


def test_ceilings_are_those_of_every_count_before():
    """The limits of rows that differ from this one in their count before."""
    k, n, m = np.arange(8), np.full(8, 7), np.full(8, 9)
    ours, limits = unpaired(3, 7, 2, 9).ceilings(0, 0.1), limits_unpaired(k, n, m, alpha=0.1)
    np.testing.assert_array_equal(ours, limits.ceiling)
    ours, limits = paired((1, 2, 3, 1)).ceilings(0, 0.1), limits_paired(k, n, alpha=0.1)
    np.testing.assert_array_equal(ours, limits.ceiling)


@given(two_arms(), st.integers(0, 9))
def test_the_count_before_moves_alone(counts, target):
    """No outcome of the run after is touched."""
    k0, n0, k1, _ = counts
    assume(target <= n0)
    move = unpaired(*counts).to_count_before(0, target)
    assert (move.counts, move.outcomes) == ((target, k1), abs(target - k0))
    assert [(flip.arm, flip.to_event, flip.count) for flip in move.flips] == [
        ("before", target > k0, abs(target - k0)) for _ in range(target != k0)
    ]


STEPS = {  # what one outcome that ends otherwise turns a pair into: in the arm after, then in the arm before
    (0, 1): "after",
    (1, 0): "after",
    (2, 3): "after",
    (3, 2): "after",
    (0, 2): "before",
    (2, 0): "before",
    (1, 3): "before",
    (3, 1): "before",
}


def costs(cells):
    """Return what every split of as many pairs costs: the fewest outcomes and, of those ways, the fewest in the arm before."""
    done, waiting = {}, [((0, 0), cells)]
    while waiting:
        cost, state = heapq.heappop(waiting)
        if state in done:
            continue
        done[state] = cost
        for (source, target), arm in STEPS.items():
            if state[source]:
                moved = list(state)
                moved[source] -= 1
                moved[target] += 1
                heapq.heappush(waiting, ((cost[0] + 1, cost[1] + (arm == "before")), tuple(moved)))
    return done


def carry_out(move, cells):
    """Turn the pairs that the flips name, and return the cells then."""
    now = list(cells)
    for flip in move.flips:
        source, target = (CELLS.index(each) for each in flip.pairs.split(" to "))
        assert STEPS[source, target] == flip.arm
        assert flip.to_event == (target in {"after": (0, 2), "before": (0, 1)}[flip.arm])
        now[source] -= flip.count
        now[target] += flip.count
        assert min(now) >= 0
        assert flip.count > 0
    assert move.outcomes == sum(flip.count for flip in move.flips)
    assert tuple(now) == move.counts
    return tuple(now)


def check_paired(move, cells, wanted):
    """Check that a move is the cheapest: in outcomes, then in those of the run before, then the most discordant."""
    cheapest = {}
    for (_, b, c, _), cost in costs(cells).items():
        if wanted(b, c):
            cheapest[b, c] = min(cheapest.get((b, c), cost), cost)
    if not cheapest:
        assert move is None
        return
    _, b, c, _ = carry_out(move, cells)
    in_before = sum(flip.count for flip in move.flips if flip.arm == "before")
    assert ((move.outcomes, in_before), -b - c) == min((cost, -b - c) for (b, c), cost in cheapest.items())


alike, discordant = st.integers(0, 2), st.integers(0, 6)
pairs = st.tuples(alike, discordant, discordant, alike).filter(any)


@given(pairs, LEVELS, SIDES)
@example((0, 0, 8, 1), 0.1, 1)
@example((1, 8, 0, 0), 0.1, -1)
@settings(deadline=None)
def test_the_nearest_rejected_pairs(cells, level, side):
    """Rises and falls each have their own."""
    check_paired(
        paired(cells).to_rejected(0, level, side),
        cells,
        lambda b, c: side * (c - b) > 0 and mcnemar_p(b, c) <= Fraction(level) * SLACK,
    )


@given(pairs, LEVELS)
@settings(deadline=None)
def test_the_nearest_accepted_pairs(cells, level):
    """Where a test rejects, this is what it takes to undo it."""
    check_paired(
        paired(cells).to_accepted(0, level), cells, lambda b, c: mcnemar_p(b, c) > Fraction(level) * SLACK
    )


@given(pairs, st.integers(0, 16))
def test_the_count_before_of_pairs_moves_alone(cells, target):
    """First pairs in which neither had the event, or both, turn; then the others."""
    assume(target <= sum(cells))
    move = paired(cells).to_count_before(0, target)
    a, b, _, _ = carry_out(move, cells)
    assert a + b == target
    assert {flip.arm for flip in move.flips} <= {"before"}
    assert move.outcomes == abs(target - cells[0] - cells[1])
    if len(move.flips) == 2:
        assert [flip.pairs for flip in move.flips] in (
            ["neither to only before", "only after to both"],
            ["both to only after", "only before to neither"],
        )
