"""Values that are never stored: those of authorization, api-key and cookie headers, and keys in addresses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

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

_QUERY = re.compile(
    r"(?P<kept>(?:(?:^|[?&])[\w-]*(?:api[-_]?key|access[-_]token)"
    r"|[?&](?:key|sig|[\w-]{0,20}signature|awsaccesskeyid|client_secret))=)[^&\s\"'#]+",
    _FLAGS,
)
"""In a query: those that name themselves, and those that OpenTelemetry and Google's addresses have."""

_PASSWORD = re.compile(r"(?P<kept>://[^\s/?#:@\"'<>]{0,200}:)[^\s/?#@\"'<>]{1,500}(?=@)")
"""In an address, user:password@host."""

_OPTION = re.compile(
    r"--?(?:[\w.-]*[-_.])?(?:api[-_]?key|token|secret|password|passwd|authorization|credentials?)",
    re.IGNORECASE,
)
"""An option of a command line whose value is a secret."""

_HINTS = ("authorization", "cookie", "api-key", "api_key", "apikey", "token")
_HINTS_OF_ADDRESSES = ("://", "key=", "sig=", "signature=", "keyid=", "secret=")


LONGEST_WORD = 1000
"""Characters looked through for a space where a text is cut."""


def beginning_of(text: str, most: int) -> str:
    """Return the beginning of a text without half a word, in which no pattern of `redact` would know a secret."""
    if len(text) <= most:
        return text
    end = next((at for at in range(most, max(most - LONGEST_WORD, 0), -1) if text[at].isspace()), most)
    return text[:end]


def end_of(text: str, most: int) -> str:
    """Return the end of a text, likewise."""
    return beginning_of(text[::-1], most)[::-1]


def is_secret(name: str) -> bool:
    """Tell whether a header, or an attribute that is named after one, holds what must not be stored."""
    return _HEADER.match(name) is not None


def without_secrets(text: str) -> str:
    """Return a text without the values of secret headers and of keys in addresses."""
    lower = text.lower()
    if any(hint in lower for hint in _HINTS):  # costs a tenth of the search
        for quoted in (_MEMBER, _PAIR):
            text = quoted.sub(rf"\g<kept>\g<quote>{REDACTED}\g<quote>", text)
        for bare in (_LINE, _ARGUMENT, _QUERY):
            text = bare.sub(rf"\g<kept>{REDACTED}", text)
    if any(hint in lower for hint in _HINTS_OF_ADDRESSES):
        for bare in (_QUERY, _PASSWORD):
            text = bare.sub(rf"\g<kept>{REDACTED}", text)
    return text


def command_without_secrets(arguments: Iterable[str]) -> list[str]:
    """Return a command line without the values of options that are named after secrets, as `--api-key=…`."""
    kept: list[str] = []
    follows = False  # the value of the option before
    for argument in arguments:
        name, equals, _ = argument.partition("=")
        if _OPTION.fullmatch(name):
            kept.append(f"{name}={REDACTED}" if equals else argument)
        else:
            kept.append(REDACTED if follows and not argument.startswith("-") else without_secrets(argument))
        follows = not equals and _OPTION.fullmatch(name) is not None
    return kept


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
