"""A simulated or enumerated rate, with its sampling error and what it was promised to be."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Rate:
    """How often something happened in `runs` simulated experiments, or exactly, where `runs` is 0."""

    subject: str
    setting: str
    quantity: str
    value: float
    runs: int
    promise: str

    @property
    def error(self) -> float:
        """Standard error of the simulation; 0 for an exact enumeration."""
        return (self.value * (1 - self.value) / self.runs) ** 0.5 if self.runs else 0.0

    def slack(self, bound: float) -> float:
        """Return four standard errors of the simulation, were `bound` the truth; 0 for an enumeration."""
        return 4 * (bound * (1 - bound) / self.runs) ** 0.5 if self.runs else 1e-12

    def at_most(self, bound: float) -> bool:
        """Whether the rate is at most `bound`, as far as so many runs can tell."""
        return self.value <= bound + self.slack(bound)

    def at_least(self, bound: float) -> bool:
        """Whether the rate is at least `bound`, as far as so many runs can tell."""
        return self.value >= bound - self.slack(bound)


def as_table(rates: list[Rate]) -> str:
    """Return a Markdown table, one line a rate."""
    lines = [
        "| of | setting | quantity | rate | s.e. | runs | promised |",
        "|---|---|---|---:|---:|---:|---|",
    ]
    for r in rates:
        error, runs = ("", "exact") if not r.runs else (f"{r.error:.4f}", f"{r.runs:,}")
        lines.append(
            f"| {r.subject} | {r.setting} | {r.quantity} | {r.value:.4f} | {error} | {runs} | {r.promise} |"
        )
    return "\n".join(lines)


def as_pivot(rates: list[Rate]) -> str:
    """Return a Markdown table with a line a setting and a column a quantity."""
    quantities = list(dict.fromkeys(r.quantity for r in rates))
    lines = [f"| setting | {' | '.join(quantities)} | runs |", "|---|" + "---:|" * (len(quantities) + 1)]
    for setting in dict.fromkeys(r.setting for r in rates):
        mine = {r.quantity: r for r in rates if r.setting == setting}
        cells = " | ".join(f"{mine[q].value:.4f}" for q in quantities)
        lines.append(f"| {setting} | {cells} | {next(iter(mine.values())).runs:,} |")
    return "\n".join(lines)
