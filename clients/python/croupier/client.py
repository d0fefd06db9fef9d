"""The asynchronous client: make and join tables, and have bots play the seats.

`croupier.run` is built on this; use it directly when a program plays many tables, or hosts them.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import TracebackType
from typing import Any, Final, Literal, Self, TypeAlias, get_args

import grpc
from google.protobuf.message import Message

from croupier.arms import move_of
from croupier.background import Background
from croupier.bot import Bot
from croupier.clock import AbsencePolicy, Clock, absence_policy
from croupier.comeback import Carrier, Comebacks
from croupier.connection import DEFAULT_ADDRESS, PATIENCE_SECONDS, Backoff, Connection
from croupier.credentials import Credentials
from croupier.errors import Error, NotFound, TableMoved, UsageError, from_rpc_error
from croupier.games import FIRST
from croupier.moves import Move
from croupier.nonces import NONCE_BYTES, nonce_hash
from croupier.options import OptionValue, game_kind, options_message
from croupier.randomness import SeatRandom
from croupier.record.v1 import record_pb2, record_service_pb2
from croupier.records import fetch_record
from croupier.results import Result, make_result
from croupier.seat import Seat, Ticket, Workplace
from croupier.session import Session
from croupier.threads import Threads
from croupier.v1 import (
    catalog_service_pb2,
    game_pb2,
    play_service_pb2,
    seat_service_pb2,
    spectate_service_pb2,
    system_service_pb2,
    table_pb2,
    table_service_pb2,
)
from croupier.watch import Watches

__all__ = ["Client", "NewTable", "Transport", "connect"]

Transport: TypeAlias = Literal["session", "watch"]
"""How updates travel: many seats on one stream, or a stream a seat and a call a move."""

DealResult: TypeAlias = Any
"""How a deal ended; a message of its game, such as a ``TractorDealResult``."""

_ResultsPage: TypeAlias = (
    play_service_pb2.ListDealResultsResponse | spectate_service_pb2.ListPublicDealResultsResponse
)

Kind: TypeAlias = Literal["bot", "human"]
"""What plays a seat."""

Start: TypeAlias = Literal["automatic", "manual"]
"""When a table starts once all its seats are taken: at once, or with `Client.start_table`."""

Visibility: TypeAlias = Literal["listed", "unlisted", "private"]
"""Who can find a table: everybody, whoever knows its id, or only its host, its seats and callers
with an invite code."""

LegalListing: TypeAlias = Literal["full", "summary", "off"]
"""How much of the legal moves a decision carries."""

NAME: Final = "croupier-python/0.1"
THREADS_MAX: Final = 1024
_SILENT_HEARTBEATS: Final = 3
_SILENCE_SECONDS_MIN: Final = 10.0
_SERVERS_MAX: Final = 16
"""Servers that one match may be at; two that name each other are not followed for ever."""


@dataclass(frozen=True, slots=True)
class NewTable:
    """A table that we made.

    Attributes:
        table: the table.
        host_ticket: the right to start and stop it.
        invites: invite code of each seat that is reserved, by seat.
    """

    table: table_pb2.Table
    host_ticket: str = field(repr=False)
    invites: Mapping[int, str] = field(repr=False)

    @property
    def table_id(self) -> str:
        """The table's id."""
        return self.table.table_id


class Client:
    """A connection to one server, to be used as ``async with croupier.Client(address) as client``.

    Args:
        address: host and port.
        transport: ``session`` (fast) or ``watch`` (one stream a seat, one call a move).
        seed: where the chance of bots comes from; not given: from the system.
        patience: seconds for which a lost connection is tried again before giving up.
        credentials: key and certificates; None: what the environment says, see
            `croupier.credentials`.
        endpoints: addresses of other servers to which a table may send us; the same credentials are
            used there. The host of *address* is allowed at any port.

    Raises (on entering):
        ConnectionFailed: no server answers there.
        NotAllowed: the key is not good.
        UsageError: the key would be sent unencrypted to another machine.
    """

    def __init__(
        self,
        address: str = DEFAULT_ADDRESS,
        *,
        transport: Transport = "session",
        seed: int | str | None = None,
        patience: float = PATIENCE_SECONDS,
        credentials: Credentials | None = None,
        endpoints: Collection[str] = (),
    ) -> None:
        if transport not in ("session", "watch"):
            raise UsageError(f"there is no transport {transport!r}; use 'session' or 'watch'")
        self.address = address
        self.seed = secrets.token_hex(16) if seed is None else seed
        self._transport = transport
        self._patience = patience
        self._credentials = credentials
        self._endpoints = frozenset(endpoints)
        self._threads = Threads(THREADS_MAX)
        self._connections: dict[str, Connection] = {}
        self._carriers: dict[str, Carrier] = {}
        self._background = Background()
        self._comebacks = Comebacks()
        self._info: system_service_pb2.GetServerInfoResponse | None = None

    async def __aenter__(self) -> Self:
        connection = self._connection(self.address)
        try:
            self._info = await connection.hello()
            await self._background.open()
        except BaseException:
            await connection.close()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            await self._background.close()
        finally:
            self._threads.close()
            for connection in self._connections.values():
                await connection.close()

    @property
    def info(self) -> system_service_pb2.GetServerInfoResponse:
        """What the server said of itself when the client connected."""
        if self._info is None:
            raise UsageError("use the client as `async with croupier.Client(...) as client`")
        return self._info

    def _connection(self, address: str) -> Connection:
        connection = self._connections.get(address)
        if connection is None:
            connection = self._connections[address] = Connection(
                address, self._patience, self._credentials
            )
        return connection

    @property
    def _main(self) -> Connection:
        return self._connections[self.address]

    # Tables --------------------------------------------------------------------------------------
    async def create_table(
        self,
        game: str = FIRST,
        *,
        ruleset: str = "",
        options: Mapping[str, OptionValue] | Message | None = None,
        seats: Sequence[str] = (),
        clock: Clock | table_pb2.ClockSpec | None = None,
        legal_mode: LegalListing = "full",
        absence: AbsencePolicy = "wait",
        spectator_delay: table_pb2.SpectatorDelay | None = None,
        deal: table_pb2.DealSource | None = None,
        title: str = "",
        shared_seats: bool = False,
        rated: bool = False,
        visibility: Visibility = "listed",
        start: Start = "automatic",
    ) -> NewTable:
        """Make a table.

        Args:
            game: its name.
            ruleset: the ruleset; empty: the default.
            options: what differs from the ruleset, as text or typed.
            seats: for each seat in order ``open``, ``reserved``, the name of a house bot, or
                ``@NAME`` to reserve it for the principal of that name, whose key alone opens it;
                seats left out are open.
            clock: the clock; None: no clock.
            legal_mode: how much of the legal moves each decision carries: ``full``, ``summary`` or
                ``off``. Less of it saves bytes for bots that find their moves themselves; others
                pay for it with a call a decision, as ``decision.legal`` then asks for them.
            absence: what happens when a seat is away for as long as the server's ``away_ms``:
                the table waits, a house bot plays until its player is back, or it forfeits.
                Whoever is to come back needs a *patience* longer than it is away.
            spectator_delay: how far everybody but the seats stays behind; None: not at all.
            deal: where the cards come from; None: the server's secret and every seat's nonce.
            title: for people.
            shared_seats: whether one caller may hold several seats.
            rated: whether results count; needs keys, one for each seat.
            visibility: who can find it: ``listed``, ``unlisted`` or ``private``.
            start: ``automatic`` starts it when all seats are taken; ``manual`` waits for
                `start_table`.

        Raises:
            Refused: the server does not make such a table.
            UsageError: no such game or option, an invalid clock, or another word.
        """
        spec = table_pb2.TableSpec(
            game=game_kind(game),
            ruleset=ruleset,
            options=options_message(game, options),
            clock=clock.message() if isinstance(clock, Clock) else clock,
            deal_source=deal,
            legal_mode=_legal_mode(legal_mode),
            absence=absence_policy(absence),
            rated=rated,
            shared_seats=shared_seats,
            start_mode=table_pb2.StartMode.Value(f"START_MODE_{_word('start', start, Start)}"),
            visibility=table_pb2.Visibility.Value(
                f"VISIBILITY_{_word('visibility', visibility, Visibility)}"
            ),
            spectator_delay=spectator_delay,
            title=title,
        )
        if isinstance(seats, str):
            raise UsageError(f"seats is a list with a word for each seat, not {seats!r}")
        request = table_service_pb2.CreateTableRequest(
            request_id=secrets.token_hex(16),
            spec=spec,
            seats=[_seat_spec(seat) for seat in seats],
        )
        made = await self._main.call(self._main.tables.CreateTable, request)
        return NewTable(made.table, made.host_ticket, {one.seat: one.code for one in made.invites})

    async def get_table(self, table_id: str, *, invite: str = "") -> table_pb2.Table:
        """A table as everybody may see it; a private one takes an invite code.

        Raises:
            NotFound: there is none of that id.
        """
        request = table_service_pb2.GetTableRequest(table_id=table_id)
        return (await self._main.call(self._main.tables.GetTable, request, invite=invite)).table

    async def tables(self) -> AsyncIterator[table_pb2.Table]:
        """Every listed table, newest first."""
        token = ""
        while True:
            request = table_service_pb2.ListTablesRequest(page_token=token)
            page = await self._main.call(self._main.tables.ListTables, request)
            for table in page.tables:
                yield table
            token = page.next_page_token
            if not token:
                return

    async def start_table(self, made: NewTable) -> table_pb2.Table:
        """Start a table that was made with ``start="manual"``."""
        request = table_service_pb2.StartTableRequest(table_id=made.table_id)
        method = self._main.tables.StartTable
        return (await self._main.call(method, request, host_ticket=made.host_ticket)).table

    async def abort_table(self, made: NewTable, detail: str = "") -> table_pb2.Table:
        """Stop a table of ours; its match does not count."""
        request = table_service_pb2.AbortTableRequest(table_id=made.table_id, detail=detail)
        method = self._main.tables.AbortTable
        return (await self._main.call(method, request, host_ticket=made.host_ticket)).table

    async def players(self, game: str, ruleset: str = "", options: Message | None = None) -> int:
        """Number of seats that a table with these options has."""
        asked = options_message(game, options)
        own: Message = getattr(asked, game)
        if "players" not in own.DESCRIPTOR.fields_by_name:
            return await self._seats(game)
        if own.HasField("players"):
            return int(getattr(asked, game).players)
        request = catalog_service_pb2.GetRulesetRequest(game=game_kind(game), ruleset=ruleset)
        found = await self._main.call(self._main.catalog.GetRuleset, request)
        return int(getattr(found.values, game).players)

    async def _seats(self, game: str) -> int:
        """Number of seats of a game that is always played by as many.

        Raises:
            UsageError: the server does not have the game.
        """
        kind, token = game_kind(game), ""
        while True:
            request = catalog_service_pb2.ListGamesRequest(page_token=token)
            page = await self._main.call(self._main.catalog.ListGames, request)
            for found in page.games:
                if found.game == kind:
                    return found.seats_max
            token = page.next_page_token
            if not token:
                raise UsageError(f"this server does not have the game {game!r}")

    # Seats ---------------------------------------------------------------------------------------
    async def join(
        self,
        table_id: str,
        *,
        seat: int | None = None,
        invite: str = "",
        player: str = "",
        kind: Kind = "bot",
        version: str = NAME,
        replace_ticket: bool = False,
    ) -> Ticket:
        """Take a seat. Whoever joins again with the seat's invite code takes it over.

        Args:
            table_id: the table.
            seat: the seat; None: that of the invite code, the first that is reserved for our key,
                or the first open one.
            invite: code of a seat that is reserved.
            player: name shown to everybody.
            kind: what plays, ``bot`` or ``human``; shown to everybody.
            version: name and version of the program; shown to everybody.
            replace_ticket: whether our key holds *seat* already and its ticket was lost: the old
                ticket stops working.

        Raises:
            NotFound: there is no such table.
            Conflict: the seat is taken, or the table is full or closed.
            NotAllowed: the seat is reserved for somebody else.
        """
        nonce = secrets.token_bytes(NONCE_BYTES)
        who = table_pb2.Player(
            display_name=player,
            kind=table_pb2.PlayerKind.Value(f"PLAYER_KIND_{_word('kind', kind, Kind)}"),
            version=version,
        )
        request = table_service_pb2.JoinTableRequest(
            request_id=secrets.token_hex(16),
            table_id=table_id,
            seat=seat,
            invite_code=invite,
            player=who,
            nonce_hash=nonce_hash(nonce),
            replace_ticket=replace_ticket,
        )
        got = await self._main.call(self._main.tables.JoinTable, request)
        return Ticket(got.table, got.seat, got.seat_epoch, got.ticket, nonce, who)

    @contextlib.asynccontextmanager
    async def watch_seats(
        self, request: seat_service_pb2.WatchSeatsRequest
    ) -> AsyncIterator[AsyncIterator[seat_service_pb2.WatchSeatsResponse]]:
        """One stream of the seats that our key holds; see ``SeatService.WatchSeats``.

        It ends without an error when the server is silent for too long.

        Raises (while it is read):
            Refused: it was refused, or the connection broke.
        """
        with self._main.streams.stream() as stubs:
            call = stubs.seats.WatchSeats(request)
            try:
                reading = _read_until_silent(call, self._silence_seconds)
                async with contextlib.aclosing(reading) as updates:
                    yield updates
            finally:
                call.cancel()

    def backoff(self) -> Backoff:
        """Pauses for whoever opens a stream again and again."""
        return self._main.backoff()

    async def play(self, bot: Bot, ticket: Ticket, *, seed: int | str | None = None) -> Result:
        """Have *bot* play a seat to the end of its match.

        Args:
            bot: who plays.
            ticket: the seat, from `join`.
            seed: where the bot's chance comes from, if not from the client's seed and the table's
                id; with it the bot chooses the same when the same cards are played again elsewhere.

        Raises:
            BotError: the bot raised or answered something that is no move.
            IllegalMove: the bot gave a move that the rules forbid.
            SeatLost: somebody else took the seat over.
            TableMoved: the table is at a server that is not among our endpoints.
            NotAllowed: the key is good no longer.
            ConnectionFailed: the server could not be reached for too long.
        """
        workplace = Workplace(asyncio.get_running_loop(), self._background, self._threads)
        if seed is None:
            source = SeatRandom(self.seed, ticket.table_id, ticket.seat)
        else:
            source = SeatRandom(seed, "", ticket.seat)
        address = self._allowed(ticket.table.endpoint or self.address)

        async def list_legal(ticket: Ticket, decision_id: str) -> game_pb2.LegalMoves:
            return await _list_legal(self._connection(address), ticket, decision_id)

        seat = Seat(ticket, bot, source, workplace, list_legal)
        await seat.call_hook(bot.on_start, ticket.table, ticket.seat)
        message, has_ended, servers = None, False, 0
        while not has_ended:
            carrier, connection = self._carrier(address), self._connection(address)
            servers += 1
            try:
                message = await self._comebacks.play(seat, carrier, connection)
                has_ended = True
            except TableMoved as moved:
                if servers == _SERVERS_MAX:
                    raise
                address = self._allowed(moved.endpoint)
                seat.go_on()
        if message is None:
            message = await self._result(self._connection(address), ticket)
        result = make_result(
            message, ticket.table_id, ticket.seat, seat.name, seat.decisions, seat.nonces.last
        )
        await seat.call_hook(bot.on_end, result)
        return result

    def _allowed(self, address: str) -> str:
        """*address*, which a server named, if the key and the tickets may be sent there: to the
        host of our own address, or to what the user allowed.

        Raises:
            TableMoved: they may not.
        """
        if address in self._endpoints or _host(address) == _host(self.address):
            return address
        raise TableMoved(address)

    async def _result(self, connection: Connection, ticket: Ticket) -> game_pb2.MatchResult:
        """The result of the match of *ticket*, which ended while we did not look: from the table or
        its record.

        Raises:
            Error: it has none, or none that is shown.
        """
        table_id = ticket.table_id
        try:
            request = table_service_pb2.GetTableRequest(table_id=table_id)
            method = connection.tables.GetTable
            table = (await connection.call(method, request, ticket=self._secret(ticket))).table
            if table.HasField("result"):
                return table.result
        except NotFound:
            wanted = record_service_pb2.GetRecordRequest(table_id=table_id)
            with contextlib.suppress(NotFound):
                get: Any = partial(fetch_record, connection.records)
                data = await connection.call(get, wanted, ticket=self._secret(ticket))
                return record_pb2.MatchRecord.FromString(data).result
        raise Error(f"table {table_id} ended without a result")

    def _carrier(self, address: str) -> Carrier:
        """The transport to *address*, made when it is first needed."""
        carrier = self._carriers.get(address)
        if carrier is not None:
            return carrier
        connection = self._connection(address)
        if self._transport == "watch":
            carrier = Watches(connection, self._background, self._silence_seconds)
        else:
            loop = asyncio.get_running_loop()
            mode = table_pb2.VIEW_MODE_FULL
            if self.info.capabilities.view_delta:
                mode = table_pb2.VIEW_MODE_DELTA
            session = Session(connection, NAME, loop, self._silence_seconds, mode)
            self._background.start(session.run())
            carrier = session
        self._carriers[address] = carrier
        return carrier

    @property
    def _silence_seconds(self) -> float:
        """A stream that has been silent for so long is lost."""
        beat = self.info.heartbeat_interval
        seconds = beat.seconds + beat.nanos / 1e9
        return max(_SILENT_HEARTBEATS * seconds, _SILENCE_SECONDS_MIN)

    def _secret(self, ticket: Ticket) -> str:
        """What the seat of *ticket*, which may have been lost and taken back, is held by now."""
        return self._comebacks.secret(ticket)

    async def concede(self, ticket: Ticket) -> bool:
        """Give the match up; returns whether it has ended (otherwise partners must agree)."""
        request = play_service_pb2.ConcedeRequest(table_id=ticket.table_id)
        method = self._main.play.Concede
        return (await self._main.call(method, request, ticket=self._secret(ticket))).ended

    async def leave(self, ticket: Ticket) -> None:
        """Leave a seat before the match starts."""
        request = table_service_pb2.LeaveTableRequest(table_id=ticket.table_id)
        await self._main.call(self._main.tables.LeaveTable, request, ticket=self._secret(ticket))

    async def legal_moves(self, ticket: Ticket, decision_id: str) -> AsyncIterator[Move]:
        """Every legal move of an open decision, each once, whatever the decision itself lists."""
        token = ""
        while True:
            request = play_service_pb2.ListLegalMovesRequest(
                table_id=ticket.table_id, decision_id=decision_id, page_token=token
            )
            method = self._main.play.ListLegalMoves
            page = await self._main.call(method, request, ticket=self._secret(ticket))
            for listed in page.moves:
                yield move_of(listed)
            token = page.next_page_token
            if not token:
                return

    async def deal_results(self, of: Ticket | str) -> list[DealResult]:
        """Results of all finished deals of a match, each a message of its game.

        Args:
            of: the ticket of a seat; or the id of a table, for what spectators see.
        """
        if isinstance(of, Ticket):
            table_id, secret = of.table_id, self._secret(of)
        else:
            table_id, secret = of, ""
        found: list[DealResult] = []
        token = ""
        while True:
            page = await self._deal_results(table_id, secret, token)
            found += [getattr(one, one.WhichOneof("game") or "") for one in page.results]
            token = page.next_page_token
            if not token:
                return found

    async def _deal_results(self, table_id: str, secret: str, token: str) -> _ResultsPage:
        if not secret:
            asked = spectate_service_pb2.ListPublicDealResultsRequest(
                table_id=table_id, page_token=token
            )
            return await self._main.call(self._main.spectate.ListPublicDealResults, asked)
        request = play_service_pb2.ListDealResultsRequest(table_id=table_id, page_token=token)
        return await self._main.call(self._main.play.ListDealResults, request, ticket=secret)

    async def check_move(
        self, ticket: Ticket, decision_id: str, move: Move
    ) -> play_service_pb2.CheckMoveResponse:
        """Whether a move would be accepted, or the reason and rule clause why not."""
        request = play_service_pb2.CheckMoveRequest(
            table_id=ticket.table_id, decision_id=decision_id, move=move.message
        )
        return await self._main.call(
            self._main.play.CheckMove, request, ticket=self._secret(ticket)
        )


def _legal_mode(word: LegalListing) -> table_pb2.LegalMode.ValueType:
    """The mode of that name.

    Raises:
        UsageError: there is none.
    """
    return table_pb2.LegalMode.Value(f"LEGAL_MODE_{_word('legal_mode', word, LegalListing)}")


def _word(name: str, word: str, words: object) -> str:
    """*word* in capitals, if it is one of the literals *words* that the argument *name* allows.

    Raises:
        UsageError: it is not.
    """
    if word not in get_args(words):
        raise UsageError(f"{name} is {word!r}; it must be {' or '.join(get_args(words))}")
    return word.upper()


async def _read_until_silent(
    call: grpc.aio.UnaryStreamCall[Any, seat_service_pb2.WatchSeatsResponse], seconds: float
) -> AsyncGenerator[seat_service_pb2.WatchSeatsResponse, None]:
    """What *call* brings, until it ends or nothing comes for *seconds*.

    Raises:
        Refused: it was refused, or broke.
    """
    while True:
        try:
            async with asyncio.timeout(seconds):
                message = await call.read()
        except grpc.aio.AioRpcError as error:
            raise from_rpc_error(error) from None
        except TimeoutError:
            return
        except asyncio.CancelledError:
            # A call that the far side cancelled raises this too.
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            return
        if not isinstance(message, seat_service_pb2.WatchSeatsResponse):
            return
        yield message


def _host(address: str) -> str:
    """The host of *address*, without the port and in one spelling."""
    return address.rpartition(":")[0].strip("[]").lower()


async def _list_legal(
    connection: Connection, ticket: Ticket, decision_id: str
) -> game_pb2.LegalMoves:
    """The legal moves of a decision, as a table that lists them would."""
    request = play_service_pb2.GetLegalMovesRequest(
        table_id=ticket.table_id, decision_id=decision_id
    )
    method = connection.play.GetLegalMoves
    return (await connection.call(method, request, ticket=ticket.secret)).legal


def _seat_spec(word: str) -> table_service_pb2.SeatSpec:
    """``open``, ``reserved``, ``@`` and a principal, or the name of a house bot."""
    if word.startswith("@"):
        player = table_pb2.Player(player_id=word[1:])
        return table_service_pb2.SeatSpec(access=table_pb2.SEAT_ACCESS_RESERVED, player=player)
    match word:
        case "open":
            return table_service_pb2.SeatSpec(access=table_pb2.SEAT_ACCESS_OPEN)
        case "reserved":
            return table_service_pb2.SeatSpec(access=table_pb2.SEAT_ACCESS_RESERVED)
        case bot:
            if bot.lower() in ("open", "reserved"):
                raise UsageError(f"write {bot.lower()!r} for {bot!r}")
            return table_service_pb2.SeatSpec(access=table_pb2.SEAT_ACCESS_HOUSE, house_bot=bot)


def connect(
    address: str = DEFAULT_ADDRESS,
    *,
    key: str | None = None,
    tls: bool | None = None,
    ca: str | None = None,
    cert: str | None = None,
    cert_key: str | None = None,
    transport: Transport = "session",
    seed: int | str | None = None,
    patience: float = PATIENCE_SECONDS,
    endpoints: Collection[str] = (),
) -> Client:
    """A `Client` with a key and certificates: ``async with croupier.connect(...) as client``.

    Args:
        address: host and port.
        key: the API key.
        tls: whether to encrypt; not given: if there is one of the files below.
        ca: PEM file of the authorities that the server's certificate may be from.
        cert: PEM file of a certificate of our own.
        cert_key: PEM file of its private key.
        transport: see `Client`.
        seed: see `Client`.
        patience: see `Client`.
        endpoints: see `Client`.

    What is not given comes from the environment, see `croupier.credentials`.

    Raises:
        UsageError: the arguments do not fit together, or a file cannot be read.
    """
    credentials = Credentials.from_environment().but(
        key=key, tls=tls, ca=ca, cert=cert, cert_key=cert_key
    )
    return Client(
        address,
        transport=transport,
        seed=seed,
        patience=patience,
        credentials=credentials,
        endpoints=endpoints,
    )
