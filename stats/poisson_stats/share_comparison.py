"""Two arms compared share by share, input by input, in one call: the test, the change, the limits and the word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from poisson_stats.consistency import consistency
from poisson_stats.grouping import distinct
from poisson_stats.risk_difference import risk_difference
from poisson_stats.share_limit import detects_change, share_limit
from poisson_stats.sign_flip import sign_flip_test
from poisson_stats.significance import is_significant_log
from poisson_stats.stratified import stratified_test
from poisson_stats.validation import levels, rows, within

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from poisson_stats.consistency import Consistency
    from poisson_stats.risk_difference import RiskDifference
    from poisson_stats.share_limit import ShareLimit
    from poisson_stats.sign_flip import SignFlipTest
    from poisson_stats.stratified import StratifiedTest
    from poisson_stats.validation import IntArray

__all__ = [
    "DIFFERENT",
    "NO_DIFFERENCE",
    "TOO_SMALL",
    "RestsOn",
    "ShareComparison",
    "ShareWord",
    "compare_shares",
    "rests_on",
]

ShareWord: TypeAlias = Literal["different", "no significant difference", "too small to tell"]

DIFFERENT: Literal["different"] = "different"
NO_DIFFERENCE: Literal["no significant difference"] = "no significant difference"
TOO_SMALL: Literal["too small to tell"] = "too small to tell"

# So many kinds of input are left out in turn, fewer where a test takes long; of more, those that matter most.
_MOST_KINDS, _FEWEST_KINDS, _KINDS_TIMES_INPUTS = 500, 10, 100_000


@dataclass(frozen=True, slots=True)
class ShareComparison:
    """What two fresh runs on the same inputs say about their failure shares.

    Attributes
    ----------
    test : StratifiedTest
        The exact stratified test; the word follows it and nothing else.
    difference : RiskDifference
        After minus before, with its interval at 1 - alpha.
    by_input : SignFlipTest
        The test with the input as the unit; beside the word, no part of it.
    consistency : Consistency
        Of both arms' runs pooled by input.
    drop, rise : ShareLimit
        The smallest change in either direction that would have been detected.
    word : {"different", "no significant difference", "too small to tell"}
        ``too small to tell`` where the test does not reject and the drop's ceiling is above `max_mde`.
    failed : {"less", "more"} or None
        Which way the after arm differs, where the word is ``different``.
    alpha, max_mde : float
        Level of the test, and the accepted limit on a drop.
    """

    test: StratifiedTest
    difference: RiskDifference
    by_input: SignFlipTest
    consistency: Consistency
    drop: ShareLimit
    rise: ShareLimit
    word: ShareWord
    failed: Literal["less", "more"] | None
    alpha: float
    max_mde: float


@dataclass(frozen=True, slots=True)
class RestsOn:
    """The inputs whose removal alone changes the word of a comparison.

    Attributes
    ----------
    inputs : tuple of int
        Their positions, ascending.
    words : tuple of str
        The word without each of them.
    checked, given : int
        Inputs that were left out in turn, and inputs there are. Where they differ, those left unchecked move the test
        less than those checked.
    """

    inputs: tuple[int, ...]
    words: tuple[ShareWord, ...]
    checked: int
    given: int


def compare_shares(
    k_before: ArrayLike,
    n_before: ArrayLike,
    k_after: ArrayLike,
    n_after: ArrayLike,
    *,
    alpha: float = 0.05,
    max_mde: float = 0.20,
) -> ShareComparison:
    """Compare the failure shares of two runs on the same inputs; nothing is matched by seed.

    Parameters
    ----------
    k_before, k_after : array_like of int, shape (inputs,)
        Failed runs, in each arm.
    n_before, n_after : array_like of int, shape (inputs,)
        Runs with an outcome, at least k. Inputs that lack an arm count nowhere but in `consistency`.
    alpha : float in (0, 1), default 0.05
        Level of the test; the interval is at 1 - alpha.
    max_mde : float in (0, 1), default 0.20
        The largest limit on a drop under which a result that is not significant counts as an answer.

    Returns
    -------
    ShareComparison

    Raises
    ------
    ValueError
        For counts that are negative, fractional, NaN or empty, for shapes that differ, for k > n, for levels outside
        (0, 1), and where there is no run at all.

    Examples
    --------
    >>> result = compare_shares([3, 3, 4, 4, 3, 1], [4] * 6, [0, 0, 1, 1, 1, 0], [1] * 6)
    >>> result.word, result.drop.ceiling, round(result.difference.difference, 3)
    ('too small to tell', 0.5664, -0.25)
    """
    levels(alpha=alpha, max_mde=max_mde)
    k0, n0, k1, n1 = _counts(k_before, n_before, k_after, n_after)
    test = stratified_test(k0, n0, k1, n1)
    drop = share_limit(k0, n0, k1, n1, side="drop", alpha=alpha)
    word = _word(test, too_small=drop.ceiling > max_mde, alpha=alpha)
    return ShareComparison(
        test=test,
        difference=risk_difference(k0, n0, k1, n1, confidence=1 - alpha),
        by_input=sign_flip_test(k0, n0, k1, n1),
        consistency=consistency(k0 + k1, n0 + n1),
        drop=drop,
        rise=share_limit(k0, n0, k1, n1, side="rise", alpha=alpha),
        word=word,
        failed=None if word != DIFFERENT else "less" if test.observed < test.expected else "more",
        alpha=alpha,
        max_mde=max_mde,
    )


def rests_on(
    k_before: ArrayLike,
    n_before: ArrayLike,
    k_after: ArrayLike,
    n_after: ArrayLike,
    *,
    result: ShareComparison,
) -> RestsOn:
    """Find the inputs on which a comparison's word rests: without any one of them it would be another.

    Parameters
    ----------
    k_before, n_before, k_after, n_after
        The counts that were compared.
    result : ShareComparison
        What `compare_shares` said of them.

    Returns
    -------
    RestsOn

    Raises
    ------
    ValueError
        For counts that are not counts, and for k > n.

    Notes
    -----
    The test is recomputed without each input, inputs with equal counts once. The limit is judged on the basis, exact
    or approximate, that the whole comparison used, lest the basis change the word. Of more than 500 kinds of
    input (100 among 1,000 inputs, 10 among 10,000 and more) those are tried that bring the normal approximation
    nearest to the other side of the level.
    """
    columns = _counts(k_before, n_before, k_after, n_after)
    given = columns[0].size
    if given == 1:
        return RestsOn((), (), 0, 1)
    first, kind = distinct(*columns)
    tried = _nearest_to_turning(columns, first, result)
    without = {}
    for place in tried:
        rest = tuple(np.delete(column, first[place]) for column in columns)
        without[place] = _word_again(rest, result)
    changed = [
        (i, without[k]) for i, k in enumerate(kind.tolist()) if without.get(k, result.word) != result.word
    ]
    return RestsOn(
        inputs=tuple(i for i, _ in changed),
        words=tuple(word for _, word in changed),
        checked=int(np.isin(kind, tried).sum()),
        given=given,
    )


def _counts(*columns: ArrayLike) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    k0, n0, k1, n1 = rows(**dict(zip(("k_before", "n_before", "k_after", "n_after"), columns, strict=True)))
    within("k_before", k0, "n_before", n0)
    within("k_after", k1, "n_after", n1)
    return k0, n0, k1, n1


def _word(test: StratifiedTest, *, too_small: bool, alpha: float) -> ShareWord:
    if is_significant_log(test.log_p, np.log(alpha)):
        return DIFFERENT
    return TOO_SMALL if too_small else NO_DIFFERENCE


def _word_again(columns: tuple[IntArray, ...], result: ShareComparison) -> ShareWord:
    """Return the word of other counts, judged as `result` was."""
    test = stratified_test(*columns)
    word = _word(test, too_small=False, alpha=result.alpha)
    if word == DIFFERENT or detects_change(*columns, max_change=result.max_mde, limit=result.drop):
        return word
    return TOO_SMALL


def _nearest_to_turning(columns: tuple[IntArray, ...], first: IntArray, result: ShareComparison) -> list[int]:
    """Return the kinds of input to leave out: all of them, or those whose removal moves the test most."""
    most = max(_FEWEST_KINDS, min(_MOST_KINDS, _KINDS_TIMES_INPUTS // columns[0].size))
    if first.size <= most:
        return list(range(first.size))
    k0, n0, k1, n1 = (column[first].astype(np.float64) for column in columns)
    size, events = np.maximum(n0 + n1, 2), k0 + k1
    expected = events * n1 / size
    variance = n0 * n1 * events * (size - events) / (size**2 * (size - 1))
    distance = np.abs(result.test.observed - k1 - (result.test.expected - expected))
    score = distance / np.sqrt(np.maximum(result.test.variance - variance, 1e-9))
    order = np.argsort(score if result.word == DIFFERENT else -score, kind="stable")
    return sorted(order[:most].tolist())
