"""What is shipped, built once: an sdist of this tree, and the wheel that comes out of that sdist."""

import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def sdist(tmp_path_factory):
    """Return the path of an sdist of this tree."""
    return _built("sdist", ROOT, tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="session")
def unpacked(sdist, tmp_path_factory):
    """Return the root of the unpacked sdist."""
    room = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(sdist) as packed:
        packed.extractall(room)
    (root,) = room.iterdir()
    return root


@pytest.fixture(scope="session")
def wheel(unpacked, tmp_path_factory):
    """Return the path of the wheel that the sdist makes."""
    return _built("wheel", unpacked, tmp_path_factory.mktemp("wheel"))


def _built(target, source, room):
    command = [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", str(room)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    (made,) = room.glob("*.*")
    return made
