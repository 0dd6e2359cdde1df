"""Reliability testing in pytest for programs that do not give the same result twice.

PYTEST_DONT_REWRITE: nothing here asserts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_poisson.spans import current_rollout, current_span, span

__version__ = "0.1.0"
__all__ = ["__version__", "current_rollout", "current_span", "span"]


def __getattr__(name: str) -> Any:
    """Find what code under test may use; every pytest session loads this package, few need more of it."""
    if name in __all__:
        from pytest_poisson import spans

        return getattr(spans, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
