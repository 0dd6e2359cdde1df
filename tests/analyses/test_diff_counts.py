"""The counts of a comparison, against a reference that walks the episodes one by one."""

from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import stats

from poisson_store.records import RolloutRecord
from pytest_poisson.analyses.diff import diff
from tests.stored_runs import SUPPORT, cell, pair_of_runs

SEARCH = RolloutRecord(
    "search", outcomes=("found", "lost", "passed", "failed"), failures=("lost",), successes=("found",)
)
CELLS = (*(cell(task=task) for task in range(8)), *(cell("search", depth=depth) for depth in range(4)))
WORDS = {
    "support": ("resolved", "timeout", "violated", "failed", "timed_out", "errored", None),
    "search": ("found", "lost", "crashed", "skipped", None),
}


def arms():
    """Strategy: the endings of up to 12 replicates of every cell."""
    return st.tuples(
        *(st.lists(st.sampled_from(WORDS[each.rollout]), min_size=1, max_size=12) for each in CELLS)
    )


def has_outcome(ending):
    return ending is not None and ending not in ("timed_out", "errored", "crashed", "skipped", "cancelled")


def reference_unpaired(event, before, after):
    """Count one row of independent arms, by hand."""
    return tuple(
        (sum(each in event.outcomes for each in ended), sum(map(has_outcome, ended)))
        for ended in (before, after)
    )


def reference_pairs(event, before, after):
    """Count one row's pairs, by hand."""
    kinds = Counter(
        (ours in event.outcomes, theirs in event.outcomes)
        for ours, theirs in zip(before, after, strict=False)
        if has_outcome(ours) and has_outcome(theirs)
    )
    return kinds[True, True], kinds[True, False], kinds[False, True], kinds[False, False]


def reference_replay(event, before, after, *, paired):
    """Find the first replicate that ended the worse way after and, paired, not before, by hand."""

    def worse(ending):
        return has_outcome(ending) and (ending in event.outcomes) == (event.kind == "failure")

    for replicate, ending in enumerate(after):
        partner = before[replicate] if replicate < len(before) else None
        if worse(ending) and (not paired or (has_outcome(partner) and not worse(partner))):
            return replicate
    return None


def compare(folder, before, after, **choices):
    readers = pair_of_runs(
        folder,
        list(zip(CELLS, before, strict=True)),
        list(zip(CELLS, after, strict=True)),
        rollouts=(SUPPORT, SEARCH),
        paired=choices.pop("paired"),
    )
    with readers[0], readers[1]:
        return diff(*readers, **choices)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    before=arms(), after=arms(), events=st.sampled_from([None, ["timeout+violated", "found"], ["resolved"]])
)
def test_unpaired_rows_count_as_a_loop_does(tmp_path_factory, before, after, events):
    """K and n of every row are those of a plain loop, and p is SciPy's Fisher p of that table."""
    result = compare(tmp_path_factory.mktemp("store"), before, after, paired=False, events=events)
    endings = {each.key: (ours, theirs) for each, ours, theirs in zip(CELLS, before, after, strict=True)}
    for row in result.rows:
        ours, theirs = endings[row.condition.key]
        (k1, n1), (k2, n2) = reference_unpaired(row.event, ours, theirs)
        assert ((row.before.events, row.before.outcomes), (row.after.events, row.after.outcomes)) == (
            (k1, n1),
            (k2, n2),
        )
        assert row.p == pytest.approx(stats.fisher_exact([[k1, n1 - k1], [k2, n2 - k2]]).pvalue, rel=1e-6)
        assert row.replay == reference_replay(row.event, ours, theirs, paired=False)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    before=arms(), after=arms(), events=st.sampled_from([None, ["timeout+violated", "found"], ["resolved"]])
)
def test_paired_rows_count_as_a_loop_does(tmp_path_factory, before, after, events):
    """The four kinds of pair are those of a plain loop over replicates, and p is the binomial test's."""
    result = compare(tmp_path_factory.mktemp("store"), before, after, paired=True, events=events)
    endings = {each.key: (ours, theirs) for each, ours, theirs in zip(CELLS, before, after, strict=True)}
    for row in result.rows:
        ours, theirs = endings[row.condition.key]
        both, only_before, only_after, neither = reference_pairs(row.event, ours, theirs)
        assert (row.pairs.both, row.pairs.only_before, row.pairs.only_after, row.pairs.neither) == (
            both,
            only_before,
            only_after,
            neither,
        )
        assert row.before.events == both + only_before
        assert row.after.events == both + only_after
        assert row.before.outcomes == row.after.outcomes == both + only_before + only_after + neither
        discordant = only_before + only_after
        expected = stats.binomtest(only_before, discordant).pvalue if discordant else 1.0
        assert row.p == pytest.approx(expected, rel=1e-6)
        assert row.replay == reference_replay(row.event, ours, theirs, paired=True)


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=arms(), after=arms())
def test_every_planned_replicate_is_accounted_for(tmp_path_factory, before, after):
    """Per arm, planned is the sum of its parts, and outcomes with and without a partner are all outcomes."""
    result = compare(tmp_path_factory.mktemp("store"), before, after, paired=True)
    for arm, ended in ((result.before, before), (result.after, after)):
        for account in (arm.accounting, arm.compared):
            parts = (
                account.timed_out + account.errored + account.crashed + account.skipped + account.cancelled
            )
            assert account.planned == account.with_outcome + parts + account.not_run
        assert arm.accounting.planned == sum(map(len, ended))
        assert arm.accounting.with_outcome == sum(
            has_outcome(each) for cell_ended in ended for each in cell_ended
        )
    if result.rows:
        in_pairs = {row.condition.key: row.before.outcomes for row in result.rows}
        assert sum(in_pairs.values()) + result.after.unpartnered == result.after.compared.with_outcome
