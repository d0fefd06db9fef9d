"""What a store must do: the log of live tables, the records of finished matches, keys, audit.

Rows and records are bytes by the time they come here, so a store knows nothing of games. Every
store passes ``tests/conformance/test_every_store.py``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, Protocol

if TYPE_CHECKING:
    from croupier_server.storage.audit import AuditLog
    from croupier_server.storage.keys import KeyStore
    from croupier_server.storage.records import RecordStore

RECORD_FORMAT: Final = 3
"""Version of the layout of records; records of other versions are refused."""

NO_PRIVATE: Final[Mapping[int, bytes]] = MappingProxyType({})
"""The private parts of an event that has none."""


class Deal(NamedTuple):
    """What a table is restored with from the beginning of a deal on.

    Attributes:
        results: of finished deals, as far as no deal before has them.
        carried: all else that the deal takes from what came before; of use as long as it is the
            last deal of its table.
    """

    results: bytes
    carried: bytes


class LogRow(NamedTuple):
    """A row of a table's log.

    Attributes:
        table_id: the table.
        epoch: which life of it.
        sequence: number of the event; 0 for a sealed answer, which is no event of its own, and for
            a note, which has `kept` alone.
        public: serialised ``croupier.v1.TableEvent``, public part; empty without an event.
        private: by seat, a serialised ``croupier.v1.TableEvent`` that holds ``private`` alone.
        input: serialised ``croupier.record.v1.Input``; empty unless this row is the first that an
            input led to.
        kept: what only the server may know of it, to take the table up again after a crash. Never
            sent, and no part of the record: notes are left out of it.
        deal: what is stored for a restart, if a deal begins with this row. A store keeps it apart
            from the row, in `StoredTable`.
    """

    table_id: str
    epoch: int
    sequence: int
    public: bytes
    private: Mapping[int, bytes] = NO_PRIVATE
    input: bytes = b""
    kept: bytes = b""
    deal: Deal | None = None


class StoredDeal(NamedTuple):
    """Where a deal of a live table begins.

    Attributes:
        sequence: number of its first event.
        results: see `Deal`.
    """

    sequence: int
    results: bytes


class StoredTable(NamedTuple):
    """A live table as the store has it.

    Attributes:
        table_id: the table.
        epoch: of the table now; restoring a backup raises it above that of the rows.
        first: the row of its making.
        deals: those that began with a row that has `LogRow.deal`, in order.
        carried: see `Deal`; of the last of them, or empty.
        rows: those from the beginning of the last deal but one on; all, if `deals` has fewer than
            two.
    """

    table_id: str
    epoch: int
    first: LogRow
    deals: Sequence[StoredDeal]
    carried: bytes
    rows: Sequence[LogRow]


Done = Callable[[Exception | None], None]
"""Called once, on the event loop's thread, when something is stored, or with why it never will
be."""


class AbandonedSecret(NamedTuple):
    """What a withheld nonce made void; see ``croupier.record.v1.AbandonedSecret``."""

    secret: bytes = b""
    nonces: tuple[bytes, ...] = ()


class Reveal(NamedTuple):
    """The secrets of a finished match; see ``croupier.record.v1.Reveal``."""

    secret: bytes = b""
    nonces: tuple[bytes, ...] = ()
    root: bytes = b""
    seed: int | None = None
    abandoned: tuple[AbandonedSecret, ...] = ()
    decks: tuple[bytes, ...] = ()


class Player(NamedTuple):
    """Who plays; see ``croupier.v1.Player``.

    Attributes:
        display_name: name for people; empty: nobody.
        player_id: the verified principal; empty for house bots and without keys.
        kind: number of its ``PlayerKind``.
        version: name and version of the program.
    """

    display_name: str = ""
    player_id: str = ""
    kind: int = 0
    version: str = ""


class EndedRequest(NamedTuple):
    """A call with a ``request_id`` that made a table, which has ended: the same call is not to make
    another one.

    Attributes:
        key: hash of who called, and of the ``request_id``.
        request: hash of the call.
        table_id: the table.
        ended_ms: when its match ended.
    """

    key: bytes
    request: bytes
    table_id: str
    ended_ms: int


class FinishedMatch(NamedTuple):
    """All that a record is made of, but for the table's rows.

    Attributes:
        table_id: the table.
        kind: number of the game's ``GameKind``.
        table: serialised ``croupier.v1.Table`` as it was created.
        option_text: every option as text, by name.
        reveal: the secrets.
        result: serialised ``croupier.v1.MatchResult``.
        players: in seat order.
        ended_ms: when it ended.
        board: commitment of the board whose tables are revealed together; empty: of none.
        board_tables: so many tables that board has.
        board_rated: whether they are rated.
        board_shared: whether one principal may sit at several of them.
        sat: principals who sat at it. Kept until the board is done, and in no record.
        watched: principals who watched it; the same.
        request_key: of the call that made the table; see `EndedRequest`.
        request: the same.
        readers: who may read its record, as `tickets.proofs` names them; None: everybody.
        leaves_record: whether it gets a record; False: nothing is left of it but what the store has
            to know of `request_key`, and its board goes on without it.
    """

    table_id: str
    kind: int
    table: bytes
    option_text: Mapping[str, str]
    reveal: Reveal
    result: bytes
    players: tuple[Player, ...]
    ended_ms: int
    board: bytes = b""
    board_tables: int = 1
    board_rated: bool = False
    board_shared: bool = False
    sat: tuple[str, ...] = ()
    watched: tuple[str, ...] = ()
    request_key: bytes = b""
    request: bytes = b""
    readers: tuple[str, ...] | None = None
    leaves_record: bool = True

    @property
    def ended_request(self) -> EndedRequest | None:
        """The call that made the table; None: it had no ``request_id``."""
        if not self.request_key:
            return None
        return EndedRequest(self.request_key, self.request, self.table_id, self.ended_ms)


class BoardTable(NamedTuple):
    """A table that has ended, of a board that has others still to end.

    Attributes:
        board: commitment of the board.
        table_id: the table.
        sat: principals who sat at it.
        watched: principals who watched it.
        tables: so many tables the board has.
        rated: whether they are rated.
        shared: whether one principal may sit at several of them.
    """

    board: bytes
    table_id: str
    sat: tuple[str, ...]
    watched: tuple[str, ...]
    tables: int
    rated: bool = False
    shared: bool = False


ENDED_REQUESTS_MAX: Final = 4_096
"""So many `EndedRequest` are known, the newest: calls that are repeated come soon."""


class NoRows(Exception):
    """A match is finished that has no rows: it was finished before."""


class Superseded(Exception):
    """What we had stored last is not the last word of the store any more."""


class FilesReplaced(Exception):
    """A file of the store was removed or replaced while it was open; the text is one line."""


class TableLog(Protocol):
    """The append-only log of all tables."""

    @property
    def trouble(self) -> str:
        """Why nothing can be stored now; empty when all is well."""
        ...

    @property
    def gone(self) -> Exception | None:
        """Why nothing will ever be stored again: `Superseded`, `FilesReplaced`, or a mistake of
        ours. None: it will be, or the log was closed. Such a log is in trouble too."""
        ...

    def watch(self, changed: Callable[[], None]) -> None:
        """Have *changed* called on the event loop's thread whenever `trouble` or `gone` has
        changed."""
        ...

    def append(self, rows: Sequence[LogRow], done: Done) -> None:
        """Store *rows* exactly once, all or none, after everything appended before; then call
        *done*.

        While it cannot, as the disk is full or the connection lost, it keeps them and tries again.
        *done* is called at once or later, in the order of the appends; with an error only when the
        rows never will be stored: they are to blame themselves, the store was closed, or it is
        `gone`. A log has no gaps: of a table with rows that never will be stored, later rows are
        left out, and the append of nothing else fails too.
        """
        ...

    def finish(self, match: FinishedMatch, done: Done) -> None:
        """Make the record of *match* from the rows appended before, keep it, and let go of them.
        Where it leaves no record they are only let go of.

        The record is shown at once, or with the last table of its board. An error of *done* means
        that the rows are kept instead, or `NoRows`.
        """
        ...

    async def tables(self) -> Sequence[str]:
        """Ids of all tables with rows, in the order of their first append."""
        ...

    async def board_tables(self) -> Sequence[BoardTable]:
        """Tables that have ended, of boards that are not done, in the order of their ends."""
        ...

    async def ended_requests(self) -> Sequence[EndedRequest]:
        """Calls that made tables which have ended, in the order of their ends; the newest
        `ENDED_REQUESTS_MAX`."""
        ...

    async def load(self, table_id: str) -> StoredTable | None:
        """All that is needed to take a table up again; None: it has no rows."""
        ...

    async def read(self, table_id: str) -> Sequence[LogRow]:
        """All stored rows of a table in the order of their appending, without `LogRow.deal`; none
        of a table that is not there."""
        ...

    async def close(self) -> None:
        """Wait until everything appended is stored, or will not be, and let go of the store."""
        ...


class RecordEntry(NamedTuple):
    """A stored record: what lists say of it, and where it stands among all records.

    Attributes:
        position: rises with each record shown, from 1; never used again.
        table_id: the table of the match.
        kind: number of the game's ``GameKind``.
        players: in seat order.
        result: serialised ``croupier.v1.MatchResult``.
        ended_ms: when it ended.
        record: serialised ``croupier.record.v1.Record``; empty in lists.
        voided: an operator has said that the match does not count.
        readers: who may read it; see `FinishedMatch.readers`.
        is_voiding: this is not the record but the news, at a position of its own, that it was
            voided after it had been shown; `record` is empty.
    """

    position: int
    table_id: str
    kind: int
    players: tuple[Player, ...]
    result: bytes
    ended_ms: int
    record: bytes
    voided: bool = False
    readers: tuple[str, ...] | None = None
    is_voiding: bool = False


class StoredKey(NamedTuple):
    """An API key, of which only a hash is kept.

    Attributes:
        key_id: its public name.
        principal: who calls with it.
        scopes: what it may do.
        hash: of its secret.
        created_ms: when it was made.
        expires_ms: when it stops to work; None: never.
        revoked_ms: when it was revoked; None: it was not.
        note: what it is for, in its maker's words.
    """

    key_id: str
    principal: str
    scopes: frozenset[str]
    hash: bytes
    created_ms: int
    expires_ms: int | None = None
    revoked_ms: int | None = None
    note: str = ""


class KeyExists(Exception):
    """There is a key of this id already."""


class AuditEntry(NamedTuple):
    """Something that an operator did; see ``croupier.admin.v1.AuditEntry``."""

    time_ms: int
    principal: str
    action: str
    subject: str
    detail: str
    outcome: str


Durability = Literal["power", "process"]
"""What survives: ``power``: what was stored, a power cut; ``process``: only the end of the process,
at less cost."""


class StoreError(Exception):
    """A store that cannot be opened; the text is one line that says why."""


class Store(NamedTuple):
    """All that a server keeps, in one place.

    Attributes:
        log: the log of live tables.
        records: the finished matches.
        keys: the API keys.
        audit: what operators did.
        name: ``memory``, ``sqlite`` or ``postgresql``.
        shut: lets go of the rest, after the log is closed.
    """

    log: TableLog
    records: RecordStore
    keys: KeyStore
    audit: AuditLog
    name: str
    shut: Callable[[], Awaitable[None]]

    async def close(self) -> None:
        """Wait until everything appended is stored, and let go of files and connections."""
        await self.log.close()
        await self.shut()
