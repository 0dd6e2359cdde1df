"""What is installed in containers: the project's requirements, and this session's own packages as they are here."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution, requires
from typing import TYPE_CHECKING, Any

from pytest_poisson.errors import UserError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

NONE = "none"
KNOWN = ("uv.lock", "requirements.txt", "pyproject.toml")
"""Where requirements are looked for, in this order."""

OWN_NAME = "pytest-poisson"
_FILE_AND_EXTRAS = re.compile(r"([^\[\]]+?)(?:\[([\w\s,.-]*)\])?$")
_LOCAL = re.compile(r"(-e|--editable)\b|\.{0,2}/|\.$|(\S+\s*@\s*)?file:")
_INCLUDE = re.compile(r"(?:-r|--requirement)[\s=]*(.+)")


@dataclass(frozen=True)
class Requirements:
    """What the project needs, as lines of a requirements file, or a directory whose lock file says it.

    Attributes
    ----------
    source
        Where it was read, for the reader of the plan.
    lines
        Lines that an installer takes.
    lock, extras
        The directory of `pyproject.toml` and `uv.lock`, and the extras to install from it; None without a lock.
    left_out
        Lines that name something on this machine: the project itself goes as files.
    """

    source: str
    lines: tuple[str, ...] = ()
    lock: Path | None = None
    extras: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def find_requirements(root: Path, given: str | None) -> Requirements:
    """Return what a setting names, or else what a project declares in the usual places.

    Raises
    ------
    UserError
        If the setting names no file, or one that cannot be read.
    """
    if given == NONE:
        return Requirements(NONE)
    if given is None:
        given = next((name for name in KNOWN if _declares(root / name)), None)
        return Requirements(NONE) if given is None else _read(root, given)
    return _read(root, given)


def _declares(file: Path) -> bool:
    return file.is_file() and (file.name != "pyproject.toml" or "project" in _toml(file))


def _read(root: Path, given: str) -> Requirements:
    match = _FILE_AND_EXTRAS.match(given)
    file = root / (match[1] if match else given)
    extras = tuple(re.findall(r"[\w.-]+", (match[2] if match else None) or ""))
    if not file.is_file():
        raise UserError(
            f"poisson_modal_requirements={given} names no file below {root}; a requirements file, uv.lock, "
            "pyproject.toml, pyproject.toml[extra] or none would be accepted."
        )
    if file.name == "uv.lock":
        return Requirements(given, lock=file.parent, extras=extras)
    if file.suffix == ".toml":
        return Requirements(given, tuple(_declared(file, extras)))
    lines = tuple(_lines(file))
    local = tuple(line for line in lines if _LOCAL.match(line))
    return Requirements(given, tuple(line for line in lines if line not in local), left_out=local)


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        raise UserError(f"{file} cannot be read: {getattr(fault, 'strerror', None) or fault}.") from None


def _toml(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(_text(file))
    except tomllib.TOMLDecodeError as fault:
        raise UserError(f"{file} is no TOML file: {fault}.") from None


def _declared(file: Path, extras: Iterable[str]) -> Iterator[str]:
    content = _toml(file)
    try:
        project = content.get("project", {})
        groups = {**content.get("dependency-groups", {}), **project.get("optional-dependencies", {})}
        lines = [*_listed(project.get("dependencies", [])), *_of_groups(file, groups, extras)]
    except (AttributeError, TypeError):
        lines = [None]
    if not all(isinstance(line, str) for line in lines):
        raise UserError(
            f"{file} declares its dependencies in another form than a list of texts, or of tables with include-group."
        )
    yield from lines


def _listed(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError
    return value


def _of_groups(
    file: Path, groups: Mapping[str, Any], names: Iterable[str], within: tuple[str, ...] = ()
) -> Iterator[Any]:
    """Return what extras and dependency groups list, with the groups that they include."""
    for name in names:
        if name not in groups:
            raise UserError(
                f"{file} declares no extra and no dependency group named {name!r}; it has {', '.join(groups) or 'none'}."
            )
        if name in within:
            raise UserError(f"{file} has a dependency group that includes itself: {name!r}.")
        for line in _listed(groups[name]):
            included = line.get("include-group") if isinstance(line, dict) else None
            yield from [line] if included is None else _of_groups(file, groups, [included], (*within, name))


def _lines(file: Path, within: tuple[Path, ...] = ()) -> Iterator[str]:
    """Return the lines of a requirements file and of those it includes, without comments."""
    if file.resolve() in within:
        raise UserError(f"{file} includes itself.")
    text = _text(file).replace("\\\n", " ")
    for line in (re.sub(r"(^|\s)#.*$", "", line).strip() for line in text.splitlines()):
        included = _INCLUDE.match(line)
        if included:
            yield from _lines(file.parent / included[1].strip(), (*within, file.resolve()))
        elif line:
            yield line


def session_packages(plugins: Iterable[str]) -> tuple[str, ...]:
    """Return this session's packages as they are installed here: our own requirements, and pytest's plugins.

    Parameters
    ----------
    plugins
        Names of the distributions whose plugins the session has loaded.
    """
    own = (re.split(r"[\s;<>=!~\[(]", line, maxsplit=1)[0] for line in _own_requirements())
    names = {_normal(name) for name in (*own, *plugins)} - {OWN_NAME}
    return tuple(pin for name in sorted(names) if (pin := _pin(name)) is not None)


def _own_requirements() -> list[str]:
    try:
        return [line for line in requires(OWN_NAME) or [] if "extra ==" not in line]
    except PackageNotFoundError:  # run from a source tree
        return ["numpy", "pluggy", "pytest", "scipy"]


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _pin(name: str) -> str | None:
    """Return a package at the version that is here; None where no index would have that."""
    try:
        here: Distribution = distribution(name)
    except PackageNotFoundError:
        return None
    return None if "+" in here.version or here.read_text("direct_url.json") else f"{name}=={here.version}"
