"""``python -m croupier.house --stdin``: the house bots of a server, in one process.

The server starts it and writes one invitation a line to its standard input, each naming the bot
that is to take the seat. To the server it is a client like any other.

A house bot never gives a match away by a fault of its own: where it raises, or its move is refused,
it plays the fallback move, and it never concedes.
"""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Awaitable, Mapping, Sequence

from croupier.bot import Bot, Decision
from croupier.bots import HOUSE_BOTS
from croupier.errors import ConnectionFailed, Error, Refused, UsageError
from croupier.invites import Invite, complain
from croupier.moves import Move
from croupier.results import Result
from croupier.v1 import table_pb2
from croupier.views import View
from croupier.worker import play_all

__all__ = ["Unfailing", "main"]


class Unfailing(Bot):
    """Put before another bot among the bases of a class: that bot, which plays the fallback move
    where it raises. Whoever plays against it would otherwise win by its fault, or wait for ever at
    a table without a clock."""

    owner = ""
    """Principal that made the table; a bot that takes long shares its time among them."""

    def decide(self, view: View, decision: Decision) -> Move | Awaitable[Move]:
        """The bot's move, or the fallback."""
        try:
            return super().decide(view, decision)
        except (Refused, ConnectionFailed):
            raise  # the question is over, or there is no server
        except Exception as error:
            return self._fallback(decision, error)

    def on_refused(
        self, view: View, decision: Decision, move: Move, error: Refused
    ) -> Move | Awaitable[Move]:
        """The fallback in place of a move that was refused."""
        return self._fallback(decision, error)

    def on_start(self, table: table_pb2.Table, seat: int) -> Awaitable[None] | None:
        """As the bot does; if it raises it plays on without what it would have noted."""
        try:
            return super().on_start(table, seat)
        except Exception as error:
            self._complain(table.table_id, seat, error)
            return None

    def on_end(self, result: Result) -> Awaitable[None] | None:
        """As the bot does."""
        try:
            return super().on_end(result)
        except Exception as error:
            self._complain(result.table_id, result.seat, error)
            return None

    def _fallback(self, decision: Decision, error: Exception) -> Move:
        self._complain(decision.table_id, decision.seat, error)
        return decision.fallback

    def _complain(self, table_id: str, seat: int, error: Exception) -> None:
        """Tell the operator where the fault is, and not its words, which could name cards."""
        place = traceback.extract_tb(error.__traceback__)[-1:]
        where = "".join(f" at {one.filename}:{one.lineno}" for one in place)
        complain(f"table {table_id}, seat {seat}: {self.name}: {type(error).__name__}{where}")


def main(arguments: Sequence[str] | None = None, bots: Mapping[str, type[Bot]] = HOUSE_BOTS) -> int:
    """The command; returns its exit status.

    Args:
        arguments: those of the command line; None: this program's.
        bots: the bots by name, for programs that have more; their `decide` is no coroutine.
    """

    def make(invite: Invite) -> Bot:
        bot = unfailing.get(invite.bot)
        if bot is None:
            raise UsageError(f"there is no house bot {invite.bot!r}")
        made = bot()
        made.owner = invite.owner
        return made

    unfailing: dict[str, type[Unfailing]] = {
        name: type(name, (Unfailing, bot), {}) for name, bot in bots.items()
    }
    parser = argparse.ArgumentParser(
        prog="python -m croupier.house", description="Play seats of a server as its house bots."
    )
    parser.add_argument(
        "--stdin", action="store_true", required=True, help="read invitations from standard input"
    )
    parser.parse_args(arguments)
    try:
        return play_all(make, sys.stdin.fileno(), None, "session", concedes=False)
    except Error as error:
        complain(f"house: {error}")
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
