"""The hooks that pytest-poisson offers to other plugins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_poisson.backends import Backend
    from pytest_poisson.spans import Span


@pytest.hookspec(firstresult=True)
def pytest_poisson_backend(name: str, session: pytest.Session, workers: int | None) -> Backend | None:
    """Return the backend that `--poisson-backend` names, or None where the name is not yours.

    The first answer counts. Called once in a session that sweeps, after collection and before the plan is printed;
    nothing may start, connect or cost before `Backend.start`. `pytest_poisson.testing` holds the tests that every
    backend must pass.

    Parameters
    ----------
    name
        As given; `local` and `modal` are taken.
    session
        The collected session; its `config` has the plugin's own options.
    workers
        How many replicates are to run at a time: 0 is in this process; None leaves it to the backend.

    Raises
    ------
    pytest_poisson.errors.UserError
        If the settings are none that the backend can run with; the sentence becomes a usage error.
    """


@pytest.hookspec
def pytest_poisson_redact(span: Span) -> None:
    """Take out of a span what must not be stored.

    Called for every span of a replicate once it has ended, after the values of secret headers and the matches of
    `redact` are gone and before texts are cut. Change `span.input`, `span.output`, `span.error`, `span.name` and
    `span.attrs` in place. Where a hook raises, none of the span's texts is kept. A coroutine or a generator, which would
    redact nothing, is refused.

    Parameters
    ----------
    span
        As recorded; its texts are text.
    """
