"""Two worlds at a table of Tong-its: what an audience knows, and decks it cannot tell apart."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from croupier_server.games.base import PUBLIC, Legal, Move, Seat
from croupier_server.games.cards import Cards, card_of, rank, single, unpack
from croupier_server.games.registry import GAMES
from croupier_server.games.tongits import moves
from croupier_server.games.tongits.events import (
    CardsLaidOff,
    DealResult,
    DealStarted,
    Discarded,
    DiscardTaken,
    MeldExposed,
    OwnFour,
    SecretFourLaid,
    StockDrawn,
)
from tests.privacy.one_pack import Deal, redeal
from tests.privacy.stories import Story, Telling, tell
from tests.wire import playouts

GAME = GAMES["tongits"]
PLAYERS, DEALT = 3, 37
_LIKELY = (
    (moves.SECRET_FOUR, 0.8),
    (moves.MELD, 0.7),
    (moves.LAY_OFF, 0.9),
    (moves.TAKE_DISCARD, 0.7),
    (moves.CALL_DRAW, 0.05),
    (moves.DRAW_STOCK, 0.9),
)
"""Types of moves in the order in which they are thought of, with their chances."""


def four_of(rank: int) -> list[int]:
    """The four cards of a rank, 2 to 14."""
    return [card_of(suit, rank) for suit in range(4)]


class TongitsSecrets:
    """What is hidden at Tong-its: hands, the stock, cards drawn from it, and ranks of secret fours
    (G-5.6); see `stories.Secrets`."""

    name = "tongits"
    other_move = moves.take_for_lay_off(51)

    def decisions(self, options: Any) -> int:
        return 120

    def chance(self, state: object, rng: random.Random) -> list[int]:
        """In most decks somebody is dealt four of a kind, and four others lie at the bottom: so
        that the four that is laid might as well be those."""
        outcome = playouts.chance(GAME, state, rng)
        if len(outcome) > 1 and rng.random() < 0.8:
            held, other = rng.sample(range(2, 15), 2)
            seat = rng.randrange(PLAYERS)
            places = rng.sample(range(seat, DEALT, PLAYERS), 4) + list(range(-4, 0))
            for place, card in zip(places, four_of(held) + four_of(other), strict=True):
                there = outcome.index(card)
                outcome[place], outcome[there] = outcome[there], outcome[place]
        return outcome

    def choose(self, legal: Legal, rng: random.Random) -> Move:
        """Fours are laid where there are any, and cards got rid of, so that deals end in every
        way; a draw is called now and then."""
        for wanted, chance in _LIKELY:
            some = [move for move in legal.moves if moves.move_type(move) == wanted]
            if some and rng.random() < chance:
                return rng.choice(some)
        return playouts.choose(GAME, legal, rng)

    def knowledge(self, state: Any, audience: Seat) -> tuple[object, ...]:
        """G-5.6: discards, melds, lay-offs, sizes of hands and stock, calls, answers and results;
        that a four lies there; and the own hand and fours."""
        public = state.public
        facts: tuple[object, ...] = (
            public.phase,
            public.deal,
            public.dealer,
            tuple(public.hand_sizes),
            public.stock_size,
            public.discards,
            public.discarders,
            tuple(public.melds),
            tuple(public.secret_fours),
            tuple(public.turns),
            public.took_discard,
            public.caller,
            public.answers,
            public.to_act,
            public.pot,
            tuple(public.chips),
            public.streak_seat,
            public.streak,
            state.results,
        )
        if audience == PUBLIC:
            return facts
        return (*facts, state.hands[audience], state.secret_fours[audience])

    def retell(self, story: Story, audience: Seat, rng: random.Random) -> Story:
        """The same moves, but for the ranks of fours that nobody else has seen; cards that were
        not seen lie in other hands, in the stock, and under other fours.

        Under `nobody_open` lowest (G-5.3) a result tells of hands that are not shown, so a deal
        that would end otherwise is dealt again.
        """
        deals = _deals(story)
        dealt = [redeal(deal, audience, rng) for deal in deals]
        for attempt in range(20 * len(deals)):
            other, deal = self._follow(story, dealt, audience)
            if deal is None:
                return other
            assert story.options.nobody_open == "lowest"
            is_given_up = attempt % 20 == 19
            same = [[deals[deal].deck[place] for place in four] for four in deals[deal].fours]
            dealt[deal] = (
                (deals[deal].deck, same) if is_given_up else redeal(deals[deal], audience, rng)
            )
        raise AssertionError("a deal does not end as it ended")

    def _follow(
        self, story: Story, dealt: list[tuple[list[int], list[list[int]]]], audience: Seat
    ) -> tuple[Story, int | None]:
        """The story with other decks; and the deal, if any, whose result is another."""
        other = Story(story.game, story.options, story.lots, [deck for deck, _ in dealt])
        first, second = Telling(story), Telling(other)
        for telling in (first, second):
            telling.put_chance()
        under = [iter(fours) for _, fours in dealt]
        for answers in story.answers:
            assert self._is_same(first, second, audience)
            deal = first.state.public.deal - 1
            given = dict(answers)
            for seat, move in answers.items():
                if moves.move_type(move) == moves.SECRET_FOUR:
                    given[seat] = sum(map(single, next(under[deal]))) | moves.SECRET_FOUR
            first.answer(answers)
            second.answer(given)
            other.answers.append(given)
            if first.state.results != second.state.results:
                return other, deal
            for telling in (first, second):
                telling.put_chance()
        assert self._is_same(first, second, audience)
        return other, None

    def _is_same(self, first: Telling, second: Telling, audience: Seat) -> bool:
        return self.knowledge(first.state, audience) == self.knowledge(second.state, audience)

    def probes(self, hand: Cards, rng: random.Random) -> Iterator[Move]:
        held = list(unpack(hand))
        yield from sorted(moves.BARE)
        for size in (1, 2, 3, 3, 4):
            chosen = rng.sample(held, min(size, len(held)))
            card = rng.randrange(1, 53)
            same = [one for one in held if rank(one) == rank(card)]
            near = [one for one in held if (one - 1) // 13 == (card - 1) // 13]
            yield moves.discard(card)
            yield moves.lay_off(rng.randrange(4), single(card))
            yield moves.take_for_lay_off(rng.randrange(4))
            yield sum(map(single, four_of(rng.randrange(2, 15)))) | moves.SECRET_FOUR
            for cards in (chosen, same, near):
                if cards:
                    together = sum(map(single, cards))
                    yield moves.lay_off(rng.randrange(4), together)
                    yield moves.take_for_meld(together)
                    yield together | moves.MELD
                    yield moves.discard(cards[0])


def _deals(story: Story) -> list[Deal]:
    """Who got what, what lay open, and which fours were laid."""
    deals: list[Deal] = []
    for _, happened in tell(story):
        for event in happened:
            part = event.public
            if isinstance(part, DealStarted):
                deck = story.decks[len(deals)]
                owners = [(part.dealer + place) % PLAYERS for place in range(DEALT)]
                deals.append(Deal(deck, [*owners, *[None] * (len(deck) - DEALT)], DEALT, set()))
            elif isinstance(part, StockDrawn):
                owners_now = deals[-1].owners
                owners_now[owners_now.index(None)] = part.seat
            elif isinstance(part, SecretFourLaid):
                own = event.private[part.seat]
                assert isinstance(own, OwnFour)
                places = sorted(deals[-1].deck.index(card) for card in four_of(own.rank))
                deals[-1].fours.append(tuple(places))
            elif deals:
                deals[-1].seen.update(_shown(part))
    return deals


def _shown(part: object) -> set[int]:
    """Cards that lie open by an event."""
    if isinstance(part, Discarded):
        return {part.card}
    if isinstance(part, MeldExposed | DiscardTaken):
        return set(unpack(part.meld.cards))
    if isinstance(part, CardsLaidOff):
        return set(unpack(part.laid_off.cards))
    if isinstance(part, DealResult):
        shown = {card for seat in part.seats for card in unpack(seat.hand)}
        return shown | {
            card for seat in part.seats for of in seat.secret_fours for card in four_of(of)
        }
    return set()
