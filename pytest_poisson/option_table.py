"""The options of the pytest side: one table of what each is called, says and takes."""

from __future__ import annotations

from pytest_poisson.analyses.levels import MAX_MDE, Q
from pytest_poisson.caps import DEFAULT_MAX_SPANS
from pytest_poisson.fail_on import DEFAULT as DEFAULT_FAIL_ON
from pytest_poisson.methods import METHODS
from pytest_poisson.modal_options import INI_ONLY as MODAL_INI_ONLY
from pytest_poisson.modal_options import OPTIONS as MODAL_OPTIONS
from pytest_poisson.option import (
    Option,
    one_of,
    parse_amount,
    parse_count,
    parse_fail_words,
    parse_fraction,
    parse_pair,
    parse_pattern,
    parse_positive_count,
    parse_replicates,
    parse_run_name,
    parse_seconds,
    parse_shard,
    parse_switch,
    parse_text,
    parse_truth,
    parse_variant,
    parse_workers,
)

DEFAULT_STORE = ".poisson"
CLIENTS = ("openai", "anthropic", "litellm", "httpx")
WITHOUT_SWEEP_WORDS = ("skip", "once")


OPTIONS = (
    Option("sweep", "run every selected rollout as a sweep and store the run", parse_switch),
    Option(
        "replicates",
        "replicates of every condition (default: the mark's, else computed from the accepted change)",
        parse_replicates,
        "N",
        ini="int",
    ),
    Option(
        "max_mde",
        f"the smallest change in an event's rate that matters, as a fraction (default: {MAX_MDE:.2f})",
        parse_fraction,
        "X",
        default=MAX_MDE,
        ini="float",
    ),
    Option(
        "q",
        f"error level of flags (Benjamini-Hochberg) and verdict (Holm) (default: {Q})",
        parse_fraction,
        "X",
        default=Q,
        ini="float",
    ),
    Option(
        "plan_from",
        "compute the replicates from the correlation that this stored pair of runs showed, for the accepted change",
        parse_pair,
        "A,B",
    ),
    Option("name", "name of the run to store (default: its run id)", parse_run_name, "NAME"),
    Option(
        "store",
        f"directory of stored runs (default: $POISSON_STORE, else {DEFAULT_STORE} in the root directory)",
        parse_text,
        "DIR",
        default=DEFAULT_STORE,
        ini="string",
        env="POISSON_STORE",
    ),
    Option(
        "backend",
        "where replicates run: local, modal, or one that a plugin provides (default: local)",
        parse_text,
        "NAME",
        default="local",
        ini="string",
    ),
    Option(
        "workers",
        "worker processes: a number, 0 for this process, or auto for one a core (default: auto)",
        parse_workers,
        "N",
        ini="int",
    ),
    Option(
        "timeout",
        "seconds after which one replicate is ended as timed_out",
        parse_seconds,
        "SECONDS",
        ini="float",
    ),
    Option(
        "retries",
        "how often a replicate is tried again after an exception that its mark lists in retry_on (default: the mark's)",
        parse_count,
        "N",
        ini="int",
    ),
    Option(
        "concurrency",
        "how many replicates of an async rollout one worker keeps in flight (default: 1)",
        parse_positive_count,
        "N",
        default=1,
        ini="int",
    ),
    Option(
        "variant",
        "a setting that the suite reads as rollout.variant[KEY], stored with the run (repeatable)",
        parse_variant,
        "KEY=VALUE",
        default=(),
        ini="args",
        repeat=True,
    ),
    Option("dry_run", "print the plan of the sweep and stop", parse_switch),
    Option(
        "pair_with",
        "sweep on the seeds and replicates of this stored run, then compare pair by pair and gate",
        parse_text,
        "RUN",
    ),
    Option(
        "compare_with", "sweep on fresh seeds, then compare with this stored run and gate", parse_text, "RUN"
    ),
    Option(
        "fix_check",
        "sweep only the conditions that failed in this stored run, and gate on whether they fail less than in the baseline",
        parse_text,
        "RUN",
    ),
    Option(
        "interleave",
        "sweep two variants side by side, their batches alternating: --poisson-variant and --poisson-against",
        parse_switch,
    ),
    Option(
        "against",
        "with --poisson-interleave: a setting of the variant to compare with, instead of or beside --poisson-variant's "
        "(repeatable)",
        parse_variant,
        "KEY=VALUE",
        default=(),
        repeat=True,
    ),
    Option(
        "stop_early",
        "stop each condition as soon as it is decided against the run it is compared with, on evidence that may be looked "
        "at after every replicate",
        parse_switch,
    ),
    Option(
        "event",
        "an outcome whose rate is compared, or several joined by + (repeatable; default: the declared failures)",
        parse_text,
        "NAME",
        default=(),
        ini="args",
        repeat=True,
    ),
    Option(
        "method",
        "the test, and the procedure of the flags: mcnemar_bh, fisher_bh; declared before the run also mcnemar_dbh, "
        "fisher_dbh (discrete false discovery rate), boschloo_bh, and the sequential sign_ebh, block_ebh (default: mcnemar_bh for pairs, else fisher_bh)",
        one_of(*METHODS),
        "METHOD",
        ini="string",
    ),
    Option(
        "margin",
        "the largest change that does not matter, as a fraction: say 'within the margin' where every row is",
        parse_fraction,
        "X",
        ini="float",
    ),
    Option(
        "full",
        "also test the comparison as a whole, and walk down to the axis values and conditions that changed",
        parse_switch,
    ),
    Option(
        "fail_on",
        "what fails the session: worse, any, too-small, missing, flips, joined by commas, or never (default: worse)",
        parse_fail_words,
        "WORDS",
        default=DEFAULT_FAIL_ON,
        ini="string",
    ),
    Option(
        "resume", "run what is missing of this stored run, on its own seeds and variant", parse_text, "RUN"
    ),
    Option(
        "resume_anyway", "resume although the suite has changed, dropping what no longer exists", parse_switch
    ),
    Option(
        "token_cap", "stop when the run has used this many input tokens", parse_positive_count, "N", ini="int"
    ),
    Option(
        "token_cap_total",
        "stop when the run has used this many tokens, input and output together",
        parse_positive_count,
        "N",
        ini="int",
    ),
    Option(
        "max_cost",
        "refuse a sweep whose containers should cost more than this in USD, and stop one whose tokens do",
        parse_amount,
        "X",
        ini="float",
    ),
    Option(
        "est_seconds",
        "seconds that one replicate should take, for the estimate (default: as in an earlier run)",
        parse_seconds,
        "SECONDS",
        ini="float",
    ),
    Option("price_per_input_token", "what one input token costs", parse_amount, "X", ini="float"),
    Option("price_per_output_token", "what one output token costs", parse_amount, "X", ini="float"),
    Option(
        "unknown_usage",
        "what an llm span without usage means under a cap: ignore counts and names it, fail stops the sweep",
        one_of("ignore", "fail"),
        "WORD",
        default="ignore",
        ini="string",
    ),
    Option("max_seconds", "stop when the sweep has run for this long", parse_seconds, "SECONDS", ini="float"),
    Option(
        "max_consecutive_errors",
        "stop after so many replicates in a row without an outcome (default: 50)",
        parse_positive_count,
        "N",
        default=50,
        ini="int",
    ),
    Option(
        "failing_from",
        "select the conditions of which replicates ended as a failure in this stored run",
        parse_text,
        "RUN",
    ),
    Option(
        "min_failures",
        "with --poisson-failing-from: how many of a condition's replicates must have failed (default: 1)",
        parse_positive_count,
        "N",
        default=1,
    ),
    Option(
        "shard",
        "run one part of the sweep, as in 1/4; parts are joined by pytest-poisson merge",
        parse_shard,
        "I/N",
    ),
    Option(
        "salt",
        "text from which the seeds come, for shards that must share them",
        parse_text,
        "TEXT",
        env="POISSON_SALT",
    ),
    Option(
        "capture",
        f"client library whose calls become spans: {', '.join(CLIENTS)} (repeatable)",
        one_of(*CLIENTS),
        "CLIENT",
        default=(),
        ini="args",
        repeat=True,
    ),
    Option(
        "capture_content",
        "whether spans keep input and output, or only their lengths and digests (default: true)",
        parse_truth,
        "true|false",
        default=True,
        ini="bool",
    ),
    Option(
        "max_observation_bytes",
        "the most that is kept of one input or output of a span (default: 262144)",
        parse_count,
        "N",
        default=262_144,
        ini="int",
    ),
    Option(
        "max_spans",
        "the most spans that are kept of a replicate; those beyond are counted (default: 10000)",
        parse_count,
        "N",
        default=DEFAULT_MAX_SPANS,
        ini="int",
    ),
    Option(
        "redact",
        "regular expression whose matches are taken out of every text of a span (repeatable)",
        parse_pattern,
        "REGEX",
        default=(),
        ini="linelist",
        repeat=True,
    ),
    Option(
        "paired", "after the sweep, analyse the paired replay that this file declares", parse_text, "FILE"
    ),
    Option("json", "write the result as JSON to this file", parse_text, "FILE"),
    Option("report", "write a report into this folder: Markdown, HTML, JSON, a drawing", parse_text, "DIR"),
    Option(
        "github",
        "in GitHub Actions, annotate the failing conditions and add the result to the step summary (default: true)",
        parse_truth,
        "true|false",
        default=True,
        ini="bool",
    ),
    Option(
        "properties",
        "let each condition's item carry its figures as properties, which --junit-xml writes (default: true)",
        parse_truth,
        "true|false",
        default=True,
        ini="bool",
    ),
    Option("replicate", "run this one replicate of a stored run again, in this process", parse_count, "N"),
    Option(
        "run",
        "the stored run whose replicate to run again (default: latest)",
        parse_text,
        "RUN",
        default="latest",
    ),
    Option(
        "without_sweep",
        "what a rollout does in a session without a sweep: skip, or once to run replicate 0 as a test",
        one_of(*WITHOUT_SWEEP_WORDS),
        default="skip",
        ini="string",
    ),
    *MODAL_OPTIONS,
)

INI_ONLY = ("without_sweep", *MODAL_INI_ONLY)
RECORDING = ("capture", "capture_content", "max_observation_bytes", "max_spans", "redact")
"""What a rollout's mark may set as well."""


def option_named(name: str) -> Option:
    """Return an option by its name without the prefix."""
    return next(option for option in OPTIONS if option.name == name)
