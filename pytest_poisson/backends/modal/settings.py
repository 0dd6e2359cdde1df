"""What a sweep on Modal is asked to be: the options, checked, as one frozen value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_poisson.errors import UserError

if TYPE_CHECKING:
    from pytest_poisson.options import Settings

MOST_SECONDS = 24 * 3600
"""Modal ends every call after a day."""


@dataclass(frozen=True)
class ModalSettings:
    """How containers are to be, and how many.

    Attributes
    ----------
    containers
        The most that run at a time, one replicate in each.
    batch
        Replicates in a batch while nobody knows how long one takes.
    cpu, memory_mib, gpu, region
        What each container asks for: physical cores, MiB, a GPU as Modal names it, a region.
    secrets
        Names of Modal secrets whose variables containers get.
    requirements
        What to install: a requirements file, `uv.lock` or `pyproject.toml`, these with extras in brackets; `none`;
        None finds one.
    packages
        More requirements, as pip takes them.
    include, exclude
        What of the project goes although git ignores it, and what stays here although it does not.
    timeout_s
        The longest a replicate may take, if there is a limit.
    """

    containers: int = 16
    batch: int = 64
    cpu: float = 1.0
    memory_mib: int = 512
    gpu: str | None = None
    region: str | None = None
    secrets: tuple[str, ...] = ()
    requirements: str | None = None
    packages: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    timeout_s: float | None = None


def modal_settings(settings: Settings) -> ModalSettings:
    """Return what the session's options ask for.

    Raises
    ------
    UserError
        If an option makes no sense on Modal, or asks for more than Modal has.
    """
    if settings.sources["workers"] != "default":
        raise UserError(
            f"--poisson-workers={settings.workers} counts processes on this machine; "
            "with --poisson-backend=modal give --poisson-modal-containers."
        )
    if settings.timeout is not None and settings.timeout >= MOST_SECONDS:
        raise UserError(
            f"--poisson-timeout={settings.timeout:g} must be below the {MOST_SECONDS:,} s after which Modal ends every call."
        )
    return ModalSettings(
        containers=settings.modal_containers,
        batch=settings.modal_batch,
        cpu=settings.modal_cpu,
        memory_mib=settings.modal_memory,
        gpu=settings.modal_gpu,
        region=settings.modal_region,
        secrets=settings.modal_secret,
        requirements=settings.modal_requirements,
        packages=settings.modal_packages,
        include=settings.modal_include,
        exclude=settings.modal_exclude,
        timeout_s=settings.timeout,
    )
