"""Every refusal that the rules know reaches the wire with its status, reason and clause."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import pytest

from croupier.v1 import cards_pb2, game_pb2, play_service_pb2, table_pb2
from croupier_server.errors import CroupierError, IllegalMove, MalformedMove, Reason
from croupier_server.games.modules import WIRES
from croupier_server.games.registry import find
from croupier_server.rpc.errors import STATUS
from tests.conformance.garbage import moves_like
from tests.rpc.calls import build
from tests.rpc.conftest import Running, server
from tests.rpc.hostile import PLAY
from tests.rpc.players import FIXED, Seats, first_move, make_full, ticket_of

UNHEARD = {
    "tractor": {"UNKNOWN_TRUMP_SUIT"},
    "tongits": set[str](),
    "pokex": {"BID_OUT_OF_RANGE", "WRONG_CARD_COUNT"},
}
"""Rules that none of the moves that are tried here breaks."""
CARDS = [card for card in cards_pb2.Card.values() if card]


def tries(
    decision: table_pb2.Decision, hand: Sequence[int], stream: random.Random
) -> Iterator[game_pb2.Move]:
    """Answers at a table of Tractor that may be wrong, most of them nearly right."""
    right = first_move(decision).tractor
    arm = right.WhichOneof("move")
    if arm == "call" or decision.kind.tractor == 2:
        for points in (5, 80, 100, 7, 305):
            yield build(game_pb2.Move, f"tractor {{ call {{ points: {points} }} }}")
    elif decision.kind.tractor == 1:
        for card in set(hand):
            for number in range(1, hand.count(card) + 1):
                same = [card] * number
                yield build(game_pb2.Move, f"tractor {{ declare {{ cards: {same} }} }}")
    elif arm in ("play", "bury"):
        size = len(getattr(right, arm).cards)
        first = getattr(right, arm).cards[0]
        orders = [order.cards for order in decision.view.tractor.public_view.order]
        suit = next((set(cards) for cards in orders if first in cards), set())
        pairs = [card for card in sorted(suit) if hand.count(card) > 1]
        some = [stream.sample(pairs, min(size // 2, len(pairs))) * 2 for _ in range(8)]
        for cards in (
            [stream.choice(CARDS) for _ in range(size)],
            hand[: size + 1],
            stream.sample(hand, min(2, len(hand))),
            *(stream.sample(hand, size) for _ in range(8)),
            *(cards for cards in some if len(cards) == size),
        ):
            yield build(game_pb2.Move, f"tractor {{ {arm} {{ cards: {list(cards)} }} }}")


class Prober:
    """Plays a table and tries wrong answers until each rule was named over the wire once."""

    def __init__(self, running: Running, table: Seats, seed: int) -> None:
        self._shard = running.app.shard
        self._table = table
        self._stream = random.Random(seed)

    async def play(self, told: dict[str, str]) -> None:
        """Play to the end; *told* gets the clause of each rule."""
        while (decision := await self._table.open()) is not None:
            if decision.kind.HasField("tractor"):
                answers = tries(decision, tuple(decision.view.tractor.hand), self._stream)
            else:
                answers = self._near_misses(decision.seat)
            for move in answers:
                await self._try(decision, move, told)
            await self._table.submit(decision, self._choose(decision))

    def _near_misses(self, seat: int) -> Iterator[game_pb2.Move]:
        """Answers that are nearly right in any game, as far as messages can say them."""
        table = self._shard.table(self._table.id)
        state, game, wire = table.match.state, table.game, WIRES[table.spec.kind]
        legal = list(islice(game.members(game.legal_moves(state, seat)), 70))
        some = self._stream.sample(legal, min(2, len(legal)))
        hand = getattr(game.view(state, seat), "hand", 0)
        for code in moves_like(some, hand, (), self._stream):
            try:
                yield wire.move_message(code)
            except MalformedMove:
                continue
        for text in EVERY_KIND[wire.name]:
            yield build(game_pb2.Move, f"{wire.name} {{ {text} }}")

    def _choose(self, decision: table_pb2.Decision) -> game_pb2.Move:
        """At Tractor long leads, so that there is much to follow; calls and declarations as they
        come. At the other games anything, and melds and draw calls rather than not."""
        legal = decision.legal.moves
        if not decision.kind.HasField("tractor"):
            if not legal:
                return first_move(decision)
            opening = [one.move for one in legal if one.kind.tongits in (2, 3, 4, 5, 6, 8)]
            return self._stream.choice(opening or [one.move for one in legal])
        if not legal or decision.kind.tractor not in (1, 2, 6):
            return first_move(decision)
        if decision.kind.tractor == 6:
            return max(legal, key=lambda move: len(move.move.tractor.play.cards)).move
        return self._stream.choice(legal[:4]).move

    async def _try(
        self, decision: table_pb2.Decision, move: game_pb2.Move, told: dict[str, str]
    ) -> None:
        refusal = self._judge(decision, move)
        if refusal is None or refusal.rule in told:
            return
        told[refusal.rule] = refusal.clause
        request = play_service_pb2.SubmitMoveRequest(
            table_id=self._table.id, decision_id=decision.decision_id, move=move
        )
        ticket = ticket_of(self._table.tickets[decision.seat])
        refused = await self._table.call.refused(f"{PLAY}/SubmitMove", request, ticket)
        assert (refused.code, refused.reason) == (STATUS[Reason.ILLEGAL_MOVE], "ILLEGAL_MOVE")
        assert refused.metadata == {"rule": refusal.rule, "clause": refusal.clause}

    def _judge(self, decision: table_pb2.Decision, move: game_pb2.Move) -> IllegalMove | None:
        """What the rules themselves say against *move*."""
        table = self._shard.table(self._table.id)
        try:
            code = WIRES[table.spec.kind].move_code(move)
            table.check(decision.seat, decision.decision_id, code)
        except IllegalMove as refusal:
            return refusal
        except CroupierError:
            return None
        return None


EVERY_KIND = {
    "tongits": (
        "draw_stock {}",
        "call_draw {}",
        "end_turn {}",
        "fold {}",
        "take_discard { meld: 0 }",
        "take_discard { cards: [1, 14] }",
        "secret_four { rank: RANK_ACE }",
        "lay_off { meld: 9 cards: 1 }",
    ),
    "pokex": ("decline {}", "bid { tricks: 1 }", "name_rank { rank: RANK_TWO }"),
}


async def refusals(tables: Iterable[tuple[int, str]], game: str, clause: str) -> None:
    """Play *tables*, each a seed and a request, until every rule of *game* was named, each with a
    clause of the game."""
    wanted = set(find(game).refusals()) - UNHEARD[game]
    told: dict[str, str] = {}
    async with server() as running:
        for seed, text in tables:
            table = await make_full(running.call, text)
            await Prober(running, table, seed).play(told)
            if set(told) >= wanted:
                break
    assert set(told) == wanted
    assert all(found.startswith(clause) for found in told.values())


def fixed(game: str, seed: int, ruleset: str, options: str) -> str:
    """The request of a table."""
    text = FIXED.replace("TRACTOR", game.upper()).replace("seed: 7", f"seed: {seed}")
    return f"{text} spec {{ ruleset: '{ruleset}' options {{ {game} {{ {options} }} }} }}"


@pytest.mark.more
async def test_every_refusal_of_tractor_is_told_with_its_clause() -> None:
    # The first three were enough when this was written; the others are there for later rules.
    rulesets = ("standard", "document", "qq")
    tables = [
        (seed, fixed("tractor", seed, rulesets[seed % 3], "packs: 3 max_deals: 1"))
        for seed in (0, 1, 17, *range(2, 40))
    ]
    await refusals(tables, "tractor", "T-")


@pytest.mark.more
async def test_every_refusal_of_tongits_is_told_with_its_clause() -> None:
    options = (
        "max_hands: 2 discard_take: TONGITS_DISCARD_TAKE_MELD_OR_LAYOFF_ANY",
        "max_hands: 2 discard_after_take: false",
        "max_hands: 2 draw_call: TONGITS_DRAW_CALL_ANYONE hand_melds: false layoff: false",
    )
    tables = [(seed, fixed("tongits", seed, "standard", options[seed % 3])) for seed in range(40)]
    await refusals(tables, "tongits", "G-")


async def test_every_refusal_of_pokex_is_told_with_its_clause() -> None:
    options = ("max_deals: 1", "max_deals: 1 center: POKEX_CENTER_LEADER_PICKS")
    tables = [(seed, fixed("pokex", seed, "standard", options[seed % 2])) for seed in range(40)]
    await refusals(tables, "pokex", "P-")
