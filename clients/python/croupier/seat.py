"""One seat at one table: what it was asked, what it answered, and how its bot is made to think.

A `Seat` takes the updates of its table from whichever transport carries them and gives answers
back through the transport's `Link`. It remembers its last answer, so that a question that comes
again after a lost connection gets the same answer without asking the bot twice.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from typing import Any, Final, Protocol, TypeVar

from croupier.background import Background
from croupier.bot import Bot, Decision
from croupier.errors import (
    BotError,
    ConnectionFailed,
    Error,
    LimitReached,
    Refused,
    SeatLost,
    TableMoved,
    Unavailable,
    key_ended,
)
from croupier.errors import from_refusal as error_from_refusal
from croupier.moves import Move
from croupier.nonces import Nonces
from croupier.randomness import SeatRandom
from croupier.threads import Threads
from croupier.v1 import game_pb2, table_pb2
from croupier.views import Memory, View, WholeViews, view_of

__all__ = ["Link", "Seat", "Ticket", "Workplace"]

T = TypeVar("T")

ListLegal = Callable[["Ticket", str], Coroutine[Any, Any, game_pb2.LegalMoves]]
"""Asks the server for the legal answers of a decision that does not list them."""

_RETRY_SECONDS: Final = 0.2

_TOO_LATE: Final = frozenset(
    {
        "STALE_DECISION",
        "DECISION_ANSWERED",
        "UNKNOWN_DECISION",
        "NOT_YOUR_TURN",
        "TABLE_CLOSED",
        "TABLE_HALTED",
        "TICKET_SUPERSEDED",
    }
)
"""Refusals that mean that the question is over; the table's stream says how it goes on."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """The right to a seat, as JoinTable gave it.

    Attributes:
        table: the table when the seat was taken.
        seat: the seat.
        epoch: which life of the seat it is for.
        secret: the ticket itself; whoever has it holds the seat.
        nonce: the seat's first 32 secret bytes for the shuffle.
        player: how its player is shown.
    """

    table: table_pb2.Table
    seat: int
    epoch: int
    secret: str = field(repr=False)
    nonce: bytes = field(repr=False)
    player: table_pb2.Player = field(default_factory=table_pb2.Player)

    @property
    def table_id(self) -> str:
        """The table's id."""
        return self.table.table_id


class Link(Protocol):
    """What a seat needs from the transport that carries it. Calls never fail: what cannot be sent
    is asked for again by the server."""

    def answer(self, seat: Seat, decision_id: str, move: game_pb2.Move) -> None:
        """Send the answer to a decision."""

    def open_nonce(self, seat: Seat, nonce: bytes, next_hash: bytes) -> None:
        """Send a nonce of the seat, and the hash of its next one."""


@dataclass(frozen=True, slots=True)
class Workplace:
    """Where bots think: the event loop, tasks on it, and threads."""

    loop: asyncio.AbstractEventLoop
    background: Background
    threads: Threads


class Place(Enum):
    """Where the methods of a bot run."""

    INLINE = 1
    TASK = 2
    THREAD = 3


class Seat:
    """A seat that a bot of ours holds.

    Args:
        ticket: the right to it.
        bot: who plays.
        source: chance for the bot.
        workplace: where it thinks.
        list_legal: asks for legal answers where the table does not list them; None: nobody does.

    Attributes:
        ticket: the right to it.
        bot: who plays.
        nonces: what it adds to the shuffle.
        epoch: the table's epoch as last seen.
        sequence: number of the last event that was seen.
        decisions: how many questions came.
        is_superseded: a stream was refused, as something else holds the seat now.
        done: the result; None as the value means that the match ended and the result is to be
            fetched; an error if the seat was lost or the bot failed.
    """

    def __init__(
        self,
        ticket: Ticket,
        bot: Bot,
        source: SeatRandom,
        workplace: Workplace,
        list_legal: ListLegal | None = None,
    ) -> None:
        self.ticket = ticket
        self.bot = bot
        self.nonces = Nonces(ticket.nonce)
        self.epoch = ticket.table.table_epoch
        self.sequence = 0
        self.decisions = 0
        self.is_superseded = False
        self.done: asyncio.Future[game_pb2.MatchResult | None] = workplace.loop.create_future()
        self.link: Link | None = None
        self._table_id = ticket.table_id
        self._workplace = workplace
        self._source = source
        self._list_legal = list_legal
        self._memory: Memory = {}
        self._whole = WholeViews()
        self._place = Place.THREAD
        if bot.inline:
            self._place = Place.INLINE
        elif inspect.iscoroutinefunction(bot.decide):
            self._place = Place.TASK
        self._decision_id = ""
        self._move: Move | None = None
        self._asked: tuple[View, Decision] | None = None
        self._thinking: asyncio.Task[None] | None = None
        self._is_at_work = False
        self._next: tuple[Any, ...] | None = None
        self._past = 0

    @property
    def name(self) -> str:
        """The bot's name."""
        return self.bot.name or type(self.bot).__name__

    # Updates -------------------------------------------------------------------------------------
    def receive(self, update: table_pb2.TableUpdate, kind: str | None) -> None:
        """Take the next update of the table, all but its end.

        Args:
            update: the update.
            kind: which of its arms is set.
        """
        match kind:
            case "decision":
                self._decide(update.decision)
            case "move_refused":
                refused = update.move_refused
                self.refused(refused.decision_id, error_from_refusal(refused.refusal))
            case "nonce_wanted":
                if self.link is not None:
                    self.link.open_nonce(self, *self.nonces.open(update.nonce_wanted.nonce_hash))
            case "snapshot":
                self.epoch = update.snapshot.table.table_epoch
                self.sequence = update.snapshot.sequence
                if update.snapshot.table.HasField("result"):
                    self.finish(update.snapshot.table.result)
            case "resumed":
                self.epoch = update.resumed.table_epoch
            case "reset":
                if update.reset.reason == table_pb2.RESET_REASON_EPOCH:
                    self._forget()
            case "event":
                self.sequence = update.event.sequence
            case "result":
                self.finish(update.result)

    def end(self, end: table_pb2.StreamEnd) -> float | None:
        """Take the end of the table's stream.

        Returns:
            None if the seat is done; otherwise seconds after which to open it again.
        """
        match end.reason:
            case table_pb2.STREAM_END_REASON_MATCH_ENDED | table_pb2.STREAM_END_REASON_TABLE_HALTED:
                self.finish(None)
            case (
                table_pb2.STREAM_END_REASON_SLOW_CONSUMER
                | table_pb2.STREAM_END_REASON_SERVER_DRAINING
            ):
                return max(end.retry_after.seconds + end.retry_after.nanos / 1e9, _RETRY_SECONDS)
            case (
                table_pb2.STREAM_END_REASON_REPLACED | table_pb2.STREAM_END_REASON_TICKET_SUPERSEDED
            ):
                self.fail(SeatLost(f"seat {self.ticket.seat} was taken over: {end.detail}"))
            case table_pb2.STREAM_END_REASON_NONCE_WITHHELD:
                self.fail(SeatLost(f"seat {self.ticket.seat} was freed: {end.detail}"))
            case table_pb2.STREAM_END_REASON_KEY_REVOKED:
                self.fail(key_ended(end.detail))
            case table_pb2.STREAM_END_REASON_MOVED:
                self.fail(TableMoved(end.endpoint))
            case _ if end.HasField("retry_after"):  # one of a newer server, too
                return max(end.retry_after.seconds + end.retry_after.nanos / 1e9, _RETRY_SECONDS)
            case _:
                self.fail(Error(f"the server ended the stream: {reason_word(end)}: {end.detail}"))
        return None

    def is_over(self, error: Refused) -> bool:
        """Whether *error*, in the place of a stream, says that the match has ended: so does a table
        that let us watch and is not there any more."""
        is_gone = error.reason == "TICKET_INVALID" and self.sequence > 0
        return is_gone or error.reason in ("TABLE_CLOSED", "TABLE_HALTED")

    def finish(self, result: game_pb2.MatchResult | None) -> None:
        """The match has ended."""
        if not self.done.done():
            self.done.set_result(result)

    def turned_away(self, error: Refused) -> None:
        """The server does not let us follow the table."""
        if error.reason == "MOVED":
            self.fail(TableMoved(error.metadata.get("endpoint", "")))
            return
        self.is_superseded = error.reason == "TICKET_SUPERSEDED"
        self.fail(error)

    def come_back(self, ticket: Ticket) -> None:
        """The seat, which was taken over, is ours again by *ticket*; others have played it."""
        self.ticket = ticket
        self.is_superseded = False
        self.sequence = 0
        self.epoch = ticket.table.table_epoch
        self.done = self._workplace.loop.create_future()
        self._forget()

    def go_on(self) -> None:
        """The table is at another server, which carries on where this one stopped."""
        self.done = self._workplace.loop.create_future()

    def leave(self) -> None:
        """Nobody waits for this seat any longer: stop a bot that thinks in a task."""
        if self._thinking is not None:
            self._thinking.cancel()

    def fail(self, error: Error) -> None:
        """The seat cannot go on."""
        if not self.done.done():
            self.done.set_exception(error)

    def _forget(self) -> None:
        """The table has another past now: what was asked and answered before is nothing to it, and
        its decisions may have the same ids."""
        self._past += 1
        self._decision_id = ""
        self._move = self._asked = self._next = None
        self._memory = {}
        self.leave()

    # Decisions -----------------------------------------------------------------------------------
    def _decide(self, message: table_pb2.Decision) -> None:
        self._whole.restore(message)
        decision_id = message.decision_id
        if decision_id == self._decision_id:
            if self._move is not None and self.link is not None:
                self.link.answer(self, decision_id, self._move.message)
            return
        self._decision_id = decision_id
        self._move = None
        self.sequence = message.sequence
        self.decisions += 1
        try:
            view = view_of(message.view, self._memory)
        except Error as error:
            self.fail(error)
            return
        ask = None if self._list_legal is None else self._list_legal_in_thread
        decision = Decision(message, self._table_id, self._source, ask)
        self._asked = (view, decision)
        if (
            self._list_legal is not None
            and decision.is_unlisted
            and self._place is not Place.THREAD
        ):
            work = self._list_then_think(self._list_legal, view, decision)
            self._thinking = self._workplace.background.start(work)
            return
        if self._place is not Place.INLINE:
            self._think(decision_id, self.bot.decide, view, decision)
            return
        try:
            answer = self.bot.decide(view, decision)
        except Exception as error:
            self._failed(error)
        else:
            self._answer(decision_id, answer)

    async def _list_then_think(self, ask: ListLegal, view: View, decision: Decision) -> None:
        """Have a bot on the loop think when there is something to choose from: it cannot wait."""
        try:
            decision.list_legal(await ask(self.ticket, decision.id))
        except Error as error:
            self._failed(error)
            return
        if decision.id == self._decision_id:
            self._think(decision.id, self.bot.decide, view, decision)

    def _list_legal_in_thread(self, decision_id: str) -> game_pb2.LegalMoves:
        """The legal answers, for a bot that runs in a thread."""
        assert self._list_legal is not None
        work = self._list_legal(self.ticket, decision_id)
        return asyncio.run_coroutine_threadsafe(work, self._workplace.loop).result()

    def refused(self, decision_id: str, error: Refused) -> None:
        """The answer to a decision was refused."""
        if decision_id != self._decision_id or self._asked is None or self._move is None:
            return
        if error.reason in _TOO_LATE:
            return
        if error.retry_after is not None or isinstance(error, LimitReached | Unavailable):
            wait = _RETRY_SECONDS if error.retry_after is None else error.retry_after
            self._workplace.loop.call_later(wait, self._again, decision_id)
            return
        view, decision = self._asked
        move, self._move = self._move, None
        self._think(decision_id, self.bot.on_refused, view, decision, move, error)

    def _again(self, decision_id: str) -> None:
        """Send the answer once more, if the question is still open."""
        if decision_id == self._decision_id and self._move is not None and self.link is not None:
            self.link.answer(self, decision_id, self._move.message)

    def _think(
        self, decision_id: str, ask: Callable[..., Move | Awaitable[Move]], *question: object
    ) -> None:
        """Have the bot answer where it wants to."""
        work = self._workplace
        if self._place is Place.INLINE:
            try:
                answer = ask(*question)
            except Exception as error:
                self._failed(error)
                return
            self._answer(decision_id, answer)
        elif self._place is Place.TASK:
            self._thinking = work.background.start(self._think_async(decision_id, ask, *question))
        elif self._is_at_work:
            self._next = (decision_id, ask, *question)
        else:
            self._is_at_work = True
            past = self._past
            work.threads.run(lambda: self._think_in_thread(past, decision_id, ask, *question))

    async def _think_async(
        self, decision_id: str, ask: Callable[..., Move | Awaitable[Move]], *question: object
    ) -> None:
        try:
            answer = ask(*question)
            self._answer(decision_id, await answer if inspect.isawaitable(answer) else answer)
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            self._failed(error)  # a task of the bot's own was cancelled, not this one
        except Exception as error:
            self._failed(error)

    def _think_in_thread(
        self,
        past: int,
        decision_id: str,
        ask: Callable[..., Move | Awaitable[Move]],
        *question: object,
    ) -> None:
        deliver: Callable[[], None]
        try:
            answer = ask(*question)
        except BaseException as error:  # in a thread even `sys.exit` would go unheard
            deliver = partial(self._failed, error)
        else:
            deliver = partial(self._answer, decision_id, answer, past)
        _report(self._workplace.loop, partial(self._thought, deliver))

    def _thought(self, deliver: Callable[[], None]) -> None:
        """The thread is done: take what came of it, and have the bot think of what came since."""
        self._is_at_work = False
        deliver()
        waiting, self._next = self._next, None
        if waiting is not None and waiting[0] == self._decision_id and self._move is None:
            self._think(*waiting)

    def _answer(self, decision_id: str, move: object, past: int | None = None) -> None:
        """The bot gave *move*; send it if the question is still open, in the *past* that it was
        asked in."""
        if not isinstance(move, Move):
            kind = type(self.bot).__name__
            self.fail(BotError(f"{kind} answered {move!r}, which is no move of decision.legal"))
            return
        if decision_id != self._decision_id or past not in (None, self._past):
            return
        self._move = move
        if self.link is not None:
            self.link.answer(self, decision_id, move.message)

    def _failed(self, error: BaseException) -> None:
        """The bot raised."""
        if isinstance(error, Refused) and error.reason in _TOO_LATE:
            return  # it asked for its legal moves when the question was over
        if isinstance(error, Refused | BotError | ConnectionFailed):
            self.fail(error)
            return
        wrapped = BotError(f"{type(self.bot).__name__}: {type(error).__name__}: {error}")
        wrapped.__cause__ = error
        self.fail(wrapped)

    # Hooks ---------------------------------------------------------------------------------------
    async def call_hook(self, hook: Callable[..., Awaitable[None] | None], *facts: object) -> None:
        """Run one of the bot's `on_...` methods where the bot runs, and wait for it.

        Raises:
            BotError: it raised.
        """
        if getattr(hook, "__func__", None) in (Bot.on_start, Bot.on_end):
            return
        try:
            if self._place is Place.THREAD:
                found = await self._in_thread(lambda: hook(*facts))
            else:
                found = hook(*facts)
            if inspect.isawaitable(found):
                await found
        except (Exception, SystemExit) as error:
            raise BotError(
                f"{type(self.bot).__name__}.{hook.__name__}: {type(error).__name__}: {error}"
            ) from error

    async def _in_thread(self, call: Callable[[], T]) -> T:
        loop = self._workplace.loop
        future: asyncio.Future[T] = loop.create_future()

        def settle(outcome: T | BaseException) -> None:
            if future.done():
                return
            if isinstance(outcome, BaseException):
                future.set_exception(outcome)
            else:
                future.set_result(outcome)

        def job() -> None:
            outcome: T | BaseException
            try:
                outcome = call()
            except BaseException as error:  # as with a decision
                outcome = error
            _report(loop, lambda: settle(outcome))

        self._workplace.threads.run(job)
        return await future


def reason_word(end: table_pb2.StreamEnd) -> str:
    """Why a stream ended, for people; the number, if a newer server has a new reason."""
    known = table_pb2.StreamEndReason.DESCRIPTOR.values_by_number.get(end.reason)
    return known.name.removeprefix("STREAM_END_REASON_") if known else f"reason {end.reason}"


def _report(loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
    """Have *call* run on the loop, unless the loop has ended while a thread was at work."""
    try:
        loop.call_soon_threadsafe(call)
    except RuntimeError:
        if not loop.is_closed():
            raise
