"""The tree of tests: what is tested, at which level, and what each node could have found."""

import math
from fractions import Fraction
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from poisson_stats.fault_lines import fault_lines_paired, fault_lines_unpaired
from poisson_stats.limits import limits_paired
from poisson_stats.mcnemar import mcnemar_test
from poisson_stats.significance import is_significant
from poisson_stats.stratified import stratified_test
from tests.oracles.exact_tables import mcnemar_p

GRID = [[0, 1], [2, 3], [0, 2], [1, 3]]


def test_paired_node_is_mcnemar_on_the_sums():
    """By enumeration: the sum of coin tosses over conditions is one row of coin tosses."""
    b, c = [4, 1, 0, 2], [0, 1, 6, 7]
    found = fault_lines_paired([5] * 4, b, c, [9] * 4, groups=GRID, q=0.2)
    assert found.root.p == pytest.approx(float(mcnemar_p(sum(b), sum(c))))
    assert isinstance(mcnemar_p(1, 2), Fraction)
    for group, members in zip(found.groups, GRID, strict=True):
        assert group.p == pytest.approx(
            float(mcnemar_p(sum(b[i] for i in members), sum(c[i] for i in members)))
        )


@given(st.lists(st.tuples(*[st.integers(0, 40)] * 4), min_size=4, max_size=4), st.sampled_from([0.05, 0.3]))
@settings(max_examples=60, deadline=None)
def test_nothing_is_tested_below_what_did_not_change(cells, q):
    """No group under an unchanged root, no condition under an unchanged group; levels as stated."""
    k0, rest0, k1, rest1 = np.array(cells).T
    found = fault_lines_unpaired(k0, k0 + rest0, k1, k1 + rest1, groups=GRID, q=q)
    root = stratified_test(k0, k0 + rest0, k1, k1 + rest1)
    assert found.root.log_p == root.log_p
    assert found.root.changed == is_significant(root.p, q)
    assert bool(found.groups) == found.root.changed
    for group, below, members in zip(found.groups, found.below, GRID, strict=bool(found.groups)):
        assert group.level == q / 4
        assert group.changed == is_significant(group.p, q / 4)
        assert bool(below) == group.changed
        assert not below or [int(node.conditions[0]) for node in below] == members


def test_change_of_one_value_is_found_where_it_is():
    """A rise in the conditions of one axis value is found there and in none of the other groups."""
    n, k0, k1 = [200] * 4, [40, 44, 40, 42], [42, 44, 75, 80]
    found = fault_lines_unpaired(k0, n, k1, n, groups=GRID)
    assert [node.changed for node in found.groups[:2]] == [False, True]
    assert [node.changed for node in found.below[1]] == [True, True]
    assert found.groups[1].change == pytest.approx((35 + 38) / 400)


def test_a_shared_small_change_is_found_only_above():
    """Twenty conditions that all rise a little: the whole changed, no single one can show it."""
    n, k0, k1 = [100] * 20, [30] * 20, [37] * 20
    found = fault_lines_unpaired(k0, n, k1, n, groups=[list(range(10)), list(range(10, 20))])
    assert found.root.changed
    assert all(group.changed for group in found.groups)
    assert not any(node.changed for nodes in found.below for node in nodes)


@pytest.mark.parametrize("paired", [True, False])
def test_resolvable_change_is_found_about_four_times_in_five(paired):
    """Simulated at the stated change, the root's exact test rejects about 80 % of the time."""
    rng = np.random.default_rng(15)
    n, p0 = 60, np.array([0.1, 0.3, 0.5, 0.3, 0.2, 0.4])
    k0 = np.round(n * p0).astype(int)
    size = np.full(6, n)
    if paired:
        change = fault_lines_paired(k0, 0 * k0, 0 * k0, n - k0, groups=[]).root.resolvable
    else:
        change = fault_lines_unpaired(k0, size, k0, size, groups=[]).root.resolvable
    hits, tries = [], 400
    for _ in range(tries):
        before, after = rng.binomial(n, p0), rng.binomial(n, np.clip(p0 + change, 0, 1))
        if paired:
            only_before = rng.binomial(n, p0 * (1 - p0 - change))
            only_after = rng.binomial(n, (1 - p0) * (p0 + change))
            hits.append(float(mcnemar_test(only_before.sum(), only_after.sum()).p) <= 0.05)
        else:
            hits.append(stratified_test(before, size, after, size).p <= 0.05)
    assert np.mean(hits) == pytest.approx(0.8, abs=0.08)


@pytest.mark.parametrize("paired", [True, False])
def test_exchanging_event_and_other_turns_changes_and_resolves_as_much(paired):
    """A rise of the one is a fall of the other: changes are the mean of the rates', and neither direction is favoured."""
    a, b, c, d = (np.array(cell) for cell in ([2, 1, 40], [1, 2, 0], [20, 9, 1], [40, 47, 9]))
    groups = [[0, 1], [2]]
    if paired:
        found = fault_lines_paired(a, b, c, d, groups=groups)
        other = fault_lines_paired(d, c, b, a, groups=groups)
    else:
        n = a + b + c + d
        found = fault_lines_unpaired(a + b, n, a + c, n, groups=groups)
        other = fault_lines_unpaired(c + d, n, b + d, n, groups=groups)
    assert found.root.changed and any(node.changed for node in found.groups)
    nodes = [found.root, *found.groups, *(leaf for leaves in found.below for leaf in leaves)]
    mirrored = [other.root, *other.groups, *(leaf for leaves in other.below for leaf in leaves)]
    assert len(nodes) > 3
    for node, mirror in zip(nodes, mirrored, strict=True):
        i = node.conditions
        assert node.change == pytest.approx(((c - b)[i] / (a + b + c + d)[i]).mean())
        assert mirror.change == pytest.approx(-node.change)
        assert mirror.resolvable == pytest.approx(node.resolvable, nan_ok=True)


@given(
    st.lists(st.tuples(st.integers(1, 30), st.integers(1, 30), st.integers(0, 30)), min_size=1, max_size=4)
)
@example([(1, 30, 1), (30, 1, 20), (30, 30, 15)])
@example([(30, 30, 15), (1, 1, 0), (1, 1, 1), (1, 1, 0)])
@settings(max_examples=25)
def test_what_unpaired_conditions_resolve_is_the_first_step_that_the_formula_finds(sizes):
    """Both directions, by plain sums over the conditions; one that ran in one arm alone has no part in it."""
    n0, n1 = [n for n, _, _ in sizes], [n for _, n, _ in sizes]
    k0 = [min(k, n) for n, _, k in sizes]
    found = fault_lines_unpaired([*k0, 0, 1], [*n0, 0, 3], [*(0 for _ in n1), 1, 0], [*n1, 2, 0], groups=[])
    normal = NormalDist()

    def finds(change):
        d = v0 = v1 = 0.0
        for k, n, m in zip(k0, n0, n1, strict=True):
            p, size = k / n, n + m
            r = min(max(p + change, 0.0), 1.0)
            s, w = n * p + m * r, n * m / size
            d += w * (r - p)
            v0 += n * m * s * (size - s) / (size**2 * (size - 1))
            v1 += w * w * (p * (1 - p) / n + r * (1 - r) / m)
        return abs(d) - 0.5 >= normal.inv_cdf(0.975) * v0**0.5 + normal.inv_cdf(0.8) * v1**0.5

    limit = found.root.resolvable
    rates = [k / n for k, n in zip(k0, n0, strict=True)] + [1 / 3]
    room = {1: max(1 - p for p in rates), -1: max(rates)}
    if math.isnan(limit):
        assert not all(finds(sign * room[sign]) for sign in room if room[sign])
    else:
        assert all(finds(sign * limit) or limit > room[sign] for sign in room if room[sign])
        assert not all(finds(sign * (limit - 1e-4)) for sign in room if room[sign])


def test_a_condition_alone_resolves_the_larger_of_its_limits():
    """Below a node that changed a condition has the limits of the single test, and none where a direction has none."""
    a, b, c, d = (np.array(cell) for cell in ([20, 0, 1], [0, 0, 0], [30, 12, 0], [30, 2, 0]))
    found = fault_lines_paired(a, b, c, d, groups=[[0, 1, 2]])
    limits = limits_paired(a + b, a + b + c + d, alpha=0.05 / 3)
    (leaves,) = found.below
    assert [leaf.conditions.tolist() for leaf in leaves] == [[0], [1], [2]]
    assert math.isnan(leaves[2].resolvable)
    assert leaves[0].resolvable == max(limits.rise[0], limits.fall[0])
    assert limits.status_rise[1] == "none detectable" or limits.status_fall[1] == "no room"
    assert leaves[1].resolvable == pytest.approx(limits.rise[1], nan_ok=True)


def test_where_one_direction_has_no_room_the_other_is_what_resolves():
    """From rates of 1 in every condition nothing can rise, from rates of 0 nothing fall."""
    n, none, some = np.array([40, 60]), np.array([0, 0]), np.array([10, 20])
    unpaired = [
        fault_lines_unpaired(*counts, groups=[]) for counts in ((n, n, n - some, n), (none, n, some, n))
    ]
    paired = [
        fault_lines_paired(*cells, groups=[])
        for cells in ((n - some, some, none, none), (none, none, some, n - some))
    ]
    for fall, rise in (unpaired, paired):
        assert 0 < fall.root.resolvable < 1
        assert fall.root.resolvable == rise.root.resolvable


def test_more_conditions_resolve_less():
    """The whole resolves a smaller common change than any of its groups, a group less than its conditions."""
    n, k0, k1 = [150] * 4, [30, 45, 60, 75], [60, 75, 90, 105]
    found = fault_lines_unpaired(k0, n, k1, n, groups=GRID)
    for group, below in zip(found.groups, found.below, strict=True):
        assert found.root.resolvable < group.resolvable < min(node.resolvable for node in below)


def test_bound_and_edges():
    """The bound is 2 x 3 x q x 1.44; conditions without data change nothing and resolve nothing."""
    found = fault_lines_unpaired([0, 0], [0, 0], [1, 2], [5, 5], groups=[[0], [1]])
    assert found.bound == pytest.approx(2 * 3 * 0.05 * 1.44)
    assert (found.root.p, found.root.changed, found.groups) == (1.0, False, ())
    assert math.isnan(found.root.change)
    assert math.isnan(found.root.resolvable)
    paired = fault_lines_paired([0, 3], [0, 0], [0, 0], [0, 3], groups=[[0], [1]])
    assert (paired.root.p, paired.root.change) == (1.0, 0.0)


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([[0], []], "groups[1]=[] must hold positions of conditions."),
        ([[0, 2]], "groups[0][1]=2 must be a position from 0 to 1."),
        ([[-1]], "groups[0][0]=-1 must be a position from 0 to 1."),
        ([[0.5]], "groups[0]=[0.5] must hold positions of conditions."),
    ],
)
def test_bad_groups_are_named(groups, message):
    """A group that is empty or names no condition is refused by its number and value."""
    with pytest.raises(ValueError, match=r"\S") as refusal:
        fault_lines_unpaired([1, 1], [2, 2], [1, 1], [2, 2], groups=groups)
    assert str(refusal.value) == message
