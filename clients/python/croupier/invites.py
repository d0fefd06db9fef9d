"""Invitations by pipe: how a program that starts bots tells them which seats to take.

Each line read from the file descriptor is a JSON object::

    {"address": "127.0.0.1:7421", "table_id": "...", "seat": 0, "invite_code": "...", "seed": "7"}

``seat``, ``seed``, ``bot`` (where one process plays several bots), ``key`` (an API key, in place
of the environment's) and ``owner`` (the principal that made the table) may be left out. The end of
the file means: finish the running matches, then exit. A program that is started by somebody else
finds the number of the descriptor in the environment variable ``CROUPIER_INVITES_FD``.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import traceback
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from threading import Thread
from typing import Final

from croupier.bot import Bot, Decision
from croupier.client import Client, Transport, connect
from croupier.connection import PATIENCE_SECONDS
from croupier.errors import BotError, Conflict, Error, Refused, UsageError
from croupier.moves import Move
from croupier.results import Result
from croupier.seat import Ticket
from croupier.views import View

__all__ = ["ENVIRONMENT", "Invite", "complain", "invites_fd", "parse_invite", "play_invites"]

ENVIRONMENT: Final = "CROUPIER_INVITES_FD"


@dataclass(frozen=True, slots=True)
class Invite:
    """An invitation to a seat.

    Attributes:
        address: host and port of the server.
        table_id: the table.
        seat: the seat; None: that of the code, or the first free one.
        invite_code: code of the seat, if it is reserved.
        seed: where the bot's chance comes from; None: the program's choice.
        bot: which bot is to play, where a program has several.
        key: the API key to call with; empty: that of the environment.
        owner: principal that made the table, for a program that shares its time among them.
    """

    address: str
    table_id: str
    seat: int | None = None
    invite_code: str = ""
    seed: str | None = None
    bot: str = ""
    key: str = field(default="", repr=False)
    owner: str = ""


def parse_invite(line: str) -> Invite:
    """The invitation in one line.

    Raises:
        UsageError: it is none.
    """
    try:
        found = json.loads(line)
    except ValueError:
        raise UsageError("an invitation must be a JSON object on one line") from None
    if not isinstance(found, dict):
        raise UsageError("an invitation must be a JSON object on one line")
    for key in ("address", "table_id"):
        if not isinstance(found.get(key), str) or not found[key]:
            raise UsageError(f"an invitation needs a string {key!r}")
    seat, seed = found.get("seat"), found.get("seed")
    if seat is not None and (not isinstance(seat, int) or isinstance(seat, bool)):
        raise UsageError("the seat of an invitation must be a number")
    return Invite(
        address=found["address"],
        table_id=found["table_id"],
        seat=seat,
        invite_code=str(found.get("invite_code") or ""),
        seed=None if seed is None else str(seed),
        bot=str(found.get("bot") or ""),
        key=str(found.get("key") or ""),
        owner=str(found.get("owner") or ""),
    )


def invites_fd() -> int:
    """The descriptor named in the environment.

    Raises:
        UsageError: there is none.
    """
    value = os.environ.get(ENVIRONMENT, "")
    if not value.isdecimal():
        raise UsageError(f"{ENVIRONMENT} does not name a file descriptor")
    return int(value)


async def read_lines(fd: int) -> AsyncIterator[str]:
    """Lines of a file as they come, whatever kind of file it is, to its end.

    Raises:
        UsageError: *fd* cannot be read.
    """
    loop = asyncio.get_running_loop()
    lines: asyncio.Queue[str | Exception | None] = asyncio.Queue()

    def put(line: str | Exception | None) -> None:
        try:
            loop.call_soon_threadsafe(lines.put_nowait, line)
        except RuntimeError:
            if not loop.is_closed():
                raise

    def read() -> None:
        try:
            with open(fd, encoding="utf-8", closefd=False) as file:
                for line in file:
                    put(line)
        except (OSError, ValueError) as error:
            put(error)
        put(None)

    # A thread, because the event loop cannot wait for every kind of file.
    Thread(target=read, name="croupier-invites", daemon=True).start()
    while (line := await lines.get()) is not None:
        if isinstance(line, Exception):
            raise UsageError(f"invitations cannot be read: {line}")
        yield line


async def play_invites(
    bots: Callable[[Invite], Bot],
    fd: int,
    *,
    seed: int | str | None = None,
    transport: Transport = "session",
    patience: float = PATIENCE_SECONDS,
    concedes: bool = True,
) -> int:
    """Play every seat that is offered, all at once, until the invitations end.

    What goes wrong costs only its own match: the error goes to the standard error stream, and a
    bot that failed concedes if *concedes*, so that the others need not wait for it.

    Args:
        bots: makes the bot for an invitation; may raise `UsageError`.
        fd: where invitations come from.
        seed: where the bots' chance comes from, where an invitation does not say.
        transport: ``session`` or ``watch``.
        patience: seconds for which a lost connection is tried again.
        concedes: whether a bot that failed concedes; otherwise its seat is left to the clock.

    Returns:
        How many invitations came to nothing.

    Raises:
        UsageError: *fd* cannot be read.
    """
    guests = _Guests(bots, transport, seed, patience, concedes=concedes)
    unreadable: UsageError | None = None
    async with guests.stack, asyncio.TaskGroup() as matches:
        try:
            async for line in read_lines(fd):
                if line.strip():
                    await guests.accept(line, matches)
        except UsageError as error:
            # Raised below: the group would wrap it, and the running matches are to be finished.
            unreadable = error
    if unreadable is not None:
        raise unreadable
    return guests.failures


class _Guests:
    """Everybody who was invited: one client for each server, and how many did not finish."""

    def __init__(
        self,
        bots: Callable[[Invite], Bot],
        transport: Transport,
        seed: int | str | None,
        patience: float,
        *,
        concedes: bool,
    ) -> None:
        self._concedes = concedes
        self._bots = bots
        self._transport = transport
        self._seed = seed
        self._patience = patience
        self._clients: dict[tuple[str, str], Client] = {}
        self.stack = AsyncExitStack()
        self.failures = 0

    async def accept(self, line: str, matches: asyncio.TaskGroup) -> None:
        """Start the match that *line* invites to."""
        try:
            invite = parse_invite(line)
            client = await self._client(invite.address, invite.key)
        except Error as error:
            self._failed("invitation", error)
        else:
            matches.create_task(self._play(client, invite))

    async def _client(self, address: str, key: str) -> Client:
        client = self._clients.get((address, key))
        if client is None:
            client = connect(
                address,
                key=key or None,
                transport=self._transport,
                seed=self._seed,
                patience=self._patience,
            )
            self._clients[address, key] = await self.stack.enter_async_context(client)
        return client

    async def _play(self, client: Client, invite: Invite) -> None:
        where = f"table {invite.table_id}, seat {invite.seat}"
        try:
            bot: Bot = self._bots(invite)
        except Error as error:
            self._failed(where, error)
            return
        except Exception as error:
            failure = BotError(f"the bot cannot be made: {type(error).__name__}: {error}")
            failure.__cause__ = error
            bot = _Broken(failure)
        try:
            await _play_invite(client, bot, invite, concedes=self._concedes)
        except Exception as error:
            self._failed(where, error)

    def _failed(self, what: str, error: Exception) -> None:
        """Count a failure and tell people of it; of a bot's own exception all of it."""
        self.failures += 1
        complain(f"{what}: {error}")
        if isinstance(error, BotError) and error.__cause__ is not None:
            traceback.print_exception(error.__cause__, file=sys.stderr)


async def _play_invite(client: Client, bot: Bot, invite: Invite, *, concedes: bool) -> None:
    """Take the seat and play it to the end."""
    ticket = await client.join(
        invite.table_id,
        seat=invite.seat,
        invite=invite.invite_code,
        player=bot.name or type(bot).__name__,
    )
    await play_or_concede(client, bot, ticket, seed=invite.seed, concedes=concedes)


async def play_or_concede(
    client: Client,
    bot: Bot,
    ticket: Ticket,
    *,
    seed: str | None = None,
    concedes: bool = True,
) -> Result:
    """Play a seat to the end of its match; a bot that fails concedes, if *concedes*.

    Raises:
        Error: see `Client.play`.
    """
    try:
        return await client.play(bot, ticket, seed=seed)
    except (BotError, Refused) as error:
        if concedes:
            with suppress(Error):
                await _give_up(client, ticket, error)
        raise


async def _give_up(client: Client, ticket: Ticket, error: Error) -> None:
    """Concede; where the match has not begun, wait until it has, for else it never would end."""
    try:
        await client.concede(ticket)
    except Conflict as refusal:
        if refusal.reason != "TABLE_NOT_READY":
            raise
        with suppress(BotError, Refused):
            await client.play(_Broken(error), ticket)
        await client.concede(ticket)


class _Broken(Bot):
    """Holds the seat of a bot that cannot play, until it is asked."""

    inline = True
    name = "broken"

    def __init__(self, error: Error) -> None:
        self._error = error

    def decide(self, view: View, decision: Decision) -> Move:
        """Raise what went wrong."""
        raise self._error


def complain(sentence: str) -> None:
    """Tell people what went wrong: one line on the standard error stream."""
    sys.stderr.write(f"{sentence}\n")
    sys.stderr.flush()
