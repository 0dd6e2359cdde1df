"""A job's paths, from the machine that controls the sweep to a container that holds a copy of the project."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_poisson.job import Job


NO_PATHS = ("-k", "-m", "-p", "-W")
"""Options whose values may look like a path and are none."""


def anchored(job: Job, root: str) -> Job:
    """Return the job as it can be given to a machine that has the project only: nothing relative to elsewhere.

    The root directory is said, since what it is found by may lie above it. Where pytest was called outside the
    project, arguments that are paths into it become absolute, and the project becomes the directory to run in.
    """
    said = f"--rootdir={root}"
    if _inside(job.directory, root):
        return replace(job, arguments=(said, *job.arguments))
    before = ("", *job.arguments)
    arguments = tuple(
        argument if option in NO_PATHS else _absolute(argument, Path(job.directory), root)
        for option, argument in zip(before, job.arguments, strict=False)
    )
    return replace(job, arguments=(said, *arguments), directory=root)


def relocated(job: Job, root: str, new_root: str, import_path: Iterable[str]) -> Job:
    """Return the job with `new_root` for `root` in every path; imports go on with this machine's own path."""
    pattern = re.compile(rf"(?<![^=,:;\s]){re.escape(root)}(?![^/\\,:;\s])")
    moved = [pattern.sub(lambda _: new_root, path) for path in job.import_path if _inside(path, root)]
    return replace(
        job,
        arguments=tuple(pattern.sub(lambda _: new_root, argument) for argument in job.arguments),
        directory=pattern.sub(lambda _: new_root, job.directory),
        import_path=(*moved, *import_path),
    )


def _inside(path: str, root: str) -> bool:
    return path == "" or Path(path).is_relative_to(root)


def _absolute(argument: str, directory: Path, root: str) -> str:
    path, colons, rest = argument.partition("::")
    place = directory / path
    if path and not path.startswith("-") and place.exists() and _inside(str(place.resolve()), root):
        return f"{place.resolve()}{colons}{rest}"
    return argument
