"""Ragas: a table of scores, one row a sample, as `result.to_pandas()` or a local backend saves it."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING, Any, ClassVar

from poisson_store.errors import ImportRefusedError
from poisson_store.importers.case import Case
from poisson_store.importers.reader import Reader, unknown_metric
from poisson_store.importers.tables import READERS, read_table

if TYPE_CHECKING:
    from collections.abc import Iterator

TEXTS = frozenset(
    (
        "user_input",
        "response",
        "reference",
        "retrieved_contexts",
        "reference_contexts",
        "multi_responses",
        "rubrics",
        "rubric",
        "reference_tool_calls",
        # the names of its versions below 0.2
        "question",
        "answer",
        "contexts",
        "ground_truth",
        "ground_truths",
    )
)
_NO_SCORE = frozenset(("", "nan", "none", "null"))


class RagasReader(Reader):
    """Reads one score column; a score Ragas could not give (NaN, null, an empty cell) is no outcome."""

    suffixes: ClassVar[tuple[str, ...]] = tuple(READERS)

    def cases(self) -> Iterator[Case]:
        """Yield a case for each row."""
        for path in self.files:
            rows = 0
            for where, row in read_table(path):
                rows += 1
                yield self._case(where, row)
            if not rows:
                raise ImportRefusedError(f"{path} holds no row.")

    def is_text(self, field: str) -> bool:
        """Tell whether a column holds a prompt or an answer."""
        return field in TEXTS

    def _case(self, where: str, row: dict[str, Any]) -> Case:
        metric = str(self.declared.metric)
        if metric not in row:
            raise unknown_metric("Column", metric, row, self.files)
        score = _score(row.pop(metric))
        return Case(
            where,
            row,
            score=score,
            cause="errored" if score is None else None,
            error=f"no score of {metric}" if score is None else None,
            meta=None if score is None else {"score": score},
            texts={name: value for name, value in row.items() if name in TEXTS and value is not None},
        )


def _score(value: Any) -> Any:
    """Give a score; None where there is none. A CSV cell is a number where it reads as one."""
    if isinstance(value, str):
        if value.strip().lower() in _NO_SCORE:
            return None
        try:
            return value if "_" in value else float(value)
        except ValueError:
            return value
    if isinstance(value, Decimal):
        value = float(value)
    return None if isinstance(value, float) and math.isnan(value) else value
