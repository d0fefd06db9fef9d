"""``python -m croupier.house --stdin``: the house bots of a server, in one process.

The server starts it and writes one invitation a line to its standard input, each naming the bot
that is to take the seat. To the server it is a client like any other. Must not be put here:
anything that `croupier.worker` has.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence

from croupier.bot import Bot
from croupier.bots import HOUSE_BOTS
from croupier.errors import Error, UsageError
from croupier.invites import Invite, complain
from croupier.worker import play_all

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None, bots: Mapping[str, type[Bot]] = HOUSE_BOTS) -> int:
    """The command; returns its exit status.

    Args:
        arguments: those of the command line; None: this program's.
        bots: the bots by name, for programs that have more.
    """

    def make(invite: Invite) -> Bot:
        bot = bots.get(invite.bot)
        if bot is None:
            raise UsageError(f"there is no house bot {invite.bot!r}")
        return bot()

    parser = argparse.ArgumentParser(
        prog="python -m croupier.house", description="Play seats of a server as its house bots."
    )
    parser.add_argument(
        "--stdin", action="store_true", required=True, help="read invitations from standard input"
    )
    parser.parse_args(arguments)
    try:
        return play_all(make, sys.stdin.fileno(), None, "session")
    except Error as error:
        complain(f"house: {error}")
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
