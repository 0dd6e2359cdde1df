"""Score intervals for a difference by brute force: maximise the likelihood numerically, then scan for the bound.

Nothing here uses the closed forms of the package; the restricted estimates are found by golden-section search.
"""

import math

GOLDEN = (math.sqrt(5) - 1) / 2


def _maximise(function, low, high):
    a, b = low, high
    for _ in range(200):
        x, y = b - GOLDEN * (b - a), a + GOLDEN * (b - a)
        a, b = (a, y) if function(x) > function(y) else (x, b)
    return (a + b) / 2


def _xlog(count, p):
    return 0.0 if count == 0 else count * math.log(p) if p > 0 else -math.inf


def unpaired_score(k1, n1, k2, n2, t):
    """Return (difference - t)² and its restricted variance, Miettinen and Nurminen's N/(N-1) included."""

    def likelihood(p):
        return _xlog(k1, p + t) + _xlog(n1 - k1, 1 - p - t) + _xlog(k2, p) + _xlog(n2 - k2, 1 - p)

    p = _maximise(likelihood, max(0.0, -t), min(1.0, 1.0 - t))
    total = n1 + n2
    variance = ((p + t) * (1 - p - t) / n1 + p * (1 - p) / n2) * total / (total - 1)
    return (k1 / n1 - k2 / n2 - t) ** 2, variance


def paired_score(a, b, c, d, t):
    """Return (b/n - c/n - t)² and the restricted variance of that difference."""
    n = a + b + c + d

    def likelihood(q):
        return _xlog(b, q + t) + _xlog(c, q) + _xlog(a + d, 1 - 2 * q - t)

    q = _maximise(likelihood, max(0.0, -t), (1.0 - t) / 2)
    return ((b - c) / n - t) ** 2, (2 * q + t - t * t) / n


def bound(score, estimate, edge, z):
    """Return the point between estimate and edge where the squared score passes z²."""
    inside, outside = estimate, edge
    for _ in range(45):
        middle = (inside + outside) / 2
        distance, variance = score(middle)
        inside, outside = (middle, outside) if distance <= z * z * max(variance, 0.0) else (inside, middle)
    return inside
