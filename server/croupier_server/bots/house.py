"""``python -m croupier_server.bots.house --stdin``: the SDK's house bots, and `search`."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from croupier import house
from croupier.bots import HOUSE_BOTS
from croupier_server.bots.search import SearchBot
from croupier_server.bots.spec import NAME

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit status."""
    return house.main(arguments, {**HOUSE_BOTS, NAME: SearchBot})


if __name__ == "__main__":
    sys.exit(main())
