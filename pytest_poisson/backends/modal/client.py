"""The one place that talks to Modal's client: an app for one sweep, with one function."""

from __future__ import annotations

import logging
import re
import warnings
from contextlib import asynccontextmanager
from importlib.metadata import PackageNotFoundError, version
from math import ceil
from typing import TYPE_CHECKING, Any

from pytest_poisson.backends.modal.container import run_batch
from pytest_poisson.backends.modal.failures import meaning_of_session
from pytest_poisson.backends.modal.image import make_image
from pytest_poisson.backends.modal.settings import MOST_SECONDS
from pytest_poisson.errors import UserError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from pytest_poisson.backends.modal.calls import RemoteCall
    from pytest_poisson.backends.modal.image import Recipe
    from pytest_poisson.backends.modal.settings import ModalSettings

SUPPORTED = ((1, 4), (2, 0))
"""Versions of Modal's client: from the first, below the second."""

SLACK_S = 600.0
"""For a worker's start and its wider fixtures, on top of what replicates may take."""

APP = "pytest-poisson"


def refuse_missing_client() -> None:
    """Refuse to plan a sweep for which there is no client, without importing it.

    Raises
    ------
    UserError
        If the client is not installed, or in a version that this plugin does not know.
    """
    try:
        found = version("modal")
    except PackageNotFoundError:
        raise UserError(
            "--poisson-backend=modal needs Modal's client; install it with pip install 'pytest-poisson[modal]'."
        ) from None
    low, high = SUPPORTED
    numbers = tuple(int(part) for part in re.findall(r"\d+", found)[:2])
    if not low <= numbers < high:
        raise UserError(
            f"Modal's client has version {found}; this version of pytest-poisson works with those from "
            f"{low[0]}.{low[1]} up to, not including, {high[0]}.{high[1]}."
        )


def batch_timeout(budget_s: float, timeout_s: float | None) -> int:
    """Return after how many seconds Modal may end a call that does not end by itself.

    A container starts no replicate after its budget and ends the last one after its timeout, so that this is only
    reached where the container itself hangs.
    """
    return MOST_SECONDS if timeout_s is None else min(MOST_SECONDS, ceil(budget_s + timeout_s + SLACK_S))


def connect(
    settings: ModalSettings, recipe: Recipe, directory: Path, run_id: str, budget_s: float
) -> Callable[[], AbstractAsyncContextManager[RemoteCall]]:
    """Return what opens a session with Modal: it builds the image, uploads the project, and yields the call to make.

    Imports Modal, and describes app and function, in the calling thread; nothing is sent yet.

    Raises
    ------
    UserError
        If Modal's client does not take the settings.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Modal's own, at import
        import modal

        _keep_log_off_the_terminal()
        app = modal.App(APP, tags={"poisson-run": run_id}, include_source=False)
        try:
            options = _function_options(settings, budget_s)
            function = app.function(image=make_image(recipe, directory), **options)(run_batch)
        except modal.exception.Error as refusal:
            raise meaning_of_session(refusal) from refusal

    @asynccontextmanager
    async def session() -> AsyncIterator[RemoteCall]:
        async with app.run():
            yield function.remote.aio

    return session


def _keep_log_off_the_terminal() -> None:
    """Silence the client's log unless the user asked for it: it prints tracebacks of what is said in a sentence.

    For good, since the client logs from a thread of its own when its session has long ended.
    """
    for name in ("modal-client", "modal-utils"):
        logger = logging.getLogger(name)
        if logger.level >= logging.WARNING:
            logger.setLevel(logging.CRITICAL + 1)


def _function_options(settings: ModalSettings, budget_s: float) -> dict[str, Any]:
    import modal

    return {
        "cpu": settings.cpu,
        "memory": settings.memory_mib,
        "gpu": settings.gpu,
        "region": settings.region,
        "secrets": [modal.Secret.from_name(name) for name in settings.secrets],
        "max_containers": settings.containers,
        "timeout": batch_timeout(budget_s, settings.timeout_s),
        "startup_timeout": int(SLACK_S),
        "retries": 0,
    }
