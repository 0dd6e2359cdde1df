"""Client libraries whose calls become spans, each by a maintained OpenTelemetry instrumentation package."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_poisson.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_poisson.capture.recorder import Recorder


class Instrumentation(NamedTuple):
    """One package that instruments a client: where its instrumentor is, and which module it instruments."""

    package: str
    module: str
    instrumentor: str
    client: str  # the distribution whose module it instruments


INSTRUMENTATIONS = {
    "openai": (
        Instrumentation(
            "openinference-instrumentation-openai",
            "openinference.instrumentation.openai",
            "OpenAIInstrumentor",
            "openai",
        ),
    ),
    "anthropic": (
        Instrumentation(
            "openinference-instrumentation-anthropic",
            "openinference.instrumentation.anthropic",
            "AnthropicInstrumentor",
            "anthropic",
        ),
    ),
    "litellm": (
        Instrumentation(
            "openinference-instrumentation-litellm",
            "openinference.instrumentation.litellm",
            "LiteLLMInstrumentor",
            "litellm",
        ),
    ),
    "httpx": (
        Instrumentation(
            "opentelemetry-instrumentation-httpx",
            "opentelemetry.instrumentation.httpx",
            "HTTPXClientInstrumentor",
            "httpx",
        ),
        Instrumentation(
            "opentelemetry-instrumentation-httpx",
            "opentelemetry.instrumentation.httpx",
            "HTTPX2ClientInstrumentor",
            "httpx2",
        ),
    ),
}
"""By client, as `capture` names it; httpx has a fork that newer clients use."""


def refuse_missing_packages(clients: Iterable[str]) -> None:
    """Refuse to capture what cannot be, before anything is spent.

    Raises
    ------
    UserError
        If a client or its instrumentation package is not installed.
    """
    for client in clients:
        candidates = INSTRUMENTATIONS[client]
        for package in {each.package for each in candidates}:
            if not _installed(package):
                raise UserError(
                    f"capture={client} needs the package {package}; pip install 'pytest-poisson[capture]' brings it."
                )
        if not any(_installed(each.client) for each in candidates):
            raise UserError(f"capture={client} names a client that is not installed here.")


def instrument(client: str, recorder: Recorder) -> list[Any]:
    """Instrument a client for replicates, and return what undoes it by `uninstrument()`.

    Raises
    ------
    UserError
        If the instrumentation does not accept the installed client.
    """
    refuse_missing_packages([client])
    return [
        _instrument(each, client, recorder) for each in INSTRUMENTATIONS[client] if _installed(each.client)
    ]


def _instrument(found: Instrumentation, client: str, recorder: Recorder) -> Any:
    from opentelemetry.metrics import NoOpMeterProvider

    from pytest_poisson.capture.tracer import ReplicateTracerProvider

    instrumentor = _of_our_own(getattr(import_module(found.module), found.instrumentor))
    try:
        instrumentor.instrument(
            tracer_provider=ReplicateTracerProvider(recorder, client, propagates=client != "httpx"),
            meter_provider=NoOpMeterProvider(),
            raise_exception_on_conflict=True,
        )
    except Exception as error:
        raise UserError(f"capture={client} is refused by {found.package}: {error}.") from error
    return instrumentor


def _of_our_own(instrumentor: Any) -> Any:
    """Return an instrumentor beside the one there is a process, which the program may want to use for itself."""
    state: dict[str, Any] = {"_instance": None}
    if hasattr(instrumentor, "original_litellm_funcs"):
        state |= {"original_litellm_funcs": {}, "_uninstrument": _put_litellm_back}
    return type(instrumentor.__name__, (instrumentor,), state)()


def _put_litellm_back(instrumentor: Any, **_: Any) -> None:
    """Undo what was done to LiteLLM; the package's own way forgets what a name imported from there still calls."""
    litellm = import_module("litellm")
    for name, function in instrumentor.original_litellm_funcs.items():
        setattr(litellm, name, function)


def _installed(package: str) -> bool:
    try:
        version(package)
    except PackageNotFoundError:
        return False
    return True
