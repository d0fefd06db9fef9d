"""Two worlds at a table of Pokex: what an audience knows, and other decks that it cannot tell."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from croupier_server.games.base import PUBLIC, Legal, Move, Seat
from croupier_server.games.cards import Cards, single, unpack
from croupier_server.games.pokex import moves
from croupier_server.games.pokex.events import CardsPlayed, DealStarted
from croupier_server.games.registry import GAMES
from tests.privacy.one_pack import Deal, redeal
from tests.privacy.stories import Story, Telling, tell
from tests.wire import playouts

GAME = GAMES["pokex"]
PLAYERS, HAND = 4, 12


class PokexSecrets:
    """What is hidden at Pokex: hands, until a card is played; see `stories.Secrets`."""

    name = "pokex"
    other_move = moves.play(single(53) | single(54), 54)

    def decisions(self, options: Any) -> int:
        return 70

    def chance(self, state: object, rng: random.Random) -> list[int]:
        return playouts.chance(GAME, state, rng)

    def choose(self, legal: Legal, rng: random.Random) -> Move:
        """Seats mostly pass, so that auctions end low and whole deals are passed out."""
        if legal.moves and legal.moves[0] == moves.PASS and rng.random() < 0.6:
            return moves.PASS
        return playouts.choose(GAME, legal, rng)

    def knowledge(self, state: Any, audience: Seat) -> tuple[object, ...]:
        """P-1.3: the centre, calls, the rank named, cards as they are played, tricks, scores; and
        the own hand."""
        public = state.public
        facts: tuple[object, ...] = (
            public.phase,
            public.deal,
            public.dealer,
            public.center,
            public.center_left,
            public.calls,
            public.declarer,
            public.bid,
            public.wild_rank,
            public.leader,
            public.trick_center,
            public.plays,
            public.tricks,
            public.taken,
            public.carried,
            public.totals,
            public.passed_out,
            public.to_act,
            state.results,
        )
        return facts if audience == PUBLIC else (*facts, state.hands[audience])

    def retell(self, story: Story, audience: Seat, rng: random.Random) -> Story:
        """The same calls and plays; cards that were not played lie in other hands."""
        decks = [redeal(deal, audience, rng)[0] for deal in _deals(story)]
        other = Story(story.game, story.options, story.lots, decks, list(story.answers))
        first, second = Telling(story), Telling(other)
        for answers in (None, *story.answers):
            for telling in (first, second):
                if answers is not None:
                    telling.answer(answers)
                telling.put_chance()
            assert self.knowledge(first.state, audience) == self.knowledge(second.state, audience)
        return other

    def probes(self, hand: Cards, rng: random.Random) -> Iterator[Move]:
        held = [single(card) for card in unpack(hand)]
        yield moves.PASS
        yield from map(moves.bid, range(1, 7))
        yield moves.name_rank(rng.randrange(2, 15))
        for _ in range(6):
            first, second = rng.sample(range(1, 55), 2)
            center = rng.choice([0, 0, rng.randrange(1, 55)])
            yield moves.play(single(first) | single(second), center)
            if len(held) > 1:
                yield moves.play(sum(rng.sample(held, 2)), center)
            if held and not held[0] & single(first):
                yield moves.play(held[0] | single(first), center)


def _deals(story: Story) -> list[Deal]:
    """Who got what, and what was played."""
    deals: list[Deal] = []
    for _, happened in tell(story):
        for event in happened:
            part = event.public
            if isinstance(part, DealStarted):
                first = part.dealer + 1
                owners = [(first + place) % PLAYERS for place in range(PLAYERS * HAND)]
                deck = story.decks[len(deals)]
                center = deck[PLAYERS * HAND :]
                deals.append(Deal(deck, [*owners, *[None] * 6], PLAYERS * HAND, set(center)))
            elif isinstance(part, CardsPlayed):
                deals[-1].seen.update(unpack(part.play.cards))
    return deals
