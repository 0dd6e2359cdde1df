"""Files that belong together, written all or none."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_poisson.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping


def check_folder(folder: Path, *, force: bool) -> None:
    """Refuse a folder that holds something, unless it may be replaced.

    Raises
    ------
    UserError
        If the folder is not empty, or is a file.
    """
    if folder.exists() and not folder.is_dir():
        raise UserError(f"--out={folder} is a file; it takes a folder.")
    if folder.is_dir() and any(folder.iterdir()) and not force:
        raise UserError(f"--out={folder} is not empty; --force replaces what it holds.")


def check_own_folder(folder: Path, names: Collection[str], *, option: str = "--out") -> None:
    """Refuse a folder that holds anything but an earlier set of the same files, which the new one replaces.

    Raises
    ------
    UserError
        If it is a file, or holds something else.
    """
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{option}={folder} is a file; it takes a folder.")
    others = (
        sorted(each.name for each in folder.iterdir() if each.name not in names) if folder.is_dir() else []
    )
    if others:
        raise UserError(
            f"{option}={folder} holds '{others[0]}'; it takes a new folder, or one that holds {', '.join(names)} alone."
        )


def write_file(file: Path, text: str) -> None:
    """Write a file whole or not at all; what is no regular file (a pipe, a terminal) is written to as it is.

    Raises
    ------
    UserError
        If the disk refuses; a file that was there is then as it was.
    """
    draft = file.with_name(f".{file.name}.draft")
    try:
        if file.exists() and not file.is_file():
            file.write_text(text, encoding="utf-8", newline="\n")
            return
        draft.write_text(text, encoding="utf-8", newline="\n")
        draft.replace(file)
    except OSError as problem:
        with suppress(OSError):
            draft.unlink()
        raise UserError(f"File '{file}' cannot be written: {reason(problem)}.") from None


def reason(problem: OSError) -> str:
    """Say what the system refused, without its number and the names of files that nobody has named."""
    return (problem.strerror or type(problem).__name__).lower()


def write_all(folder: Path, files: Mapping[str, str], *, option: str = "--out") -> None:
    """Write files into a folder: into a new one beside it first, which then takes its place.

    Raises
    ------
    UserError
        If the disk refuses; the folder is then as it was.
    """
    folder = Path(os.path.abspath(folder))  # noqa: PTH100  resolve() would follow a link to another place
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as staging:
            made = Path(staging, "files")
            made.mkdir()
            for name, text in files.items():
                made.joinpath(name).write_text(text, encoding="utf-8", newline="\n")
            if folder.exists():
                folder.rename(Path(staging, "before"))
            try:
                made.rename(folder)
            except OSError:
                shutil.move(Path(staging, "before"), folder)
                raise
    except OSError as failure:
        raise UserError(f"{option}={folder} cannot be written: {reason(failure)}.") from None
