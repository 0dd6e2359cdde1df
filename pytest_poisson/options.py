"""The options of the pytest side: one table, read once into one frozen `Settings`."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from pytest_poisson.errors import UserError
from pytest_poisson.fail_on import DEFAULT as DEFAULT_FAIL_ON
from pytest_poisson.fail_on import FailWord, parse_fail_on
from pytest_poisson.spans import DEFAULT_MAX_SPANS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

DEFAULT_STORE = ".poisson"
CLIENTS = ("openai", "anthropic", "litellm", "httpx")
WITHOUT_SWEEP_WORDS = ("skip", "once")
PYTEST_VERSION = tuple(int(part) for part in pytest.__version__.split(".")[:2])


class BadValueError(ValueError):
    """Why a text is not a value of its option, as the tail of a sentence."""


@dataclass(frozen=True)
class Option:
    """One setting: how it is given on the command line and in the configuration file, and what it takes."""

    name: str  # dest and ini key without the prefix `poisson_`
    help: str
    parse: Callable[[Any], Any]
    metavar: str | None = None  # None: a switch
    default: Any = None
    ini: str | None = None  # the ini type, or None where a configuration file cannot set it
    repeat: bool = False
    env: str | None = None

    @property
    def flag(self) -> str:
        """Return the command line's spelling."""
        return f"--poisson-{self.name.replace('_', '-')}"

    @property
    def key(self) -> str:
        """Return pytest's dest, which is the ini key as well."""
        return f"poisson_{self.name}"


def _positive_count(value: Any) -> int:
    number = _whole(value)
    if number < 1:
        raise BadValueError("must be a whole number from 1")
    return number


def _count(value: Any) -> int:
    number = _whole(value)
    if number < 0:
        raise BadValueError("must be a whole number from 0")
    return number


def _whole(value: Any) -> int:
    try:
        return int(str(value))
    except ValueError:
        raise BadValueError("must be a whole number") from None


def _workers(value: Any) -> int | None:
    if value == "auto":
        return None
    try:
        return _count(value)
    except BadValueError:
        raise BadValueError("must be a whole number from 0, or auto") from None


def _fraction(value: Any) -> float:
    number = _number(value)
    if not 0 < number < 1:
        raise BadValueError("must be a number between 0 and 1")
    return number


def _seconds(value: Any) -> float:
    number = _number(value)
    if not 0 < number < float("inf"):
        raise BadValueError("must be a number of seconds above 0")
    return number


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise BadValueError("must be a number") from None


def _amount(value: Any) -> float:
    number = _number(value)
    if not 0 <= number < float("inf"):
        raise BadValueError("must be a number from 0")
    return number


def _shard(value: Any) -> tuple[int, int]:
    part, _, parts = str(value).partition("/")
    if not (part.isdecimal() and parts.isdecimal() and 1 <= int(part) <= int(parts)):
        raise BadValueError("must have the form I/N, with I from 1 to N, as in 1/4")
    return int(part), int(parts)


def _text(value: Any) -> str:
    text = str(value)
    if not text.strip() or not text.isprintable():
        raise BadValueError("must be a text of printable characters")
    return text


def _run_name(value: Any) -> str:
    text = _text(value)
    if text == "latest" or text.startswith("@"):
        raise BadValueError("must not be 'latest' or start with '@', which have a meaning of their own")
    return text


def _choice(*words: str) -> Callable[[Any], str]:
    def parse(value: Any) -> str:
        if value not in words:
            raise BadValueError(f"must be one of {', '.join(words)}")
        return str(value)

    return parse


def _fail_on(value: Any) -> tuple[FailWord, ...]:
    return parse_fail_on(str(value), option="--poisson-fail-on")


def _variant(value: Any) -> tuple[str, str]:
    name, separator, setting = str(value).partition("=")
    if not separator or not name.isidentifier():
        raise BadValueError("must have the form KEY=VALUE, where KEY is a name")
    return name, setting


def _switch(value: Any) -> bool:
    return bool(value)


def _truth(value: Any) -> bool:
    word = str(value).lower()
    if word not in ("true", "false"):
        raise BadValueError("must be true or false")
    return word == "true"


def _pattern(value: Any) -> str:
    try:
        re.compile(value)
    except (re.error, TypeError) as error:
        raise BadValueError(f"must be a regular expression ({error})") from None
    return str(value)


OPTIONS = (
    Option("sweep", "run every selected rollout as a sweep and store the run", _switch),
    Option(
        "replicates",
        "replicates of every condition (default: the mark's, else computed from the accepted change)",
        _positive_count,
        "N",
        ini="int",
    ),
    Option(
        "max_mde",
        "the smallest change in an event's rate that matters, as a fraction (default: 0.20)",
        _fraction,
        "X",
        default=0.20,
        ini="float",
    ),
    Option(
        "q",
        "error level of flags (Benjamini-Hochberg) and verdict (Holm) (default: 0.05)",
        _fraction,
        "X",
        default=0.05,
        ini="float",
    ),
    Option("name", "name of the run to store (default: its run id)", _run_name, "NAME"),
    Option(
        "store",
        f"directory of stored runs (default: $POISSON_STORE, else {DEFAULT_STORE} in the root directory)",
        _text,
        "DIR",
        default=DEFAULT_STORE,
        ini="string",
        env="POISSON_STORE",
    ),
    Option(
        "backend",
        "where replicates run: local, modal, or one that a plugin provides (default: local)",
        _text,
        "NAME",
        default="local",
        ini="string",
    ),
    Option(
        "workers",
        "worker processes: a number, 0 for this process, or auto for one a core (default: auto)",
        _workers,
        "N",
        ini="int",
    ),
    Option(
        "timeout", "seconds after which one replicate is ended as timed_out", _seconds, "SECONDS", ini="float"
    ),
    Option(
        "variant",
        "a setting that the suite reads as rollout.variant[KEY], stored with the run (repeatable)",
        _variant,
        "KEY=VALUE",
        default=(),
        ini="args",
        repeat=True,
    ),
    Option("dry_run", "print the plan of the sweep and stop", _switch),
    Option(
        "pair_with",
        "sweep on the seeds and replicates of this stored run, then compare pair by pair and gate",
        _text,
        "RUN",
    ),
    Option("compare_with", "sweep on fresh seeds, then compare with this stored run and gate", _text, "RUN"),
    Option(
        "event",
        "an outcome whose rate is compared, or several joined by + (repeatable; default: the declared failures)",
        _text,
        "NAME",
        default=(),
        ini="args",
        repeat=True,
    ),
    Option(
        "method",
        "test of a paired comparison (default: mcnemar_bh; unpaired runs always use fisher_bh)",
        _choice("mcnemar_bh", "fisher_bh"),
        "METHOD",
        ini="string",
    ),
    Option(
        "fail_on",
        "what fails the session: worse, any, too-small, missing, joined by commas, or never (default: worse)",
        _fail_on,
        "WORDS",
        default=DEFAULT_FAIL_ON,
        ini="string",
    ),
    Option("resume", "run what is missing of this stored run, on its own seeds and variant", _text, "RUN"),
    Option("resume_anyway", "resume although the suite has changed, dropping what no longer exists", _switch),
    Option("token_cap", "stop when the run has used this many input tokens", _positive_count, "N", ini="int"),
    Option(
        "token_cap_total",
        "stop when the run has used this many tokens, input and output together",
        _positive_count,
        "N",
        ini="int",
    ),
    Option(
        "max_cost",
        "stop when the run's tokens cost this much at the declared prices",
        _amount,
        "X",
        ini="float",
    ),
    Option("price_per_input_token", "what one input token costs", _amount, "X", ini="float"),
    Option("price_per_output_token", "what one output token costs", _amount, "X", ini="float"),
    Option(
        "unknown_usage",
        "what an llm span without usage means under a cap: ignore counts and names it, fail stops the sweep",
        _choice("ignore", "fail"),
        "WORD",
        default="ignore",
        ini="string",
    ),
    Option("max_seconds", "stop when the sweep has run for this long", _seconds, "SECONDS", ini="float"),
    Option(
        "max_consecutive_errors",
        "stop after so many replicates in a row without an outcome (default: 50)",
        _positive_count,
        "N",
        default=50,
        ini="int",
    ),
    Option(
        "failing_from",
        "select the conditions of which replicates ended as a failure in this stored run",
        _text,
        "RUN",
    ),
    Option(
        "min_failures",
        "with --poisson-failing-from: how many of a condition's replicates must have failed (default: 1)",
        _positive_count,
        "N",
        default=1,
    ),
    Option(
        "shard",
        "run one part of the sweep, as in 1/4; parts are joined by pytest-poisson merge",
        _shard,
        "I/N",
    ),
    Option(
        "salt",
        "text from which the seeds come, for shards that must share them",
        _text,
        "TEXT",
        env="POISSON_SALT",
    ),
    Option(
        "capture",
        f"client library whose calls become spans: {', '.join(CLIENTS)} (repeatable)",
        _choice(*CLIENTS),
        "CLIENT",
        default=(),
        ini="args",
        repeat=True,
    ),
    Option(
        "capture_content",
        "whether spans keep input and output, or only their lengths and digests (default: true)",
        _truth,
        "true|false",
        default=True,
        ini="bool",
    ),
    Option(
        "max_observation_bytes",
        "the most that is kept of one input or output of a span (default: 262144)",
        _count,
        "N",
        default=262_144,
        ini="int",
    ),
    Option(
        "max_spans",
        "the most spans that are kept of a replicate; those beyond are counted (default: 10000)",
        _count,
        "N",
        default=DEFAULT_MAX_SPANS,
        ini="int",
    ),
    Option(
        "redact",
        "regular expression whose matches are taken out of every text of a span (repeatable)",
        _pattern,
        "REGEX",
        default=(),
        ini="linelist",
        repeat=True,
    ),
    Option("json", "write the result as JSON to this file", _text, "FILE"),
    Option("replicate", "run this one replicate of a stored run again, in this process", _count, "N"),
    Option(
        "run", "the stored run whose replicate to run again (default: latest)", _text, "RUN", default="latest"
    ),
    Option(
        "without_sweep",
        "what a rollout does in a session without a sweep: skip, or once to run replicate 0 as a test",
        _choice(*WITHOUT_SWEEP_WORDS),
        default="skip",
        ini="string",
    ),
)

INI_ONLY = ("without_sweep",)
RECORDING = ("capture", "capture_content", "max_observation_bytes", "max_spans", "redact")
"""What a rollout's mark may set as well."""


@dataclass(frozen=True)
class Settings:
    """Every option's value, and where it came from: `option`, `ini`, `env` or `default`."""

    values: Mapping[str, Any]
    sources: Mapping[str, str] = field(default_factory=dict)

    def __getattr__(self, name: str) -> Any:
        try:
            return self.values[name]
        except KeyError:
            raise AttributeError(name) from None

    @property
    def sweeping(self) -> bool:
        """Tell whether this session plans a sweep."""
        return bool(self.sweep or self.pair_with or self.compare_with or self.dry_run or self.resume)

    @property
    def baseline(self) -> str | None:
        """Return the name of the run to compare with, if any."""
        name = self.pair_with or self.compare_with
        return None if name is None else str(name)

    @property
    def replaying(self) -> bool:
        """Tell whether this session runs one stored replicate again."""
        return self.replicate is not None


def option_named(name: str) -> Option:
    """Return an option by its name without the prefix."""
    return next(option for option in OPTIONS if option.name == name)


def add_options(parser: pytest.Parser) -> None:
    """Declare every option and ini key to pytest."""
    group = parser.getgroup("poisson", "pytest-poisson: reliability of programs that vary")
    for option in OPTIONS:
        if option.name not in INI_ONLY:
            _add_flag(group, option)
        if option.ini is not None:
            parser.addini(option.key, option.help, type=_ini_type(option.ini), default=None)


def _add_flag(group: Any, option: Option) -> None:
    if option.metavar is None:
        group.addoption(option.flag, dest=option.key, action="store_true", default=False, help=option.help)
    else:
        action = "append" if option.repeat else "store"
        group.addoption(
            option.flag,
            dest=option.key,
            action=action,
            default=None,
            metavar=option.metavar,
            help=option.help,
        )


def _ini_type(wanted: str) -> Any:
    """Return the ini type that this pytest knows: int and float exist from 8.4."""
    if wanted in ("int", "float") and PYTEST_VERSION < (8, 4):
        return "string"
    return wanted


def read_settings(config: pytest.Config, environ: Mapping[str, str] | None = None) -> Settings:
    """Read every option: command line, then environment, then configuration file, then default.

    Raises
    ------
    pytest.UsageError
        If a value is not one its option takes; the sentence names option, source and value.
    """
    environ = os.environ if environ is None else environ
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    for option in OPTIONS:
        raw, source, spelling = _raw_value(config, option, environ)
        sources[option.name] = source
        values[option.name] = option.default if source == "default" else _parsed(option, raw, spelling)
    settings = Settings(values, sources)
    _refuse_contradictions(settings)
    return settings


def _raw_value(config: pytest.Config, option: Option, environ: Mapping[str, str]) -> tuple[Any, str, str]:
    """Return the value as given, its source, and how an error message names it."""
    given = None if option.name in INI_ONLY else config.getoption(option.key, None)
    if given is not None and given is not False:
        return given, "option", option.flag
    if option.env is not None and environ.get(option.env):
        return environ[option.env], "env", f"${option.env}"
    if option.ini is not None:
        stored = _ini_value(config, option)
        if stored not in (None, "", []):
            return stored, "ini", option.key
    return None, "default", option.flag


def _ini_value(config: pytest.Config, option: Option) -> Any:
    try:
        return config.getini(option.key)
    except (TypeError, ValueError) as wrong_type:
        raise pytest.UsageError(f"{option.key} in the configuration file: {wrong_type}") from None


def _parsed(option: Option, raw: Any, spelling: str) -> Any:
    items = raw if isinstance(raw, list) else [raw]
    try:
        parsed = tuple(option.parse(item) for item in items)
    except BadValueError as refusal:
        shown = raw if not isinstance(raw, list) else " ".join(map(str, raw))
        raise pytest.UsageError(f"{spelling}={shown} {refusal}.") from None
    except UserError as refusal:
        raise pytest.UsageError(str(refusal)) from None
    return parsed if option.repeat else parsed[0]


def _refuse_contradictions(settings: Settings) -> None:
    if settings.pair_with and settings.compare_with:
        raise pytest.UsageError(
            "--poisson-pair-with and --poisson-compare-with exclude each other: "
            "the first compares on the same seeds, the second on fresh ones."
        )
    if settings.replaying and settings.sweeping:
        raise pytest.UsageError(
            "--poisson-replicate runs one stored replicate again and takes no sweep option."
        )
    if settings.resume is not None:
        _refuse_beside_resume(settings)
    if settings.pair_with and settings.salt is not None:
        raise pytest.UsageError(
            "--poisson-salt has no place beside --poisson-pair-with, which takes the baseline's."
        )
    if settings.shard is not None and settings.salt is None and settings.pair_with is None:
        raise pytest.UsageError(
            "--poisson-shard needs --poisson-salt=TEXT or --poisson-pair-with=RUN, so that the parts share their seeds."
        )
    if settings.max_cost is not None and settings.price_per_input_token is None:
        raise pytest.UsageError(
            "--poisson-max-cost needs poisson_price_per_input_token and poisson_price_per_output_token; "
            "no provider's prices are built in."
        )
    if settings.workers == 0 and settings.timeout is not None:
        raise pytest.UsageError(
            "--poisson-timeout needs worker processes, which it can end; give --poisson-workers=1 or more."
        )


def _refuse_beside_resume(settings: Settings) -> None:
    for name in ("pair_with", "compare_with", "name", "salt", "shard", "variant"):
        if settings.sources[name] == "option":
            raise pytest.UsageError(
                f"--poisson-{name.replace('_', '-')} has no place beside --poisson-resume, which goes on as the run began."
            )
