"""Records of tables that share their cards come together (promise 7, deal source BOARD)."""

from __future__ import annotations

import hashlib

from croupier_server.storage.memory import MemoryLog, MemoryRecords
from croupier_server.tables.caller import Caller
from croupier_server.tables.match.table import Table
from croupier_server.tables.spec import Access, DealKind, DealSource, JoinTable, SeatSpec
from tests.tables.world import World, now, request


def board(tables: int, name: str = "north") -> DealSource:
    root = hashlib.sha256(name.encode()).digest()
    return DealSource(DealKind.BOARD, board_id=name, root=root, tables=tables)


def create(world: World, deal: DealSource) -> tuple[Table, str]:
    """A table of *deal* with somebody on every seat, and its host ticket."""
    seats = (SeatSpec(Access.RESERVED),) * 3
    made = world.shard.create_table(
        Caller(), request(deal=deal, seats=seats, options={"deals": 1}, shared_seats=True)
    )
    for code in made.invite_codes:
        world.shard.join(Caller(), JoinTable(made.table.spec.table_id, invite_code=code))
    return made.table, made.host_ticket


def kept(world: World) -> list[str]:
    """Tables that have a record, oldest first."""
    return [entry.table_id for entry in reversed(now(world.records.newest(before=None, limit=9)))]


def test_records_of_a_board_wait_for_its_last_table() -> None:
    world = World()
    first, _ = create(world, board(2))
    world.play(first)
    assert first.result is not None
    assert kept(world) == []
    second, _ = create(world, board(2))
    world.play(second)
    assert kept(world) == ["table-1", "table-2"]
    assert world.logged() == ()


def test_a_board_of_one_table_does_not_wait() -> None:
    world = World()
    table, _ = create(world, board(1))
    world.play(table)
    assert kept(world) == ["table-1"]


def test_an_aborted_table_is_one_of_its_board() -> None:
    world = World()
    first, _ = create(world, board(2))
    world.play(first)
    _, host = create(world, board(2))
    world.shard.abort(Caller(host_ticket=host), "table-2", "")
    assert kept(world) == ["table-1", "table-2"]


def test_boards_do_not_wait_for_each_other() -> None:
    world = World()
    for deal in (board(2, "north"), board(2, "south"), board(2, "south")):
        table, _ = create(world, deal)
        world.play(table)
    assert kept(world) == ["table-2", "table-3"]


def test_the_oldest_board_is_given_up_when_its_record_makes_room() -> None:
    """A board that never ends holds neither memory nor, by coming out, its cards."""
    world = World(MemoryLog(MemoryRecords(2)))
    for deal in (board(2, "north"), board(2, "south"), board(2, "south")):
        table, _ = create(world, deal)
        world.play(table)
    assert kept(world) == ["table-2", "table-3"]
    assert now(world.log.board_tables()) == []
    table, _ = create(world, board(2, "north"))
    world.play(table)
    assert kept(world) == ["table-3"]
