"""Private: whoever has sat at a table does not watch another one with the same cards, and whoever
has watched one does not sit down at another."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from croupier.v1 import table_pb2
from croupier_server.errors import NotAllowed, Reason
from croupier_server.identity.keys import HOUSE
from croupier_server.tables import kept
from croupier_server.tables.boards import BOARDS_MAX
from croupier_server.tables.caller import LOCAL, Caller
from croupier_server.tables.spec import (
    Access,
    ClockSpec,
    DealKind,
    DealSource,
    JoinTable,
    OnAbsence,
    SeatSpec,
    SpectatorDelay,
    Status,
)
from croupier_server.tables.table import Table
from tests.tables.test_feeds import end_of
from tests.tables.world import World, kinds, now, request

ANN, BOB, CY, DI, EVE = (Caller(principal) for principal in ("ann", "bob", "cy", "di", "eve"))
BARRED = table_pb2.StreamEnd.REASON_BARRED


class Boards(World):
    """Boards of two tables, with two seats each."""

    def __init__(self, **limits: Any) -> None:
        super().__init__(**limits)
        self.codes: dict[str, tuple[str, ...]] = {}

    def table(
        self,
        board: int = 1,
        tables: int = 2,
        delay: SpectatorDelay | None = None,
        **changes: Any,
    ) -> Table:
        """A table of a board; its invite codes are kept."""
        root = bytes([board]) * 32
        deal = DealSource(DealKind.BOARD, "b", root, hashlib.sha256(root).digest(), tables)
        seats = (SeatSpec(Access.INVITED),) * 2
        wanted = request(deal=deal, seats=seats, options={"players": 2}, delay=delay, **changes)
        made = self.shard.create_table(Caller(), wanted)
        self.codes[made.table.spec.table_id] = made.invite_codes
        return made.table

    def sit(self, caller: Caller, table: Table, seat: int) -> Caller:
        """*caller* takes a seat; returned with its ticket."""
        name = table.spec.table_id
        wanted = JoinTable(name, seat, self.codes[name][seat])
        return caller._replace(ticket=self.shard.join(caller, wanted).ticket)

    def may_watch(self, caller: Caller, table: Table) -> bool:
        """Whether *caller* is let watch, at whatever ticket it holds."""
        try:
            self.shard.spectate(table, epoch=0, after=0, caller=caller).close()
        except NotAllowed as error:
            return error.reason is not Reason.SPECTATING_BARRED
        return True

    def may_sit(self, caller: Caller, table: Table) -> bool:
        """Whether *caller* is let sit down on the first free seat, which it does then."""
        seat = next(seat for seat, state in enumerate(table.seats) if not state.player)
        try:
            self.sit(caller, table, seat)
        except NotAllowed as error:
            return error.reason is not Reason.SPECTATING_BARRED
        return True


def test_private_whoever_sits_at_a_board_does_not_watch_its_other_tables() -> None:
    world = Boards()
    first, second, other = world.table(), world.table(), world.table(board=2)
    assert world.may_watch(ANN, second)
    with_ticket = world.sit(ANN, first, 0)
    for caller in (ANN, with_ticket):
        assert not world.may_watch(caller, second)
        assert world.may_watch(caller, first)
        assert world.may_watch(caller, other)
    assert world.may_watch(BOB, second)
    world.sit(BOB, second, 0)
    assert not world.may_watch(BOB, first)
    assert world.may_watch(EVE, first)


def test_private_whoever_is_away_while_a_house_bot_plays_sits_there_still() -> None:
    world = Boards(away_ms=1_000)
    clock = ClockSpec(base_ms=10**9)
    first = world.table(on_absence=OnAbsence.HOUSE_BOT, clock=clock)
    second = world.table()
    ann = world.sit(ANN, first, 0)
    world.sit(BOB, first, 1)
    world.clock.advance(1_000)
    world.shard.tick()
    code = next(one.invite_code for one in world.house if one.seat == 0)
    world.shard.join(Caller(HOUSE), JoinTable(first.spec.table_id, invite_code=code))
    assert not world.may_watch(ANN, second)
    assert world.shard.join(ann, JoinTable(first.spec.table_id)).seat == 0


@pytest.mark.parametrize("is_restarted", [False, True])
def test_private_whoever_lost_its_seat_in_the_match_knows_its_cards_still(
    is_restarted: bool,
) -> None:
    world = Boards()
    first, second = world.table(), world.table()
    world.sit(ANN, first, 0)
    world.sit(CY, first, 0)
    assert world.may_watch(ANN, second), "the match had not begun"
    world.sit(BOB, first, 1)
    world.sit(DI, first, 0)
    if is_restarted:
        world.restart()
    second = world.find(second.spec.table_id)
    assert [world.may_watch(who, second) for who in (ANN, CY, DI)] == [True, False, False]
    world.play(world.find(first.spec.table_id))
    assert [world.may_watch(who, second) for who in (ANN, CY, DI)] == [True, False, False]


def test_private_until_the_board_is_done() -> None:
    world = Boards()
    first, second = world.table(), world.table()
    for seat, caller in enumerate((ANN, BOB)):
        world.sit(caller, first, seat)
        world.sit(EVE, second, seat)
    world.play(first)
    assert not world.may_watch(ANN, second)
    assert not world.may_watch(EVE, first)
    world.play(second)
    assert world.may_watch(ANN, second)
    assert world.may_watch(EVE, first)


def test_private_a_board_is_not_done_before_all_its_tables_are_there() -> None:
    world = Boards()
    first, second = world.table(tables=3), world.table(tables=3)
    for table in (first, second):
        for seat in range(2):
            world.sit(ANN if table is first else EVE, table, seat)
        world.play(table)
    assert not world.may_watch(ANN, second)
    third = world.table(tables=3)
    assert not world.may_watch(ANN, third)
    assert world.may_watch(BOB, third)


def test_private_an_end_that_is_not_shown_lifts_nothing() -> None:
    world = Boards()
    late = SpectatorDelay(time_ms=60_000)
    first, second = world.table(delay=late), world.table(delay=late)
    for seat in range(2):
        world.sit(ANN, first, seat)
        world.sit(EVE, second, seat)
    world.play(first)
    world.play(second)
    assert not world.may_watch(ANN, second)
    world.clock.advance(60_000)
    world.shard.tick()
    assert world.may_watch(ANN, second)


def test_private_a_restart_forgets_no_seat() -> None:
    world = Boards()
    first, second = world.table(), world.table()
    for seat in range(2):
        world.sit(ANN, first, seat)
        world.sit(EVE, second, seat)
    world.restart()
    first, second = (world.find(table.spec.table_id) for table in (first, second))
    assert not world.may_watch(ANN, second)
    assert world.may_watch(BOB, second)
    world.play(first)
    assert not world.may_watch(EVE, first)
    world.play(second)
    assert world.may_watch(EVE, first)


def test_private_a_restart_forgets_no_table_that_had_ended() -> None:
    """Nor who has sat there, nor that it counts."""
    world = Boards()
    first, second = world.table(tables=3), world.table(tables=3)
    for seat, caller in enumerate((ANN, BOB)):
        world.sit(caller, first, seat)
        world.sit(EVE, second, seat)
    world.play(first)
    world.restart()
    assert all(not world.may_watch(caller, world.find("table-2")) for caller in (ANN, BOB))
    assert world.may_watch(DI, world.find("table-2"))
    world.play(world.find("table-2"))
    world.restart()
    third = world.table(tables=3)
    for seat in range(2):
        assert not world.may_watch(EVE, third)
        world.sit(CY, third, seat)
    world.play(third)
    assert all(world.may_watch(caller, third) for caller in (ANN, BOB, EVE))
    world.restart()
    again = world.table()
    assert all(world.may_watch(caller, again) for caller in (ANN, BOB, CY, EVE))


def test_sitting_down_ends_what_one_may_no_longer_watch() -> None:
    world = Boards()
    first, second = world.table(), world.table()
    feeds = {
        caller: world.shard.spectate(second, epoch=0, after=0, caller=caller)
        for caller in (ANN, BOB)
    }
    for feed in feeds.values():
        world.take(feed)
    own = world.shard.spectate(first, epoch=0, after=0, caller=ANN)
    world.sit(ANN, first, 0)
    assert end_of(world.take(feeds[ANN])) == BARRED
    assert world.take(feeds[BOB]) == []
    assert kinds(world.take(own))[0] == "snapshot"


def begun(world: Boards, *sitters: Caller, tables: int = 3) -> Table:
    """A table of the board whose match is on."""
    table = world.table(tables=tables)
    for seat, caller in enumerate(sitters):
        world.sit(caller, table, seat)
    assert table.status is Status.PLAYING
    return table


def test_private_whoever_watched_a_board_does_not_sit_down_at_its_other_tables() -> None:
    world = Boards()
    first, second = begun(world, ANN, BOB), world.table(tables=3)
    assert world.may_watch(EVE, first)
    assert world.may_watch(EVE, first)
    assert not world.may_sit(EVE, second)
    assert world.may_sit(CY, second)
    assert world.may_sit(DI, second)
    third = world.table(tables=3)
    assert world.may_watch(Caller(LOCAL), first)
    assert world.may_sit(Caller(LOCAL), third)
    assert world.may_sit(ANN, third), (
        "who sits at one may sit at others: that is what boards are for"
    )
    assert watchers_in(world, first) == [("eve",)], "it is put down once"


@pytest.mark.parametrize("checkpoints", [False, True])
@pytest.mark.parametrize("has_ended", [False, True])
def test_private_who_has_watched_a_board_is_known_after_a_restart(
    has_ended: bool, checkpoints: bool
) -> None:
    world = Boards()
    first, second = begun(world, ANN, BOB), world.table(tables=3)
    assert world.may_watch(EVE, first)
    world.step(first)
    if checkpoints:
        world.to_turns(first)
        world.step(first)
        world.shard._checkpoint(first)
        stored = now(world.log.load("table-1"))
        assert stored is not None
        assert stored.checkpoint is not None
    if has_ended:
        world.play(first)
    world.restart()
    second = world.find("table-2")
    assert not world.may_sit(EVE, second)
    assert world.may_sit(CY, second)
    assert world.may_sit(DI, second)


def test_who_has_watched_a_board_may_sit_down_when_it_is_done() -> None:
    world = Boards()
    first = begun(world, ANN, BOB, tables=2)
    assert world.may_watch(EVE, first)
    world.play(first)
    world.play(begun(world, CY, DI, tables=2))
    assert world.may_sit(EVE, world.table())


@pytest.mark.parametrize("delay", [None, SpectatorDelay(time_ms=60_000)])
def test_watching_before_the_match_shows_nothing(delay: SpectatorDelay | None) -> None:
    """What counts is who watches when it begins."""
    world = Boards()
    first, second = world.table(delay=delay), world.table()
    left = world.shard.spectate(first, epoch=0, after=0, caller=CY)
    world.shard.spectate(first, epoch=0, after=0, caller=DI)
    left.close()
    for seat, caller in enumerate((ANN, BOB)):
        world.sit(caller, first, seat)
    assert not world.may_sit(DI, second)
    world.restart()
    second = world.find(second.spec.table_id)
    assert not world.may_sit(DI, second)
    assert world.may_sit(CY, second)


def test_whoever_watches_the_table_where_it_sits_may_sit_at_others() -> None:
    world = Boards()
    first, second = begun(world, ANN, BOB), world.table(tables=3)
    assert world.may_watch(ANN, first)
    assert world.may_sit(ANN, second)


def test_a_seat_that_is_held_is_taken_again_in_any_case() -> None:
    world = Boards()
    second = world.table()
    eve = world.sit(EVE, second, 0)
    first = begun(world, ANN, BOB, tables=2)
    world.shard.directory.boards.watch(first, ["eve"])
    assert world.shard.join(eve, JoinTable(second.spec.table_id)).seat == 0


def test_watching_a_table_that_has_ended_counts_too() -> None:
    world = Boards()
    first, second = begun(world, ANN, BOB, tables=2), world.table()
    world.play(first)
    rows = world.logged()
    assert world.may_watch(EVE, first)
    assert not world.may_sit(EVE, second)
    assert world.logged() == rows, "nothing comes behind its record"


def watchers_in(world: Boards, table: Table) -> list[tuple[str, ...]]:
    """What the log of *table* has about who watched it."""
    facts = [kept.load(row.kept) for row in world.rows(table.spec.table_id) if row.kept]
    return [fact.principals for fact in facts if isinstance(fact, kept.Watched)]


def test_a_seat_that_was_left_before_the_match_bars_nobody() -> None:
    world = Boards()
    first, second = world.table(), world.table()
    ann = world.sit(ANN, first, 0)
    world.shard.leave(ann, first.spec.table_id)
    assert world.may_watch(ANN, second)


@pytest.mark.parametrize("tables", [1, 2])
def test_without_keys_nobody_is_told_apart(tables: int) -> None:
    world = Boards()
    first, second = world.table(tables=tables), world.table(tables=tables)
    world.sit(Caller(LOCAL), first, 0)
    assert world.may_watch(Caller(LOCAL), second)


def test_a_board_of_one_table_has_no_sisters() -> None:
    world = Boards()
    first, again = world.table(tables=1), world.table(tables=1)
    world.sit(ANN, first, 0)
    assert world.may_watch(ANN, again)


def test_so_many_boards_are_remembered() -> None:
    world = Boards()
    first, second = world.table(), world.table()
    world.sit(ANN, first, 0)
    boards = world.shard.directory.boards
    for number in range(BOARDS_MAX):
        assert boards.may_not_watch("ann", second)
        deal = DealSource(DealKind.BOARD, "b", b"", number.to_bytes(32, "big"), 2)
        boards.add(_Named(deal))  # type: ignore[arg-type]
    assert not boards.may_not_watch("ann", second)


class _Named:
    """As much of a table as makes a board."""

    def __init__(self, deal: DealSource) -> None:
        self.spec = self
        self.deal = deal
        self.table_id = "another"
