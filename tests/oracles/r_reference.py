"""The committed answers of R (tests/oracles/reference.R), by name."""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "data" / "r"
SCRIPT = Path(__file__).with_name("reference.R")


def parse(text: str) -> dict[str, list[float]]:
    """Return the values of each name, in the order of their index."""
    values = defaultdict(list)
    for row in csv.DictReader(text.splitlines()):
        values[row["name"]].append(float(row["value"]))
    return dict(values)


def reference() -> dict[str, list[float]]:
    """Return the committed answers."""
    return parse((FOLDER / "reference.csv").read_text(encoding="utf-8"))


def columns(name: str) -> dict[str, list[str]]:
    """Return an input table that the R script read, by column."""
    with (FOLDER / name).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {key: [row[key] for row in rows] for key in rows[0]}
