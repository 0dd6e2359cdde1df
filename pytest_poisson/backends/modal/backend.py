"""The Modal backend: containers on the user's own account, each with one worker."""

from __future__ import annotations

import json
import os
import queue
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_poisson.backends import BatchEnded, Event, Outlook
from pytest_poisson.backends.modal.calls import CallThread, Failed
from pytest_poisson.backends.modal.client import connect, refuse_missing_client
from pytest_poisson.backends.modal.image import Recipe, fill_home, this_python
from pytest_poisson.backends.modal.outlook import cost_of, describe
from pytest_poisson.backends.modal.project import Project, select_files
from pytest_poisson.backends.modal.relocation import anchored
from pytest_poisson.backends.modal.requirements import find_requirements, session_packages
from pytest_poisson.backends.modal.settings import ModalSettings, modal_settings
from pytest_poisson.backends.modal.wire import Call
from pytest_poisson.batches import BatchPolicy
from pytest_poisson.stash import SETTINGS
from pytest_poisson.store_directory import store_directory

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager

    import pytest

    from pytest_poisson.backends.modal.calls import RemoteCall
    from pytest_poisson.batches import Batch
    from pytest_poisson.job import Job

TARGET_S, BUDGET_S = 20.0, 60.0
"""How long a batch should last, and after how long a container starts no more of it."""

PYTEST_VARIABLES = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "PYTEST_DISABLE_PLUGIN_AUTOLOAD")
"""What decides, beside the arguments, how pytest runs."""


def modal_backend(config: pytest.Config) -> ModalBackend:
    """Return the backend for a session, with its options and the files and packages it has here.

    Raises
    ------
    UserError
        If Modal's client is not installed, or the options are none to run with.
    """
    refuse_missing_client()
    settings = modal_settings(config.stash[SETTINGS])
    root = config.rootpath
    plugins = {dist.project_name for _, dist in config.pluginmanager.list_plugin_distinfo()}
    recipe = Recipe(
        this_python(),
        find_requirements(root, settings.requirements),
        (*settings.packages, *session_packages(plugins)),
    )
    project = select_files(
        root,
        include=settings.include,
        exclude=settings.exclude,
        without=store_directory(config, config.stash[SETTINGS]),
    )
    return ModalBackend(settings, recipe, project)


class ModalBackend:
    """Feeds containers with batches and turns what they send back into events.

    Parameters
    ----------
    settings, recipe, project
        How containers are to be, what they are made of, and the files they get.
    connect
        Opens a session with Modal; another may stand in for it.
    """

    name = "modal"

    def __init__(
        self,
        settings: ModalSettings,
        recipe: Recipe,
        project: Project,
        connect: Callable[..., Callable[[], AbstractAsyncContextManager[RemoteCall]]] = connect,
    ) -> None:
        self.workers = settings.containers
        self.batch_policy = BatchPolicy(first=settings.batch, target_s=TARGET_S, parts=1)
        self._settings = settings
        self._recipe = recipe
        self._project = project
        self._connect = connect
        self._directory: tempfile.TemporaryDirectory[str] | None = None
        self._calls: CallThread | None = None
        self._failure: Failed | None = None
        self._in_flight = 0

    def outlook(self, replicates: int, seconds_each: float | None) -> Outlook:
        """Return what containers will be like and what they should cost; nothing is connected, built or imported."""
        if seconds_each is not None:
            first = max(1, int(TARGET_S / max(seconds_each, 1e-6)))
            self.batch_policy = BatchPolicy(min(first, self._settings.batch), TARGET_S, parts=1)
        cost = cost_of(self._settings, replicates, seconds_each)
        lines = describe(self._settings, self._recipe, self._project, cost, self.batch_policy.first)
        return Outlook(lines, cost.usd)

    def start(self, job: Job) -> None:
        """Copy the project, and open a session with Modal in a thread of its own."""
        root = str(self._project.root)
        self._directory = tempfile.TemporaryDirectory(prefix="poisson-modal-")
        directory = Path(self._directory.name)
        fill_home(directory / "home", self._project)
        told = json.dumps(anchored(job, root).to_json())
        variables = {name: os.environ[name] for name in PYTEST_VARIABLES if name in os.environ}

        def call_of(batch: Batch) -> Call:
            return Call(told, root, self._recipe.python, batch, BUDGET_S, variables)

        opening = self._connect(self._settings, self._recipe, directory, job.run_id, BUDGET_S)
        self._calls = CallThread(opening, job, call_of)
        self._calls.start()

    def wants(self) -> bool:
        """Tell whether a container is without a batch, or few batches are next in line.

        Few, since each call in flight holds a stream of the client's one connection.
        """
        return self._failure is None and self._in_flight < self.workers + max(4, self.workers // 4)

    def submit(self, batch: Batch) -> None:
        """Hand the batch to the client."""
        if self._calls is not None:
            self._calls.submit(batch)
            self._in_flight += 1

    def poll(self, timeout_s: float) -> list[Event]:
        """Return what containers have sent; what came before a failure is returned before it is raised."""
        if self._failure is not None:
            raise self._failure.reason
        return self._received(timeout_s)

    def finish(self) -> list[Event]:
        """Close the session with Modal."""
        if self._calls is not None:
            self._calls.finish()
        return self._received(0.0)

    def stop(self) -> list[Event]:
        """Close the session with Modal, which ends every container; return what had been sent by then."""
        if self._calls is not None:
            self._calls.stop()
        events = self._received(0.0)
        if self._directory is not None:
            self._directory.cleanup()
        self._calls = self._directory = None
        return events

    def _received(self, timeout_s: float) -> list[Event]:
        events: list[Event] = []
        if self._calls is None:
            return events
        try:
            item: Any = (
                self._calls.outbox.get(timeout=timeout_s) if timeout_s else self._calls.outbox.get_nowait()
            )
            while True:
                if isinstance(item, Failed):
                    self._failure = self._failure or item
                else:
                    events.append(item)
                    self._in_flight -= isinstance(item, BatchEnded)
                item = self._calls.outbox.get_nowait()
        except queue.Empty:
            return events
