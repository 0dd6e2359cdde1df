"""The comparison as a whole as terminal text: one test an event, and the tree below it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_poisson.conditions import axis_label
from pytest_poisson.methods import METHODS
from pytest_poisson.render import formatting as write
from pytest_poisson.render.layout import GAP, INDENT, Column, column_widths, table, wrap
from pytest_poisson.render.sheet import Grid, Points, section

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_poisson.analyses.diff_result import DiffResult
    from pytest_poisson.analyses.whole import Node, Whole, WholeEvent
    from pytest_poisson.render.sheet import Section

COLUMNS = (
    Column(""),
    Column("conditions", right=True),
    Column("change", right=True),
    Column("p", right=True),
    Column("level", right=True),
    Column(""),
    Column("resolves", right=True),
)
NARROWEST_LABEL = 12
NODES_SHOWN = 30
NESTED = "\N{MIDDLE DOT} "


def whole_lines(result: DiffResult, *, width: int, verbose: bool = False) -> list[str]:
    """Return the lines of `--full`; none where it was not asked for. Verbose text has every group and condition."""
    whole = result.whole
    if whole is None:
        return []
    lines = ["The comparison as a whole"]
    for each in whole.events:
        lines += [*wrap(_omnibus(each, result.q), width - 2, first=INDENT), ""]
        lines += _tree(result, each, width, verbose=verbose)
        lines.append("")
    return lines + [line for text in _legend(result, whole) for line in wrap(text, width)]


def whole_sections(result: DiffResult) -> list[Section | None]:
    """Return the parts of a report that hold the same: a table an event, then what they say."""
    if result.whole is None:
        return []
    labels = write.condition_labels(row.condition for row in result.rows)
    tables = [
        section(
            f"As a whole: {write.printable(each.event.name)}",
            _omnibus(each, result.q),
            Grid(
                COLUMNS,
                tuple(
                    (write.printable(name.replace(INDENT, NESTED)), *_cells(node))
                    for name, node in _walk(each, labels)
                ),
            ),
        )
        for each in result.whole.events
    ]
    return [*tables, section("As a whole", Points(tuple(_legend(result, result.whole))))]


def _omnibus(each: WholeEvent, q: float) -> str:
    found = each.omnibus
    said = "some condition changed" if each.changed else "no condition is seen to have changed"
    return (
        f"{write.printable(each.event.name)}: {said}; omnibus p {write.plain_p(found.p, q)} (no smaller than "
        f"{found.floor:.5f}, {write.integer(found.permutations)} permutations, seed {found.seed}) from the mean change "
        f"{write.points(found.location)} (p {write.plain_p(found.p_location)}) and the root mean square "
        f"{write.size(found.dispersion)} (p {write.plain_p(found.p_dispersion)}); {found.informative} of "
        f"{write.plural(found.conditions, 'condition')} inform."
    )


def _tree(result: DiffResult, each: WholeEvent, width: int, *, verbose: bool) -> list[str]:
    """Return the walk: the root, the groups, and below a changed group its conditions."""
    labels = write.condition_labels(row.condition for row in result.rows)
    nodes = list(_walk(each, labels, verbose=verbose))
    shown = nodes if verbose else nodes[:NODES_SHOWN]
    cells = [_cells(node) for _, node in shown]
    room = width - sum(column_widths(COLUMNS[1:], cells)) - len(GAP) * len(cells[0])
    names = [write.shorten(write.printable(label), max(room, NARROWEST_LABEL)) for label, _ in shown]
    lines = table(COLUMNS, [(name, *row) for name, row in zip(names, cells, strict=True)])
    hidden = len(nodes) - len(shown)
    return [*lines, f"{write.plural(hidden, 'more line')}: -v shows all."] if hidden else lines


def _walk(each: WholeEvent, labels: dict[str, str], *, verbose: bool = False) -> Iterator[tuple[str, Node]]:
    yield "all", each.root
    for group in each.groups:
        yield f"{INDENT}{group.node.axis}={axis_label(group.node.value)}", group.node
        for node in group.below:
            if node.changed or verbose:
                yield f"{INDENT * 2}{labels[node.conditions[0].key]}", node


def _cells(node: Node) -> tuple[str, ...]:
    return (
        write.integer(len(node.conditions)),
        write.points(node.change),
        write.p_value(node.p, node.log_p, node.level),
        f"{node.level:.2g}",
        "changed" if node.changed else "-",
        write.size(node.resolvable),
    )


def _legend(result: DiffResult, whole: Whole) -> Iterator[str]:
    paired = METHODS[result.method].paired
    test = "McNemar's exact test" if paired else "Mantel and Haenszel's conditional exact test"
    if METHODS[result.method].sequential:
        yield (
            "Its tests need numbers of replicates that were fixed beforehand, which a run that could stop early does not "
            "have; what was compared is all that can be said here."
        )
    else:
        yield (
            f"Each line of several conditions is {test}, stratified by condition; a group is tested only where all "
            "changed, a condition only where its group did. resolves: the change common to its conditions that would "
            "have been found 4 times in 5."
        )
    if whole.events:
        yield (
            f"The walk was built to bound the false discovery rate over its outermost changed lines by "
            f"{whole.events[0].bound:.3f} (2 x depth x q x 1.44, Yekutieli 2008), which is proved for independent tests. "
            "A group and its conditions share their data, so that it is not established here."
        )
    yield (
        f"Coverage: {whole.planned_before} conditions planned before, {whole.planned_after} after, {whole.common} compared; "
        f"absent before {whole.absent_before}, after {whole.absent_after}; skipped in both {whole.skipped}."
    )
