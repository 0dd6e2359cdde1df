"""How alike the runs of one input are: what repeats of the same input can and cannot add."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poisson_stats.validation import rows, within

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["Consistency", "consistency"]


@dataclass(frozen=True, slots=True)
class Consistency:
    """How strongly the event clings to inputs; NaN for what the counts cannot say.

    Attributes
    ----------
    share : float
        Runs with the event, of all runs.
    again : float
        The chance that another run of the input has the event too, given that one had it; NaN where no run with
        the event had a second run beside it.
    within, pooled : float
        Variance of a run's outcome within its input (mean over inputs of two runs or more), and over all runs.
    kappa : float
        1 - within / pooled: 0 where inputs do not matter, 1 where they decide. Negative by chance, NaN where all
        runs ended alike.
    inflation : float
        1 / (1 - kappa): by how much the variance of a share over inputs exceeds that of independent runs on one
        input; infinite where kappa is 1.
    inputs, repeated, runs, events : int
        Inputs with a run, those with two or more, and the totals.
    """

    share: float
    again: float
    within: float
    pooled: float
    kappa: float
    inflation: float
    inputs: int
    repeated: int
    runs: int
    events: int


def consistency(k: ArrayLike, n: ArrayLike) -> Consistency:
    """Describe how consistent the runs of an input are, from counts with both arms pooled.

    Parameters
    ----------
    k : array_like of int, shape (inputs,)
        Runs with the event, both arms together.
    n : array_like of int, shape (inputs,)
        Runs with an outcome, at least k.

    Returns
    -------
    Consistency

    Raises
    ------
    ValueError
        For counts that are negative, fractional, NaN or empty, for shapes that differ, for k > n, and where there
        is no run at all.

    Notes
    -----
    With f events among the n runs of an input,

        share  = sum f / sum n,                  again = sum f (f - 1) / sum f (n - 1),
        within = mean of f (n - f) / (n (n - 1)) over inputs with n >= 2,
        pooled = share (1 - share),              kappa = 1 - within / pooled,

    f (n - f) / (n (n - 1)) being unbiased for p (1 - p). Kappa is that of Fleiss and Cuzick [1]_ with inputs
    weighted alike.

    References
    ----------
    .. [1] Fleiss, J. L. and Cuzick, J. (1979). The reliability of dichotomous judgments: unequal numbers of
       judges per subject. Applied Psychological Measurement 3, 537-542.

    Examples
    --------
    >>> runs = consistency([3, 3, 5, 5, 4, 1], [5] * 6)
    >>> round(runs.share, 3), round(runs.again, 3), round(runs.kappa, 3), round(runs.inflation, 2)
    (0.7, 0.762, 0.206, 1.26)
    """
    counted, runs = rows(k=k, n=n)
    within("k", counted, "n", runs)
    if not runs.any():
        raise ValueError(f"n={np.asarray(n)!s} must hold at least one run.")
    f, size = counted[runs > 0].astype(np.float64), runs[runs > 0].astype(np.float64)
    share = f.sum() / size.sum()
    again = _ratio((f * (f - 1)).sum(), (f * (size - 1)).sum())
    repeated = size >= 2
    f2, n2 = f[repeated], size[repeated]
    inside = float((f2 * (n2 - f2) / (n2 * (n2 - 1))).mean()) if f2.size else np.nan
    pooled = share * (1 - share)
    kappa = 1 - _ratio(inside, pooled)
    return Consistency(
        share=float(share),
        again=again,
        within=inside,
        pooled=float(pooled),
        kappa=kappa,
        inflation=np.inf if kappa == 1 else 1 / (1 - kappa),
        inputs=f.size,
        repeated=f2.size,
        runs=int(size.sum()),
        events=int(f.sum()),
    )


def _ratio(above: float, below: float) -> float:
    return float(above / below) if below else np.nan
