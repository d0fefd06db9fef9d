"""Sitting down wherever a key is called to: ``croupier.run(bot, standby=True)``."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable, Collection
from typing import Final, TypeAlias

from croupier.background import first_error
from croupier.bot import Bot
from croupier.client import Client
from croupier.connection import Backoff, is_worth_waiting
from croupier.errors import BotError, Error, Refused, UsageError, key_ended
from croupier.invites import play_or_concede
from croupier.options import game_kind
from croupier.results import Result
from croupier.seat import Ticket
from croupier.v1 import seat_service_pb2, table_pb2

__all__ = ["Standby"]

Place: TypeAlias = tuple[str, int]
"""A table and a seat."""

_log = logging.getLogger("croupier")

_RETRY_SECONDS: Final = 1.0


class _Turn:
    """One of the tables that are played at a time."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.seats = 0
        self.is_held = False


class Standby:
    """Plays the seats that hosts reserve for a key.

    A seat that is reserved for the key is taken when it is called. One at which the key sits
    already when this begins is taken over with a new ticket: its program was stopped. What goes
    wrong at a table is logged and costs that match only.

    Args:
        client: shows the key.
        make: the bot for a seat.
        game: name of the only game that is played; None: every one.
        hosts: principals whose calls are taken; None: everybody's.
        at_once: maximum number of tables at a time. Calls beyond wait for a table to end.
        matches: seats to play before `run` returns; None: any number.
        results: where the result of each seat is put.
    """

    def __init__(
        self,
        client: Client,
        make: Callable[[], Bot],
        *,
        game: str | None,
        hosts: Collection[str] | None,
        at_once: int,
        matches: int | None,
        results: list[Result],
    ) -> None:
        self._client = client
        self._make = make
        self._game = game
        self._hosts = None if hosts is None else frozenset(hosts)
        self._left = matches
        self._results = results
        self._slots = asyncio.Semaphore(at_once)
        self._turns: dict[str, _Turn] = {}
        self._called: dict[Place, asyncio.Task[bool]] = {}
        """Seats that wait for their turn or are played."""
        self._playing: set[Place] = set()
        self._refused: dict[Place, seat_service_pb2.SeatAssignment] = {}
        """Seats that we were barred from when they were called."""
        self._spare: dict[Place, seat_service_pb2.SeatAssignment] = {}
        """Seats beyond the number of matches, in case others come to nothing."""
        self._is_first = True
        self._is_stopping = False
        self._enough = asyncio.Event()
        self._group = asyncio.TaskGroup()

    async def run(self, stop: asyncio.Event | None = None) -> None:
        """Play until *stop* is set or enough matches have been played; then finish those that run.

        Raises:
            UsageError: the server asks for no keys, so nobody can be called there.
            NotAllowed: the key is not good, or is good no longer.
            ConnectionFailed: the server could not be reached for too long.
        """
        if not self._client.info.capabilities.seats:
            raise UsageError(
                f"the server at {self._client.address} requires no keys; standby needs a server "
                "with keys"
            )
        try:
            async with self._group:
                await self._play_until(stop or asyncio.Event())
        except BaseExceptionGroup as errors:
            first = first_error(errors)
            raise first from first.__cause__

    async def _play_until(self, stop: asyncio.Event) -> None:
        watching = self._group.create_task(self._watch())
        waits = [self._group.create_task(event.wait()) for event in (stop, self._enough)]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._is_stopping = True
        waiting = [task for place, task in self._called.items() if place not in self._playing]
        for task in (watching, *waits, *waiting):
            task.cancel()

    # Calls ---------------------------------------------------------------------------------------

    async def _watch(self) -> None:
        """Take calls as they come, over cut connections and restarts of the server."""
        backoff = self._client.backoff()
        try:
            while True:
                try:
                    wait = await self._watch_once(backoff)
                    await backoff.pause("the server closed the stream", wait)
                except Refused as error:
                    if not is_worth_waiting(error):
                        raise
                    await backoff.pause(error.message, error.retry_after)
        finally:
            self._is_stopping = True

    async def _watch_once(self, backoff: Backoff) -> float:
        """One stream to its end; returns how long the server asks to wait.

        Raises:
            Refused: the stream broke or was refused.
        """
        kind = game_kind(self._game) if self._game else 0
        request = seat_service_pb2.WatchSeatsRequest(game=kind)  # type: ignore[arg-type]
        known = {*self._refused, *self._spare}
        async with self._client.watch_seats(request) as updates:
            async for update in updates:
                backoff.succeeded()
                match update.WhichOneof("item"):
                    case "seat":
                        known.discard(_place(update.seat))
                        self._take_call(update.seat)
                    case "released":
                        self._released((update.released.table_id, update.released.seat))
                    case "caught_up":
                        self._is_first = False
                        for place in known:
                            self._forget(place)
                    case "end":
                        return _wait_of(update.end)
        return _RETRY_SECONDS

    def _take_call(self, assignment: seat_service_pb2.SeatAssignment) -> None:
        place = _place(assignment)
        if place in self._called or not assignment.host_player_id:
            return
        if assignment.state != seat_service_pb2.SEAT_ASSIGNMENT_STATE_RESERVED:
            if self._is_first:
                self._start(assignment)
            return
        if self._hosts is not None and assignment.host_player_id not in self._hosts:
            _log.warning("%s: a call of %s is not taken", _words(place), assignment.host_player_id)
        elif place not in self._refused and place not in self._spare:
            self._start(assignment)

    def _released(self, place: Place) -> None:
        """The seat is not ours any more: do not wait for it. One that is played ends by itself."""
        self._forget(place)
        if place in self._called and place not in self._playing:
            self._called[place].cancel()

    def _forget(self, place: Place) -> None:
        self._refused.pop(place, None)
        self._spare.pop(place, None)

    # Seats ---------------------------------------------------------------------------------------

    def _start(self, assignment: seat_service_pb2.SeatAssignment) -> None:
        place = _place(assignment)
        self._forget(place)
        if self._left == 0:
            self._spare[place] = assignment
            return
        if self._left is not None:
            self._left -= 1
        task = self._called[place] = self._group.create_task(self._sit(assignment))
        task.add_done_callback(lambda task: self._ended(place, task))

    async def _sit(self, assignment: seat_service_pb2.SeatAssignment) -> bool:
        """Wait for a turn, take the seat and play it; returns whether it was taken."""
        place = _place(assignment)
        async with self._turn(assignment.table.table_id):
            self._playing.add(place)
            try:
                return await self._play(assignment)
            finally:
                self._playing.discard(place)

    def _ended(self, place: Place, task: asyncio.Task[bool]) -> None:
        del self._called[place]
        was_played = not task.cancelled() and task.exception() is None and task.result()
        if not was_played and self._left is not None:
            self._left += 1
        if self._is_stopping:
            return
        if self._left == 0 and not self._called:
            self._enough.set()
        elif was_played:
            for assignment in list(self._refused.values()):  # what barred us may have ended
                self._start(assignment)
        elif self._spare:
            self._start(next(iter(self._spare.values())))

    @contextlib.asynccontextmanager
    async def _turn(self, table_id: str) -> AsyncIterator[None]:
        """A turn at a table; several seats of one table share it, as they wait for each other."""
        turn = self._turns.setdefault(table_id, _Turn())
        turn.seats += 1
        try:
            async with turn.lock:
                if not turn.is_held:
                    turn.is_held = await self._slots.acquire()
            yield
        finally:
            turn.seats -= 1
            if not turn.seats:
                del self._turns[table_id]
                if turn.is_held:
                    self._slots.release()

    async def _play(self, assignment: seat_service_pb2.SeatAssignment) -> bool:
        """Take the seat and play it; returns whether it was taken."""
        place = _place(assignment)
        try:
            bot = self._make()
        except Exception:
            _log.exception("%s: the bot cannot be made", _words(place))
            return False
        ticket = await self._join(assignment, bot)
        if ticket is None:
            return False
        try:
            result = await play_or_concede(self._client, bot, ticket)
        except Error as error:
            cause = error.__cause__ if isinstance(error, BotError) else None
            _log.error("%s: %s", _words(place), error, exc_info=cause)
        else:
            self._results.append(result)
        return True

    async def _join(self, assignment: seat_service_pb2.SeatAssignment, bot: Bot) -> Ticket | None:
        """The ticket of the seat; None if it cannot be taken now."""
        is_reserved = assignment.state == seat_service_pb2.SEAT_ASSIGNMENT_STATE_RESERVED
        try:
            return await self._client.join(
                assignment.table.table_id,
                seat=assignment.seat,
                player=bot.name or type(bot).__name__,
                replace_ticket=not is_reserved,
            )
        except Refused as error:
            _log.warning("%s: not taken: %s", _words(_place(assignment)), error)
            if error.reason == "BOARD_CONFLICT":
                self._refused[_place(assignment)] = assignment
            return None


def _place(assignment: seat_service_pb2.SeatAssignment) -> Place:
    return assignment.table.table_id, assignment.seat


def _words(place: Place) -> str:
    return f"table {place[0]}, seat {place[1]}"


def _wait_of(end: table_pb2.StreamEnd) -> float:
    """How long the server asks to wait after *end*.

    Raises:
        NotAllowed: the key is good no longer.
        Error: it asks for nothing, so the stream is over.
    """
    if end.reason == table_pb2.STREAM_END_REASON_KEY_REVOKED:
        raise key_ended(end.detail)
    if end.HasField("retry_after"):
        return max(end.retry_after.seconds + end.retry_after.nanos / 1e9, _RETRY_SECONDS)
    raise Error(f"the server ended the stream of seats: {end.detail}")
