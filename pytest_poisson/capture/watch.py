"""Putting our processor into every provider of the OpenTelemetry SDK, as soon as the program loads the SDK."""

from __future__ import annotations

import functools
import gc
import importlib.util
import sys
from importlib.abc import Loader, MetaPathFinder
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from importlib.machinery import ModuleSpec
    from types import ModuleType

    from pytest_poisson.capture.recorder import Recorder

SDK = "opentelemetry.sdk.trace"


class SdkWatch(MetaPathFinder):
    """Costs nothing until the SDK is loaded, and nothing at all where it never is.

    The providers that the program makes keep their own processors and exporters; ours is one more, and the global
    provider is whichever the program sets.
    """

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._searching = False
        self._undo: Callable[[], None] = _nothing

    def start(self) -> None:
        """Attach to the SDK now where it is loaded, else when it is."""
        loaded = sys.modules.get(SDK)
        if loaded is None:
            sys.meta_path.insert(0, self)
            return
        self._attach(loaded)

    def stop(self) -> None:
        """Leave the SDK as it was; providers that were made meanwhile keep a processor that does nothing."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        self._undo()
        self._undo = _nothing

    def find_spec(self, name: str, *_: Any) -> ModuleSpec | None:
        """Let the SDK be found as always, and be told when it has been executed."""
        if name != SDK or self._searching:
            return None
        self._searching = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._searching = False
        if spec is not None and spec.loader is not None:
            spec.loader = _TellingLoader(spec.loader, self._loaded)
        return spec

    def _loaded(self, module: ModuleType) -> None:
        if self in sys.meta_path:
            sys.meta_path.remove(self)
            self._attach(module)

    def _attach(self, sdk: Any) -> None:
        from pytest_poisson.capture.processor import ReplicateSpanProcessor

        processor, provider = ReplicateSpanProcessor(self._recorder), sdk.TracerProvider
        made = provider.__init__

        @functools.wraps(made)
        def init(self: Any, *args: Any, **kwargs: Any) -> None:
            made(self, *args, **kwargs)
            self.add_span_processor(processor)

        kinds = tuple(_with_subclasses(provider))
        for existing in gc.get_objects():
            # Among all objects there are: `isinstance` runs code of theirs, and `issubclass` the provider's, an ABC's.
            if any(type(existing) is kind for kind in kinds):
                existing.add_span_processor(processor)
        provider.__init__ = init

        def undo() -> None:
            processor.is_over = True
            if provider.__init__ is init:
                provider.__init__ = made

        self._undo = undo


class _TellingLoader(Loader):
    """Loads as another loader does, then says so."""

    def __init__(self, loader: Any, loaded: Callable[[ModuleType], None]) -> None:
        self._loader = loader
        self._tell = loaded

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        module: ModuleType | None = self._loader.create_module(spec)
        return module

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        self._tell(module)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)


def _with_subclasses(kind: type[object]) -> Iterator[type[object]]:
    yield kind
    for below in kind.__subclasses__():
        yield from _with_subclasses(below)


def _nothing() -> None:
    """Undo nothing."""
