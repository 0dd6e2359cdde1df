"""The hooks that pytest loads at start-up.

Everything here is on the path of every pytest run that has the plugin installed, so this module imports pytest,
the standard library and the table of options; what a sweep needs comes when there is one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_poisson.errors import UserError
from pytest_poisson.options import add_options, read_settings
from pytest_poisson.stash import CAPTURE, COLLECTED, IN_WORKER, SETTINGS

if TYPE_CHECKING:
    from collections.abc import Generator

    from pytest_poisson.options import Settings
    from pytest_poisson.rollout import Rollout

MARK_HELP = (
    "rollout(id=None, outcomes=None, failures=None, successes=None, t_unit=None, replicates=None, raises=None, "
    "retries=None, retry_on=None, steps=None, gates=None, at_most=None, at_least=None, shared_seed_axes=None, "
    "capture=None, capture_content=None, max_observation_bytes=None, max_spans=None, redact=None): "
    "run this test as a rollout of pytest-poisson: many seeded replicates of every condition, compared between runs."
)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Declare the hooks that other plugins may implement."""
    from pytest_poisson import hookspecs

    pluginmanager.add_hookspecs(hookspecs)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options."""
    add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Read the options, so that a bad one is a usage error, and wire what they ask for."""
    config.addinivalue_line("markers", MARK_HELP)
    settings = read_settings(config)
    config.stash[SETTINGS] = settings
    in_worker = config.stash.get(IN_WORKER, False)
    if in_worker or (settings.sweeping and settings.workers == 0):
        _start_capture(config, settings)
    if in_worker:
        return
    if settings.sweeping and not config.option.collectonly:
        from pytest_poisson.session import SweepSession

        config.pluginmanager.register(SweepSession(config, settings), "poisson-sweep")
    elif settings.replaying:
        from pytest_poisson.neighbours import take_over_xdist

        take_over_xdist(config)  # what runs again runs in this process, where a debugger can follow it


def _start_capture(config: pytest.Config, settings: Settings) -> None:
    """See inside the replicates that this process will run, from before the suite is imported."""
    from pytest_poisson.capture.session import CaptureSession

    capture = config.stash[CAPTURE] = CaptureSession()
    config.add_cleanup(capture.stop)
    try:
        capture.start(settings.capture)
    except UserError as refusal:
        raise pytest.UsageError(str(refusal)) from None


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> Generator[None]:
    """Keep `--count` of pytest-repeat from rollouts, in which the number of a repetition would be an axis."""
    option = metafunc.config.option
    count = getattr(option, "count", 1)
    if count == 1 or not metafunc.config.pluginmanager.hasplugin("repeat"):
        return (yield)
    if metafunc.definition.get_closest_marker("rollout") is None:
        return (yield)
    option.count = 1
    try:
        return (yield)
    finally:
        option.count = count


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Generator[None]:
    """Check the rollouts among the items in the order of their definition, before anything deselects any."""
    if not any(item.get_closest_marker("rollout") for item in items):
        return (yield)
    from pytest_poisson.collect import collect_conditions

    try:
        conditions = collect_conditions(items)
    except UserError as refusal:
        raise pytest.UsageError(str(refusal)) from None
    if config.stash.get(IN_WORKER, False):
        return (yield)
    from pytest_poisson.selection import select_failing

    select_failing(config, conditions, items)
    config.stash[COLLECTED] = conditions
    return (yield)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    """Take the rollouts that every plugin has left as selected, pytest's --lf last; without a sweep, say how to run them."""
    conditions = session.config.stash.get(COLLECTED, None)
    if conditions is None:
        return
    from pytest_poisson.selection import settle_selection

    settle_selection(session.config, conditions, session.items)


@pytest.fixture
def rollout(request: pytest.FixtureRequest) -> Rollout:
    """One replicate of a rollout: its seeds, its condition, and `end` to say how it ended."""
    from pytest_poisson.rollout import CURRENT_ROLLOUT

    current: Rollout | None = request.node.stash.get(CURRENT_ROLLOUT, None)
    if current is None:
        pytest.fail(
            f"{request.node.nodeid} takes the fixture 'rollout' without the mark @pytest.mark.rollout."
        )
    return current
