"""What the SDK gives a table: clocks, nonces, and answers to what a seat is asked again."""

from __future__ import annotations

import asyncio
import hashlib
from queue import SimpleQueue

import pytest

from croupier import Bot, Clock, Decision, Move, UsageError
from croupier.background import Background
from croupier.clock import absence_policy
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
        strikes=4,
        on_time_out="forfeit",
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
    assert (clock.strikes, clock.on_time_out) == (4, table_pb2.TIME_OUT_POLICY_FORFEIT)


def test_what_a_clock_does_not_have_is_not_set() -> None:
    expected = table_pb2.ClockSpec(on_time_out=table_pb2.TIME_OUT_POLICY_STRIKE)
    assert Clock().message() == expected


@pytest.mark.parametrize("seconds", [-1, float("nan"), float("inf")])
def test_a_time_that_is_none(seconds: float) -> None:
    with pytest.raises(UsageError, match="per_move is no time"):
        Clock(per_move=seconds).message()


def test_a_policy_that_there_is_not() -> None:
    with pytest.raises(UsageError, match="on_time_out"):
        Clock(on_time_out="mercy").message()  # type: ignore[arg-type]


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
        self.may_go.get(timeout=10)
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
    async with asyncio.timeout(10):
        await link.has_answered.wait()
    assert (link.answers, bot.most) == (["1-0"], 1)
    threads.close()


def test_another_word_for_absence_is_told() -> None:
    assert absence_policy("house_bot") == table_pb2.ON_ABSENCE_HOUSE_BOT
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
