"""Every use of pytest's private API, in one place.

Checked on pytest 8.2, 8.4, 9.0, 9.1 and 9.2. Public pytest has no way to run one item many times with fresh
function-scoped fixtures and shared wider ones, nor to ask a parametrized item for its values.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, cast

import pytest
from _pytest.skipping import evaluate_skip_marks
from _pytest.tmpdir import tmppath_result_key

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator


BUILTIN_PREFIXES = ("_pytest.", "pytest_poisson.")
NO_OPS_FOR_PLAIN_FUNCTIONS = frozenset({"anyio", "asyncio", "hypothesispytest"})
"""Plugins whose hooks let a function that is neither a coroutine nor a property test through as it is."""

PLAIN_TYPES = frozenset({int, float, str, bool})
"""Types whose equal values are one axis value."""


def raw_ini_value(config: pytest.Config, key: str) -> Any:
    """Return what a configuration file says of a key before pytest converts it; None where that is not known."""
    table = getattr(config, "_inicfg", None)  # from pytest 9.0; before, `inicfg` holds the values themselves
    found = config.inicfg.get(key) if table is None else table.get(key)
    return getattr(found, "value", found)


class AxisValue(NamedTuple):
    """An axis value as collected: the id that the suite gave it, if any, and its place among the values given."""

    value: Any
    given_id: str | None
    place: int


class AxisReader:
    """Reads the axes of items, going through each list of values once, however many items came of it."""

    def __init__(self) -> None:
        self._given: dict[tuple[int, str], _Given] = {}

    def read(self, item: pytest.Function) -> dict[str, AxisValue]:
        """Return the axes of an item by name."""
        callspec = getattr(item, "callspec", None)
        if callspec is None:
            return {}
        return {name: self._axis_value(item, name, value) for name, value in callspec.params.items()}

    def _axis_value(self, item: pytest.Function, axis: str, value: Any) -> AxisValue:
        """Find a value among those given on a mark or a fixture: pytest renumbers plain parameters."""
        for mark in item.iter_markers("parametrize"):
            named = {**dict(zip(("argnames", "argvalues"), mark.args, strict=False)), **mark.kwargs}
            names = named["argnames"]
            names = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
            if axis in names:
                position = names.index(axis) if len(names) > 1 else None
                given = self._look_up(mark, axis, position, named["argvalues"], named.get("ids"))
                return given.find(value) if given.is_legible else _as_collected(item, axis, value)
        for fixture in reversed(item._fixtureinfo.name2fixturedefs.get(axis, ())):
            if fixture.params is not None:
                return self._look_up(fixture, axis, None, fixture.params, fixture.ids).find(value)
        return _as_collected(item, axis, value)

    def _look_up(self, source: Any, axis: str, position: int | None, given: Any, ids: Any) -> _Given:
        found = self._given.get((id(source), axis))
        if found is None:
            found = self._given[id(source), axis] = _Given(source, position, list(given), ids)
        return found


class _Given:
    """The values given for one axis, each of which is a value, a tuple of them, or a pytest.param."""

    def __init__(self, source: Any, position: int | None, given: list[Any], ids: Any) -> None:
        self._source = source  # kept, so that no other has its id
        self._parameters = [
            each
            if hasattr(each, "marks") and hasattr(each, "values")
            else (pytest.param(each) if position is None else pytest.param(*each))
            for each in given
        ]
        self._values = [each.values[position or 0] for each in self._parameters]
        self._ids = list(ids) if ids is not None and not callable(ids) else ids
        self.is_legible = bool(given) and (
            ids is None or bool(self._ids)
        )  # not so where a generator has run out
        self._by_identity: dict[int, int] = {}
        self._by_value: dict[Any, int] = {}
        for place, value in enumerate(self._values):
            self._by_identity.setdefault(id(value), place)
            if type(value) in PLAIN_TYPES:
                self._by_value.setdefault((type(value), value), place)

    def find(self, value: Any) -> AxisValue:
        """Find a value by identity, or a plain one by itself: a range makes a new number at every turn."""
        place = self._by_identity.get(id(value))
        if place is None and type(value) in PLAIN_TYPES:
            place = self._by_value.get((type(value), value))
        if place is None:
            return AxisValue(value, None, len(self._values))
        given = self._parameters[place].id
        if isinstance(given, str):
            return AxisValue(value, given, place)
        chosen = self._ids(value) if callable(self._ids) else (self._ids[place] if self._ids else None)
        return AxisValue(value, None if chosen is None else str(chosen), place)


def _as_collected(item: pytest.Function, axis: str, value: Any) -> AxisValue:
    """Return an axis value that stands on no mark or fixture, as those of `pytest_generate_tests`, with the id it was given.

    Where one call gave several names, nobody can tell whose an id is; one that pytest has made up is none.
    """
    callspec = item.callspec
    names, place = list(callspec.params), callspec.indices.get(axis, 0)
    if len(callspec._idlist) != len(names):
        return AxisValue(value, None, place)
    found = callspec._idlist[names.index(axis)]
    made_up = (
        isinstance(value, (bytes, complex, re.Pattern))
        or found == getattr(value, "__name__", None)
        or found.removeprefix(axis).isdecimal()
    )
    return AxisValue(value, None if made_up else found, place)


def ran_last_failed_only(config: pytest.Config) -> bool:
    """Tell whether --lf narrowed the session down, which it does while files are collected: it deselects nothing."""
    plugin = config.pluginmanager.get_plugin("lfplugin")
    return bool(config.getoption("lf", default=False) and getattr(plugin, "_previously_failed_count", None))


def skip_item(reason: str) -> NoReturn:
    """Skip as a mark does: the report names the place of the test, not that of this line."""
    raise pytest.skip.Exception(reason, _use_item_location=True)


def skip_reason(item: pytest.Item) -> str | None:
    """Return why a skip or skipif mark leaves this item out, or None."""
    skipped = evaluate_skip_marks(item)
    return None if skipped is None else skipped.reason


def is_direct_parameter(item: pytest.Function, name: str) -> bool:
    """Tell whether a name of the fixture closure is a plain `parametrize` argument, which no code sets up."""
    return fixture_module(item, name) == "_pytest.python"


def fixture_scope(item: pytest.Function, name: str) -> str | None:
    """Return the scope that a fixture has for this item, or None where nothing by that name is defined."""
    definitions = item._fixtureinfo.name2fixturedefs.get(name)
    if not definitions:
        return None
    callspec = getattr(item, "callspec", None)
    if callspec is not None and name in callspec._arg2scope:
        return str(callspec._arg2scope[name].value)
    return str(definitions[-1].scope)


def fixture_functions(item: pytest.Function) -> list[Any]:
    """Return the functions of every fixture in an item's closure."""
    closure = item._fixtureinfo.name2fixturedefs
    return [closure[name][-1].func for name in item.fixturenames if closure.get(name)]


def fixture_module(item: pytest.Function, name: str) -> str | None:
    """Return the module that defines the fixture which an item sees by this name."""
    definitions = item._fixtureinfo.name2fixturedefs.get(name)
    return definitions[-1].func.__module__ if definitions else None


def argument_names(item: pytest.Function) -> tuple[str, ...]:
    """Return the fixtures that the test function itself takes."""
    return tuple(item._fixtureinfo.argnames)


def has_foreign_hooks(item: pytest.Item, *names: str) -> bool:
    """Tell whether a plugin or conftest other than pytest itself implements one of these hooks for an item."""
    for name in names:
        for implementation in getattr(item.ihook, name).get_hookimpls():
            module = (
                getattr(implementation.plugin, "__name__", None) or type(implementation.plugin).__module__
            )
            if (
                not module.startswith(BUILTIN_PREFIXES)
                and implementation.plugin_name not in NO_OPS_FOR_PLAIN_FUNCTIONS
            ):
                return True
    return False


class ItemRun:
    """Sets one item up and tears it down, again and again, below the collectors that contain it."""

    def __init__(self, item: pytest.Function) -> None:
        self.item = item
        self._state = item.session._setupstate
        self._wide = [
            name for name in item.fixturenames if fixture_scope(item, name) not in (None, "function")
        ]
        self._lengths: list[tuple[Any, int]] = []
        self._properties = len(item.user_properties)
        self._shared: set[Any] = set()  # definitions whose value is not the item's own

    def enter(self) -> None:
        """Set up the wider fixtures; whatever was run before has been left by `leave_for`."""
        self.renew()
        self._state.setup(cast("pytest.Item", _Container(self.item)))
        with self._on_stack():
            for name in self._wide:
                self.item._request.getfixturevalue(name)
        self._lengths = [(definition, len(definition._finalizers)) for definition in self._wide_definitions()]

    def leave_replicate(self) -> None:
        """Tear down what belongs to the item alone."""
        try:
            self._state.teardown_exact(cast("pytest.Item", self.item.parent))
        finally:
            self._forget()

    def renew(self) -> None:
        """Give the item a new request and, where its test is a method, a new instance."""
        item = self.item
        item._initrequest()
        item.stash[tmppath_result_key] = {}  # the fixture tmp_path asks for it when it is torn down
        if item.cls is not None:
            for attribute in ("_instance", "_obj"):
                item.__dict__.pop(attribute, None)

    def set_up(self) -> None:
        """Set the item up: its function-scoped fixtures, and what of the wider ones is not there yet."""
        self._state.setup(self.item)

    def arguments(self) -> dict[str, Any]:
        """Return the arguments that pytest would call the test function with."""
        funcargs = self.item.funcargs
        return {name: funcargs[name] for name in self.item._fixtureinfo.argnames}

    def suspend(self) -> Suspended:
        """Lift what was set up for the item off its fixtures, so that the next replicate can be set up beside it."""
        item = self.item
        fixtures = []
        for definition in item._request._fixture_defs.values():
            if fixture_scope(item, definition.argname) == "function" and definition not in self._shared:
                fixtures.append((definition, definition.cached_result, list(definition._finalizers)))
                definition.cached_result = None
                definition._finalizers.clear()
        attributes = {name: item.__dict__.get(name) for name in ("_request", "funcargs", "_instance", "_obj")}
        return Suspended(self._state.stack.pop(item), fixtures, attributes)

    def resume(self, suspended: Suspended) -> None:
        """Put back what `suspend` lifted off, for the item's tear-down."""
        self._state.stack[self.item] = suspended.node
        for definition, cached_result, finalizers in suspended.fixtures:
            definition.cached_result = cached_result
            definition._finalizers[:] = finalizers
        self.item.__dict__.update(suspended.attributes)
        self.item.stash[tmppath_result_key] = {}

    def wide_value(self, name: str) -> Any:
        """Return the value of a fixture wider than a function."""
        with self._on_stack():
            return self.item._request.getfixturevalue(name)

    @contextmanager
    def sharing(self, name: str, value: object) -> Iterator[None]:
        """Let a function-scoped fixture of another plugin have this value inside, instead of being set up."""
        definitions = self.item.session._fixturemanager.getfixturedefs(name, self.item) or ()
        for definition in definitions:
            definition.cached_result = (value, _Anything(), None)
        self._shared.update(definitions)
        try:
            yield
        finally:
            self._shared.difference_update(definitions)
            for definition in definitions:
                definition.cached_result = None

    @contextmanager
    def _on_stack(self) -> Iterator[None]:
        """Count the item as active inside: pytest hands fixtures to active nodes only."""
        self._state.stack[self.item] = ([], None)
        try:
            yield
        finally:
            self._state.stack.popitem()

    def _wide_definitions(self) -> Iterator[Any]:
        for name in self._wide:
            yield from self.item._fixtureinfo.name2fixturedefs[name]

    def _forget(self) -> None:
        """Drop what one replicate left on longer-lived objects, so that memory does not grow with replicates."""
        for definition, length in self._lengths:
            del definition._finalizers[length:]
        del self.item.user_properties[self._properties :]
        self.item._report_sections.clear()


class FixtureFailures:
    """The hook by which a fixture that raised what is no Exception, as `sys.exit` does, has failed like any other.

    pytest takes it for one that was never set up: it would not tear it down, and refuse to set it up ever again.
    """

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
    ) -> Generator[None, object, object]:
        """Keep with the fixture whatever it raised."""
        try:
            return (yield)
        except BaseException as error:
            if fixturedef.cached_result is None:
                key = fixturedef.cache_key(cast("Any", request))
                fixturedef.cached_result = (None, key, (error, error.__traceback__))
            raise


class Suspended(NamedTuple):
    """One replicate's set-up while others are under way: its place on the stack, its fixtures' values, its item."""

    node: Any
    fixtures: list[tuple[Any, Any, list[Any]]]
    attributes: dict[str, Any]


class _Anything:
    """Equals every cache key."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


class _Container:
    """Stands for an item in SetupState.setup, which is to set up the collectors around it but not the item."""

    def __init__(self, item: pytest.Item) -> None:
        self._item = item

    def listchain(self) -> list[Any]:
        return self._item.listchain()[:-1]


def leave_for(item: pytest.Item) -> None:
    """Tear down every wider fixture that this item, which runs next, does not share.

    pytest itself would leave a fixture that has another parameter until this item is set up, which would then fail.
    """
    try:
        item.session._setupstate.teardown_exact(item)
    finally:
        _leave_other_parameters(item)


def _leave_other_parameters(item: pytest.Item) -> None:
    for name, value in getattr(getattr(item, "callspec", None), "params", {}).items():
        for definition in cast("pytest.Function", item)._fixtureinfo.name2fixturedefs.get(name, ()):
            if definition.cached_result is not None and definition.cached_result[1] is not value:
                definition.finish(cast("Any", item)._request)


def tear_down_all(session: pytest.Session) -> None:
    """Tear down every fixture that is still set up."""
    session._setupstate.teardown_exact(None)


@contextmanager
def captured(config: pytest.Config) -> Iterator[None]:
    """Keep what runs inside from printing over the terminal, as pytest keeps a test from it."""
    capture = config.pluginmanager.getplugin("capturemanager")
    if capture is None:
        yield
        return
    capture.resume_global_capture()
    try:
        yield
    finally:
        capture.suspend_global_capture(in_=True)
        capture.read_global_capture()
