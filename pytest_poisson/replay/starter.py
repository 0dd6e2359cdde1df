"""A declaration to begin with: what two runs recorded, and every choice left to the user marked."""

from __future__ import annotations

import json
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING

from pytest_poisson.conditions import axis_label
from pytest_poisson.replay.declaration import BLANK

if TYPE_CHECKING:
    from poisson_store import RunReader

LOOKED_AT = 200  # episodes


def starter_declaration(first: RunReader, second: RunReader) -> str:
    """Return TOML for a replay of two runs; it is refused until every choice is made."""
    values: dict[str, set[str]] = {}
    for condition in first.conditions:
        for name, value in condition.axes.items():
            values.setdefault(name, set()).add(axis_label(value))
    axes = sorted(values, key=lambda name: -len(values[name]))  # there are more items than cuts
    spans, models, keys = _seen(first)
    strata = sorted(values[axes[-1]]) if axes else []
    cuts = strata if 0 < len(strata) <= 8 else [BLANK]
    lines = [
        f"# A paired replay of {first.run.name} and {second.run.name}. Replace every {BLANK} before you look at results.",
        f"# axes: {', '.join(axes) or 'none'}; spans: {_names(spans)}; models: {_names(models)}; meta: {_names(keys)}",
        f"value_key = {_text(keys)}",
        f"cluster_key = {json.dumps(axes[0] if axes else BLANK)}  # the axis that names the item",
        f"stratum_key = {json.dumps(axes[-1] if len(axes) > 1 else BLANK)}  # the axis that names the cut",
        f"request_span = {_text(spans)}",
        'model_key = "model"',
        f"model_pin = {_text(models)}",
        "exemptions = []  # dotted paths of the body in which the arms may differ",
        f'headers = "{BLANK}"  # asserted or not_recorded',
        f'retries = "{BLANK}"  # asserted or not_recorded',
        "bootstrap_b = 2000",
        "bootstrap_seed = 0",
        "",
    ]
    for cut in cuts:
        lines += [
            "[[cuts]]",
            f"name = {json.dumps(cut)}",
            f'threshold = "{BLANK}"',
            f'comparison = "{BLANK}"',
            "",
        ]
    lines += [
        "[[sweeps]]",
        'name = "first"',
        f"a = {json.dumps(first.run.name)}",
        f"b = {json.dumps(second.run.name)}",
    ]
    return "\n".join(lines) + "\n"


def _seen(run: RunReader) -> tuple[Counter[str], Counter[str], Counter[str]]:
    """Count span names, models in their bodies, and numbers in meta, in the first episodes."""
    spans: Counter[str] = Counter()
    models: Counter[str] = Counter()
    keys: Counter[str] = Counter()
    for episode in islice(run.episodes(spans=True), LOOKED_AT):
        keys.update(
            key for key, value in (episode.meta or {}).items() if isinstance(value, (int, float, str))
        )
        for span in episode.spans:
            spans[span.name] += 1
            try:
                body = json.loads(span.input or "")
            except ValueError:
                continue
            if isinstance(body, dict) and isinstance(body.get("model"), str):
                models[body["model"]] += 1
    return spans, models, keys


def _names(counted: Counter[str]) -> str:
    return ", ".join(name for name, _ in counted.most_common(5)) or "none found"


def _text(counted: Counter[str]) -> str:
    """Return the only candidate as TOML text, or the mark of a choice."""
    return json.dumps(next(iter(counted)) if len(counted) == 1 else BLANK)
