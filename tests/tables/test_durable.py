"""Durable: whatever the moment at which the server dies, a table goes on where it was."""

from __future__ import annotations

import random
from collections.abc import Mapping

import pytest

from croupier_server.errors import CroupierError, Reason, StaleDecision, TableHalted
from croupier_server.games.modules import WIRES
from croupier_server.games.registry import GAMES
from croupier_server.storage.base import LogRow, Player
from croupier_server.storage.memory import MemoryLog
from croupier_server.tables.caller import Caller
from croupier_server.tables.durability import replay
from croupier_server.tables.limits import Limits
from croupier_server.tables.match.deals import match_root
from croupier_server.tables.match.table import Table
from croupier_server.tables.shard.shard import GameEntry
from croupier_server.tables.spec import (
    AbsencePolicy,
    Access,
    ClockSpec,
    DealSource,
    JoinTable,
    SeatSpec,
    SpectatorDelay,
    Status,
)
from tests.conformance.subjects import limits
from tests.tables.answering import refuse_unreadable, submit
from tests.tables.test_lifecycle import NONCES, hashed
from tests.tables.test_no_show import NEXT
from tests.tables.world import FIXED, SlowLog, World, asked, kinds, request

pytestmark = pytest.mark.usefixtures("deals_resume")

WINDOWS = {"open windows": ClockSpec(), "fixed windows": ClockSpec(window_ms=700)}
REAL = {kind: GameEntry(GAMES[wire.name], wire) for kind, wire in WIRES.items()}
RULESETS = [(kind, ruleset) for kind, entry in REAL.items() for ruleset in entry.game.rulesets()]


class RealWorld(World):
    """A world with the games that there are."""

    games: Mapping[int, GameEntry] = REAL


class Gambler:
    """Plays the same moves at the same times in any two worlds, and lets the server die between."""

    def __init__(self, world: World, seed: int, crashes: float) -> None:
        self.world = world
        self.rng = random.Random(seed)
        self.deaths = random.Random(seed + 1)
        self.crashes = crashes

    def maybe_die(self) -> None:
        if self.deaths.random() < self.crashes:
            self.world.restart()

    def play(self, steps: int = 100_000) -> None:
        for _ in range(steps):
            table = self.world.find()
            self.step(table)
            if table.status is not Status.PLAYING:
                return
            self.maybe_die()

    def closes_early(self, table: Table) -> bool:
        return table.match.window_open and self.rng.random() < 0.2

    def step(self, table: Table) -> None:
        self.world.clock.advance(self.rng.choice((0, 1, 40)))
        waiting = asked(table)
        if not waiting or (table.spec.clock.window_ms and self.closes_early(table)):
            table.match.close_window(self.world.clock.now)
            table.settle(self.world.clock.now)
            self.world.shard.done(table)
            return
        decision = self.rng.choice(waiting)
        legal = table.legal(decision.seat, decision.id)
        draw = iter(lambda: self.rng.getrandbits(64), None)
        move = table.game.sample(legal, draw)
        submit(self.world.shard, table, decision.seat, decision.id, move)


class NotingLog(MemoryLog):
    """A log in memory that shows what was ever appended to it."""

    def __init__(self) -> None:
        super().__init__()
        self.ever: list[LogRow] = []

    def append(self, rows, done):  # type: ignore[no-untyped-def]
        self.ever.extend(rows)
        super().append(rows, done)


def played(world: World, seed: int, crashes: float, **changes: object) -> list[LogRow]:
    """Every row of a match that was played to its end in *world*."""
    assert isinstance(world.log, NotingLog)
    world.start(**changes)
    player = Gambler(world, seed, crashes)
    player.maybe_die()
    player.play()
    assert world.find().status is Status.ENDED
    assert world.record("table-1") is not None
    world.restart()
    assert not world.logged()
    return world.log.ever


@pytest.mark.parametrize("clock", WINDOWS)
@pytest.mark.parametrize("seed", range(4))
def test_durable_a_match_that_crashes_at_every_step_is_the_match_that_never_did(
    clock: str, seed: int
) -> None:
    changes = {"clock": WINDOWS[clock], "options": {"deals": 3}}
    expected = played(World(NotingLog()), seed, 0, **changes)
    assert played(World(NotingLog()), seed, 1, **changes) == expected


@pytest.mark.parametrize(("kind", "ruleset"), RULESETS)
def test_durable_in_every_game(kind: int, ruleset: str) -> None:
    game = REAL[kind].game
    changes = {
        "kind": kind,
        "ruleset": ruleset,
        "options": dict.fromkeys(limits(game), "1"),
        "clock": ClockSpec(window_ms=700),
    }
    expected = played(RealWorld(NotingLog()), 5, 0, **changes)
    assert played(RealWorld(NotingLog()), 5, 0.25, **changes) == expected


def test_durable_a_table_that_is_shown_late_goes_on_being_late() -> None:
    changes = {"delay": SpectatorDelay(decisions=3), "options": {"deals": 3}}
    expected = played(World(NotingLog()), 2, 0, **changes)
    assert played(World(NotingLog()), 2, 1, **changes) == expected


def test_durable_what_is_shown_late_is_what_was_shown_before() -> None:
    world = World()
    table, _ = world.start(delay=SpectatorDelay(decisions=3))
    Gambler(world, 3, 0).play(9)
    feed = world.shard.spectate(table, epoch=0, after=0)
    before = world.take(feed)
    world.restart()
    again = world.take(world.shard.spectate(world.find(), epoch=0, after=0))
    assert again == before
    assert before[0].snapshot.sequence < table.journal.sequence


@pytest.mark.parametrize("at", range(1, 9))
def test_durable_the_cards_come_from_the_secrets_that_were_committed(at: int) -> None:
    """Death behind the making, between any two seats and any two nonces, behind the last."""
    roots, logs = [], []
    for dies in (False, True):
        world = World(NotingLog())
        steps = 0

        def step(world: World = world, dies: bool = dies) -> Table:
            nonlocal steps
            steps += 1
            if dies and steps == at:
                world.restart()
            return world.find()

        world.create(deal=DealSource())
        for seat in range(3):
            world.join(step(), nonce_hash=hashed(NONCES[seat]))
        for seat in (2, 0, 1):
            table = step()
            world.shard.open_nonce(table, seat, NONCES[seat])
        step()
        assert world.find().status is Status.PLAYING
        roots.append(world.find().opening.reveal.root)
        assert isinstance(world.log, NotingLog)
        Gambler(world, 1, 0).play()
        logs.append(world.log.ever)
    assert roots[0] == roots[1]
    assert logs[0] == logs[1]


# Who may act --------------------------------------------------------------------------------------


def test_durable_tickets_hold_their_seats() -> None:
    world = World()
    made = world.shard.create_table(Caller(), request(seats=(SeatSpec(Access.RESERVED, "Ann"),)))
    code = made.invite_codes[0]
    first = world.join(made.table, invite_code=code)
    second = world.join(made.table, invite_code=code)
    others = [world.join(made.table).ticket for _ in range(2)]
    world.restart()
    table = world.find()
    assert [seat.player for seat in table.seats] == [
        Player("Ann"),
        Player("seat 1"),
        Player("seat 2"),
    ]
    for ticket in (second.ticket, *others):
        world.watch(table, ticket)
    with pytest.raises(CroupierError) as error:
        world.watch(table, first.ticket)
    assert error.value.reason is Reason.TICKET_SUPERSEDED
    with pytest.raises(CroupierError) as error:
        world.watch(table, made.host_ticket)
    assert error.value.reason is Reason.TICKET_INVALID
    third = world.join(table, invite_code=code)
    assert (third.seat, third.epoch) == (0, 3)
    world.shard.abort(Caller(host_ticket=made.host_ticket), "table-1", "rain")
    assert table.status is Status.ENDED


def test_durable_a_repeated_request_makes_nothing_twice() -> None:
    world = World()
    wanted = request(seats=(SeatSpec(Access.RESERVED),), request_id="make")
    made = world.shard.create_table(Caller(), wanted)
    sit = JoinTable("table-1", seat=1, player=Player("Bob"), request_id="sit")
    sat = world.shard.join(Caller(), sit)
    world.restart()
    again = world.shard.create_table(Caller(), wanted)
    assert again.table is world.find()
    assert len(world.logged()) == 1
    assert again.host_ticket != made.host_ticket
    seat = world.shard.join(Caller(), sit)
    assert (seat.seat, seat.epoch) == (1, sat.epoch + 1)
    assert seat.ticket != sat.ticket
    with pytest.raises(CroupierError) as error:
        world.watch(again.table, sat.ticket)
    assert error.value.reason is Reason.TICKET_SUPERSEDED
    with pytest.raises(CroupierError) as error:
        world.join(again.table, invite_code=made.invite_codes[0])
    assert error.value.reason is Reason.SEAT_RESERVED
    world.restart()
    world.watch(world.find(), seat.ticket)
    world.join(world.find(), invite_code=again.invite_codes[0])
    with pytest.raises(CroupierError) as error:
        world.shard.abort(Caller(host_ticket=made.host_ticket), "table-1", "")
    assert error.value.reason is Reason.PERMISSION_DENIED
    world.shard.abort(Caller(host_ticket=again.host_ticket), "table-1", "")


def test_durable_a_request_id_with_another_request_is_refused() -> None:
    world = World()
    world.shard.create_table(Caller(), request(request_id="make", title="one"))
    world.restart()
    with pytest.raises(CroupierError) as error:
        world.shard.create_table(Caller(), request(request_id="make", title="two"))
    assert error.value.reason is Reason.REQUEST_ID_REUSED


def test_durable_a_call_that_comes_again_makes_no_table_when_the_first_has_ended() -> None:
    world = World()
    wanted = request(request_id="make")
    made = world.shard.create_table(Caller("ann"), wanted)
    world.shard.abort(Caller("ann", host_ticket=made.host_ticket), "table-1", "")
    world.restart()
    for principal, again, reason in (
        ("ann", wanted, Reason.NOT_FOUND),
        ("ann", request(request_id="make", title="two"), Reason.REQUEST_ID_REUSED),
    ):
        with pytest.raises(CroupierError) as error:
            world.shard.create_table(Caller(principal), again)
        assert error.value.reason is reason
    other = world.shard.create_table(Caller("bob"), wanted)
    world.clock.advance(86_400_000)
    later = world.shard.create_table(Caller("ann"), wanted)
    assert [made.table.spec.table_id for made in (other, later)] == ["table-2", "table-3"]


@pytest.mark.attack
@pytest.mark.parametrize("restarts", [False, True])
def test_private_a_call_for_a_seat_that_was_left_tells_nothing_when_it_comes_again(
    restarts: bool,
) -> None:
    world = World()
    table = world.create()
    gone = world.join(table, request_id="sit")
    if restarts:
        world.restart()
        gone = world.join(world.find(), request_id="sit")
    world.shard.leave(Caller(ticket=gone.ticket), "table-1")
    with pytest.raises(CroupierError) as error:
        world.join(world.find(), request_id="sit")
    assert error.value.reason is Reason.TICKET_SUPERSEDED
    world.join(world.find(), seat=gone.seat)
    with pytest.raises(CroupierError) as error:
        world.join(world.find(), request_id="sit")
    assert error.value.reason is Reason.TICKET_SUPERSEDED


def test_durable_a_seat_that_was_left_is_free() -> None:
    world = World()
    table = world.create()
    gone = world.join(table, request_id="sit")
    world.shard.leave(Caller(ticket=gone.ticket), "table-1")
    world.restart()
    assert [seat.player for seat in world.find().seats] == [None] * 3
    with pytest.raises(CroupierError) as error:
        world.watch(world.find(), gone.ticket)
    assert error.value.reason is Reason.TICKET_SUPERSEDED


# Answers ------------------------------------------------------------------------------------------


def test_durable_an_answer_is_given_once_and_told_again() -> None:
    world = World()
    table, _ = world.start(options={"deals": 3})
    given: list[tuple[int, str, int, int]] = []
    while table.match.state.deal < 3:
        decision = asked(table)[0]
        move = table.legal(decision.seat, decision.id).moves[0]
        accepted = submit(world.shard, table, decision.seat, decision.id, move)
        given.append((decision.seat, decision.id, move, accepted))
        rows = len(world.rows("table-1"))
        world.restart()
        table = world.find()
        for seat, decision_id, before, sequence in given[-4:]:
            assert submit(world.shard, table, seat, decision_id, before) == sequence
            with pytest.raises(StaleDecision) as error:
                submit(world.shard, table, seat, decision_id, before + 1)
            assert error.value.reason is Reason.DECISION_ANSWERED
        assert len(world.rows("table-1")) == rows
    seat, decision_id, move, _ = given[0]
    with pytest.raises(StaleDecision) as error:
        submit(world.shard, table, seat, decision_id, move)
    assert error.value.reason is Reason.STALE_DECISION


def test_durable_refusals_that_became_strikes_are_not_forgotten() -> None:
    world = World()
    table, _ = world.start(clock=ClockSpec(max_strikes=2))
    decision = world.to_turns(table)
    for _ in range(20):
        refuse_unreadable(world.shard, table, decision.seat, decision.id)
    world.restart()
    assert world.find().status is Status.PLAYING
    for _ in range(20):
        refuse_unreadable(world.shard, world.find(), decision.seat, decision.id)
    assert world.find().status is Status.ENDED


# Seats of the house -------------------------------------------------------------------------------


def test_durable_a_heartbeat_shows_no_clock_that_may_be_lost() -> None:
    log = SlowLog()
    world = World(log)
    table, tickets = world.start(clock=ClockSpec(base_ms=60_000, increment_ms=5_000))
    log.store()
    world.to_turns(table)
    log.store()
    feed = world.watch(table, tickets[0])
    log.store()

    def clocks() -> int:
        world.shard.heartbeat()
        return len([update for update in world.take(feed) if update.heartbeat.clocks])

    assert clocks() == 1
    world.step(table)
    assert clocks() == 0
    log.store()
    assert clocks() == 1


def test_durable_house_seats_are_handed_to_the_house_that_is_there_now() -> None:
    world = World()
    seats = (SeatSpec(Access.HOUSE, house_bot="greedy"), SeatSpec(Access.HOUSE, house_bot="calm"))
    table = world.create(seats=seats)
    codes = [one.invite_code for one in world.house]
    world.join(table, invite_code=codes[0])
    world.restart()
    table = world.find()
    assert [(one.seat, one.bot) for one in world.house] == [(0, "greedy"), (1, "calm")]
    with pytest.raises(CroupierError) as error:
        world.join(table, invite_code=codes[1])
    assert error.value.reason is Reason.SEAT_RESERVED
    for one in world.house:
        assert world.join(table, invite_code=one.invite_code).seat == one.seat


@pytest.mark.parametrize("came", [False, True])
def test_durable_a_seat_that_was_taken_over_is_taken_over_by_the_new_house(came: bool) -> None:
    world = World(away_ms=1_000)
    table, tickets = world.start(absence=AbsencePolicy.HOUSE_BOT, deal=FIXED)
    for seat in (0, 2):
        world.watch(table, tickets[seat])
    world.to_turns(table)
    world.clock.advance(1_000)
    world.shard.tick()
    relief = [one for one in world.house if one.seat == 1]
    assert len(relief) == 1
    if came:
        world.join(table, invite_code=relief[0].invite_code)
    world.restart()
    if not came:  # its player may be back by now
        assert not [one for one in world.house if one.seat == 1]
        world.clock.advance(1_000 + Limits().reconnect_grace_ms)
        world.shard.tick()
    (again,) = [one for one in world.house if one.seat == 1]
    world.join(world.find(), invite_code=again.invite_code)
    assert world.join(world.find(), invite_code=again.invite_code).seat == 1
    back = world.shard.join(Caller(ticket=tickets[1]), JoinTable("table-1"))
    assert back.seat == 1


def test_durable_a_player_who_came_back_keeps_the_seat() -> None:
    world = World(away_ms=1_000)
    table, tickets = world.start(absence=AbsencePolicy.HOUSE_BOT)
    for seat in (0, 2):
        world.watch(table, tickets[seat])
    world.clock.advance(1_000)
    world.shard.tick()
    assert [one.seat for one in world.house].count(1) == 1
    world.shard.join(Caller(ticket=tickets[1]), JoinTable("table-1"))
    world.restart()
    assert [one.seat for one in world.house if one.seat == 1] == []


# Ends ---------------------------------------------------------------------------------------------


class ForgetfulLog(NotingLog):
    """A log whose server dies before records are made."""

    def finish(self, match, done):  # type: ignore[no-untyped-def]
        """Nothing more happens."""


def test_durable_a_match_shown_late_to_its_end_while_no_server_was_there_gets_its_record(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also where that is found out while it is taken up, with its last row."""
    monkeypatch.setattr(replay, "PAUSE_ROWS", 1)
    world = World(ForgetfulLog())
    table, _ = world.start(delay=SpectatorDelay(time_ms=700))
    world.play(table)
    world.log.finish = NotingLog.finish.__get__(world.log)  # type: ignore[method-assign]
    world.clock.advance(10_000)
    world.restart()
    assert world.record("table-1") is not None
    assert not world.logged()


def test_durable_a_match_that_ended_before_its_record_was_made_gets_it() -> None:
    world = World(ForgetfulLog())
    table, _ = world.start()
    world.play(table)
    assert world.record("table-1") is None
    finish = NotingLog.finish.__get__(world.log)
    world.log.finish = finish  # type: ignore[method-assign]
    world.restart()
    assert world.record("table-1") is not None
    assert world.find().status is Status.ENDED
    assert world.find().result == table.result
    assert not world.logged()


def test_isolated_a_log_that_makes_no_table_stops_that_table_alone() -> None:
    world = World()
    broken, _ = world.start()
    other, tickets = world.start()
    world.play(broken, lambda: broken.match.state.deal == 2)
    log = world.log
    assert isinstance(log, MemoryLog)
    log._tables["table-1"].deals.clear()
    rows = log._tables["table-1"].recent
    place = next(place for place, row in enumerate(rows) if row.input and row.sequence > 6)
    rows[place] = rows[place]._replace(input=rows[place + 1].input or b"\x0a\x00")
    before = list(rows)
    world.restart()
    with pytest.raises(TableHalted):
        world.find("table-1")
    assert world.find("table-2").status is Status.PLAYING
    assert world.rows("table-1") == before
    assert kinds(world.take(world.watch(world.find("table-2"), tickets[0])))[0] == "snapshot"
    world.play(world.find("table-2"))
    assert world.record("table-2") is not None
    del other


@pytest.mark.parametrize("dies", [False, True])
def test_durable_a_secret_that_was_replaced_is_never_used(dies: bool) -> None:
    world = World(NotingLog(), nonce_ms=1_000)

    def step() -> Table:
        if dies:
            world.restart()
        return world.find()

    first = world.create(deal=DealSource()).opening.reveal.secret
    for seat in range(3):
        world.join(step(), nonce_hash=hashed(NONCES[seat]))
    for seat in (0, 2):
        table = step()
        world.shard.open_nonce(table, seat, NONCES[seat], hashed(NEXT[seat]))
    step()
    world.clock.advance(20_000)
    world.shard.tick()
    table = step()
    assert table.status is Status.OPEN
    second = table.opening.reveal.secret
    assert second != first
    assert world.join(table, nonce_hash=hashed(NEXT[1])).seat == 1
    for seat in range(3):
        table = step()
        world.shard.open_nonce(table, seat, NEXT[seat])
    table = step()
    assert table.status is Status.PLAYING
    assert table.opening.reveal.root == match_root(second, "table-1", NEXT)
