"""Text from elsewhere, made safe to print: names of players, output of bots, files, answers."""

from __future__ import annotations

import json
import unicodedata
from typing import Final

_UNSAFE: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Categories of Unicode that steer a terminal, reorder or hide text, or break lines: controls,
format characters (bidirectional ones among them), surrogates, line and paragraph separators."""


def printable(text: str, *, keep: str = "") -> str:
    r"""*text* with every unsafe character as an escape of Python; all other text stays as it is.

    Args:
        text: from a file, a server, a client or a bot.
        keep: unsafe characters that may stay, such as a newline in text of several lines.

    >>> printable("Ann\x1b[2J")
    'Ann\\x1b[2J'
    >>> printable("Zoë 李")
    'Zoë 李'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        one if one in keep or not is_unsafe(one) else one.encode("unicode_escape").decode("ascii")
        for one in text
    )


def quoted(text: str) -> str:
    """*text* as a string of JSON that is safe to print and still readable in any language."""
    return "".join(
        json.dumps(one)[1:-1] if is_unsafe(one) else one
        for one in json.dumps(text, ensure_ascii=False)
    )


def is_unsafe(character: str) -> bool:
    """Whether *character* is one that `printable` escapes."""
    return unicodedata.category(character) in _UNSAFE
