"""Reliability testing in pytest for programs that do not give the same result twice.

PYTEST_DONT_REWRITE: nothing here asserts.
"""

__version__ = "0.1.0"
