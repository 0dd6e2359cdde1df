"""Survival estimates and tests in exact fractions, written from their definitions, one time at a time."""

from __future__ import annotations

from fractions import Fraction


def kaplan_meier(times, died):
    """Return [(time, at risk, deaths, S, Greenwood's variance or None)] at the times of a death."""
    rows, survival, total = [], Fraction(1), Fraction(0)
    for t in sorted({t for t, d in zip(times, died, strict=True) if d}):
        at_risk = sum(1 for other in times if other >= t)
        deaths = sum(1 for other, d in zip(times, died, strict=True) if d and other == t)
        survival *= 1 - Fraction(deaths, at_risk)
        if survival:
            total += Fraction(deaths, at_risk * (at_risk - deaths))
        rows.append((t, at_risk, deaths, survival, survival**2 * total if survival else None))
    return rows


def cumulative_incidence(times, causes, kinds):
    """Return [(time, [F_1, ..., F_kinds])] at the times of a death of any kind."""
    rows, survival, incidence = [], Fraction(1), [Fraction(0)] * kinds
    for t in sorted({t for t, c in zip(times, causes, strict=True) if c}):
        at_risk = sum(1 for other in times if other >= t)
        here = [
            sum(1 for o, c in zip(times, causes, strict=True) if o == t and c == k + 1) for k in range(kinds)
        ]
        incidence = [f + survival * Fraction(d, at_risk) for f, d in zip(incidence, here, strict=True)]
        survival *= 1 - Fraction(sum(here), at_risk)
        rows.append((t, incidence))
    return rows


def log_rank(times, died, second, strata):
    """Return (observed, expected, variance) of the second arm's deaths, summed over strata and times."""
    observed, expected, variance = 0, Fraction(0), Fraction(0)
    rows = list(zip(times, died, second, strata, strict=True))
    for s in sorted(set(strata)):
        mine = [row for row in rows if row[3] == s]
        for t in sorted({row[0] for row in mine if row[1]}):
            n = sum(1 for row in mine if row[0] >= t)
            m = sum(1 for row in mine if row[0] >= t and row[2])
            d = sum(1 for row in mine if row[0] == t and row[1])
            observed += sum(1 for row in mine if row[0] == t and row[1] and row[2])
            expected += Fraction(d * m, n)
            if n > 1:
                variance += Fraction(d * m * (n - m) * (n - d), n * n * (n - 1))
    return observed, expected, variance
