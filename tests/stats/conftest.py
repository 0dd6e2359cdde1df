"""Examples are the same in every run, and none is failed for being slow on a busy machine."""

from hypothesis import settings

settings.register_profile("statistics", deadline=None, derandomize=True)
settings.load_profile("statistics")
