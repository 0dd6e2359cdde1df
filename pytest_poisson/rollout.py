"""The `rollout` fixture's object: one replicate's seeds, and how it says that it ended."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pytest

from pytest_poisson.caps import LARGEST_WHOLE
from pytest_poisson.spans import IDENTITY, Trace, current_span

if TYPE_CHECKING:
    import numpy as np

    from pytest_poisson.conditions import Condition
    from pytest_poisson.declaration import Declaration
    from pytest_poisson.recording import Recording
    from pytest_poisson.seeds import Seeds
    from pytest_poisson.spans import Span


CURRENT_ROLLOUT: pytest.StashKey[Rollout] = pytest.StashKey()
"""On an item: what the `rollout` fixture returns for the replicate under way."""


class RolloutError(Exception):
    """A replicate used `rollout` in a way that has no meaning; it is stored without an outcome."""


class Rollout:
    """What a rollout test is handed for one replicate."""

    def __init__(
        self,
        *,
        condition: Condition,
        declaration: Declaration,
        replicate: int,
        seeds: Seeds,
        run_id: str,
        variant: Mapping[str, str],
        recording: Recording | None = None,
    ) -> None:
        self.condition = condition
        self.replicate = replicate
        self.seed: int = seeds.seed
        self.run_id = run_id
        self.variant = variant
        self.outcome: str | None = None
        self._t: float | None = None
        self._horizon: float | None = None
        self.meta_json: str | None = None
        self.misuse: str | None = None  # kept here too, since the program under test may swallow the error
        self.seeds = seeds
        self.recording = recording
        self.trace: Trace | None = None  # made by the first span
        self._declaration = declaration
        self._rng: np.random.Generator | None = None
        self._random: random.Random | None = None

    def __repr__(self) -> str:
        return f"<rollout {self.condition} replicate={self.replicate} seed={self.seed}>"

    @property
    def t(self) -> float | None:
        """How long it took so far, in the mark's `t_unit`: stands where `end` is given none, or an exception ends it."""
        return self._t

    @t.setter
    def t(self, value: float | None) -> None:
        self._take_durations(value, self._horizon)

    @property
    def horizon(self) -> float | None:
        """The largest `t` there could have been; may be set beforehand as `t` may."""
        return self._horizon

    @horizon.setter
    def horizon(self, value: float | None) -> None:
        self._take_durations(self._t, value)

    @property
    def rng(self) -> np.random.Generator:
        """A NumPy generator of this replicate's own."""
        if self._rng is None:
            from numpy.random import default_rng

            self._rng = default_rng(self.seeds.generator)
        return self._rng

    @property
    def random(self) -> random.Random:
        """A `random.Random` of this replicate's own."""
        if self._random is None:
            self._random = random.Random(self.seeds.random)
        return self._random

    def span(self, kind: str, name: str, *, input: Any = None) -> Span:  # noqa: A002  the word of the record
        """Open a span of this replicate; `pytest_poisson.span` does the same for code that takes no fixture.

        Parameters
        ----------
        kind
            ``llm``, ``tool``, ``retrieval``, ``db``, ``http``, ``agent`` or ``other``.
        name
            What the step is called, as in ``grader.request``.
        input
            What went in: text, bytes, or anything that has a JSON form.

        Raises
        ------
        ValueError
            If the kind is none of these.
        """
        return self.tracing().open(kind, name, input)

    @property
    def current_span(self) -> Span | None:
        """The innermost span of this replicate that is open in this context, or None."""
        span = current_span()
        return span if span is not None and span.trace is self.trace else None

    @property
    def identity(self) -> dict[str, str]:
        """What names this replicate, to hand on: as a request's metadata, or as OpenTelemetry attributes."""
        values = (self.run_id, self.condition.key, str(self.replicate))
        return dict(zip(IDENTITY, values, strict=True))

    def step(self, name: str) -> None:
        """Name the step that the spans which follow belong to, until the next call."""
        self.tracing().step = str(name)  # a number or an enum is named by its text

    def tracing(self) -> Trace:
        """Return the replicate's trace, which its first span makes."""
        if self.trace is None:
            self.trace = Trace() if self.recording is None else self.recording.new_trace()
        return self.trace

    def end(
        self,
        outcome: str,
        *,
        t: float | None = None,
        horizon: float | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> None:
        """Say how this replicate ended.

        Parameters
        ----------
        outcome
            One of the declared outcomes, or ``passed`` or ``failed``.
        t
            How long it took, in the mark's ``t_unit``; the attribute ``t`` where it is not given.
        horizon
            The largest ``t`` there could have been, in the same unit; the attribute where it is not given.
        meta
            Anything else worth keeping, as a JSON object; NumPy scalars are stored as the numbers they are.

        Raises
        ------
        RolloutError
            If the replicate has ended already, the outcome is not declared, or a value cannot be stored.
        """
        if self.outcome is not None:
            raise self._misused(f"rollout.end({outcome!r}) came after rollout.end({self.outcome!r})")
        if not isinstance(outcome, str) or not self._declaration.knows(outcome):
            declared = ", ".join(self._declaration.outcomes)
            raise self._misused(f"outcome {outcome!r} is not declared; the rollout declares {declared}")
        self._take_durations(self._t if t is None else t, self._horizon if horizon is None else horizon)
        self.meta_json = None if meta is None else self._encode_meta(meta)
        self.outcome = outcome

    def _misused(self, sentence: str) -> RolloutError:
        self.misuse = f"{sentence}."
        return RolloutError(self.misuse)

    def _take_durations(self, t: Any, horizon: Any) -> None:
        t, horizon = self._duration("t", t), self._duration("horizon", horizon)
        if t is not None and horizon is not None and t > horizon:
            raise self._misused(f"t={t!r} exceeds horizon={horizon!r}")
        self._t, self._horizon = t, horizon

    def _duration(self, name: str, value: Any) -> int | float | None:
        if value is None:
            return None
        value = _plain_number(value)
        if isinstance(value, int) and value > LARGEST_WHOLE:
            raise self._misused(f"{name} is larger than 2**63 - 1, the largest whole number that is stored")
        if (
            isinstance(value, bool)
            or not isinstance(value, (int, float))
            or not math.isfinite(value)
            or value < 0
        ):
            raise self._misused(f"{name}={value!r} must be a finite number from 0")
        return value

    def _encode_meta(self, meta: Any) -> str:
        if not isinstance(meta, Mapping):
            raise self._misused(f"meta={meta!r} must be a mapping")
        try:
            return json.dumps(
                _plain(meta, "meta"), ensure_ascii=False, allow_nan=False, separators=(",", ":")
            )
        except RecursionError:
            raise self._misused("meta nests too deeply") from None
        except (ValueError, TypeError) as refusal:
            raise self._misused(str(refusal)) from None
        except Exception as error:  # noqa: BLE001  a mapping of the program's own may raise anything when it is read
            raise self._misused(f"meta cannot be read: {type(error).__name__}: {error}") from None


def _plain(value: Any, path: str) -> Any:
    """Return a meta value with NumPy scalars made plain numbers; refuse what JSON cannot hold, by its path."""
    value = _plain_number(value)
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{path} is {value!r}, which JSON cannot hold")
        return value
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise TypeError(f"{path} has the key {key!r}, which is not text")
        return {key: _plain(item, f"{path}[{key!r}]") for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item, f"{path}[{index}]") for index, item in enumerate(value)]
    raise TypeError(f"{path} is of type {type(value).__name__}, which JSON cannot hold")


def _plain_number(value: Any) -> Any:
    """Return a NumPy scalar as the Python number it is, without importing NumPy to find out."""
    if type(value).__module__ == "numpy" and hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        return value.item()
    return value
