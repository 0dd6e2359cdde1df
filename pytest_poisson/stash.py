"""What a pytest config carries through a session, for modules that the plugin imports only when they are needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_poisson.capture.session import CaptureSession
    from pytest_poisson.collect import CollectedCondition
    from pytest_poisson.options import Settings

SETTINGS: pytest.StashKey[Settings] = pytest.StashKey()
IN_WORKER: pytest.StashKey[bool] = pytest.StashKey()
COLLECTED: pytest.StashKey[Sequence[CollectedCondition]] = pytest.StashKey()
"""Every condition that was collected, before anything was deselected."""
CAPTURE: pytest.StashKey[CaptureSession] = pytest.StashKey()
"""What sees inside the replicates that run in this process."""
