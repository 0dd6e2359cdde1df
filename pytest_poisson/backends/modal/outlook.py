"""What the plan says of a sweep on Modal: containers, image, project, batches, secrets, cost."""

from __future__ import annotations

from math import isnan, nan
from typing import TYPE_CHECKING, NamedTuple

from pytest_poisson.backends.modal.prices import estimate_cost, read_prices
from pytest_poisson.backends.modal.requirements import NONE
from pytest_poisson.render.formatting import plural

if TYPE_CHECKING:
    from pytest_poisson.backends.modal.image import Recipe
    from pytest_poisson.backends.modal.project import Project
    from pytest_poisson.backends.modal.settings import ModalSettings


class Cost(NamedTuple):
    """What a sweep should cost in USD, NaN where nobody can tell, and how that was found."""

    usd: float
    words: str


def cost_of(settings: ModalSettings, replicates: int, seconds_each: float | None) -> Cost:
    """Return the estimate for a sweep, by the dated table of prices."""
    prices = read_prices()
    if seconds_each is None:
        return Cost(nan, "unknown: no earlier run of this suite; give --poisson-est-seconds")
    usd = estimate_cost(replicates, seconds_each, settings, prices)
    if isnan(usd):
        return Cost(nan, f"unknown: the prices of {prices.as_of} have no {settings.gpu}")
    return Cost(usd, f"about ${usd:.2g}: {replicates:,} x {seconds_each:.3g} s, prices of {prices.as_of}")


def describe(
    settings: ModalSettings, recipe: Recipe, project: Project, cost: Cost, first_batch: int
) -> tuple[tuple[str, str], ...]:
    """Return the lines of the plan."""
    timeout = "none" if settings.timeout_s is None else f"{settings.timeout_s:g} s"
    return (
        ("modal", _containers(settings)),
        ("image", f"Python {recipe.python}, {_requirements(recipe)}"),
        ("", f"as here: {', '.join(_shown(recipe.packages))}"),
        (
            "project",
            f"{plural(len(project.files), 'file')}, {_size(project.bytes)}, without what git ignores",
        ),
        ("batches", f"{first_batch:,} replicates at first, then 5 to 60 s each"),
        ("timeout", f"{timeout} for a replicate"),
        ("secrets", ", ".join(settings.secrets) or "none"),
        ("cost", cost.words),
    )


def _containers(settings: ModalSettings) -> str:
    words = [
        f"up to {settings.containers:,} containers of {settings.cpu:g} {_cores(settings)}, {settings.memory_mib:,} MiB",
        f"GPU {settings.gpu}" if settings.gpu else "",
        f"region {settings.region}" if settings.region else "",
    ]
    return ", ".join(filter(None, words))


def _cores(settings: ModalSettings) -> str:
    return "core" if settings.cpu == 1 else "cores"


def _requirements(recipe: Recipe) -> str:
    found = recipe.requirements
    if found.source == NONE or found.lock is not None:
        return f"{found.source if found.lock else 'no'} requirements"
    left_out = f", {len(found.left_out)} of this machine left out" if found.left_out else ""
    return f"{found.source}: {plural(len(found.lines), 'requirement')}{left_out}"


def _shown(packages: tuple[str, ...], most: int = 3) -> list[str]:
    names = [package.replace("==", " ") for package in packages]
    return names if len(names) <= most else [*names[:most], f"{len(names) - most} more"]


def _size(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size >= 100_000 else f"{size / 1e3:.1f} kB"
