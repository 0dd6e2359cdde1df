"""Reading the options: the table's, once a session, into one frozen `Settings`."""

from __future__ import annotations

import os
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from pytest_poisson.errors import UserError
from pytest_poisson.option import BadValueError
from pytest_poisson.option_table import INI_ONLY, OPTIONS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_poisson.option import Option

PYTEST_VERSION = tuple(int(part) for part in pytest.__version__.split(".")[:2])


class Settings(NamedTuple):
    """Every option's value, and where it came from: `option`, `ini`, `env` or `default`."""

    values: Mapping[str, Any]
    sources: Mapping[str, str] = MappingProxyType({})

    def __getattr__(self, name: str) -> Any:
        try:
            return self.values[name]
        except KeyError:
            raise AttributeError(name) from None

    @property
    def sweeping(self) -> bool:
        """Tell whether this session plans a sweep."""
        return bool(
            self.sweep
            or self.pair_with
            or self.compare_with
            or self.interleave
            or self.dry_run
            or self.resume
        )

    @property
    def baseline(self) -> str | None:
        """Return the name of the run to compare with, if any."""
        name = self.pair_with or self.compare_with
        return None if name is None else str(name)

    @property
    def selecting_run(self) -> str | None:
        """Return the name of the run whose failing conditions are selected, if any."""
        name = self.failing_from or self.fix_check
        return None if name is None else str(name)

    @property
    def variants(self) -> tuple[dict[str, str], dict[str, str]]:
        """Return the variant to measure, and the one to compare with where both are swept side by side."""
        return dict(self.variant), {**dict(self.variant), **dict(self.against)}

    @property
    def replaying(self) -> bool:
        """Tell whether this session runs one stored replicate again."""
        return self.replicate is not None


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
    _refuse_to_pass_unmeasured(settings, config.invocation_params.args)
    if settings.sweeping and config.getoption("trace", default=False):
        raise pytest.UsageError(  # and a replicate that is left in the debugger would count as passed
            "--trace would stop at every replicate of the sweep; follow one of a stored run with "
            "--poisson-replicate=N --trace."
        )
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
    except (TypeError, ValueError, pytest.UsageError) as wrong_type:
        return _word_for_a_number(config, option, wrong_type)


def _word_for_a_number(config: pytest.Config, option: Option, wrong_type: Exception) -> Any:
    """Return a word that pytest took for a wrong number (`auto`); refuse any other value by what the option takes."""
    from pytest_poisson.pytest_internals import raw_ini_value

    raw = raw_ini_value(config, option.key)
    if raw is not None:
        _parsed(option, raw, option.key)
    if isinstance(raw, str) and raw.isalpha():
        return raw
    complaint = str(wrong_type)
    where = "" if option.key in complaint else f"{option.key} in the configuration file: "
    raise pytest.UsageError(f"{where}{complaint}")


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
    if settings.compare_with and (settings.method or "").startswith(("mcnemar", "sign")):
        raise pytest.UsageError(
            f"{_spelled(settings, 'method')}={settings.method} needs pairs, and --poisson-compare-with sweeps on fresh "
            "seeds; use fisher_bh, or --poisson-pair-with."
        )
    _refuse_without_its_partner(settings)
    _refuse_wrong_fix_check(settings)
    _refuse_wrong_interleaving(settings)
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
    if settings.plan_from is not None and settings.sources["replicates"] == "option":
        raise pytest.UsageError(
            "--poisson-plan-from computes the replicates that --poisson-replicates gives; leave one of them out."
        )
    if settings.stop_early:
        _refuse_beside_stop_early(settings)
    if settings.workers == 0 and settings.timeout is not None:
        raise pytest.UsageError(
            "--poisson-timeout needs worker processes, which it can end; give --poisson-workers=1 or more."
        )


def _refuse_without_its_partner(settings: Settings) -> None:
    """Refuse an option that only says how another one is meant, where the other is not given."""
    partners = {
        "min_failures": ("failing_from", "fix_check"),
        "resume_anyway": ("resume",),
        "run": ("replicate",),
    }
    for name, others in partners.items():
        if settings.sources[name] == "option" and all(settings.values[other] is None for other in others):
            flags = " or ".join(f"--poisson-{other.replace('_', '-')}" for other in others)
            raise pytest.UsageError(f"{_spelled(settings, name)} goes with {flags}.")
    if settings.fail_on == ("flips",) and settings.sweeping and settings.paired is None:
        raise pytest.UsageError(
            f"{_spelled(settings, 'fail_on')}=flips goes with --poisson-paired, whose flips it counts; alone it would "
            "let every change pass."
        )


def _refuse_to_pass_unmeasured(settings: Settings, typed: Sequence[str | os.PathLike[str]]) -> None:
    """Refuse what only a measurement can answer where there is none; `addopts` may hold it for the sweeps to come."""
    if settings.sweeping or settings.replaying or settings.fix_check or settings.paired:
        return
    flags = {str(each).partition("=")[0] for each in typed}
    for flag in ("--poisson-fail-on", "--poisson-json", "--poisson-report"):
        if flag in flags:
            raise pytest.UsageError(
                f"{flag} goes with --poisson-sweep or --poisson-pair-with: without a sweep nothing is measured, and the "
                "session would pass."
            )


def _spelled(settings: Settings, name: str) -> str:
    """Return a setting as it was given: the option, or the key of the configuration file."""
    return f"poisson_{name}" if settings.sources[name] == "ini" else f"--poisson-{name.replace('_', '-')}"


def _refuse_beside_stop_early(settings: Settings) -> None:
    """Refuse what a sweep of which nobody knows how long it will be cannot keep."""
    if settings.baseline is None:
        raise pytest.UsageError(
            "--poisson-stop-early decides against a stored run; give --poisson-pair-with=RUN or --poisson-compare-with=RUN."
        )
    given = {
        "--poisson-shard": settings.shard,
        "--poisson-fix-check": settings.fix_check,
        "--poisson-margin": settings.margin,
        "--poisson-method": settings.method,
    }
    for flag, value in given.items():
        if value is not None:
            raise pytest.UsageError(
                f"{flag} has no place beside --poisson-stop-early, whose rule needs every replicate and decides alone."
            )


def _refuse_wrong_fix_check(settings: Settings) -> None:
    if settings.fix_check is None:
        return
    if settings.failing_from is not None:
        raise pytest.UsageError(
            "--poisson-failing-from has no place beside --poisson-fix-check, which selects by its own run."
        )
    if not (settings.baseline or settings.interleave or settings.resume):
        raise pytest.UsageError(
            f"--poisson-fix-check={settings.fix_check} needs the old version: --poisson-pair-with=RUN, "
            "--poisson-compare-with=RUN or --poisson-interleave."
        )


def _refuse_wrong_interleaving(settings: Settings) -> None:
    if not settings.interleave:
        if settings.against:
            raise pytest.UsageError("--poisson-against goes with --poisson-interleave.")
        return
    for name in ("pair_with", "compare_with", "resume"):
        if settings.values[name] is not None:
            raise pytest.UsageError(
                f"--poisson-{name.replace('_', '-')} has no place beside --poisson-interleave, which makes both runs."
            )
    first, second = settings.variants
    if first == second:
        given = " ".join(f"{key}={value}" for key, value in first.items()) or "no variant"
        raise pytest.UsageError(
            f"--poisson-interleave has {given} on both sides; give the other with --poisson-against=KEY=VALUE."
        )


def _refuse_beside_resume(settings: Settings) -> None:
    for name in ("pair_with", "compare_with", "plan_from", "stop_early", "name", "salt", "shard", "variant"):
        if settings.sources[name] == "option":
            raise pytest.UsageError(
                f"--poisson-{name.replace('_', '-')} has no place beside --poisson-resume, which goes on as the run began."
            )
