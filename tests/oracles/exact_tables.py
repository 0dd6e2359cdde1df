"""Exact two-by-two tests by enumeration in whole numbers and fractions. Shares no code with the package."""

from fractions import Fraction
from functools import cache
from math import comb


@cache
def fisher_p(k0, n0, k1, n1):
    """Sum the probabilities of the tables with the same margins that are no more probable."""
    total = k0 + k1
    ways = [comb(n0, x) * comb(n1, total - x) for x in range(max(0, total - n1), min(n0, total) + 1)]
    seen = comb(n0, k0) * comb(n1, k1)
    return Fraction(sum(w for w in ways if w <= seen), sum(ways))


def mcnemar_p(b, c):
    """Sum the probabilities of the splits of the discordant pairs that are no more probable.

    For a symmetric distribution that is the same as doubling the smaller tail.
    """
    ways = [comb(b + c, x) for x in range(b + c + 1)]
    return Fraction(sum(w for w in ways if w <= comb(b + c, b)), sum(ways))


def binomial(n, p):
    """Return the n + 1 probabilities of a binomial count."""
    return [comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]


def fisher_power(p0, p1, n0, n1, alpha):
    """Sum over all pairs of counts whose exact p is at most alpha."""
    before, after = binomial(n0, p0), binomial(n1, p1)
    return sum(
        before[x] * after[y] for x in range(n0 + 1) for y in range(n1 + 1) if fisher_p(x, n0, y, n1) <= alpha
    )


def mcnemar_power(only_before, only_after, n, alpha):
    """Sum the trinomial probabilities of all (b, c) whose exact p is at most alpha."""
    agree = 1 - only_before - only_after
    return sum(
        comb(n, b) * comb(n - b, c) * only_before**b * only_after**c * agree ** (n - b - c)
        for b in range(n + 1)
        for c in range(n + 1 - b)
        if mcnemar_p(b, c) <= alpha
    )


def smallest_change(power, rate, sign, *, target=Fraction(4, 5), steps=10_000):
    """Walk the grid of 1/steps from ``rate`` until the power reaches the target.

    Returns the number of steps, "no room", or "none detectable"; the last step may be shorter.
    """
    room = (1 - rate) if sign > 0 else rate
    if room == 0:
        return "no room"
    edge = Fraction(1 if sign > 0 else 0)
    if power(edge) < target:
        return "none detectable"
    low, high = 0, -((-room * steps) // 1)
    while high - low > 1:
        middle = (low + high) // 2
        hit = power(rate + sign * Fraction(middle, steps)) >= target
        low, high = (low, middle) if hit else (middle, high)
    return int(high)
