"""promptfoo: its JSON output and its JSON Lines output; each result is one test by one provider."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from poisson_store.errors import ImportRefusedError
from poisson_store.importers.case import Case, brief
from poisson_store.importers.declared import FAIL, PASS
from poisson_store.importers.files import open_text
from poisson_store.importers.json_stream import stream_json
from poisson_store.importers.reader import (
    Reader,
    as_object,
    parts,
    pick,
    seconds,
    text,
    unknown_metric,
    whole,
)
from poisson_store.importers.tables import read_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from poisson_store.importers.declared import Declared

RESULTS = (("results", "results"), ("results",))
OPENED = frozenset(((), *RESULTS))

SUCCESS, SCORE = "success", "score"
"""Metrics every result has: promptfoo's own verdict, which needs no cut, and the score of all assertions."""

_ERROR = 2
"""`failureReason` of a result that the provider failed to give; 1 is a failed assertion."""


class PromptfooReader(Reader):
    """Reads the verdict, the score or one named score of each result; its repeats follow in file order."""

    suffixes: ClassVar[tuple[str, ...]] = (".json", ".jsonl")
    alike: ClassVar[tuple[str, ...]] = ("provider", "prompt")

    def __init__(self, files: Sequence[Path], declared: Declared) -> None:
        super().__init__(files, declared)
        if declared.metric == SUCCESS and declared.judge is not None:
            raise ImportRefusedError(
                f"The metric {SUCCESS!r} is promptfoo's own verdict and takes no --cut, --pass or --fail; {SCORE!r}"
                " and the names of metrics do."
            )

    def cases(self) -> Iterator[Case]:
        """Yield a case for each result; one that a provider failed to give has no outcome."""
        seen = [SUCCESS, SCORE]
        for path in self.files:
            results = 0
            for where, result in _results(path):
                results += 1
                seen += [name for name in parts(result.get("namedScores")) if name not in seen]
                yield self._case(where, result)
            if not results:
                raise ImportRefusedError(f"{path} holds no result of promptfoo.")
        if self.declared.metric not in seen:
            raise unknown_metric("Metric", self.declared.metric, seen, self.files)
        self.origin = replace(self.origin, environment={"tool": "promptfoo"})

    def is_text(self, field: str) -> bool:
        """Tell whether a field holds a prompt or a part of one."""
        return field in {"vars", "prompt"} or field.startswith("vars.")

    def _case(self, where: str, result: Mapping[str, Any]) -> Case:
        metric, named = self.declared.metric, parts(result.get("namedScores"))
        cause = "errored" if _is_error(result) else None
        if cause is None and metric not in {SUCCESS, SCORE} and metric not in named:
            cause = "skipped"
        verdict = None if cause or metric != SUCCESS else _verdict(result, where)
        response = parts(result.get("response"))
        usage = parts(response.get("tokenUsage"))
        wall_ms = seconds(result.get("latencyMs"))
        return Case(
            where,
            _fields(result),
            outcome=verdict,
            cause=cause,
            score=None
            if cause or verdict
            else result.get(SCORE)
            if metric == SCORE
            else named.get(str(metric)),
            wall_s=None if wall_ms is None else wall_ms / 1000,
            error=brief(result.get("error")) if cause == "errored" else None,
            meta=pick(result, SCORE) | ({"cached": True} if response.get("cached") else {}),
            tokens_in=whole(usage.get("prompt")),
            tokens_out=whole(usage.get("completion")),
            texts=_texts(result, response),
        )


def _verdict(result: Mapping[str, Any], where: str) -> str:
    success = result.get(SUCCESS)
    if not isinstance(success, bool):
        raise ImportRefusedError(f"{where}: success={success!r} must be true or false.")
    return PASS if success else FAIL


def _results(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    if path.suffix == ".jsonl":
        yield from read_table(path)
        return
    results = 0
    with open_text(path) as file:
        for place, value in stream_json(file, str(path), OPENED.__contains__):
            if place[:-1] in RESULTS and isinstance(place[-1], int):
                results += 1
                yield (where := f"{path}, result {results}"), as_object(value, where)


def _is_error(result: Mapping[str, Any]) -> bool:
    """Tell whether there is no answer to judge; older files do not name the reason of a failure."""
    if "failureReason" in result:
        return bool(result["failureReason"] == _ERROR)
    return bool(result.get("error")) and not result.get("gradingResult")


def _fields(result: Mapping[str, Any]) -> dict[str, Any]:
    provider, prompt = result.get("provider"), parts(result.get("prompt"))
    test, values = parts(result.get("testCase")), parts(result.get("vars"))
    fields = {
        "provider": text(provider) or parts(provider).get("label") or parts(provider).get("id"),
        "prompt": prompt.get("label") or prompt.get("raw"),
        "vars": values,
        "description": test.get("description") or result.get("description"),
        "promptIdx": result.get("promptIdx"),
        "testIdx": result.get("testIdx"),
    }
    fields |= {f"vars.{name}": value for name, value in values.items()}
    return pick(fields, *fields) | {
        f"metadata.{name}": value for name, value in parts(test.get("metadata")).items()
    }


def _texts(result: Mapping[str, Any], response: Mapping[str, Any]) -> dict[str, Any]:
    texts = {
        "vars": result.get("vars"),
        "prompt": parts(result.get("prompt")).get("raw"),
        "output": response.get("output"),
        "reason": parts(result.get("gradingResult")).get("reason"),
    }
    return pick(texts, *texts)
