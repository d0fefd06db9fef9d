"""`croupier.run`: from a bot to results in one call."""

from __future__ import annotations

import asyncio
import atexit
import hashlib
import os
import threading
from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping, Sequence
from typing import Final, TypeAlias, TypeVar

from google.protobuf.message import Message

from croupier.background import first_error
from croupier.bot import Bot
from croupier.client import Client, NewTable, Transport
from croupier.clock import Clock
from croupier.connection import DEFAULT_ADDRESS, PATIENCE_SECONDS
from croupier.credentials import Credentials
from croupier.errors import Error, UsageError
from croupier.games import FIRST
from croupier.options import OptionValue, options_message
from croupier.results import Result, Results
from croupier.standby import Standby
from croupier.v1 import table_pb2

__all__ = ["BotSource", "make_bot", "run", "run_async"]

Outcome = TypeVar("Outcome")

_own: Final = threading.local()

STANDBY_TABLES: Final = 16
"""Tables that a bot in standby plays at the same time, unless told otherwise."""

BotSource: TypeAlias = Bot | Callable[[], Bot]
"""A bot that plays every seat, or its class, to have a fresh one for each seat."""


def make_bot(source: BotSource, name: str | None = None) -> Bot:
    """The bot itself, or a fresh one of a class, under *name*.

    Raises:
        UsageError: it is no bot.
    """
    bot = source if isinstance(source, Bot) else source()
    if not isinstance(bot, Bot):
        raise UsageError(f"{bot!r} is not a croupier.Bot")
    if name is not None:
        bot.name = name
    return bot


def run(
    bot: BotSource,
    address: str = DEFAULT_ADDRESS,
    *,
    game: str | None = None,
    against: str | Sequence[str] = "greedy",
    table: str | None = None,
    invite: str | None = None,
    seats: Sequence[int] | None = None,
    standby: bool = False,
    hosts: Collection[str] | None = None,
    matches: int | None = None,
    at_once: int | None = None,
    ruleset: str = "",
    options: Mapping[str, OptionValue] | Message | None = None,
    clock: Clock | None = None,
    name: str | None = None,
    seed: int | str | None = None,
    transport: Transport = "session",
    patience: float = PATIENCE_SECONDS,
    credentials: Credentials | None = None,
    key: str | None = None,
    endpoints: Collection[str] = (),
) -> Results:
    """Play matches to the end and return their results.

    Without *table* a table is made for each match, with house bots in the seats that are not the
    bot's; with *table* (and *invite*, if the seat is reserved) the bot joins that one.

    With *standby* the bot waits and plays every seat that a host reserves for its key, until
    Ctrl-C, which returns the results up to then. Its seats stay taken: a standby bot that starts
    takes over the seats that were reserved for its key and are still in play.

    Args:
        bot: a `Bot`, or its class to have a fresh one for each seat.
        address: host and port of the server.
        game: name of the game; None: ``tractor``, in standby every game.
        against: the house bot in the other seats, or one for each of them in order.
        table: id of a table to join.
        invite: invite code of a seat there.
        seats: seats that the bot takes: at its own tables seat 0, elsewhere the first free one, if
            not given.
        standby: whether to wait for calls; needs a server with keys, and a key for this bot alone.
        hosts: in standby, principals whose calls are taken; None: those of everybody.
        matches: how many matches, each at a table of its own; None: 1, in standby any number.
        at_once: maximum number of tables at the same time; None: 1, in standby 16.
        ruleset: name of the ruleset; empty: the default.
        options: what differs from it, such as ``{"max_deals": 1}``.
        clock: clock of the bot's own tables; None: it may think for ever.
        name: name shown at the table.
        seed: makes matches at tables of its own repeatable: the same bots, options, seats and seed
            give the same cards, the same ``decision.random`` at each decision and the same house
            bots, whatever the tables are called. Such tables say that their deals are FIXED. At
            the *table* of somebody else ``decision.random`` follows from seed, table and seat.
        transport: ``session`` or ``watch``.
        patience: seconds for which a lost connection is tried again.
        credentials: key and certificates; None: what the environment says, see
            `croupier.credentials`.
        key: the API key, in place of the one in *credentials*.
        endpoints: see `croupier.Client`.

    Raises:
        ConnectionFailed: no server answers, or it was lost for too long.
        Refused: the server said no; an `IllegalMove` of the bot is one case.
        BotError: the bot raised. In standby what goes wrong at a table is logged instead.
        UsageError: the arguments do not fit together.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        pass
    else:
        raise UsageError("an event loop is running here: use `await croupier.run_async(...)`")
    found = Results()
    work = run_async(
        bot,
        address,
        game=game,
        against=against,
        table=table,
        invite=invite,
        seats=seats,
        standby=standby,
        hosts=hosts,
        matches=matches,
        at_once=at_once,
        ruleset=ruleset,
        options=options,
        clock=clock,
        name=name,
        seed=seed,
        transport=transport,
        patience=patience,
        credentials=credentials,
        key=key,
        endpoints=endpoints,
        results=found,
    )
    try:
        return _on_own_loop(work)
    except KeyboardInterrupt:
        if not standby:
            raise
        return found


def _on_own_loop(work: Coroutine[None, None, Outcome]) -> Outcome:
    """Do *work* on the loop of this thread that all calls of `run` share: what gRPC still has to
    say of a channel that was closed comes later, and needs that loop."""
    if getattr(_own, "process", None) != os.getpid():  # a fork has a loop of its own
        _own.process, _own.runner = os.getpid(), asyncio.Runner()
        atexit.register(_own.runner.close)
    runner: asyncio.Runner = _own.runner
    try:
        return runner.run(work)
    except KeyboardInterrupt:
        raise KeyboardInterrupt from None  # where it struck in the loop tells nobody anything


async def run_async(
    bot: BotSource,
    address: str = DEFAULT_ADDRESS,
    *,
    game: str | None = None,
    against: str | Sequence[str] = "greedy",
    table: str | None = None,
    invite: str | None = None,
    seats: Sequence[int] | None = None,
    standby: bool = False,
    hosts: Collection[str] | None = None,
    matches: int | None = None,
    at_once: int | None = None,
    ruleset: str = "",
    options: Mapping[str, OptionValue] | Message | None = None,
    clock: Clock | None = None,
    name: str | None = None,
    seed: int | str | None = None,
    transport: Transport = "session",
    patience: float = PATIENCE_SECONDS,
    credentials: Credentials | None = None,
    key: str | None = None,
    endpoints: Collection[str] = (),
    stop: asyncio.Event | None = None,
    results: Results | None = None,
) -> Results:
    """`run` for programs that have an event loop; same arguments, results and errors.

    Args:
        stop: in standby, takes no more seats once it is set, and returns when the matches that are
            under way have ended.
        results: in standby, gets each result as its match ends; it is what is returned.
    """
    if (matches is not None and matches < 1) or (at_once is not None and at_once < 1):
        raise UsageError("matches and at_once must be at least 1")
    if invite is not None and table is None:
        raise UsageError("an invite code requires table")
    if table is not None and matches is not None and matches > 1:
        raise UsageError("a table has one match; leave out either table or matches")
    if invite is not None and seats is not None and len(seats) > 1:
        raise UsageError("an invite code is for one seat")
    own_table = (table, seats, ruleset or None, options, clock)
    if standby and any(given is not None for given in own_table):
        raise UsageError(
            "in standby the hosts choose tables and seats; leave out table, seats, ruleset, "
            "options and clock"
        )
    asked = options_message(game or FIRST, options)
    if key is not None:
        credentials = (credentials or Credentials.from_environment()).but(key=key)
    async with Client(
        address,
        transport=transport,
        seed=seed,
        patience=patience,
        credentials=credentials,
        endpoints=endpoints,
    ) as client:
        if standby:
            found = Results() if results is None else results
            waiting = Standby(
                client,
                lambda: make_bot(bot, name),
                game=game,
                hosts=hosts,
                at_once=at_once or STANDBY_TABLES,
                matches=matches,
                results=found,
            )
            await waiting.run(stop)
            return found
        game = game or FIRST
        if table is not None:
            wanted: Sequence[int | None] = [None] if seats is None else seats
            return Results(await _join(client, bot, table, invite or "", wanted, name))
        own = tuple(seats) if seats is not None else (0,)
        words = _seat_words(await client.players(game, ruleset, asked), own, against)
        slots = asyncio.Semaphore(at_once or 1)

        async def one_match(number: int) -> list[Result]:
            async with slots:
                made = await client.create_table(
                    game,
                    ruleset=ruleset,
                    options=asked,
                    seats=words,
                    clock=clock,
                    deal=_deal(seed, number),
                    shared_seats=len(own) > 1,
                )
                chance = None if seed is None else f"{seed}/{number}"
                return await _play_own(client, bot, made, own, name, chance)

        played = await _all(one_match(number) for number in range(matches or 1))
        return Results(result for match in played for result in match)


def _seat_words(players: int, own: Sequence[int], against: str | Sequence[str]) -> list[str]:
    """Who sits where: ``reserved`` for the bot's own seats, house bots in the others.

    Raises:
        UsageError: the seats or the house bots do not fit the table.
    """
    if not own or len(set(own)) != len(own) or not all(0 <= seat < players for seat in own):
        raise UsageError(
            f"seats {list(own)} are not valid: give different numbers from 0 to {players - 1}"
        )
    others = players - len(own)
    bots = [against] * others if isinstance(against, str) else list(against)
    if len(bots) != others:
        raise UsageError(f"{others} seats are for house bots, but {len(bots)} are named")
    house = iter(bots)
    return ["reserved" if seat in own else next(house) for seat in range(players)]


def _deal(seed: int | str | None, number: int) -> table_pb2.DealSource | None:
    """Cards of match *number* that follow from *seed*; None: from the secrets of all."""
    if seed is None:
        return None
    digest = hashlib.sha256(f"croupier.run deal {number} of {seed}".encode()).digest()
    fixed = table_pb2.FixedDeal(seed=int.from_bytes(digest[:8], "big") >> 11)  # 53 bits
    return table_pb2.DealSource(fixed=fixed)


async def _join(
    client: Client,
    bot: BotSource,
    table: str,
    invite: str,
    seats: Sequence[int | None],
    name: str | None,
) -> list[Result]:
    """Take seats at a table of somebody else and play them."""
    bots = [make_bot(bot, name) for _ in seats]
    tickets = [
        await client.join(table, seat=seat, invite=invite, player=_name(player))
        for seat, player in zip(seats, bots, strict=True)
    ]
    pairs = zip(bots, tickets, strict=True)
    return await _all(client.play(player, ticket) for player, ticket in pairs)


async def _play_own(
    client: Client,
    bot: BotSource,
    made: NewTable,
    own: Sequence[int],
    name: str | None,
    seed: str | None,
) -> list[Result]:
    """Play seats of a table of ours; a table that we cannot finish is stopped."""
    try:
        bots = [make_bot(bot, name) for _ in own]
        tickets = [
            await client.join(
                made.table_id, seat=seat, invite=made.invites[seat], player=_name(player)
            )
            for seat, player in zip(own, bots, strict=True)
        ]
        pairs = zip(bots, tickets, strict=True)
        return await _all(client.play(player, ticket, seed=seed) for player, ticket in pairs)
    except BaseException:
        await _stop(client, made)
        raise


async def _stop(client: Client, made: NewTable) -> None:
    """Abort a table as a courtesy: whatever goes wrong now hides nothing that matters."""
    try:
        async with asyncio.timeout(2.0):
            await client.abort_table(made, "a player stopped")
    except (Error, TimeoutError):
        pass


def _name(bot: Bot) -> str:
    return bot.name or type(bot).__name__


async def _all(calls: Iterable[Coroutine[object, object, Outcome]]) -> list[Outcome]:
    """Every outcome in order; the first error ends the other calls and is raised as it is."""
    tasks: list[asyncio.Task[Outcome]] = []
    try:
        async with asyncio.TaskGroup() as group:
            tasks += [group.create_task(call) for call in calls]
    except BaseExceptionGroup as errors:
        first = first_error(errors)
        raise first from first.__cause__
    return [task.result() for task in tasks]
