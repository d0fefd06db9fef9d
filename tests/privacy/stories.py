"""Two worlds that an audience cannot tell apart: a match, and the same with other hidden cards.

A `Story` is all that happens in a match: lots, decks, answers. `Secrets` say what is hidden at one
game: what an audience knows (never what it is sent), and how the same story is told with the cards
that it has not seen dealt anew. Each game has a file beside this one.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from croupier_server.errors import CroupierError
from croupier_server.games.base import PUBLIC, AnyGame, ChanceKind, Event, Legal, Move, Seat, Turn
from croupier_server.games.cards import Cards
from croupier_server.games.registry import GAMES
from tests.wire import playouts

Answers = Mapping[Seat, Move]


@dataclass
class Story:
    """A match up to some moment: what chance gave, and the answers of every decision in order."""

    game: str
    options: Any
    lots: list[int] = field(default_factory=list)
    decks: list[list[int]] = field(default_factory=list)
    answers: list[Answers] = field(default_factory=list)

    @property
    def rules(self) -> AnyGame:
        """The game itself, without leaks."""
        return GAMES[self.game]

    @property
    def players(self) -> int:
        """Number of seats."""
        return self.rules.players(self.options)


class Secrets(Protocol):
    """What is hidden at one game.

    Attributes:
        name: of the game.
        other_move: a move that is hardly ever the answer to anything.
    """

    name: str
    other_move: Move

    def decisions(self, options: Any) -> int:
        """Stories have at most so many."""
        ...

    def chance(self, state: object, rng: random.Random) -> list[int]:
        """An outcome of the chance event that *state* waits for."""
        ...

    def choose(self, legal: Legal, rng: random.Random) -> Move:
        """A legal move; those that hide something come often."""
        ...

    def knowledge(self, state: Any, audience: Seat) -> tuple[object, ...]:
        """The facts that the rules let *audience* know, each named.

        A new fact of the state is hidden until somebody adds it to this list.
        """
        ...

    def retell(self, story: Story, audience: Seat, rng: random.Random) -> Story:
        """*story* as it may also have been, for all that *audience* knows at its end.

        Asserts that the audience knew the same at every moment of both.
        """
        ...

    def probes(self, hand: Cards, rng: random.Random) -> Iterator[Move]:
        """Moves that are a function of *hand* and *rng* alone; most are illegal, and each of them
        can be said in a message."""
        ...


class Telling:
    """A story being told: feeds a state with its chance and answers.

    Another *game* than the real one may tell it otherwise, but not refuse it.
    """

    def __init__(self, story: Story, game: AnyGame | None = None) -> None:
        self.story = story
        self._game = game or story.rules
        self.state: Any = self._game.new(story.options)
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
        self.story.rules.check(self.state, seat, move)
        return self._game.apply_unchecked(self.state, seat, move)


def tell(story: Story, game: AnyGame | None = None) -> Iterator[tuple[Any, list[Event]]]:
    """The state after each input of *story*, and the events that led there."""
    telling = Telling(story, game)
    yield telling.state, telling.put_chance()
    for answers in story.answers:
        yield telling.state, telling.answer(answers)
        happened = telling.put_chance()
        if happened:
            yield telling.state, happened


# A match -----------------------------------------------------------------------------------------


def invent(
    secrets: Secrets, options: object, rng: random.Random, decisions: int, deals: int = 1
) -> Story:
    """A random match of at most so many decisions and deals."""
    story = Story(secrets.name, options)
    game = story.rules
    telling = Telling(story)
    state = telling.state
    while len(story.answers) < decisions:
        turn = game.turn(state)
        if turn is Turn.OVER or playouts.deals_of(state) >= deals:
            break
        if turn is Turn.CHANCE:
            outcome = secrets.chance(state, rng)
            if game.chance(state).kind is ChanceKind.LOT:
                story.lots += outcome
            else:
                story.decks.append(outcome)
            game.apply_chance(state, outcome)
            continue
        asked = {seat: game.legal_moves(state, seat) for seat in game.to_act(state)}
        answers = {seat: secrets.choose(legal, rng) for seat, legal in asked.items()}
        story.answers.append(answers)
        telling.answer(answers)
    return story


# Going on in both --------------------------------------------------------------------------------


def go_on(
    secrets: Secrets,
    first: Story,
    second: Story,
    audience: Seat,
    rng: random.Random,
    decisions: int,
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
    game = first.rules
    for _ in range(decisions):
        if game.turn(one.state) is not Turn.MOVE:
            break
        (seat,) = game.to_act(one.state)
        if not any(_try_both(secrets, one, two, seat, audience, rng) for _ in range(5)):
            break
    return one.story, two.story


def _copy(story: Story) -> Story:
    return Story(story.game, story.options, story.lots, story.decks, list(story.answers))


def _try_both(
    secrets: Secrets, one: Telling, two: Telling, seat: Seat, audience: Seat, rng: random.Random
) -> bool:
    game = one.story.rules
    move = playouts.choose(game, game.legal_moves(one.state, seat), rng)
    states = [one.state.copy(), two.state.copy()]
    try:
        for state in states:
            game.apply(state, seat, move)
    except CroupierError:
        return False
    here, there = (secrets.knowledge(state, audience) for state in states)
    if here != there:
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
        """Whether both stories end while a sealed window is open."""
        *_, (state, _) = tell(self.first)
        return self.first.rules.turn(state) is Turn.WINDOW


def case(
    secrets: Secrets,
    seed: int,
    options: Any = None,
    audience: Seat | None = None,
    decisions_max: int = 1_000,
) -> Case:
    """Case number *seed*: every ruleset in turn, and in every second case any options that can be;
    for a seat, or now and then a spectator."""
    game = GAMES[secrets.name]
    rng = random.Random(f"privacy {seed}")
    if options is None:
        ruleset = game.rulesets()[seed // 2 % len(game.rulesets())]
        options = (
            playouts.random_options(game, rng) if seed % 2 else playouts.options(game, ruleset)
        )
    players = game.players(options)
    if audience is None:
        audience = rng.randrange(PUBLIC, players)
    decisions = rng.randrange(1, min(secrets.decisions(options), decisions_max))
    first = invent(secrets, options, rng, decisions, deals=2)
    second = secrets.retell(first, audience, rng)
    both = go_on(secrets, first, second, audience, rng, decisions=players * 4)
    return Case(audience, *both)
