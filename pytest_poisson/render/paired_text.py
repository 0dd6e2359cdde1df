"""A paired replay as a report: eligible pairs first, then the flips at each cut, and what it does not tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_poisson.render import formatting as write
from pytest_poisson.render.layout import Column
from pytest_poisson.render.sheet import Bold, Grid, Points, Section, Sheet, section, sheet

if TYPE_CHECKING:
    from pytest_poisson.analyses.paired_result import Flips, PairedResult, Repeats, SweepResult

MOST_EXCLUDED = 0.5
OUTCOMES = {
    "A": "below the floor",
    "B": "flips",
    "C": "cannot tell",
}


def paired_sheet(result: PairedResult) -> Sheet:
    """Return the report."""
    return sheet(
        "Paired replay: the same request sent twice",
        [
            section("Pairs", _pairs(result), _warning(result)),
            *(_sweep_section(sweep) for sweep in result.sweeps),
            section("All sweeps", _grid(result.pooled), *_bases(result.pooled)) if result.pooled else None,
            Bold(headline(result)),
            *(_repeats(each) for each in result.repeats),
            section("When the arms ran", _windows(result)),
            section("What the arms used", _cost(result)),
            section("What this cannot say", _cannot(result)),
        ],
    )


def headline(result: PairedResult) -> str:
    """Return what the replay says at every cut, in one sentence."""
    parts = [
        f"{write.printable(each.cut)}: {each.n10 + each.n01:,} of {each.pairs:,} decisions flipped "
        f"({_rate(each)}){_letter(each)}"
        for each in result.judged
    ]
    parts += [
        f"{write.printable(cut)}: none of {write.plural(count, 'pair')} counts, so nothing is known there"
        for cut, count in result.unjudged.items()
    ]
    return "; ".join(parts) + "."


def _rate(flips: Flips) -> str:
    if flips.low is None or flips.high is None:
        return f"{write.rate(flips.rate)}, no interval"
    return f"{write.rate(flips.rate)}, {_interval(flips.low, flips.high)}"


def _interval(low: float, high: float) -> str:
    return f"{write.rate(low)} to {write.rate(high)}"


def _letter(flips: Flips) -> str:
    if flips.outcome is None:
        return ""
    both = ", though below the floor" if flips.outcome == "B" and flips.below_floor else ""
    return f", outcome {flips.outcome}: {OUTCOMES[flips.outcome]}{both}"


def _pairs(result: PairedResult) -> Points:
    lines = []
    for sweep in result.sweeps:
        causes = ", ".join(f"{count:,} {cause}" for cause, count in sweep.excluded.items())
        lines.append(
            f"{write.printable(sweep.name)}: {sweep.eligible:,} eligible of {len(sweep.pairs):,}"
            + (f"; left out: {causes}" if causes else "")
        )
    return Points(tuple(lines))


def _warning(result: PairedResult) -> str:
    pairs, eligible = (
        sum(len(each.pairs) for each in result.sweeps),
        sum(each.eligible for each in result.sweeps),
    )
    if eligible >= pairs * MOST_EXCLUDED:
        return ""
    return f"Most pairs were left out: {eligible:,} of {pairs:,} count, so this replay measured little."


def _sweep_section(sweep: SweepResult) -> Section | None:
    arms = " and ".join(f"{write.printable(arm.name)}" for arm in sweep.arms[:2])
    if not sweep.flips:
        return section(f"Sweep {write.printable(sweep.name)}", f"No pair of {arms} counts.")
    return section(
        f"Sweep {write.printable(sweep.name)}: {arms}",
        _grid(sweep.flips),
        *_bases(sweep.flips),
        *_orders(sweep.flips),
    )


def _grid(flips: tuple[Flips, ...]) -> Grid:
    columns = (
        Column("cut"),
        Column("pairs", right=True),
        Column("flips", right=True),
        Column("rate", right=True),
        Column("interval"),
        Column("net swing", right=True),
        Column("ties", right=True),
        Column("outcome"),
    )
    return Grid(columns, tuple(_cells(each) for each in flips))


def _cells(flips: Flips) -> tuple[str, ...]:
    interval = "none" if flips.low is None or flips.high is None else _interval(flips.low, flips.high)
    return (
        write.printable(flips.cut),
        f"{flips.pairs:,}",
        f"{flips.n10 + flips.n01:,}",
        write.rate(flips.rate),
        interval,
        write.points(flips.net_swing),
        f"{flips.ties:,}",
        flips.outcome or "-",
    )


def _bases(flips: tuple[Flips, ...]) -> list[str]:
    lines = []
    for each in flips:
        text = f"{write.printable(each.cut)}: {each.basis}, {write.percent(each.confidence)}, over {write.plural(each.items, 'item')}"
        if each.korn_graubard is not None:
            low, high = each.korn_graubard
            text += f"; Korn-Graubard {_interval(low, high)}"
        if each.icc is not None and each.design_effect is not None:
            text += f"; correlation within items {each.icc:.2f}, design effect {each.design_effect:.2f}"
        lines.append(f"{text}.")
    return lines


def _orders(flips: tuple[Flips, ...]) -> list[str]:
    lines = []
    for each in flips:
        could = "" if each.order_could_reject else "; with so few flips it could not have said so"
        lines.append(
            f"{write.printable(each.cut)}: {each.n10:,} flips from yes to no, {each.n01:,} from no to yes "
            f"(p {write.plain_p(each.order_p)} that they go one way{could})."
        )
    return lines


def _repeats(repeats: Repeats) -> Section | None:
    rows = []
    for each in (*repeats.agreement, *repeats.majority):
        name = f"agree@{each.j}" if each.measure == "agree" else f"MS@{each.j}"
        interval = _interval(each.low, each.high) if each.low == each.low else "none"
        cost = "-" if each.cost is None else f"{each.cost:.6g}"
        rows.append((name, write.rate(each.rate), interval, f"{each.compared:,}", cost))
    columns = (
        Column("measure"),
        Column("rate", right=True),
        Column("interval"),
        Column("compared", right=True),
        Column("cost", right=True),
    )
    explanation = "agree@j: the first j calls agree. MS@j: the majorities of j calls in two sweeps agree."
    return section(
        f"Several calls at {write.printable(repeats.cut)}", Grid(columns, tuple(rows)), explanation
    )


def _windows(result: PairedResult) -> Points:
    lines = []
    for sweep in result.sweeps:
        window = sweep.window
        if window.span_s is None:
            lines.append(f"{write.printable(sweep.name)}: no times were recorded.")
            continue
        text = f"{write.printable(sweep.name)}: {write.duration(window.span_s)} in all, {write.duration(window.gap_s)} between a and b"
        if window.held is False:
            text += "; longer than declared: the claim that the arms ran side by side is withdrawn"
        elif window.held:
            text += "; within the declared window"
        lines.append(f"{text}.")
    return Points(tuple(lines))


def _cost(result: PairedResult) -> Points:
    lines = [
        f"{write.printable(arm.name)}: {arm.tokens_in:,} input tokens in {arm.recorded:,} requests"
        + (f", {arm.unrecorded:,} without usage" if arm.unrecorded else "")
        for arm in result.arms
    ]
    price = result.declaration.price_per_input_token
    if price is not None:
        lines.append(f"At {price:f} a token: {price * sum(arm.tokens_in for arm in result.arms):.4f}.")
    return Points(tuple(lines))


def _cannot(result: PairedResult) -> Points:
    declaration = result.declaration
    sentences = [
        "Whether a decision is right: only whether it is the same twice.",
        f"Anything of items beyond these, or of models other than {write.printable(declaration.model_pin)}.",
    ]
    if declaration.headers == "not_recorded":
        sentences.append("Whether the requests' headers were the same: they were not recorded.")
    if declaration.retries == "not_recorded":
        sentences.append("Whether the client retried below what was recorded.")
    if declaration.conditioning:
        sentences.append(f"It holds on the condition: {write.printable(declaration.conditioning)}.")
    return Points(tuple(sentences))
