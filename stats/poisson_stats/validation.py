"""Argument checks shared by the whole package: every refusal names the argument and the value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

IntArray: TypeAlias = "NDArray[np.int64]"
FloatArray: TypeAlias = "NDArray[np.float64]"
BoolArray: TypeAlias = "NDArray[np.bool_]"

LARGEST_COUNT = 2**53
"""Above this a double no longer holds every integer, so a count would be rounded silently."""


def counts(**named: ArrayLike) -> tuple[IntArray, ...]:
    """Read arguments as whole, non-negative counts of one common shape.

    Scalars are repeated to the shape of the others; arrays must agree exactly, because a silent
    broadcast of (m, 1) against (m,) would compare every row with every other.

    Parameters
    ----------
    **named
        The arguments under the names their caller knows them by.

    Returns
    -------
    tuple of ndarray of int64
        In the order given, all of the common shape (``()`` if all were scalars).

    Raises
    ------
    ValueError
        For an empty array, a NaN, a fraction, a negative value, a value above 2**53, or shapes that differ.
    """
    arrays = {name: _whole_numbers(name, value) for name, value in named.items()}
    shaped = {name: array for name, array in arrays.items() if array.ndim}
    if not shaped:
        return tuple(arrays.values())
    first, *others = shaped
    for other in others:
        if shaped[other].shape != shaped[first].shape:
            message = f"{other} has shape {shaped[other].shape} where {first} has {shaped[first].shape}."
            raise ValueError(message)
    return tuple(
        array if array.ndim else np.full(shaped[first].shape, array, dtype=np.int64)
        for array in arrays.values()
    )


def rows(**named: ArrayLike) -> tuple[IntArray, ...]:
    """Read arguments as `counts`, as one-dimensional arrays of one row each.

    Raises
    ------
    ValueError
        As `counts`, and for an array of two or more dimensions.
    """
    arrays = counts(**named)
    for name, array in zip(named, arrays, strict=True):
        if array.ndim > 1:
            raise ValueError(f"{name} has shape {array.shape}; one dimension, one row each, is accepted.")
    return tuple(np.atleast_1d(array) for array in arrays)


def within(part: str, k: IntArray, whole: str, n: IntArray) -> None:
    """Require ``k <= n`` everywhere.

    Raises
    ------
    ValueError
        Naming the first pair that breaks the rule.
    """
    refuse_where(k > n, part, k, f"must not exceed {whole}", n)


def refuse_where(broken: BoolArray, name: str, values: Any, rule: str, bounds: Any = None) -> None:
    """Raise with the first value for which ``broken`` is true, and with its bound where there is one.

    Raises
    ------
    ValueError
        If any element of ``broken`` is true.
    """
    if not np.any(broken):
        return
    index = tuple(int(i) for i in np.argwhere(broken)[0])
    where = f"[{', '.join(map(str, index))}]" if index else ""
    bound = "" if bounds is None else f"{where}={np.asarray(bounds)[index]}"
    raise ValueError(f"{name}{where}={np.asarray(values)[index]} {rule}{bound}.")


def levels(**named: float) -> None:
    """Require each argument to lie strictly between 0 and 1.

    Raises
    ------
    ValueError
        Naming the argument and its value; NaN is refused too.
    """
    for name, value in named.items():
        if not (_is_real(value) and 0 < value < 1):
            raise ValueError(f"{name}={value!r} must lie strictly between 0 and 1.")


def positive(**named: int) -> None:
    """Require each argument to be a whole number of at least 1.

    Raises
    ------
    ValueError
        Naming the argument and its value.
    """
    for name, value in named.items():
        if not (_is_real(value) and value >= 1 and value == int(value)):
            raise ValueError(f"{name}={value!r} must be a whole number of at least 1.")


def directions(direction: ArrayLike, size: int) -> IntArray:
    """Read which way each row is worse: +1 for a rise, -1 for a fall; a scalar stands for all of them.

    Raises
    ------
    ValueError
        For another value, or a shape that is neither a scalar's nor one element a row.
    """
    given = np.asarray(direction)
    if given.shape not in {(), (size,)}:
        raise ValueError(f"direction has shape {given.shape} where the counts have ({size},).")
    refuse_where(
        ~np.isin(given, (-1, 1)), "direction", given, "must be +1 (a rise is worse) or -1 (a fall is)"
    )
    return np.broadcast_to(given.astype(np.int64), (size,))


def one_of(name: str, value: str, accepted: Sequence[str]) -> None:
    """Require a word to be one of those accepted.

    Raises
    ------
    ValueError
        Naming the argument, its value and the words.
    """
    if value not in accepted:
        raise ValueError(f"{name}={value!r} must be one of {', '.join(map(repr, accepted))}.")


def probability(name: str, value: float) -> None:
    """Require a probability, 0 and 1 included.

    Raises
    ------
    ValueError
        For NaN and a value outside [0, 1].
    """
    if not 0 <= value <= 1:
        raise ValueError(f"{name}={value!r} must lie in 0 to 1.")


def _is_real(value: Any) -> bool:
    is_number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    return is_number and bool(np.isfinite(value))


def _whole_numbers(name: str, value: ArrayLike) -> IntArray:
    array = np.asarray(value)
    if array.size == 0:
        raise ValueError(f"{name} is empty.")
    if array.dtype.kind not in "iuf":
        raise ValueError(f"{name}={value!r} must hold whole numbers.")
    refuse_where(~np.isfinite(array), name, array, "must be a whole number")
    refuse_where(array < 0, name, array, "must not be negative")
    refuse_where(array > LARGEST_COUNT, name, array, "must not exceed 2**53")
    refuse_where(array != np.floor(array), name, array, "must be a whole number")
    return array.astype(np.int64)
