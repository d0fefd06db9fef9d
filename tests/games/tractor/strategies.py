"""Options, decks and whole tables of Tractor for tests."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping

from hypothesis import strategies as st

from croupier_server.games.base import ChanceKind, Event, Move, Seat, Turn
from croupier_server.games.cards import Card, parse, unpack
from croupier_server.games.tractor import moves
from croupier_server.games.tractor.options import SPECS, TractorOptions
from croupier_server.games.tractor.rules import Tractor
from croupier_server.games.tractor.state import State

GAME = Tractor()

Chooser = Callable[[State, Seat], Move]


def words(seed: int) -> Iterator[int]:
    """Random 64-bit words."""
    rng = random.Random(seed)
    while True:
        yield rng.getrandbits(64)


@st.composite
def options(draw: st.DrawFn) -> TractorOptions:
    """Options of any table: every listed value of every option, and sizes up to 12 and 6."""
    overrides = {spec.name: draw(st.sampled_from(spec.values)) for spec in SPECS if spec.values}
    overrides["packs"] = draw(st.sampled_from(("auto", "2", "3", "4", "5", "6")))
    overrides["mandatory_levels"] = draw(st.sampled_from(("none", "5,T,K,A", "J,A", "3")))
    overrides["max_deals"] = draw(st.sampled_from(("1", "2")))
    overrides["starter"] = draw(st.sampled_from(("none", "0", "3")))
    if overrides["starter"] != "none":
        overrides["start_levels"] = draw(st.sampled_from(("2", "5,3", "K,Q")))
    return GAME.options("standard", overrides)


def make_options(ruleset: str = "standard", /, **overrides: str | int) -> TractorOptions:
    """Options of *ruleset* with values replaced."""
    return GAME.options(ruleset, {name: str(value) for name, value in overrides.items()})


def rigged_deck(
    options: TractorOptions,
    first_drawer: Seat,
    wishes: Mapping[Seat, str],
    kitty: str = "",
    seed: int = 0,
    avoid: str = "",
) -> list[Card]:
    """A deck that deals each seat the cards wished for it and lays *kitty* first in the kitty.

    Cards whose names begin with a word of *avoid* (such as ``2 BJ``) are dealt last, so that they
    come into the kitty as far as it has room, and else to the highest seat.
    """
    rest = list(range(1, 55)) * options.packs
    hands = [list(unpack(parse(wishes.get(seat, "")))) for seat in range(options.players)]
    first_kitty = [parse_one(name) for name in kitty.split()]
    for card in [card for hand in hands for card in hand] + first_kitty:
        rest.remove(card)
    random.Random(seed).shuffle(rest)
    barred = avoid.split()
    rest.sort(key=lambda card: any(moves_name(card).startswith(word) for word in barred))
    for hand in hands:
        wanted = options.hand - len(hand)
        hand.extend(rest[:wanted])
        del rest[:wanted]
    deck: list[Card] = []
    for place in range(options.hand):
        for step in range(options.players):
            deck.append(hands[(first_drawer + step) % options.players][place])
    return deck + first_kitty + rest


def parse_one(name: str) -> Card:
    """The card called *name*."""
    return unpack(parse(name))[0]


def moves_name(card: Card) -> str:
    """The name of *card*."""
    return moves.move_text(1 << 4 * card | moves.PLAY).removeprefix("play ")


def new_deal(options: TractorOptions, deck: list[Card], lot: Seat = 0) -> tuple[State, list[Event]]:
    """A match after the first deck was put in, and what has happened."""
    state = GAME.new(options)
    happened: list[Event] = []
    if GAME.chance(state).kind is ChanceKind.LOT:
        happened += GAME.apply_chance(state, [lot])
    happened += GAME.apply_chance(state, deck)
    return state, happened


def pass_all(state: State) -> list[Event]:
    """Close the open window with everybody passing."""
    return GAME.close_window(state, dict.fromkeys(GAME.to_act(state), moves.PASS))


def pass_windows(state: State) -> list[Event]:
    """Close windows with everybody passing until none is open."""
    happened: list[Event] = []
    while GAME.turn(state) is Turn.WINDOW:
        happened += pass_all(state)
    return happened


def sampler(seed: int) -> Chooser:
    """Chooses any legal move."""
    draw = words(seed)
    return lambda state, seat: GAME.sample(GAME.legal_moves(state, seat), draw)


def fallback(state: State, seat: Seat) -> Move:
    """Chooses what is played for a seat that does not answer."""
    return GAME.fallback(state, seat)


def steps(state: State, choose: Chooser, seed: int = 0) -> Iterator[list[Event]]:
    """Play on with *choose* and shuffled decks; yields what happened at every step."""
    rng = random.Random(seed)
    while (turn := GAME.turn(state)) is not Turn.OVER:
        if turn is Turn.CHANCE:
            chance = GAME.chance(state)
            if chance.kind is ChanceKind.LOT:
                yield GAME.apply_chance(state, [rng.randrange(chance.sides)])
            else:
                deck = list(chance.cards)
                rng.shuffle(deck)
                yield GAME.apply_chance(state, deck)
        elif turn is Turn.WINDOW:
            answers = {seat: choose(state, seat) for seat in GAME.to_act(state)}
            yield GAME.close_window(state, answers)
        else:
            (seat,) = GAME.to_act(state)
            yield GAME.apply(state, seat, choose(state, seat))


def play_out(state: State, choose: Chooser, seed: int = 0) -> list[Event]:
    """Play to the end of the match."""
    return [event for happened in steps(state, choose, seed) for event in happened]
