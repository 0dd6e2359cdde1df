"""The section a sweep prints at the end of its session."""

from __future__ import annotations

import shlex
from collections import Counter
from typing import TYPE_CHECKING

from pytest_poisson.ending import IN_TEARDOWN
from pytest_poisson.errors import first_line
from pytest_poisson.render import formatting as write
from pytest_poisson.render.accounting_text import account_lines
from pytest_poisson.render.diff_text import headline_lines, render_diff
from pytest_poisson.render.fix_check_text import fix_check_sheet
from pytest_poisson.render.layout import Paint, wrap
from pytest_poisson.render.paired_text import paired_sheet
from pytest_poisson.render.promises_text import promises_lines
from pytest_poisson.render.sheet import as_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poisson_store import RunReader
    from pytest_poisson.fix_gate import FixVerdict
    from pytest_poisson.gate import Gate
    from pytest_poisson.stops import Stop

NOTICES_SHOWN = 5
INPUTS_SHOWN = 10


def render_session(
    run: RunReader,
    gate: Gate | None,
    stop: Stop | None,
    notices: Sequence[str],
    *,
    width: int = 80,
    colour: bool = False,
    verbosity: int = 0,
    store: str | None = None,
    beside: RunReader | None = None,
    comparison: str = "",
    status: int = 0,
    again: Sequence[str] = (),
) -> list[str]:
    """Return the lines: the run's account, the comparison if there is one, what to type next, why it fails.

    Parameters
    ----------
    run, gate
        The run that was swept, and what it means; no gate where the sweep was stopped.
    stop
        Why scheduling stopped before everything had run, if it did.
    notices
        What workers had to say that belongs to no replicate.
    width, colour
        Of the terminal.
    verbosity
        pytest's: below 0 the account and the verdict alone, from 1 every row, from 2 everything in full.
    store
        The store's directory where it is not the default.
    beside
        The run that was swept side by side with this one, if any.
    comparison
        The id under which the comparison was saved, if it was; said above verbosity 0.
    status
        The exit status that the session ends with.
    again
        The options that decide about the run, as they were given: who resumes it must give them again.
    """
    runs = [run] if beside is None else [run, beside]
    accounts = [line for each in runs for line in account_lines(each, width, over=True)]
    lines = [
        *_notices(notices, width, None if verbosity > 1 else NOTICES_SHOWN),
        *accounts,
        *([] if verbosity < 0 or stop is not None else _errors(runs, width)),
        *_unfinished(runs, stop, width, again, store),
    ]
    if gate is None:
        return lines
    promises = promises_lines(gate.promises, width=width, verbose=verbosity > 0)
    if gate.fix is not None:
        lines += _fix_check(gate.fix, width=width, colour=colour, verbosity=verbosity)
        lines += [] if verbosity < 0 else _apart(promises)
    elif gate.check is None:
        lines += _outcomes(run, width)
        lines += [] if verbosity < 0 else [*_apart(promises), *_next(run, gate)]
    elif verbosity < 0:
        lines += headline_lines(gate.check.diff, width=width, paint=Paint(colour))
    else:
        text = render_diff(
            gate.check.diff,
            width=width,
            colour=colour,
            verbose=max(verbosity, 0),
            store=store,
            in_session=True,
        )
        lines = [
            *(line for line in lines if line not in accounts),
            *text.rstrip("\n").split("\n"),
            *_apart(promises),
        ]  # it has the accounts
    if comparison and verbosity > 0:
        where = f" --store={shlex.quote(store)}" if store else ""
        lines += ["", f"The comparison is saved: pytest-poisson report {comparison}{where}"]
    if gate.replay is not None:
        lines += [
            "",
            *as_text(paired_sheet(gate.replay), columns=width, colour=colour).rstrip("\n").split("\n"),
        ]
    reason = _why_it_fails(gate, stop, status)
    return [*lines, *(["", *wrap(reason, width)] if reason else [])]


def _why_it_fails(gate: Gate, stop: Stop | None, status: int) -> str:
    """Return why the session ends with its status, where no failed test says so; empty where one does, or nothing fails."""
    if status and status == gate.status:
        return f"The session fails with exit status {status}: {gate.status_reason}."
    if stop is not None and status > 1:
        return f"The session fails with exit status {status}: the sweep stopped before everything had run."
    return ""


def _sentence(stop: Stop) -> str:
    """Return why a sweep stopped with one full stop, also where the text of an error has its own."""
    return write.printable(stop.sentence.rstrip()).removesuffix(".") + "."


def _apart(section: Sequence[str]) -> list[str]:
    """Return a section with the empty line before it."""
    return ["", *section] if section else []


def _fix_check(fix: FixVerdict, *, width: int, colour: bool, verbosity: int) -> list[str]:
    """Print the report of a fix-check, or why there is none; the word alone where little is to be said."""
    if fix.result is None:
        return wrap(f"not comparable: {fix.refusal}", width)
    if verbosity < 0:
        return [f"fix-check: {fix.word}"]
    top = None if verbosity > 0 else INPUTS_SHOWN
    text = as_text(fix_check_sheet(fix.result, top=top, in_session=True), columns=width, colour=colour)
    return ["", *text.rstrip("\n").split("\n")]


def _unfinished(
    runs: Sequence[RunReader], stop: Stop | None, width: int, again: Sequence[str], store: str | None
) -> list[str]:
    """Say why a sweep ended early, and how it goes on; the run that is judged, `again` by what this session was given."""
    lines = [] if stop is None else wrap(f"The sweep stopped: {_sentence(stop)}", width, rest="  ")
    where = [f"--poisson-store={store}"] if store else []
    commands = [
        shlex.join(
            [
                f"--poisson-resume={write.printable(each.run.name)}",
                *where,
                *(again if each is runs[0] else ()),
            ]
        )
        for each in runs
        if each.run.status != "complete"
    ]
    if commands:
        lines += ["Run what is missing:", *(f"  pytest {command}" for command in commands), ""]
    return lines


def _errors(runs: Sequence[RunReader], width: int) -> list[str]:
    """Say what most of the errored replicates of each run had to say, since an account alone gives no reason.

    The same of tear-downs that raised and changed no outcome, which no account shows.
    """
    lines = []
    for run in runs:
        errored = run.accounting().errored
        found = run.commonest_error() if errored else None
        if found is not None:
            lines += _most_said("errored", *found, errored, width)
        noted = run.commonest_note(IN_TEARDOWN)
        if noted is not None:
            lines += _most_said("raised in tear-down", *noted, width)
    return lines


def _most_said(what: str, text: str, count: int, of: int, width: int) -> list[str]:
    which = "all" if count == of else f"{count:,} of them"
    return wrap(f"{what} {of:,}, {which} with: {write.printable(first_line(text))}", width, rest="  ")


def _notices(notices: Sequence[str], width: int, most: int | None) -> list[str]:
    lines, counted = [], Counter(notices)
    for text, count in counted.most_common(most):
        lines += wrap(f"note ({count} times): {text}" if count > 1 else f"note: {text}", width, rest="  ")
    if most is not None and len(counted) > most:
        lines.append(f"and {len(counted) - most} other notes: -vv shows all")
    return lines


def _outcomes(run: RunReader, width: int) -> list[str]:
    """Count the outcomes of the whole run, for a first look; `pytest-poisson show` has them by condition."""
    total: Counter[str] = Counter()
    for counts in run.outcome_counts().values():
        total.update(counts)
    if not total:
        return []
    words = (f"{name} {count:,}" for name, count in total.most_common())
    return wrap(f"endings: {', '.join(words)}", width, rest="  ")


def _next(run: RunReader, gate: Gate) -> list[str]:
    if gate.nothing_measured or run.run.status != "complete" or run.run.shard is not None:
        return []
    name = "latest" if run.run.whole else run.run.name
    return [
        "",
        "Change the program, then measure it on the same seeds:",
        f"  pytest --poisson-pair-with={name}",
    ]
