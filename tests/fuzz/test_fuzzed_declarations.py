"""Declarations, options and configurations at random: a sentence that names the value, never a traceback."""

import copy
from decimal import Decimal
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pytest_poisson.declaration import MARK, RECORDING, Declaration, declare
from pytest_poisson.errors import UserError
from pytest_poisson.option_table import INI_ONLY, OPTIONS
from pytest_poisson.options import Settings, read_settings
from pytest_poisson.replay.declaration import ReplayDeclaration, parse_declaration, read_declaration
from tests.replay.arms import DECLARATION

MANY = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
HUGE = 10**400
WORDS = st.sampled_from(
    ["resolved", "timeout", "passed", "failed", "a+b", "", " ", "x,y", "1/4", "auto", "true"]
)
NUMBERS = st.one_of(
    st.sampled_from([0, 1, -1, 0.5, 1.5, HUGE, -HUGE, float("nan"), float("inf"), Decimal("NaN"), True]),
    st.integers(),
    st.floats(),
)
HARD = st.sampled_from(
    ["a{99999999999}", "(" * 500, "(?P<a", "9" * 5000, "\ud800", "\x00", "²", "1e400", "²/³"]
)
PLAIN = st.one_of(st.none(), WORDS, NUMBERS, HARD, st.text(max_size=4), st.binary(max_size=3))
CLASSES = st.sampled_from(
    [TimeoutError, OSError, AssertionError, Exception, BaseException, int, object, "TimeoutError"]
)
ANYTHING = st.recursive(
    st.one_of(PLAIN, CLASSES),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.tuples(inner, inner),
        st.dictionaries(st.one_of(WORDS, NUMBERS, CLASSES, st.text(max_size=3)), inner, max_size=3),
        st.frozensets(st.one_of(WORDS, CLASSES), max_size=2),
    ),
    max_leaves=6,
)
NAMES = st.one_of(st.sampled_from([*MARK, *RECORDING]), st.text(max_size=5))


@MANY
@given(st.lists(st.dictionaries(NAMES, ANYTHING, max_size=4), max_size=2))
def test_a_mark_with_any_arguments(marks):
    """Any arguments make a declaration or are refused in one sentence that names the test; neither has a second line."""
    try:
        made = declare(marks, default_id="t.py::t", where="t.py::t")
    except UserError as refusal:
        assert "t.py::t" in str(refusal)
        assert str(refusal).endswith(".")
    else:
        assert isinstance(made, Declaration)
        assert made.settings()


TYPED = st.one_of(WORDS, HARD, NUMBERS.map(str), st.text(max_size=4))
INTEGERS, FLOATS = (
    st.one_of(st.integers(), st.just(HUGE)),
    st.one_of(st.floats(), st.integers(), st.just(HUGE)),
)
STORED = {"int": INTEGERS, "float": FLOATS, "bool": st.booleans(), "args": st.lists(TYPED, max_size=2)}


def typed_for(option):
    """Return what argparse may hand over for an option."""
    if option.metavar is None:
        return st.just(True)
    return st.lists(TYPED, min_size=1, max_size=2) if option.repeat else TYPED


def stored_for(option):
    """Return what pytest may read for an option's key in a configuration file."""
    return STORED.get(option.ini, TYPED)


@pytest.mark.parametrize("option", OPTIONS, ids=lambda each: each.name)
def test_an_option_with_any_value(option):
    """Each option takes a value or refuses it as one of its own; so does its key in a configuration file."""

    @MANY
    @given(typed_for(option), stored_for(option))
    def check(typed, stored):
        if option.name not in INI_ONLY:
            _settings_of({option.name: typed}, {})
        if option.ini is not None:
            _settings_of({}, {option.name: stored})

    check()


@MANY
@given(
    st.lists(st.sampled_from(OPTIONS), max_size=5).flatmap(
        lambda chosen: st.fixed_dictionaries({each.name: typed_for(each) for each in chosen})
    ),
    st.lists(st.sampled_from([each for each in OPTIONS if each.ini]), max_size=3).flatmap(
        lambda chosen: st.fixed_dictionaries({each.name: stored_for(each) for each in chosen})
    ),
)
def test_options_in_any_combination(typed, stored):
    """Any combination on the command line and in a file is settings, or refused as a wrong command line."""
    _settings_of(typed, stored)


class Config:
    """Stands for pytest's configuration: what was typed, and what the file holds."""

    def __init__(self, typed, stored):
        self.typed = typed
        self.stored = stored
        self.invocation_params = SimpleNamespace(
            args=[f"--poisson-{name.replace('_', '-')}={value}" for name, value in typed.items()]
        )

    def getoption(self, key, default=None):
        return self.typed.get(key.removeprefix("poisson_"), default)

    def getini(self, key):
        return self.stored.get(key.removeprefix("poisson_"), "")


def _settings_of(typed, stored):
    try:
        made = read_settings(Config(typed, stored), {})
    except pytest.UsageError as refusal:
        assert str(refusal).endswith(".")
    else:
        assert isinstance(made, Settings)


@st.composite
def changed(draw, value):
    """Draw a declaration with some of its values replaced, taken out or joined by others."""
    made = copy.deepcopy(value)
    for name in draw(st.lists(st.sampled_from(list(made)), max_size=3, unique=True)):
        made[name] = draw(ANYTHING)
    for name in draw(st.lists(st.sampled_from(list(made)), max_size=1)):
        del made[name]
    made.update(draw(st.dictionaries(st.text(max_size=4), PLAIN, max_size=1)))
    part = draw(st.sampled_from(["cuts", "sweeps"]))
    if isinstance(made.get(part), list) and made[part] and isinstance(made[part][0], dict):
        made[part][0][draw(st.sampled_from(["name", "a", "b", "threshold", "comparison"]))] = draw(PLAIN)
    return made


@MANY
@given(changed(DECLARATION))
def test_a_replay_with_any_values(content):
    """Any values make a replay's declaration or are refused in a sentence that names the file."""
    try:
        made = parse_declaration(content, where="replay.toml")
    except UserError as refusal:
        assert "replay.toml" in str(refusal)
    else:
        assert isinstance(made, ReplayDeclaration)


@MANY
@given(
    st.one_of(st.binary(max_size=40), st.text(max_size=40).map(lambda text: text.encode("utf-8", "replace")))
)
@example(b"a = " + b"[" * 100_000)
@example(b"a = " + b"9" * 5000)
@example(b"a = 1979-05-27T07:32:00Z")
@example(b"a." * 5000 + b"b = 1")
def test_a_replay_with_any_text(tmp_path, content):
    """Any bytes in place of the file are refused in a sentence that names it."""
    file = tmp_path / "replay.toml"
    file.write_bytes(content)
    with pytest.raises(UserError, match=r"replay\.toml"):
        read_declaration(file)
