"""Two worlds at a table of Tractor: what an audience knows, and other decks that it cannot tell.

What the audience knows is `knowledge`: the facts that the rules make public (T-2.3) and its own
cards, taken from the state one by one. It decides alone whether two worlds are consistent.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from croupier_server.games.base import PUBLIC, ChanceKind, Legal, Move, Seat, Turn
from croupier_server.games.cards import Cards, pack, single, unpack
from croupier_server.games.registry import GAMES
from croupier_server.games.tractor import moves
from croupier_server.games.tractor.events import KittyBuried, WindowClosed
from croupier_server.games.tractor.moves import BURY, PASS
from croupier_server.games.tractor.state import Phase, State
from tests.privacy.stories import Answers, Story, Telling
from tests.wire import playouts

GAME = GAMES["tractor"]


class TractorSecrets:
    """What is hidden at Tractor; see `stories.Secrets`."""

    name = "tractor"
    other_move = moves.call(5)

    def decisions(self, options: Any) -> int:
        """Windows while cards are drawn, and two tricks of every seat's more than a deal has."""
        windows = 0 if options.is_auction else options.hand
        return int(windows + 2 * options.players * 12)

    def chance(self, state: object, rng: random.Random) -> list[int]:
        return playouts.chance(GAME, state, rng)

    def choose(self, legal: Legal, rng: random.Random) -> Move:
        """Seats that could declare mostly keep silent, so that windows have something to hide."""
        if legal.moves and legal.moves[0] == PASS and rng.random() < 0.7:
            return PASS
        return playouts.choose(GAME, legal, rng)

    def knowledge(self, state: Any, audience: Seat) -> tuple[object, ...]:
        return knowledge(state, audience)

    def retell(self, story: Story, audience: Seat, rng: random.Random) -> Story:
        return retell(story, audience, rng)

    def probes(self, hand: Cards, rng: random.Random) -> Iterator[Move]:
        return probes(hand, rng)


# What an audience knows ---------------------------------------------------------------------------


def knowledge(state: State, audience: Seat) -> tuple[object, ...]:
    """The facts that the rules let *audience* know, each named here (T-2.3, T-3.5, T-8, T-9.1).

    A new fact of the state is hidden until somebody adds it to this list.
    """
    public = state.public
    facts: tuple[object, ...] = (
        public.phase,
        public.deal,
        public.attempt,
        public.levels,
        public.first_drawer,
        public.drawn,
        public.standing,
        public.exposed,
        public.turned,
        public.calls,
        public.shown,
        public.starter,
        public.declarers,
        public.trump_rank,
        None if public.trumps is None else public.trumps.suit,
        public.to_act,
        public.leader,
        tuple(public.plays),
        public.failed_throw,
        tuple(public.tricks),
        public.opponents_points,
        state.results,
    )
    if audience == PUBLIC:
        return facts
    own: tuple[object, ...] = (state.hands[audience],)
    if audience == public.starter:
        own += (state.taken, state.buried)
    return facts + own


# The same match with other hidden cards -----------------------------------------------------------


def retell(story: Story, audience: Seat, rng: random.Random) -> Story:
    """*story* as it may also have been, for all that *audience* knows at its end.

    Cards that it has not seen lie elsewhere: in other hands, in the kitty, in another order.
    Other seats gave other sealed answers and buried other cards. Asserts that the audience knew the
    same at every moment of both.
    """
    first = Telling(story)
    ends = _deal_ends(story)
    world = GAME.worlds(GAME.view(ends[-1], audience), playouts.words(rng))
    assert isinstance(world, State)
    decks = []
    for number, end in enumerate(ends):
        is_last = number == len(ends) - 1
        deck = story.decks[number]
        decks.append(_other_deck(deck, end, world if is_last else end, audience, rng))
    other = Story(story.game, story.options, story.lots, decks)
    second = Telling(other)
    first.put_chance()
    second.put_chance()
    for answers in story.answers:
        assert knowledge(first.state, audience) == knowledge(second.state, audience)
        buried = world.buried if first.state.public.deal == ends[-1].public.deal else None
        _answer_both(first, second, answers, audience, buried)
        first.put_chance()
        second.put_chance()
    assert knowledge(first.state, audience) == knowledge(second.state, audience)
    return other


def _deal_ends(story: Story) -> list[State]:
    """For each deck of *story*: the last state before the next one was put in."""
    ends: list[State] = []
    telling = Telling(Story(story.game, story.options, story.lots, story.decks))
    state = telling.state
    decks = iter(story.decks)
    answers = iter(story.answers)
    lots = iter(story.lots)
    started = False
    while True:
        if GAME.turn(state) is Turn.CHANCE:
            if GAME.chance(state).kind is ChanceKind.LOT:
                GAME.apply_chance(state, [next(lots)])
                continue
            deck = next(decks, None)
            if deck is None:
                break
            if started:
                ends.append(state.copy())
            started = True
            GAME.apply_chance(state, deck)
            continue
        given = next(answers, None)
        if given is None:
            break
        telling.answer(given)
    ends.append(state)
    return ends


def _other_deck(
    deck: list[int], end: State, world: State, audience: Seat, rng: random.Random
) -> list[int]:
    """A deck that deals the hands of *world*: those of *end* in the eyes of the audience.

    Of a deal that has ended all hands are known, but not the order in which they were drawn.
    """
    public = end.public
    options = public.options
    players, drawn = options.players, public.drawn
    other = [0] * len(deck)
    is_thrown_in = public.phase is Phase.DEAL and public.finished() != public.deal
    if is_thrown_in:
        return _any_deck(deck, public.first_drawer, drawn, players, audience, rng)
    for seat in range(players):
        places = range((seat - public.first_drawer) % players, drawn, players)
        cards = [deck[place] for place in places]
        if seat != audience:
            is_known = public.phase in (Phase.DEAL, Phase.OVER)
            held = pack(cards) if is_known else _drawn(world, seat)
            cards = _arrange(cards, public.exposed[seat], held, rng)
        for place, card in zip(places, cards, strict=True):
            other[place] = card
    other[drawn:] = _kitty(deck[drawn:], end, world, rng)
    assert sorted(other) == sorted(deck)
    return other


def _any_deck(
    deck: list[int], first: Seat, drawn: int, players: int, audience: Seat, rng: random.Random
) -> list[int]:
    """A deal that was thrown in tells nothing but the audience's own cards."""
    own = {
        place
        for place in range(drawn)
        if audience != PUBLIC and (first + place) % players == audience
    }
    others = [place for place in range(len(deck)) if place not in own]
    cards = [deck[place] for place in others]
    rng.shuffle(cards)
    other = deck.copy()
    for place, card in zip(others, cards, strict=True):
        other[place] = card
    return other


def _drawn(world: State, seat: Seat) -> Cards:
    """The cards that *seat* has drawn in the deal: what it holds, and where the rest went."""
    public = world.public
    players = public.options.players
    cards = world.hands[seat] + sum(pack([card]) for who, card in public.shown if who == seat)
    for trick in public.tricks:
        cards += trick.plays[(seat - trick.leader) % players]
    step = (seat - public.leader) % players
    if step < len(public.plays):
        cards += public.plays[step]
    if seat == public.starter and public.phase in (Phase.BURY, Phase.PLAY):
        cards += world.buried - world.taken
    return cards


def _arrange(cards: list[int], exposed: Cards, held: Cards, rng: random.Random) -> list[int]:
    """*held* in an order in which exposed cards come when they came in *cards*."""
    fixed: dict[int, int] = {}
    wanted = list(unpack(exposed))
    for place, card in enumerate(cards):
        if card in wanted:
            wanted.remove(card)
            fixed[place] = card
    assert not wanted
    others = list(unpack(held))
    for card in fixed.values():
        others.remove(card)
    rng.shuffle(others)
    rest = iter(others)
    return [fixed[place] if place in fixed else next(rest) for place in range(len(cards))]


def _kitty(stock: list[int], end: State, world: State, rng: random.Random) -> list[int]:
    """What follows the drawn cards, with turned cards in their places."""
    public = end.public
    if public.phase in (Phase.DEAL, Phase.OVER):
        cards = stock.copy()
    elif public.phase in (Phase.BURY, Phase.PLAY):
        cards = list(unpack(world.taken))
    else:
        return list(world.stock)
    fixed: dict[int, int] = {}
    if public.turned:
        # T-3.7: the third card alone is turned, or all from the first on.
        is_third = public.options.no_declaration == "third_kitty_card" and len(stock) > 2
        start = 2 if is_third else 0
        assert tuple(stock[start : start + len(public.turned)]) == public.turned
        fixed = {start + step: card for step, card in enumerate(public.turned)}
    for card in fixed.values():
        cards.remove(card)
    rng.shuffle(cards)
    rest = iter(cards)
    return [fixed[place] if place in fixed else next(rest) for place in range(len(stock))]


def _answer_both(
    first: Telling, second: Telling, answers: Answers, audience: Seat, buried: Cards | None
) -> None:
    """Carry out *answers* in the first telling, and in the second what looks the same."""
    if GAME.turn(first.state) is Turn.WINDOW:
        (closed, *_) = first.answer(answers)
        assert isinstance(closed.public, WindowClosed)
        made = closed.public.declaration
        published = None if made is None else made.seat
        given: dict[Seat, Move] = {}
        for seat in GAME.to_act(second.state):
            is_same = seat in (audience, published)
            given[seat] = answers[seat] if is_same else PASS
    else:
        (event, *_) = first.answer(answers)
        given = dict(answers)
        if isinstance(event.public, KittyBuried) and buried is not None:
            # Of a deal that has ended all is known: it was buried as before.
            given = {event.public.seat: (buried or answers[event.public.seat] & ~15) | BURY}
    second.answer(given)
    second.story.answers.append(given)


# Moves to try ------------------------------------------------------------------------------------


def probes(hand: Cards, rng: random.Random) -> Iterator[int]:
    """Moves that are a function of *hand* and *rng* alone; most are illegal."""
    held = list(unpack(hand))
    yield moves.PASS
    yield moves.call(5 * rng.randrange(130))
    yield moves.name_trumps(rng.choice([0, 1, 2, 3, None]))
    for move_type in (moves.DECLARE, moves.SHOW, moves.BURY, moves.PLAY):
        yield single(rng.randrange(1, 55)) | move_type
    for size in (1, 1, 2, 2, 3, 4, 8):
        cards = rng.sample(held, min(size, len(held)))
        together = sum(map(single, cards))
        yield together | rng.choice([moves.PLAY, moves.PLAY, moves.BURY, moves.DECLARE])
    for suit in range(4):
        of_suit = sum(single(card) for card in held if 13 * suit < card <= 13 * suit + 13)
        yield of_suit | moves.PLAY
