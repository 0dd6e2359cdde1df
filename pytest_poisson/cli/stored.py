"""What a command says that has written a run: its name, its status and its account."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_poisson.cli.output import Outcome, terminal_width

if TYPE_CHECKING:
    from poisson_store import Store


def describe_stored(store: Store, run_id: str, *, json: bool) -> Outcome:
    """Return the account of a run that has just been written, as `show` gives it where JSON is wanted."""
    from pytest_poisson.analyses.show import show
    from pytest_poisson.render.accounting_text import account_lines
    from pytest_poisson.render.documents import dump
    from pytest_poisson.render.run_documents import show_document

    with store.open(run_id) as stored:
        if json:
            return Outcome(dump(show_document(show(stored))))
        return Outcome("\n".join([*account_lines(stored, terminal_width()), ""]))
