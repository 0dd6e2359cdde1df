"""Spans from files: OTLP JSON and LiteLLM's log, into the episodes they name."""

import json

import pytest

from poisson_store import Store
from poisson_store.records import Tokens
from pytest_poisson.analyses.episode_trace import trace_episode
from pytest_poisson.cli import main
from pytest_poisson.content import ContentRules
from pytest_poisson.errors import UserError
from pytest_poisson.span_files.attach import NO_IDENTITY, attach_spans
from pytest_poisson.span_files.litellm_log import read_litellm
from pytest_poisson.span_files.otlp import read_otlp
from pytest_poisson.spans import IDENTITY
from tests.priced_runs import REFUND, write_priced
from tests.spans.provider import COMPLETION_TOKENS, PROMPT_TOKENS, provider
from tests.spans.support import new_rollout


def attribute(name, value):
    kinds = {str: "stringValue", bool: "boolValue", float: "doubleValue"}
    tagged = {"intValue": str(value)} if type(value) is int else {kinds[type(value)]: value}
    return {"key": name, "value": tagged}


def otlp_span(span_id, parent=None, trace="t1", start=1, end=5, status=None, events=(), **attributes):
    """Write a span as OTLP JSON has it: ids in hex, 64-bit numbers as text."""
    return {
        "traceId": trace,
        "spanId": span_id,
        **({"parentSpanId": parent} if parent else {"parentSpanId": ""}),
        "name": f"span {span_id}",
        "kind": 3,
        "startTimeUnixNano": str(start),
        "endTimeUnixNano": str(end),
        "attributes": [attribute(name.replace("__", "."), value) for name, value in attributes.items()],
        "status": status or {},
        "events": list(events),
    }


def otlp_document(*spans, **resource):
    shared = [attribute(name.replace("__", "."), value) for name, value in resource.items()]
    return {
        "resourceSpans": [
            {"resource": {"attributes": shared}, "scopeSpans": [{"scope": {}, "spans": list(spans)}]}
        ]
    }


def names(replicate=0, run="traced", condition=REFUND.key):
    return {"poisson__run_id": run, "poisson__condition": condition, "poisson__replicate": replicate}


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "store")
    write_priced(store)
    return store


def attach(store, tmp_path, text, read, **rules):
    file = tmp_path / "spans.json"
    file.write_text(text if isinstance(text, str) else json.dumps(text), encoding="utf-8")
    return attach_spans(store, "traced", [file], read, ContentRules(**rules))


def spans_of(store, replicate):
    with store.open("traced") as reader:
        (episode,) = reader.episodes(REFUND.key, replicate, spans=True)
    return episode


def test_an_otlp_span_is_stored_as_it_would_have_been_recorded(store, tmp_path):
    """Kind, texts, tokens, times, parent and error come out of OTLP's own forms."""
    llm = otlp_span(
        "aa11",
        start=100,
        end=900,
        gen_ai__operation__name="chat",
        gen_ai__usage__input_tokens=12,
        input__value="hi",
        flag=True,
        ratio=0.5,
        **names(2),
    )
    tool = otlp_span(
        "bb22",
        "aa11",
        status={"code": 2},
        events=[
            {
                "name": "exception",
                "attributes": [attribute("exception.type", "KeyError"), attribute("exception.message", "x")],
            }
        ],
        gen_ai__operation__name="execute_tool",
    )
    result = attach(store, tmp_path, otlp_document(llm, tool), read_otlp)
    assert (result.read, result.added, result.left_out) == (2, 2, {})
    episode = spans_of(store, 2)
    first, second = episode.spans
    assert (first.kind, first.span_id, first.start_ns, first.end_ns) == ("llm", "aa11", 100, 900)
    assert (first.input, first.tokens, first.attrs["flag"], first.attrs["ratio"]) == (
        "hi",
        Tokens(12, None),
        True,
        0.5,
    )
    assert (second.kind, second.parent_id, second.error) == ("tool", "aa11", "KeyError: x")
    assert (episode.tokens_in, episode.unknown_usage) == (12, None)


def test_the_replicate_is_named_by_the_span_its_ancestor_its_resource_or_its_trace(store, tmp_path):
    """Each way is followed; what nothing names, or what several name, is left out."""
    documents = [
        otlp_document(
            otlp_span("a0", trace="own", **names(0)),
            otlp_span("a1", "a0", trace="own"),
            otlp_span("a2", "a1", trace="own"),
            otlp_span("a3", trace="own"),  # a root beside, in a trace that names one replicate
        ),
        otlp_document(otlp_span("b0", trace="resource"), **names(1)),
        otlp_document(
            otlp_span("c0", trace="both", **names(0)),
            otlp_span("c1", trace="both", **names(1)),
            otlp_span("c2", trace="both"),
        ),
        otlp_document(otlp_span("d0", trace="none")),
    ]
    result = attach(store, tmp_path, "\n".join(map(json.dumps, documents)), read_otlp)
    assert (result.read, result.added) == (9, 7)
    assert result.left_out == {"name no run, condition and replicate": 2}
    assert {span.span_id for span in spans_of(store, 0).spans} >= {"a0", "a1", "a2", "a3", "c0"}
    assert {span.span_id for span in spans_of(store, 1).spans} >= {"b0", "c1"}


def test_what_is_of_something_else_is_counted_and_left_out(store, tmp_path):
    """Other runs, unknown conditions, replicates that are not stored, and spans that came before, by reason."""
    document = otlp_document(
        otlp_span("a", trace="1", **names(0)),
        otlp_span("b", trace="2", **names(0, run="another")),
        otlp_span("c", trace="3", **names(0, condition="0" * 16)),
        otlp_span("d", trace="4", **names(9)),
        otlp_span("e", trace="5", **{**names(0), "poisson__replicate": "first"}),
    )
    attach(store, tmp_path, document, read_otlp)
    again = attach(store, tmp_path, document, read_otlp)
    assert again.added == 0
    assert again.left_out == {
        "are in the run already": 1,
        "are of a condition that the run does not have": 1,
        "are of a replicate that is not stored": 1,
        "are of another run": 1,
        "name no run, condition and replicate": 1,
    }
    assert sum(again.left_out.values()) == again.read


def test_imported_texts_keep_the_rules_of_recorded_ones(store, tmp_path):
    """Secrets go, content is left out or cut as asked."""
    span = otlp_span(
        "a", input__value="key sk-1", http__request__header__authorization="Bearer s3cret", **names(0)
    )
    import re

    attach(
        store, tmp_path, otlp_document(span), read_otlp, capture_content=False, redact=(re.compile("sk-.*"),)
    )
    (stored,) = [each for each in spans_of(store, 0).spans if each.span_id == "a"]
    assert (stored.input, stored.input_cut.bytes) == (None, len("key [redacted]"))
    assert "s3cret" not in json.dumps(dict(stored.attrs))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("not JSON", "is no OTLP JSON file"),
        ("{}", "has no resourceSpans"),
        ('{"resourceSpans": 3}', "is no OTLP JSON file"),
        (json.dumps(otlp_document({"traceId": "t"})), "KeyError 'spanId'"),
        (json.dumps(otlp_document(otlp_span("a"))) + "\n{broken", "line 2"),
        ("", "is no OTLP JSON file"),
        (json.dumps(otlp_document(otlp_span("a", start=1 << 63))), "from 1970 to 2262"),
        (json.dumps(otlp_document({**otlp_span("a"), "endTimeUnixNano": 1e999})), "infinity"),
    ],
)
def test_a_file_that_is_none_is_refused_and_nothing_is_added(store, tmp_path, text, words):
    """The sentence names the file and what is wrong with it."""
    before = spans_of(store, 0)
    with pytest.raises(UserError, match=r"spans\.json") as refusal:
        attach(store, tmp_path, text, read_otlp)
    assert words in str(refusal.value)
    assert spans_of(store, 0) == before


def test_blank_lines_a_byte_order_mark_and_null_are_no_faults(store, tmp_path):
    """Tools write them: PowerShell the mark, and whatever turns Protocol Buffers into JSON null for what is empty."""
    empty = {"resourceSpans": [{"resource": None, "scopeSpans": [{"spans": None}]}]}
    bare = {**otlp_span("b", **names(1)), "events": None, "status": None}
    lines = [otlp_document(otlp_span("a", **names(0))), empty, otlp_document(bare)]
    text = "\ufeff\n" + "\n\n".join(map(json.dumps, lines)) + "\n"
    assert attach(store, tmp_path, text, read_otlp).added == 2


def test_a_span_does_not_end_before_it_starts(store, tmp_path):
    """Where the clocks of two machines disagree, a span takes no time."""
    attach(store, tmp_path, otlp_document(otlp_span("a", start=900, end=0, **names(0))), read_otlp)
    (stored,) = [each for each in spans_of(store, 0).spans if each.span_id == "a"]
    assert (stored.start_ns, stored.end_ns) == (900, 900)


def test_a_replicate_that_has_no_number_of_64_bits_is_left_out(store, tmp_path):
    """A span that names such a replicate names none."""
    result = attach(store, tmp_path, otlp_document(otlp_span("a", **names("9" * 30))), read_otlp)
    assert dict(result.left_out) == {NO_IDENTITY: 1}


def test_spans_in_a_circle_are_shown_once(store, tmp_path):
    """Spans that a file has inside of each other, or of themselves, are all in the tree."""
    spans = [otlp_span(*pair, **names(0)) for pair in ("ab", "ba", "ca", "dd")]
    attach(store, tmp_path, otlp_document(*spans), read_otlp)
    with store.open("traced") as reader:
        nodes = trace_episode(reader, condition=REFUND.key, replicate=0).nodes
        stored = spans_of(store, 0).spans
    assert sorted(node.span.span_id for node in nodes) == sorted(span.span_id for span in stored)
    assert {node.span.span_id: node.depth for node in nodes}["b"] == 1


def entry(**changes):
    """Write an entry of LiteLLM's spend log, whose columns are text."""
    return {
        "request_id": "req-1",
        "call_type": "acompletion",
        "startTime": "2026-01-02T03:04:05.500000+00:00",
        "endTime": "2026-01-02T03:04:06Z",
        "prompt_tokens": 11,
        "completion_tokens": 3,
        "model": "gpt-x-2026",
        "model_group": "gpt-x",
        "spend": 0.25,
        "metadata": json.dumps(
            {"spend_logs_metadata": dict(zip(IDENTITY, ("traced", REFUND.key, "2"), strict=True))}
        ),
        "messages": [{"role": "user", "content": "hi"}],
        "response": json.dumps({"id": "chatcmpl-7"}),
        "status": "success",
        **changes,
    }


def test_an_entry_of_the_spend_log_becomes_an_llm_span(store, tmp_path):
    """Times in both forms, usage, model, request and answer; JSON that is text is read."""
    result = attach(store, tmp_path, {"data": [entry()]}, read_litellm)
    assert (result.added, result.left_out) == (1, {})
    (span,) = spans_of(store, 2).spans
    assert (span.kind, span.name, span.tokens) == ("llm", "acompletion", Tokens(11, 3))
    assert (span.start_ns, span.end_ns) == (1767323045500000000, 1767323046000000000)
    assert span.attrs["gen_ai.request.model"] == "gpt-x"
    assert span.attrs["litellm.spend"] == 0.25
    assert json.loads(span.input) == [{"role": "user", "content": "hi"}]
    assert span.error is None


def test_a_failed_call_has_its_error_and_unknown_usage(store, tmp_path):
    """An entry with 0 tokens on both sides reports nothing."""
    failed = entry(
        prompt_tokens=0, completion_tokens=0, status="failure", response={}, error_str="429 slow down"
    )
    attach(store, tmp_path, [failed], read_litellm)
    episode = spans_of(store, 2)
    assert (episode.spans[0].error, episode.spans[0].tokens, episode.spans[0].output) == (
        "429 slow down",
        None,
        None,
    )
    assert episode.unknown_usage == 1


def test_a_call_that_the_client_recorded_too_counts_once(store, tmp_path):
    """An entry whose answer a recorded span has is put inside of it; the sums do not double."""
    attach(
        store,
        tmp_path,
        otlp_document(
            otlp_span(
                "c1",
                gen_ai__operation__name="chat",
                gen_ai__usage__input_tokens=11,
                output__value='{"id":"chatcmpl-7"}',
                **names(2),
            )
        ),
        read_otlp,
    )
    attach(store, tmp_path, [entry()], read_litellm)
    episode = spans_of(store, 2)
    assert [(span.span_id, span.parent_id) for span in episode.spans] == [("c1", None), ("req-1", "c1")]
    assert (episode.tokens_in, episode.tokens_out) == (11, 3)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[{}]", "KeyError 'id'"),
        ('[{"id": "x"}]', "KeyError 'startTime'"),
        ('[{"id":"x","startTime":"noon","endTime":1}]', "noon"),
        ("[3]", "is no LiteLLM log"),
        ('[{"id":"x","startTime":1e300,"endTime":1}]', "from 1970 to 2262"),
        ('[{"id":"x","startTime":"0001-01-01T00:00:00","endTime":1}]', "from 1970 to 2262"),
    ],
)
def test_a_log_that_is_none_is_refused(store, tmp_path, text, words):
    """The sentence names the file and what is missing."""
    with pytest.raises(UserError, match=r"spans\.json is no LiteLLM log") as refusal:
        attach(store, tmp_path, text, read_litellm)
    assert words in str(refusal.value)


@pytest.mark.filterwarnings("ignore")  # the library's own
def test_what_litellm_really_logs_is_imported(store, tmp_path, monkeypatch):
    """A standard logging payload, made by LiteLLM itself of a call on loopback, finds its replicate."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    litellm = pytest.importorskip("litellm")
    from litellm.integrations.custom_logger import CustomLogger

    payloads = []

    class Keep(CustomLogger):
        def log_success_event(self, kwargs, response_obj, start_time, end_time):
            payloads.append(json.loads(json.dumps(kwargs["standard_logging_object"], default=str)))

    rollout = new_rollout()
    rollout.run_id, rollout.condition = "traced", REFUND
    rollout.replicate = 2
    monkeypatch.setattr(litellm, "callbacks", [Keep()])
    with provider() as server:
        litellm.completion(
            model="openai/fine",
            api_base=f"{server.url}/v1",
            api_key="k",
            messages=[{"role": "user", "content": "hi"}],
            metadata={"requester_metadata": rollout.identity},
        )
    import time

    until = time.monotonic() + 20
    while not payloads and time.monotonic() < until:
        time.sleep(0.02)
    result = attach(store, tmp_path, payloads, read_litellm)
    assert (result.read, result.added) == (1, 1)
    (span,) = spans_of(store, 2).spans
    assert span.tokens == Tokens(PROMPT_TOKENS, COMPLETION_TOKENS)
    assert span.end_ns > span.start_ns > 1_700_000_000 * 10**9


def test_the_command_says_what_became_of_every_span(store, tmp_path, capsys):
    """Text and JSON account for what was read."""
    file = tmp_path / "spans.json"
    file.write_text(json.dumps(otlp_document(otlp_span("a", **names(0)), otlp_span("b", trace="x"))))
    command = ["import", "otlp", str(file), "--run=traced", f"--store={store.path}"]
    assert main(command) == 0
    assert capsys.readouterr().out == (
        "2 spans in 1 file: 1 added to run traced, 1 left out.\n  1 name no run, condition and replicate\n"
    )
    assert main([*command, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "pytest-poisson.import-spans/1"
    assert (document["read"], document["added"]) == (2, 0)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["otlp", "f"], "import otlp needs --run, the run whose episodes the spans belong to."),
        (["litellm", "f", "--run=r", "--name=n"], "import litellm takes no --name."),
        (["otlp", "f", "--run=r", "--pass", "yes"], "import otlp takes no --pass."),
        (["otlp", "f", "--run=r", "--redact=("], "'(' must be a regular expression"),
        (["junit", "f"], "import junit needs --name, the name of the run they become."),
        (["junit", "f", "--name=n", "--run=r"], "import junit takes no --run."),
        (["junit", "f", "--name=n", "--no-content"], "import junit takes no --no-content."),
    ],
)
def test_options_of_the_other_sort_of_import_are_refused(capsys, arguments, words):
    """Spans go into a run that is named, results become a run that gets a name; neither takes the other's options."""
    assert main(["import", *arguments]) == 2
    assert words in capsys.readouterr().err
