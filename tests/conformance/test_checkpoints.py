"""A table that is put down and taken up again is the same, at the decisions of every game."""

from __future__ import annotations

import pickle
import random
from itertools import count

import pytest

from croupier_server.games.registry import GAMES
from croupier_server.storage.base import StoredTable
from croupier_server.tables import checkpoint
from croupier_server.tables.checkpoint import Stale, can_save, load, save
from croupier_server.tables.clock import FOREVER, ManualClock
from croupier_server.tables.deals import RootDealer
from croupier_server.tables.restore import Surroundings, restore
from croupier_server.tables.spec import ClockSpec, Status
from croupier_server.tables.table import Table
from tests.conformance.subjects import CASES, limits
from tests.tables.test_durable import REAL, NotingLog, RealWorld
from tests.tables.world import START_MS, World, asked

LATER = START_MS + 1_000_000
KINDS = {entry.game.name: kind for kind, entry in REAL.items()}


def taken_up(stored: StoredTable) -> Table:
    """The table, out of its checkpoint or its log."""
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


def everything(table: Table) -> dict[str, object]:
    """All that a table holds, but for what shows when its questions were sent."""
    match = table.match
    moments = {"head", "asked_ms", "clock_from_ms", "before_ms", "absent_ms"}
    return {
        "status": table.status,
        "shown": table.show(),
        "spec": table.spec,
        "created": table.created,
        "match": checkpoint._slots(match, checkpoint._MATCH),
        "answered": checkpoint._slots(match.answered, checkpoint._ANSWERED),
        "accounts": checkpoint._slots(match.timing.accounts, checkpoint._ACCOUNTS),
        "decisions": [one and checkpoint._slots(one, moments) for one in match.decisions],
        "opening": checkpoint._slots(table.opening, {"_journal", "_spec", "seats"}),
        "seats": [checkpoint._slots(seat, ()) for seat in table.seats],
        "journal": checkpoint._slots(
            table.journal, {"_event_bytes", "delayed", "outbox", "checkpoint"}
        ),
        "views": [match.views.seat(match.state, seat) for seat in range(len(table.seats))],
        "public": match.views.public(match.state),
        "questions": [match.decision_payload(one, LATER, with_view=True) for one in asked(table)],
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
    world.shard.submit(table, decision.seat, decision.id, move)


@pytest.mark.parametrize(("game", "ruleset"), CASES)
def test_durable_a_checkpoint_holds_all_that_its_log_tells(game: str, ruleset: str) -> None:
    world = RealWorld(NotingLog())
    table, _ = world.start(
        kind=KINDS[game],
        ruleset=ruleset,
        options=dict.fromkeys(limits(GAMES[game]), "2"),
        clock=ClockSpec(base_ms=60_000, window_ms=700),
    )
    rng = random.Random(ruleset)
    compared = 0
    for step in count():
        if table.status is not Status.PLAYING:
            break
        if can_save(table) and step % 3 == 0:
            rows = world.rows("table-1")
            put_down = save(table)
            assert put_down is not None
            kept = [row for row in rows if not 0 < row.sequence < put_down.kept_from]
            first = next(place for place, row in enumerate(kept) if row.sequence)
            behind = StoredTable("table-1", 1, rows[0], put_down, kept[first:])
            found = everything(taken_up(behind))
            assert found == everything(taken_up(StoredTable("table-1", 1, rows[0], None, rows)))
            compared += 1
        play_on(world, table, rng)
    assert compared > 3


def test_a_checkpoint_of_another_program_is_passed_over() -> None:
    world = RealWorld(NotingLog())
    table, _ = world.start(kind=KINDS["tractor"])
    found = save(table)
    assert found is not None
    other = found._replace(data=bytes([found.data[0] ^ 1]) + found.data[1:])
    with pytest.raises(Stale):
        load(table, other, (), lambda _spec, root: RootDealer(root))


@pytest.mark.parametrize("what", [print, pickle.loads, Table, random.Random])
def test_a_checkpoint_admits_nothing_that_could_do_anything(what: object) -> None:
    world = RealWorld(NotingLog())
    table, _ = world.start(kind=KINDS["tractor"])
    with pytest.raises(pickle.UnpicklingError):
        checkpoint._load(table.game, table.spec.options, pickle.dumps(what))
