"""What a run was made on: recorded with it, so that a change of verdict can be traced to a change of ground."""

from __future__ import annotations

import platform
import subprocess
from importlib.metadata import distributions
from typing import TYPE_CHECKING

from pytest_poisson.secrets import command_without_secrets

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

GIT_TIMEOUT_S = 10.0


def describe_environment(root: Path, arguments: Sequence[str]) -> dict[str, object]:
    """Return Python, platform, package versions, the state of the git work tree and the command line, as JSON."""
    return {
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "platform": platform.platform(),
        "packages": _packages(),
        "git": git_state(root),
        "command": ["pytest", *command_without_secrets(arguments)],
    }


def commit_of(git: object) -> str | None:
    """Write the commit that a recorded state of a git work tree names; None where none is recorded."""
    if not isinstance(git, dict) or not isinstance(git.get("commit"), str):
        return None
    return f"{git['commit'][:12]}{' with uncommitted changes' if git.get('dirty') else ''}"


def _packages() -> dict[str, str]:
    read = (each.metadata for each in distributions())  # parsed at every access
    found = {metadata["Name"]: metadata["Version"] for metadata in read if metadata["Name"]}
    return dict(sorted(found.items(), key=lambda pair: pair[0].lower()))


def git_state(root: Path) -> dict[str, object] | None:
    """Return commit, branch and whether there are changes; None outside a work tree or without git."""
    commit = _git_output(root, "rev-parse", "HEAD")
    if commit is None:
        return None
    status = _git_output(root, "status", "--porcelain", "--untracked-files=no")
    return {
        "commit": commit,
        "branch": _git_output(root, "rev-parse", "--abbrev-ref", "HEAD"),
        "dirty": None if status is None else bool(status),
    }


def _git_output(root: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *arguments],
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=GIT_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
