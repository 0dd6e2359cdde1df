"""The exact distribution of a sum of independent whole numbers, near any point, however far out.

A discrete Fourier transform convolves thousands of distributions at once, but its error is 1e-16 of the
*largest* probability: a tail of 1e-20 read from it is noise. Tilting cures that. Multiplying each summand's
P(x) by exp(theta x) and renormalising moves the centre of the sum to where theta puts it; convolving the
tilted summands and undoing the tilt gives the probabilities *there* with full relative precision. Each question
about a point x is therefore asked with the theta whose mean is x (the saddlepoint).

A tilted sum is narrow, so the transform needs no more places than the sum's spread around the point: beyond
the distance that Bernstein's inequality gives for a mass of exp(-45) there is nothing to fold back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from poisson_stats.validation import FloatArray, IntArray

__all__ = ["LatticeSum", "Window"]

# Probability that may lie outside a window: exp(-45) = 3e-20, far below a double's rounding.
_NEGLIGIBLE = 45.0
_CHUNK = 1 << 19


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """Log-probabilities of a sum around one point, precise where the sum was tilted to.

    Attributes
    ----------
    start : int
        The value the first element belongs to.
    log_p : ndarray of float, shape (w,)
        Natural logarithms of the probabilities of `start`, `start` + 1, ...; -inf where rounding hides them.
    """

    start: int
    log_p: FloatArray

    def at(self, value: int) -> float:
        """Return the log-probability of `value`; -inf outside the window."""
        index = value - self.start
        return float(self.log_p[index]) if 0 <= index < self.log_p.size else -np.inf

    def log_tail(self, value: int, *, upper: bool) -> float:
        """Return the log of P(S >= `value`) or, if not `upper`, of P(S <= `value`), within the window."""
        index = value - self.start
        part = self.log_p[max(index, 0) :] if upper else self.log_p[: max(index + 1, 0)]
        return float(np.logaddexp.reduce(part)) if part.size else -np.inf


@dataclass(frozen=True, slots=True, eq=False)
class LatticeSum:
    """A sum of independent variables on the whole numbers 0, 1, 2, ..., in which many may be alike.

    Attributes
    ----------
    values : ndarray of int, shape (v,)
        The values of the first kind of summand, then of the second, and so on; the smallest of each is 0.
    log_p : ndarray of float, shape (v,)
        Their log-probabilities; each kind's probabilities add up to 1.
    starts : ndarray of int, shape (k,)
        Where each kind's values begin.
    copies : ndarray of int, shape (k,)
        How many summands are of each kind.
    jump : int
        The largest value of a summand; 1 where every summand is itself a sum of independent 0s and 1s, as a
        hypergeometric count is. It bounds how far the tail of a tilted sum can reach.
    """

    values: IntArray
    log_p: FloatArray
    starts: IntArray
    copies: IntArray
    jump: int

    @property
    def largest(self) -> int:
        """The largest value of the sum."""
        return int(self.copies @ np.maximum.reduceat(self.values, self.starts))

    def cumulants(self, tilt: float) -> tuple[float, float, float]:
        """Return log E exp(tilt S), and the mean and variance of the sum so tilted."""
        exponent = self.log_p + tilt * self.values
        peak = np.maximum.reduceat(exponent, self.starts)
        weight = np.exp(exponent - np.repeat(peak, self._lengths()))
        total = np.add.reduceat(weight, self.starts)
        mean = np.add.reduceat(weight * self.values, self.starts) / total
        centred = self.values - np.repeat(mean, self._lengths())
        variance = np.add.reduceat(weight * centred**2, self.starts) / total
        return (
            float(self.copies @ (peak + np.log(total))),
            float(self.copies @ mean),
            float(self.copies @ variance),
        )

    def tilt_to(self, mean: float) -> float:
        """Return the tilt under which the sum has this mean; it must lie strictly inside (0, largest).

        Newton's method on the tilted mean, which increases in the tilt, kept inside a bracket.
        """
        low, high, tilt = -np.inf, np.inf, 0.0
        for _ in range(200):
            _, now, variance = self.cumulants(tilt)
            excess = now - mean
            if abs(excess) <= 1e-6 * (1 + variance**0.5):
                break
            low, high = (low, tilt) if excess > 0 else (tilt, high)
            step = -excess / max(variance, 1e-12)
            tilt = _inside(tilt + float(np.clip(step, -2, 2)), low, high)
        return tilt

    def window(self, point: int) -> Window:
        """Return the log-probabilities around `point`, precise to rounding near it."""
        margin = min(0.5, self.largest / 4)
        tilt = self.tilt_to(min(max(point, margin), self.largest - margin))
        log_moment, mean, variance = self.cumulants(tilt)
        reach = 15 * self.jump + (225 * self.jump**2 + 2 * _NEGLIGIBLE * variance) ** 0.5
        start = max(0, int(mean - reach))
        stop = min(self.largest, int(mean + reach) + 1)
        places = _fast_length(stop - start + 1)
        tilted = np.roll(self._convolve(tilt, places), -(start % places))[: stop - start + 1]
        with np.errstate(divide="ignore", invalid="ignore"):
            log_p = np.log(tilted) - tilt * np.arange(start, stop + 1) + log_moment
        return Window(start=start, log_p=np.where(tilted > 0, log_p, -np.inf))

    def _convolve(self, tilt: float, places: int) -> FloatArray:
        """Return the tilted sum's probabilities modulo `places`."""
        product = np.ones(places // 2 + 1, dtype=np.complex128)
        for kinds, rows in self._tilted_rows(tilt, places):
            transform = np.fft.rfft(rows, axis=1)
            alike = self.copies[kinds, np.newaxis]
            product *= np.multiply.reduce(transform if (alike == 1).all() else transform**alike, axis=0)
        return np.fft.irfft(product, places)

    def _tilted_rows(self, tilt: float, places: int) -> Iterator[tuple[slice, FloatArray]]:
        """Yield the tilted probabilities of a block of kinds, folded to `places` columns."""
        lengths = self._lengths()
        exponent = self.log_p + tilt * self.values
        exponent -= np.repeat(np.logaddexp.reduceat(exponent, self.starts), lengths)
        kind = np.repeat(np.arange(self.starts.size), lengths)
        ends = np.append(self.starts, self.values.size)
        step = max(1, _CHUNK // places)
        for first in range(0, self.starts.size, step):
            last = min(first + step, self.starts.size)
            part = slice(ends[first], ends[last])
            cell = (kind[part] - first) * places + self.values[part] % places
            rows = np.bincount(cell, weights=np.exp(exponent[part]), minlength=(last - first) * places)
            yield slice(first, last), rows.reshape(last - first, places).astype(np.float64, copy=False)

    def _lengths(self) -> IntArray:
        return np.diff(np.append(self.starts, self.values.size))


def _inside(tilt: float, low: float, high: float) -> float:
    """Return `tilt`, or the middle of the bracket where it has left it."""
    return tilt if low < tilt < high else (low + high) / 2


def _fast_length(size: int) -> int:
    """Return the smallest even length of at least `size` that a fast Fourier transform likes.

    SciPy has such a function; importing it would take 20 ms of every comparison.
    """
    return min(odd << max(1, (-(-size // odd) - 1).bit_length()) for odd in (1, 3, 5, 9, 15))
