"""E-values: fair by exact enumeration, their closed forms, and e-BH by its definition."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from poisson_stats.e_values import BLOCK_PRIOR, block_log_e, e_benjamini_hochberg, sign_log_e


@given(st.integers(0, 30), st.integers(0, 30))
def test_the_sign_process_is_the_mixture_integral(b, c):
    """E is the integral of p^b (1-p)^c 2^(b+c) over the Beta(1/2, 1/2) density, done numerically."""
    value, _ = integrate.quad(
        lambda t: math.sin(t) ** (2 * b) * math.cos(t) ** (2 * c) * 2 / math.pi, 0, math.pi / 2, limit=200
    )
    assert math.exp(float(sign_log_e(b, c))) == pytest.approx(value * 2 ** (b + c), rel=1e-7)


@given(st.integers(0, 40), st.integers(0, 40))
def test_the_sign_process_is_a_martingale(b, c):
    """From any state, the mean of the two next values under a fair coin is the present value."""
    now, up, down = (math.exp(float(sign_log_e(*cells))) for cells in ((b, c), (b + 1, c), (b, c + 1)))
    assert (up + down) / 2 == pytest.approx(now, rel=1e-9)


def test_the_sign_process_starts_at_one_and_carries_ten_thousand_pairs():
    """Without pairs E = 1; log E of 10,000 against 0 is finite though E overflows."""
    assert float(sign_log_e(0, 0)) == 0
    assert 6900 < float(sign_log_e(0, 10_000)) < 10_000 * math.log(2)


def exact_chance_of_ever_reaching(level, length):
    """Return P(sup E >= level within `length` fair coins), by dynamic programming over (b, c) in fractions."""
    alive, hit = {(0, 0): Fraction(1)}, Fraction(0)
    for _ in range(length):
        grown = {}
        for (b, c), p in alive.items():
            for cell in ((b + 1, c), (b, c + 1)):
                if float(sign_log_e(*cell)) >= math.log(level):
                    hit += p / 2
                else:
                    grown[cell] = grown.get(cell, 0) + p / 2
        alive = grown
    return float(hit)


@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_looking_after_every_pair_is_wrong_at_most_alpha_of_the_time(alpha):
    """Exactly, over 200 discordant pairs: the chance that E ever reaches 1/alpha is below alpha, and not by far."""
    chance = exact_chance_of_ever_reaching(1 / alpha, 200)
    assert alpha / 4 < chance <= alpha


@given(st.integers(0, 12), st.integers(0, 12), st.integers(0, 12), st.floats(0, 1))
def test_a_block_has_expectation_at_most_one_whatever_the_common_rate(s0, s1, n, rate):
    """Enumerating its four outcomes at any shared rate gives 1 - g^2."""
    if max(s0, s1) > n:
        return
    chance = [(1 - rate) if y == 0 else rate for y in (0, 1)]
    mean = sum(
        chance[y0] * chance[y1] * math.exp(float(block_log_e(y0, y1, s0, s1, n)))
        for y0, y1 in product((0, 1), repeat=2)
    )
    a, b = ((s + BLOCK_PRIOR) / (n + 2 * BLOCK_PRIOR) for s in (s0, s1))
    m = (a + b) / 2
    g = (a - m) * (rate / m - (1 - rate) / (1 - m))
    assert mean == pytest.approx(1 - g * g, abs=1e-12)
    assert mean <= 1 + 1e-12


def test_blocks_of_opposite_ends_double_the_evidence_at_most_fourfold():
    """Once the rates 0 and 1 are learned a block multiplies the evidence by nearly 4, two bits."""
    factor = math.exp(float(block_log_e(0, 1, 0, 1000, 1000)))
    assert 3.99 < factor < 4


def test_exchanging_arms_or_outcomes_changes_no_block():
    """The block test is two-sided and symmetric."""
    one = float(block_log_e(0, 1, 2, 5, 9))
    assert float(block_log_e(1, 0, 5, 2, 9)) == pytest.approx(one)
    assert float(block_log_e(1, 0, 7, 4, 9)) == pytest.approx(one)


def plain_e_bh(values, q):
    """Flag by trying every R from the largest down."""
    m = len(values)
    for r in range(m, 0, -1):
        level = m / (q * r)
        if sum(v >= level for v in values) >= r:
            return [v >= level for v in values]
    return [False] * m


@given(st.lists(st.integers(0, 400), min_size=1, max_size=15), st.sampled_from([0.05, 0.2]))
def test_e_bh_is_its_definition(values, q):
    """Flags equal those of trying every number of rejections."""
    with np.errstate(divide="ignore"):
        got = e_benjamini_hochberg(np.log(np.array(values, dtype=float)), q=q)
    assert got.flagged.tolist() == plain_e_bh(values, q)
    assert got.threshold == pytest.approx(len(values) / (q * max(int(got.flagged.sum()), 1)))


@given(st.lists(st.floats(-5, 12), min_size=2, max_size=12), st.data())
def test_more_evidence_never_takes_a_flag_back(values, data):
    """Raising one e-value keeps every flag."""
    before = e_benjamini_hochberg(values).flagged
    raised = list(values)
    raised[data.draw(st.integers(0, len(values) - 1))] += data.draw(st.floats(0, 5))
    assert (e_benjamini_hochberg(raised).flagged >= before).all()


def test_e_bh_flags_at_the_threshold_itself():
    """E exactly m/q is flagged: 20 at q = 0.05 alone, 40 of two."""
    assert e_benjamini_hochberg([math.log(20)]).flagged.all()
    assert e_benjamini_hochberg(np.log([40.0, 1.0])).flagged.tolist() == [True, False]


def test_the_mean_time_to_a_flag_grows_as_the_article_says():
    """Expected log growth of the sign process per discordant pair nears its relative entropy against a coin."""
    rng = np.random.default_rng(0)
    p, n = 0.8, 4000
    c = rng.binomial(n, p)
    entropy = stats.entropy([p, 1 - p], [0.5, 0.5])
    assert float(sign_log_e(n - c, c)) / n == pytest.approx(entropy, abs=0.03)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sign_log_e(-1, 0), "only_before=-1 must not be negative."),
        (lambda: block_log_e(2, 0, 0, 0, 0), "before=2 must be 0 or 1."),
        (lambda: block_log_e(0, 2, 0, 0, 0), "after=2 must be 0 or 1."),
        (lambda: block_log_e(0, 0, 1, 0, 0), "events_before=1 must not exceed blocks=0."),
        (
            lambda: e_benjamini_hochberg([]),
            "log_e has shape (0,); one dimension with at least one e-value is accepted.",
        ),
        (lambda: e_benjamini_hochberg([math.nan]), "log_e[0]=nan must be a number."),
        (lambda: e_benjamini_hochberg([1.0], q=0), "q=0 must lie strictly between 0 and 1."),
    ],
)
def test_bad_input_is_refused_by_name_and_value(call, message):
    """Each refusal names the argument and the value."""
    with pytest.raises(ValueError) as refusal:
        call()
    assert str(refusal.value) == message
