"""What span attributes of every convention say, read off examples of each."""

import json

import pytest

from pytest_poisson.capture.attributes import CONTENT, error_of, kind_of, model_of, read_attributes, tokens_of


@pytest.mark.parametrize(
    ("attributes", "kind"),
    [
        ({"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai"}, "llm"),
        ({"gen_ai.operation.name": "text_completion"}, "llm"),
        ({"gen_ai.operation.name": "generate_content"}, "llm"),
        ({"gen_ai.operation.name": "embeddings"}, "llm"),
        ({"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search"}, "tool"),
        ({"gen_ai.operation.name": "invoke_agent", "gen_ai.usage.input_tokens": 5}, "agent"),
        ({"gen_ai.operation.name": "retrieval"}, "retrieval"),
        ({"gen_ai.system": "openai", "gen_ai.request.model": "m"}, "llm"),
        ({"llm.request.type": "chat", "gen_ai.system": "OpenAI"}, "llm"),
        ({"llm.request.type": "rerank"}, "retrieval"),
        ({"traceloop.span.kind": "workflow"}, "agent"),
        ({"traceloop.span.kind": "tool"}, "tool"),
        ({"traceloop.span.kind": "task"}, "other"),
        ({"openinference.span.kind": "LLM"}, "llm"),
        ({"openinference.span.kind": "RETRIEVER"}, "retrieval"),
        ({"openinference.span.kind": "RERANKER"}, "retrieval"),
        ({"openinference.span.kind": "EMBEDDING"}, "llm"),
        ({"openinference.span.kind": "TOOL"}, "tool"),
        ({"openinference.span.kind": "AGENT"}, "agent"),
        ({"openinference.span.kind": "CHAIN"}, "other"),
        ({"mcp.method.name": "tools/call", "gen_ai.tool.name": "search"}, "tool"),
        ({"db.system.name": "postgresql", "db.query.text": "SELECT 1"}, "db"),
        ({"db.system": "sqlite", "db.statement": "SELECT 1"}, "db"),
        ({"http.request.method": "GET", "url.full": "http://x/"}, "http"),
        ({"http.method": "GET", "http.url": "http://x/"}, "http"),
        ({"http.request.method": "POST", "db.system.name": "elasticsearch"}, "db"),
        ({"code.function": "f"}, "other"),
        ({}, "other"),
    ],
)
def test_kinds(attributes, kind):
    """Each convention's word, or the attributes only one kind has, give the kind."""
    assert kind_of(attributes) == kind


@pytest.mark.parametrize(
    ("attributes", "tokens"),
    [
        ({"gen_ai.usage.input_tokens": 5, "gen_ai.usage.output_tokens": 2}, {"in": 5, "out": 2}),
        ({"gen_ai.usage.prompt_tokens": 5, "gen_ai.usage.completion_tokens": 2}, {"in": 5, "out": 2}),
        ({"llm.token_count.prompt": 5, "llm.token_count.completion": 2}, {"in": 5, "out": 2}),
        ({"llm.usage.prompt_tokens": 5, "llm.usage.completion_tokens": 2}, {"in": 5, "out": 2}),
        ({"gen_ai.usage.input_tokens": 5}, {"in": 5, "out": None}),
        ({"gen_ai.usage.input_tokens": 5.0}, {"in": 5, "out": None}),
        ({"gen_ai.usage.input_tokens": 5, "gen_ai.usage.output_tokens": 0}, {"in": 5, "out": 0}),
        ({"gen_ai.usage.input_tokens": 0, "gen_ai.usage.output_tokens": 0}, None),
        ({"gen_ai.usage.input_tokens": "many"}, None),
        ({"gen_ai.usage.input_tokens": True}, None),
        ({"gen_ai.usage.input_tokens": -1}, None),
        ({"gen_ai.usage.input_tokens": float("inf")}, None),
        ({"gen_ai.usage.input_tokens": 2**63}, None),
        ({"llm.token_count.total": 7}, None),
        ({}, None),
    ],
)
def test_tokens(attributes, tokens):
    """Present and older names are read; what is missing, impossible or 0 on both sides is unknown."""
    assert tokens_of(attributes) == tokens


GENAI = {
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "m",
    "gen_ai.input.messages": json.dumps([{"role": "user", "parts": [{"type": "text", "content": "hi"}]}]),
    "gen_ai.output.messages": json.dumps([{"role": "assistant", "parts": []}]),
    "gen_ai.response.finish_reasons": ("stop",),
}
OPENLLMETRY = {
    "gen_ai.prompt.0.role": "user",
    "gen_ai.prompt.0.content": "hi",
    "gen_ai.prompt.1.role": "assistant",
    "gen_ai.prompt.1.content": "hello",
    "gen_ai.completion.0.content": "so",
    "gen_ai.system": "OpenAI",
}
OPENINFERENCE_COMPLETION = {
    "llm.prompts.0.prompt.text": "hi",
    "llm.choices.0.completion.text": "so",
    "llm.model_name": "m",
}
OPENINFERENCE = {
    "openinference.span.kind": "LLM",
    "llm.input_messages.0.message.role": "user",
    "llm.input_messages.0.message.contents.0.message_content.type": "text",
    "llm.input_messages.0.message.contents.0.message_content.text": "hi",
    "llm.output_messages.0.message.content": "so",
    "llm.model_name": "m",
}


@pytest.mark.parametrize(
    ("attributes", "given", "made", "left"),
    [
        (
            GENAI,
            [{"role": "user", "parts": [{"type": "text", "content": "hi"}]}],
            [{"role": "assistant", "parts": []}],
            {"gen_ai.operation.name", "gen_ai.request.model", "gen_ai.response.finish_reasons"},
        ),
        (
            OPENLLMETRY,
            [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}],
            [{"content": "so"}],
            {"gen_ai.system"},
        ),
        (OPENINFERENCE_COMPLETION, [{"text": "hi"}], [{"text": "so"}], {"llm.model_name"}),
        (
            OPENINFERENCE,
            [{"role": "user", "contents": [{"type": "text", "text": "hi"}]}],
            [{"content": "so"}],
            {"openinference.span.kind", "llm.model_name"},
        ),
        (
            {
                "openinference.span.kind": "RETRIEVER",
                "input.value": '"hi"',
                "input.mime_type": "text/plain",
                "retrieval.documents.0.document.content": "page",
                "retrieval.documents.0.document.score": 0.5,
                "retrieval.documents.1.document.content": "leaf",
            },
            "hi",
            [{"content": "page", "score": 0.5}, "leaf_as_its_content"],
            {"openinference.span.kind"},
        ),
        ({"db.system": "sqlite", "db.statement": '"SELECT 1"'}, "SELECT 1", None, {"db.system"}),
        (
            {"gen_ai.tool.call.arguments": {"city": "Rome"}, "gen_ai.tool.call.result": '"sunny"'},
            {"city": "Rome"},
            "sunny",
            set(),
        ),
        (
            {
                "embedding.embeddings.0.embedding.text": "hi",
                "embedding.embeddings.0.embedding.vector": (0.1, 0.2),
            },
            [{"text": "hi"}],
            None,
            set(),
        ),
        (
            {**GENAI, "gen_ai.system_instructions": '[{"type":"text","content":"be kind"}]'},
            {
                "system_instructions": [{"type": "text", "content": "be kind"}],
                "messages": json.loads(GENAI["gen_ai.input.messages"]),
            },
            [{"role": "assistant", "parts": []}],
            {"gen_ai.operation.name", "gen_ai.request.model", "gen_ai.response.finish_reasons"},
        ),
    ],
)
def test_texts_are_found_and_leave_the_attributes(attributes, given, made, left):
    """Input and output are put together from wherever the convention has them; no content stays behind."""
    reading = read_attributes(attributes)
    if made and made[-1] == "leaf_as_its_content":
        made = [*made[:-1], {"content": "leaf"}]
    assert json.loads(reading.input) == given
    assert (reading.output and json.loads(reading.output)) == made
    assert set(reading.attrs) == left
    assert not any(CONTENT.match(name) for name in reading.attrs)
    assert json.dumps(reading.attrs)


@pytest.mark.parametrize(
    ("events", "given", "made"),
    [
        (
            [
                ("gen_ai.system.message", {"content": "be kind"}),
                ("gen_ai.user.message", {"content": "hi"}),
                ("gen_ai.choice", {"index": 0, "message": "so"}),
            ],
            [{"role": "system", "content": "be kind"}, {"role": "user", "content": "hi"}],
            [{"index": 0, "message": "so"}],
        ),
        (
            [
                ("gen_ai.content.prompt", {"gen_ai.prompt": '["hi"]'}),
                ("gen_ai.content.completion", {"gen_ai.completion": '["so"]'}),
            ],
            ["hi"],
            ["so"],
        ),
        (
            [("gen_ai.client.inference.operation.details", {"gen_ai.input.messages": '["hi"]'})],
            ["hi"],
            None,
        ),
    ],
)
def test_content_in_events_is_found(events, given, made):
    """Older conventions put content into events, one a message or one a side."""
    reading = read_attributes({"gen_ai.operation.name": "chat"}, events)
    assert json.loads(reading.input) == given
    assert (reading.output and json.loads(reading.output)) == made


def test_numbered_attributes_that_contradict_each_other_do_not_raise():
    """A name that is a value and a branch at once is read as far as it goes."""
    reading = read_attributes(
        {"gen_ai.prompt.0": "hi", "gen_ai.prompt.0.role": "user", "gen_ai.prompt.x.y": 1}
    )
    assert "hi" in reading.input


@pytest.mark.parametrize(
    ("attributes", "model"),
    [
        ({"gen_ai.request.model": "m", "gen_ai.response.model": "m-2024"}, "m"),
        ({"gen_ai.response.model": "m-2024"}, "m-2024"),
        ({"llm.model_name": "m"}, "m"),
        ({"llm.invocation_parameters": '{"model": "m"}'}, "m"),
        ({"llm.invocation_parameters": "not JSON"}, None),
        ({}, None),
    ],
)
def test_models(attributes, model):
    """The model that was asked for, else the one that answered, else what the parameters say."""
    assert model_of(attributes) == model


@pytest.mark.parametrize(
    ("description", "attributes", "events", "error"),
    [
        ("bad", {"error.type": "500"}, [], "bad"),
        (
            None,
            {},
            [("exception", {"exception.type": "KeyError", "exception.message": "'x'"})],
            "KeyError: 'x'",
        ),
        (None, {"http.response.status_code": 503, "error.type": "503"}, [], "HTTP 503"),
        ("", {"http.status_code": 404}, [], "HTTP 404"),
        (None, {"error.type": "timeout"}, [], "timeout"),
        (None, {}, [], "error"),
    ],
)
def test_errors(description, attributes, events, error):
    """What went wrong is the status's description, else the exception, else the HTTP status, else its type."""
    assert error_of(description, attributes, events) == error
