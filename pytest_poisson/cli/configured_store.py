"""The store that a project's pytest configuration names, found without starting pytest."""

from __future__ import annotations

import configparser
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

KEY = "poisson_store"
PLACES = {  # in pytest's order, with the tables or sections of each that pytest reads
    "pytest.toml": ("pytest",),
    ".pytest.toml": ("pytest",),
    "pytest.ini": ("pytest",),
    ".pytest.ini": ("pytest",),
    "pyproject.toml": ("tool.pytest.ini_options", "tool.pytest"),
    "tox.ini": ("pytest",),
    "setup.cfg": ("tool:pytest",),
}


def configured_store(folder: Path) -> Path | None:
    """Return the store that the configuration in a folder names, or None.

    A file that cannot be read names none; pytest says what is wrong with it.
    """
    for name, tables in PLACES.items():
        file = folder / name
        try:
            text = file.read_text(encoding="utf-8")
            value = (_in_toml if name.endswith(".toml") else _in_ini)(text, tables)
        except (OSError, ValueError, configparser.Error):
            continue
        if value:
            return folder / value
    return None


def _in_toml(text: str, tables: tuple[str, ...]) -> str | None:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    content = tomllib.loads(text)
    for path in tables:
        table: Any = content
        for part in path.split("."):
            table = table.get(part) if isinstance(table, dict) else None
        value = table.get(KEY) if isinstance(table, dict) else None
        if isinstance(value, str):
            return value
    return None


def _in_ini(text: str, sections: tuple[str, ...]) -> str | None:
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    parser.read_string(text)
    return next((parser.get(each, KEY) for each in sections if parser.has_option(each, KEY)), None)
