"""The image that containers start from, and what is laid into them: the project and this plugin, as they are here."""

from __future__ import annotations

import platform
import shutil
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_poisson.backends.modal.container import PROJECT
from pytest_poisson.backends.modal.project import Project, copy_files
from pytest_poisson.backends.modal.requirements import OWN_NAME, Requirements
from pytest_poisson.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterator

HOME = "/root"
"""Where Modal's containers look for modules."""

OWN_PACKAGES = ("pytest_poisson", "poisson_stats", "poisson_store")


@dataclass(frozen=True)
class Recipe:
    """What an image is made of.

    Attributes
    ----------
    python
        The version of Python without its last number.
    requirements
        What the project needs.
    packages
        What is installed after it: more of the user's, then the session's own, which have the last word.
    """

    python: str
    requirements: Requirements
    packages: tuple[str, ...]


def this_python() -> str:
    """Return this Python's version without its last number."""
    return ".".join(platform.python_version_tuple()[:2])


def fill_home(home: Path, project: Project) -> None:
    """Lay out what containers find in their home: the project, the plugin's packages, and its entry point."""
    copy_files(project, home / PROJECT)
    for package in OWN_PACKAGES:
        shutil.copytree(
            _package_directory(package), home / package, ignore=shutil.ignore_patterns("__pycache__")
        )
    for file in _metadata_files():
        (home / file.parent.name).mkdir(exist_ok=True)
        shutil.copy2(file, home / file.parent.name / file.name)


def _package_directory(package: str) -> Path:
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise UserError(f"The package {package} has no files here that could be sent to containers.")
    return Path(spec.origin).parent


def _metadata_files() -> Iterator[Path]:
    """Return the files by which pytest finds the plugin; none where it is not installed but named by `-p`."""
    try:
        files = distribution(OWN_NAME).files or []
    except PackageNotFoundError:
        return
    for file in files:
        if file.name in ("METADATA", "entry_points.txt"):
            yield Path(str(file.locate()))


def make_image(recipe: Recipe, directory: Path) -> Any:
    """Return the image as Modal's client describes it; nothing is built yet.

    Parameters
    ----------
    recipe
        What it is made of.
    directory
        Where `fill_home` has laid out `home`, and where this may write.
    """
    import modal

    image = modal.Image.debian_slim(python_version=recipe.python)
    if recipe.requirements.lock is not None:
        image = image.uv_sync(str(recipe.requirements.lock), extras=list(recipe.requirements.extras))
    listed = directory / "requirements.txt"
    listed.write_text("\n".join([*recipe.requirements.lines, *recipe.packages, ""]), encoding="utf-8")
    image = image.uv_pip_install(requirements=[str(listed)])
    return image.add_local_dir(directory / "home", HOME)
