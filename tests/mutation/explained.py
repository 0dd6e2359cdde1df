"""What `explained.toml` says of the changes that no test notices."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from tests.mutation.changes import Change

ANY = "*"


@cache
def explanations() -> dict[str, list[dict[str, str]]]:
    """Return the entries of each module: each has a `line`, a `what` and a `why`."""
    content = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return {
        f"{package}.{name}": entries
        for package, modules in content.items()
        for name, entries in modules.items()
    }


def is_of(entry: dict[str, str], change: Change) -> bool:
    """Return whether an entry is of this change."""
    return entry["line"] == change.text and entry["what"] in (ANY, change.what)
