"""The names of a report's files, apart, so that a session can check its folder before it loads anything."""

from __future__ import annotations

REPORT_FILES = ("report.md", "report.html", "report.json", "heatmap.svg", "flips.svg")
