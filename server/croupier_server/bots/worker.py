"""``python -m croupier_server.bots.worker``: the SDK's worker, with `search` among its bots."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from croupier import worker
from croupier.bot import Bot
from croupier.bots import load_bot
from croupier_server.bots.search import SearchBot
from croupier_server.bots.spec import parse_spec

__all__ = ["load_any", "main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit status."""
    return worker.main(arguments, load_any)


def load_any(spec: str) -> Callable[[], Bot]:
    """What makes the bot that *spec* names: `search`, or any that the SDK knows.

    Raises:
        UsageError: there is no such bot.
    """
    found = parse_spec(spec)
    if found is None:
        return load_bot(spec)
    return lambda: SearchBot(*found)


if __name__ == "__main__":
    sys.exit(main())
