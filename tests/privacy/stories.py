"""Two worlds that an audience cannot tell apart: a match, and the same with other hidden cards.

A `Story` is all that happens in a match: lots, decks, answers. `retell` deals what an audience has
not seen anew and tells the same story there. What the audience knows is `knowledge`: the facts that
the rules make public (T-2.3) and its own cards, taken from the state one by one. It decides alone
whether two worlds are consistent; what is sent is never looked at here.

Must not be put here: views, bytes, anything that an audience is sent.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from croupier_server.errors import CroupierError
from croupier_server.games.base import PUBLIC, ChanceKind, Event, Legal, Move, Seat, Turn
from croupier_server.games.cards import Cards, pack, unpack
from croupier_server.games.registry import GAMES, AnyGame
from croupier_server.games.tractor.events import KittyBuried, WindowClosed
from croupier_server.games.tractor.moves import BURY, PASS
from croupier_server.games.tractor.options import TractorOptions
from croupier_server.games.tractor.state import Phase, State
from tests.wire import playouts

GAME = GAMES["tractor"]
Answers = Mapping[Seat, Move]


@dataclass
class Story:
    """A match up to some moment: what chance gave, and the answers of every decision in order."""

    options: TractorOptions
    lots: list[int] = field(default_factory=list)
    decks: list[list[int]] = field(default_factory=list)
    answers: list[Answers] = field(default_factory=list)


class Telling:
    """A story being told: feeds a state with its chance and answers.

    Another *game* than the real one may tell it otherwise, but not refuse it.
    """

    def __init__(self, story: Story, game: AnyGame = GAME) -> None:
        state = game.new(story.options)
        assert isinstance(state, State)
        self.story = story
        self.state = state
        self._game = game
        self._lots = iter(story.lots)
        self._decks = iter(story.decks)

    def put_chance(self) -> list[Event]:
        """Put in the chance that the state waits for, one event after the other."""
        happened: list[Event] = []
        while self._game.turn(self.state) is Turn.CHANCE:
            is_lot = self._game.chance(self.state).kind is ChanceKind.LOT
            outcome = [next(self._lots)] if is_lot else next(self._decks, None)
            if outcome is None:
                break
            happened += self._game.apply_chance(self.state, outcome)
        return happened

    def answer(self, answers: Answers) -> list[Event]:
        """Carry out the answers of one decision, or of one window."""
        if self._game.turn(self.state) is Turn.WINDOW:
            return self._game.close_window(self.state, answers)
        ((seat, move),) = answers.items()
        GAME.check(self.state, seat, move)
        return self._game.apply_unchecked(self.state, seat, move)


def tell(story: Story, game: AnyGame = GAME) -> Iterator[tuple[State, list[Event]]]:
    """The state after each input of *story*, and the events that led there."""
    telling = Telling(story, game)
    yield telling.state, telling.put_chance()
    for answers in story.answers:
        yield telling.state, telling.answer(answers)
        happened = telling.put_chance()
        if happened:
            yield telling.state, happened


# A match -----------------------------------------------------------------------------------------


def invent(options: TractorOptions, rng: random.Random, decisions: int, deals: int = 1) -> Story:
    """A random match of at most so many decisions and deals. Seats that could declare mostly keep
    silent, so that windows have something to hide."""
    story = Story(options)
    telling = Telling(story)
    state = telling.state
    while len(story.answers) < decisions:
        turn = GAME.turn(state)
        if turn is Turn.OVER or len(state.public.results) >= deals:
            break
        if turn is Turn.CHANCE:
            outcome = playouts.chance(GAME, state, rng)
            (story.lots if len(outcome) == 1 else story.decks).append(
                outcome[0] if len(outcome) == 1 else outcome  # type: ignore[arg-type]
            )
            GAME.apply_chance(state, outcome)
            continue
        asked = {seat: GAME.legal_moves(state, seat) for seat in GAME.to_act(state)}
        answers = {seat: _choose(legal, rng) for seat, legal in asked.items()}
        story.answers.append(answers)
        telling.answer(answers)
    return story


def _choose(legal: Legal, rng: random.Random) -> Move:
    if legal.moves and legal.moves[0] == PASS and rng.random() < 0.7:
        return PASS
    return playouts.choose(GAME, legal, rng)


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
        public.results,
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
    other = Story(story.options, story.lots, decks)
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
    telling = Telling(Story(story.options, story.lots, story.decks))
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
    is_thrown_in = public.phase is Phase.DEAL and not (
        public.results and public.results[-1].deal == public.deal
    )
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


# Going on in both --------------------------------------------------------------------------------


def go_on(
    first: Story, second: Story, audience: Seat, rng: random.Random, decisions: int
) -> tuple[Story, Story]:
    """Both stories with the same further moves, as long as they look the same to *audience*.

    They stop where every move tried is illegal in one of them, or would be seen to end otherwise:
    a throw that stands here and fails there, a result, another card drawn.
    """
    tellings = [Telling(_copy(one)) for one in (first, second)]
    for telling in tellings:
        telling.put_chance()
        for answers in telling.story.answers:
            telling.answer(answers)
            telling.put_chance()
    one, two = tellings
    for _ in range(decisions):
        if GAME.turn(one.state) is not Turn.MOVE:
            break
        (seat,) = GAME.to_act(one.state)
        if not any(_try_both(one, two, seat, audience, rng) for _ in range(5)):
            break
    return one.story, two.story


def _copy(story: Story) -> Story:
    return Story(story.options, story.lots, story.decks, list(story.answers))


def _try_both(one: Telling, two: Telling, seat: Seat, audience: Seat, rng: random.Random) -> bool:
    move = playouts.choose(GAME, GAME.legal_moves(one.state, seat), rng)
    states = [one.state.copy(), two.state.copy()]
    try:
        for state in states:
            GAME.apply(state, seat, move)
    except CroupierError:
        return False
    if knowledge(states[0], audience) != knowledge(states[1], audience):
        return False
    for telling in (one, two):
        telling.answer({seat: move})
        telling.story.answers.append({seat: move})
    return True


# Cases -------------------------------------------------------------------------------------------


class Case(NamedTuple):
    """Two stories that *audience* cannot tell apart."""

    audience: Seat
    first: Story
    second: Story

    @property
    def moved(self) -> int:
        """How many places of the decks hold another card in the second story."""
        decks = zip(self.first.decks, self.second.decks, strict=True)
        return sum(one != two for pair in decks for one, two in zip(*pair, strict=True))

    @property
    def ends_in_a_window(self) -> bool:
        """Whether both stories end while seats may be asked for declarations."""
        *_, (state, _) = tell(self.first)
        return GAME.turn(state) is Turn.WINDOW


def case(seed: int, options: TractorOptions | None = None, audience: Seat | None = None) -> Case:
    """Case number *seed*: every ruleset in turn, and in every second case any options that can be;
    for a seat, or now and then a spectator."""
    rng = random.Random(f"privacy {seed}")
    if options is None:
        ruleset = GAME.rulesets()[seed // 2 % len(GAME.rulesets())]
        options = (
            playouts.random_options(GAME, rng) if seed % 2 else playouts.options(GAME, ruleset)
        )
    if audience is None:
        audience = rng.randrange(PUBLIC, options.players)
    windows = 0 if options.is_auction else options.hand
    decisions = rng.randrange(1, windows + 2 * options.players * 12)
    first = invent(options, rng, decisions, deals=2)
    second = retell(first, audience, rng)
    return Case(audience, *go_on(first, second, audience, rng, decisions=options.players * 4))
