"""One replicate run as an ordinary test, in this process, so that prints, breakpoints and --pdb work.

Either a stored one again (`--poisson-replicate`), or replicate 0 in a session without a sweep
(`poisson_without_sweep = "once"`).
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from poisson_store import Store, StoreError
from pytest_poisson import neighbours
from pytest_poisson.concurrency import GlobalState
from pytest_poisson.ending import ending_of_call
from pytest_poisson.rollout import CURRENT_ROLLOUT, Rollout
from pytest_poisson.seeds import derive_seeds
from pytest_poisson.selection import SELECTION
from pytest_poisson.spans import enter_replicate, leave_replicate
from pytest_poisson.store_directory import store_directory

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from pytest_poisson.collect import CollectedCondition
    from pytest_poisson.options import Settings

SALT_WITHOUT_RUN = "0" * 32
RUN_WITHOUT_RUN = "once"


def single_replicates(config: pytest.Config, settings: Settings) -> SingleReplicates:
    """Return the plugin that runs a stored replicate again, or replicate 0 where there is no stored run.

    Raises
    ------
    pytest.UsageError
        If the stored run cannot be opened.
    """
    if not settings.replaying:
        return SingleReplicates(salt=SALT_WITHOUT_RUN, run_id=RUN_WITHOUT_RUN, variant=dict(settings.variant))
    try:
        with Store(store_directory(config, settings)).open(settings.run) as stored:
            run = stored.run
            episodes = stored.episodes(replicate=settings.replicate)
            recorded = {each.condition: each.outcome or f"no outcome ({each.cause})" for each in episodes}
    except StoreError as refusal:
        raise pytest.UsageError(str(refusal)) from None
    return SingleReplicates(
        salt=run.salt,
        run_id=run.run_id,
        variant={**run.variant, **dict(settings.variant)},
        replicate=settings.replicate,
        recorded=recorded,
    )


class SingleReplicates:
    """Runs one replicate of every selected condition as pytest runs any test.

    Parameters
    ----------
    salt, run_id, variant
        The run whose draws are used.
    replicate
        The replicate's number.
    recorded
        How it ended when it was stored, in words, by condition key; None where there is no stored run.
    """

    def __init__(
        self,
        *,
        salt: str,
        run_id: str,
        variant: Mapping[str, str],
        replicate: int = 0,
        recorded: Mapping[str, str] | None = None,
    ) -> None:
        self.salt = salt
        self.run_id = run_id
        self.variant = variant
        self.replicate = replicate
        self.recorded = recorded
        self.lines: list[str] = []
        self._by_item: dict[pytest.Item, CollectedCondition] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> None:
        """Learn which items are conditions."""
        selection = session.config.stash.get(SELECTION, None)
        self._by_item = {} if selection is None else {each.item: each for each in selection.conditions}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Keep plugins that reseed every test from reseeding a replicate."""
        if item not in self._by_item:
            return (yield)
        with neighbours.no_reseeding(item.config):
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, request: pytest.FixtureRequest) -> Generator[None, object, object]:
        """Let what a wider fixture draws leave the replicate's numbers as they are: a sweep sets it up before."""
        if request.scope == "function":
            return (yield)
        state = GlobalState.now()
        try:
            return (yield)
        finally:
            state.put_back()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Hand the item its rollout, and seed what fixtures may draw from."""
        found = self._by_item.get(item)
        if found is None:
            return
        item.stash[CURRENT_ROLLOUT] = rollout = Rollout(
            condition=found.condition,
            declaration=found.declaration,
            replicate=self.replicate,
            seeds=derive_seeds(self.salt, found.condition.seed_key, self.replicate),
            run_id=self.run_id,
            variant=self.variant,
        )
        _seed_globals(rollout)
        enter_replicate(rollout)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self) -> Generator[None]:
        """Let what comes after the item belong to no replicate."""
        try:
            return (yield)
        finally:
            leave_replicate()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None]:
        """Run the test; ending with a declared failure fails it, as an exception does."""
        found = self._by_item.get(item)
        if found is None:
            return (yield)
        rollout = item.stash[CURRENT_ROLLOUT]
        error: BaseException | None = None
        try:
            yield
        except BaseException as raised:
            error = raised
            raise
        finally:
            ending = ending_of_call(error, rollout, found.declaration, item.path)
            now = ending.outcome or f"no outcome ({ending.cause})"
            self._note(found, rollout, now)
        if ending.outcome in found.declaration.failures:
            pytest.fail(f"{rollout!r} ended {ending.outcome!r}, a declared failure", pytrace=False)
        if ending.cause is not None:
            pytest.fail(ending.error, pytrace=False)
        return None

    def _note(self, found: CollectedCondition, rollout: Rollout, now: str) -> None:
        """Say how the replicate ended, and how it did when it was stored; one that never was has only its seed."""
        if self.recorded is None:
            return
        recorded = self.recorded.get(found.condition.key)
        then = "no such replicate is stored" if recorded is None else f"recorded {recorded}"
        same = "" if recorded is None else (": the same" if recorded == now else ": DIFFERENT")
        self.lines.append(
            f"{found.item.nodeid} replicate {self.replicate} seed {rollout.seed}: ended {now}, {then}{same}"
        )

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print how each replicate ended, beside how it ended when it was stored."""
        if self.lines:
            terminalreporter.section("pytest-poisson replicate")
            for line in self.lines:
                terminalreporter.write_line(line)


def _seed_globals(rollout: Rollout) -> None:
    random.seed(rollout.seeds.random_module)
    np.random.seed(rollout.seeds.numpy_global)  # noqa: NPY002  what programs under test may draw from
