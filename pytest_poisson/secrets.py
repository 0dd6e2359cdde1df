"""Values that are never stored: those of authorization, api-key and cookie headers, and keys in addresses."""

from __future__ import annotations

import re
from typing import Any

REDACTED = "[redacted]"

_NAME = r"(?:[\w.-]{0,60}[-_.])?(?:authorization|api[-_]?key|cookie2?|auth[-_]token|security[-_]token)"
_QUOTED = (
    r""""(?:[^"\\]|\\.)*(?:"|\\?\Z)|'(?:[^'\\]|\\.)*(?:'|\\?\Z)"""
    r"""|(?P<open>\\+["'])(?:(?!(?<!\\)(?P=open)).)*(?:(?P=open)|\Z)"""
)
"""Up to the closing quote, or to the end of a text that was cut; nothing here looks further, which would take for ever."""

_HEADER = re.compile(rf"^{_NAME}$", re.IGNORECASE)
_FLAGS = re.IGNORECASE | re.DOTALL

_MEMBER = re.compile(
    rf"""(?P<kept>(?P<quote>(?<!\\)\\+["']|["']){_NAME}(?P=quote)\s*:\s*)(?:{_QUOTED}|\[[^\]]*(?:\]|\Z))""",
    _FLAGS,
)
"""In JSON, or as Python writes a dict, also where that is quoted itself: "Cookie": "…"."""

_PAIR = re.compile(
    rf"""(?P<kept>[\[(]\s*b?(?P<quote>\\*["']){_NAME}(?P=quote)\s*,\s*b?)(?:{_QUOTED})(?=\s*(?:[\])]|\Z))""",
    _FLAGS,
)
"""As HTTP libraries list headers: ["Cookie", "…"]."""

_LINE = re.compile(
    rf"""(?P<kept>(?:(?<![\w."'\\-])|(?<=\\[nrt])){_NAME}\s*:\s*)"""
    rf"""(?:{_QUOTED}|[^\s"'\\\[{{].*?(?=[\r\n\\]|["']\s*(?:[,}}\])]|$)|$))""",
    _FLAGS,
)
"""As it is sent, Cookie: …, up to the end of the line."""

_ARGUMENT = re.compile(
    rf"""(?P<kept>(?P<quote>["']){_NAME}\s*:\s*)(?!(?P=quote)).*?(?=[\r\n\\]|(?P=quote)|\Z)""", _FLAGS
)
"""As it is given to a command, "Cookie: …", up to the closing quote."""

_QUERY = re.compile(r"(?P<kept>(?:^|[?&])[\w-]*(?:api[-_]?key|access[-_]token)=)[^&\s\"'#]+", _FLAGS)

_HINTS = ("authorization", "cookie", "api-key", "api_key", "apikey", "token")


def is_secret(name: str) -> bool:
    """Tell whether a header, or an attribute that is named after one, holds what must not be stored."""
    return _HEADER.match(name) is not None


def without_secrets(text: str) -> str:
    """Return a text without the values of secret headers and of keys in addresses."""
    lower = text.lower()
    if not any(hint in lower for hint in _HINTS):  # costs a tenth of the search
        return text
    for quoted in (_MEMBER, _PAIR):
        text = quoted.sub(rf"\g<kept>\g<quote>{REDACTED}\g<quote>", text)
    for bare in (_LINE, _ARGUMENT, _QUERY):
        text = bare.sub(rf"\g<kept>{REDACTED}", text)
    return text


def attrs_without_secrets(attrs: dict[str, Any]) -> dict[str, Any]:
    """Return a span's attributes without the values of secret headers, at any depth."""
    return {name: REDACTED if is_secret(str(name)) else _clean(value) for name, value in attrs.items()}


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return without_secrets(value)
    if isinstance(value, dict):
        return attrs_without_secrets(value)
    if isinstance(value, (list, tuple)):
        return [_clean(item) for item in value]
    return value
