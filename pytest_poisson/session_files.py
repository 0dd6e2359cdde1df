"""The files that a session was asked to leave: the result as JSON, and the folder of a report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_poisson.errors import UserError
from pytest_poisson.files import check_own_folder, write_all, write_file

if TYPE_CHECKING:
    from poisson_store import RunReader
    from pytest_poisson.analyses.tokens import Prices
    from pytest_poisson.gate import Gate
    from pytest_poisson.options import Settings


class SessionFiles:
    """Where results go, checked before anything is spent.

    Raises
    ------
    pytest.UsageError
        If a place is not there, or holds what is not ours.
    """

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        self._settings = settings
        self._json = _json_file(config, settings)
        self._report = _report_folder(config, settings)

    def write(self, run: RunReader, baseline: RunReader | None, gate: Gate, *, store: str | None) -> None:
        """Write what was asked for; `store` is the store as commands must name it."""
        if self._json is not None:
            write_file(self._json, _document(run, gate))
        if self._report is not None:
            self._write_report(self._report, run, baseline, gate, store)

    def _write_report(
        self, folder: Path, run: RunReader, baseline: RunReader | None, gate: Gate, store: str | None
    ) -> None:
        from pytest_poisson.render.report_files import session_files

        files = session_files(run, baseline, gate.check, prices=self._prices, store=store)
        if gate.fix is not None:
            from pytest_poisson.render.fix_gate_text import fix_check_files

            files |= fix_check_files(gate.fix)
        write_all(folder, files, option="--poisson-report")

    @property
    def _prices(self) -> Prices:
        """Return what tokens cost, as far as it was declared."""
        from pytest_poisson.analyses.tokens import Price, Prices

        given = (self._settings.price_per_input_token, self._settings.price_per_output_token)
        return Prices() if None in given else Prices(Price(*given))


def _document(run: RunReader, gate: Gate) -> str:
    """Return what `pytest-poisson fix-check`, `check`, or `show` where there is no baseline, gives as JSON."""
    from pytest_poisson.analyses.show import show
    from pytest_poisson.render.diff_documents import check_document
    from pytest_poisson.render.documents import dump
    from pytest_poisson.render.run_documents import show_document

    if gate.fix is not None:
        from pytest_poisson.render.fix_gate_text import fix_verdict_document

        return dump(fix_verdict_document(gate.fix))
    return dump(show_document(show(run)) if gate.check is None else check_document(gate.check))


def _json_file(config: pytest.Config, settings: Settings) -> Path | None:
    """Return where the result goes as JSON; refuse a place that is not there before anything is spent."""
    if settings.json is None:
        return None
    file = Path(config.invocation_params.dir, settings.json)
    if not file.parent.is_dir():
        raise pytest.UsageError(f"--poisson-json={settings.json} lies in a directory that does not exist.")
    if file.is_dir():
        raise pytest.UsageError(f"--poisson-json={settings.json} is a directory; it takes a file.")
    return file


def _report_folder(config: pytest.Config, settings: Settings) -> Path | None:
    """Return where the report goes; refuse a folder that holds something else before anything is spent."""
    if settings.report is None:
        return None
    from pytest_poisson.render.report_names import REPORT_FILES

    folder = Path(config.invocation_params.dir, settings.report)
    try:
        check_own_folder(folder, REPORT_FILES, option="--poisson-report")
    except UserError as refusal:
        raise pytest.UsageError(str(refusal)) from None
    return folder
