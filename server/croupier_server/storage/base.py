"""What a store must do: the log of live tables and the records of finished matches.

Rows and records are bytes by the time they come here, so a store knows nothing of games. Every
store passes ``tests/conformance/test_every_store.py``.

Must not be put here: a store, and how rows are made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple, Protocol

NO_PRIVATE: Final[Mapping[int, bytes]] = MappingProxyType({})
"""The private parts of an event that has none."""


class LogRow(NamedTuple):
    """A row of a table's log.

    Attributes:
        table_id: the table.
        epoch: which life of it.
        sequence: number of the event; 0 for a sealed answer, which is no event of its own.
        public: serialised ``croupier.v1.TableEvent``, public part; empty for a sealed answer.
        private: by seat, a serialised ``croupier.v1.TableEvent`` that holds ``private`` alone.
        input: serialised ``croupier.record.v1.Input``; empty unless this row is the first that an
            input led to.
    """

    table_id: str
    epoch: int
    sequence: int
    public: bytes
    private: Mapping[int, bytes] = NO_PRIVATE
    input: bytes = b""


Done = Callable[[Exception | None], None]
"""Called once when rows are stored, or with what went wrong."""


class TableLog(Protocol):
    """The append-only log of all tables."""

    def append(self, rows: Sequence[LogRow], done: Done) -> None:
        """Store *rows*, all or none, after everything appended before; then call *done*.

        *done* is called on the event loop's thread, at once or later, in the order of the appends.
        """
        ...

    def read(self, table_id: str, after: int = 0) -> Iterator[LogRow]:
        """Stored rows of a table in the order of their appending, from the first on.

        Args:
            table_id: the table; an unknown one has no rows.
            after: rows up to and with the event of this number are left out, together with the
                sealed answers before it.
        """
        ...

    def tables(self) -> tuple[str, ...]:
        """Ids of all tables with rows, in the order of their first append."""
        ...

    def forget(self, table_id: str) -> None:
        """Drop the rows of a table whose record is kept, or that never began."""
        ...


class Reveal(NamedTuple):
    """The secrets of a finished match; see ``croupier.record.v1.Reveal``."""

    secret: bytes = b""
    nonces: tuple[bytes, ...] = ()
    root: bytes = b""
    seed: int | None = None


class FinishedMatch(NamedTuple):
    """All that a record is made of.

    Attributes:
        table_id: the table.
        kind: number of the game's ``GameKind``.
        table: serialised ``croupier.v1.Table`` as it was created.
        option_text: every option as text, by name.
        reveal: the secrets.
        rows: the whole log.
        result: serialised ``croupier.v1.MatchResult``.
        players: names in seat order.
        ended_ms: when it ended.
    """

    table_id: str
    kind: int
    table: bytes
    option_text: Mapping[str, str]
    reveal: Reveal
    rows: Sequence[LogRow]
    result: bytes
    players: tuple[str, ...]
    ended_ms: int


class RecordEntry(NamedTuple):
    """A stored record: what lists say of it, and where it stands among all records.

    Attributes:
        position: rises with each record put, from 1; never used again.
        table_id: the table of the match.
        kind: number of the game's ``GameKind``.
        players: names in seat order.
        result: serialised ``croupier.v1.MatchResult``.
        ended_ms: when it ended.
        record: serialised ``croupier.record.v1.Record``.
    """

    position: int
    table_id: str
    kind: int
    players: tuple[str, ...]
    result: bytes
    ended_ms: int
    record: bytes


class RecordStore(Protocol):
    """The records of finished matches. May drop the oldest ones."""

    def put(self, match: FinishedMatch) -> RecordEntry:
        """Make the record of *match* and keep it."""
        ...

    def get(self, table_id: str) -> RecordEntry | None:
        """The record of a table's match, if there is one."""
        ...

    def newest(self, *, before: int | None, limit: int, kind: int = 0) -> list[RecordEntry]:
        """At most *limit* records, newest first.

        Args:
            before: only records at smaller positions; None: all.
            limit: at most so many.
            kind: only records of this game; 0: all.
        """
        ...

    def since(self, position: int, limit: int) -> list[RecordEntry]:
        """At most *limit* records at greater positions, oldest first."""
        ...

    def head(self) -> int:
        """Position of the newest record; 0 when there never was one."""
        ...

    def subscribe(self, wake: Callable[[], None]) -> Callable[[], None]:
        """Have *wake* called after each `put`; returns what ends that.

        A follower keeps its own position and reads on with `since`, so it is never sent anything
        that it does not ask for.
        """
        ...
