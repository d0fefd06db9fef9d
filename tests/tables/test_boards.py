"""Private: whoever has sat at a table does not watch another one with the same cards, and whoever
has watched one does not sit down at another."""

from __future__ import annotations

import hashlib
from itertools import islice
from typing import Any, NamedTuple

import pytest

from croupier.v1 import table_pb2, table_service_pb2
from croupier_server.errors import CroupierError, InvalidRequest, NotAllowed, Reason, Unavailable
from croupier_server.identity.keys import HOUSE
from croupier_server.storage.base import BoardTable
from croupier_server.tables import kept
from croupier_server.tables.caller import LOCAL, Caller
from croupier_server.tables.directory import boards
from croupier_server.tables.directory.boards import BOARDS_MAX
from croupier_server.tables.feeds.lobby import LobbyFeed
from croupier_server.tables.match.seats import ticket_hash
from croupier_server.tables.match.table import Table
from croupier_server.tables.spec import (
    AbsencePolicy,
    Access,
    ClockSpec,
    DealKind,
    DealSource,
    JoinTable,
    SeatSpec,
    SpectatorDelay,
    Status,
)
from tests.tables.test_feeds import end_of
from tests.tables.world import World, kinds, now, request

ANN, BOB, CY, DI, EVE, HAL = map(Caller, ("ann", "bob", "cy", "di", "eve", "hal"))
CONFLICT = table_pb2.STREAM_END_REASON_BOARD_CONFLICT


class Boards(World):
    """Boards of two tables, with two seats each."""

    def __init__(self, **limits: Any) -> None:
        super().__init__(**limits)
        self.codes: dict[str, tuple[str, ...]] = {}
        self.hosts: dict[str, str] = {}

    def table(
        self,
        board: int = 1,
        tables: int = 2,
        delay: SpectatorDelay | None = None,
        shared: bool = False,
        host: Caller = HAL,
        **changes: Any,
    ) -> Table:
        """A table of a board; its invite codes are kept."""
        root = bytes([board]) * 32
        deal = DealSource(DealKind.BOARD, "b", root, hashlib.sha256(root).digest(), tables, shared)
        seats = (SeatSpec(Access.RESERVED),) * 2
        wanted = request(deal=deal, seats=seats, options={"players": 2}, delay=delay, **changes)
        made = self.shard.create_table(host, wanted)
        self.codes[made.table.spec.table_id] = made.invite_codes
        self.hosts[made.table.spec.table_id] = made.host_ticket
        return made.table

    def sit(self, caller: Caller, table: Table, seat: int) -> Caller:
        """*caller* takes a seat; returned with its ticket."""
        name = table.spec.table_id
        wanted = JoinTable(name, seat, self.codes[name][seat])
        return caller._replace(ticket=self.shard.join(caller, wanted).ticket)

    def abort(self, table: Table) -> None:
        """Its host stops *table*."""
        name = table.spec.table_id
        self.shard.abort(HAL._replace(host_ticket=self.hosts[name]), name, "rain")

    def recorded(self) -> list[str]:
        """Tables whose records are shown, oldest first."""
        found = now(self.records.newest(before=None, limit=9))
        return [entry.table_id for entry in reversed(found)]

    def may_watch(self, caller: Caller, table: Table) -> bool:
        """Whether *caller* is let watch, at whatever ticket it holds."""
        try:
            self.shard.spectate(table, epoch=0, after=0, caller=caller).close()
        except NotAllowed as error:
            return error.reason is not Reason.BOARD_CONFLICT
        return True

    def may_sit(self, caller: Caller, table: Table) -> bool:
        """Whether *caller* is let sit down on the first free seat, which it does then."""
        seat = next(seat for seat, state in enumerate(table.seats) if not state.player)
        try:
            self.sit(caller, table, seat)
        except NotAllowed as error:
            return error.reason is not Reason.BOARD_CONFLICT
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
    first = world.table(absence=AbsencePolicy.HOUSE_BOT, clock=clock)
    second = world.table()
    ann = world.sit(ANN, first, 0)
    world.sit(BOB, first, 1)
    world.clock.advance(1_000)
    world.shard.tick()
    code = next(one.invite_code for one in world.house if one.seat == 0)
    world.shard.join(Caller(HOUSE), JoinTable(first.spec.table_id, invite_code=code))
    assert not world.may_watch(ANN, second)
    assert world.shard.join(ann, JoinTable(first.spec.table_id)).seat == 0


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
    assert end_of(world.take(feeds[ANN])) == CONFLICT
    assert world.take(feeds[BOB]) == []
    assert kinds(world.take(own))[0] == "snapshot"


def begun(world: Boards, *sitters: Caller, tables: int = 3, **changes: Any) -> Table:
    """A table of the board whose match is on."""
    table = world.table(tables=tables, **changes)
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
    assert watchers_in(world, first) == [("eve",)], "it is put down once"


@pytest.mark.parametrize("is_resumed", [False, True])
@pytest.mark.parametrize("has_ended", [False, True])
def test_private_who_has_watched_a_board_is_known_after_a_restart(
    has_ended: bool, is_resumed: bool
) -> None:
    world = Boards()
    first, second = begun(world, ANN, BOB), world.table(tables=3)
    assert world.may_watch(EVE, first)
    world.step(first)
    if is_resumed:
        world.play(first, lambda: first.match.state.deal == 2)
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
    first, second = begun(world, ANN, BOB, shared=True), world.table(tables=3, shared=True)
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


def test_without_keys_nobody_is_told_apart() -> None:
    world = Boards()
    first, second = world.table(), world.table()
    world.sit(Caller(LOCAL), first, 0)
    assert world.may_watch(Caller(LOCAL), second)


def test_so_many_boards_are_remembered() -> None:
    world = Boards()
    first, second = world.table(), world.table()
    world.sit(ANN, first, 0)
    known = world.shard.directory.boards
    idle = [BoardTable(number.to_bytes(32, "big"), "t", ("ann",), (), 2) for number in range(3)]
    known.go_on_from(idle)
    others = (BoardTable(number.to_bytes(32, "big"), "t", (), (), 2) for number in range(3, 10**9))
    known.go_on_from(islice(others, BOARDS_MAX - 3))
    assert len(known._boards) == BOARDS_MAX
    assert idle[0].board not in known._boards
    assert idle[1].board in known._boards
    assert known.may_not_watch("ann", second), "a board is not forgotten while it is played"


@pytest.mark.attack
def test_isolated_a_host_of_many_boards_has_none_of_another_host_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(boards, "BOARDS_MAX", 4)
    world = Boards()

    def half_done(board: int, host: Caller) -> None:
        table = world.table(board, host=host)
        for seat, caller in enumerate((ANN, BOB)):
            world.sit(caller, table, seat)
        name = table.spec.table_id
        world.shard.abort(host._replace(host_ticket=world.hosts[name]), name, "rain")

    half_done(1, HAL)
    for board in range(2, 10):
        half_done(board, EVE)
    assert len(world.shard.directory.boards._boards) == 4
    assert not world.may_watch(ANN, world.table(1)), "the board of hal is remembered"
    assert world.may_watch(ANN, world.table(2)), "the oldest of eve is not"


# Sitting at two tables ----------------------------------------------------------------------------


@pytest.mark.attack
@pytest.mark.parametrize("is_restarted", [False, True])
@pytest.mark.parametrize("has_begun", [False, True])
def test_private_a_principal_sits_at_one_table_of_a_board_at_a_time(
    has_begun: bool, is_restarted: bool
) -> None:
    """Whichever of its keys it uses, whatever invite codes it has and in whichever order tables
    are made."""
    world = Boards()
    first, early = world.table(tables=3), world.table(tables=3)
    ann = world.sit(ANN, first, 0)
    if has_begun:
        world.sit(BOB, first, 1)
    if is_restarted:
        world.restart()
    first, early = world.find(first.spec.table_id), world.find(early.spec.table_id)
    late, other = world.table(tables=3), world.table(board=2)
    barred = [ANN, ann, *([BOB] if has_begun else [])]
    for table in (early, late):
        for caller in barred:
            assert not world.may_sit(caller, table)
        assert not any(seat.player for seat in table.seats)
    assert world.may_sit(ANN, other), "it has other cards"
    assert world.shard.join(ann, JoinTable(first.spec.table_id)).seat == 0, "its own seat"
    assert world.may_sit(EVE, early)


@pytest.mark.parametrize("is_restarted", [False, True])
@pytest.mark.parametrize("has_ended", [False, True])
def test_the_host_of_a_board_may_allow_it(has_ended: bool, is_restarted: bool) -> None:
    world = Boards()
    first, second = begun(world, ANN, BOB, shared=True), world.table(tables=3, shared=True)
    if has_ended:
        world.play(first)
    if is_restarted:
        world.restart()
    assert world.may_sit(ANN, world.find(second.spec.table_id))


@pytest.mark.attack
@pytest.mark.parametrize("is_restarted", [False, True])
def test_private_whoever_has_played_a_table_of_a_board_knows_the_cards_of_the_others(
    is_restarted: bool,
) -> None:
    world = Boards()
    first, second = begun(world, ANN, BOB), world.table(tables=3)
    world.play(first)
    if is_restarted:
        world.restart()
    second = world.find(second.spec.table_id)
    assert not world.may_sit(ANN, second)
    assert world.may_sit(CY, second)


@pytest.mark.parametrize("is_aborted", [False, True])
def test_whoever_sat_at_a_table_that_did_not_begin_may_sit_at_another(is_aborted: bool) -> None:
    world = Boards()
    first, second = world.table(), world.table()
    ann = world.sit(ANN, first, 0)
    if is_aborted:
        world.abort(first)
    else:
        world.shard.leave(ann, first.spec.table_id)
    assert world.may_sit(ANN, second)


def test_house_bots_and_callers_without_keys_sit_at_any_number_of_tables() -> None:
    world = Boards()
    first, second = world.table(), world.table()
    for caller in (Caller(HOUSE), Caller(LOCAL)):
        assert world.may_sit(caller, first)
        assert world.may_sit(caller, second)


# Which tables a board has -------------------------------------------------------------------------


def is_made(world: Boards, host: Caller = HAL, **changes: Any) -> str:
    """The field of a request for a table that is at fault with the board, or empty."""
    try:
        world.table(host=host, **changes)
    except NotAllowed as error:
        return error.field if error.reason is Reason.BOARD_CONFLICT else str(error.reason)
    return ""


COUNT = "spec.deal_source.board.table_count"


@pytest.mark.attack
@pytest.mark.parametrize("is_restarted", [False, True])
def test_a_board_has_no_more_tables_than_it_is_said_to_have(is_restarted: bool) -> None:
    """Those whose matches never began are none of them, so that they can be replaced."""
    world = Boards()
    first, second = begun(world, ANN, BOB, tables=2), world.table()
    assert is_made(world) == COUNT
    world.play(first)
    if is_restarted:
        world.restart()
    assert is_made(world) == COUNT
    world.abort(world.find(second.spec.table_id))
    if is_restarted:
        world.restart()
    third = begun(world, CY, DI, tables=2)
    assert is_made(world) == COUNT
    world.play(third)
    assert is_made(world) == "", "the board is done, and this is another one"


@pytest.mark.attack
@pytest.mark.parametrize("is_restarted", [False, True])
@pytest.mark.parametrize("is_aborted", [False, True], ids=["no show", "aborted"])
def test_private_a_table_that_never_began_does_not_end_its_board(
    is_aborted: bool, is_restarted: bool
) -> None:
    """The records of the others would show the cards of the table that replaces it."""
    world = Boards()
    late = ClockSpec(base_ms=10**9, start_timeout_ms=1_000)
    gone, second = world.table(clock=late), begun(world, ANN, BOB, tables=2)
    if is_aborted:
        world.abort(gone)
    else:
        world.clock.advance(1_000)
        world.shard.tick()
    assert gone.status is Status.ENDED
    world.play(second)
    if is_restarted:
        world.restart()
    third = begun(world, CY, DI, tables=2)
    assert world.recorded() == []
    if not is_restarted:
        expect_veiled(world, CY, second)
    world.play(third)
    assert world.recorded() == [second.spec.table_id, third.spec.table_id]


@pytest.mark.attack
@pytest.mark.parametrize("state", ["open", "begun", "ended"])
@pytest.mark.parametrize("is_restarted", [False, True])
@pytest.mark.parametrize(
    ("field", "changes"),
    [
        (COUNT, {"tables": 1}),
        (COUNT, {"tables": 3}),
        ("spec.rated", {"rated": False}),
        ("spec.deal_source.board.shared_principals", {"shared": True}),
    ],
)
def test_private_the_tables_of_a_board_agree(
    field: str, changes: dict[str, Any], is_restarted: bool, state: str
) -> None:
    """A host would see the cards of a rated table at one that is not, or have them published with
    a board of one table."""
    world = Boards()
    first = world.table(rated=True)
    for seat, caller in enumerate((ANN, BOB) if state != "open" else ()):
        world.sit(caller, first, seat)
    if state == "ended":
        world.play(first)
    if is_restarted:
        world.restart()
    for host in (HAL, EVE):
        assert is_made(world, host, **{"rated": True, **changes}) == field
    assert is_made(world, rated=True) == ""


@pytest.mark.attack
def test_private_a_table_with_sisters_does_not_share_the_cards_of_one_without() -> None:
    world = Boards()
    alone = world.table(tables=1)
    assert is_made(world, tables=1) == COUNT
    assert is_made(world, tables=2) == COUNT
    for seat, caller in enumerate((ANN, BOB)):
        world.sit(caller, alone, seat)
    world.play(alone)
    assert is_made(world, rated=True) == ""


@pytest.mark.attack
@pytest.mark.fault
def test_a_table_of_a_board_is_not_made_before_its_sisters_are_there_again() -> None:
    world = Boards()
    begun(world, ANN, BOB, tables=2)
    world.shard = world.new_shard()
    now(world.shard.begin())
    with pytest.raises(Unavailable) as caught:
        world.table(tables=1)
    assert caught.value.reason is Reason.TABLE_RECOVERING


# Who has made it ----------------------------------------------------------------------------------


@pytest.mark.attack
@pytest.mark.parametrize("is_restarted", [False, True])
@pytest.mark.parametrize("has_ended", [False, True])
def test_private_whoever_made_a_table_of_a_rated_board_sits_at_none(
    has_ended: bool, is_restarted: bool
) -> None:
    """It may have drawn the root, from which all cards follow."""
    world = Boards()
    first, second = world.table(tables=3, rated=True), world.table(tables=3, rated=True, host=EVE)
    for seat, caller in enumerate((ANN, BOB)):
        assert not world.may_sit(HAL, first)
        assert not world.may_sit(EVE, first)
        world.sit(caller, first, seat)
    if has_ended:
        world.play(first)
    if is_restarted:
        world.restart()
    second = world.find(second.spec.table_id)
    assert not world.may_sit(HAL, second)
    assert not world.may_sit(EVE, second)
    assert world.may_sit(CY, second)
    assert is_made(world, CY, tables=3, rated=True) == "spec.rated"


@pytest.mark.attack
def test_private_whoever_made_a_rated_board_of_one_table_does_not_sit_there() -> None:
    world = Boards()
    table = world.table(tables=1, rated=True)
    assert not world.may_sit(HAL, table)
    assert world.may_sit(ANN, table)


def test_whoever_made_a_table_that_is_not_rated_may_sit_there() -> None:
    world = Boards()
    first, second = world.table(shared=True), world.table(shared=True)
    for table in (first, second):
        assert world.may_sit(HAL, table)


# What is veiled -----------------------------------------------------------------------------------


class Seen(NamedTuple):
    """What somebody reads of a table: by asking for it, in lists, in the lobby."""

    got: table_pb2.Table
    listed: dict[int, bool]
    lobby: list[table_pb2.Table]


def look(world: Boards, caller: Caller, table: Table) -> Seen:
    """What *caller* reads of *table*."""
    directory = world.shard.directory
    name = table.spec.table_id
    feed = world.shard.watch_lobby(caller=caller)
    lobby = in_lobby(world, feed, name)
    feed.close()
    return Seen(
        table_pb2.Table.FromString(directory.resource(table, caller)),
        {
            status: any(
                one is table for one in directory.listed(status=status, caller=caller).tables
            )
            for status in Status
        },
        lobby,
    )


def in_lobby(world: Boards, feed: LobbyFeed, table_id: str) -> list[table_pb2.Table]:
    """What the lobby says of a table now."""
    found = map(table_service_pb2.WatchLobbyResponse.FromString, feed.take(world.clock.now))
    return [one.table for one in found if one.table.table_id == table_id]


def expect_veiled(world: Boards, caller: Caller, table: Table) -> None:
    """Nothing shows how far the match is, or that it has ended."""
    got, listed, lobby = look(world, caller, table)
    assert not got.HasField("result")
    assert got.sequence == 0
    assert got.status == table_pb2.TABLE_STATUS_PLAYING
    assert listed == {status: status is Status.PLAYING for status in Status}
    assert lobby == [got]
    for seat in (None, 0):
        with pytest.raises(CroupierError) as caught:
            world.shard.join(caller, JoinTable(table.spec.table_id, seat))
        assert caught.value.reason is Reason.TABLE_STARTED


@pytest.mark.attack
@pytest.mark.parametrize("caller", [ANN, EVE, Caller(LOCAL)], ids=["barred", "nobody", "local"])
def test_private_a_table_of_a_board_shows_not_how_it_goes_before_the_board_is_done(
    caller: Caller,
) -> None:
    """Not in GetTable, in lists, in the lobby, and not by what JoinTable is refused with."""
    world = Boards()
    first, second = begun(world, BOB, CY, tables=2), begun(world, ANN, DI, tables=2)
    lobby = world.shard.watch_lobby(caller=caller)
    lobby.take(world.clock.now)
    name = first.spec.table_id
    before = look(world, caller, first).got
    expect_veiled(world, caller, first)
    world.step(first)
    expect_veiled(world, caller, first)
    world.play(first)
    assert first.status is Status.ENDED
    expect_veiled(world, caller, first)
    assert look(world, caller, first).got == before, "the very same from its start on"
    assert in_lobby(world, lobby, name) == [], "and nothing tells when it ended"
    world.play(second)
    got, listed, present = look(world, caller, first)
    assert got.HasField("result")
    assert got.sequence == first.journal.committed
    assert listed[Status.ENDED]
    assert present == []
    (shown,) = in_lobby(world, lobby, name)
    assert shown == got


@pytest.mark.parametrize("is_restarted", [False, True])
def test_a_veil_is_none_to_the_host_and_to_the_seats_of_the_table(is_restarted: bool) -> None:
    world = Boards()
    first = world.table()
    bob, _ = (world.sit(caller, first, seat) for seat, caller in enumerate((BOB, CY)))
    name = first.spec.table_id
    begun(world, ANN, DI, tables=2)
    world.step(first)
    if is_restarted:
        world.restart()
        first = world.find(name)
    expect_veiled(world, ANN, first)
    lobbies = {caller: world.shard.watch_lobby(caller=caller) for caller in (HAL, BOB, ANN)}
    for lobby in lobbies.values():
        lobby.take(world.clock.now)
    for caller in (HAL, BOB, CY, bob):
        assert look(world, caller, first).got.sequence == first.journal.committed
    world.play(first)
    for caller in (HAL, BOB, CY, bob):
        assert look(world, caller, first).got.HasField("result")
    assert [len(in_lobby(world, lobby, name)) for lobby in lobbies.values()] == [1, 1, 0]


def test_without_keys_a_ticket_lifts_the_veil() -> None:
    world = Boards()
    first, local = world.table(), Caller(LOCAL)
    tickets = [world.sit(local, first, seat) for seat in range(2)]
    first.opening.host = ticket_hash(LOCAL, "host")
    world.table()
    world.play(first)
    expect_veiled(world, local, first)
    expect_veiled(world, local._replace(ticket="another", host_ticket="another"), first)
    for caller in (*tickets, local._replace(host_ticket="host")):
        assert look(world, caller, first).got.HasField("result")


@pytest.mark.attack
@pytest.mark.parametrize("has_ended", [False, True])
def test_private_a_host_that_plays_one_table_sees_not_how_the_other_goes(has_ended: bool) -> None:
    world = Boards()
    first, second = begun(world, ANN, BOB), begun(world, HAL, CY)
    world.step(first)
    if has_ended:
        world.play(second)
    expect_veiled(world, HAL, first)
    world.play(first)
    expect_veiled(world, HAL, first)
    assert look(world, HAL, second).got.sequence == second.journal.committed


@pytest.mark.attack
def test_private_a_place_ahead_of_the_match_counts_as_watching() -> None:
    world = Boards()
    first, second = begun(world, ANN, BOB, tables=2), world.table()
    with pytest.raises(InvalidRequest) as error:
        world.shard.spectate(first, epoch=first.journal.epoch, after=10**6, caller=EVE)
    assert error.value.reason is Reason.SEQUENCE_AHEAD
    assert not world.may_sit(EVE, second)


def test_private_a_board_with_the_same_cards_veils_no_table_of_one_that_is_done() -> None:
    world = Boards()
    first, second = begun(world, ANN, BOB, tables=2), begun(world, CY, DI, tables=2)
    for table in (first, second):
        world.play(table)
    begun(world, ANN, CY, tables=2)
    assert look(world, EVE, first).got.HasField("result")


def test_private_whoever_sits_at_both_tables_sees_both() -> None:
    world = Boards()
    first = begun(world, ANN, BOB, shared=True)
    begun(world, ANN, CY, shared=True)
    world.play(first)
    assert look(world, ANN, first).got.HasField("result")
    expect_veiled(world, CY, first)


@pytest.mark.parametrize("is_first", [True, False])
def test_a_match_that_has_not_begun_is_not_veiled(is_first: bool) -> None:
    world = Boards()
    tables = [world.table(), world.table()]
    world.sit(ANN, tables[0], 0)
    table = tables[0 if is_first else 1]
    for caller in (EVE, ANN):
        got = look(world, caller, table).got
        assert got.sequence == table.journal.committed
        assert got.status == table_pb2.TABLE_STATUS_OPEN
    world.abort(table)
    for caller in (EVE, ANN):
        assert look(world, caller, table).got.status == table_pb2.TABLE_STATUS_ENDED


def test_a_table_without_sisters_is_not_veiled() -> None:
    world = Boards()
    table = begun(world, ANN, BOB, tables=1)
    world.play(table)
    assert look(world, EVE, table).got.HasField("result")
