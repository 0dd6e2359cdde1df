"""One run as terminal text."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from pytest_poisson.render import formatting as write
from pytest_poisson.render.accounting_text import accounting_line
from pytest_poisson.render.layout import INDENT, Column, Paint, table, wrap
from pytest_poisson.render.promises_text import pass_rates_lines, promises_lines
from pytest_poisson.stopping_rule import declared_rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poisson_store.records import RunRecord
    from pytest_poisson.analyses.show import ShownCondition, ShowResult

ROWS_SHOWN = 30


def render_show(result: ShowResult, *, width: int = 80, colour: bool = False, verbose: bool = False) -> str:
    """Return one run as text: what it is, its accounting, the counts of every condition, its environment.

    Parameters
    ----------
    result
        The run.
    width
        Columns of the terminal.
    colour
        Whether to use terminal colours.
    verbose
        Show every condition, promise and package; else the first 30 conditions of a rollout.
    """
    sections = [_title(result, width, Paint(colour))]
    for rollout, group in groupby(result.conditions, key=lambda shown: shown.condition.rollout):
        sections.append(_rollout(rollout, list(group), width, verbose=verbose))
        sections += [
            pass_rates_lines(each, width=width) for each in result.pass_rates if each.rollout == rollout
        ]
    sections.append(promises_lines(result.promises, width=width, verbose=verbose))
    sections.append(_environment(result.run, width, verbose=verbose))
    return "\n\n".join("\n".join(section) for section in sections if section) + "\n"


def _title(result: ShowResult, width: int, paint: Paint) -> list[str]:
    run = result.run
    name = write.printable(run.name)
    title = name if run.name == run.run_id else f"{name} ({write.printable(run.run_id)})"
    facts = [f"begun {write.moment(run.created_at)}", f"salt {write.printable(run.salt)}"]
    if run.paired_with:
        facts.append(f"paired with {run.paired_with}")
    if run.selection:
        facts.append(f"a part of the suite: {write.printable(run.selection)}")
    if run.shard:
        facts.append(f"shard {run.shard[0]} of {run.shard[1]}")
    rule = declared_rule(run)
    if rule is not None:
        facts.append(f"could stop early by {rule['rule']} at {rule['q']:g} against {rule['against']}")
    return [
        f"{paint(title, 'bold')}, {run.status}",
        *wrap(", ".join(facts), width),
        *wrap(accounting_line(result.accounting), width),
    ]


def _rollout(rollout: str, shown: Sequence[ShownCondition], width: int, *, verbose: bool) -> list[str]:
    listed = shown if verbose else shown[:ROWS_SHOWN]
    labels = write.condition_labels(each.condition for each in shown)
    words = list(dict.fromkeys(word for each in shown for word in each.outcomes if _occurs(word, shown)))
    names = write.axis_names(each.condition for each in shown)
    title = write.printable(", ".join(names)) if names else "condition"
    columns = [Column(title), Column("outcomes", right=True)]
    columns += [Column(write.printable(word), right=True) for word in words]
    columns.append(Column("no outcome", right=True))
    rows = [
        [
            labels[each.condition.key],
            write.integer(each.accounting.with_outcome),
            *(write.integer(each.outcomes[word]) for word in words),
            write.integer(each.accounting.without_outcome),
        ]
        for each in listed
    ]
    lines = table(columns, rows)
    if max(map(write.width, lines)) > width:
        lines = _as_list(rows, words, width)
    if len(listed) < len(shown):
        lines.append(f"{write.plural(len(shown) - len(listed), 'more condition')}: -v shows all.")
    return [write.shorten(write.printable(rollout), width), *lines]


def _occurs(word: str, shown: Sequence[ShownCondition]) -> bool:
    """Tell whether a column is worth its width: `passed` and `failed` are words of every rollout."""
    return word not in ("passed", "failed") or any(each.outcomes.get(word) for each in shown)


def _as_list(rows: Sequence[Sequence[str]], words: Sequence[str], width: int) -> list[str]:
    """Return the table as two lines a condition, for labels or words too wide to stand side by side."""
    lines = []
    for label, outcomes, *counts, missing in rows:
        lines.append(write.shorten(label, width))
        parts = [f"{count} {write.printable(word)}" for word, count in zip(words, counts, strict=True)]
        lines += wrap(f"{outcomes} outcomes: {', '.join(parts)}; {missing} without", width, first=INDENT)
    return lines


def _environment(run: RunRecord, width: int, *, verbose: bool) -> list[str]:
    facts = [f"variant {write.value(name)}={write.value(given)}" for name, given in run.variant.items()]
    for name, given in run.environment.items():
        if isinstance(given, dict) and name == "packages" and not verbose:
            facts.append(f"{write.plural(len(given), 'package')} (-v lists them)")
        elif isinstance(given, dict):
            inner = ", ".join(f"{write.value(key)} {write.value(each)}" for key, each in given.items())
            facts.append(f"{write.value(name)}: {inner}")
        elif isinstance(given, list):
            facts.append(f"{write.value(name)}: {' '.join(write.value(each) for each in given)}")
        else:
            facts.append(f"{write.value(name)} {write.value(given)}")
    return [line for fact in facts for line in wrap(fact, width, rest=INDENT)]
