"""Numbers and untrusted text as a report shows them."""

from __future__ import annotations

from typing import Final
from urllib.parse import quote

from croupier_server.contest.report.data import Estimate
from croupier_server.printable import printable

NOTHING: Final = "\N{EN DASH}"
"""In place of a number that does not exist."""

MINUS: Final = "\N{MINUS SIGN}"

_NOT_IN_XML: Final = {0xFFFE: "\ufffd", 0xFFFF: "\ufffd"}


def safe(text: str) -> str:
    """*text* without characters that reorder or hide text, or that XML forbids. Not yet escaped."""
    return printable(text).translate(_NOT_IN_XML)


def shortened(text: str, length: int) -> str:
    """*text* cut to *length* characters, the last of which is then an ellipsis.

    >>> shortened("croupier", 5)
    'crou…'
    """
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def number(value: float, decimals: int = 0) -> str:
    """*value* with a true minus sign, and thin spaces in numbers of five digits and more.

    >>> number(12345.678, 2)
    '12\u202f345.68'
    >>> number(-0.001, 2)
    '0.00'
    """
    text = f"{value:,.{decimals}f}" if abs(value) >= 10_000 else f"{value:.{decimals}f}"
    if not any(digit in "123456789" for digit in text):
        text = text.removeprefix("-")
    return text.replace("-", MINUS).replace(",", "\u202f")


def percent(share: float) -> str:
    """*share* of 1 as a percentage with one decimal.

    >>> percent(0.6321)
    '63.2%'
    """
    return f"{number(100 * share, 1)}%"


def duration(ms: float) -> str:
    """*ms* with three significant digits and a unit.

    >>> duration(0.4211), duration(12.34), duration(1234.0), duration(75_000)
    ('0.421 ms', '12.3 ms', '1.23 s', '75.0 s')
    """
    value, unit = (ms, "ms") if ms < 999.5 else (ms / 1000, "s")
    decimals = 3 if value < 0.9995 else 2 if value < 9.995 else 1 if value < 99.95 else 0
    return f"{number(value, decimals)} {unit}"


def interval(estimate: Estimate, decimals: int, unit: str = "", scale: float = 1) -> str:
    """The bounds of *estimate* in words; empty without bounds.

    >>> interval(Estimate(0.5, 0.431, 0.569), 1, "%", 100)
    '43.1 to 56.9%'
    """
    if estimate.low is None or estimate.high is None:
        return ""
    low, high = (number(scale * bound, decimals) for bound in (estimate.low, estimate.high))
    return f"{low} to {high}{unit}"


def link(record: str) -> str:
    """*record* as a value of href; empty unless it is a relative path or an https URL.

    >>> link("records/7.croupier"), link("javascript:alert(1)"), link("//evil")
    ('records/7.croupier', 'javascript%3Aalert(1)', '')
    """
    prefix = "https://"
    if record.startswith(prefix):
        return prefix + _quoted(record.removeprefix(prefix), ":")
    path = _quoted(record, "")
    return "" if path.startswith("/") else path


def _quoted(path: str, also: str) -> str:
    # Backslashes, controls and, in relative paths, colons are escaped: no browser then finds a
    # scheme or a host in them. A percent sign stays, for the path may be quoted already.
    return quote(path, safe="/%?#&=()~,;+@!$*'" + also, errors="replace")
