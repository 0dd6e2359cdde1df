"""tau-bench and tau2-bench: result files of task x trial, cut by their reward."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from poisson_store.errors import ImportRefusedError
from poisson_store.importers.case import Case, Planned, brief
from poisson_store.importers.files import open_text
from poisson_store.importers.instants import nanoseconds
from poisson_store.importers.json_stream import stream_json
from poisson_store.importers.reader import Reader, as_object, items, parts, pick, seconds, text, whole
from poisson_store.importers.tau_spans import read_spans, token_sums

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

SIMULATIONS = ("simulations",)
OPENED = frozenset(((), SIMULATIONS))

NOT_EVALUABLE = {"infrastructure_error": "errored", "context_window_exceeded": "errored"}
"""Why tau2-bench leaves a simulation out of its own rates."""


class TauReader(Reader):
    """Reads the reward of each simulation."""

    identity: ClassVar[tuple[str, ...]] = ("task",)
    alike: ClassVar[tuple[str, ...]] = ("domain",)
    measures: ClassVar[str] = "reward"

    def __init__(self, files: Sequence[Path], declared: Any) -> None:
        super().__init__([each for path in files for each in _parts(path)], declared)

    def cases(self) -> Iterator[Case]:
        """Yield a case for each simulation; one that its infrastructure ended has no outcome."""
        self._infos: list[dict[str, Any]] = []
        cases = 0
        for path in self.files:
            info: dict[str, Any] = {}
            for row in _rows(path, info):
                cases += 1
                yield self._case(row, info, f"{path}, task {row.get('task_id')!r} trial {row.get('trial')}")
            if info:
                self._infos.append(info)
        if not cases:
            raise ImportRefusedError(f"{self.files[0]} holds no simulation of tau-bench or tau2-bench.")
        self.origin = replace(self.origin, environment={"tool": "tau-bench", **_environment(self._infos)})

    def planned(self) -> Iterable[Planned]:
        """Give every task of a tau2-bench file as many replicates as there were to be trials."""
        for info in self._infos:
            for task in items(info.get("tasks")):
                yield Planned(
                    _fields(parts(task), info), None, whole(parts(info.get("info")).get("num_trials")) or 0
                )

    def _case(self, row: Mapping[str, Any], info: Mapping[str, Any], where: str) -> Case:
        ended = row.get("termination_reason")
        reward = row["reward"] if "reward" in row else parts(row.get("reward_info")).get("reward")
        cause = NOT_EVALUABLE.get(str(ended))
        if cause is None and reward is None:
            cause = "timed_out" if ended == "timeout" else "errored"
        model = text(parts(parts(info.get("info")).get("agent_info")).get("llm"))
        spans = read_spans(row, keep_text=self.declared.keep_text, model=model)
        tokens_in, tokens_out = token_sums(spans)
        return Case(
            where,
            _fields({"id": row.get("task_id")}, info),
            replicate=row.get("trial"),
            cause=cause,
            score=None if cause else reward,
            started_ns=nanoseconds(row.get("start_time")),
            wall_s=seconds(row.get("duration")),
            error=_error(row, ended) if cause else None,
            meta=pick(
                {"reward": reward, **row}, "reward", "termination_reason", "seed", "agent_cost", "user_cost"
            ),
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            unknown_usage=sum(span.kind == "llm" and span.tokens is None for span in spans)
            if spans
            else None,
            spans=spans,
        )


def _parts(path: Path) -> list[Path]:
    """Take apart a directory of tau2-bench: `results.json` and a file for each simulation."""
    if not path.is_dir():
        return [path]
    if not (path / "results.json").is_file():
        return [path]
    return [path / "results.json", *sorted((path / "simulations").glob("*.json"))]


def _rows(path: Path, info: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the simulations of a file; what else it holds goes into `info`."""
    rows = 0
    with open_text(path) as file:
        for place, value in stream_json(file, str(path), OPENED.__contains__):
            if len(place) == 2 or (place and isinstance(place[0], int)):
                rows += 1
                yield as_object(value, f"{path}, simulation {rows}")
            elif place:
                info[str(place[0])] = value
    if "task_id" in info and "termination_reason" in info:
        yield dict(info)
        info.clear()


def _fields(task: Mapping[str, Any], info: Mapping[str, Any]) -> dict[str, Any]:
    about = parts(parts(info.get("info")).get("environment_info"))
    return {"task": task.get("id"), **pick({"domain": about.get("domain_name")}, "domain")}


def _environment(infos: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    if not infos:
        return {}
    about = parts(infos[0].get("info"))
    agent, user = (parts(about.get(side)) for side in ("agent_info", "user_info"))
    return pick(about, "git_commit", "max_steps", "max_errors") | {
        "agent": pick(agent, "implementation", "llm", "llm_args"),
        "user": pick(user, "implementation", "llm", "llm_args"),
    }


def _error(row: Mapping[str, Any], ended: Any) -> str:
    """Say why there is no reward: tau-bench keeps the exception of a trial, tau2-bench a reason."""
    return brief(parts(row.get("info")).get("error") or ended or "no reward")
