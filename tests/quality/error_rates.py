"""Simulate the error rates of every verdict, test and interval, and write them down.

    python -m tests.quality.error_rates [--runs 1.0] [--write docs/error-rates.md]

`--runs` scales the number of simulated experiments (1 takes ten minutes of one core). Seeds are fixed:
the same version prints the same table. The reduced form of the same functions runs with the other tests.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from tests.quality import coverage_rates, discrete_rates, share_rates, stopping_rates, verdict_paths
from tests.quality.simulated import as_pivot, as_table

INTRODUCTION = """# Error rates

How often the product is wrong when it says something, and how often it finds what is there. Every number below is
simulated with fixed seeds, or enumerated exactly where the column *runs* says so; *s.e.* is the simulation's own
standard error. The table is written by

    python -m tests.quality.error_rates --write docs/error-rates.md

and a reduced form of it runs with the tests, with bounds that a wrong formula would break.
"""


def paragraphs(scale: float) -> list[str]:
    """Return the sections of the document."""

    def runs(number: int) -> int:
        return max(20, round(number * scale))

    verdicts = []
    for paired, n in ((True, 194), (True, 60), (False, 194), (False, 60)):
        rates = verdict_paths.verdict_rates(n, paired=paired, runs=runs(20_000))
        verdicts += [f"**{rates[0].subject}, n = {n}**", as_pivot(rates)]
    flags = [
        rate
        for paired, n in ((True, 194), (True, 60), (False, 194), (False, 60))
        for rate in verdict_paths.flag_rates(n, paired=paired, runs=runs(20_000))
    ]
    return [
        INTRODUCTION,
        "## The verdict of a comparison",
        (
            "18 rows with rates from 0.1 to 0.6, q = 0.05, accepted change 0.20; a rise is worse in every row. When nothing\n"
            "changed, `worse`, `safer` and `trade` together are promised to be at most 0.05. A row that changed by its own\n"
            "detection limit is promised to be found 4 times in 5."
        ),
        *verdicts,
        "## Flags",
        "The same rows. The false discovery rate is promised to be at most q times the share of rows that did not change.",
        as_table(flags),
        "## Discrete false discovery rate",
        "50 inputs, Fisher's test, q = 0.05.",
        as_table(discrete_rates.discrete_flags(runs=runs(5_000))),
        "## Boschloo's test against Fisher's",
        "At level 0.05; the last line of each block is power.",
        as_table(discrete_rates.boschloo_sizes()),
        "## Looking again and again",
        "No change in any pair; the chance of ever claiming one, at 0.05.",
        as_table(stopping_rates.false_alarms(runs=runs(20_000))),
        "The whole rule: e-BH over all rows after every round, conditions stopping as they are flagged.",
        as_table(
            stopping_rates.family(runs=runs(2_000), paired=True)
            + stopping_rates.family(runs=runs(2_000), paired=False)
        ),
        "## Intervals for one rate",
        "Coverage at 95 %.",
        as_table(coverage_rates.single_rates()),
        "## Intervals for a change",
        "Coverage at 95 %.",
        as_table(
            coverage_rates.unpaired_differences()
            + coverage_rates.paired_differences(runs=runs(20_000))
            + coverage_rates.stratified_differences(runs=runs(5_000))
        ),
        "## Survival",
        "Coverage at 95 %, with a fifth to a third of the episodes censored.",
        as_table(coverage_rates.survival_bands(runs=runs(4_000))),
        "## Few items: percentile bootstrap against Korn-Graubard",
        (
            "Coverage at 95 % of a flip rate of 0.3 whose items differ (Beta(1.5, 3.5)). This is why, with fewer than 5 items\n"
            "carrying a flip, nothing is resampled, and why Korn-Graubard is printed beside the bootstrap."
        ),
        as_table(coverage_rates.few_items(runs=runs(5_000))),
        "The interval that the rules choose, from exact, one-sided, Korn-Graubard and bootstrap, on items that differ.",
        as_table(coverage_rates.chosen_intervals(runs=runs(4_000))),
        "## pass^k",
        "Coverage at 95 % of pass^3, resampling conditions.",
        as_table(coverage_rates.passes(runs=runs(4_000))),
        "## Shares over inputs",
        "At level 0.05. *The limit* is the one the comparison states, from the rates it saw.",
        as_table(share_rates.exact_sizes() + share_rates.shares(runs=runs(2_000))),
        "## Where runs die",
        "Stratified log-rank at level 0.05.",
        as_table(share_rates.log_ranks(runs=runs(10_000))),
        "## Promises",
        "10 promises at q = 0.05; each kind of error is promised to be at most 0.05 over all of them.",
        as_table(share_rates.promises(runs=runs(10_000))),
    ]


def main() -> None:
    """Print the document, or write it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--runs", type=float, default=1.0, help="scale of the number of simulated experiments"
    )
    parser.add_argument("--write", type=Path, help="file to write; standard output without it")
    options = parser.parse_args()
    text = "\n\n".join(part.strip() for part in paragraphs(options.runs)) + "\n"
    if options.write:
        options.write.write_text(text, encoding="utf-8", newline="\n")
    else:
        print(text)


if __name__ == "__main__":
    main()
