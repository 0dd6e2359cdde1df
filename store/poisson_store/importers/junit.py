"""JUnit XML: a test name is a condition, and each file, in the order given, one replicate of all its tests."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar
from xml.parsers import expat

from poisson_store.errors import ImportRefusedError, storage_errors
from poisson_store.importers.case import Case, Planned, brief
from poisson_store.importers.declared import FAIL, PASS
from poisson_store.importers.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_AT_ONCE = 1 << 16
_WORST_FIRST = ("error", "failure", "skipped")
_TEARDOWN = "failed on teardown"
"""How the message of an error begins that pytest reports of a tear-down."""


class JunitReader(Reader):
    """Reads pass, fail, error and skipped of each test."""

    suffixes: ClassVar[tuple[str, ...]] = (".xml",)
    identity: ClassVar[tuple[str, ...]] = ("classname", "name")

    def cases(self) -> Iterator[Case]:
        """Yield a case for each test of each file; an error, unless declared a failure, and a skip are causes."""
        self._tests: dict[tuple[str, ...], dict[str, Any]] = {}
        for replicate, path in enumerate(self.files):
            tests, failed = 0, set()
            for test in _tests(path):
                tests += 1
                identity = test["suite"], test["classname"], test["name"]
                if identity in failed and _is_teardown(test):
                    continue  # its call failed: pytest reports the tear-down as a second testcase of the same name
                if "failure" in test["results"]:
                    failed.add(identity)
                yield self._case(test, replicate, f"{path}, test {test['name']!r}")
            if not tests:
                raise ImportRefusedError(f"{path} holds no testcase.")
        self.origin = replace(self.origin, environment={"tool": "junit"})

    def planned(self) -> Iterable[Planned]:
        """Give every test as many replicates as there are files: one that a file lacks did not run there."""
        for fields in self._tests.values():
            yield Planned(fields, None, len(self.files))

    def _case(self, test: dict[str, Any], replicate: int, where: str) -> Case:
        fields = {name: test[name] for name in ("classname", "name", "suite", "file") if test.get(name)}
        fields.setdefault("classname", "")
        self._tests.setdefault((test["suite"], fields["classname"], fields["name"]), fields)
        found = next((name for name in _WORST_FIRST if name in test["results"]), None)
        failed = found == "failure" or (found == "error" and self.declared.errors_fail)
        cause = None if failed or found is None else "errored" if found == "error" else "skipped"
        told = test["results"].get(found, {}) if found else {}
        message = told.get("message", "")
        shown = message if self.declared.keep_text else told.get("type", "")
        return Case(
            where,
            fields,
            replicate=replicate,
            outcome=None if cause else FAIL if failed else PASS,
            cause=cause,
            wall_s=_seconds(test.get("time")),
            error=brief(shown) or None if found else None,
            meta={"reruns": test["reruns"]} if test["reruns"] else None,
        )


class _Collector:
    """Collects the testcases of a document as they end."""

    def __init__(self) -> None:
        self.done: list[dict[str, Any]] = []
        self._suites: list[str] = []
        self._test: dict[str, Any] | None = None

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "testsuite":
            self._suites.append(attributes.get("name", ""))
        elif tag == "testcase":
            suite = self._suites[-1] if self._suites else ""
            self._test = {
                "name": "",
                "classname": "",
                **attributes,
                "suite": suite,
                "results": {},
                "reruns": 0,
            }
        elif self._test is not None and tag in _WORST_FIRST:
            self._test["results"].setdefault(tag, attributes)
        elif self._test is not None and tag in {"rerunFailure", "rerunError", "flakyFailure", "flakyError"}:
            self._test["reruns"] += 1

    def end(self, tag: str) -> None:
        if tag == "testsuite" and self._suites:
            self._suites.pop()
        elif tag == "testcase" and self._test is not None:
            self.done.append(self._test)
            self._test = None


def _is_teardown(test: dict[str, Any]) -> bool:
    """Tell whether a testcase says nothing but that a tear-down raised."""
    results = test["results"]
    return list(results) == ["error"] and results["error"].get("message", "").startswith(_TEARDOWN)


def _tests(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the testcases of a file, a piece of it at a time."""
    collector, parser = _Collector(), expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = collector.start, collector.end

    def refuse(*_: object) -> None:
        raise ImportRefusedError(
            f"{path} declares a document type, which no test report needs; it is not read."
        )

    parser.StartDoctypeDeclHandler = refuse
    with storage_errors(path, "read"), path.open("rb") as file:
        try:
            while chunk := file.read(_AT_ONCE):
                parser.Parse(chunk, False)  # noqa: FBT003 (expat takes it by position)
                yield from collector.done
                collector.done.clear()
            parser.Parse(b"", True)  # noqa: FBT003 (expat takes it by position)
        except expat.ExpatError as error:
            problem = "is empty" if path.stat().st_size == 0 else f"is broken XML: {error}"
            raise ImportRefusedError(f"{path} {problem}.") from error
        except (LookupError, ValueError) as error:  # what the declaration says of its encoding
            raise ImportRefusedError(f"{path} cannot be read: {error}.") from error


def _seconds(text: str | None) -> float | None:
    """Read a duration; some tools write thousands separators, and a clock that was set back a negative one."""
    try:
        seconds = float(text.replace(",", "")) if text else math.nan
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None
