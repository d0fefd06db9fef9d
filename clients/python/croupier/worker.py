"""``python -m croupier.worker``: one bot that plays every seat it is invited to.

Many tables share one session. Contests start one such process for each entrant. With ``--standby``
the invitations are the calls of a server's hosts.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import importlib.util
import sys
from collections.abc import Callable, Coroutine, Sequence

from croupier.bot import Bot
from croupier.bots import load_bot
from croupier.client import Transport
from croupier.errors import Error
from croupier.invites import ENVIRONMENT, Invite, complain, invites_fd, play_invites
from croupier.runner import run

__all__ = ["main", "play_all"]


def main(
    arguments: Sequence[str] | None = None,
    load: Callable[[str], Callable[[], Bot]] = load_bot,
) -> int:
    """The command; returns its exit status: 0, 1 if matches failed, 2 if it could not begin.

    Args:
        arguments: those of the command line; None: this program's.
        load: what a bot's name means, for programs that have more bots.
    """
    parser = argparse.ArgumentParser(
        prog="python -m croupier.worker",
        description="Play the seats of all invitations read from a file descriptor, one JSON "
        "object per line.",
    )
    parser.add_argument(
        "--bot", required=True, help="a house bot (random, greedy) or path/to/bot.py:Class"
    )
    parser.add_argument("--seed", help="seed of the bot's random choices")
    parser.add_argument(
        "--invites-fd",
        type=int,
        help=f"file descriptor of the invitations; default: ${ENVIRONMENT}",
    )
    parser.add_argument(
        "--standby",
        metavar="ADDRESS",
        help="instead of invitations, play every seat that hosts at this server reserve for the "
        "key in the environment, until Ctrl-C",
    )
    parser.add_argument("--transport", choices=("session", "watch"), default="session")
    given = parser.parse_args(arguments)
    try:
        make = load(given.bot)
        if given.standby:
            transport = given.transport
            results = run(make, given.standby, standby=True, seed=given.seed, transport=transport)
            sys.stdout.write(f"{results}\n")
            return 0
        fd = invites_fd() if given.invites_fd is None else given.invites_fd
        return play_all(lambda _: make(), fd, given.seed, given.transport)
    except Error as error:
        complain(f"worker: {error}")
        return 2
    except KeyboardInterrupt:
        return 130


def play_all(
    bots: Callable[[Invite], Bot],
    fd: int,
    seed: str | None,
    transport: Transport,
    *,
    concedes: bool = True,
) -> int:
    """Play to the end of the invitations; returns the exit status. See `play_invites`."""
    work = play_invites(bots, fd, seed=seed, transport=transport, concedes=concedes)
    return 1 if run_loop(work) else 0


def run_loop(work: Coroutine[object, object, int]) -> int:
    """Run *work* on the fastest event loop that is installed."""
    if importlib.util.find_spec("uvloop") is None:
        return asyncio.run(work)
    uvloop = importlib.import_module("uvloop")
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(work)


if __name__ == "__main__":
    sys.exit(main())
