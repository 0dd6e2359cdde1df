"""DeepEval: the test runs it saves (a results folder, `.deepeval/.latest_*.json`) and its cache of results."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from poisson_store.errors import ImportRefusedError
from poisson_store.importers.case import Case, brief
from poisson_store.importers.files import open_text
from poisson_store.importers.json_stream import stream_json
from poisson_store.importers.reader import (
    Reader,
    as_object,
    items,
    parts,
    pick,
    seconds,
    unknown_metric,
    whole,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

CACHE = ("test_cases_lookup_map",)
RUNS = frozenset(
    (*wrapper, name)
    for wrapper in ((), ("testRunData",))
    for name in ("testCases", "conversationalTestCases")
)
OPENED = RUNS | {(), ("testRunData",), CACHE}

TEXTS = ("input", "actualOutput", "expectedOutput", "context", "retrievalContext", "turns")
# The cache writes the same names in the other style.
_CACHED = {
    "actual_output": "actualOutput",
    "expected_output": "expectedOutput",
    "retrieval_context": "retrievalContext",
}


class DeepevalReader(Reader):
    """Reads one metric of each test case."""

    def cases(self) -> Iterator[Case]:
        """Yield a case for each test case; one without the metric was skipped by it."""
        seen: list[str] = []
        for path in self.files:
            cases = 0
            with open_text(path) as file:
                for place, value in stream_json(file, str(path), OPENED.__contains__):
                    if place[:-1] in RUNS or place[:-1] == CACHE:
                        cases += 1
                        test = _from_cache(place[-1], value) if place[:-1] == CACHE else value
                        yield self._case(
                            as_object(test, f"{path}, test case {cases}"), f"{path}, test case {cases}", seen
                        )
            if not cases:
                raise ImportRefusedError(f"{path} holds no test case of DeepEval.")
        if self.declared.metric not in seen:
            raise unknown_metric("Metric", self.declared.metric, seen, self.files)

    def is_text(self, field: str) -> bool:
        """Tell whether a field holds a prompt or an answer."""
        return field in TEXTS

    def _case(self, test: dict[str, Any], where: str, seen: list[str]) -> Case:
        measured = [as_object(data, where) for data in items(test.get("metricsData"))]
        seen += [name for data in measured if (name := str(data.get("name"))) not in seen]
        mine = [data for data in measured if data.get("name") == self.declared.metric]
        if len(mine) > 1:
            raise ImportRefusedError(f"{where} has the metric {self.declared.metric!r} {len(mine)} times.")
        metric = mine[0] if mine else {}
        cause = "errored" if metric.get("error") else "skipped" if metric.get("score") is None else None
        fields = pick(test, "name", "order", *TEXTS)
        fields |= {f"metadata.{key}": value for key, value in parts(test.get("metadata")).items()}
        return Case(
            where,
            fields,
            cause=cause,
            score=metric.get("score"),
            wall_s=seconds(test.get("runDuration")),
            error=brief(metric["error"]) if metric.get("error") else None,
            meta=pick(metric, "score", "threshold") or None,
            tokens_in=whole(test.get("inputTokenCount")),
            tokens_out=whole(test.get("outputTokenCount")),
            texts=pick(test, *TEXTS) | pick(metric, "reason"),
        )


def _from_cache(key: Any, entry: Any) -> Any:
    """Turn an entry of the cache, whose key is the test case as JSON, into a test case as a test run has it."""
    try:
        test = json.loads(key)
        measured = [data["metric_data"] for data in entry["cached_metrics_data"]]
    except (ValueError, KeyError, TypeError):
        return None
    named = {_CACHED.get(name, name): value for name, value in test.items()} if isinstance(test, dict) else {}
    return named | {"metricsData": measured}
