"""What the user declares about an import: what is measured, what passes, what identifies a case."""

from __future__ import annotations

import json
import operator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from poisson_store.episode_lines import is_number
from poisson_store.errors import ImportRefusedError
from poisson_store.importers.case import brief

if TYPE_CHECKING:
    from collections.abc import Mapping

PASS, FAIL = "pass", "fail"
"""The two outcomes of a case that is judged."""

SIDES = {"ge": operator.ge, "gt": operator.gt, "le": operator.le, "lt": operator.lt}
"""On which side of a cut a score passes: at least, more than, at most, less than."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A score passes if it stands on this side of the bound."""

    side: str
    bound: float

    def __str__(self) -> str:
        return f"{self.side} {self.bound!r}".removesuffix(".0")

    def judge(self, score: Any, where: str) -> str:
        """Give the outcome of a score.

        Raises
        ------
        ImportRefusedError
            If it is no finite number.
        """
        if isinstance(score, bool) or not isinstance(score, (int, float)):
            raise ImportRefusedError(
                f"{where}: the value {brief(json.dumps(score, default=str))} is no number, so no cut applies; say what passes"
                " with --pass and --fail."
            )
        if not is_number(score):
            raise ImportRefusedError(
                f"{where}: the score {brief(score)} is no finite number, so it has no side of a cut."
            )
        return PASS if SIDES[self.side](score, self.bound) else FAIL


@dataclass(frozen=True, slots=True)
class Words:
    """A value passes or fails by being named; numbers and booleans are named as JSON writes them."""

    passing: tuple[str, ...]
    failing: tuple[str, ...]

    def __str__(self) -> str:
        passing, failing = ("|".join(sorted(words)) for words in (self.passing, self.failing))
        return f"{passing} passes, {failing} fails"

    def judge(self, score: Any, where: str) -> str:
        """Give the outcome of a value.

        Raises
        ------
        ImportRefusedError
            If it is not named.
        """
        word = score if isinstance(score, str) else json.dumps(score, default=str)
        if word in self.passing:
            return PASS
        if word in self.failing:
            return FAIL
        named = ", ".join((*self.passing, *self.failing))
        raise ImportRefusedError(f"{where}: the value {brief(word)!r} is none of those declared: {named}.")


@dataclass(frozen=True, slots=True)
class Declared:
    """An import as its user declares it.

    Attributes
    ----------
    name : str
        The run's name.
    paired_by : {'trial', 'none'} or None
        Whether replicate i of two imports ran under the same circumstances; None where the files name their draws.
    metric, scorer : str or None
        What is measured, by the words of the tool.
    judge : Cut, Words or None
        What passes; None for kinds whose files hold outcomes.
    case_by : tuple of str
        The fields that identify a case and become the axes; empty for what the kind has as its own.
    where : tuple of (str, str)
        Fields and the value that a case must have there; others are left out and counted.
    duplicates : {'refuse', 'keep-first'}
        What becomes of a (condition, replicate) that comes again.
    keep_text : bool
        Whether prompts and answers are stored.
    renumber : bool
        Whether to number repeated cases in file order although the files number them.
    rollout : str or None
        The rollout's id; None for one made of kind, metric and cut.
    errors_fail, limits_score : bool
        Whether a JUnit error is a failure; whether an Inspect sample that reached a limit counts by its score.
    """

    name: str
    paired_by: Literal["trial", "none"] | None = None
    metric: str | None = None
    scorer: str | None = None
    judge: Cut | Words | None = None
    case_by: tuple[str, ...] = ()
    where: tuple[tuple[str, str], ...] = ()
    duplicates: Literal["refuse", "keep-first"] = "refuse"
    keep_text: bool = False
    renumber: bool = False
    rollout: str | None = None
    outcomes: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    successes: tuple[str, ...] = ()
    t_unit: str | None = None
    errors_fail: bool = False
    limits_score: bool = False
    variant: Mapping[str, str] = field(default_factory=dict)
