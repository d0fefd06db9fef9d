"""Promise 5, Fair, through the contract: flags fall by the table's policy, absences are forgiven as
far as it says, and a nonce that is withheld stops nobody.

A whole server, on a clock that the test moves.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable

import pytest

from croupier import Bot, Client, Decision, Move
from croupier.client import Transport
from croupier.record.v1 import record_pb2
from croupier.v1 import game_pb2, play_service_pb2, table_pb2
from croupier.views import View
from tests.rpc.calls import Caller
from tests.rpc.conftest import Running, server
from tests.rpc.players import PLAY, TONGITS, Seats, first_move, make_full, ticket_of

CLOCK = "spec { clock { base { seconds: 10 } max_strikes: 2 on_timeout: %s } } "


def pass_time(whole: Running, milliseconds: int) -> None:
    whole.clock.advance(milliseconds)
    whole.app.shard.tick()


async def until(happened: Callable[[], bool]) -> None:
    """Let the server work until *happened*."""
    while not happened():  # noqa: ASYNC110 - nobody tells of what it waits for
        await asyncio.sleep(0)


async def record_of(call: Caller, table_id: str) -> record_pb2.MatchRecord:
    return await call.record(table_id)


def told(record: record_pb2.MatchRecord) -> list[table_pb2.TableEvent]:
    """The events of a record as everybody saw them."""
    return [
        table_pb2.TableEvent.FromString(row.public_part) for row in record.rows if row.public_part
    ]


async def with_fallen_flag(whole: Running, policy: str) -> tuple[Seats, table_pb2.Decision]:
    """A table at which the flag of the seat to move has fallen once."""
    seats = await make_full(whole.call, TONGITS + CLOCK % f"TIMEOUT_POLICY_{policy}")
    decision = await seats.open()
    assert decision is not None
    pass_time(whole, 10_000 + 100)  # the flat grace for unary clients
    return seats, decision


async def clocks(seats: Seats) -> dict[int, tuple[int, int]]:
    """Milliseconds left and strikes, by seat."""
    shown = (await seats.view(0)).snapshot.clocks
    return {one.seat: (one.remaining.ToMilliseconds(), one.strikes) for one in shown}


@pytest.mark.parametrize(
    ("policy", "strikes"), [("FALLBACK", 0), ("STRIKE", 1), ("UNSPECIFIED", 1)]
)
async def test_fair_a_flag_that_falls_has_a_move_played(
    whole: Running, policy: str, strikes: int
) -> None:
    seats, decision = await with_fallen_flag(whole, policy)
    table = await seats.table()
    assert table.status == table_pb2.TABLE_STATUS_PLAYING
    assert table.spec.clock.on_timeout == (
        table_pb2.TIMEOUT_POLICY_STRIKE if strikes else table_pb2.TIMEOUT_POLICY_FALLBACK
    )
    assert (await clocks(seats))[decision.seat] == (0, strikes)
    late = play_service_pb2.SubmitMoveRequest(
        table_id=seats.id, decision_id=decision.decision_id, move=first_move(decision)
    )
    ticket = ticket_of(seats.tickets[decision.seat])
    refused = await seats.call.refused(f"{PLAY}/SubmitMove", late, ticket)
    assert refused.reason == "STALE_DECISION"


async def test_fair_so_many_strikes_are_a_forfeit_that_names_seat_and_reason(
    whole: Running,
) -> None:
    seats, decision = await with_fallen_flag(whole, "STRIKE")
    while (await seats.table()).status == table_pb2.TABLE_STATUS_PLAYING:
        open_now = await seats.open()
        assert open_now is not None
        if open_now.seat == decision.seat:
            pass_time(whole, 10_000 + 100)
        else:
            await seats.submit(open_now, first_move(open_now))
    result = (await seats.table()).result
    assert result.reason == game_pb2.END_REASON_FORFEIT
    assert (result.seat_at_fault, result.detail) == (decision.seat, "out of strikes")
    places = {one.seat: one.place for one in result.seats}
    assert places[decision.seat] == 3
    assert sorted(places.values()) == [1, 1, 3]


async def test_fair_a_flag_may_be_the_end_and_names_seat_and_reason(whole: Running) -> None:
    seats, decision = await with_fallen_flag(whole, "FORFEIT")
    result = (await seats.table()).result
    assert result.reason == game_pb2.END_REASON_FORFEIT
    assert (result.seat_at_fault, result.detail) == (decision.seat, "out of time")
    record = await record_of(whole.call, seats.id)
    kinds = [event.WhichOneof("event") for event in told(record)]
    assert kinds[-2:] == ["seat_timed_out", "match_ended"]


async def test_fair_both_stamps_of_every_decision_are_in_the_record(whole: Running) -> None:
    seats = await make_full(whole.call, TONGITS + CLOCK % "TIMEOUT_POLICY_STRIKE")
    thought: list[tuple[int, int]] = []
    while (decision := await seats.open()) is not None:
        asked = whole.clock.now
        whole.clock.advance(len(thought) % 7 * 100)
        thought.append((asked, whole.clock.now))
        await seats.submit(decision, first_move(decision))
    record = await record_of(whole.call, seats.id)
    moves = [row.input.move for row in record.rows if row.input.HasField("move")]
    stamps = [
        (move.asked_time.ToMilliseconds(), move.answered_time.ToMilliseconds()) for move in moves
    ]
    assert stamps == thought
    for move, (asked, answered) in zip(moves, thought, strict=True):
        assert move.charged.ToMilliseconds() == max(answered - asked - 100, 0)
        assert not move.HasField("absent")
    assert len(thought) > 7


async def test_fair_a_lost_stream_stops_the_clock_for_as_long_as_the_table_says(
    whole: Running,
) -> None:
    clock = "spec { clock { base { seconds: 10 } disconnect_grace { seconds: 4 } } } "
    seats = await make_full(whole.call, TONGITS + clock)
    decision = await seats.open()
    assert decision is not None
    seat = decision.seat
    watch = whole.call.stream(
        f"{PLAY}/WatchTable",
        play_service_pb2.WatchTableRequest(table_id=seats.id),
        play_service_pb2.WatchTableResponse,
        ticket_of(seats.tickets[seat]),
    )
    assert (await anext(watch)).update.HasField("snapshot")
    table = whole.app.shard.table(seats.id)
    pass_time(whole, 1_100)
    assert (await clocks(seats))[seat][0] == 9_000
    await watch.aclose()
    await until(lambda: table.seat_watchers[seat] is None)
    pass_time(whole, 3_000)
    assert (await clocks(seats))[seat][0] == 9_000
    pass_time(whole, 3_000)
    assert (await clocks(seats))[seat][0] == 7_000
    await seats.submit(decision, first_move(decision))
    await seats.finish()
    record = await record_of(whole.call, seats.id)
    move = next(row.input.move for row in record.rows if row.input.HasField("move"))
    assert move.absent.ToMilliseconds() == 4_000
    assert move.charged.ToMilliseconds() == 3_000


# Through the SDK --------------------------------------------------------------------------------


class First(Bot):
    """Plays the first move that is legal."""

    inline = True

    def decide(self, view: View, decision: Decision) -> Move:
        return decision.legal[0]


@pytest.mark.parametrize("transport", ["session", "watch"])
async def test_verifiable_sdk_bots_play_on_where_a_seat_withheld_its_nonce(
    transport: Transport,
) -> None:
    async with (
        server(nonce_ms=1_000) as whole,
        Client(whole.app.server.address, transport=transport) as client,
    ):
        made = await client.create_table(
            "tongits", options={"max_hands": 1}, seats=["open"] * 3, shared_seats=True
        )
        tickets = [await client.join(made.table_id) for _ in range(3)]
        bots = [asyncio.create_task(client.play(First(), one)) for one in tickets[:2]]
        table = whole.app.shard.table(made.table_id)
        await until(lambda: [bool(seat.nonce) for seat in table.seats] == [True, True, False])
        first = (await client.get_table(made.table_id)).commitment
        pass_time(whole, 1_000)
        shown = await client.get_table(made.table_id)
        assert shown.status == table_pb2.TABLE_STATUS_OPEN
        assert shown.commitment != first
        again = await client.join(made.table_id)
        assert again.seat == 2
        results = [await client.play(First(), again), *[await bot for bot in bots]]
        record = await record_of(whole.call, made.table_id)
    nonces = {result.seat: result.nonce for result in results}
    assert list(record.reveal.nonces) == [nonces[seat] for seat in range(3)]
    for seat, ticket in enumerate(tickets[:2]):
        assert nonces[seat] != ticket.nonce
    filled = [event.seats_filled for event in told(record) if event.HasField("seats_filled")]
    hashes = [hashlib.sha256(nonces[seat]).digest() for seat in range(3)]
    assert [seat.nonce_hash for seat in filled[-1].seats] == hashes
    assert {result.reason.name for result in results} == {"FINISHED"}
