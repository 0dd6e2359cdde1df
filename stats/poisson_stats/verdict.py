"""From tests and limits to one word: for a row, and for the comparison as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from poisson_stats.validation import BoolArray, FloatArray, IntArray

WORSE: Literal["worse"] = "worse"
SAFER: Literal["safer"] = "safer"
TRADE: Literal["trade"] = "trade"
NO_CHANGE: Literal["no significant change"] = "no significant change"
TOO_SMALL: Literal["too small to tell"] = "too small to tell"
NOT_COMPARABLE: Literal["not comparable"] = "not comparable"
WITHIN_MARGIN: Literal["within the margin"] = "within the margin"

RowWord: TypeAlias = Literal["worse", "safer", "no significant change", "too small to tell"]
Verdict: TypeAlias = Literal[
    "worse",
    "safer",
    "trade",
    "no significant change",
    "too small to tell",
    "not comparable",
    "within the margin",
]


def verdict(change: FloatArray, direction: IntArray, counted: BoolArray, too_small: BoolArray) -> Verdict:
    """Return the word for a comparison from the rows that Holm's procedure counts.

    Parameters
    ----------
    change
        After minus before, per row. Only the signs of counted rows are read.
    direction
        +1 where a rise is worse (a failure event), -1 where a fall is worse (a success event).
    counted
        Rows significant by Holm's procedure over all rows.
    too_small
        Rows whose detection limit exceeds the accepted change.

    Returns
    -------
    str
        ``worse`` if some counted row got worse and none improved, ``safer`` for the reverse, ``trade`` for
        both; with no counted row ``too small to tell`` if some row is too small, else ``no significant
        change``.
    """
    worsened = bool((counted & (change * direction > 0)).any())
    improved = bool((counted & (change * direction < 0)).any())
    if worsened and improved:
        return TRADE
    if worsened or improved:
        return WORSE if worsened else SAFER
    return TOO_SMALL if too_small.any() else NO_CHANGE


def row_words(
    change: FloatArray, direction: IntArray, flagged: BoolArray, too_small: BoolArray
) -> tuple[RowWord, ...]:
    """Return the word of each row: ``worse`` or ``safer`` where flagged, else what the row could have shown.

    Parameters are those of `verdict`, with ``flagged`` the rows significant by Benjamini-Hochberg.
    """
    worsened = change * direction > 0
    return tuple(
        (WORSE if bad else SAFER) if flag else (TOO_SMALL if small else NO_CHANGE)
        for flag, bad, small in zip(flagged, worsened, too_small, strict=True)
    )
