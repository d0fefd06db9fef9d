"""Refusals are told when it is stored what they tell of, as answers and events are.

A refusal that follows from what is lost in a crash was untrue, and before that it told of what
nobody may have heard of yet.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import NamedTuple

import pytest

from croupier.v1 import play_service_pb2 as play
from croupier.v1 import spectate_service_pb2 as spectate
from croupier.v1 import table_service_pb2 as lobby
from croupier_server.errors import CroupierError, Reason, Unavailable
from croupier_server.rpc.interceptors import Calls
from croupier_server.rpc.pages import PageTokens
from croupier_server.rpc.play_service import PlayService
from croupier_server.rpc.spectate_service import SpectateService
from croupier_server.rpc.table_service import TableService
from croupier_server.rpc.validate import Requests
from croupier_server.tables.caller import Caller
from croupier_server.tables.shard.shard import Created
from croupier_server.tables.spec import DealKind, DealSource, JoinTable, SeatSpec, StartMode
from tests.tables.test_lifecycle import MATCH, NONCES, RESERVED, hashed
from tests.tables.test_session import Client, named
from tests.tables.world import SlowLog, World, request


class Scene(NamedTuple):
    """A server whose store is slow, with a table that is stored."""

    log: SlowLog
    world: World
    made: Created
    tickets: list[str]

    @property
    def table_id(self) -> str:
        return self.made.table.spec.table_id

    def host(self) -> Caller:
        return Caller("host", host_ticket=self.made.host_ticket)

    def seat(self, seat: int) -> Caller:
        return Caller(f"bot {seat}", ticket=self.tickets[seat])

    def join(self, who: str, **changes: object) -> str:
        wanted = JoinTable(self.table_id, **changes)  # type: ignore[arg-type]
        return self.world.shard.join(Caller(who), wanted).ticket


def scene(taken: int, **changes: object) -> Scene:
    """With so many seats taken; all that is stored."""
    log = SlowLog()
    world = World(log)
    made = world.shard.create_table(Caller("host"), request(**changes))
    found = Scene(log, world, made, [])
    for seat in range(taken):
        found.tickets.append(found.join(f"bot {seat}"))
    log.store()
    return found


# What happens and is not stored, and what a caller is refused who comes then ---------------------


def services(at: Scene) -> tuple[TableService, PlayService, SpectateService]:
    pages = PageTokens(b"key")
    shard = at.world.shard
    return (
        TableService(shard, pages, frozenset()),
        PlayService(shard, pages, Calls(Requests(1 << 16), 1)),
        SpectateService(shard, pages),
    )


async def seat_is_taken() -> tuple[Scene, Awaitable[object]]:
    at = scene(1)
    at.join("quick", seat=1)
    wanted = lobby.JoinTableRequest(table_id=at.table_id, seat=1)
    return at, services(at)[0].join_table(Caller("late"), wanted)


async def table_is_full() -> tuple[Scene, Awaitable[object]]:
    at = scene(2, start_mode=StartMode.MANUAL)
    at.join("quick")
    wanted = lobby.JoinTableRequest(table_id=at.table_id)
    return at, services(at)[0].join_table(Caller("late"), wanted)


async def table_has_started() -> tuple[Scene, Awaitable[object]]:
    at = scene(2)
    at.join("quick")
    wanted = lobby.LeaveTableRequest(table_id=at.table_id)
    return at, services(at)[0].leave_table(at.seat(0), wanted)


async def table_is_started_twice() -> tuple[Scene, Awaitable[object]]:
    at = scene(3, start_mode=StartMode.MANUAL)
    at.world.shard.start(at.host(), at.table_id)
    wanted = lobby.StartTableRequest(table_id=at.table_id)
    return at, services(at)[0].start_table(at.host(), wanted)


async def table_is_empty_again() -> tuple[Scene, Awaitable[object]]:
    at = scene(3, start_mode=StartMode.MANUAL)
    at.world.shard.leave(at.seat(1), at.table_id)
    wanted = lobby.StartTableRequest(table_id=at.table_id)
    return at, services(at)[0].start_table(at.host(), wanted)


async def table_has_ended() -> tuple[Scene, Awaitable[object]]:
    at = scene(3)
    at.world.shard.concede(at.made.table, 0)
    wanted = lobby.AbortTableRequest(table_id=at.table_id)
    return at, services(at)[0].abort_table(at.host(), wanted)


async def match_has_ended() -> tuple[Scene, Awaitable[object]]:
    at = scene(3)
    at.world.shard.abort(at.host(), at.table_id, "")
    wanted = play.ConcedeRequest(table_id=at.table_id)
    return at, services(at)[1].concede(at.seat(0), wanted)


async def ticket_is_superseded() -> tuple[Scene, Awaitable[object]]:
    at = scene(1)
    caller = at.seat(0)
    at.world.shard.join(caller, JoinTable(at.table_id))
    wanted = play.GetSeatViewRequest(table_id=at.table_id)
    return at, services(at)[1].get_seat_view(caller, wanted)


async def stream_is_superseded() -> tuple[Scene, Awaitable[object]]:
    at = scene(1)
    caller = at.seat(0)
    at.world.shard.join(caller, JoinTable(at.table_id))
    wanted = play.WatchTableRequest(table_id=at.table_id)
    return at, anext(services(at)[1].watch_table(caller, wanted))


async def nonce_is_not_wanted() -> tuple[Scene, Awaitable[object]]:
    at = scene(0, deal=MATCH)
    at.tickets.extend(
        at.join(f"bot {seat}", nonce_hash=hashed(nonce)) for seat, nonce in enumerate(NONCES)
    )
    at.log.store()
    at.world.shard.abort(at.host(), at.table_id, "")
    wanted = play.OpenNonceRequest(table_id=at.table_id, nonce=NONCES[0])
    return at, services(at)[1].open_nonce(at.seat(0), wanted)


async def legal_moves_of_a_match_that_ended() -> tuple[Scene, Awaitable[object]]:
    at = scene(3)
    decision = next(one for one in at.made.table.match.decisions if one is not None)
    at.world.shard.concede(at.made.table, 1)
    wanted = play.ListLegalMovesRequest(table_id=at.table_id, decision_id=decision.id)
    return at, services(at)[1].list_legal_moves(at.seat(decision.seat), wanted)


async def spectator_has_sat_down() -> tuple[Scene, Awaitable[object]]:
    deal = DealSource(DealKind.BOARD, "b", bytes(32), tables=2)
    seats = (RESERVED, SeatSpec(RESERVED.access, "Bob"), SeatSpec(RESERVED.access, "Cat"))
    at = scene(0, deal=deal, seats=seats)
    other = at.world.shard.create_table(Caller("host"), request(deal=deal, seats=seats))
    at.log.store()
    at.join("spy", invite_code=at.made.invite_codes[0])
    wanted = spectate.SpectateTableRequest(table_id=other.table.spec.table_id)
    return at, anext(services(at)[2].spectate_table(Caller("spy"), wanted))


async def request_id_is_in_use() -> tuple[Scene, Awaitable[object]]:
    at = scene(0)
    at.join("bot", request_id="mine", seat=0)
    wanted = lobby.JoinTableRequest(table_id=at.table_id, request_id="mine", seat=1)
    return at, services(at)[0].join_table(Caller("bot"), wanted)


Happens = Callable[[], Awaitable[tuple[Scene, Awaitable[object]]]]
Waiting = tuple[Scene, asyncio.Future[object]]

REFUSED: dict[Happens, Reason] = {
    seat_is_taken: Reason.SEAT_TAKEN,
    table_is_full: Reason.TABLE_FULL,
    table_has_started: Reason.TABLE_STARTED,
    table_is_started_twice: Reason.TABLE_STARTED,
    table_is_empty_again: Reason.TABLE_NOT_READY,
    table_has_ended: Reason.TABLE_CLOSED,
    match_has_ended: Reason.TABLE_CLOSED,
    ticket_is_superseded: Reason.TICKET_SUPERSEDED,
    stream_is_superseded: Reason.TICKET_SUPERSEDED,
    nonce_is_not_wanted: Reason.TABLE_CLOSED,
    legal_moves_of_a_match_that_ended: Reason.TABLE_CLOSED,
    spectator_has_sat_down: Reason.BOARD_CONFLICT,
    request_id_is_in_use: Reason.REQUEST_ID_REUSED,
}
CASES = pytest.mark.parametrize("happens", REFUSED, ids=lambda case: case.__name__)


async def turns_of_the_loop() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


@pytest.fixture
async def waiting(happens: Happens) -> AsyncIterator[Waiting]:
    """A call that is to be refused for what is not stored, and has no answer yet."""
    at, asking = await happens()
    call = asyncio.ensure_future(asking)
    await turns_of_the_loop()
    yield at, call
    call.cancel()
    await asyncio.gather(call, return_exceptions=True)


@CASES
async def test_durable_a_refusal_waits_for_what_it_tells_of(
    happens: Happens, waiting: Waiting
) -> None:
    at, call = waiting
    assert not call.done()
    at.log.store()
    with pytest.raises(CroupierError) as error:
        await call
    assert error.value.reason is REFUSED[happens]


@CASES
async def test_durable_nothing_is_refused_for_what_was_never_stored(waiting: Waiting) -> None:
    at, call = waiting
    at.log.fail()
    with pytest.raises(Unavailable) as error:
        await call
    assert error.value.reason is Reason.STORE_UNAVAILABLE


@pytest.mark.parametrize("happens", [ticket_is_superseded])
async def test_what_a_store_in_trouble_has_not_taken_refuses_nobody(waiting: Waiting) -> None:
    at, call = waiting
    at.log.break_down()
    at.world.clock.advance(1_500)
    at.world.shard.loop_is_alive()
    with pytest.raises(Unavailable) as error:
        await call
    assert error.value.reason is Reason.STORE_UNAVAILABLE
    assert error.value.retry_ms


# Sessions ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("is_stored", "told"), [(True, "TICKET_SUPERSEDED"), (False, "STORE_UNAVAILABLE")]
)
def test_durable_a_channel_is_refused_for_what_is_stored(is_stored: bool, told: str) -> None:
    at = scene(0)
    ticket = at.world.join(at.made.table).ticket
    at.log.store()
    client = Client(at.world)
    client.say(hello={})
    assert client.hear() is not None
    at.world.shard.join(Caller(ticket=ticket), JoinTable(at.table_id))
    opening = {"channel": 1, "table_id": at.table_id, "ticket": ticket}
    assert client.talk(opens=[opening]) == []
    assert client.talk(opens=[opening]) == [(1, "MALFORMED_REQUEST")]  # the number is in use
    move = {"channel": 1, "decision_id": "1-0"}
    assert client.talk(moves=[move], nonces=[{"channel": 1, "nonce": NONCES[0]}]) == []
    if is_stored:
        at.log.store()
    else:
        at.log.fail()
    frame = client.hear()
    assert frame is not None
    assert named(frame) == [(1, told)]
    if is_stored:  # nothing is under way, so nothing is waited for
        assert client.talk(opens=[opening]) == [(1, told)]


def test_durable_a_nonce_is_refused_for_what_is_stored() -> None:
    at = scene(0, deal=MATCH)
    table = at.made.table
    tickets = [at.world.join(table, nonce_hash=hashed(nonce)).ticket for nonce in NONCES]
    at.log.store()
    client = Client(at.world)
    opening = {"channel": 1, "table_id": at.table_id, "ticket": tickets[0]}
    client.say(hello={}, opens=[opening])
    assert client.hear() is not None
    at.world.shard.abort(at.host(), at.table_id, "")
    assert client.talk(nonces=[{"channel": 1, "nonce": NONCES[0]}]) == []
    at.log.store()
    frame = client.hear()
    assert frame is not None
    assert (1, "TABLE_CLOSED") in named(frame)
