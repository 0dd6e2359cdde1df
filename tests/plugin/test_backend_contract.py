"""The built-in backends of this machine keep the contract of backends."""

from pytest_poisson.testing import BackendContract


class TestLocal(BackendContract):
    """Worker processes on this machine."""

    options = ("--poisson-workers=2",)
