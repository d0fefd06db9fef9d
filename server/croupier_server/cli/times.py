"""Points and spans of time as they are given on the command line."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from croupier_server.cli.common import fail

_UNITS: Final = {"d": "days", "h": "hours", "m": "minutes", "s": "seconds"}


def read_span(flag: str, text: str) -> timedelta:
    """A span such as ``30d``, ``12h``, ``90m`` or ``45s``; anything else ends the command."""
    found = re.fullmatch(r"(\d{1,6})([dhms])", text)
    if found is None:
        fail(f"{flag}: {text!r} must be a duration such as 30d, 12h, 90m or 45s")
    number, unit = found.groups()
    return timedelta(**{_UNITS[unit]: int(number)})


def read_moment(flag: str, text: str) -> datetime:
    """A date or a date with a time, UTC unless it says otherwise; anything else ends the
    command."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        fail(f"{flag}: {text!r} must be a date such as 2026-01-31 or 2026-01-31T18:00+01:00")
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
