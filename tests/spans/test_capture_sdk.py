"""A program that is instrumented with the OpenTelemetry SDK: its spans become ours, its tracing stays its own."""

import asyncio
import contextvars
import json
import sys
import threading

import pytest
from opentelemetry import context, trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.id_generator import IdGenerator
from opentelemetry.trace import Status, StatusCode

import pytest_poisson
from pytest_poisson.span_rows import UNFINISHED, trace_row
from tests.spans.provider import provider
from tests.spans.support import capturing, recorded, tree


class Counting(IdGenerator):
    """Gives the same ids every time, so that traces can be compared."""

    def __init__(self):
        self.last = 0

    def generate_span_id(self):
        self.last += 1
        return self.last

    generate_trace_id = generate_span_id


def new_provider():
    """Make a provider as a program would, and the exporter that shows what it exports."""
    exporter = InMemorySpanExporter()
    made = TracerProvider(id_generator=Counting())
    made.add_span_processor(SimpleSpanProcessor(exporter))
    return made, exporter


def exported(exporter):
    """Return what a backend would see, but for times."""
    return [
        (
            span.name,
            span.context.span_id,
            span.parent and span.parent.span_id,
            dict(span.attributes),
            span.status.status_code,
        )
        for span in exporter.get_finished_spans()
    ]


def agent(tracer):
    """Do what an instrumented program does."""
    with tracer.start_as_current_span("agent", attributes={"openinference.span.kind": "AGENT"}):
        with tracer.start_as_current_span("chat m") as span:
            span.set_attributes({"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 7})
        with tracer.start_as_current_span(
            "SELECT", attributes={"db.system": "sqlite", "db.statement": "SELECT 1"}
        ):
            pass
        try:
            with tracer.start_as_current_span("GET", attributes={"http.method": "GET"}):
                int("refused")
        except ValueError:
            pass
        with tracer.start_as_current_span("check") as span:
            span.set_status(Status(StatusCode.ERROR))
            span.set_attribute("error.type", "mismatch")


def test_spans_of_the_sdk_become_ours():
    """Kinds, texts, tokens, parents and errors are those of the program's spans."""
    with capturing() as replicate:
        provider, _ = new_provider()
        with replicate() as rollout:
            agent(provider.get_tracer("program"))
    rows = {row.name: row for row in recorded(rollout)}
    assert tree(rollout) == [
        ("agent", "agent", None),
        ("llm", "chat m", "agent"),
        ("db", "SELECT", "agent"),
        ("http", "GET", "agent"),
        ("other", "check", "agent"),
    ]
    assert (rows["chat m"].tokens_in, rows["chat m"].tokens_out) == (7, None)
    assert rows["SELECT"].input == "SELECT 1"
    assert (rows["GET"].error, rows["check"].error) == (
        "ValueError: invalid literal for int() with base 10: 'refused'",
        "mismatch",
    )
    assert trace_row(rollout.trace)[:3] == [7, None, None]


def test_the_programs_tracing_is_left_as_it_was():
    """What the program exports, and which provider is the global one, is the same with us and without."""
    before = trace.get_tracer_provider()
    plain, plain_exporter = new_provider()
    agent(plain.get_tracer("program"))
    with capturing() as replicate:
        watched, watched_exporter = new_provider()
        with replicate() as rollout, rollout.span("agent", "ours"):
            agent(watched.get_tracer("program"))
        assert trace.get_tracer_provider() is before
    assert exported(watched_exporter) == exported(plain_exporter)
    assert len(exported(plain_exporter)) == 5


@pytest.mark.filterwarnings("ignore")  # the client's own
def test_captured_clients_are_invisible_to_the_programs_tracing(monkeypatch):
    """With openai and httpx captured, the program's ids, parents and sent headers are what they are without."""
    openai = pytest.importorskip("openai")
    from opentelemetry.instrumentation.httpx import HTTPX2ClientInstrumentor

    monkeypatch.setenv("NO_PROXY", "127.0.0.1")

    def program(server):
        """Trace with a provider of its own, the transport instrumented by itself, and return all anybody sees."""
        made, exporter = new_provider()
        HTTPX2ClientInstrumentor().instrument(tracer_provider=made)
        server.requests.clear()
        try:
            with (
                made.get_tracer("program").start_as_current_span("turn"),
                openai.OpenAI(base_url=f"{server.url}/v1", api_key="k") as client,
            ):
                client.chat.completions.create(model="fine", messages=[{"role": "user", "content": "hi"}])
        finally:
            HTTPX2ClientInstrumentor().uninstrument()
        return exported(exporter), [headers.get("traceparent") for _, headers, _ in server.requests]

    with provider() as server:
        expected = program(server)
        with capturing("openai", "httpx") as replicate, replicate() as rollout:
            seen = program(server)
        assert program(server) == expected
    assert seen == expected
    assert len(expected[0]) == 2
    assert expected[1][0] is not None
    assert [each[:2] for each in tree(rollout)] == [
        ("other", "turn"),
        ("llm", "ChatCompletion"),
        ("http", "POST"),
        ("http", "POST"),
    ]
    _, call, first, second = recorded(rollout)
    assert (call.parent_id, first.parent_id, second.parent_id) == ("0000", call.span_id, first.span_id)


def test_our_spans_and_the_programs_nest_in_each_other():
    """Spans by hand and spans of the SDK are children of whichever was opened last around them."""
    with capturing() as replicate:
        tracer = new_provider()[0].get_tracer("program")
        with replicate() as rollout, rollout.span("agent", "a"), tracer.start_as_current_span("b"):
            with pytest_poisson.span("tool", "c"), tracer.start_as_current_span("d"):
                pass
            with tracer.start_as_current_span("e"):
                pass
    assert [(name, parent) for _, name, parent in tree(rollout)] == [
        ("a", None),
        ("b", "a"),
        ("c", "b"),
        ("d", "c"),
        ("e", "b"),
    ]


def test_what_comes_after_a_span_by_hand_is_not_inside_what_was_around_it():
    """A call that has ended contains no later one: its tokens would not count beside that one's."""
    used = {"gen_ai.usage.input_tokens": 5}
    with capturing() as replicate:
        tracer = new_provider()[0].get_tracer("program")
        with replicate() as rollout:
            with (
                tracer.start_as_current_span("first", attributes=used),
                pytest_poisson.span("tool", "inside"),
            ):
                pass
            with tracer.start_as_current_span("second", attributes=used):
                pass
    assert [(name, parent) for _, name, parent in tree(rollout)] == [
        ("first", None),
        ("inside", "first"),
        ("second", None),
    ]
    assert trace_row(rollout.trace)[0] == 10


def test_a_thread_with_opentelemetrys_context_alone_is_of_the_replicate():
    """Instrumentations of threads and pools carry no other context along; spans there are not lost, nor their tokens."""

    def work(tracer, around):
        token = context.attach(around)
        try:
            with tracer.start_as_current_span("call", attributes={"gen_ai.usage.input_tokens": 5}):
                pass
        finally:
            context.detach(token)

    with capturing() as replicate:
        tracer = new_provider()[0].get_tracer("program")
        with replicate() as rollout, tracer.start_as_current_span("agent"):
            thread = threading.Thread(target=work, args=(tracer, context.get_current()))
            thread.start()
            thread.join()
    assert tree(rollout) == [("other", "agent", None), ("llm", "call", "agent")]
    assert trace_row(rollout.trace)[0] == 5


def test_concurrent_replicates_keep_their_sdk_spans_apart():
    """200 replicates in one loop, all through one tracer: each has its own spans, nested in its own."""

    async def one(tracer, replicate, number):
        with replicate(number) as rollout:
            with tracer.start_as_current_span(f"{number}.outer"):
                await asyncio.sleep(number % 5 / 1000)
                with tracer.start_as_current_span(f"{number}.inner"):
                    await asyncio.sleep(number % 3 / 1000)
            return rollout

    async def main(tracer, replicate):
        return await asyncio.gather(*(asyncio.create_task(one(tracer, replicate, n)) for n in range(200)))

    with capturing() as replicate:
        tracer = new_provider()[0].get_tracer("program")
        rollouts = asyncio.run(main(tracer, replicate))
    for number, rollout in enumerate(rollouts):
        assert tree(rollout) == [
            ("other", f"{number}.outer", None),
            ("other", f"{number}.inner", f"{number}.outer"),
        ]


def test_outside_a_replicate_the_processor_does_nothing():
    """Spans before, after and between replicates, or that end after theirs, reach no replicate wrongly."""
    with capturing() as replicate:
        tracer = new_provider()[0].get_tracer("program")
        with tracer.start_as_current_span("before"):
            pass
        with replicate() as first:
            late = tracer.start_span("late")
        assert [row.error for row in recorded(first)] == [UNFINISHED]
        with replicate() as second:
            late.end()
    assert second.trace is None


def test_a_span_that_ends_in_another_context_is_written_down():
    """A span may be ended anywhere; it belongs to the replicate in which it began."""
    with capturing() as replicate:
        tracer = new_provider()[0].get_tracer("program")
        with replicate() as rollout:
            span = tracer.start_span("chat", attributes={"gen_ai.usage.output_tokens": 4})
            contextvars.Context().run(span.end)
    assert trace_row(rollout.trace)[:2] == [None, 4]


def test_times_that_the_program_gives_are_kept():
    """Explicit times are stored where the store can hold them; those read off the clock are on the trace's own."""
    with capturing() as replicate:
        tracer = new_provider()[0].get_tracer("program")
        with replicate() as rollout:
            tracer.start_span("old", start_time=1_000).end(end_time=5_000)
            with rollout.span("agent", "around"), tracer.start_as_current_span("now"):
                pass
            tracer.start_span("beyond", start_time=1 << 63).end(end_time=1 << 70)
    old, around, now, beyond = recorded(rollout)
    assert (old.start_ns, old.end_ns) == (1_000, 5_000)
    assert now.end_ns <= beyond.start_ns <= beyond.end_ns < 1 << 63
    assert around.start_ns <= now.start_ns <= now.end_ns <= around.end_ns


def test_a_later_session_of_this_process_records_each_span_once():
    """A provider outlives a session: what the first one left in it must not record beside what the second one adds."""

    class Own(TracerProvider):
        pass

    tracer = Own().get_tracer("program")  # made before, and of a class of the program's own
    for _ in range(2):
        with capturing() as replicate, replicate() as rollout, tracer.start_as_current_span("call"):
            pass
        assert tree(rollout) == [("other", "call", None)]


def test_looking_for_providers_asks_no_class_what_it_is(monkeypatch):
    """All objects of the process are looked at: asking an abstract class of each type there is has ended processes."""
    asked = []
    hook = classmethod(lambda _, kind: asked.append(kind) or NotImplemented)
    monkeypatch.setattr(TracerProvider, "__subclasshook__", hook)
    with capturing():
        pass
    assert asked == []


def test_providers_made_before_are_found_and_left_afterwards():
    """A provider that existed before is attached to; when capturing ends, new ones are as the SDK makes them."""
    provider, _ = new_provider()
    init = TracerProvider.__init__
    with capturing() as replicate:
        assert TracerProvider.__init__ is not init
        with replicate() as rollout, provider.get_tracer("program").start_as_current_span("found"):
            pass
    assert [row.name for row in recorded(rollout)] == ["found"]
    assert TracerProvider.__init__ is init
    assert len(new_provider()[0]._active_span_processor._span_processors) == 1


AGENT = """
import pytest
from pytest_poisson import span

@pytest.mark.rollout(replicates=3)
def test_agent(rollout):
    import program
    program.run()
"""
PROGRAM = """
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider

provider = TracerProvider()
trace.set_tracer_provider(provider)

def run():
    with trace.get_tracer("program").start_as_current_span("chat", attributes={"gen_ai.usage.input_tokens": 3}):
        pass
"""


@pytest.mark.parametrize("where", ["imported in the first replicate", "imported at collection"])
def test_a_program_that_is_instrumented_needs_no_change(pytester, where):
    """In a worker the SDK is seen whenever the program loads it, also in the middle of the first replicate."""
    pytester.makepyfile(test_agent=AGENT if "first" in where else f"import program\n{AGENT}", program=PROGRAM)
    code = (
        "import sys, pytest; status = pytest.main(sys.argv[1:]); "
        "print('LOADED', 'opentelemetry.sdk.trace' in sys.modules)"
    )
    options = ["--poisson-sweep", "--poisson-workers=1", "-p", "no:cacheprovider"]
    result = pytester.run(sys.executable, "-c", code, *options)
    result.stdout.fnmatch_lines([f"LOADED {'first' not in where}"])
    from tests.plugin.support import episodes_with_spans

    for episode in episodes_with_spans(pytester):
        assert [(span.kind, span.name) for span in episode.spans] == [("llm", "chat")]
        assert episode.tokens_in == 3
        assert json.dumps(dict(episode.spans[0].attrs)) == "{}"
