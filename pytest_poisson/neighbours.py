"""What other plugins would do to replicates, and how they are kept from it.

A worker is no session of its own: it must write no report, no cache and start no workers, and nothing may
reseed, repeat, reorder or time out what the sweep runs. Checked with pytest-xdist 3.8, pytest-randomly 4.0,
pytest-rerunfailures 16.1 and pytest-timeout 2.4; a plugin that is absent is passed over.
"""

from __future__ import annotations

import asyncio
import inspect
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

from pytest_poisson.pytest_internals import fixture_functions

if TYPE_CHECKING:
    from pytest_poisson.pytest_internals import ItemRun

WITHOUT_A_PART_IN_A_WORKER = (
    "timeout",  # a limit on one test would end a whole batch
    "randomly",  # reseeds every test alike
    "rerunfailures",
    "lfplugin",
    "nfplugin",
    "stepwiseplugin",
)
SILENCED_OPTIONS: dict[str, object] = {
    "capture": "no",
    "dist": "no",
    "tx": [],
    "numprocesses": None,
    "xmlpath": None,
    "reruns": None,
    "randomly_reset_seed": False,
    "usepdb": False,
    "lf": False,
    "failedfirst": False,
    "newfirst": False,
    "stepwise": False,
    "stepwise_skip": False,
    "cacheshow": None,
    "cacheclear": False,
    "collectonly": False,
}


def silence_options(config: pytest.Config) -> None:
    """Switch off what other plugins read from the options; called before they are configured."""
    for name, value in SILENCED_OPTIONS.items():
        if hasattr(config.option, name):
            setattr(config.option, name, value)


def unregister(config: pytest.Config) -> None:
    """Take the plugins out that have no part in a worker; called when all are configured."""
    for name in WITHOUT_A_PART_IN_A_WORKER:
        if config.pluginmanager.has_plugin(name):
            config.pluginmanager.unregister(name=name)


@contextmanager
def no_reseeding(config: pytest.Config) -> Iterator[None]:
    """Keep pytest-randomly from reseeding the replicates that run in the controlling process."""
    before = getattr(config.option, "randomly_reset_seed", None)
    if before is None:
        yield
        return
    config.option.randomly_reset_seed = False
    try:
        yield
    finally:
        config.option.randomly_reset_seed = before


def take_over_xdist(config: pytest.Config) -> int | None:
    """Return how many workers pytest-xdist was asked for, and keep it from starting them; None if not asked.

    A sweep runs on workers of its own, so xdist's number becomes theirs; ordinary tests of the same session
    run in the controlling process.
    """
    if getattr(config.option, "dist", "no") == "no" and not getattr(config.option, "numprocesses", None):
        return None
    count = len(getattr(config.option, "tx", None) or []) or None
    config.option.dist = "no"
    config.option.tx = []
    config.option.numprocesses = None
    return count


def may_share_event_loop(item: pytest.Function) -> bool:
    """Tell whether replicates of this test can be in flight together on one event loop.

    They can where it is a coroutine function that pytest-asyncio runs, or anyio on asyncio without asynchronous
    fixtures of its own, which anyio would set up on another loop.
    """
    if not inspect.iscoroutinefunction(item.function):
        return False
    if "anyio_backend" not in item.fixturenames:
        return True
    callspec = getattr(item, "callspec", None)
    backend = "asyncio" if callspec is None else callspec.params.get("anyio_backend", "asyncio")
    name = backend if isinstance(backend, str) else backend[0]
    functions = fixture_functions(item)
    asynchronous = any(inspect.iscoroutinefunction(f) or inspect.isasyncgenfunction(f) for f in functions)
    return name == "asyncio" and not asynchronous


@contextmanager
def shared_event_loop(item: pytest.Function, run: ItemRun) -> Iterator[asyncio.AbstractEventLoop]:
    """Provide the loop on which replicates run that are in flight together.

    It is the one of pytest-asyncio's runner for the item's loop scope, so that asynchronous fixtures are on it too;
    items whose loop would be their own share the session's. Without pytest-asyncio it is a new one.
    """
    scope = getattr(item, "_loop_scope", None)
    if scope is None:
        loop = asyncio.new_event_loop()
        try:
            yield loop
        finally:
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.close()
        return
    runner = run.wide_value(f"_{'session' if scope == 'function' else scope}_scoped_runner")
    with run.sharing("_function_scoped_runner", runner):
        yield runner.get_loop()
