"""The gate of `--poisson-fix-check`: whether a session shows that the fix worked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_poisson.analyses.fix_check import fix_check
from pytest_poisson.analyses.outcomes import carried_failures
from pytest_poisson.errors import UserError

if TYPE_CHECKING:
    from poisson_store import RunReader
    from pytest_poisson.analyses.fix_check import FixCheckResult
    from pytest_poisson.fail_on import FailWord
    from pytest_poisson.options import Settings

NOT_SHOWN = "it does not show that the fix worked"


@dataclass(frozen=True)
class FixVerdict:
    """What a fix-check means for the session.

    Attributes
    ----------
    result
        The report; None where nothing could be compared.
    refusal
        Why not, in one sentence; else empty.
    reasons
        Why the session fails; none where it passes.
    not_comparable
        Whether one of them is that the versions cannot be compared.
    """

    result: FixCheckResult | None
    refusal: str = ""
    reasons: tuple[str, ...] = ()
    not_comparable: bool = False

    @property
    def word(self) -> str:
        """The word of the report, or that there is none."""
        if self.result is None:
            return "not comparable"
        found = self.result.comparison
        return f"{found.word}: failed {found.failed}" if found.failed else found.word


def judge_fix(old: RunReader, new: RunReader, selecting: RunReader, settings: Settings) -> FixVerdict:
    """Compare the versions on the inputs that failed in `selecting`, and say whether the session passes.

    Where `--poisson-fail-on` is not given the session passes only if the new version failed less.
    """
    try:
        result = fix_check(
            old,
            new,
            events=list(settings.event) or carried_failures((selecting, old, new)),
            failing_from=selecting,
            min_failures=settings.min_failures,
            max_mde=settings.max_mde,
            alpha=settings.q,
        )
    except UserError as refusal:
        return FixVerdict(None, str(refusal), (str(refusal).rstrip("."),), not_comparable=True)
    asked: tuple[FailWord, ...] | None = settings.fail_on if settings.sources["fail_on"] == "option" else None
    return FixVerdict(result, "", *decide_fix(result, asked))


def decide_fix(result: FixCheckResult, fail_on: tuple[FailWord, ...] | None) -> tuple[tuple[str, ...], bool]:
    """Return why a fix-check fails the gate, and whether because the versions cannot be compared.

    `fail_on` None: everything fails but `different` with fewer failures. Else `worse` fails where the new version
    failed more, `any` where it differs, `too-small` on that word, `missing` where rows without an outcome could hide
    something. Where too many of those are missing, nothing reassuring passes, unless nothing is to fail.
    """
    found, rows = result.comparison, result.rows
    if fail_on == ():
        return (), False
    reasons = []
    if fail_on is None and found.failed != "less":
        reasons.append(NOT_SHOWN)
    met = {
        "worse": found.failed == "more",
        "any": found.failed is not None,
        "too-small": found.word == "too small to tell",
        "missing": rows is not None
        and (rows.shares.problem is not None or rows.failed_as_failures(found.alpha) != found.failed),
    }
    reasons += [word for word in fail_on or () if met.get(word, False)]
    undermined = rows is not None and rows.shares.problem is not None and found.failed != "more"
    if undermined:
        reasons.append("rows without an outcome could hide failures")
    return tuple(reasons), undermined
