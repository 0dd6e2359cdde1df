"""The omnibus test against full enumeration of the permutations, and its size."""

from itertools import product
from math import comb, sqrt

import numpy as np
import pytest

from poisson_stats.omnibus import omnibus_paired, omnibus_unpaired

SMALL = ([2, 0, 3], [4, 3, 5], [4, 1, 1], [5, 3, 4])


def enumerated(reference, observed):
    """Rank location, dispersion and the smaller p of the two over a weighted list of (weight, changes)."""
    stats = [
        (w, round(abs(sum(d)) / len(d), 12), round(sqrt(sum(x * x for x in d) / len(d)), 12))
        for w, d in reference
    ]
    whole = sum(w for w, *_ in stats)

    def p_values(location, dispersion):
        return (
            sum(w for w, loc, _ in stats if loc >= location) / whole,
            sum(w for w, _, dis in stats if dis >= dispersion) / whole,
        )

    location, dispersion = (
        round(abs(sum(observed)) / len(observed), 12),
        round(sqrt(sum(x * x for x in observed) / len(observed)), 12),
    )
    own = p_values(location, dispersion)
    combined = sum(w for w, loc, dis in stats if min(p_values(loc, dis)) <= min(own) + 1e-12) / whole
    return (*own, combined)


def check_effects(found, observed):
    """Check the mean and the root mean square of the changes."""
    assert found.location == pytest.approx(np.mean(observed))
    assert found.dispersion == pytest.approx(sqrt(np.mean(np.square(observed))))
    assert found.conditions == len(observed)


def test_unpaired_equals_enumeration():
    """With many permutations the three p-values approach those of all relabellings, within sampling error."""
    k0, n0, k1, n1 = SMALL
    choices = [
        [(comb(m, y) * comb(n, s - y), y / m - (s - y) / n) for y in range(max(0, s - n), min(m, s) + 1)]
        for n, m, s in zip(n0, n1, np.add(k0, k1), strict=True)
    ]
    reference = [(np.prod([w for w, _ in pick]), [d for _, d in pick]) for pick in product(*choices)]
    observed = [b / m - a / n for a, n, b, m in zip(*SMALL, strict=True)]
    expected = enumerated(reference, observed)
    found = omnibus_unpaired(*SMALL, permutations=20_000)
    assert (found.p_location, found.p_dispersion, found.p) == pytest.approx(expected, abs=0.015)
    check_effects(found, observed)


def test_paired_equals_enumeration():
    """The same for swapping within pairs: every split of the discordant pairs by the toss of coins."""
    a, b, c, d = [3, 1, 2], [4, 0, 2], [1, 3, 2], [2, 6, 1]
    n = np.sum([a, b, c, d], axis=0)
    choices = [
        [(comb(x + y, k), (2 * k - x - y) / size) for k in range(x + y + 1)]
        for x, y, size in zip(b, c, n, strict=True)
    ]
    reference = [(np.prod([w for w, _ in pick]), [z for _, z in pick]) for pick in product(*choices)]
    observed = [(y - x) / size for x, y, size in zip(b, c, n, strict=True)]
    expected = enumerated(reference, observed)
    found = omnibus_paired(a, b, c, d, permutations=20_000)
    assert (found.p_location, found.p_dispersion, found.p) == pytest.approx(expected, abs=0.015)
    check_effects(found, observed)


def test_same_answer_in_any_order_and_always():
    """The result does not depend on the order of conditions, and is the same every time."""
    rng = np.random.default_rng(13)
    n = rng.integers(5, 30, (2, 20))
    k = rng.binomial(n, 0.3)
    counts = np.array([k[0], n[0], k[1], n[1]])
    first = omnibus_unpaired(*counts, permutations=500)
    assert first == omnibus_unpaired(*counts[:, rng.permutation(20)], permutations=500)
    assert first != omnibus_unpaired(*counts, permutations=500, seed=1)


@pytest.mark.parametrize("paired", [True, False])
def test_size(paired):
    """Without a change, p is at most 0.1 in about one of ten comparisons and not more."""
    rng = np.random.default_rng(14)
    hits, tries = 0, 300
    for number in range(tries):
        if paired:
            cells = rng.multinomial(40, [0.3, 0.15, 0.15, 0.4], size=12).T
            found = omnibus_paired(*cells, permutations=199, seed=number)
        else:
            n = rng.integers(10, 40, (2, 12))
            k = rng.binomial(n, rng.random(12))
            found = omnibus_unpaired(k[0], n[0], k[1], n[1], permutations=199, seed=number)
        hits += found.p <= 0.1
    assert hits / tries <= 0.1 + 3 * sqrt(0.1 * 0.9 / tries)
    assert hits / tries >= 0.1 - 4 * sqrt(0.1 * 0.9 / tries)


def test_opposite_changes_are_seen_by_dispersion_alone():
    """Half of the conditions rise and half fall by the same amount: the mean is 0, the spread is not."""
    found = omnibus_unpaired([10, 40] * 4, [50] * 8, [40, 10] * 4, [50] * 8)
    assert found.location == 0
    assert found.p_location == 1.0
    assert found.p_dispersion == found.floor
    assert found.p <= 3 * found.floor


def test_nothing_to_permute():
    """Conditions that all or never had the event inform nobody: p = 1; empty arms are left out."""
    found = omnibus_unpaired([5, 0, 2, 0], [5, 4, 2, 0], [7, 0, 0, 2], [7, 6, 0, 2], permutations=99)
    assert (found.p, found.informative, found.conditions) == (1.0, 0, 2)
    assert omnibus_paired([0], [0], [0], [0], permutations=9).p == 1.0


def test_one_replicate_is_enough_to_count():
    """A condition of one replicate an arm, or of one pair of any kind, is a condition."""
    found = omnibus_unpaired([0], [1], [1], [1], permutations=99)
    assert (found.conditions, found.informative, found.location) == (1, 1, 1.0)
    found = omnibus_paired(*np.eye(4, dtype=int), permutations=99)
    assert (found.conditions, found.informative, found.location) == (4, 2, 0.0)
    found = omnibus_paired([0], [1], [0], [0], permutations=99)
    assert (found.conditions, found.informative, found.location) == (1, 1, -1.0)


def test_floor_is_reached_and_never_passed():
    """However large the change, p is at least 1/(B + 1)."""
    found = omnibus_unpaired([0] * 5, [100] * 5, [100] * 5, [100] * 5, permutations=99)
    assert found.p == found.floor == 0.01


def test_bad_input_is_named():
    """No permutations, and k > n, are refused by name."""
    with pytest.raises(ValueError, match=r"^permutations=0 must be a whole number of at least 1\.$"):
        omnibus_unpaired([1], [2], [1], [2], permutations=0)
    with pytest.raises(ValueError, match=r"^k_after\[0\]=3 must not exceed n_after\[0\]=2\.$"):
        omnibus_unpaired([1], [2], [3], [2])
