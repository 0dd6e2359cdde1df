"""The Modal backend keeps the contract of backends."""

import pytest

from pytest_poisson.testing import BackendContract


class TestModal(BackendContract):
    """Containers on a control plane of our own, with the real client."""

    options = ("--poisson-backend=modal", "--poisson-modal-containers=2")

    @pytest.fixture(autouse=True)
    def _plane(self, plane):
        self.plane = plane
