"""What a process that runs replicates has switched on to see inside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_poisson.capture.recorder import Recorder
from pytest_poisson.capture.watch import SdkWatch

if TYPE_CHECKING:
    from collections.abc import Iterable


class CaptureSession:
    """Watches for the OpenTelemetry SDK and instruments clients, from configuration to the end of the process's work."""

    def __init__(self) -> None:
        self.recorder = Recorder()
        self._watch = SdkWatch(self.recorder)
        self._instrumented: dict[str, list[Any]] = {}

    def start(self, clients: Iterable[str]) -> None:
        """Begin, before the suite is imported: a name that it imports from a client is then the instrumented one.

        Raises
        ------
        UserError
            If a client cannot be captured.
        """
        self._watch.start()
        self.add(clients)

    def add(self, clients: Iterable[str]) -> None:
        """Instrument clients that are not yet.

        Raises
        ------
        UserError
            If a client cannot be captured.
        """
        for client in clients:
            if client not in self._instrumented:
                from pytest_poisson.capture.clients import instrument

                self._instrumented[client] = instrument(client, self.recorder)

    def stop(self) -> None:
        """Leave everything as it was."""
        self._watch.stop()
        for instrumentors in self._instrumented.values():
            for instrumentor in instrumentors:
                instrumentor.uninstrument()
        self._instrumented = {}
