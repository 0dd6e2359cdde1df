"""What stops a sweep early: caps, time, and a provider that is down."""

import json
import signal
import subprocess

import pytest

from poisson_store.records import KINDS, SpanRow
from pytest_poisson.options import Settings
from pytest_poisson.stops import ConsecutiveErrors, Usage, UsageCap, unseen
from tests.plugin.support import COIN, SLEEPY, assert_accounted, newest, open_run, start, sweep, wait_for_rows


def row(outcome=0, cause=None, error=None, tokens_in=None, tokens_out=None, unknown=None, spans=None):
    return (
        0,
        0,
        0,
        outcome,
        cause,
        None,
        None,
        0,
        0.0,
        error,
        None,
        tokens_in,
        tokens_out,
        unknown,
        None,
        spans,
        None,
    )


def settings(**values):
    names = ("token_cap", "token_cap_total", "max_cost", "price_per_input_token", "price_per_output_token")
    return Settings({**dict.fromkeys(names), "unknown_usage": "ignore", **values})


def test_a_cap_is_reached_at_its_number_and_not_before():
    """The cap stops at the cap: what a run used before it was resumed counts."""
    cap = UsageCap(settings(token_cap=100), Usage(tokens_in=40))
    assert cap.observe([row(tokens_in=59, tokens_out=1000)]) is None
    stop = cap.observe([row(tokens_in=1)])
    assert stop.cap
    assert stop.sentence == "100 input tokens reach the cap of 100"


def test_caps_on_all_tokens_and_on_cost():
    """The total cap counts both ways; the cost is tokens at the declared prices."""
    assert UsageCap(settings(token_cap_total=10), Usage()).observe([row(tokens_in=4, tokens_out=6)]).cap
    cost = UsageCap(settings(max_cost=1.0, price_per_input_token=0.1, price_per_output_token=0.2), Usage())
    assert cost.observe([row(tokens_in=5, tokens_out=2)]) is None
    assert "1.0000 reaches the cap of 1" in cost.observe([row(tokens_in=1)]).sentence


def test_unknown_usage_is_named_and_fails_closed_where_asked():
    """Spans without usage are counted beside a cap that is reached; `fail` stops at the first of them."""
    open_cap = UsageCap(settings(token_cap=5), Usage())
    assert open_cap.observe([row(unknown=3)]) is None
    assert unseen([open_cap]) == [
        "3 spans reported no usage, or not all of it, which the cap does not count."
    ]
    assert "3 spans reported no usage" in open_cap.observe([row(tokens_in=5)]).sentence
    closed = UsageCap(settings(token_cap=5, unknown_usage="fail"), Usage())
    assert closed.observe([row(unknown=1)]).cap
    assert unseen([closed, open_cap]) == []


@pytest.mark.parametrize(
    ("cap", "tokens", "attrs", "unknown"),
    [
        ("token_cap", (None, 5), {}, 1),
        ("token_cap", (5, None), {}, 0),
        ("token_cap_total", (5, None), {}, 1),
        ("token_cap_total", (5, None), {"gen_ai.operation.name": "embeddings"}, 0),
        ("token_cap_total", (5, 5), {}, 0),
        ("max_cost", (5, None), {}, 1),
    ],
)
def test_a_call_that_reported_one_side_alone_is_unknown_to_a_cap_on_the_other(cap, tokens, attrs, unknown):
    """A cap on input tokens needs what went in, the others both sides; an embedding gives nothing out."""
    call = SpanRow(
        "1", None, 0, "call", 1, 2, tokens_in=tokens[0], tokens_out=tokens[1], attrs=json.dumps(attrs)
    )
    around = SpanRow("0", None, KINDS.index("agent"), "turn", 1, 2, tokens_out=5)
    caps = UsageCap(settings(**{cap: 1000}), Usage())
    caps.observe([row(spans=[tuple(around), tuple(call)])])
    assert caps.usage.unknown == unknown


def test_errors_in_a_row_stop_with_the_commonest():
    """An outcome starts the count anew, a skipped replicate does not count, the commonest error is named."""
    rule = ConsecutiveErrors(4)
    errored, skipped = 1, 3
    assert rule.observe([row(None, errored, "a")] * 3 + [row()]) is None
    assert (
        rule.observe([row(None, errored, "a"), row(None, skipped, "x"), row(None, errored, "429\nmore")])
        is None
    )
    stop = rule.observe([row(None, errored, "429\nmore")] * 2)
    assert not stop.cap
    assert stop.sentence == "4 replicates in a row ended without an outcome, 3 of them with: 429"


def test_a_provider_that_is_down_stops_the_sweep(pytester):
    """The sweep stops, keeps what it has, and is no pass; the reason and the way on are printed."""
    pytester.makepyfile("""
        import pytest

        @pytest.mark.rollout(replicates=200)
        def test_it(rollout):
            if rollout.replicate >= 20:
                raise ConnectionError("no route")
    """)
    result = sweep(pytester, "--poisson-max-consecutive-errors=10")
    assert result.ret == 10
    account = assert_accounted(pytester, newest(pytester), planned=200)
    assert account.with_outcome == 20
    assert 10 <= account.errored < 60
    result.stdout.fnmatch_lines(
        [
            "The sweep stopped: *replicates in a row ended without an outcome*",
            "Run what is missing:",
            "  pytest --poisson-resume=*",
        ]
    )


def test_the_way_on_is_gated_as_the_session_was(pytester):
    """The command that resumes has the options that decide and that the run does not keep; a shard has one too."""
    pytester.makepyfile(COIN)
    options = (
        "--poisson-event=lost",
        "--poisson-event=won",
        "--poisson-fail-on=any,missing",
        "--poisson-store=my runs",
    )
    stop = (
        "--poisson-max-seconds=0.000001",
        "--poisson-salt=s",
        "--poisson-shard=1/2",
        "--poisson-name=part",
    )
    sweep(pytester, *options, *stop).stdout.fnmatch_lines(
        [
            "Run what is missing:",
            "  pytest --poisson-resume=part '--poisson-store=my runs' --poisson-fail-on=any,missing",
        ]
    )


def test_the_stop_is_one_sentence_whatever_the_error_says(pytester):
    """The text of the error has one full stop, no escape codes and lines of its own, and all lines fit 80 columns."""
    pytester.makepyfile("""
        import pytest

        @pytest.mark.rollout(replicates=200)
        def test_it():
            raise ConnectionError("no \\x1b[31mroute.")
    """)
    result = sweep(pytester, "--poisson-max-consecutive-errors=10", "--poisson-name=" + "long-name" * 5)
    lines = result.outlines
    begin, end = (
        next(i for i, line in enumerate(lines) if word in line) for word in ("= pytest-poisson =", "= short")
    )
    section = lines[begin:end]
    assert max(map(len, section)) <= 80
    text = " ".join(line.strip() for line in section)
    assert "of them with: ConnectionError: no \\x1b[31mroute. (test_the" in text
    assert ".." not in text.split("The sweep stopped")[1].split("Run what")[0]


def test_a_time_cap_leaves_a_partial_run_and_status_8(pytester):
    """The cap on seconds stops scheduling; the run is partial and can be resumed."""
    pytester.makepyfile("""
        import time
        import pytest

        @pytest.mark.rollout(replicates=1000)
        def test_it():
            time.sleep(0.01)
    """)
    result = sweep(pytester, "--poisson-max-seconds=0.5")
    assert result.ret == 8
    with open_run(pytester, newest(pytester)) as run:
        assert run.run.status == "partial"
    assert 0 < assert_accounted(pytester, newest(pytester), planned=1000).with_outcome < 500
    result.stdout.fnmatch_lines(["The sweep stopped: the sweep has run for 0.5 s, its cap."])


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_cancelled_job_is_an_interruption(pytester, name):
    """SIGTERM and SIGHUP end a sweep as Ctrl-C does: stored, interrupted, accounted for."""
    pytester.makepyfile(SLEEPY)
    process = start(pytester, "--poisson-sweep", "--poisson-workers=1", stdout=subprocess.PIPE)
    wait_for_rows(pytester, 5)
    process.send_signal(getattr(signal, name))
    out, _ = process.communicate(timeout=30)
    assert process.returncode == 2
    assert "--poisson-resume=" in out
    with open_run(pytester, newest(pytester)) as run:
        assert run.run.status == "interrupted"
    assert_accounted(pytester, newest(pytester), planned=400)


def test_a_sweep_under_nohup_outlives_its_terminal(pytester):
    """A signal that the process was started to ignore ends nothing: every replicate is run and paid for once."""
    pytester.makepyfile(SLEEPY)
    former = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does: children inherit it
    try:
        process = start(pytester, "--poisson-sweep", "--poisson-workers=1", "--poisson-replicates=30")
    finally:
        signal.signal(signal.SIGHUP, former)
    wait_for_rows(pytester, 3)
    process.send_signal(signal.SIGHUP)
    assert process.wait(timeout=120) == 0
    assert assert_accounted(pytester, newest(pytester), planned=30).with_outcome == 30


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--poisson-max-cost=1"], "*--poisson-max-cost needs poisson_price_per_input_token*"),
        (
            ["--poisson-max-cost=1", "--poisson-price-per-input-token=1"],
            "*--poisson-max-cost needs poisson_price_per_input_token and poisson_price_per_output_token*",
        ),
        (["--poisson-shard=5/4"], "*--poisson-shard=5/4 must have the form I/N*"),
        (["--poisson-shard=1/4"], "*--poisson-shard needs --poisson-salt=TEXT or --poisson-pair-with=RUN*"),
        (
            ["--poisson-resume=x", "--poisson-pair-with=y"],
            "*--poisson-pair-with has no place beside --poisson-resume*",
        ),
        (["--poisson-resume=nosuch"], "*nosuch*"),
        (["--poisson-failing-from=nosuch"], "*nosuch*"),
    ],
)
def test_options_without_what_they_need_are_refused(pytester, options, sentence):
    """Each is one sentence and status 4, before anything runs."""
    pytester.makepyfile("import pytest\n@pytest.mark.rollout(replicates=2)\ndef test_it(): pass\n")
    result = pytester.runpytest_inprocess("--poisson-sweep", "--poisson-workers=0", *options)
    assert result.ret == 4
    result.stderr.fnmatch_lines([f"ERROR: {sentence}"])


def test_the_status_that_is_said_is_the_one_the_session_ends_with(pytester):
    """A sweep that a cap stops before its first outcome ends with 8 and says so, where nothing measured would be 10."""
    pytester.makepyfile("import pytest\n@pytest.mark.rollout(replicates=2)\ndef test_it(): pass\n")
    result = sweep(pytester, "--poisson-max-seconds=0.000001")
    assert result.ret == 8
    result.stdout.fnmatch_lines(
        ["The session fails with exit status 8: the sweep stopped before everything*"]
    )
    result.stdout.no_fnmatch_line("*exit status 10*")


def test_a_condition_of_which_nothing_ran_has_not_passed(pytester):
    """A report that takes items for results, as a JUnit file, must not read that it passed: its item is skipped, in its place."""
    pytester.makepyfile("import pytest\n@pytest.mark.rollout(replicates=2)\ndef test_it(): pass\n")
    result = sweep(pytester, "--poisson-max-seconds=0.000001", "-rs")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(
        ["SKIPPED [[]1[]] test_*_has_not_passed.py:2: none of its 2 planned replicates ran"]
    )
