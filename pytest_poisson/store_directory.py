"""Where a session's store is."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

    from pytest_poisson.options import Settings


def store_directory(config: pytest.Config, settings: Settings) -> Path:
    """Return the store: relative to where pytest was called if given there, else to the root directory."""
    base = config.invocation_params.dir if settings.sources["store"] in ("option", "env") else config.rootpath
    return Path(os.path.abspath(base / settings.store))  # noqa: PTH100  resolve() would follow links
