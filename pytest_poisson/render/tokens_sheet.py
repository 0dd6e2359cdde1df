"""What runs used, as a report."""

from __future__ import annotations

from math import floor, log10
from typing import TYPE_CHECKING

from pytest_poisson.render import formatting as write
from pytest_poisson.render.layout import Column
from pytest_poisson.render.sheet import Grid, Points, section, sheet

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_poisson.analyses.tokens import ArmTokens, ModelUse, TokensResult, Used
    from pytest_poisson.render.sheet import Section, Sheet

NO_MODEL = "(no model named)"
BEYOND = "(not in spans)"
ROWS_SHOWN = 30


def tokens_sheet(result: TokensResult, *, verbose: bool = False) -> Sheet:
    """Return the report; `verbose` shows every condition, else the first 30 rows of a run."""
    return sheet(
        "Tokens",
        [
            section("By model", models_grid(result.arms)),
            *(_conditions(arm, verbose=verbose) for arm in result.arms),
            section("Cost for each", per_outcome_grid(result.arms)),
            section("What to know", Points(tuple(token_notes(result)))) if any(token_notes(result)) else None,
        ],
    )


def models_grid(arms: Sequence[ArmTokens]) -> Grid:
    """Return what each run used, a row a model."""
    rows = []
    for arm in arms:
        name = _name(arm)
        rows += [(name, _model(model), *_cells(used)) for model, used in arm.models.items()]
        if _any(arm.beyond):
            rows.append((name, BEYOND, *_cells(arm.beyond)))
        if len(arm.models) != 1 or arm.total != next(iter(arm.models.values())):
            rows.append((name, "all", *_total(arm)))
    return Grid((Column("run"), Column("model"), *_COLUMNS), tuple(rows))


def _total(arm: ArmTokens) -> tuple[str, ...]:
    """Return the cells of a run's total; where no replicate said what it used that is nothing, and not 0."""
    if _is_untraced(arm):
        return (write.NONE,) * len(_COLUMNS)
    return (*_cells(arm.total)[:-1], _cost(arm.total, least=arm.is_least))


def _is_untraced(arm: ArmTokens) -> bool:
    """Tell whether no replicate of a run said anything of what it used."""
    return bool(arm.replicates and not arm.traced and not _any(arm.beyond))


def _any(used: Used) -> bool:
    return bool(used.tokens_in or used.tokens_out or used.unknown)


_COLUMNS = tuple(Column(name, right=True) for name in ("calls", "unknown", "in", "out", "cost"))


def _cells(used: Used) -> tuple[str, ...]:
    return (
        write.integer(used.calls) if used.calls else write.NONE,
        write.integer(used.unknown),
        *(
            write.NONE if used.unknown and not each else write.integer(each)
            for each in (used.tokens_in, used.tokens_out)
        ),
        _cost(used, least=used.unknown > 0),
    )


def _is_dark(used: Used) -> bool:
    """Tell whether nothing at all is known of what was used: a sum, and a cost, of nothing would read like none."""
    return bool(used.unknown and not (used.tokens_in or used.tokens_out))


def _cost(used: Used, *, least: bool) -> str:
    if used.cost is None or _is_dark(used):
        return write.NONE
    return f"{'>=' if least else ''}{money(used.cost)}"


def money(amount: float) -> str:
    """Write an amount with 4 decimals, a small one with 3 digits: never 0 for what is not."""
    if amount == 0 or amount >= 0.1:
        return f"{amount:,.4f}"
    return f"{amount:.{2 - floor(log10(amount))}f}" if amount >= 1e-9 else f"{amount:.2e}"


def _conditions(arm: ArmTokens, *, verbose: bool) -> Section | None:
    if len({row.condition.key for row in arm.rows}) < 2:
        return None
    shown = arm.rows if verbose else arm.rows[:ROWS_SHOWN]
    labels = write.condition_labels(row.condition for row in arm.rows)
    grid = Grid((Column("condition"), Column("model"), *_COLUMNS), tuple(_row(row, labels) for row in shown))
    rest = len(arm.rows) - len(shown)
    return section(
        f"By condition, run {_name(arm)}",
        grid,
        f"{write.plural(rest, 'more row')}: -v shows all." if rest else None,
    )


def _row(row: ModelUse, labels: dict[str, str]) -> tuple[str, ...]:
    return (labels[row.condition.key], _model(row.model), *_cells(row.used))


def per_outcome_grid(arms: Iterable[ArmTokens]) -> Grid | None:
    """Return what each outcome cost; None where no cost is known."""
    rows = [
        (
            _name(arm),
            write.printable(each.outcome),
            write.integer(each.count),
            write.NONE if each.cost is None else f"{'>=' if arm.is_least else ''}{money(each.cost)}",
        )
        for arm in arms
        if arm.total.cost is not None and not (_is_dark(arm.total) or _is_untraced(arm))
        for each in arm.per
    ]
    columns = (
        Column("run"),
        Column("outcome"),
        Column("count", right=True),
        Column("cost for each", right=True),
    )
    return Grid(columns, tuple(rows)) if rows else None


def token_notes(result: TokensResult) -> Iterator[str]:
    """Yield what a reader of the sums must know."""
    prices = bool(result.prices.default or result.prices.models)
    if any(_any(arm.beyond) for arm in result.arms):
        yield f"{BEYOND}: known as sums alone, from spans beyond max_spans and attempts that were made again."
    for arm in result.arms:
        if arm.total.unknown:
            calls = write.plural(arm.total.unknown, "call")
            yield (
                f"Run {_name(arm)}: {calls} reported no usage, or a part of it; its sums and its cost are the least there was."
            )
        if arm.traced < arm.replicates:
            yield (
                f"Run {_name(arm)}: {write.integer(arm.replicates - arm.traced)} of "
                f"{write.plural(arm.replicates, 'replicate')} left no spans; what they used is not known."
            )
        if prices and arm.beyond.cost is None:
            yield (
                f"Run {_name(arm)}: what is {BEYOND} is of no model; --price-per-input-token and --price-per-output-token "
                "price it, without which the run has no cost."
            )
    unpriced = {model for arm in result.arms for model, used in arm.models.items() if used.cost is None}
    if unpriced and prices:
        yield f"No price was given for {', '.join(sorted(map(_model, unpriced)))}, so there is no cost."


def _model(model: str | None) -> str:
    return NO_MODEL if model is None else write.printable(model)


def _name(arm: ArmTokens) -> str:
    return write.printable(arm.run.name)
