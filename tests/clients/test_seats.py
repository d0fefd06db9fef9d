"""What the SDK gives a table: clocks, nonces, and answers to what a seat is asked again."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from queue import SimpleQueue
from typing import NamedTuple

import grpc
import pytest

from croupier import Bot, Clock, Decision, Move, UsageError
from croupier.arms import move_of
from croupier.background import Background
from croupier.clock import absence_policy
from croupier.errors import Conflict, ConnectionFailed, Error
from croupier.nonces import NONCE_BYTES, Nonces
from croupier.randomness import SeatRandom
from croupier.seat import Seat, Ticket, Workplace
from croupier.threads import Threads
from croupier.v1 import game_pb2, table_pb2
from croupier.views import View
from tests.clients.fake_server import FakeTable, Script


def test_a_nonce_is_opened_with_the_hash_of_the_next() -> None:
    first = b"n" * NONCE_BYTES
    nonces = Nonces(first)
    nonce, next_hash = nonces.open(hashlib.sha256(first).digest())
    assert nonce == first == nonces.last
    second, third_hash = nonces.open(next_hash)
    assert hashlib.sha256(second).digest() == next_hash
    assert len(second) == NONCE_BYTES
    assert second == nonces.last
    assert len({first, second, nonces.open(third_hash)[0]}) == 3


def test_a_nonce_that_is_asked_for_again_is_the_same_with_the_same_next() -> None:
    nonces = Nonces(b"n" * NONCE_BYTES)
    wanted = hashlib.sha256(nonces.last).digest()
    once = nonces.open(wanted)
    assert nonces.open(wanted) == once
    later = nonces.open(once[1])
    assert nonces.open(once[1]) == later


@pytest.mark.parametrize("wanted", [b"", bytes(32)])
def test_a_hash_that_was_never_promised_gets_the_last_nonce(wanted: bytes) -> None:
    nonces = Nonces(b"n" * NONCE_BYTES)
    assert nonces.open(wanted)[0] == b"n" * NONCE_BYTES


def test_a_clock_in_seconds_is_that_of_the_contract() -> None:
    clock = Clock(
        base=300,
        increment=0.25,
        per_move=1.5,
        window_time=2,
        max_strikes=4,
        on_timeout="forfeit",
        disconnect_grace=30,
        start_timeout=60,
    ).message()
    times = (
        clock.base,
        clock.increment,
        clock.per_move,
        clock.window_time,
        clock.disconnect_grace,
        clock.start_timeout,
    )
    assert [time.ToMilliseconds() for time in times] == [300_000, 250, 1_500, 2_000, 30_000, 60_000]
    assert (clock.max_strikes, clock.on_timeout) == (4, table_pb2.TIMEOUT_POLICY_FORFEIT)


def test_what_a_clock_does_not_have_is_not_set() -> None:
    expected = table_pb2.ClockSpec(on_timeout=table_pb2.TIMEOUT_POLICY_STRIKE)
    assert Clock().message() == expected


@pytest.mark.parametrize("seconds", [-1, float("nan"), float("inf")])
def test_a_time_that_is_none(seconds: float) -> None:
    with pytest.raises(UsageError, match="per_move must be a finite number"):
        Clock(per_move=seconds).message()


def test_a_policy_that_there_is_not() -> None:
    with pytest.raises(UsageError, match="on_timeout"):
        Clock(on_timeout="mercy").message()  # type: ignore[arg-type]


class Pondering(Bot):
    """Thinks in a thread until it is let go, and notes how often at once."""

    def __init__(self) -> None:
        self.asked = SimpleQueue[None]()
        self.may_go = SimpleQueue[None]()
        self.at_once = self.most = 0

    def decide(self, view: View, decision: Decision) -> Move:
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        self.asked.put(None)
        self.may_go.get()
        self.at_once -= 1
        return decision.legal[0]


async def test_a_bot_is_asked_one_question_at_a_time() -> None:
    """Also when the seat was lost and taken back meanwhile, after which ids mean other things."""
    table, bot, link = FakeTable("t0", Script()), Pondering(), Sent()
    threads = Threads(4)
    work = Workplace(asyncio.get_running_loop(), Background(), threads)
    ticket = Ticket(table.message, 0, 1, "ticket", bytes(NONCE_BYTES))
    seat = Seat(ticket, bot, SeatRandom(1, "t0", 0), work)
    seat.link = link
    question = table.question()
    seat.receive(question, "decision")
    await asyncio.to_thread(bot.asked.get)
    seat.come_back(ticket)
    seat.receive(question, "decision")
    bot.may_go.put(None)
    await asyncio.to_thread(bot.asked.get)
    assert link.answers == []
    bot.may_go.put(None)
    await link.has_answered.wait()
    assert (link.answers, bot.most) == (["1-0"], 1)
    threads.close()


def test_another_word_for_absence_is_told() -> None:
    assert absence_policy("house_bot") == table_pb2.ABSENCE_POLICY_HOUSE_BOT
    with pytest.raises(UsageError, match="wait or house_bot or forfeit, not 'mercy'"):
        absence_policy("mercy")  # type: ignore[arg-type]


class Asked(Bot):
    """Takes the first move, and counts how often it was asked."""

    inline = True
    times = 0

    def decide(self, view: View, decision: Decision) -> Move:
        self.times += 1
        return decision.legal[0]


class Sent:
    """Notes the answers that a seat sends."""

    def __init__(self) -> None:
        self.answers: list[str] = []
        self.has_answered = asyncio.Event()

    def answer(self, seat: Seat, decision_id: str, move: game_pb2.Move) -> None:
        self.answers.append(decision_id)
        self.has_answered.set()

    def open_nonce(self, seat: Seat, nonce: bytes, next_hash: bytes) -> None:
        raise AssertionError("no nonce was wanted")


@pytest.mark.parametrize(
    ("reason", "asked"),
    [
        (table_pb2.RESET_REASON_TOO_OLD, 1),
        (table_pb2.RESET_REASON_SLOW_CONSUMER, 1),
        (table_pb2.RESET_REASON_EPOCH, 2),
    ],
)
async def test_resumable_what_is_asked_again_is_answered_again(
    reason: table_pb2.ResetReason.ValueType, asked: int
) -> None:
    """The bot is asked once, unless the table has another past: its ids mean nothing then."""
    table = FakeTable("t0", Script())
    bot, link = Asked(), Sent()
    work = Workplace(asyncio.get_running_loop(), Background(), Threads(1))
    ticket = Ticket(table.message, 0, 1, "ticket", bytes(NONCE_BYTES))
    seat = Seat(ticket, bot, SeatRandom(1, "t0", 0), work)
    seat.link = link
    question = table.question()
    seat.receive(question, "decision")
    seat.receive(question, "decision")
    assert (bot.times, link.answers) == (1, ["1-0"] * 2)
    seat.receive(table_pb2.TableUpdate(reset=table_pb2.Reset(reason=reason)), "reset")
    seat.receive(question, "decision")
    assert (bot.times, link.answers) == (asked, ["1-0"] * 3)


# Legal moves that the question leaves out ---------------------------------------------------------


class Listing:
    """Answers what is legal when the test lets it, or with an error."""

    def __init__(self, answer: game_pb2.LegalMoves | Error) -> None:
        self.answer = answer
        self.asked: list[str] = []
        self.may_go = asyncio.Event()

    async def __call__(self, ticket: Ticket, decision_id: str) -> game_pb2.LegalMoves:
        self.asked.append(decision_id)
        await self.may_go.wait()
        if isinstance(self.answer, Error):
            raise self.answer
        return self.answer


class InThread(Asked):
    """The same, in a thread."""

    inline = False


class Coroutine(Asked):
    """The same, as a coroutine."""

    inline = False

    async def decide(self, view: View, decision: Decision) -> Move:  # type: ignore[override]
        """As `Asked`."""
        return super().decide(view, decision)


async def unlisted(bot: Bot, listing: Callable[[game_pb2.LegalMoves], Listing]) -> Unlisted:
    """A seat that is asked without being told what is legal."""
    table = FakeTable("t0", Script())
    question = table.question()
    legal = game_pb2.LegalMoves()
    legal.CopyFrom(question.decision.legal)
    question.decision.legal.Clear()
    question.decision.legal.truncated = True
    background = Background()
    await background.open()
    work = Workplace(asyncio.get_running_loop(), background, Threads(1))
    ticket = Ticket(table.message, 0, 1, "ticket", bytes(NONCE_BYTES))
    found = listing(legal)
    seat = Seat(ticket, bot, SeatRandom(1, "t0", 0), work, found)
    link = Sent()
    seat.link = link
    return Unlisted(seat, question, found, link, background)


class Unlisted(NamedTuple):
    """A seat, what it is asked, who tells it what is legal, its answers, and its tasks."""

    seat: Seat
    question: table_pb2.TableUpdate
    listing: Listing
    link: Sent
    background: Background


@pytest.mark.fault
@pytest.mark.parametrize("make", [Asked, InThread, Coroutine])
async def test_legal_moves_that_are_left_out_are_asked_for_once(make: type[Asked]) -> None:
    bot = make()
    at = await unlisted(bot, Listing)
    at.seat.receive(at.question, "decision")
    at.seat.receive(at.question, "decision")  # once more after a lost stream
    at.listing.may_go.set()
    await at.link.has_answered.wait()
    assert (at.listing.asked, bot.times, at.link.answers) == (["1-0"], 1, ["1-0"])
    await at.background.close()


@pytest.mark.parametrize("make", [Asked, InThread, Coroutine])
async def test_a_question_that_is_over_before_its_moves_are_known_is_let_be(
    make: type[Asked],
) -> None:
    over = Conflict(grpc.StatusCode.ABORTED, "STALE_DECISION", "the decision is over")
    at = await unlisted(make(), lambda _: Listing(over))
    at.seat.receive(at.question, "decision")
    at.listing.may_go.set()
    following = FakeTable("t0", Script()).question()
    following.decision.decision_id = "2-0"
    at.seat.receive(following, "decision")
    await at.link.has_answered.wait()
    await asyncio.gather(*at.background._tasks)
    assert at.listing.asked == ["1-0"]
    assert at.link.answers == ["2-0"]
    assert not at.seat.done.done()
    await at.background.close()


@pytest.mark.parametrize("make", [Asked, InThread, Coroutine])
async def test_a_server_that_is_gone_is_said_to_be(make: type[Asked]) -> None:
    at = await unlisted(make(), lambda _: Listing(ConnectionFailed("nobody answers")))
    at.seat.receive(at.question, "decision")
    at.listing.may_go.set()
    with pytest.raises(ConnectionFailed, match="nobody answers"):
        await at.seat.done
    await at.background.close()


async def test_moves_of_a_past_that_is_over_are_not_waited_for() -> None:
    bot = Asked()
    at = await unlisted(bot, Listing)
    at.seat.receive(at.question, "decision")
    await asyncio.sleep(0)
    at.seat.come_back(at.seat.ticket)
    at.listing.may_go.set()
    at.seat.receive(at.question, "decision")
    await at.link.has_answered.wait()
    assert (bot.times, at.link.answers) == (1, ["1-0"])
    await at.background.close()


async def test_a_bot_in_a_thread_that_asks_for_no_moves_costs_no_call() -> None:
    class Knows(InThread):
        def decide(self, view: View, decision: Decision) -> Move:
            return move_of(moves[0])

    at = await unlisted(Knows(), Listing)
    assert isinstance(at.listing.answer, game_pb2.LegalMoves)
    moves = at.listing.answer.moves
    at.seat.receive(at.question, "decision")
    await at.link.has_answered.wait()
    assert at.listing.asked == []
    await at.background.close()
