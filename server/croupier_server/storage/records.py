"""The records of finished matches, and what else a store keeps of matches that have ended."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from typing import Any, Final

from sqlalchemy import Connection, Row, Select, bindparam, delete, func, insert, select, update

from croupier_server.storage.base import (
    ENDED_REQUESTS_MAX,
    BoardTable,
    EndedRequest,
    FinishedMatch,
    Player,
    RecordEntry,
)
from croupier_server.storage.database import Database, count, counter
from croupier_server.storage.schema import (
    LINEAGE_BITS,
    board_tables,
    counters,
    ended_requests,
    records,
)

_PURGED_AT_ONCE: Final = 64
"""Records that are deleted in one transaction, so that what is played does not wait for long."""

_C: Final = records.c
_LISTED: Final[Select[Any]] = select(
    _C.position,
    _C.table_id,
    _C.kind,
    _C.players,
    _C.result,
    _C.ended_ms,
    _C.voided,
    _C.readers,
).where(_C.position.is_not(None))
"""Every column that lists need, of the records that are shown."""
_ENTRIES: Final = _LISTED.add_columns(_C.record)


class RecordStore:
    """The records in a database; `TableLog.finish` makes them.

    One that is held back for its board is not there for anybody who asks.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._wakes: dict[object, Callable[[], None]] = {}

    def shown(self) -> None:
        """Records have come to be shown or voided: wake those who follow."""
        for wake in tuple(self._wakes.values()):
            wake()

    async def get(self, table_id: str) -> RecordEntry | None:
        """The record of a table's match, if there is one."""
        if "\0" in table_id:  # PostgreSQL takes no such text, not even to look for it
            return None
        chosen = _ENTRIES.where(_C.table_id == table_id)
        found = await self._database.read(lambda connection: connection.execute(chosen).all())
        return _entry(found[0]) if found else None

    async def newest(
        self, *, before: int | None, limit: int, kind: int = 0, is_public: bool = False
    ) -> list[RecordEntry]:
        """At most *limit* records, newest first, without `RecordEntry.record`.

        Args:
            before: only records at smaller positions; None: all.
            limit: at most so many.
            kind: only records of this game; 0: all.
            is_public: only those that everybody may read.
        """
        chosen = _LISTED.order_by(_C.position.desc()).limit(limit)
        if before is not None:
            chosen = chosen.where(_C.position < before)
        if kind:
            chosen = chosen.where(_C.kind == kind)
        if is_public:
            chosen = chosen.where(_C.readers.is_(None))
        found = await self._database.read(lambda connection: connection.execute(chosen).all())
        return [_entry(one) for one in found]

    async def since(self, position: int, limit: int) -> list[RecordEntry]:
        """At most *limit* records, and voidings of records, at greater positions, oldest first."""
        voided = _C.voided_position
        voidings = _LISTED.where(voided > position).order_by(voided).limit(limit)
        shown = _ENTRIES.where(_C.position > position).order_by(_C.position).limit(limit)

        def find(connection: Connection) -> list[RecordEntry]:
            found = [
                _entry(one)._replace(position=one.voided_position, is_voiding=True)
                for one in connection.execute(voidings.add_columns(voided))
            ]
            found += [_entry(one) for one in connection.execute(shown)]
            return sorted(found, key=lambda entry: entry.position)[:limit]

        return await self._database.read(find)

    async def head(self) -> int:
        """The newest position; 0 when there never was a record."""
        return await self._database.read(lambda connection: counter(connection, "records"))

    async def lineage(self) -> bytes:
        """Secret bytes that name this store: another one after it was restored from a backup, or
        where the database is another copy than before, as positions may then be used again."""
        found = await self._database.read(lambda connection: counter(connection, "lineage"))
        return found.to_bytes(8, "big")

    def subscribe(self, wake: Callable[[], None]) -> Callable[[], None]:
        """Have *wake* called whenever `head` has risen; returns what ends that.

        A follower keeps its own position and reads on with `since`, so it is never sent anything
        that it does not ask for.
        """
        key = object()
        self._wakes[key] = wake
        return lambda: self._wakes.pop(key, None) and None

    async def void(self, table_id: str) -> bool:
        """Say that a match does not count; returns whether it has a record, shown or not."""
        chosen = _C.table_id == table_id

        def void(connection: Connection) -> bool:
            asked = select(_C.position, _C.voided).where(chosen)
            found = connection.execute(asked).one_or_none()
            if found is not None and not found.voided:
                place = None if found.position is None else count(connection, "records")
                voiding = update(records).where(chosen)
                connection.execute(voiding.values(voided=True, voided_position=place))
            return found is not None

        found = await self._database.write(void)
        self.shown()
        return found

    async def purge(self, before_ms: int) -> int:
        """Delete the records of matches that ended before *before_ms*; returns how many."""
        old = select(_C.number).where(_C.ended_ms < before_ms).limit(_PURGED_AT_ONCE)
        purging = delete(records).where(_C.number.in_(old))
        number = 0
        while some := await self._database.write(
            lambda connection: connection.execute(purging).rowcount
        ):
            number += some
        return number


def _entry(found: Row[Any]) -> RecordEntry:
    return RecordEntry(
        found.position,
        found.table_id,
        found.kind,
        tuple(Player(*one) for one in json.loads(found.players)),
        found.result,
        found.ended_ms,
        getattr(found, "record", b""),
        found.voided,
        None if found.readers is None else tuple(json.loads(found.readers)),
    )


def renew_lineage(connection: Connection) -> None:
    """Let the store be another one to whoever has read from it."""
    renewed = update(counters).where(counters.c.name == "lineage")
    connection.execute(renewed.values(value=secrets.randbits(LINEAGE_BITS)))


# Matches that end -------------------------------------------------------------------------------


# Made once: it takes longer than running them, and matches end often.
_DROP_RECORD: Final = delete(records).where(_C.table_id == bindparam("table"))
_KEEP_RECORD: Final = insert(records)
_KEEP_REQUEST: Final = insert(ended_requests)
_DROP_REQUESTS: Final = delete(ended_requests).where(ended_requests.c.number <= bindparam("last"))


def keep_record(connection: Connection, match: FinishedMatch, record: bytes) -> bool:
    """Keep what is left of *match*, with its *record* if it leaves one; returns whether any record
    is shown by that."""
    is_held = match.board_tables > 1 and bool(match.board)
    if (request := match.ended_request) is not None:
        _keep_request(connection, request)
    if not match.leaves_record:
        return False
    _insert_record(connection, match, record, is_held=is_held)
    return not is_held or _count_at_board(connection, match)


def _insert_record(
    connection: Connection, match: FinishedMatch, record: bytes, *, is_held: bool
) -> None:
    connection.execute(_DROP_RECORD, {"table": match.table_id})
    values = {
        "table_id": match.table_id,
        "position": None if is_held else count(connection, "records"),
        "kind": match.kind,
        "players": json.dumps(match.players),
        "result": match.result,
        "ended_ms": match.ended_ms,
        "voided": False,
        "readers": None if match.readers is None else json.dumps(match.readers),
        "record": record,
    }
    connection.execute(_KEEP_RECORD, values)


def _keep_request(connection: Connection, request: EndedRequest) -> None:
    kept = connection.execute(_KEEP_REQUEST, request._asdict()).inserted_primary_key
    assert kept is not None
    connection.execute(_DROP_REQUESTS, {"last": kept[0] - ENDED_REQUESTS_MAX})


def _count_at_board(connection: Connection, match: FinishedMatch) -> bool:
    """One more table of a board has ended; shows the board's records with the last one."""
    connection.execute(delete(board_tables).where(board_tables.c.table_id == match.table_id))
    connection.execute(
        insert(board_tables).values(
            board=match.board,
            table_id=match.table_id,
            sat=json.dumps(match.sat),
            watched=json.dumps(match.watched),
            tables=match.board_tables,
            rated=match.board_rated,
            shared=match.board_shared,
        )
    )
    of_board = board_tables.c.board == match.board
    ended = list(connection.execute(select(board_tables.c.table_id).where(of_board)).scalars())
    if len(ended) < match.board_tables:
        return False
    connection.execute(delete(board_tables).where(of_board))
    held = select(_C.number).where(_C.position.is_(None), _C.table_id.in_(ended))
    numbers = list(connection.execute(held.order_by(_C.number)).scalars())
    head = count(connection, "records", len(numbers))
    for place, number in enumerate(numbers, head - len(numbers) + 1):
        connection.execute(update(records).where(_C.number == number).values(position=place))
    return True


def drop_record(connection: Connection, table_id: str) -> None:
    """Delete the record of a table; the board that it is held for, if any, is given up."""
    connection.execute(_DROP_RECORD, {"table": table_id})
    held = select(board_tables.c.board).where(board_tables.c.table_id == table_id)
    connection.execute(delete(board_tables).where(board_tables.c.board.in_(held)))


def sizes_of_records(connection: Connection) -> list[tuple[str, int]]:
    """The table and the bytes of every record, the oldest first."""
    chosen = select(_C.table_id, func.length(_C.record)).order_by(_C.number)
    return [(table_id, size) for table_id, size in connection.execute(chosen)]


def ended_of_boards(connection: Connection) -> list[BoardTable]:
    """See `TableLog.board_tables`."""
    columns = (board_tables.c[name] for name in BoardTable._fields)
    chosen = select(*columns).order_by(board_tables.c.number)
    return [
        BoardTable(board, table_id, tuple(json.loads(sat)), tuple(json.loads(watched)), *terms)
        for board, table_id, sat, watched, *terms in connection.execute(chosen)
    ]


def requests_of_ended(connection: Connection) -> list[EndedRequest]:
    """See `TableLog.ended_requests`."""
    columns = (ended_requests.c[name] for name in EndedRequest._fields)
    chosen = select(*columns).order_by(ended_requests.c.number)
    return [EndedRequest(*found) for found in connection.execute(chosen)]
