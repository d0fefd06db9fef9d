"""What is asked of a durable store besides its log: records, keys, audit.

Written once for SQLite and PostgreSQL, as functions of a connection that is in a transaction; who
gives it, and on which thread, is not their business.
"""

from __future__ import annotations

import json
import secrets
from typing import Any, Final

from sqlalchemy import Connection, Row, Select, bindparam, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from croupier_server.storage.base import (
    ENDED_REQUESTS_MAX,
    AuditEntry,
    BoardTable,
    EndedRequest,
    FinishedMatch,
    KeyExists,
    Player,
    RecordEntry,
    StoredKey,
)
from croupier_server.storage.schema import (
    LINEAGE_BITS,
    api_keys,
    audit_entries,
    board_tables,
    counters,
    ended_requests,
    records,
)

# Records ----------------------------------------------------------------------------------------


# Made once: it takes longer than running them, and matches end often.
_DROP_RECORD: Final = delete(records).where(records.c.table_id == bindparam("table"))
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
        "position": None if is_held else _count(connection, "records"),
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
    held = select(records.c.number).where(
        records.c.position.is_(None), records.c.table_id.in_(ended)
    )
    numbers = list(connection.execute(held.order_by(records.c.number)).scalars())
    head = _count(connection, "records", len(numbers))
    for place, number in enumerate(numbers, head - len(numbers) + 1):
        connection.execute(update(records).where(records.c.number == number).values(position=place))
    return True


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


def record_of(connection: Connection, table_id: str) -> RecordEntry | None:
    """See `RecordStore.get`."""
    if "\0" in table_id:  # PostgreSQL takes no such text, not even to look for it
        return None
    chosen = _ENTRIES.where(records.c.table_id == table_id)
    found = connection.execute(chosen).one_or_none()
    return None if found is None else _entry(found)


def newest_records(
    connection: Connection, before: int | None, limit: int, kind: int, *, is_public: bool
) -> list[RecordEntry]:
    """See `RecordStore.newest`."""
    chosen = _LISTED.order_by(records.c.position.desc()).limit(limit)
    if before is not None:
        chosen = chosen.where(records.c.position < before)
    if kind:
        chosen = chosen.where(records.c.kind == kind)
    if is_public:
        chosen = chosen.where(records.c.readers.is_(None))
    return [_entry(found) for found in connection.execute(chosen)]


def records_since(connection: Connection, position: int, limit: int) -> list[RecordEntry]:
    """See `RecordStore.since`."""
    voided = records.c.voided_position
    voidings = _LISTED.where(voided > position).order_by(voided).limit(limit)
    found = [
        _entry(one)._replace(position=one.voided_position, is_voiding=True)
        for one in connection.execute(voidings.add_columns(voided))
    ]
    shown = _ENTRIES.where(records.c.position > position)
    shown = shown.order_by(records.c.position).limit(limit)
    found += [_entry(one) for one in connection.execute(shown)]
    return sorted(found, key=lambda entry: entry.position)[:limit]


def records_head(connection: Connection) -> int:
    """See `RecordStore.head`."""
    return _counter(connection, "records")


def records_lineage(connection: Connection) -> bytes:
    """See `RecordStore.lineage`."""
    return _counter(connection, "lineage").to_bytes(8, "big")


def renew_lineage(connection: Connection) -> None:
    """Let the store be another one to whoever has read from it."""
    renewed = update(counters).where(counters.c.name == "lineage")
    connection.execute(renewed.values(value=secrets.randbits(LINEAGE_BITS)))


def void_record(connection: Connection, table_id: str) -> bool:
    """See `RecordStore.void`."""
    chosen = records.c.table_id == table_id
    found = connection.execute(
        select(records.c.position, records.c.voided).where(chosen)
    ).one_or_none()
    if found is not None and not found.voided:
        place = None if found.position is None else _count(connection, "records")
        connection.execute(update(records).where(chosen).values(voided=True, voided_position=place))
    return found is not None


def purge_records(connection: Connection, before_ms: int, limit: int) -> int:
    """Delete at most *limit* records of matches that ended before *before_ms*; returns how many."""
    old = select(records.c.number).where(records.c.ended_ms < before_ms).limit(limit)
    return connection.execute(delete(records).where(records.c.number.in_(old))).rowcount


def _listing() -> Select[Any]:
    """Every column that lists need, of the records that are shown."""
    columns = records.c
    return select(
        columns.position,
        columns.table_id,
        columns.kind,
        columns.players,
        columns.result,
        columns.ended_ms,
        columns.voided,
        columns.readers,
    ).where(columns.position.is_not(None))


_LISTED: Final = _listing()
_ENTRIES: Final = _LISTED.add_columns(records.c.record)


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


# Counters ---------------------------------------------------------------------------------------


_RAISE: Final = (
    update(counters)
    .where(counters.c.name == bindparam("counter"))
    .values(value=counters.c.value + bindparam("by"))
    .returning(counters.c.value)
)


def _count(connection: Connection, name: str, by: int = 1) -> int:
    """Raise a counter; its value then. Whoever else does so waits for our transaction."""
    return int(connection.execute(_RAISE, {"counter": name, "by": by}).scalar_one())


def _counter(connection: Connection, name: str) -> int:
    chosen = select(counters.c.value).where(counters.c.name == name)
    return int(connection.execute(chosen).scalar_one())


# Keys -------------------------------------------------------------------------------------------


def add_key(connection: Connection, key: StoredKey) -> None:
    """See `KeyStore.add`."""
    values = key._asdict() | {"scopes": json.dumps(sorted(key.scopes))}
    try:
        connection.execute(insert(api_keys).values(values))
    except IntegrityError:
        raise KeyExists(key.key_id) from None
    _count(connection, "keys")


def all_keys(connection: Connection) -> list[StoredKey]:
    """See `KeyStore.all`."""
    columns = (api_keys.c[name] for name in StoredKey._fields)
    chosen = select(*columns).order_by(api_keys.c.number)
    found = (StoredKey(*one) for one in connection.execute(chosen))
    return [key._replace(scopes=frozenset(json.loads(str(key.scopes)))) for key in found]


def revoke_key(connection: Connection, key_id: str, now_ms: int) -> bool:
    """See `KeyStore.revoke`."""
    changed = connection.execute(
        update(api_keys)
        .where(api_keys.c.key_id == key_id, api_keys.c.revoked_ms.is_(None))
        .values(revoked_ms=now_ms)
    )
    if not changed.rowcount:
        return False
    _count(connection, "keys")
    return True


def keys_version(connection: Connection) -> int:
    """See `KeyStore.version`."""
    return _counter(connection, "keys")


# Audit ------------------------------------------------------------------------------------------


def add_audit(connection: Connection, entry: AuditEntry) -> None:
    """See `AuditLog.add`."""
    connection.execute(insert(audit_entries).values(entry._asdict()))


def newest_audit(
    connection: Connection, before: int | None, limit: int
) -> list[tuple[int, AuditEntry]]:
    """See `AuditLog.newest`."""
    number = audit_entries.c.number
    columns = (audit_entries.c[name] for name in AuditEntry._fields)
    chosen = select(number, *columns).order_by(number.desc()).limit(limit)
    if before is not None:
        chosen = chosen.where(number < before)
    return [(found[0], AuditEntry(*found[1:])) for found in connection.execute(chosen)]
