"""The log of a contest: events in a database of its own, SQLite by default or PostgreSQL by URL.

Each event gets the number after the last one. Two runners of one contest would assign the same
number, and the database accepts it once: the runner that resumed later continues, and the other
gets `TakenOver` at its next event.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Engine,
    Integer,
    MetaData,
    Select,
    String,
    Table,
    Text,
    create_engine,
    event,
    func,
    insert,
    select,
)
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from croupier_server.contest.ladder.events import Body, Event, Kind
from croupier_server.storage.base import StoreError
from croupier_server.storage.opening import split_url

T = TypeVar("T")

_READ_AT_ONCE: Final = 2_000

_METADATA: Final = MetaData()

_EVENTS: Final = Table(
    "contest_events",
    _METADATA,
    Column("contest", String(64), primary_key=True),
    Column("number", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("kind", String(16), nullable=False),
    Column("time_ms", BigInteger, nullable=False),
    Column("body", Text, nullable=False),
)

_ORDERS: Final = Table(
    "contest_orders",
    _METADATA,
    Column(
        "number",
        BigInteger().with_variant(Integer, "sqlite"),
        primary_key=True,
        autoincrement=True,
    ),
    Column("contest", String(64), nullable=False, index=True),
    Column("body", Text, nullable=False),
)


class LogError(Exception):
    """The log cannot be read or written; the text is one line."""


class TakenOver(LogError):
    """Another runner has resumed this contest."""


class Order(NamedTuple):
    """A request of an organiser to a runner. ``number`` rises."""

    number: int
    body: Body


class ContestLog:
    """The events of one contest, and the orders of its organisers.

    Every method may raise `LogError`.

    Args:
        name: name of the contest; a database may hold several.
        engine: engine of the database.
    """

    def __init__(self, name: str, engine: Engine | AsyncEngine) -> None:
        self._name = name
        self._engine = engine

    async def append(self, events: Sequence[Event]) -> None:
        """Store *events*, which follow those that are there; all of them or none.

        Raises:
            TakenOver: one of their numbers is taken.
        """
        now = time.time_ns() // 1_000_000
        rows = [
            {
                "contest": self._name,
                "number": one.number,
                "kind": one.kind.value,
                "time_ms": now,
                "body": json.dumps(one.body, separators=(",", ":")),
            }
            for one in events
        ]
        try:
            await self._run(lambda connection: connection.execute(insert(_EVENTS), rows))
        except IntegrityError:
            raise TakenOver(
                f"another runner has resumed {self._name!r}, so this one stops"
            ) from None

    async def read(self, after: int = 0, kinds: Sequence[Kind] = ()) -> AsyncIterator[Event]:
        """Events with numbers above *after*, in order; of some *kinds*, or all."""
        while True:
            chosen = (
                select(_EVENTS.c.number, _EVENTS.c.kind, _EVENTS.c.body, _EVENTS.c.time_ms)
                .where(_EVENTS.c.contest == self._name, _EVENTS.c.number > after)
                .order_by(_EVENTS.c.number)
                .limit(_READ_AT_ONCE)
            )
            if kinds:
                chosen = chosen.where(_EVENTS.c.kind.in_([kind.value for kind in kinds]))
            rows = await self._select(chosen)
            for number, kind, body, time_ms in rows:
                yield Event(number, Kind(kind), json.loads(body), time_ms)
            if len(rows) < _READ_AT_ONCE:
                return
            after = rows[-1][0]

    async def last(self) -> int:
        """Number of the last event; 0 if there is none."""
        chosen = select(func.max(_EVENTS.c.number)).where(_EVENTS.c.contest == self._name)
        return await self._run(lambda connection: connection.execute(chosen).scalar()) or 0

    async def order(self, body: Body) -> None:
        """Store an order, which the current or the next runner applies."""
        row = {"contest": self._name, "body": json.dumps(body)}
        await self._run(lambda connection: connection.execute(insert(_ORDERS), row))

    async def orders(self, after: int) -> list[Order]:
        """Orders with numbers above *after*."""
        chosen = (
            select(_ORDERS.c.number, _ORDERS.c.body)
            .where(_ORDERS.c.contest == self._name, _ORDERS.c.number > after)
            .order_by(_ORDERS.c.number)
        )
        rows = await self._select(chosen)
        return [Order(number, json.loads(body)) for number, body in rows]

    async def prepare(self) -> None:
        """Create missing tables."""
        await self._run(_METADATA.create_all)

    async def _select(self, chosen: Select[Any]) -> Sequence[Any]:
        return await self._run(lambda connection: connection.execute(chosen).all())

    async def _run(self, query: Callable[[Connection], T]) -> T:
        """What *query* finds or does, in a transaction of its own."""
        engine = self._engine
        try:
            if isinstance(engine, AsyncEngine):
                async with engine.begin() as connection:
                    return await connection.run_sync(query)

            def run() -> T:
                with engine.begin() as connection:
                    return query(connection)

            return await asyncio.to_thread(run)
        except IntegrityError:
            raise
        except (DBAPIError, OSError) as error:
            text = str(getattr(error, "orig", None) or error)
            raise LogError(f"cannot read or write the contest log: {text}") from None


@asynccontextmanager
async def open_log(url: str, name: str, *, create: bool = False) -> AsyncIterator[ContestLog]:
    """Open the log of the contest *name* in the database at *url*.

    Args:
        url: ``sqlite:PATH`` or ``postgresql://...``.
        name: of the contest.
        create: whether to create a missing database.

    Raises:
        LogError: there is no such database, or it cannot be opened.
    """
    try:
        kind, place = split_url(url)
    except StoreError as error:
        raise LogError(str(error)) from None
    engine: Engine | AsyncEngine
    if kind == "postgresql":
        from croupier_server.storage.postgres_pool import pooled

        engine = pooled(url)
    else:
        path = Path(place or "/nowhere")
        if not create and not path.is_file():  # noqa: ASYNC240 - once, before anything runs
            raise LogError(f"there is no contest log at {path}; start the contest first")
        engine = create_engine(f"sqlite:///{path}", hide_parameters=True)
        event.listen(engine, "connect", _set_up_sqlite)
    log = ContestLog(name, engine)
    try:
        await log.prepare()
        yield log
    finally:
        if isinstance(engine, AsyncEngine):
            await engine.dispose()
        else:
            engine.dispose()


def _set_up_sqlite(connection: Any, _: object) -> None:
    """Readers do not wait for the writer; what is stored survives a power cut."""
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "busy_timeout = 10000"):
        connection.execute(f"PRAGMA {pragma}")
