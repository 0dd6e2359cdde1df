"""Stratified comparisons in exact fractions: every table, every sign pattern, every outcome is listed."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import product
from math import comb


def null_distribution(strata):
    """Return {events of the after arm: probability} for [(k0, n0, k1, n1)], given each stratum's total."""
    total = {0: Fraction(1)}
    for k0, n0, k1, n1 in strata:
        f, grown = k0 + k1, defaultdict(Fraction)
        for x in range(max(0, f - n0), min(n1, f) + 1):
            weight = Fraction(comb(n1, x) * comb(n0, f - x), comb(n0 + n1, f))
            for s, p in total.items():
                grown[s + x] += p * weight
        total = grown
    return dict(total)


def cmh_p(strata):
    """Return the two-sided p-value: the probability of the sums no more probable than the observed one."""
    null = null_distribution(strata)
    observed = null[sum(k1 for _, _, k1, _ in strata)]
    return sum(p for p in null.values() if p <= observed)


def cmh_moments(strata):
    """Return mean and variance of the null distribution."""
    null = null_distribution(strata)
    mean = sum(s * p for s, p in null.items())
    return mean, sum((s - mean) ** 2 * p for s, p in null.items())


def sign_flip_p(strata):
    """Return P(|sum of randomly signed share differences| >= |their sum|) over all sign patterns."""
    moves = [Fraction(k1, n1) - Fraction(k0, n0) for k0, n0, k1, n1 in strata if n0 and n1]
    moves = [d for d in moves if d]
    observed = abs(sum(moves))
    patterns = list(product((-1, 1), repeat=len(moves)))
    hits = sum(abs(sum(s * d for s, d in zip(signs, moves, strict=True))) >= observed for signs in patterns)
    return Fraction(hits, len(patterns))


def power(designs, before, after, alpha):
    """Return the probability of cmh_p <= alpha over all tables of designs [(n0, n1)] at the given rates."""
    total = Fraction(0)
    counts = [list(product(range(n0 + 1), range(n1 + 1))) for n0, n1 in designs]
    for tables in product(*counts):
        strata = [(x, n0, y, n1) for (x, y), (n0, n1) in zip(tables, designs, strict=True)]
        if cmh_p(strata) <= alpha:
            chance = Fraction(1)
            for (x, n0, y, n1), p, r in zip(strata, before, after, strict=True):
                chance *= comb(n0, x) * p**x * (1 - p) ** (n0 - x) * comb(n1, y) * r**y * (1 - r) ** (n1 - y)
            total += chance
    return total
