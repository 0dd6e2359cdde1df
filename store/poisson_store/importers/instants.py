"""Points in time as nanoseconds since the UTC epoch."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

from poisson_store.episode_lines import INT64

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_MICROSECOND = timedelta(microseconds=1)


def nanoseconds(instant: Any) -> int | None:
    """Turn an ISO 8601 time into nanoseconds since the UTC epoch, exactly; one without a zone is taken as UTC.

    Anything else is None, also a time that no store holds: before 1970, or after 2262.
    """
    if not isinstance(instant, str):
        return None
    try:
        # Python 3.10 reads neither a Z nor more or fewer than 6 digits of a second's fraction.
        found = datetime.fromisoformat(_plain(instant))
    except ValueError:
        return None
    aware = found if found.tzinfo else found.replace(tzinfo=timezone.utc)
    found_ns = (aware - _EPOCH) // _MICROSECOND * 1000
    return found_ns if 0 <= found_ns < INT64 else None


def _plain(instant: str) -> str:
    head, point, tail = instant.replace("Z", "+00:00").partition(".")
    if not point:
        return head
    digits = len(tail) - len(tail.lstrip("0123456789"))
    return f"{head}.{tail[:digits][:6].ljust(6, '0')}{tail[digits:]}"
