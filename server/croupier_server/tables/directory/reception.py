"""Where tables are made and seats are taken and left: tickets, invite codes, repeated requests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final, NamedTuple, Protocol

from croupier_server.errors import Exhausted, InvalidRequest, NotAllowed, Reason, Unavailable
from croupier_server.games.base import Seat
from croupier_server.identity.keys import HOUSE
from croupier_server.storage.base import EndedRequest, Player
from croupier_server.tables.caller import LOCAL, Caller
from croupier_server.tables.clocks.clock import FOREVER
from croupier_server.tables.directory import tickets
from croupier_server.tables.directory.allowance import Allowances
from croupier_server.tables.directory.directory import SCANNED_MAX, Directory
from croupier_server.tables.directory.house_seats import HouseSeats
from croupier_server.tables.directory.idempotency import Answers, fingerprint, request_key
from croupier_server.tables.durability.commits import Commits
from croupier_server.tables.durability.restore import Surroundings
from croupier_server.tables.kept import Sitting
from croupier_server.tables.limits import Limits
from croupier_server.tables.match import deals
from croupier_server.tables.match.creation import GameEntry, creation, make_spec
from croupier_server.tables.match.deals import MakeDealer
from croupier_server.tables.match.seats import secret_hash, ticket_hash
from croupier_server.tables.match.table import Table
from croupier_server.tables.match.updates import StreamEnd
from croupier_server.tables.spec import (
    AbsencePolicy,
    Access,
    CreateTable,
    DealKind,
    JoinTable,
    StartMode,
    Status,
    TableSpec,
)

_RETRY_MS: Final = 1_000

HOUSE_KIND: Final = 3
"""``croupier.v1.PlayerKind`` of house bots."""

ABANDONED_MS: Final = 10_000
"""A table at which no seat was heard of for this long gives way on a full server without keys."""


class Created(NamedTuple):
    """A new table. The host ticket and the invite codes are secret and shown once."""

    table: Table
    host_ticket: str
    invite_codes: tuple[str, ...]


class Joined(NamedTuple):
    """A seat taken. The ticket is secret and shown once."""

    table: Table
    seat: Seat
    ticket: str
    epoch: int


class Made(NamedTuple):
    """`Created` as it is kept for a repeated request, which must not keep its table alive. No host
    ticket: it was given out before the server last started, and is known no more."""

    table_id: str
    host_ticket: str
    invite_codes: tuple[str, ...]


class Sat(NamedTuple):
    """`Joined` as it is kept for a repeated request. No ticket: as for `Made`."""

    table_id: str
    seat: Seat
    ticket: str
    epoch: int


class Host(Protocol):
    """What the reception is part of."""

    limits: Limits
    directory: Directory
    commits: Commits

    def now_ms(self) -> int:
        """The time."""
        ...

    def expect_storing(self) -> None:
        """Raise when nothing may happen now."""
        ...

    def done(self, table: Table) -> None:
        """Something happened at *table*."""
        ...


class Reception:
    """Makes tables and gives out their seats.

    Args:
        host: what it is part of.
        secrets: random bytes for tickets, codes and decks.
        ids: ids for tables; never the same one twice.
        games: by number of ``GameKind``.
        house: takes the house seats.
        dealer: makes a table's decks and lots from its root, in place of `deals.RootDealer`.
        endpoint: address that tables name as theirs; empty: the one that was asked.

    Attributes:
        is_closed: an operator wants no new tables.
    """

    def __init__(
        self,
        host: Host,
        *,
        secrets: tickets.Secrets,
        ids: Callable[[], str],
        games: Mapping[int, GameEntry],
        house: HouseSeats,
        dealer: MakeDealer | None = None,
        endpoint: str = "",
    ) -> None:
        self._host = host
        self._secrets = secrets
        self._ids = ids
        self._games = games
        self._house = house
        self._dealer: MakeDealer = dealer or (
            lambda spec, root: deals.RootDealer(root, spec.deal.decks)
        )
        self._endpoint = endpoint
        self._number = 0
        self._looked_at = 0
        self.is_closed = False
        self._created: Answers[Made] = Answers(host.limits.requests_max)
        self._joined: Answers[Sat] = Answers(host.limits.requests_max)
        self._allowances = Allowances(host.limits.rows_per_day, host.now_ms)

    # After a start -------------------------------------------------------------------------------

    def surroundings(self) -> Surroundings:
        """What a table stands on that is taken up again."""
        host = self._host
        return Surroundings(
            games=self._games,
            make_dealer=self._dealer,
            new_secret=self._new_secret,
            outbox=host.commits.outbox,
            away_ms=lambda spec: self._away_ms(spec.absence),
            now_ms=host.now_ms,
            grace_ms=host.limits.reconnect_grace_ms,
            nonce_ms=host.limits.nonce_ms,
        )

    def go_on_from(self, number: int, ended: Iterable[EndedRequest]) -> None:
        """The next table has a number above *number*, and those calls made tables before."""
        self._number = number
        self._created.go_on_from(ended)

    def take_up(self, table: Table) -> None:
        """Remember the calls that made *table* and took its seats. What they were answered is not
        known any more, so that a repeated one gets new secrets."""
        now = self._host.now_ms()
        table_id, made = table.spec.table_id, table.opening.creation
        key = request_key(made.principal, made.request_id)
        self._created.keep(key, made.request, Made(table_id, "", ()), now)
        for seat, state in enumerate(table.seats):
            sat = state.sitting
            if sat is not None:
                answer = Sat(table_id, seat, "", state.epoch)
                key = request_key(sat.principal, sat.request_id)
                self._joined.keep(key, sat.request, answer, now)

    # Tables --------------------------------------------------------------------------------------

    def create_table(self, caller: Caller, request: CreateTable) -> Created:
        """Make a table; *caller* becomes its host.

        Raises:
            InvalidRequest: ``field`` says where.
            NotAllowed: a rated table without a key; BOARD_CONFLICT.
            Conflict: REQUEST_ID_REUSED.
            NotFound: it came before, and its table is gone.
            Exhausted: TOO_MANY_TABLES, TOO_MANY_HOUSE_SEATS, RATE_LIMITED.
            Unavailable: SERVER_DRAINING, TABLE_RECOVERING.
        """
        host = self._host
        now = host.now_ms()
        key, mark = request_key(caller.principal, request.request_id), fingerprint(request)
        before = self._created.find(key, mark, now)
        if before is not None:
            table = host.directory.table(before.table_id)
            if before.host_ticket:
                return Created(table, before.host_ticket, before.invite_codes)
            host.expect_storing()
            with self._charging(caller, table):
                created = self._invite_again(table)
        else:
            if request.request_id:
                host.directory.expect_whole()
                self._created.expect_new(key, mark, now)
            created = self._create(caller, request, mark, now)
        made = Made(created.table.spec.table_id, created.host_ticket, created.invite_codes)
        self._created.keep(key, mark, made, now)
        host.done(created.table)
        return created

    def _create(self, caller: Caller, request: CreateTable, mark: bytes, now: int) -> Created:
        host = self._host
        host.expect_storing()
        if self.is_closed:
            raise Unavailable(
                Reason.SERVER_DRAINING,
                "the server is draining and creates no new tables; retry later",
                retry_ms=_RETRY_MS,
            )
        is_full = host.directory.live >= host.limits.tables_max
        if is_full and not self._make_room(caller, now):
            raise Exhausted(
                Reason.TOO_MANY_TABLES,
                "the server has reached its maximum number of tables",
                retry_ms=_RETRY_MS,
            )
        self._expect_few(caller)
        self._allowances.expect(caller.principal)
        if request.rated and caller.principal == LOCAL:
            raise NotAllowed(
                Reason.PERMISSION_DENIED,
                "a rated table requires a server with keys",
                field="spec.rated",
            )
        table, host_ticket, codes = self._make(caller, request, mark, now)
        self._allowances.charge(caller.principal, table.spec.table_id, table.journal.kept)
        host.directory.add(table)
        self._house.wait(table, codes)
        return Created(table, host_ticket, _shown(table.spec, codes))

    def _make_room(self, caller: Caller, now: int) -> bool:
        """End one table that was abandoned, on a server without keys; whether there was one.

        There nobody can be held to a number of tables of their own, so that one client could fill
        the server. Each call goes on behind the table that the last one looked at.
        """
        if caller.principal != LOCAL:
            return False
        directory = self._host.directory
        tables = [*directory.behind(self._looked_at, SCANNED_MAX)]
        tables += directory.behind(0, SCANNED_MAX - len(tables))
        for table in tables:
            self._looked_at = table.number
            if table.is_abandoned(now, ABANDONED_MS):
                table.abort("abandoned: no seat was connected, and the server was full", now)
                self._host.done(table)
                return True
        return False

    def _expect_few(self, caller: Caller) -> None:
        """Raise if the principal of *caller* has as many tables as one may have, or may have them
        once all are taken up."""
        directory, most = self._host.directory, self._host.limits.own_tables_max
        made = directory.made_by(caller.principal)
        self._expect_room(caller, made, 1, most, Reason.TOO_MANY_TABLES, "live tables")

    def _expect_house_room(self, caller: Caller, spec: TableSpec) -> None:
        """Raise if *spec* would give the principal of *caller* more of the house than one may have:
        the bots of all principals share one process."""
        wanted = spec.house_seats
        if not wanted:
            return
        directory, limits, who = self._host.directory, self._host.limits, caller.principal
        reason = Reason.TOO_MANY_HOUSE_SEATS
        have, most = directory.house_seats_of(who), limits.house_seats_max
        self._expect_room(caller, have, wanted, most, reason, "house bot seats")
        if wanted == len(spec.seats):
            have, most = directory.house_tables_of(who), limits.house_tables_max
            self._expect_room(caller, have, 1, most, reason, "tables with only house bots")

    def _expect_room(
        self, caller: Caller, have: int, wanted: int, most: int, reason: Reason, what: str
    ) -> None:
        """Raise if *caller*, who has *have* of something, may not have *wanted* more, or perhaps
        not once all tables are restored. There is no limit if *most* is 0, or without keys.

        Raises:
            Exhausted: *reason*.
            Unavailable: TABLE_RECOVERING.
        """
        if not most or caller.principal == LOCAL:
            return
        if have + wanted > most:
            raise Exhausted(
                reason,
                f"you have {have} {what} and requested {wanted} more; at most {most} are allowed",
                retry_ms=_RETRY_MS,
            )
        directory = self._host.directory
        if have + wanted + directory.coming * wanted > most:
            directory.expect_whole()

    def _make(
        self, caller: Caller, request: CreateTable, mark: bytes, now: int
    ) -> tuple[Table, str, tuple[str, ...]]:
        """The table with its host ticket and its invite codes."""
        entry = self._games.get(request.kind)
        if entry is None:
            raise InvalidRequest(
                Reason.UNKNOWN_GAME,
                "this server does not have the game; ListGames lists those that it has",
                field="spec.game",
            )
        secret = self._new_secret()
        spec = make_spec(
            entry,
            request,
            table_id=self._ids(),
            secret=secret,
            now=now,
            endpoint=self._endpoint,
        )
        self._expect_house_room(caller, spec)
        if spec.deal.kind is DealKind.BOARD:
            self._host.directory.expect_whole()
            self._host.directory.boards.expect_room(spec, caller.principal)
        host_ticket = tickets.new_ticket(self._secrets)
        codes = self._invite_codes(spec)
        kept = creation(spec, secret)._replace(
            host=ticket_hash(caller.principal, host_ticket),
            invites=_hashes(codes),
            principal=caller.principal,
            request_id=request.request_id,
            request=mark,
        )
        self._number += 1
        table = Table(
            spec,
            entry.game,
            entry.wire,
            creation=kept,
            new_secret=self._new_secret,
            make_dealer=self._dealer,
            outbox=self._host.commits.outbox,
            number=self._number,
            away_ms=self._away_ms(spec.absence),
        )
        return table, host_ticket, codes

    def _invite_again(self, table: Table) -> Created:
        """Give out the secrets of *table* once more: nobody knows the first ones any longer."""
        host_ticket = tickets.new_ticket(self._secrets)
        codes = _shown(table.spec, self._invite_codes(table.spec))
        host = ticket_hash(table.opening.creation.principal, host_ticket)
        if table.seen.status is Status.ENDED:
            table.opening.host = host  # its rows have become a record: none comes behind them
        else:
            table.opening.invite(host, _hashes(codes))
        return Created(table, host_ticket, codes)

    def _invite_codes(self, spec: TableSpec) -> tuple[str, ...]:
        """New invite codes in seat order, empty where a seat is open."""
        return tuple(
            "" if seat.access is Access.OPEN else tickets.new_ticket(self._secrets)
            for seat in spec.seats
        )

    def _new_secret(self) -> bytes:
        return self._secrets(deals.SECRET_BYTES)

    def _away_ms(self, absence: AbsencePolicy) -> int:
        is_minded = absence is AbsencePolicy.FORFEIT or (
            absence is AbsencePolicy.HOUSE_BOT and self._house.is_open
        )
        return self._host.limits.away_ms if is_minded else FOREVER

    def start(self, caller: Caller, table_id: str) -> Table:
        """Start a table by hand.

        Raises:
            NotAllowed: PERMISSION_DENIED, also where there is no such table.
            Conflict: TABLE_NOT_READY, TABLE_STARTED, TABLE_CLOSED.
        """
        table = tickets.hosted(caller, self._host.directory.table, table_id)
        self._host.expect_storing()
        self._start(table, self._host.now_ms())
        self._host.done(table)
        return table

    def _start(self, table: Table, now: int) -> None:
        table.start(now, self._host.limits.nonce_ms)
        self._host.directory.boards.watch(table, (one.principal for one in table.spectators))

    def abort(self, caller: Caller, table_id: str, detail: str) -> Table:
        """Stop a table; its match does not count.

        Raises:
            NotAllowed: PERMISSION_DENIED, also where there is no such table.
            Conflict, TableHalted: it has ended.
        """
        table = tickets.hosted(caller, self._host.directory.table, table_id)
        self._host.expect_storing()
        table.abort(detail, self._host.now_ms())
        self._host.done(table)
        return table

    def forget(self, table: Table) -> None:
        """*table* was given up, so nobody is told again that it was made."""
        self._allowances.forget(table)
        self._created.forget(table.spec.table_id)
        self._joined.forget(table.spec.table_id)

    @contextmanager
    def _charging(self, caller: Caller, table: Table, seat: Seat | None = None) -> Iterator[None]:
        """Charge *caller* for the rows that are written meanwhile; house bots sit for the host."""
        outbox = self._host.commits.outbox
        before = len(outbox)
        yield
        is_house = caller.principal == HOUSE
        payer = table.opening.creation.principal if is_house else caller.principal
        self._allowances.charge(payer, table.spec.table_id, outbox[before:], seat)

    def open_nonce(self, table: Table, seat: Seat, nonce: bytes, next_hash: bytes) -> None:
        """Take a nonce; see `Table.open_nonce`."""
        outbox = self._host.commits.outbox
        before = len(outbox)
        table.open_nonce(seat, nonce, next_hash, self._host.now_ms())
        rows = outbox[before : before + 1]  # what follows from it is the match
        self._allowances.add(table.seats[seat].owner, table.spec.table_id, rows, seat)

    def ended(self, table: Table) -> None:
        """The match of *table* has ended, as far as everybody may know."""
        self._allowances.ended(table)

    def let_go(self, table_id: str) -> None:
        """Nobody is answered for this table any more: all that is still known is that it was made,
        lest a call that comes again makes another one."""
        self._created.let_go(table_id, self._host.now_ms())
        self._joined.forget(table_id)

    # Seats ---------------------------------------------------------------------------------------

    def join(self, caller: Caller, request: JoinTable) -> Joined:
        """Take a seat, or take it again, which supersedes its ticket and ends its streams.

        Raises:
            NotFound: no such table.
            CroupierError: see `tickets.choose_seat`.
            NotAllowed: BOARD_CONFLICT, NONCE_WITHHELD; TICKET_SUPERSEDED if the request came before
                and its seat was left since, or joined again.
            Conflict: REQUEST_ID_REUSED, TOO_MANY_JOINS.
            Exhausted: RATE_LIMITED, before the match has begun.
        """
        host = self._host
        now = host.now_ms()
        key, mark = request_key(caller.principal, request.request_id), fingerprint(request)
        before = self._joined.find(key, mark, now)
        table = host.directory.table(request.table_id, caller, request.invite_code)
        if before is not None:
            seat, state = before.seat, table.seats[before.seat]
            if state.sitting is None or state.epoch != before.epoch:
                raise NotAllowed(
                    Reason.TICKET_SUPERSEDED,
                    "the seat that this request took has since been left or joined again; "
                    "call with a new request_id",
                    field="request_id",
                )
            if before.ticket:
                return Joined(table, seat, before.ticket, before.epoch)
        else:
            is_veiled = host.directory.boards.veils(table, caller)
            most = host.limits.joins_max
            seat = tickets.choose_seat(caller, table, request, most, is_veiled=is_veiled)
            self._expect_unseen(caller, table, seat)
        table.opening.check_sitter(seat, caller.principal)
        if table.status is Status.OPEN and caller.principal != HOUSE:
            self._allowances.expect(caller.principal)
        host.expect_storing()
        state = table.seats[seat]
        is_counted = caller.principal != HOUSE and not tickets.was_relieved(caller, state)
        if is_counted and state.epoch >= host.limits.joins_max:
            raise tickets.too_many_joins()
        ticket = tickets.new_ticket(self._secrets)
        sitting = Sitting(
            ticket=ticket_hash(caller.principal, ticket),
            principal=caller.principal,
            nonce_hash=self._nonce_hash(table, seat, request),
            relieves=state.is_relieved_by(secret_hash(request.invite_code)),
            request_id=request.request_id,
            request=mark,
        )
        with self._charging(caller, table, seat):
            table.join(seat, _player(caller, table, seat, request, sitting), sitting, now)
        watcher = table.seat_watchers[seat]
        if watcher is not None:
            detail = tickets.RELIEVED if sitting.relieves else "the seat was joined again"
            watcher.part(StreamEnd.TICKET_SUPERSEDED, detail)
        is_automatic = table.spec.start_mode is StartMode.AUTOMATIC
        if table.opening.is_full and table.status is Status.OPEN and is_automatic:
            self._start(table, now)
        joined = Joined(table, seat, ticket, state.epoch)
        sat = Sat(request.table_id, seat, ticket, state.epoch)
        self._joined.keep(key, mark, sat, now)
        host.done(table)
        return joined

    @staticmethod
    def _nonce_hash(table: Table, seat: Seat, request: JoinTable) -> bytes:
        """What *seat* promises to mix in. A house bot is the server's own, so its nonce would add
        nothing to the server's secret, and all would wait for it when its process has died."""
        return b"" if table.spec.seats[seat].access is Access.HOUSE else request.nonce_hash

    def _expect_unseen(self, caller: Caller, table: Table, seat: Seat) -> None:
        """Raise if *caller* knows cards of *table*, where it is to get a seat that is not its own:
        it has made, watched or played a table with the same ones."""
        is_own = table.seats[seat].owner == caller.principal
        if table.spec.deal.kind is not DealKind.BOARD or is_own:
            return
        if caller.principal in (LOCAL, HOUSE):
            return
        self._host.directory.expect_whole()
        if self._host.directory.boards.may_not_join(caller.principal, table):
            raise NotAllowed(
                Reason.BOARD_CONFLICT,
                "you have watched a table with the same cards, or created a rated one, so you "
                "cannot sit here; join a table of another board",
            )
        if self._host.directory.boards.has_sat_elsewhere(caller.principal, table):
            raise NotAllowed(
                Reason.BOARD_CONFLICT,
                "you have sat at another table of this board, which has the same cards; join this "
                "one when the board is done, or ask the host for tables with shared_principals",
            )

    def leave(self, caller: Caller, table_id: str) -> None:
        """Leave a seat before the start.

        Raises:
            NotAllowed: TICKET_INVALID, also where there is no such table; TICKET_SUPERSEDED.
            Conflict: TABLE_STARTED, TABLE_CLOSED.
        """
        table, seat = tickets.seat_at(caller, self._host.directory.table, table_id)
        self._host.expect_storing()
        with self._charging(caller, table, seat):
            table.leave(seat, self._host.now_ms())
        watcher = table.seat_watchers[seat]
        if watcher is not None:
            watcher.part(StreamEnd.CLIENT_CLOSED, "the seat was left")
        self._host.done(table)


def _player(
    caller: Caller, table: Table, seat: Seat, request: JoinTable, sitting: Sitting
) -> Player:
    """How *caller* is shown: by its principal where those are verified. House bots act for the
    server, and have none."""
    is_bot = table.spec.seats[seat].access is Access.HOUSE or sitting.relieves
    if is_bot or caller.principal == HOUSE:
        return request.player._replace(kind=HOUSE_KIND)
    return request.player._replace(player_id="" if caller.principal == LOCAL else caller.principal)


def _hashes(codes: Sequence[str]) -> tuple[bytes, ...]:
    return tuple(secret_hash(code) if code else b"" for code in codes)


def _shown(spec: TableSpec, codes: Sequence[str]) -> tuple[str, ...]:
    """Those of *codes* that the host gets; those of house seats are for the house."""
    return tuple(
        "" if seat.access is Access.HOUSE else code
        for seat, code in zip(spec.seats, codes, strict=True)
    )
