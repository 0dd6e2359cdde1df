"""What the attributes of an OpenTelemetry span say: its kind, its texts, its tokens, and what else is kept.

Known are the GenAI semantic conventions (present and older names), OpenInference, OpenLLMetry's names, and the
conventions for databases, HTTP and MCP. Names are read here and nowhere else.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_poisson.spans import MOST_TOKENS, as_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

INPUTS = (
    "input.value",
    "gen_ai.input.messages",
    "gen_ai.prompt",
    "traceloop.entity.input",
    "gen_ai.tool.call.arguments",
    "gen_ai.retrieval.query.text",
    "db.query.text",
    "db.statement",
)
OUTPUTS = (
    "output.value",
    "gen_ai.output.messages",
    "gen_ai.completion",
    "traceloop.entity.output",
    "gen_ai.tool.call.result",
    "gen_ai.retrieval.documents",
)
"""Where texts are, the first that is there first."""

NUMBERED_INPUTS = (
    "gen_ai.prompt",
    "llm.input_messages",
    "llm.prompts",
    "reranker.input_documents",
    "embedding.embeddings",
)
NUMBERED_OUTPUTS = (
    "gen_ai.completion",
    "llm.output_messages",
    "llm.choices",
    "retrieval.documents",
    "reranker.output_documents",
)
"""Where texts are spread over numbered attributes, as in `llm.input_messages.0.message.content`."""

INSTRUCTIONS = "gen_ai.system_instructions"
CONTENT = re.compile(
    rf"^(?:{'|'.join(map(re.escape, (*INPUTS, *OUTPUTS, INSTRUCTIONS, 'input.mime_type', 'output.mime_type')))}"
    rf"|(?:{'|'.join(map(re.escape, (*NUMBERED_INPUTS, *NUMBERED_OUTPUTS)))})\.\d+(?:\..*)?)$"
)
"""The attributes that are content, or describe it, and so do not stay among the others."""

BESIDE = re.compile(
    r"^(?:db\.(?:query|operation)\.parameter\..*|db\.statement\.parameters|(?:input|output)\.(?:images|documents)\b.*"
    r"|llm\.prompt_template\.(?:template|variables)|llm\.function_call|tool\.parameters|gen_ai\.evaluation\.explanation"
    r"|(?:pydantic_ai\.)?all_messages(?:_events)?|events|final_result|tool_arguments|tool_response"
    r"|ai\.prompt(?:\..*)?|ai\.response\.(?:text|object|toolCalls|reasoning)|ai\.toolCall\.(?:args|result))$"
)
"""The attributes that are content beside input and output; they stay among the others where content is kept.

The last are Pydantic AI's and those of Vercel's AI SDK, which come in files of spans.
"""

PARAMETERS = re.compile(r"^(?:llm|embedding)\.invocation_parameters$")
SPOKEN = ("contents", "input", "instructions", "messages", "prediction", "prompt", "suffix", "system")
"""What of a call's parameters is content."""

TOKENS_IN = (
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.prompt_tokens",
    "llm.token_count.prompt",
    "llm.usage.prompt_tokens",
)
TOKENS_OUT = (
    "gen_ai.usage.output_tokens",
    "gen_ai.usage.completion_tokens",
    "llm.token_count.completion",
    "llm.usage.completion_tokens",
)

MODELS = (
    "gen_ai.request.model",
    "llm.request.model",
    "llm.model_name",
    "gen_ai.response.model",
    "llm.response.model",
    "embedding.model_name",
    "reranker.model_name",
    "model",
)
"""Where the model is named, the one that was asked for before the one that answered."""

HTTP_STATUS = ("http.response.status_code", "http.status_code")

_BY_WORD = {
    "openinference.span.kind": {
        "LLM": "llm",
        "EMBEDDING": "llm",
        "TOOL": "tool",
        "RETRIEVER": "retrieval",
        "RERANKER": "retrieval",
        "AGENT": "agent",
    },
    "gen_ai.operation.name": {
        "chat": "llm",
        "text_completion": "llm",
        "generate_content": "llm",
        "embeddings": "llm",
        "execute_tool": "tool",
        "retrieval": "retrieval",
        "invoke_agent": "agent",
        "create_agent": "agent",
        "invoke_workflow": "agent",
    },
    "traceloop.span.kind": {"tool": "tool", "agent": "agent", "workflow": "agent"},
    "llm.request.type": {"chat": "llm", "completion": "llm", "embedding": "llm", "rerank": "retrieval"},
    "mcp.method.name": {"tools/call": "tool"},
}
_ONE_SIDED = {
    "openinference.span.kind": ("embedding", "reranker"),
    "gen_ai.operation.name": ("embeddings",),
    "llm.request.type": ("embedding", "rerank"),
}
_BY_PRESENCE = (
    ("tool", ("gen_ai.tool.name", "tool.name")),
    ("llm", (*TOKENS_IN, *TOKENS_OUT, "gen_ai.request.model", "llm.request.model", "llm.model_name")),
    ("db", ("db.system.name", "db.system")),
    ("http", ("http.request.method", "http.method", "url.full", "http.url")),
)

_MESSAGE_EVENT = re.compile(r"^gen_ai\.(system|user|assistant|tool)\.message$")


class Reading(NamedTuple):
    """What a span's attributes say."""

    kind: str
    input: str | None
    output: str | None
    tokens: dict[str, int | None] | None
    attrs: dict[str, Any]


def read_attributes(
    attributes: Mapping[str, Any], events: Iterable[tuple[str, Mapping[str, Any]]] = ()
) -> Reading:
    """Read a span's attributes and events.

    Parameters
    ----------
    attributes
        By name, as OpenTelemetry allows them.
    events
        Name and attributes of each; older GenAI instrumentations put content there.
    """
    found = {**_from_events(events), **attributes}
    return Reading(
        kind=kind_of(found),
        input=_with_instructions(_text(found, INPUTS, NUMBERED_INPUTS), found),
        output=_text(found, OUTPUTS, NUMBERED_OUTPUTS),
        tokens=tokens_of(found),
        attrs={
            name: list(value) if isinstance(value, tuple) else value
            for name, value in attributes.items()
            if not CONTENT.match(name) and name not in TOKENS_IN and name not in TOKENS_OUT
        },
    )


def without_content(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Return attributes without those that are content, for where none is kept."""
    return {
        name: _without_spoken(value) if PARAMETERS.match(name) else value
        for name, value in attributes.items()
        if not BESIDE.match(name)
    }


def _without_spoken(parameters: Any) -> str | None:
    found = _parsed(parameters)
    if not isinstance(found, dict):
        return None
    return as_text({name: value for name, value in found.items() if name not in SPOKEN})


def kind_of(attributes: Mapping[str, Any]) -> str:
    """Return the kind of span that attributes describe."""
    for name, kinds in _BY_WORD.items():
        kind = kinds.get(str(attributes.get(name)))
        if kind is not None:
            return kind
    for kind, names in _BY_PRESENCE:
        if any(name in attributes for name in names):
            return kind
    return "other"


def tokens_of(attributes: Mapping[str, Any]) -> dict[str, int | None] | None:
    """Return the usage that was reported, or None.

    No call takes nothing and gives nothing: where both counts are 0, an instrumentation did not know.
    """
    tokens = {"in": _count(attributes, TOKENS_IN), "out": _count(attributes, TOKENS_OUT)}
    return tokens if any(tokens.values()) else None


def model_of(attributes: Mapping[str, Any]) -> str | None:
    """Return the model that a span's attributes name, or None."""
    named = next((attributes[name] for name in MODELS if attributes.get(name)), None)
    if named is None:  # all that some instrumentations say of a call that failed
        parameters = _parsed(attributes.get("llm.invocation_parameters"))
        named = parameters.get("model") if isinstance(parameters, dict) else None
    return None if named is None else str(named)


def gives_no_tokens(attributes: Mapping[str, Any]) -> bool:
    """Tell whether a call is of a kind that only takes tokens, as that for an embedding."""
    return any(str(attributes.get(name)).lower() in words for name, words in _ONE_SIDED.items())


def error_of(
    description: str | None,
    attributes: Mapping[str, Any],
    events: Iterable[tuple[str, Mapping[str, Any]]] = (),
) -> str:
    """Return what went wrong in a span whose status says that something did."""
    if description:
        return description
    raised = [event for name, event in events if name == "exception"]
    if raised:
        return f"{raised[-1].get('exception.type')}: {raised[-1].get('exception.message')}"
    status = next((attributes[name] for name in HTTP_STATUS if name in attributes), None)
    return f"HTTP {status}" if status is not None else str(attributes.get("error.type") or "error")


def _count(attributes: Mapping[str, Any], names: Iterable[str]) -> int | None:
    for name in names:
        value = attributes.get(name)
        if (
            isinstance(value, (int, float))
            and not isinstance(value, bool)
            and 0 <= value <= MOST_TOKENS
            and value == int(value)
        ):
            return int(value)
    return None


def _text(attributes: Mapping[str, Any], names: Iterable[str], numbered: Iterable[str]) -> str | None:
    for name in names:
        if attributes.get(name) is not None:
            return as_text(attributes[name])
    for prefix in numbered:
        nested = _nested(attributes, prefix)
        if nested:
            return as_text(nested)
    return None


def _nested(attributes: Mapping[str, Any], prefix: str) -> Any:
    """Return the list that numbered attributes spell out: `prefix.0.role`, `prefix.0.content`, …."""
    root: dict[str, Any] = {}
    for name, value in attributes.items():
        *path, last = name.removeprefix(f"{prefix}.").split(".")
        if name.startswith(f"{prefix}.") and (path or [last])[0].isdecimal() and last != "vector":
            place: Any = root
            for step in path:
                place = place.setdefault(step, {}) if isinstance(place, dict) else {}
            if isinstance(place, dict):
                place[last] = value
    return _lists(root) if root else []


def _lists(value: Any) -> Any:
    """Turn mappings whose names are numbers into lists, at any depth; drop OpenInference's one-name wrappers."""
    if not isinstance(value, dict):
        return list(value) if isinstance(value, tuple) else value
    if value and all(name.isdecimal() for name in value):
        return [_lists(value[name]) for name in sorted(value, key=int)]
    if len(value) == 1 and next(iter(value)) in _WRAPPERS:
        return _lists(next(iter(value.values())))
    return {name: _lists(item) for name, item in value.items()}


_WRAPPERS = ("message", "document", "tool_call", "message_content", "prompt", "completion", "embedding")


def _with_instructions(text: str | None, attributes: Mapping[str, Any]) -> str | None:
    """Put the instructions before the messages, which the newest conventions keep apart."""
    instructions = attributes.get(INSTRUCTIONS)
    if instructions is None or "input.value" in attributes:
        return text
    return as_text({"system_instructions": _parsed(instructions), "messages": _parsed(text)})


def _parsed(value: Any) -> Any:
    if isinstance(value, str):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


def _from_events(events: Iterable[tuple[str, Mapping[str, Any]]]) -> dict[str, Any]:
    """Return what events say as the attributes that would say it."""
    found: dict[str, Any] = {}
    given: list[dict[str, Any]] = []
    made: list[dict[str, Any]] = []
    for name, attributes in events:
        message = _MESSAGE_EVENT.match(name)
        if message:
            given.append({"role": message[1], **attributes})
        elif name == "gen_ai.choice":
            made.append(dict(attributes))
        elif name.startswith("gen_ai."):
            found.update(attributes)
    if given:
        found["gen_ai.input.messages"] = given
    if made:
        found["gen_ai.output.messages"] = made
    return found
