"""The real client libraries, instrumented, against a provider on 127.0.0.1."""

import asyncio
import json

import pytest

from pytest_poisson.span_rows import trace_row
from tests.spans.provider import COMPLETION_TOKENS, PROMPT_TOKENS, provider
from tests.spans.support import capturing, recorded, tree

MESSAGES = [{"role": "user", "content": "Is it so?"}]
REPORTED = [PROMPT_TOKENS, COMPLETION_TOKENS, None, None]
UNKNOWN = [None, None, 1, None]
IN_FULL = {"stream": True, "stream_options": {"include_usage": True}}
SECRET = "sk-never-stored"


@pytest.fixture(autouse=True)
def _loopback(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")


@pytest.fixture(scope="module")
def server():
    with provider() as server:
        yield server


class OpenAI:
    """OpenAI's client."""

    name, span, model = "openai", "ChatCompletion", "{}"

    def __init__(self, server):
        import openai

        self.server, self.openai = server, openai
        self.options = {"base_url": f"{server.url}/v1", "api_key": SECRET, "max_retries": 1}

    def call(self, model, **options):
        with self.openai.OpenAI(**self.options) as client:
            answer = client.chat.completions.create(model=model, messages=MESSAGES, **options)
            return list(answer) if options.get("stream") else answer

    async def acall(self, model, **options):
        async with self.openai.AsyncOpenAI(**self.options) as client:
            answer = await client.chat.completions.create(model=model, messages=MESSAGES, **options)
            return [piece async for piece in answer] if options.get("stream") else answer


class Anthropic:
    """Anthropic's client, whose streams always report usage."""

    name, span, model = "anthropic", "messages.create", "{}"

    def __init__(self, server):
        import anthropic

        self.anthropic = anthropic
        self.options = {"base_url": server.url, "api_key": SECRET, "max_retries": 1}

    def call(self, model, stream_options=None, **options):
        with self.anthropic.Anthropic(**self.options) as client:
            answer = client.messages.create(model=model, messages=MESSAGES, max_tokens=9, **options)
            return list(answer) if options.get("stream") else answer

    async def acall(self, model, stream_options=None, **options):
        async with self.anthropic.AsyncAnthropic(**self.options) as client:
            answer = await client.messages.create(model=model, messages=MESSAGES, max_tokens=9, **options)
            return [piece async for piece in answer] if options.get("stream") else answer


class LiteLLM:
    """LiteLLM, on OpenAI's wire format."""

    name, span, model = "litellm", "completion", "openai/{}"

    def __init__(self, server):
        import litellm

        litellm.suppress_debug_info = True
        self.litellm = litellm
        self.options = {
            "api_base": f"{server.url}/v1",
            "api_key": SECRET,
            "max_retries": 1,
            "messages": MESSAGES,
        }

    def call(self, model, **options):
        answer = self.litellm.completion(model=f"openai/{model}", **self.options, **options)
        return list(answer) if options.get("stream") else answer

    async def acall(self, model, **options):
        answer = await self.litellm.acompletion(model=f"openai/{model}", **self.options, **options)
        return [piece async for piece in answer] if options.get("stream") else answer


@pytest.fixture(params=[OpenAI, Anthropic, LiteLLM], ids=lambda kind: kind.name)
def client(request, server):
    pytest.importorskip(request.param.name)
    return request.param(server)


@pytest.fixture(params=["sync", "async"])
def call(request, client):
    """Call the client, synchronously or not, and give what the replicate recorded."""

    def run(model, **options):
        with capturing(client.name) as replicate, replicate() as rollout, rollout.span("agent", "turn"):
            error = None
            try:
                if request.param == "sync":
                    client.call(model, **options)
                else:
                    asyncio.run(client.acall(model, **options))
            except Exception as raised:  # noqa: BLE001  which error it is, is the client's business
                error = raised
        return rollout, error

    return run


def llm_span(rollout):
    """Return the one llm span that has no llm span inside."""
    rows = recorded(rollout)
    inner = [row for row in rows if row.kind == 0]
    return inner[0]


@pytest.mark.filterwarnings("ignore")  # the libraries' own
@pytest.mark.parametrize(
    ("model", "options", "sums", "fails"),
    [
        ("fine", {}, REPORTED, False),
        ("fine", IN_FULL, REPORTED, False),
        ("silent", {}, UNKNOWN, False),
        ("silent", {"stream": True}, UNKNOWN, False),
        ("busy-1", {}, REPORTED, False),
        ("broken", {}, UNKNOWN, True),
        ("garbled", {}, UNKNOWN, True),
        ("cut", {}, UNKNOWN, True),
    ],
)
def test_a_call_becomes_a_span_with_what_the_provider_reported(
    server, client, call, model, options, sums, fails
):
    """Normal, streamed, retried and failing calls: request and usage are stored, unknown usage is not 0."""
    server.tries.clear()
    server.requests.clear()
    rollout, error = call(model, **options)
    assert (error is not None) == fails
    assert trace_row(rollout.trace)[:4] == sums
    span = llm_span(rollout)
    assert tree(rollout)[0] == ("agent", "turn", None)
    assert span.parent_id == "0000"
    assert "Is it so?" in span.input
    assert (span.error is not None) == fails
    assert client.model.format(model) in span.attrs
    if not fails:
        assert "It is so." in span.output
    _, headers, _ = server.requests[-1]
    assert SECRET in json.dumps(headers)
    assert SECRET not in json.dumps(trace_row(rollout.trace))


@pytest.mark.filterwarnings("ignore")  # the libraries' own
def test_a_stream_that_is_cut_keeps_what_came(client, call):
    """Where the connection ends in the middle of a stream, the span has the error and the words until then."""
    rollout, error = call("cut", stream=True)
    span = llm_span(rollout)
    assert error is not None
    assert span.error
    assert "It is" in span.output
    assert span.output.count("so.") == 0


@pytest.mark.filterwarnings("ignore")  # the libraries' own
def test_outside_a_replicate_and_after_it_nothing_is_recorded(server, client):
    """Calls outside a replicate, or in one whose rollout does not capture the client, leave no span."""
    with capturing(client.name) as replicate:
        client.call("fine")
        with replicate() as rollout:
            pass
        client.call("fine")
        with replicate() as other:
            other.recording = type(other.recording)((), 10, other.recording.rules)
            client.call("fine")
    client.call("fine")
    assert (rollout.trace, other.trace) == (None, None)


@pytest.mark.filterwarnings("ignore")  # the libraries' own
def test_http_requests_are_inside_the_call_that_made_them(server):
    """With httpx captured too, every attempt of a retried call is a span of its own, 429 among them."""
    server.tries.clear()
    client = OpenAI(server)
    with capturing("openai", "httpx") as replicate, replicate() as rollout:
        client.call("busy-1")
    assert tree(rollout) == [
        ("llm", "ChatCompletion", None),
        ("http", "POST", "ChatCompletion"),
        ("http", "POST", "ChatCompletion"),
    ]
    _, first, second = recorded(rollout)
    assert (first.error, second.error) == ("HTTP 429", None)
    assert trace_row(rollout.trace)[:3] == [PROMPT_TOKENS, COMPLETION_TOKENS, None]


@pytest.mark.parametrize("module", ["httpx", "httpx2"])
def test_plain_http_requests_become_spans(server, module):
    """Httpx and the fork that newer clients use: method, address and status, and the error of a refused connection."""
    library = pytest.importorskip(module)
    with capturing("httpx") as replicate, replicate() as rollout:
        with library.Client() as client:
            client.get(f"{server.url}/things?api_key={SECRET}")
            with pytest.raises(library.ConnectError):
                client.get("http://127.0.0.1:9/")

        async def get():
            async with library.AsyncClient() as client:
                await client.get(f"{server.url}/async", headers={"Authorization": SECRET})

        asyncio.run(get())
    found, refused, awaited = recorded(rollout)
    assert [each[0] for each in tree(rollout)] == ["http"] * 3
    assert f"{server.url}/things" in found.attrs
    assert refused.error.startswith("ConnectError")
    assert "/async" in awaited.attrs
    assert SECRET not in found.attrs + awaited.attrs


def test_a_client_without_its_package_is_refused_before_anything_runs(pytester, monkeypatch):
    """Capturing a client whose instrumentation is not installed is a usage error that says what to install."""
    from importlib import metadata

    known = metadata.version

    def version(name):
        if name == "openinference-instrumentation-anthropic":
            raise metadata.PackageNotFoundError(name)
        return known(name)

    monkeypatch.setattr("pytest_poisson.capture.clients.version", version)
    pytester.makepyfile(
        "import pytest\n@pytest.mark.rollout(replicates=2, capture=['anthropic'])\ndef test_it(rollout): pass"
    )
    result = pytester.runpytest_inprocess("--poisson-sweep", "--poisson-workers=1")
    assert result.ret == 4
    result.stderr.fnmatch_lines(
        ["*capture=anthropic needs the package openinference-instrumentation-anthropic*"]
    )
