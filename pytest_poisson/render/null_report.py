"""A run compared with itself, as terminal text and as a JSON document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_poisson.render import formatting as write
from pytest_poisson.render.layout import INDENT, wrap

if TYPE_CHECKING:
    from pytest_poisson.analyses.null import NullResult
    from pytest_poisson.render.documents import Document

NULL_SCHEMA = "pytest-poisson.null/1"


def render_null(result: NullResult, *, width: int = 80) -> str:
    """Return how often the gate would have failed although nothing changed."""
    texts = [_alarms(result), "", _how(result), _promise(result), "", "Verdicts"]
    texts += [f"{INDENT}{write.integer(count):>6}  {word}" for word, count in result.words.items()]
    lines = [line for text in texts for line in (wrap(text, width) if len(text) > width else [text])]
    return "\n".join(lines) + "\n"


def _alarms(result: NullResult) -> str:
    return (
        f"{write.integer(result.failed)} of {write.plural(result.splits, 'split')} would have failed the gate: "
        f"{write.share(result.failed, result.splits)} false alarms ({write.percent(result.confidence)} interval "
        f"{_share(result.low)} to {_share(result.high)})."
    )


def _how(result: NullResult) -> str:
    return (
        f"Run {write.printable(result.run)}, each condition's replicates split at random into halves (seed "
        f"{result.seed}), the halves compared by Fisher's exact test; {write.plural(result.tests, 'test')} of "
        f"{write.plural(result.conditions, 'condition')}, at least {write.plural(result.half, 'outcome')} a half."
    )


def _promise(result: NullResult) -> str:
    words = ",".join(result.fail_on) or "never"
    return (
        f"The gate fails on {words}. A change is to count by chance in at most {write.percent(result.q)} of comparisons "
        f"(Holm); a row was flagged in {write.integer(result.flagged)}."
    )


def null_document(result: NullResult) -> Document:
    """Return the same as a document."""
    return {
        "schema": NULL_SCHEMA,
        "run": result.run,
        "splits": result.splits,
        "seed": result.seed,
        "conditions": result.conditions,
        "tests": result.tests,
        "half": result.half,
        "q": result.q,
        "max_mde": result.max_mde,
        "fail_on": list(result.fail_on) or ["never"],
        "failed": result.failed,
        "rate": result.rate,
        "low": result.low,
        "high": result.high,
        "confidence": result.confidence,
        "flagged": result.flagged,
        "words": dict(result.words),
    }


def _share(value: float) -> str:
    return write.share(value, 1)
