"""False discovery rate for tests that can only give a few p-values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poisson_stats.multiplicity import Adjusted
from poisson_stats.significance import LEVEL_SLACK, is_significant_log
from poisson_stats.validation import levels, refuse_where

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from poisson_stats.attainable import Attainable
    from poisson_stats.validation import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class DiscreteFlags:
    """The result of the discrete step-up procedure.

    Attributes
    ----------
    adjusted
        Adjusted p-values, capped at 1: at most q where the test is flagged. They depend on q a little, by the
        cut-off τ; tests above the cut-off have 1.
    cutoff
        τ, the largest p-value the procedure can flag at this q; 0 where it can flag nothing.
    q
        The level.
    """

    adjusted: Adjusted
    cutoff: float
    q: float


def discrete_benjamini_hochberg(log_p: ArrayLike, attainable: Attainable, *, q: float) -> DiscreteFlags:
    """Control the false discovery rate at q, using which p-values each test can give at all.

    Benjamini and Hochberg's procedure charges every test t for a threshold of t. A test of a few episodes
    cannot give small p-values, and does not use what it is charged. The step-up procedure of Döhler, Durand
    and Roquain (HSU, "discrete BH") charges F_i(t), the probability that test i gives a p-value of at most t
    under its null hypothesis. With

        τ   = the largest attainable t with  sum over i of F_i(t) / (1 - F_i(t))  <=  q m,
        ξ(t) = sum over i of F_i(t) / (1 - F_i(τ)),

    it flags the smallest k p-values for the largest k with p(k) <= τ and ξ(p(k)) <= q k.

    Parameters
    ----------
    log_p
        Natural logarithms of the p-values, shape (m,), each one of its test's attainable values.
    attainable
        What each test can give (`attainable.attainable_fisher`, `attainable.attainable_mcnemar`).
    q
        The level, strictly between 0 and 1.

    Raises
    ------
    ValueError
        For NaN or a logarithm above 0, a shape other than that of the tests, a level outside (0, 1).

    Notes
    -----
    Proved for independent tests. Where all tests can give any p-value it is, up to the factor 1 / (1 - τ),
    Benjamini and Hochberg's own; unlike that, it may flag in either's favour in single cases.

    References
    ----------
    S. Döhler, G. Durand and E. Roquain, New FDR bounds for discrete and heterogeneous tests, Electronic
    Journal of Statistics 12 (2018), 1867-1900. R: ``DiscreteFDR::DBH(direction = "su")``.

    Examples
    --------
    Five of 50 inputs went from 0 of 4 to 4 of 4, the others show 1 event among 8 runs:

    >>> import numpy as np
    >>> from poisson_stats.attainable import attainable_fisher
    >>> from poisson_stats.fisher import fisher_test
    >>> before, after = np.array([0] * 5 + [1] * 45), np.array([4] * 5 + [0] * 45)
    >>> test = fisher_test(before, 4, after, 4)
    >>> found = discrete_benjamini_hochberg(test.log_p, attainable_fisher(before, 4, after, 4), q=0.05)
    >>> adjusted = found.adjusted
    >>> int(adjusted.rejected.sum()), round(float(adjusted.p[0]), 4), round(float(test.p[0] * 50 / 5), 4)
    (5, 0.0294, 0.2857)
    """
    levels(q=q)
    logs = np.asarray(log_p, dtype=np.float64)
    if logs.shape != attainable.kind.shape:
        raise ValueError(f"log_p has shape {logs.shape} where attainable has {attainable.kind.shape}.")
    refuse_where(~(logs <= 0), "log_p", logs, "must be the logarithm of a p-value, at most 0")
    share = np.bincount(attainable.kind, minlength=len(attainable.values)).astype(np.float64)
    cutoff = _cutoff(attainable, share, q * logs.size)
    factor = share / (1 - attainable.null_probability(np.array([cutoff]))[:, 0])
    order = np.argsort(logs, kind="stable")
    ranked = logs[order]
    with np.errstate(divide="ignore"):
        charged = np.log(factor @ attainable.null_probability(np.exp(ranked)))
    # Below the smallest double every test is charged in full.
    charged = np.where(np.isfinite(charged), charged, ranked + np.log(factor.sum()))
    charged -= np.log(np.arange(1, logs.size + 1))
    charged[np.exp(ranked) > cutoff * (1 + LEVEL_SLACK)] = np.inf
    adjusted = np.empty(logs.size)
    adjusted[order] = np.minimum(np.minimum.accumulate(charged[::-1])[::-1], 0.0)
    rejected = is_significant_log(adjusted, np.log(q))
    return DiscreteFlags(Adjusted(p=np.exp(adjusted), log_p=adjusted, rejected=rejected), cutoff=cutoff, q=q)


def _cutoff(attainable: Attainable, share: FloatArray, allowed: float) -> float:
    """Return τ: the sum of the odds F/(1 - F) rises with t, so bisection over the attainable values finds it."""
    candidates = np.unique(np.concatenate(attainable.values))
    candidates = candidates[candidates < 1]
    below, beyond = -1, candidates.size
    while beyond - below > 1:
        middle = (below + beyond) // 2
        chance = attainable.null_probability(candidates[middle : middle + 1])[:, 0]
        odds = np.divide(chance, 1 - chance, out=np.full(chance.size, np.inf), where=chance < 1)
        within = float(share @ odds) <= allowed * (1 + LEVEL_SLACK)
        below, beyond = (middle, beyond) if within else (below, middle)
    return float(candidates[below]) if below >= 0 else 0.0
