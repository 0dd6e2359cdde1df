"""The report of each condition's pytest item: passed, failed with the verdict's text, or skipped."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_poisson.pytest_internals import skip_item

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_poisson.gate import Gate


class ItemReports:
    """The hook that reports a condition's item in place of running it.

    Parameters
    ----------
    conditions
        The key of each item's condition; other items are none of its business.
    gate
        What was judged; None where nothing was.
    took_s
        How long the replicates of a condition took together, where its item is to say so.
    """

    def __init__(
        self, conditions: Mapping[pytest.Item, str], gate: Gate | None, took_s: Mapping[str, float]
    ) -> None:
        self._conditions = conditions
        self._gate = gate
        self._took_s = took_s
        self.unmeasured: list[str] = []  # node ids of items that failed for having measured nothing

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        """Report a condition as one item."""
        key = self._conditions.get(item)
        if key is None:
            return None
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for when, work in (
            ("setup", _nothing),
            ("call", lambda: self._tell(item, key)),
            ("teardown", _nothing),
        ):
            call = pytest.CallInfo.from_call(work, when=when)  # type: ignore[arg-type]
            if when == "call":
                call.duration = self._took_s.get(key, call.duration)
            report = item.ihook.pytest_runtest_makereport(item=item, call=call)
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def _tell(self, item: pytest.Item, key: str) -> None:
        """Raise what makes the item's report say how its condition did."""
        if self._gate is None:
            skip_item("the sweep was not judged")
        if key in self._gate.skipped:
            skip_item(self._gate.skipped[key])
        if key in self._gate.unmeasured:
            self.unmeasured.append(item.nodeid)
            pytest.fail(self._gate.unmeasured[key], pytrace=False)
        if key in self._gate.failures:
            pytest.fail(self._gate.failures[key], pytrace=False)


def _nothing() -> None:
    """Stand for a phase that a condition's report does not have."""
