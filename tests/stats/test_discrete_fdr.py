"""Discrete false discovery rate against its definition, and its realised rate."""

import math
from bisect import bisect_right

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poisson_stats.attainable import Attainable, attainable_fisher, attainable_mcnemar
from poisson_stats.comparison import compare_paired, compare_unpaired
from poisson_stats.discrete_fdr import discrete_benjamini_hochberg
from poisson_stats.fisher import fisher_test
from poisson_stats.mcnemar import mcnemar_test
from poisson_stats.multiplicity import benjamini_hochberg
from tests.oracles.exact_tables import fisher_p, mcnemar_p

row = st.tuples(st.integers(0, 6), st.integers(0, 6)).flatmap(
    lambda n: st.tuples(st.integers(0, n[0]), st.just(n[0]), st.integers(0, n[1]), st.just(n[1]))
)


def by_definition(p, supports, q):
    """Return the rejected set from critical values, as the article states them."""
    m = len(p)

    def chance(support, t):
        position = bisect_right(support, t)
        return support[position - 1] if position else 0.0

    attainable = sorted({t for support in supports for t in support if t < 1})
    holds = [t for t in attainable if sum(chance(s, t) / (1 - chance(s, t)) for s in supports) <= q * m]
    if not holds:
        return set()
    last = holds[-1]
    order = sorted(range(m), key=lambda i: p[i])
    rejected = 0
    for k in range(1, m + 1):
        critical = [t for t in holds if sum(chance(s, t) / (1 - chance(s, last)) for s in supports) <= q * k]
        if critical and p[order[k - 1]] <= critical[-1]:
            rejected = k
    return set(order[:rejected])


@given(st.lists(row, min_size=1, max_size=8), st.sampled_from([0.05, 0.2, 0.5]))
@settings(max_examples=150, deadline=None)
def test_fisher_flags_follow_the_definition(rows, q):
    """The flagged rows are those under the critical values, computed from enumerated attainable p-values."""
    supports = [
        sorted({fisher_p(x, n0, k0 + k1 - x, n1) for x in range(max(0, k0 + k1 - n1), min(n0, k0 + k1) + 1)})
        for k0, n0, k1, n1 in rows
    ]
    exact = [fisher_p(*table) for table in rows]
    found = discrete_benjamini_hochberg(
        fisher_test(*np.array(rows).T).log_p, attainable_fisher(*np.array(rows).T), q=q
    )
    assert set(np.flatnonzero(found.adjusted.rejected)) == by_definition(exact, supports, q)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=8))
@settings(max_examples=100, deadline=None)
def test_mcnemar_flags_follow_the_definition(rows):
    """The same for paired rows."""
    b, c = np.array(rows).T
    supports = [sorted({mcnemar_p(x, int(d) - x) for x in range(int(d) + 1)}) for d in b + c]
    exact = [mcnemar_p(*pair) for pair in rows]
    found = discrete_benjamini_hochberg(mcnemar_test(b, c).log_p, attainable_mcnemar(b, c), q=0.3)
    assert set(np.flatnonzero(found.adjusted.rejected)) == by_definition(exact, supports, 0.3)


@given(st.lists(row, min_size=1, max_size=6))
@settings(max_examples=60, deadline=None)
def test_attainable_values_are_those_enumerated(rows):
    """Each row's attainable p-values are the distinct enumerated ones of its margins."""
    found = attainable_fisher(*np.array(rows).T)
    for (k0, n0, k1, n1), kind in zip(rows, found.kind, strict=True):
        total = k0 + k1
        exact = sorted(
            {float(fisher_p(x, n0, total - x, n1)) for x in range(max(0, total - n1), min(n0, total) + 1)}
        )
        np.testing.assert_allclose(found.values[kind], exact, rtol=1e-12)


def test_few_repeats_flag_nothing_without_it():
    """Five of 50 inputs go from 0.1 to 1.0 at 4 repeats, the others stay at 0.2: BH finds 0, discrete BH 2.3."""
    rng = np.random.default_rng(8)
    found, plain = [], []
    for _ in range(300):
        before = rng.binomial(4, np.where(np.arange(50) < 5, 0.1, 0.2))
        after = rng.binomial(4, np.where(np.arange(50) < 5, 1.0, 0.2))
        test = fisher_test(before, 4, after, 4)
        flags = discrete_benjamini_hochberg(test.log_p, attainable_fisher(before, 4, after, 4), q=0.05)
        found.append(flags.adjusted.rejected.sum())
        plain.append(benjamini_hochberg(test.log_p, q=0.05).rejected.sum())
    assert np.mean(found) == pytest.approx(2.3, abs=0.25)
    assert not any(plain)


def test_realised_false_discovery_rate():
    """Over many simulated families the share of false flags stays within q, with and without real changes."""
    rng = np.random.default_rng(9)
    for changed in (0, 10):
        shares = []
        for _ in range(300):
            rate = rng.random(40)
            after_rate = np.where(np.arange(40) < changed, 1 - rate, rate)
            before, after = rng.binomial(8, rate), rng.binomial(8, after_rate)
            test = fisher_test(before, 8, after, 8)
            flags = discrete_benjamini_hochberg(test.log_p, attainable_fisher(before, 8, after, 8), q=0.1)
            rejected = flags.adjusted.rejected
            shares.append(rejected[changed:].sum() / max(1, rejected.sum()))
        assert np.mean(shares) <= 0.1 + 3 * np.std(shares) / np.sqrt(300)


def test_continuous_tests_are_benjamini_hochberg():
    """With a fine grid of attainable values it flags as BH does, but for the factor 1/(1 - τ)."""
    rng = np.random.default_rng(10)
    grid = np.arange(1, 2001) / 2000
    p = grid[rng.integers(0, 2000, 60)]
    p[:10] = grid[:10]
    found = discrete_benjamini_hochberg(np.log(p), Attainable((grid,), np.zeros(60, int)), q=0.05)
    plain = benjamini_hochberg(np.log(p), q=0.05)
    below = p <= found.cutoff
    np.testing.assert_allclose(
        found.adjusted.p[below], np.minimum(plain.p[below] / (1 - found.cutoff), 1), rtol=1e-9
    )


def test_nothing_beyond_the_cutoff_is_rejected():
    """One test alone with p just above tau is charged less than q, and not rejected: tau is what bounds the rate."""
    possible = attainable_mcnemar([60], [40])
    beyond = possible.values[0] > 0.05
    below, p = possible.values[0][~beyond][-1], possible.values[0][beyond][0]
    q = (p / (1 - below) + p / (1 - p)) / 2
    found = discrete_benjamini_hochberg([math.log(p)], possible, q=q)
    assert found.cutoff == below < p < 2 * below
    assert p / (1 - below) < q
    assert (found.adjusted.rejected.tolist(), found.adjusted.p.tolist()) == ([False], [1.0])


def test_nothing_underflows():
    """Arms of 5,000 that are all and none have a finite logarithm after adjustment too."""
    k0, n, k1 = [5000, 10], [5000, 20], [0, 9]
    test = fisher_test(k0, n, k1, n)
    found = discrete_benjamini_hochberg(test.log_p, attainable_fisher(k0, n, k1, n), q=0.05)
    assert test.log_p[0] <= found.adjusted.log_p[0] < test.log_p[0] + math.log(3)
    assert -7000 < found.adjusted.log_p[0] < -6000
    assert found.adjusted.rejected.tolist() == [True, False]


def test_comparison_takes_it_where_declared():
    """The comparison flags by the declared procedure, says so, and leaves the verdict to Holm."""
    before, after = [0] * 5 + [1] * 45, [4] * 5 + [0] * 45
    plain = compare_unpaired(before, [4] * 50, after, [4] * 50, direction=1)
    discrete = compare_unpaired(before, [4] * 50, after, [4] * 50, direction=1, fdr="discrete")
    assert (plain.fdr, plain.flagged.sum()) == ("benjamini-hochberg", 0)
    assert (discrete.fdr, discrete.flagged.sum()) == ("discrete", 5)
    assert discrete.words[:6] == ("worse",) * 5 + ("too small to tell",)
    assert plain.verdict == discrete.verdict == "too small to tell"
    paired = compare_paired(
        [0] * 9, [0] * 9, [8] + [0] * 8, [0] + [8] * 8, direction=1, fdr="discrete", q=0.05
    )
    assert paired.flagged.tolist() == [True] + [False] * 8


def test_a_counted_row_has_its_word_though_not_flagged():
    """A lone p of exactly 1/20 is counted by Holm and missed by the discrete procedure; the row says safer."""
    found = compare_unpaired([1], [1], [0], [19], direction=1, fdr="discrete")
    assert (found.flagged[0], found.counted[0]) == (False, True)
    assert (found.words, found.verdict) == (("safer",), "safer")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: discrete_benjamini_hochberg([-1.0], attainable_mcnemar([1, 2], [0, 0]), q=0.05),
            "log_p has shape (1,) where attainable has (2,).",
        ),
        (
            lambda: discrete_benjamini_hochberg([math.nan], attainable_mcnemar([1], [0]), q=0.05),
            "log_p[0]=nan must be the logarithm of a p-value, at most 0.",
        ),
        (
            lambda: discrete_benjamini_hochberg([0.5], attainable_mcnemar([1], [2]), q=0.05),
            "log_p[0]=0.5 must be the logarithm of a p-value, at most 0.",
        ),
        (
            lambda: compare_unpaired([1], [2], [1], [2], direction=1, fdr="bh"),
            "fdr='bh' must be one of 'benjamini-hochberg', 'discrete'.",
        ),
        (
            lambda: compare_unpaired([1], [2], [1], [2], direction=1, test="boschloo", fdr="discrete"),
            "fdr='discrete' needs a conditional test; test='boschloo' is not one.",
        ),
    ],
)
def test_bad_input_is_named(call, message):
    """Every refusal names the argument and the value."""
    with pytest.raises(ValueError, match=r"\S") as refusal:
        call()
    assert str(refusal.value) == message
