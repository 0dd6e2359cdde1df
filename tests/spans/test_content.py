"""What is kept of texts: left out, redacted, cut with length and digest, and nothing secret in any of it."""

import hashlib
import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_poisson import spans
from pytest_poisson.caps import ERROR_LIMIT
from pytest_poisson.capture.attributes import model_of
from pytest_poisson.content import ContentRules
from pytest_poisson.secrets import REDACTED
from tests.spans.support import recorded, replicate


def record(rules, **texts):
    """Record one span with the given texts and return its row."""
    with replicate() as rollout:
        rollout.trace = spans.Trace(rules=rules)
        rollout.trace.step = texts.get("step")
        with rollout.span("tool", texts.get("name", "call"), input=texts.get("input")) as span:
            span.output = texts.get("output")
            span.attrs.update(texts.get("attrs", {}))
            span.error = texts.get("error")
    return recorded(rollout)[0]


def digest(text):
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def test_without_content_only_length_and_digest_are_kept():
    """With capture_content off, input and output are gone; how long they were and their digests stay."""
    row = record(ContentRules(capture_content=False), input="söme", output={"a": 1})
    assert (row.input, row.output) == (None, None)
    assert (row.input_bytes, row.input_digest) == (5, digest("söme"))
    assert (row.output_bytes, row.output_digest) == (7, digest('{"a":1}'))


@pytest.mark.parametrize("kept", [True, False])
def test_without_content_no_attribute_has_any(kept):
    """What conventions put beside input and output, and in a call's parameters, goes with them; the model stays."""
    attrs = {
        "db.query.parameter.name": "private",
        "db.statement.parameters": "('private',)",
        "all_messages_events": '[{"content": "private"}]',
        "pydantic_ai.all_messages": '[{"content": "private"}]',
        "tool_arguments": '{"name": "private"}',
        "ai.prompt.messages": '[{"content": "private"}]',
        "ai.response.text": "private",
        "llm.prompt_template.variables": '{"name": "private"}',
        "llm.invocation_parameters": '{"model": "m", "suffix": "private", "prediction": {"content": "private"}}',
        "embedding.invocation_parameters": "not JSON, private",
        "db.system": "sqlite",
    }
    row = record(ContentRules(capture_content=kept), attrs=attrs)
    assert ("private" in row.attrs) == kept
    left = json.loads(row.attrs)
    assert (left["db.system"], model_of(left)) == ("sqlite", "m")


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=40), st.integers(0, 60))
def test_a_text_is_cut_at_the_cap_and_never_inside_a_character(text, cap):
    """What is kept is a beginning of at most so many bytes; full length and digest stand beside what was cut."""
    row = record(ContentRules(max_observation_bytes=cap), input=text)
    size = len(text.encode("utf-8", "surrogatepass"))
    assert text.startswith(row.input)
    assert len(row.input.encode("utf-8", "surrogatepass")) <= cap
    if size <= cap:
        assert (row.input, row.input_bytes, row.input_digest) == (text, None, None)
    else:
        assert (row.input_bytes, row.input_digest) == (size, digest(text))


def test_a_megabyte_is_cut_as_soon_as_its_span_ends():
    """A long body is not held until the replicate ends; invalid UTF-8 and NUL do not hinder."""
    body = b"\xff\x00" + b"x" * 1_000_000
    with replicate() as rollout:
        rollout.trace = spans.Trace(rules=ContentRules(max_observation_bytes=1000))
        with rollout.span("http", "upload", input=body) as span:
            span.output = body
        assert len(span.input) <= 1000
        assert len(span.output) <= 1000
        span.tokens = {"in": 3}
    (row,) = recorded(rollout)
    # A byte that is no UTF-8 is kept as a lone surrogate, which takes three.
    assert (row.input_bytes, row.output_bytes, row.tokens_in) == (1_000_004, 1_000_004, 3)
    assert row.input.startswith("\udcff\x00xxx")


def test_patterns_are_taken_out_of_every_text_before_it_is_cut():
    """`redact` reaches name, step, input, output, error and attributes; a match across the cut leaves no half behind."""
    rules = ContentRules(max_observation_bytes=14, redact=(re.compile(r"sk-\w+"),))
    row = record(
        rules,
        name="call sk-one",
        step="sk-seven",
        input="key sk-abcdefghijkl",
        output=["sk-two"],
        error="bad sk-three",
        attrs={"note": "sk-four", "nested": {"sk-five": ["sk-six"]}},
    )
    assert "sk-" not in json.dumps(row)
    assert row.input == f"key {REDACTED}"
    assert (row.name, row.step) == (f"call {REDACTED}", REDACTED)
    assert json.loads(row.attrs) == {"note": REDACTED, "nested": {REDACTED: [REDACTED]}}


def test_the_digest_is_of_what_was_left_after_redaction():
    """A digest of the full text would give a guessed secret away, so it is that of the redacted one."""
    rules = ContentRules(capture_content=False, redact=(re.compile("secret"),))
    assert record(rules, input="my secret").input_digest == digest(f"my {REDACTED}")


def test_the_hook_may_change_everything_and_sees_whole_texts():
    """The hook is handed the span after redaction and before the cut."""
    seen = []

    def hook(span):
        seen.append((span.input, span.attrs))
        span.input, span.name = {"kept": True}, "renamed"
        span.attrs = {}

    rules = ContentRules(max_observation_bytes=40, redact=(re.compile("secret"),), hook=hook)
    row = record(rules, input="secret " * 10, attrs={"cookie": "id=1"})
    assert seen == [(f"{REDACTED} " * 10, {"cookie": REDACTED})]
    assert (row.name, row.input, row.attrs) == ("renamed", '{"kept":true}', None)


@pytest.mark.parametrize("by_hook", [False, True])
def test_what_replaces_the_attributes_is_kept_by_a_name(by_hook):
    """Whatever the program or the hook puts in the place of `attrs`, the row is stored under `value`."""

    def spoil(span):
        span.attrs = "Cookie: id=1"

    with replicate() as rollout:
        rollout.trace = spans.Trace(rules=ContentRules(hook=spoil if by_hook else None))
        with rollout.span("tool", "call") as span:
            if not by_hook:
                spoil(span)
    (row,) = recorded(rollout)
    assert json.loads(row.attrs) == {"value": "Cookie: id=1" if by_hook else f"Cookie: {REDACTED}"}


@pytest.mark.parametrize("value", [2**80, -1, "noon", None, object()])
def test_what_a_hook_makes_of_times_and_steps_is_storable(value):
    """A row that the store cannot hold would end the whole sweep, so such a time is the present one."""

    def spoil(span):
        span.start_ns = span.end_ns = span.step = value

    row = record(ContentRules(hook=spoil))
    assert 0 < row.start_ns <= row.end_ns < 1 << 63
    assert isinstance(row.step, str) == (value is not None)


@pytest.mark.parametrize("raised", [KeyError("field"), pytest.fail.Exception("field"), SystemExit("field")])
def test_where_the_hook_raises_no_text_is_kept(raised):
    """A hook that fails must not let through what it was to take out, nor end the sweep."""

    def hook(span):
        raise raised

    row = record(ContentRules(hook=hook), input="private", output="private", attrs={"a": "private"})
    assert "private" not in json.dumps(row)
    assert row.error.startswith(f"pytest_poisson_redact raised {type(raised).__name__}: ")


@pytest.mark.parametrize(
    "hook",
    [
        "async def pytest_poisson_redact(span): span.input = None",
        "def pytest_poisson_redact(span): yield",
        "async def pytest_poisson_redact(span): yield",
    ],
)
def test_a_hook_that_would_redact_nothing_is_refused(pytester, hook):
    """A coroutine that nobody awaits, or a generator that nobody runs, would let everything through."""
    pytester.makeconftest(hook)
    pytester.makepyfile(SUITE.format(mark=""))
    result = pytester.runpytest_inprocess("--poisson-sweep", "--poisson-workers=0")
    result.stderr.fnmatch_lines(
        ["*pytest_poisson_redact of *conftest.py is asynchronous or a generator, and*"]
    )
    assert result.ret == 4


def test_long_attributes_and_errors_are_cut():
    """One huge attribute is cut like a text and says how long it was; an error keeps its beginning."""
    row = record(ContentRules(max_observation_bytes=10), attrs={"page": "x" * 500, "n": 1}, error="e" * 9000)
    assert json.loads(row.attrs) == {"page": "x" * 10, "page.bytes": 500, "n": 1}
    assert len(row.error) == ERROR_LIMIT


SUITE = """
import pytest

@pytest.mark.rollout(replicates=2{mark})
def test_agent(rollout):
    for _ in range(3):
        with rollout.span("llm", "call", input="private sk-123 and token-9") as span:
            span.output = "é" * 40
"""


@pytest.mark.parametrize(
    ("mark", "ini", "options", "expected"),
    [
        ("", "", [], ("private sk-123 and token-9", 3, None)),
        (
            ", redact=['sk-[0-9]+']",
            "poisson_redact = token-.",
            [],
            (f"private {REDACTED} and {REDACTED}", 3, None),
        ),
        (", capture_content=False", "poisson_max_spans = 1", [], (None, 1, 2)),
        (", max_spans=2", "poisson_capture_content = false", ["--poisson-max-spans=1"], (None, 1, 2)),
        (", max_observation_bytes=7", "", ["--poisson-capture-content=true"], ("private", 3, None)),
        (
            ", capture_content=False",
            "",
            ["--poisson-capture-content=true"],
            ("private sk-123 and token-9", 3, None),
        ),
    ],
)
def test_settings_come_from_command_line_mark_or_file(pytester, mark, ini, options, expected):
    """The command line wins over the mark, the mark over the file; patterns of all of them apply."""
    from tests.plugin.support import episodes_with_spans, sweep

    pytester.makepyfile(SUITE.format(mark=mark))
    pytester.makeini(f"[pytest]\n{ini}\n")
    sweep(pytester, *options)
    for episode in episodes_with_spans(pytester):
        assert (episode.spans[0].input, len(episode.spans), episode.spans_left_out) == expected


def test_a_hook_in_a_conftest_reaches_the_workers(pytester):
    """`pytest_poisson_redact` of a conftest is called where the replicates run."""
    from tests.plugin.support import episodes_with_spans, sweep

    pytester.makeconftest("def pytest_poisson_redact(span): span.input = f'{span.kind}: {len(span.input)}'")
    pytester.makepyfile(SUITE.format(mark=""))
    sweep(pytester, workers=1, subprocess=True)
    assert {span.input for each in episodes_with_spans(pytester) for span in each.spans} == {"llm: 26"}


@pytest.mark.parametrize("text", ["AB12", 'a"b', "x\ny", "C:\\u", "Zoë\u2028"])
@pytest.mark.parametrize("ascii_alone", [True, False])
def test_a_pattern_sees_meta_as_it_was_before_it_was_escaped(text, ascii_alone):
    """What a pattern matches from the beginning of a text to its end, or across an escape, is redacted in meta as in a span."""
    rules = ContentRules(redact=(re.compile(f"^{re.escape(text)}$"),))
    meta = {"kept": 1, "deep": [{"name": text}, {text: "value"}]}
    kept = rules.clean_json(json.dumps(meta, ensure_ascii=ascii_alone))
    assert json.loads(kept) == {"kept": 1, "deep": [{"name": REDACTED}, {REDACTED: "value"}]}


def test_meta_in_which_nothing_is_secret_stays_to_the_letter():
    """Meta is stored as it was written; what nests too deeply to be looked through is not kept, and ends no sweep."""
    rules = ContentRules(redact=(re.compile("secret"),))
    assert rules.clean_json('{"a": 1.0,"b" :[null]}') == '{"a": 1.0,"b" :[null]}'
    deep = '{"a":' * 5000 + "1" + "}" * 5000
    assert list(json.loads(rules.clean_json(deep))) == [REDACTED]


FAILING = """
import os
import pytest

@pytest.mark.rollout(replicates=3, retries=1, retry_on=[ConnectionError], redact=["sk-[0-9]+"])
def test_agent(rollout):
    if rollout.replicate == 0:
        raise ConnectionError("refused sk-123: {'authorization': 'Bearer s3cret'}")
    if rollout.replicate == 1:
        os.write(2, b"sk-123 Cookie: id=s3cret")
        os._exit(3)
    rollout.end("passed", meta={"sent": {"x-api-key": "s3cret", "n": 1}, "with": "sk-123"})
"""


def test_errors_and_meta_are_redacted_as_spans_are(pytester):
    """An exception's text often has the request's headers; a dead worker's last output, and meta, may have them too."""
    from tests.plugin.support import episodes, sweep

    pytester.makepyfile(FAILING)
    sweep(pytester, workers=1, subprocess=True)
    raised, died, ended = episodes(pytester)
    assert raised.error.startswith(f"ConnectionError: refused {REDACTED}: {{'authorization': '{REDACTED}'}}")
    assert [attempt.error for attempt in raised.attempts] == [raised.error]
    assert died.error.endswith(f"{REDACTED} Cookie: {REDACTED}")
    assert ended.meta == {"sent": {"x-api-key": REDACTED, "n": 1}, "with": REDACTED}


@pytest.mark.parametrize(
    ("mark", "words"),
    [
        ("redact='sk-'", "redact='sk-'*must be a list"),
        (
            "redact=['(']",
            "redact=*must be a regular expression (missing ), unterminated subpattern at position 0)",
        ),
        ("capture=['gpt']", "capture=*must be one of openai, anthropic, litellm, httpx"),
        ("capture_content='maybe'", "capture_content='maybe'*must be true or false"),
        ("max_spans=-1", "max_spans=-1*must be a whole number from 0"),
    ],
)
def test_bad_settings_on_the_mark_are_refused(pytester, mark, words):
    """A bad value is refused at collection with its name, value and rule."""
    pytester.makepyfile(f"import pytest\n@pytest.mark.rollout({mark})\ndef test_it(rollout): pass")
    result = pytester.runpytest_inprocess("--poisson-sweep")
    result.stderr.fnmatch_lines([f"*{words.replace('[', '[[]')}*"])
    assert result.ret == 4


def test_a_bad_pattern_on_the_command_line_is_a_usage_error(pytester):
    """The sentence names option, value and what is wrong."""
    result = pytester.runpytest_inprocess("--poisson-redact=(")
    result.stderr.fnmatch_lines(["*--poisson-redact=( must be a regular expression (missing )*"])
    assert result.ret == 4
