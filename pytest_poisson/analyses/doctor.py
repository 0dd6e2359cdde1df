"""What an installation consists of and what is wrong with it: versions, plugins, extras, the store."""

from __future__ import annotations

import os
import platform
import shlex
import sqlite3
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution, entry_points, version
from typing import TYPE_CHECKING

from poisson_store.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from packaging.requirements import Requirement

    from poisson_store.catalog import Store
    from poisson_store.records import RunSummary

DISTRIBUTION = "pytest-poisson"
PLUGIN = "poisson"
NEEDED = ("pytest", "pluggy", "numpy", "scipy")
DEVELOPERS = ("dev", "docs")  # extras that nobody lacks who uses the product

IN_A_SWEEP = {
    "pytest-rerunfailures": "reruns ordinary tests alone; --poisson-retries tries a replicate again",
    "pytest-randomly": "neither reseeds nor reorders replicates",
    "pytest-repeat": "repeats ordinary tests alone; --poisson-replicates says how often a condition runs",
    "pytest-timeout": "limits ordinary tests alone; --poisson-timeout limits a replicate",
    "pytest-xdist": "its number of workers becomes the sweep's; ordinary tests run in one process",
}
"""What becomes of a plugin that would act on replicates."""


@dataclass(frozen=True, slots=True)
class Part:
    """A package by name, its version, or None where it is not installed."""

    name: str
    version: str | None


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Another pytest plugin, and what it does in a sweep where that is not what it does elsewhere."""

    name: str
    version: str
    in_a_sweep: str | None


@dataclass(frozen=True, slots=True)
class Extra:
    """An extra of ours and the requirements of it that are not met."""

    name: str
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StoreHealth:
    """What is in the store's directory; `problems` are the files that cannot be read, each with its reason."""

    path: str
    exists: bool
    writable: bool
    runs: int
    running: int
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DoctorResult:
    """An installation; `problems` are what should be seen to, in a sentence each."""

    platform: str
    parts: tuple[Part, ...]
    plugins: tuple[Neighbour, ...]
    extras: tuple[Extra, ...]
    store: StoreHealth
    problems: tuple[str, ...]


def examine(store: Store, environ: Mapping[str, str] = os.environ) -> DoctorResult:
    """Look at the installation that runs this and at a store; nothing is written.

    Parameters
    ----------
    store
        The store; its directory need not exist.
    environ
        The environment that a pytest session would have.
    """
    health = store_health(store)
    return DoctorResult(
        platform.platform(),
        tuple(parts()),
        tuple(plugins()),
        tuple(extras()),
        health,
        (*_of_requirements(), *_of_loading(environ), *_of_names(), *_of_store(health)),
    )


def parts() -> list[Part]:
    """Return Python, SQLite, this package and those it cannot do without."""
    own = [Part("Python", platform.python_version()), Part("SQLite", sqlite3.sqlite_version)]
    return own + [Part(name, _version(name)) for name in (DISTRIBUTION, *NEEDED)]


def plugins() -> list[Neighbour]:
    """Return the other pytest plugins that are installed, by name."""
    found = {each.dist.name: each.dist.version for each in entry_points(group="pytest11") if each.dist}
    found.pop(DISTRIBUTION, None)
    return [
        Neighbour(name, found[name], IN_A_SWEEP.get(name.lower())) for name in sorted(found, key=str.lower)
    ]


def extras() -> list[Extra]:
    """Return our extras with what each lacks, but for those of the product's developers."""
    own = distribution(DISTRIBUTION)
    needed = _requirements()
    return [
        Extra(name, tuple(_unmet(each for each in needed if _belongs(each, name))))
        for name in sorted(own.metadata.get_all("Provides-Extra") or ())
        if name not in DEVELOPERS
    ]


def store_health(store: Store) -> StoreHealth:
    """Return what is in a store's directory, each of its runs read to the end."""
    exists = store.path.is_dir()
    place = next((each for each in (store.path, *store.path.absolute().parents) if each.exists()), store.path)
    try:
        runs = store.runs() if exists else []
    except StoreError as problem:
        return StoreHealth(str(store.path), exists, os.access(place, os.W_OK), 0, 0, (str(problem),))
    unsound = list(_of_runs(store, runs))
    return StoreHealth(
        str(store.path),
        exists,
        place.is_dir() and os.access(place, os.W_OK),
        len(runs) - len(unsound),
        sum(run.status == "running" for run in runs),
        (*_of_index(store), *unsound),
    )


def _of_runs(store: Store, runs: Iterable[RunSummary]) -> Iterator[str]:
    """Yield why run files cannot be read, or could not be read to the end."""
    for run in runs:
        problem = run.problem
        if problem is None:
            try:
                with store.open(str(run.path)) as opened:
                    opened.check()
            except StoreError as found:
                problem = str(found)
        if problem is not None:
            yield f"{run.path.name}: {problem}"


def _of_index(store: Store) -> list[str]:
    """Return why what the store keeps beside its runs cannot be read."""
    try:
        store.baselines()
    except StoreError as problem:
        return [str(problem)]
    return []


def _requirements() -> list[Requirement]:
    from packaging.requirements import Requirement  # pytest brings it

    return [Requirement(each) for each in distribution(DISTRIBUTION).requires or ()]


def _belongs(requirement: Requirement, extra: str) -> bool:
    """Tell whether a requirement is that of an extra; of '' it is what every installation needs here."""
    marker = requirement.marker
    if marker is None:
        return not extra
    return marker.evaluate({"extra": extra}) and not (extra and marker.evaluate({"extra": ""}))


def _unmet(requirements: Iterable[Requirement]) -> list[str]:
    return [
        f"{each.name}{each.specifier}"
        for each in requirements
        if (found := _version(each.name)) is None or not each.specifier.contains(found, prereleases=True)
    ]


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _of_requirements() -> list[str]:
    return [
        f"{unmet} is required; {_version(unmet.partition('>')[0]) or 'none'} is installed."
        for unmet in _unmet(each for each in _requirements() if _belongs(each, ""))
    ]


def _of_loading(environ: Mapping[str, str]) -> list[str]:
    """Return why pytest would not load the plugin."""
    options, named = environ.get("PYTEST_ADDOPTS", ""), environ.get("PYTEST_PLUGINS", "")
    try:
        words = " ".join(shlex.split(options))
    except ValueError as problem:
        return [f"PYTEST_ADDOPTS={options!r} cannot be read: {problem}."]
    problems = []
    if environ.get("PYTEST_DISABLE_PLUGIN_AUTOLOAD") and "pytest_poisson.plugin" not in named + words:
        problems.append("PYTEST_DISABLE_PLUGIN_AUTOLOAD is set; load the plugin by -p pytest_poisson.plugin.")
    if "no:poisson" in words:
        problems.append("PYTEST_ADDOPTS holds -p no:poisson, which keeps the plugin out of every session.")
    return problems


def _of_names() -> list[str]:
    """Return which other packages would hide the plugin under its own name."""
    owners = {each.dist.name for each in entry_points(group="pytest11", name=PLUGIN) if each.dist}
    problems = [
        f"{name} names its pytest plugin {PLUGIN!r} as well; pytest loads one of the two."
        for name in sorted(owners - {DISTRIBUTION})
    ]
    if DISTRIBUTION not in owners:
        problems.append(
            f"No plugin of {DISTRIBUTION} is installed where pytest looks; install the package, not its files."
        )
    return problems


def _of_store(health: StoreHealth) -> list[str]:
    problems = [f"The store has a file that is not sound: {each}" for each in health.problems]
    if not health.writable:
        problems.append(f"Store '{health.path}' cannot be written.")
    return problems
