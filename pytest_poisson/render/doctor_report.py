"""An installation and what is wrong with it, as terminal text and as a JSON document."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from pytest_poisson.render import formatting as write
from pytest_poisson.render.layout import INDENT, wrap

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_poisson.analyses.doctor import DoctorResult, Extra, Neighbour, StoreHealth
    from pytest_poisson.render.documents import Document

DOCTOR_SCHEMA = "pytest-poisson.doctor/1"


def render_doctor(result: DoctorResult, *, width: int = 80) -> str:
    """Return what an installation consists of, what is wrong with it first."""
    head = f"{write.plural(len(result.problems), 'problem')}." if result.problems else "No problem found."
    groups = (
        ("", result.problems),
        (
            "Versions",
            (result.platform, ", ".join(f"{each.name} {each.version or 'missing'}" for each in result.parts)),
        ),
        ("Other pytest plugins", tuple(map(_plugin, result.plugins)) or ("none",)),
        ("Extras", tuple(map(_extra, result.extras))),
        ("Store", tuple(_store(result.store))),
    )
    lines = [head]
    for title, texts in groups:
        lines += ["", title] if title else []
        lines += _items(texts, width)
    return "\n".join(lines) + "\n"


def doctor_document(result: DoctorResult) -> Document:
    """Return the same as a document."""
    return {
        "schema": DOCTOR_SCHEMA,
        "platform": result.platform,
        "versions": {each.name: each.version for each in result.parts},
        "plugins": [asdict(each) for each in result.plugins],
        "extras": {each.name: list(each.missing) for each in result.extras},
        "store": asdict(result.store) | {"problems": list(result.store.problems)},
        "problems": list(result.problems),
    }


def _items(texts: Iterable[str], width: int) -> list[str]:
    return [
        line for text in texts for line in wrap(write.printable(text), width, first=INDENT, rest=INDENT * 2)
    ]


def _plugin(each: Neighbour) -> str:
    return f"{each.name} {each.version}" + (f": in a sweep {each.in_a_sweep}" if each.in_a_sweep else "")


def _extra(each: Extra) -> str:
    return f"{each.name}: {'lacks ' + ', '.join(each.missing) if each.missing else 'complete'}"


def _store(health: StoreHealth) -> list[str]:
    if not health.exists:
        return [f"{health.path}: not there yet; the first sweep makes it"]
    running = f", {write.integer(health.running)} of them running" if health.running else ""
    return [f"{health.path}: {write.plural(health.runs, 'sound run')}{running}"]
