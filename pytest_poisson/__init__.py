"""Reliability testing in pytest for programs that do not give the same result twice."""

__version__ = "0.1.0"
