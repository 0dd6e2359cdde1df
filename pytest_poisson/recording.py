"""What one rollout's replicates record: its mark's settings over those of the session."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from poisson_store.records import EpisodeRow
from pytest_poisson.content import ContentRules
from pytest_poisson.errors import UserError
from pytest_poisson.option_table import option_named
from pytest_poisson.spans import Trace
from pytest_poisson.stash import CAPTURE, SETTINGS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import pytest

    from pytest_poisson.declaration import Declaration
    from pytest_poisson.options import Settings
    from pytest_poisson.spans import Span

ERROR, META, ATTEMPTS = (EpisodeRow._fields.index(name) for name in ("error", "meta", "attempts"))


@dataclass(frozen=True, slots=True)
class Recording:
    """How spans of one rollout are recorded.

    Attributes
    ----------
    capture
        The client libraries whose calls become spans.
    max_spans
        The most spans that are kept of a replicate.
    rules
        What is kept of texts.
    outside
        Finds the span that OpenTelemetry holds current.
    """

    capture: tuple[str, ...]
    max_spans: int
    rules: ContentRules
    outside: Callable[[Trace], Span | None] | None = None

    def new_trace(self) -> Trace:
        """Return the trace of a replicate that begins."""
        return Trace(max_spans=self.max_spans, rules=self.rules, outside=self.outside)


def captured_clients(declared: Mapping[str, Any], settings: Settings) -> tuple[str, ...]:
    """Return the clients whose calls a rollout records."""
    clients: tuple[str, ...] = _setting("capture", declared, settings)
    return clients


def refuse_missing_clients(declarations: Iterable[Declaration], settings: Settings) -> None:
    """Refuse to capture a client that cannot be, before anything is spent.

    Raises
    ------
    UserError
        If a client or its instrumentation package is not installed.
    """
    clients = {client for each in declarations for client in captured_clients(each.recording, settings)}
    if clients:
        from pytest_poisson.capture.clients import refuse_missing_packages

        refuse_missing_packages(sorted(clients))


def refuse_unfit_hooks(items: Iterable[pytest.Item]) -> None:
    """Refuse a hook that would let everything through, before anything is spent.

    Raises
    ------
    UserError
        If an implementation of `pytest_poisson_redact` does nothing where it is called: a coroutine or a generator.
    """
    hooks = {id(hook): hook for hook in (item.ihook.pytest_poisson_redact for item in items)}
    for implementation in chain.from_iterable(hook.get_hookimpls() for hook in hooks.values()):
        function = implementation.function
        is_generator = inspect.isgeneratorfunction(function) and not (
            implementation.wrapper or implementation.hookwrapper
        )
        if is_generator or inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
            raise UserError(
                f"pytest_poisson_redact of {implementation.plugin_name} is asynchronous or a generator, and would redact "
                "nothing; a plain function would."
            )


def recording_of(item: pytest.Item, declared: Mapping[str, Any]) -> Recording:
    """Return what a collected rollout records, in the controlling process as in a worker.

    Raises
    ------
    UserError
        If a client that it captures cannot be.
    """
    settings = item.config.stash[SETTINGS]
    clients = captured_clients(declared, settings)
    capture = item.config.stash.get(CAPTURE, None)
    if capture is not None:
        capture.add(clients)
    return Recording(
        capture=clients,
        max_spans=_setting("max_spans", declared, settings),
        rules=ContentRules(
            capture_content=_setting("capture_content", declared, settings),
            max_observation_bytes=_setting("max_observation_bytes", declared, settings),
            redact=_patterns(declared, settings),
            hook=_redact_hook(item),
        ),
        outside=None if capture is None else capture.recorder.outside,
    )


class RowCleaner:
    """Takes out of rows what must not be stored, wherever they come from: of errors, attempts' errors, and meta.

    Parameters
    ----------
    keys
        The keys of the conditions that rows carry positions of.
    declared
        What the mark of each condition says of recording, by key.
    settings
        The session's.
    """

    def __init__(
        self, keys: Sequence[str], declared: Mapping[str, Mapping[str, Any]], settings: Settings
    ) -> None:
        rules = {
            key: ContentRules(redact=_patterns(declared.get(key, {}), settings))
            for key in dict.fromkeys(keys)
        }
        self._rules = [rules[key] for key in keys]

    def clean(self, row: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the row as it may be stored."""
        error, meta, attempts = (
            row[place] if place < len(row) else None for place in (ERROR, META, ATTEMPTS)
        )
        if error is None and meta is None and attempts is None:
            return row
        rules, items = self._rules[row[0]], list(row)
        if error is not None:
            items[ERROR] = rules.clean(error)
        if meta is not None:
            items[META] = rules.clean_json(meta)
        if attempts is not None:
            items[ATTEMPTS] = [(number, rules.clean(error), *rest) for number, error, *rest in attempts]
        return tuple(items)


def _patterns(declared: Mapping[str, Any], settings: Settings) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(each) for each in (*settings.redact, *declared.get("redact", ())))


def _setting(name: str, declared: Mapping[str, Any], settings: Settings) -> Any:
    """Return a setting: the command line's, else the mark's, else the configuration file's, else the default."""
    if settings.sources[name] == "option" or name not in declared:
        return settings.values.get(name, option_named(name).default)
    return declared[name]


def _redact_hook(item: pytest.Item) -> Callable[[Span], object] | None:
    """Return the suite's hook, or None where nothing implements it."""
    hook = item.ihook.pytest_poisson_redact
    return (lambda span: hook(span=span)) if hook.get_hookimpls() else None
