"""A comparison as terminal text: headline, arms, table, and what could not have been seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from poisson_stats.missing import ACCEPTED_SHARE, MISSING_LEVEL
from pytest_poisson.methods import METHODS
from pytest_poisson.render import formatting as write
from pytest_poisson.render.accounting_text import accounting_line
from pytest_poisson.render.commands import next_command
from pytest_poisson.render.diff_table import diff_table
from pytest_poisson.render.early_text import early_lines, rule_sentence
from pytest_poisson.render.fragility_text import fragility_lines
from pytest_poisson.render.layout import INDENT, Paint, wrap
from pytest_poisson.render.limits_text import could_not_see
from pytest_poisson.render.over_time_text import over_time_lines
from pytest_poisson.render.whole_text import whole_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poisson_store.records import ConditionRecord, Json
    from pytest_poisson.analyses.diff_result import Arm, DiffResult, Missing

NAMES_SHOWN = 3
TEST_NAMES = {None: "McNemar's", "fisher": "Fisher's", "boschloo": "Boschloo's"}
COLOURS = {
    "worse": ("red",),
    "safer": ("green",),
    "trade": ("yellow",),
    "too small to tell": ("yellow",),
    "not comparable": ("yellow",),
    "no significant change": (),
    "within the margin": (),
}
PLACES = {"too many before": "before", "too many after": "after", "too many in both": "in both runs"}


def render_diff(
    result: DiffResult,
    *,
    width: int = 80,
    colour: bool = False,
    verbose: int = 0,
    store: str | None = None,
    in_session: bool = False,
) -> str:
    """Return a comparison as text.

    Parameters
    ----------
    result
        The comparison.
    width
        Columns of the terminal; a command to copy may be wider.
    colour
        Whether to use terminal colours.
    verbose
        From 1 show every row, the interval of every flagged one and the limits as pairs correlated, else the 10 most
        important rows; from 2 also the interval of every other row and every flip that the word hangs on.
    store
        The store's directory where it is not the default: the commands to type name it.
    in_session
        Whether pytest prints it: options are then spelled as pytest's.
    """
    paint = Paint(colour)
    sections = [
        headline_lines(result, width=width, paint=paint),
        arm_lines(result, width),
        method_lines(result, width),
        diff_table(result, width=width, paint=paint, verbose=verbose),
        could_not_see(result, width=width, in_session=in_session),
        early_lines(result, width=width),
        fragility_lines(result, width=width, every=verbose > 1),
        over_time_lines(result, width=width, verbose=verbose > 0),
        missing_lines(result, width),
        whole_lines(result, width=width, verbose=verbose > 0),
        coverage_lines(result, width),
        remark_lines(result, width),
        _next(result, store),
    ]
    return "\n\n".join("\n".join(section) for section in sections if section) + "\n"


def headline(result: DiffResult) -> str:
    """Return the verdict and what it rests on, in one sentence."""
    return f"{result.verdict}: {_reason(result)}"


def headline_lines(result: DiffResult, *, width: int, paint: Paint) -> list[str]:
    """Return the headline, broken into lines, its word painted."""
    first, *rest = wrap(headline(result), width)
    word = result.verdict
    return [first.replace(word, paint(word, "bold", *COLOURS[word]), 1), *rest]


def _reason(result: DiffResult) -> str:
    if result.refusal:
        return result.refusal
    tests = write.plural(len(result.rows), "test")
    worse = sum(row.is_worse for row in result.rows)
    safer = sum(row.is_safer for row in result.rows)
    if result.verdict == "not comparable":
        return f"the tests say '{result.verdict_by_test}', but {_why_not(result)}."
    if result.verdict == "trade":
        return f"of {tests}, {safer} changed for the better and {worse} for the worse."
    if result.verdict in ("worse", "safer"):
        return f"of {tests}, {worse or safer} changed for the {'worse' if worse else 'better'}."
    flagged = sum(row.word in ("worse", "safer") for row in result.rows)
    none = f"none counts as changed ({flagged} flagged)" if flagged else "none changed"
    return f"of {tests}, {none}, {_but_what(result)}."


def _why_not(result: DiffResult) -> str:
    """Say what forbids the word of the tests."""
    names = " and ".join(dict.fromkeys(write.printable(event.name) for event in result.one_sided))
    return f"only one of the runs declares {names}" if names else "outcomes are missing"


def _but_what(result: DiffResult) -> str:
    """Say how far a comparison without a change that counts reaches."""
    if result.verdict == "within the margin" and result.margin is not None:
        return f"and every change lies within {result.margin.size:g}"
    if result.early is not None:
        return "and what such evidence could have missed is not known"
    if result.verdict == "too small to tell":
        hiding = result.design.too_small if result.design else 0
        return f"but {write.integer(hiding)} could hide a change above {write.accepted(result.max_mde)}"
    return f"and none could hide a change above {write.accepted(result.max_mde)}"


def arm_lines(result: DiffResult, width: int) -> list[str]:
    """Return what each arm is and where its replicates went."""
    return [*arm_of("before", result.before, width), *arm_of("after", result.after, width)]


def arm_of(side: str, arm: Arm, width: int) -> list[str]:
    """Return what one arm is and where its replicates went."""
    first = f"{side:<8}"
    name = write.printable(arm.name)
    title = name if arm.name == arm.run_id else f"{name} ({write.printable(arm.run_id)})"
    facts = [title, write.printable(arm.part), "" if arm.status == "complete" else arm.status]
    if arm.selection:
        facts.append(f"a part of the suite: {write.printable(arm.selection)}")
    lines = wrap(", ".join(filter(None, facts)), width, first=first)
    lines += wrap(accounting_line(arm.accounting), width, first=" " * len(first))
    if arm.compared != arm.accounting and arm.compared.planned:
        lines += wrap(f"compared: {accounting_line(arm.compared)}", width, first=" " * len(first))
    return lines


def method_lines(result: DiffResult, width: int) -> list[str]:
    """Return the test, what it rests on and its levels."""
    if not result.rows:
        return []
    conditions = len({row.condition.key for row in result.rows})
    events = len({row.event.name for row in result.rows})
    made_of = f"{write.plural(conditions, 'condition')}, {write.plural(events, 'event')}"
    spec = METHODS[result.method]
    tests = f"{write.plural(len(result.rows), 'test')} ({made_of})"
    how = "on pairs that share a seed" if spec.paired else _apart(result)
    text = (
        f"{rule_sentence(result)}; {tests}."
        if spec.sequential
        else f"{TEST_NAMES[spec.test]} exact test {how}; {tests}. Flags by {write.PROCEDURES[spec.fdr]}, verdict by Holm, "
        f"each at {result.q:g}."
    )
    if result.before.unpartnered or result.after.unpartnered:
        text += (
            f" Outcomes without a partner, left out: {write.integer(result.before.unpartnered)} before, "
            f"{write.integer(result.after.unpartnered)} after."
        )
    if result.margin is not None:
        text += (
            f" Within the margin of {result.margin.size:g} ({write.percent(result.margin.confidence)} intervals): "
            f"{result.margin.within} of {write.plural(len(result.rows), 'row')}."
        )
    return wrap(text, width)


def _apart(result: DiffResult) -> str:
    """Say why the arms are compared as independent ones."""
    if result.paired:
        sides = "replicates" if result.along else "runs"
        return f"as if the {sides} were independent, though they share their seeds"
    if result.along is None:
        return "on independent runs"
    axis = write.printable(result.along.axis)
    return (
        f"on independent replicates, since the seed depends on {axis} (shared_seed_axes=['{axis}'] on the mark makes "
        "pairs of them)"
    )


def missing_lines(result: DiffResult, width: int) -> list[str]:
    """Return what the replicates without an outcome may hide."""
    missing = result.missing
    if missing is None:
        return []
    texts = [_shares(missing)]
    if missing.problem:
        texts.append(_problem(result, missing))
    if missing.emptied:
        texts.append(f"Without any outcome in one of the runs: {_named(missing.emptied)}.")
    if missing.uneven:
        texts.append(f"Condition by condition the shares differ in {_named(missing.uneven)} (Holm at 0.05).")
    word = missing.verdict_as_failures
    turn = f"be '{word}'" if word != result.verdict_by_test else f"still be '{word}'"
    texts.append(f"Were they all failures after and none before, the verdict would {turn}.")
    return [line for text in texts for line in wrap(text, width)]


def _shares(missing: Missing) -> str:
    before = write.share(missing.before_missing, missing.before_ran)
    after = write.share(missing.after_missing, missing.after_ran)
    return (
        f"Replicates without an outcome: {before} before ({missing.before_missing} of {missing.before_ran}), {after} "
        f"after ({missing.after_missing} of {missing.after_ran}), mostly {missing.cause.replace('_', ' ')}."
    )


def _problem(result: DiffResult, missing: Missing) -> str:
    if missing.problem == "shares differ":
        why = f"The shares differ (p {write.p_value(missing.p, missing.log_p, MISSING_LEVEL)})"
    else:
        why = f"More than {write.percent(ACCEPTED_SHARE)} are missing {PLACES[missing.problem or '']}"
    if result.verdict == result.verdict_by_test:
        return f"{why}; '{result.verdict}' stands, since missing outcomes would not undo it."
    return f"{why}, so '{result.verdict_by_test}' cannot be said."


def coverage_lines(result: DiffResult, width: int) -> list[str]:
    """Return the conditions that were not compared."""
    absent = "Not run" if result.along is None else "No counterpart"
    groups = (
        (f"{absent} after", result.only_before),
        (f"{absent} before", result.only_after),
        ("Skipped in both", result.skipped),
    )
    return [
        line
        for title, conditions in groups
        if conditions
        for line in wrap(f"{title}: {_named(conditions)}.", width, rest=INDENT)
    ]


def _named(conditions: Sequence[ConditionRecord]) -> str:
    labels = list(write.condition_labels(conditions).values())
    listed = "; ".join(labels[:NAMES_SHOWN]) + ("; ..." if len(labels) > NAMES_SHOWN else "")
    return f"{write.plural(len(labels), 'condition')} ({listed})"


def remark_lines(result: DiffResult, width: int) -> list[str]:
    """Return the notes, and what else differs between the runs."""
    lines = [line for note in result.notes for line in wrap(write.printable(note), width, rest=INDENT)]
    if result.changes:
        listed = [
            f"{write.printable(change.name)} {_brief(change.before)} -> {_brief(change.after)}"
            for change in result.changes
        ]
        more = f" and {len(listed) - NAMES_SHOWN} more" if len(listed) > NAMES_SHOWN else ""
        lines += wrap(f"Also different: {', '.join(listed[:NAMES_SHOWN])}{more}.", width, rest=INDENT)
    return lines


def _brief(setting: Json) -> str:
    return "(none)" if setting is None else write.shorten(write.value(setting), 24)


def _next(result: DiffResult, store: str | None) -> list[str]:
    command = next_command(result, store)
    return ["Next:", INDENT + command] if command else []
