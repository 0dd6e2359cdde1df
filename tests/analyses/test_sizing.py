"""The size of the next sweep, from a stored pair."""

import numpy as np
import pytest

from poisson_stats.planning import design_limit, plan_pairs, plan_replicates
from pytest_poisson.analyses.sizing import size_from_pair
from pytest_poisson.errors import UserError
from tests.stored_runs import cell, drawn, endings, followed, pair_of_runs

TASKS = [cell(task=task) for task in "abc"]


def pair(tmp_path, share, *, seed=1, n=200, **record):
    rng = np.random.default_rng(seed)
    before = [drawn(rng, n) for _ in TASKS]
    after = [followed(rng, each, share) for each in before]
    arms = (list(zip(TASKS, arm, strict=True)) for arm in (before, after))
    return pair_of_runs(tmp_path, *arms, **record)


def size(readers, **choices):
    with readers[0], readers[1]:
        return size_from_pair(*readers, events=["timeout"], **choices)


def test_alike_pairs_need_fewer_replicates(tmp_path):
    """The plan is the paired one at the correlation that the pairs showed, between those of 0 and of 1."""
    found = size(pair(tmp_path, 0.6))
    assert found.pairing.helped
    assert found.correlation == found.pairing.correlation > 0.4
    assert found.on_same_seeds == plan_pairs(0.2, 3, correlation=found.correlation)
    assert found.if_independent == plan_pairs(0.2, 3, correlation=0.0)
    assert found.on_fresh_seeds == plan_replicates(0.2, 3, paired=False)
    assert found.on_same_seeds < found.if_independent


def test_the_planned_size_keeps_the_limit(tmp_path):
    """So many pairs, as alike, have a worst-case limit within the accepted change; one fewer has not."""
    found = size(pair(tmp_path, 0.6))
    limits = [
        design_limit(n, found.tests, correlation=found.correlation).limit
        for n in (found.on_same_seeds, found.on_same_seeds - 1)
    ]
    assert limits[0] <= 0.2 < limits[1]


def test_a_correlation_that_may_be_chance_is_not_counted_on(tmp_path):
    """Arms drawn apart show a small correlation; a positive one is planned as 0."""
    found = [size(pair(tmp_path / str(seed), 0.0, seed=seed, n=60)) for seed in range(6)]
    positive = [each for each in found if each.pairing.correlation > 0 and not each.pairing.helped]
    assert positive
    assert all((each.correlation, each.on_same_seeds) == (0.0, each.if_independent) for each in positive)


def test_arms_that_contradict_each_other_need_more(tmp_path):
    """A negative correlation costs pairs, and is planned with."""
    arms = [(TASKS[0], endings(timeout=40, resolved=60))], [(TASKS[0], endings(resolved=40, timeout=60))]
    found = size(pair_of_runs(tmp_path, *arms))
    assert found.correlation == pytest.approx(-1.0)
    assert found.on_same_seeds > found.if_independent


def test_the_next_sweep_may_have_other_rows(tmp_path):
    """The number of tests and conditions may be the next sweep's; more tests need more replicates."""
    few = size(pair(tmp_path / "few", 0.6))
    many = size(pair(tmp_path / "many", 0.6), tests=18, conditions=9)
    assert (few.tests, few.conditions, many.tests, many.conditions) == (3, 3, 18, 9)
    assert many.on_same_seeds > few.on_same_seeds


def test_the_work_is_estimated_from_the_pair(tmp_path):
    """The mean time of a replicate is that of both runs."""
    assert size(pair(tmp_path, 0.6)).seconds_each == pytest.approx(0.01)


def test_independent_runs_are_no_pair(tmp_path):
    """Runs of different salts have no correlation to plan with; they are refused by name."""
    with pytest.raises(UserError, match="Runs 'before' and 'after' are no pair"):
        size(pair(tmp_path, 0.6, paired=False))


def test_a_pair_that_cannot_be_compared_is_refused(tmp_path):
    """The reason is that of the comparison."""
    readers = pair_of_runs(tmp_path, [(TASKS[0], endings(resolved=5))], [(TASKS[1], endings(resolved=5))])
    with pytest.raises(UserError, match="have no condition in common"):
        size(readers)


def test_a_change_too_small_to_plan_for_is_refused(tmp_path):
    """A size that would take hours to compute is refused by name."""
    with pytest.raises(UserError, match=r"A change of 0\.0001 is too small to size a sweep for"):
        size(pair(tmp_path, 0.6), max_mde=0.0001)
