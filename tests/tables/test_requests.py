"""Requests for tables and seats: what does not go together, what comes twice, what is bounded."""

from __future__ import annotations

import asyncio
import gc
import weakref
from dataclasses import replace

import pytest

from croupier.v1 import table_pb2, table_service_pb2
from croupier_server.errors import (
    Conflict,
    Exhausted,
    InvalidRequest,
    NotAllowed,
    NotFound,
    Reason,
)
from croupier_server.games.registry import GAMES
from croupier_server.rpc.pages import PageTokens
from croupier_server.rpc.table_service import TableService
from croupier_server.storage.base import EndedRequest
from croupier_server.tables.caller import Caller
from croupier_server.tables.directory import idempotency
from croupier_server.tables.directory.idempotency import DAY_MS, Answers, request_key
from croupier_server.tables.directory.reception import Made
from croupier_server.tables.kept import Creation, dump, load
from croupier_server.tables.match.codec import read_spec, whole_spec
from croupier_server.tables.match.creation import GameEntry, creation, make_spec, pack_of, terms
from croupier_server.tables.spec import (
    Access,
    ClockSpec,
    CreateTable,
    DealKind,
    DealSource,
    JoinTable,
    SeatSpec,
    SpectatorDelay,
    TableSpec,
)
from tests.conformance.subjects import wire_of
from tests.tables.test_lifecycle import MATCH, RESERVED, hashed, refused
from tests.tables.world import World, request

# Requests ---------------------------------------------------------------------------------------


@pytest.mark.attack
@pytest.mark.parametrize("method", ["create_table", "join_table"])
def test_a_request_id_that_can_be_guessed_is_refused_without_a_key(method: str) -> None:
    world = World()
    service = TableService(world.shard, PageTokens(b"key"), frozenset())
    call = getattr(service, method)
    wanted = {
        "create_table": table_service_pb2.CreateTableRequest(request_id="seat-1"),
        "join_table": table_service_pb2.JoinTableRequest(table_id="table-1", request_id="seat-1"),
    }
    with pytest.raises(InvalidRequest) as error:
        asyncio.run(call(Caller(), wanted[method]))
    assert refused(error) == (Reason.MALFORMED_REQUEST, "request_id")


BOARD = DealSource(DealKind.BOARD, "b1", bytes(range(32)))
ALL_RESERVED = (RESERVED,) * 3


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"seats": (SeatSpec(),) * 4}, "seats"),
        ({"seats": (SeatSpec(Access.HOUSE),)}, "seats[0].house_bot"),
        ({"deal": BOARD}, "spec.deal_source.board"),
        ({"deal": BOARD, "seats": (RESERVED, RESERVED, SeatSpec())}, "spec.deal_source.board"),
        (
            {"deal": DealSource(DealKind.BOARD, "b", bytes(32), bytes(32)), "seats": ALL_RESERVED},
            "spec.deal_source.board.commitment",
        ),
        ({"deal": DealSource(DealKind.FIXED)}, "spec.deal_source.fixed.seed"),
        ({"rated": True}, "spec.rated"),
        ({"rated": True, "shared_seats": True, "deal": MATCH}, "spec.shared_seats"),
        ({"kind": 5}, "spec.game"),
        ({"ruleset": "other"}, "ruleset"),
    ],
)
def test_what_does_not_go_together_is_refused(changes: dict[str, object], field: str) -> None:
    world = World()
    with pytest.raises(InvalidRequest) as error:
        world.shard.create_table(Caller("key"), request(**changes))
    assert error.value.field == field
    assert world.logged() == ()


def test_a_table_without_keys_is_never_rated() -> None:
    with pytest.raises(NotAllowed) as error:
        World().shard.create_table(Caller(), request(rated=True, deal=MATCH))
    assert refused(error) == (Reason.PERMISSION_DENIED, "spec.rated")


def test_a_board_publishes_the_hash_of_its_root() -> None:
    world = World()
    table = world.create(deal=BOARD, seats=ALL_RESERVED)
    source = table_pb2.Table.FromString(table.resource()).spec.deal_source
    assert source.board.commitment == hashed(BOARD.root)
    assert source.board.board_id == "b1"
    assert not source.board.root


def test_a_server_holds_so_many_live_tables() -> None:
    world = World(tables_max=2)
    first = world.create()
    world.create()
    with pytest.raises(Exhausted) as error:
        world.create()
    assert error.value.reason is Reason.TOO_MANY_TABLES
    assert error.value.retry_ms > 0
    first.abort("room is wanted", world.clock.now)
    world.shard.commits.touch(first)
    world.shard.commits.flush()
    world.create()


# Requests that come twice -----------------------------------------------------------------------


def test_a_request_that_comes_twice_gets_one_answer() -> None:
    world = World()
    wanted = request(request_id="r1")
    made = world.shard.create_table(Caller(), wanted)
    assert world.shard.create_table(Caller(), wanted) == made
    joining = JoinTable("table-1", request_id="r1")
    joined = world.shard.join(Caller(), joining)
    assert world.shard.join(Caller(), joining) == joined
    assert made.table.seats[0].epoch == 1
    with pytest.raises(Conflict) as error:
        world.shard.create_table(Caller(), request(request_id="r1", title="other"))
    assert refused(error) == (Reason.REQUEST_ID_REUSED, "request_id")
    assert world.shard.create_table(Caller("other"), wanted) != made
    world.clock.advance(86_400_000)
    assert world.shard.create_table(Caller(), wanted) != made


def test_answers_that_are_kept_are_bounded() -> None:
    world = World(requests_max=2)
    made = [
        world.shard.create_table(Caller(), request(request_id=f"r{number}")) for number in range(3)
    ]
    again = [
        world.shard.create_table(Caller(), request(request_id=f"r{number}")) for number in (2, 1, 0)
    ]
    assert again[0] == made[2]
    assert again[1] == made[1]
    assert again[2] != made[0]


def test_answers_go_with_their_table() -> None:
    """A server that runs for weeks keeps of a table that is gone no more than that it was made: who
    sat there is forgotten, so the id of the call may serve for another."""
    world = World(ended_max=1)
    sitting = [JoinTable("table-1", seat=seat, request_id=f"seat {seat}") for seat in range(3)]
    wanted = [request(request_id=f"r{number}") for number in range(3)]
    made = [world.shard.create_table(Caller(), one) for one in wanted]
    assert [world.shard.create_table(Caller(), one) for one in wanted] == made
    joined = [world.shard.join(Caller(), one) for one in sitting]
    assert [world.shard.join(Caller(), one) for one in sitting] == joined
    for table, _, _ in made:
        table.abort("", world.clock.now)
        world.shard.commits.touch(table)
        world.shard.commits.flush()
    assert world.shard.create_table(Caller(), wanted[2]) == made[2]
    for one in wanted[:2]:
        with pytest.raises(NotFound):
            world.shard.create_table(Caller(), one)
    with pytest.raises(NotFound):
        world.shard.join(Caller(), replace(sitting[0], seat=1))


def test_a_call_is_known_for_a_day_after_its_table_has_gone() -> None:
    """With a restart and without."""
    world = World(ended_max=0)
    wanted = request(request_id="r1")
    made = world.shard.create_table(Caller(), wanted)
    world.clock.advance(DAY_MS - 1)
    world.shard.abort(Caller(host_ticket=made.host_ticket), "table-1", "")
    for _ in range(2):
        world.clock.advance(10)
        with pytest.raises(NotFound) as error:
            world.shard.create_table(Caller(), wanted)
        assert refused(error) == (Reason.NOT_FOUND, "request_id")
        assert error.value.metadata == {"table_id": "table-1"}
        world.restart()
    world.clock.advance(DAY_MS)
    assert world.shard.create_table(Caller(), wanted).table.spec.table_id == "table-2"


def test_of_tables_that_are_gone_the_newest_calls_are_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(idempotency, "ENDED_REQUESTS_MAX", 2)
    answers: Answers[Made] = Answers(9)
    for name in ("k", "l", "k", "m"):
        answers.go_on_from([EndedRequest(request_key("ann", name), b"r" * 32, name, 0)])
    for name in ("k", "m"):
        with pytest.raises(NotFound):
            answers.expect_new(request_key("ann", name), b"r" * 32, 1)
    answers.expect_new(request_key("ann", "l"), b"r" * 32, 1)


def test_a_refused_request_may_be_mended_under_its_id() -> None:
    world = World()
    with pytest.raises(InvalidRequest):
        world.shard.create_table(Caller(), request(request_id="r1", ruleset="none"))
    world.shard.create_table(Caller(), request(request_id="r1"))


@pytest.mark.parametrize("delay", [None, SpectatorDelay(decisions=4)])
def test_nothing_keeps_an_evicted_table_alive(delay: SpectatorDelay | None) -> None:
    """Neither answers that are kept, nor deadlines that are far away, nor the table itself: the
    garbage collector hardly ever looks at what is old."""
    world = World(ended_max=0)
    clock = ClockSpec(base_ms=10**9)
    made = world.shard.create_table(Caller(), request(request_id="r1", clock=clock, delay=delay))
    for number in range(3):
        world.shard.join(Caller(), JoinTable("table-1", request_id=f"seat {number}"))
    gc.collect()
    gc.disable()
    try:
        world.play(made.table)
        gone = weakref.ref(made.table)
        del made
        assert gone() is None
    finally:
        gc.enable()
    wanted = request(request_id="r1", clock=clock, delay=delay)
    with pytest.raises(NotFound):
        world.shard.create_table(Caller(), wanted)


# Decks of the host --------------------------------------------------------------------------------


def made(entry: GameEntry, request: CreateTable) -> TableSpec:
    return make_spec(entry, request, table_id="t", secret=bytes(32), now=0)


@pytest.mark.parametrize(
    ("deck", "why"),
    [
        (bytes(range(1, 52)), "missing AC"),
        (bytes((1, *range(1, 52))), "missing AC; too many 2S"),
        (bytes((*range(1, 53), 54)), "too many RJ"),
    ],
    ids=["too few", "one twice", "too many"],
)
def test_a_deck_that_is_not_the_pack_says_which_cards(deck: bytes, why: str) -> None:
    good, entry = bytes(range(52, 0, -1)), GameEntry(GAMES["tongits"], wire_of(GAMES["tongits"]))
    deal = DealSource(DealKind.FIXED, seed=1, decks=(good, deck))
    wanted = CreateTable(entry.wire.kind, deal=deal)
    with pytest.raises(InvalidRequest, match=f"not the pack of 52 cards: {why}") as error:
        made(entry, wanted)
    assert refused(error) == (Reason.MALFORMED_REQUEST, "spec.deal_source.fixed.decks[1].cards")


@pytest.mark.parametrize("game", sorted(GAMES))
def test_decks_outlive_a_restart_and_are_not_told(game: str) -> None:
    entry = GameEntry(GAMES[game], wire_of(GAMES[game]))
    plain = made(entry, CreateTable(entry.wire.kind))
    deal = DealSource(
        DealKind.FIXED, seed=1, decks=(bytes(reversed(pack_of(entry.game, plain.options))),)
    )
    spec = made(entry, CreateTable(entry.wire.kind, deal=deal))
    shown = terms(spec)
    kept = load(dump(creation(spec, b"")))
    assert isinstance(kept, Creation)
    again = whole_spec(read_spec(shown, dict(spec.option_text), entry), kept)
    assert again.deal == deal
    fixed = table_pb2.Table.FromString(shown).spec.deal_source.fixed
    assert fixed == table_pb2.FixedDeal()
