"""Promised bounds: the words against Clopper-Pearson, Holm, and the replicates that would settle them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from poisson_stats.promises import judge_promises

promise = st.integers(0, 80).flatmap(
    lambda n: st.tuples(
        st.integers(0, n),
        st.just(n),
        st.sampled_from([0.01, 0.05, 0.3, 0.5, 0.9]),
        st.sampled_from(["at most", "at least"]),
    )
)


def judged(promises, **options):
    events, trials, bounds, kinds = zip(*promises, strict=True)
    return judge_promises(events, trials, bounds, kinds, **options)


@given(promise)
def test_a_single_promise_is_met_where_the_one_sided_bound_proves_it(one):
    """met, missed and undecided agree with SciPy's one-sided exact bounds at 0.95."""
    events, trials, bound, kind = one
    got = judged([one])
    if trials == 0:
        assert got.words == ("too small to tell",)
        return
    test = stats.binomtest(events, trials)
    upper = stats.binomtest(events, trials, alternative="less").proportion_ci(0.95, method="exact").high
    lower = stats.binomtest(events, trials, alternative="greater").proportion_ci(0.95, method="exact").low
    proved_below, proved_above = upper <= bound, lower >= bound
    met, missed = (proved_below, proved_above) if kind == "at most" else (proved_above, proved_below)
    assert got.words[0] == ("met" if met else "missed" if missed else "too small to tell")
    assert (got.low[0], got.high[0]) == pytest.approx((lower, upper), abs=1e-9)
    assert got.rate[0] == test.statistic
    below, above = (
        stats.binomtest(events, trials, bound, alternative=side).pvalue for side in ("less", "greater")
    )
    tails = (below, above) if kind == "at most" else (above, below)
    assert (got.p_met[0], got.p_missed[0]) == pytest.approx(tails, abs=1e-9)


@given(promise)
def test_a_promise_of_the_opposite_event_is_the_mirror_image(one):
    """At most b of the event is at least 1 - b of its absence."""
    events, trials, bound, kind = one
    other = (trials - events, trials, 1 - bound, "at least" if kind == "at most" else "at most")
    assert judged([one]).words == judged([other]).words


@given(st.lists(promise, min_size=1, max_size=8))
def test_each_side_is_holms_procedure(promises):
    """A promise is met exactly where Holm rejects its one-sided binomial test, over all promises; so for missed."""
    got = judged(promises)
    for p, word in ((got.p_met, "met"), (got.p_missed, "missed")):
        order = np.argsort(p, kind="stable")
        rejected = set()
        for step, i in enumerate(order):
            if p[i] > 0.05 / (len(promises) - step) * (1 + 1e-12):
                break
            rejected.add(int(i))
        assert rejected == {i for i, w in enumerate(got.words) if w == word}


@given(st.lists(promise, min_size=1, max_size=6))
def test_the_bound_printed_is_at_the_level_that_decided(promises):
    """A met promise's one-sided bound, at the level stated, lies on the promised side; a missed one's on the other."""
    got = judged(promises)
    for i, word in enumerate(got.words):
        below = got.kinds[i] == "at most"
        if word == "met":
            assert got.high[i] <= got.bound[i] + 1e-9 if below else got.low[i] >= got.bound[i] - 1e-9
        if word == "missed":
            assert got.low[i] >= got.bound[i] - 1e-9 if below else got.high[i] <= got.bound[i] + 1e-9


def test_with_more_promises_each_needs_more():
    """5 of 300 under 5 % is met alone and not among 30 that are undecided."""
    alone = judged([(5, 300, 0.05, "at most")])
    among = judged([(5, 300, 0.05, "at most")] + [(1, 20, 0.05, "at most")] * 29)
    assert alone.words == ("met",)
    assert among.words[0] == "too small to tell"
    # Holm stops at its first step: all are compared with the level of that step.
    assert among.level == pytest.approx([1 - 0.05 / 30] * 30)


@pytest.mark.parametrize(
    ("one", "settled"),
    [
        ((0, 20, 0.05, "at most"), 59),  # 0.95^59 <= 0.05 < 0.95^58
        ((20, 20, 0.9, "at least"), 29),  # 0.9^29 <= 0.05 < 0.9^28
    ],
)
def test_replicates_that_settle_a_spotless_record(one, settled):
    """Without a single failure the answer is the smallest n with bound^n <= q."""
    assert judged([one]).settle == (settled,)


@given(st.integers(1, 59), st.sampled_from([0.05, 0.3, 0.6]), st.sampled_from(["at most", "at least"]))
def test_at_the_n_that_settles_it_the_promise_is_settled(events, bound, kind):
    """With the seen rate kept up exactly, three times the n given settles the promise, and two thirds of it do not."""
    got = judged([(events, 60, bound, kind)])
    n = got.settle[0]
    if n is None or n < 150:
        return
    scale = -(-3 * n // 60)
    assert judged([(events * scale, 60 * scale, bound, kind)]).words != ("too small to tell",)
    scale = 2 * n // 3 // 60
    assert judged([(events * scale, 60 * scale, bound, kind)]).words == ("too small to tell",)


@pytest.mark.parametrize(("events", "bound"), [(1, 0.05), (14, 0.3), (5, 0.05), (40, 0.6)])
@pytest.mark.parametrize("promises", [1, 10])
def test_what_settles_it_is_the_first_whose_tail_is_small_enough(events, bound, promises):
    """The beta tail at events = rate n is within q / m at the n given and not at the n before."""
    n = judged([(events, 60, bound, "at most")] * promises).settle[0]

    def tail(n):
        k = events / 60 * n
        return (
            stats.beta.cdf(1 - bound, n - k, k + 1) if k < bound * n else stats.beta.cdf(bound, k, n - k + 1)
        )

    assert tail(n) <= 0.05 / promises < tail(n - 1)


def test_a_rate_at_its_bound_is_never_settled():
    """Nothing seen, or a rate equal to the bound: no number of replicates is promised."""
    assert judged([(1, 20, 0.05, "at most")]).settle == (None,)
    assert judged([(0, 0, 0.05, "at most")]).settle == (None,)


def test_no_trials_are_too_small_to_tell_with_the_widest_bounds():
    """N = 0: p = 1 on both sides, bounds 0 and 1, rate unknown."""
    got = judged([(0, 0, 0.05, "at most")])
    assert (got.p_met[0], got.p_missed[0], got.low[0], got.high[0]) == (1, 1, 0, 1)
    assert math.isnan(got.rate[0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([3], [2], [0.1], ["at most"]), "events[0]=3 must not exceed trials[0]=2."),
        (([1], [2], [1.0], ["at most"]), "bounds[0]=1.0 must lie strictly between 0 and 1."),
        (([1], [2], [0.0], ["at most"]), "bounds[0]=0.0 must lie strictly between 0 and 1."),
        (([1], [2], [math.nan], ["at most"]), "bounds[0]=nan must lie strictly between 0 and 1."),
        (
            ([1], [2], [0.1, 0.2], ["at most"]),
            "bounds has shape (2,); one bound a promise, (1,), is accepted.",
        ),
        (([1], [2], [0.1], ["below"]), "kinds[0]='below' must be 'at most' or 'at least'."),
        (([1], [2], [0.1], []), "kinds has 0 elements; one a promise, 1, is accepted."),
    ],
)
def test_bad_input_is_refused_by_name_and_value(arguments, message):
    """Each refusal names the argument and the value."""
    with pytest.raises(ValueError) as refusal:
        judge_promises(*arguments)
    assert str(refusal.value) == message
