"""Which files of the user's project go into containers, and a copy of them that nobody changes meanwhile."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_poisson.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

GIT_TIMEOUT_S = 60.0
MOST_FILES = 20_000
MOST_BYTES = 1 << 30
NEVER = (".env", ".env.*", "*.env", ".envrc", ".git", ".venv", "venv", "node_modules", "__pycache__", "*.pyc")
"""Names that stay here whatever git says of them, unless they are included by name."""


@dataclass(frozen=True)
class Project:
    """Files below a root, by their paths relative to it."""

    root: Path
    files: tuple[Path, ...]
    bytes: int


def select_files(
    root: Path, *, include: Sequence[str] = (), exclude: Sequence[str] = (), without: Path | None = None
) -> Project:
    """Return the project's files: what git tracks or would track; without git, what is not hidden.

    Parameters
    ----------
    root
        The project's root.
    include
        Globs of what goes as well, relative to the root: files, or directories with all that is in them.
    exclude
        Patterns of what stays here: of a path relative to the root, or of any directory on the way to it.
    without
        A directory that never goes: the store.

    Raises
    ------
    UserError
        If this is more than a project should hold.
    """
    found = set(_tracked(root) or _visible(root))
    kept = {path for path in found if not _matches(path, NEVER)} | set(_included(root, include))
    chosen = sorted(path for path in kept if not _matches(path, exclude) and not _below(root / path, without))
    files = tuple(path for path in chosen if (root / path).is_file())
    project = Project(root, files, sum((root / path).stat().st_size for path in files))
    _refuse_too_much(project)
    return project


def copy_files(project: Project, target: Path) -> None:
    """Copy the files, so that what goes is what there was at one moment; links are followed.

    Raises
    ------
    UserError
        If one of them cannot be copied, as when it has gone meanwhile.
    """
    for path in project.files:
        place = target / path
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(project.root / path, place)
        except OSError as fault:
            raise UserError(
                f"{path} of the project cannot be copied for the containers: {fault.strerror}."
            ) from None


def _tracked(root: Path) -> list[Path] | None:
    """Return what git tracks below the root or would track; None where git has no say."""
    try:
        done = subprocess.run(
            ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            capture_output=True,
            timeout=GIT_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode != 0:
        return None
    return [Path(os.fsdecode(name)) for name in done.stdout.split(b"\0") if name]


def _visible(root: Path) -> Iterator[Path]:
    """Return every file that is not hidden, nor in a directory that is, nor in a cache or an environment."""
    for place, directories, names in os.walk(root):
        directories[:] = [name for name in directories if _is_source(Path(place, name))]
        yield from (Path(place, name).relative_to(root) for name in names if not name.startswith("."))


def _is_source(directory: Path) -> bool:
    return not (
        directory.name.startswith(".")
        or _matches(Path(directory.name), NEVER)
        or (directory / "CACHEDIR.TAG").exists()
        or (directory / "pyvenv.cfg").exists()
    )


def _included(root: Path, patterns: Iterable[str]) -> Iterator[Path]:
    """Return what patterns match; a name that never goes does so only where a pattern spells it out."""
    for pattern in patterns:
        places = _places(root, pattern)
        if not places:
            raise UserError(f"poisson_modal_include={pattern} matches nothing below {root}.")
        spelled = [step for step in Path(pattern).parts if any(map(str.isalnum, step))]
        for place in places:
            found = (each.relative_to(root) for each in ([place] if place.is_file() else place.rglob("*")))
            yield from (path for path in found if not _stays(path, spelled))


def _places(root: Path, pattern: str) -> list[Path]:
    """Return what a pattern matches below the root; nothing for one that leads out of it or is none."""
    parts = Path(pattern).parts
    if not parts or ".." in parts or Path(pattern).is_absolute():
        return []
    try:
        return list(root.glob(pattern))
    except ValueError:  # as for `**x`
        return []


def _stays(path: Path, spelled: Sequence[str]) -> bool:
    return any(
        _matches(Path(name), NEVER) and not any(fnmatch(name, step) for step in spelled)
        for name in path.parts
    )


def _matches(path: Path, patterns: Iterable[str]) -> bool:
    """Tell whether a relative path, a directory on the way to it, or one of their names matches a pattern."""
    steps = [path, *path.parents][:-1]
    return any(
        fnmatch(step.as_posix(), pattern.rstrip("/")) or fnmatch(step.name, pattern.rstrip("/"))
        for pattern in patterns
        for step in steps
    )


def _below(path: Path, directory: Path | None) -> bool:
    return directory is not None and path.is_relative_to(directory)


def _refuse_too_much(project: Project) -> None:
    if len(project.files) > MOST_FILES or project.bytes > MOST_BYTES:
        raise UserError(
            f"The project at {project.root} has {len(project.files):,} files of {project.bytes / 1e6:,.0f} MB in all, "
            f"more than the {MOST_FILES:,} files or {MOST_BYTES / 1e6:,.0f} MB that go into a container; "
            "leave some out with poisson_modal_exclude."
        )
