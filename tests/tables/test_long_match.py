"""What a decision weighs does not depend on how many deals were played before it."""

from __future__ import annotations

from google.protobuf.descriptor import Descriptor

from croupier.v1 import game_pb2
from croupier_server.games.registry import GAMES
from croupier_server.storage.memory import MemoryLog
from croupier_server.tables.caller import Caller
from croupier_server.tables.clock import ManualClock
from croupier_server.tables.shard import GameEntry, Shard
from croupier_server.tables.snapshots import seat_results
from croupier_server.tables.spec import CreateTable, JoinTable, Status
from croupier_server.wire.registry import WIRES_BY_NAME
from tests.tables.world import FIXED, START_MS, asked, known_ids, known_secrets

DEALS = 1000
SOME = 20
"""So many deals at either end are compared: cards differ, and with them the lists of moves."""

VARINT_GROWTH = 2 * 1 + 4 * 2
"""The number of the deal, in the view and in its last result, takes one byte more, and so many
totals of the sides two more."""


def test_a_decision_of_the_thousandth_deal_is_as_small_as_an_early_one() -> None:
    wire = WIRES_BY_NAME["pokex"]
    shard = Shard(
        clock=ManualClock(START_MS),
        secrets=known_secrets(),
        ids=known_ids(),
        log=MemoryLog(),
        games={wire.kind: GameEntry(GAMES["pokex"], wire)},
    )
    overrides = {"max_deals": str(DEALS), "target": "1000000"}
    request = CreateTable(wire.kind, deal=FIXED, overrides=overrides)
    table = shard.create_table(Caller(), request).table
    for _ in table.seats:
        shard.join(Caller(), JoinTable(table.spec.table_id))
    sizes: dict[int, int] = {}
    while table.status is Status.PLAYING:
        (decision,) = asked(table)
        deal = len(seat_results(table)) + 1
        if not SOME + 1 < deal <= DEALS - SOME:
            size = len(table.match.decision_payload(decision, START_MS, with_view=True))
            sizes[deal] = max(size, sizes.get(deal, 0))
        move = next(table.game.members(table.legal(decision.seat, decision.id)))
        shard.submit(table, decision.seat, decision.id, move)
    assert len(seat_results(table)) == DEALS
    found = list(sizes.values())
    early, late = max(found[1:][:SOME]), max(found[-SOME:])
    assert late <= early + VARINT_GROWTH, (early, late)


def test_no_view_repeats_results() -> None:
    """Whatever the game: a field of results would grow with the match."""
    views = [game_pb2.PublicView.DESCRIPTOR, game_pb2.SeatView.DESCRIPTOR]
    seen: list[Descriptor] = []
    for view in views:
        if view in seen:
            continue
        seen.append(view)
        for field in view.fields:
            if field.message_type is not None:
                views.append(field.message_type)
                is_result = field.message_type.name.endswith("DealResult")
                assert not (is_result and field.is_repeated), field.full_name
    results = {one.name for one in seen if one.name.endswith("DealResult")}
    assert len(results) == len(GAMES)
