"""What an arbiter keeps besides the logs of its tournaments: the list of them, and ratings.

One SQLite file. Ratings of a board are stored together with the number of boards that have been
rated, so each board is rated once, whenever the process dies.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    CursorResult,
    Float,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    create_engine,
    event,
    insert,
    select,
    update,
)
from sqlalchemy.dialects.sqlite import insert as upsert
from sqlalchemy.exc import DBAPIError

from croupier_server.arbiter.ratings import Skill
from croupier_server.errors import Reason, Unavailable

T = TypeVar("T")

_RETRY_MS: Final = 1_000
_METADATA: Final = MetaData()

_TOURNAMENTS: Final = Table(
    "arbiter_tournaments",
    _METADATA,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("tournament", String(64), nullable=False, unique=True),
    Column("organiser", String(64), nullable=False),
    Column("request", String(64), nullable=False, index=True),
    Column("request_hash", String(64), nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("rated", Integer, nullable=False),
    Column("summary", LargeBinary, nullable=False),
)

_RATINGS: Final = Table(
    "arbiter_ratings",
    _METADATA,
    Column("pool", String(140), primary_key=True),
    Column("who", String(80), primary_key=True),
    Column("rating", Float, nullable=False),
    Column("deviation", Float, nullable=False),
    Column("boards", Integer, nullable=False),
    Column("point", Integer, nullable=False),
)

_POINTS: Final = Table(
    "arbiter_rating_points",
    _METADATA,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("pool", String(140), nullable=False, index=True),
    Column("who", String(80), nullable=False, index=True),
    Column("rating", Float, nullable=False),
    Column("deviation", Float, nullable=False),
    Column("boards", Integer, nullable=False),
    Column("time_ms", BigInteger, nullable=False),
    Column("tournament", String(64), nullable=False),
    Column("board", Integer, nullable=False),
)


class Listed(NamedTuple):
    """A tournament in the list.

    Attributes:
        number: rises with each new one.
        tournament: its id.
        organiser: the principal that created it.
        request: id of the request that did, or empty.
        request_hash: of that request.
        created_ms: when.
        rated: how many of its boards have been rated.
        summary: the tournament as a message, once it has ended; else empty.
    """

    number: int
    tournament: str
    organiser: str
    request: str
    request_hash: str
    created_ms: int
    rated: int = 0
    summary: bytes = b""


class Point(NamedTuple):
    """A rating after a board."""

    number: int
    who: str
    skill: Skill
    time_ms: int
    tournament: str
    board: int


class ArbiterStore:
    """The database at *path*, which is made if it is not there.

    Every method may raise `Unavailable`: STORE_UNAVAILABLE.
    """

    def __init__(self, path: Path) -> None:
        self._engine = create_engine(f"sqlite:///{path}", hide_parameters=True)
        event.listen(self._engine, "connect", _set_up)
        _METADATA.create_all(self._engine)

    def close(self) -> None:
        """Close the database."""
        self._engine.dispose()

    # Tournaments -------------------------------------------------------------------------------

    async def add(self, listed: Listed) -> Listed:
        """List a tournament; returns it with its number."""
        row = listed._asdict()
        del row["number"]

        def query(connection: Connection) -> Listed:
            done = connection.execute(insert(_TOURNAMENTS).values(**row))
            return listed._replace(number=_key(done))

        return await self._run(query)

    async def tournaments(self) -> list[Listed]:
        """All tournaments, oldest first."""
        chosen = select(_TOURNAMENTS).order_by(_TOURNAMENTS.c.number)
        return await self._run(lambda c: [Listed(*row) for row in c.execute(chosen)])

    async def end(self, tournament: str, summary: bytes) -> None:
        """Note that a tournament has ended, and what it was then."""
        change = update(_TOURNAMENTS).where(_TOURNAMENTS.c.tournament == tournament)
        await self._run(lambda c: c.execute(change.values(summary=summary)))

    # Ratings -----------------------------------------------------------------------------------

    async def skills(self, pool: str) -> dict[str, Skill]:
        """All ratings of *pool* now."""
        chosen = select(
            _RATINGS.c.who, _RATINGS.c.rating, _RATINGS.c.deviation, _RATINGS.c.boards
        ).where(_RATINGS.c.pool == pool)
        return await self._run(lambda c: {who: Skill(*skill) for who, *skill in c.execute(chosen)})

    async def rated(
        self,
        pool: str,
        tournament: str,
        boards: Sequence[tuple[int, Mapping[str, Skill]]],
        *,
        rated: int,
        now_ms: int,
    ) -> None:
        """Store what *boards* of a *tournament* have changed in *pool*; all of it or nothing.

        Args:
            pool: of ratings.
            tournament: its id.
            boards: numbers of boards in rising order, with the new ratings.
            rated: how many of its boards have been rated then.
            now_ms: the time.
        """

        def query(connection: Connection) -> None:
            for board, skills in boards:
                for who, skill in skills.items():
                    values: dict[str, Any] = {"pool": pool, "who": who, **skill._asdict()}
                    point = {"time_ms": now_ms, "tournament": tournament, "board": board}
                    done = connection.execute(insert(_POINTS).values(**values, **point))
                    values["point"] = _key(done)
                    connection.execute(
                        upsert(_RATINGS)
                        .values(**values)
                        .on_conflict_do_update(index_elements=["pool", "who"], set_=values)
                    )
            change = update(_TOURNAMENTS).where(_TOURNAMENTS.c.tournament == tournament)
            connection.execute(change.values(rated=rated))

        await self._run(query)

    async def points(self, pool: str, who: str, before: int | None, limit: int) -> list[Point]:
        """Ratings that *who* has had, the newest first, of numbers below *before*."""
        chosen = select(*_POINT).where(_POINTS.c.pool == pool, _POINTS.c.who == who)
        if before is not None:
            chosen = chosen.where(_POINTS.c.number < before)
        chosen = chosen.order_by(_POINTS.c.number.desc()).limit(limit)
        return await self._run(lambda c: [_point(row) for row in c.execute(chosen)])

    async def ratings(self, pool: str, start: int, limit: int) -> list[Point]:
        """The current ratings of *pool*, the highest first, from place *start* on."""
        chosen = (
            select(*_POINT)
            .join(_RATINGS, _RATINGS.c.point == _POINTS.c.number)
            .where(_RATINGS.c.pool == pool)
            .order_by(_RATINGS.c.rating.desc(), _RATINGS.c.who)
            .offset(start)
            .limit(limit)
        )
        return await self._run(lambda c: [_point(row) for row in c.execute(chosen)])

    async def _run(self, query: Callable[[Connection], T]) -> T:
        """What *query* finds or does, in a transaction of its own."""

        def run() -> T:
            with self._engine.begin() as connection:
                return query(connection)

        try:
            return await asyncio.to_thread(run)
        except (DBAPIError, OSError) as error:
            text = str(getattr(error, "orig", None) or error)
            raise Unavailable(
                Reason.STORE_UNAVAILABLE,
                f"the arbiter's store does not respond: {text}; retry",
                retry_ms=_RETRY_MS,
            ) from None


def _key(done: CursorResult[Any]) -> int:
    """The number that a new row was given."""
    key = done.inserted_primary_key
    assert key is not None
    return int(key[0])


_POINT: Final = (
    _POINTS.c.number,
    _POINTS.c.who,
    _POINTS.c.rating,
    _POINTS.c.deviation,
    _POINTS.c.boards,
    _POINTS.c.time_ms,
    _POINTS.c.tournament,
    _POINTS.c.board,
)


def _point(row: Any) -> Point:
    number, who, rating, deviation, boards, time_ms, tournament, board = row
    return Point(number, who, Skill(rating, deviation, boards), time_ms, tournament, board)


def _set_up(connection: Any, _: object) -> None:
    """Readers do not wait for the writer; what is stored survives a power cut."""
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "busy_timeout = 10000"):
        connection.execute(f"PRAGMA {pragma}")
