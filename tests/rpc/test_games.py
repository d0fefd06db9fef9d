"""A match of every ruleset of every game, over gRPC from the first call to the record.

Played with the stubs alone, as a client in another language would.
"""

from __future__ import annotations

import random

import pytest

from croupier.v1 import game_pb2, play_service_pb2, table_pb2
from croupier_server.games.registry import GAMES
from tests.rpc.conftest import Running
from tests.rpc.hostile import PLAY
from tests.rpc.players import Seats, first_move, make_full, ticket_of

SHORT = {"tractor": "max_deals: 1", "tongits": "max_hands: 3", "pokex": "max_deals: 3"}
RULESETS = [(name, ruleset) for name, game in GAMES.items() for ruleset in game.rulesets()]


async def listed(table: Seats, decision: table_pb2.Decision) -> list[game_pb2.Move]:
    """Every legal move of *decision*, page by page."""
    moves: list[game_pb2.Move] = []
    token = ""
    while True:
        answer = await table.call.unary(
            f"{PLAY}/ListLegalMoves",
            play_service_pb2.ListLegalMovesRequest(
                table_id=table.id,
                decision_id=decision.decision_id,
                page_size=100,
                page_token=token,
            ),
            play_service_pb2.ListLegalMovesResponse,
            ticket_of(table.tickets[decision.seat]),
        )
        moves += [found.move for found in answer.moves]
        token = answer.next_page_token
        if not token or len(moves) > 300:
            return moves


@pytest.mark.more
@pytest.mark.parametrize(("name", "ruleset"), RULESETS)
async def test_a_match_from_the_first_call_to_the_record(
    whole: Running, name: str, ruleset: str
) -> None:
    rng = random.Random(ruleset)
    text = f"spec {{ game: GAME_KIND_{name.upper()} ruleset: '{ruleset}' shared_seats: true }} "
    text += "spec { deal_source { fixed { seed: 5 } } } "
    table = await make_full(
        whole.call, text + f"spec {{ options {{ {name} {{ {SHORT[name]} }} }} }}"
    )
    decisions = 0
    while (decision := await table.open()) is not None:
        decisions += 1
        assert decision.kind.WhichOneof("game") == decision.view.WhichOneof("game") == name
        assert getattr(decision.view, name).seat == decision.seat
        if decision.legal.patterns or decisions % 7 == 0:
            pages = await listed(table, decision)
            if not decision.legal.patterns:
                assert pages == [found.move for found in decision.legal.moves]
            move = rng.choice(pages)
            assert first_move(decision) in pages or len(pages) > 300
        else:
            move = rng.choice(decision.legal.moves).move
        await table.submit(decision, move)
    result = (await table.table()).result
    assert result.reason == game_pb2.END_REASON_FINISHED
    assert [seat.seat for seat in result.seats] == list(range(len(table.tickets)))
    assert sum(seat.score for seat in result.seats) == 0
    assert min(seat.place for seat in result.seats) == 1
    assert (await whole.call.record(table.id)).result == result
    assert decisions > 10
