"""A table that is resumed at its last deal is the one that its whole log makes, in every game."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection
from itertools import count

import pytest

from croupier_server.games.registry import GAMES
from croupier_server.storage.base import AbandonedSecret, StoredTable
from croupier_server.tables.clocks.clock import FOREVER, ManualClock
from croupier_server.tables.durability.restore import Surroundings, restore
from croupier_server.tables.kept import names_of
from croupier_server.tables.match import match
from croupier_server.tables.match.deals import RootDealer
from croupier_server.tables.match.table import Table
from croupier_server.tables.spec import ClockSpec, Status
from tests.conformance.subjects import CASES, limits
from tests.tables.answering import submit
from tests.tables.test_durable import REAL, NotingLog, RealWorld
from tests.tables.world import START_MS, World, asked, now


@pytest.fixture(autouse=True)
def _every_deal_can_be_resumed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match, "CARRY_EVENTS", 0)


LATER = START_MS + 1_000_000
KINDS = {entry.game.name: kind for kind, entry in REAL.items()}


def taken_up(stored: StoredTable) -> Table:
    """The table, from its last deal or from its whole log."""
    around = Surroundings(
        games=REAL,
        make_dealer=lambda _spec, root: RootDealer(root),
        new_secret=bytes,
        outbox=[],
        away_ms=lambda _spec: FOREVER,
        now_ms=ManualClock(LATER).now_ms,
        grace_ms=1_000,
        nonce_ms=1_000,
    )
    work = restore(stored, 1, around)
    for _ in count():
        try:
            next(work)
        except StopIteration as end:
            found = end.value
            assert isinstance(found, Table)
            return found
    raise AssertionError("it never ends")


def slots(thing: object, without: Collection[str] = ()) -> dict[str, object]:
    """All that *thing* holds, by name."""
    return {name: getattr(thing, name) for name in names_of(type(thing)) if name not in without}


def everything(table: Table) -> dict[str, object]:
    """All that a table holds, but for what shows when its questions were sent."""
    match = table.match
    moments = {"head", "asked_ms", "clock_from_ms", "before_ms", "absent_ms"}
    parts = {"answered", "decisions", "timing", "views", "_dealer", "_game", "_wire", "carried"}
    parts |= {"_carried_bytes", "_journal", "_opening"}
    return {
        "status": table.status,
        "shown": table.show(),
        "spec": table.spec,
        "created": table.created,
        "match": slots(match, parts),
        "answered": slots(match.answered, {"_game", "_wire"}),
        "accounts": slots(match.timing.accounts),
        "decisions": [one and slots(one, moments) for one in match.decisions],
        "opening": slots(table.opening, {"_journal", "_spec", "seats"}),
        "seats": [slots(seat) for seat in table.seats],
        "journal": slots(table.journal, {"_event_bytes", "delayed", "outbox"}),
        "views": [match.views.seat(match.state, seat) for seat in range(len(table.seats))],
        "public": match.views.public(match.state),
        "questions": [match.decision_payload(one, LATER, None) for one in asked(table)],
    }


def play_on(world: World, table: Table, rng: random.Random) -> None:
    """Answer a decision, or let the window close."""
    world.clock.advance(rng.choice((0, 1, 40)))
    waiting = asked(table)
    if not waiting or rng.random() < 0.1:
        world.clock.now = max(world.clock.now, min(table.match.deadline, world.clock.now + 1_000))
        world.shard.tick()
        return
    decision = rng.choice(waiting)
    legal = table.legal(decision.seat, decision.id)
    move = table.game.sample(legal, iter(lambda: rng.getrandbits(64), None))
    submit(world.shard, table, decision.seat, decision.id, move)


@pytest.mark.more
@pytest.mark.parametrize(("game", "ruleset"), CASES)
def test_durable_a_deal_takes_all_that_the_log_before_it_tells(game: str, ruleset: str) -> None:
    world = RealWorld(NotingLog())
    table, _ = world.start(
        kind=KINDS[game],
        ruleset=ruleset,
        options=dict.fromkeys(limits(GAMES[game]), "4"),
        clock=ClockSpec(base_ms=60_000, window_ms=700),
    )
    rng = random.Random(ruleset)
    resumed: Counter[int] = Counter()
    for step in count():
        if table.status is not Status.PLAYING:
            break
        stored = now(world.log.load("table-1"))
        assert stored is not None
        deals = len(stored.deals)
        if resumed[deals] < 2 or (step % 7 == 0 and resumed[deals] < 6):
            whole = stored._replace(deals=(), rows=world.rows("table-1"))
            assert everything(taken_up(stored)) == everything(taken_up(whole))
            resumed[deals] += 1
        play_on(world, table, rng)
    assert sum(resumed.values()) > 3
    assert resumed[2]


def filled(name: str, value: object) -> object:
    """Something else of the kind of *value*, which is a default."""
    made: dict[type, object] = {bytes: name.encode(), str: name, bool: True}
    return made.get(type(value), value)


def test_durable_a_deal_takes_every_fact_of_seats_and_opening() -> None:
    """Also of those that come later: whatever has a slot is there again."""
    world = RealWorld(NotingLog())
    game, ruleset = CASES[0]
    table, _ = world.start(kind=KINDS[game], ruleset=ruleset, clock=ClockSpec(base_ms=60_000))
    for seat in table.seats:
        for name, value in slots(seat).items():
            setattr(seat, name, value or filled(name, value))
        seat._old = (b"one", b"two")
    opening = table.opening
    opening.host = b"host"
    opening.commitment = b"commitment"
    opening.abandoned = (AbandonedSecret(b"secret", (b"nonce", b"")),)
    opening.withholders, opening.watched = ("ann",), ("bob", "cy")
    accounts = table.match.timing.accounts
    chairs = range(len(table.seats))
    accounts.grace = [5 + seat for seat in chairs]
    accounts._remaining = [90_000 + seat for seat in chairs]
    accounts._strikes = [seat % 2 for seat in chairs]
    rng = random.Random(1)
    while not (stored := now(world.log.load("table-1"))) or len(stored.deals) < 2:
        play_on(world, table, rng)
    again = taken_up(stored)
    for one, other in (
        (again.opening, opening),
        (again.match.timing.accounts, accounts),
        *zip(again.seats, table.seats, strict=True),
    ):
        without = {"_journal", "_spec", "seats", "creation", "_root"}
        assert slots(one, without) == slots(other, without)
    assert all(slots(seat).values() for seat in again.seats)
