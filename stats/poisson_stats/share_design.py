"""What a set of inputs and repeats could show of a proportional change: the sums behind the detection limit."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from poisson_stats.validation import rows, within

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from poisson_stats.validation import FloatArray

__all__ = ["ShareDesign", "ShareMoments", "Side", "share_design"]

Side: TypeAlias = Literal["drop", "rise"]


@dataclass(frozen=True, slots=True, eq=False)
class ShareDesign:
    """The inputs that ran in both arms; every array has the shape (inputs,).

    Attributes
    ----------
    n_before, n_after : ndarray of float
        Runs of each input.
    rate : ndarray of float
        m: the pooled rate of what can go, of the event for a drop, of its absence for a rise.
    spread : ndarray of float
        w: an unbiased estimate of m (1 - m), so that m - w stands for m^2.
    """

    n_before: FloatArray
    n_after: FloatArray
    rate: FloatArray
    spread: FloatArray

    @property
    def room(self) -> float:
        """The mean rate, weighted as the Mantel-Haenszel difference is; 0 without inputs."""
        weight = self.n_before * self.n_after / (self.n_before + self.n_after)
        return float(weight @ self.rate / weight.sum()) if weight.size else 0.0

    def with_repeats(self, repeats: int) -> ShareDesign:
        """Return the same inputs with so many runs in both arms."""
        level = np.full(self.rate.size, float(repeats))
        return ShareDesign(level, level, self.rate, self.spread)

    def moments(self) -> ShareMoments:
        """Return the sums of the detection formula (`share_limit.share_limit`, Notes)."""
        before, after, size = self.n_before, self.n_after, self.n_before + self.n_after
        square = self.rate - self.spread
        weight = before * after / size
        # E[f (N - f)] = N E f - Var f - (E f)^2, with m for a rate and m - w for its square.
        null = _combined(
            weight / (size * (size - 1)),
            size * before * self.rate - before * self.spread - before**2 * square,
            (size - 1) * after * self.rate - 2 * before * after * square,
            (1 - after) * after * square,
        )
        changed = _combined(weight**2, self.spread / before, self.rate / after, -square / after)
        return ShareMoments(shift=float(weight @ self.rate), null=null, changed=changed)


@dataclass(frozen=True, slots=True)
class ShareMoments:
    """The sums behind a limit, for any proportion theta that may go; r is 1 - theta.

    Attributes
    ----------
    shift : float
        D / theta: the expected excess when everything goes.
    null, changed : tuple of float
        V0 and V1 as coefficients of 1, r and r^2.
    """

    shift: float
    null: tuple[float, float, float]
    changed: tuple[float, float, float]

    def excess(self, theta: float, z: tuple[float, float]) -> float:
        """Return D - 1/2 less what is needed to detect theta, z(1 - alpha/2) and z(power) being `z`."""
        return theta * self.shift - 0.5 - self._noise(theta, z)

    def scale_to_detect(self, theta: float, z: tuple[float, float]) -> float:
        """Return the factor c on all sums at which theta is just detected.

        c D - 1/2 = sqrt(c) noise is a quadratic in sqrt(c).
        """
        noise, shift = self._noise(theta, z), theta * self.shift
        return ((noise + math.sqrt(noise * noise + 2 * shift)) / (2 * shift)) ** 2

    def _noise(self, theta: float, z: tuple[float, float]) -> float:
        """Return z(1 - alpha/2) sqrt(V0) + z(power) sqrt(V1)."""
        r = 1 - theta
        null, changed = (max(0.0, c[0] + c[1] * r + c[2] * r * r) for c in (self.null, self.changed))
        return z[0] * math.sqrt(null) + z[1] * math.sqrt(changed)


def share_design(
    k_before: ArrayLike, n_before: ArrayLike, k_after: ArrayLike, n_after: ArrayLike, side: str
) -> ShareDesign:
    """Read counts into the design of a drop or a rise.

    Parameters
    ----------
    k_before, n_before, k_after, n_after
        As for `share_limit.share_limit`.
    side
        ``drop`` or ``rise``.

    Raises
    ------
    ValueError
        For counts that are not counts, k > n, and an unknown `side`.
    """
    if side not in {"drop", "rise"}:
        raise ValueError(f"side={side!r} must be 'drop' or 'rise'.")
    k0, n0, k1, n1 = rows(k_before=k_before, n_before=n_before, k_after=k_after, n_after=n_after)
    within("k_before", k0, "n_before", n0)
    within("k_after", k1, "n_after", n1)
    both = (n0 > 0) & (n1 > 0)
    k, before, after = (column[both].astype(np.float64) for column in (k0 + k1, n0, n1))
    size = before + after
    spread = k * (size - k) / (size * (size - 1))
    return ShareDesign(before, after, k / size if side == "drop" else 1 - k / size, spread)


def _combined(
    weight: FloatArray, constant: FloatArray, linear: FloatArray, square: FloatArray
) -> tuple[float, float, float]:
    return float(weight @ constant), float(weight @ linear), float(weight @ square)
