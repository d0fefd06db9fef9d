"""Tables of Pokex for tests: options, decks that deal wished hands, and whole steps of a deal."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping

from hypothesis import strategies as st

from croupier_server.games.base import Event, Move, Seat, Turn
from croupier_server.games.cards import CARD_MAX, Card, parse, parse_card, unpack
from croupier_server.games.pokex import moves
from croupier_server.games.pokex.options import SPECS, PokexOptions
from croupier_server.games.pokex.rules import Pokex
from croupier_server.games.pokex.state import Phase, State

GAME = Pokex()


def words(seed: int) -> Iterator[int]:
    """Random 64-bit words."""
    rng = random.Random(seed)
    while True:
        yield rng.getrandbits(64)


@st.composite
def options(draw: st.DrawFn) -> PokexOptions:
    """Options of any table: every listed value of every option, and short matches."""
    overrides = {spec.name: draw(st.sampled_from(spec.values)) for spec in SPECS if spec.values}
    overrides["target"] = draw(st.sampled_from(("1", "33")))
    overrides["max_deals"] = draw(st.sampled_from(("1", "2", "5")))
    return GAME.options("standard", overrides)


def make_options(ruleset: str = "standard", /, **overrides: object) -> PokexOptions:
    """Options of *ruleset* with values replaced."""
    texts = {name: str(value) for name, value in overrides.items()}
    return GAME.options(ruleset, {name: text.lower() for name, text in texts.items()})


def rigged_deck(dealer: Seat, hands: Mapping[Seat, str], center: str = "") -> list[Card]:
    """A deck by which *dealer* deals each seat the cards wished for it, and others up to twelve,
    and lays *center* first in the centre."""
    wished = {seat: [parse_card(name) for name in hands.get(seat, "").split()] for seat in range(4)}
    middle = [parse_card(name) for name in center.split()]
    taken = {card for cards in (*wished.values(), middle) for card in cards}
    rest = [card for card in range(1, CARD_MAX + 1) if card not in taken]
    for cards, size in (*((wished[seat], 12) for seat in range(4)), (middle, 6)):
        while len(cards) < size:
            cards.append(rest.pop(0))
    order = [(dealer + 1 + place) % 4 for place in range(48)]
    return [wished[seat].pop(0) for seat in order] + middle


def new_deal(
    options: PokexOptions,
    dealer: Seat = 3,
    hands: Mapping[Seat, str] | None = None,
    center: str = "",
) -> State:
    """A match at the first call of its first deal."""
    state = GAME.new(options)
    GAME.apply_chance(state, [dealer])
    GAME.apply_chance(state, rigged_deck(dealer, hands or {}, center))
    return state


def call(state: State, *calls: int | str) -> list[Event]:
    """Make *calls* in turn, numbers or ``pass``; the events of the last one."""
    happened: list[Event] = []
    for called in calls:
        move = moves.PASS if called == "pass" else moves.bid(int(called))
        happened = GAME.apply(state, state.public.to_act, move)
    return happened


def name(state: State, rank: int) -> list[Event]:
    """Let the declarer name *rank*."""
    return GAME.apply(state, state.public.to_act, moves.name_rank(rank))


def play(state: State, cards: str, center: str = "") -> list[Event]:
    """Let the seat to act play *cards*, naming the centre card *center* if there is one."""
    named = parse_card(center) if center else 0
    return GAME.apply(state, state.public.to_act, moves.play(parse(cards), named))


def play_trick(state: State, *plays: str) -> list[Event]:
    """One trick of *plays* in turn order; the events of the last one."""
    happened: list[Event] = []
    for cards in plays:
        happened = play(state, cards)
    return happened


def playing(
    options: PokexOptions,
    hands: Mapping[Seat, str] | None = None,
    center: str = "",
    bid: int = 1,
    wild_rank: int = 2,
) -> State:
    """The first lead of a deal that seat 0 declares at *bid*."""
    state = new_deal(options, 3, hands, center)
    call(state, bid, *["pass"] * (0 if bid == 6 else 3))
    if state.public.phase is Phase.NAME_RANK:
        name(state, wild_rank)
    return state


def two_cards(state: State) -> str:
    """The first two cards of the hand of the seat to act, as text."""
    held = unpack(state.hands[state.public.to_act])
    return " ".join(
        moves.move_text(moves.play(sum(1 << 4 * card for card in held[:2]))).split()[1:]
    )


def finish_deal(state: State) -> list[Event]:
    """Play the deal on by fallbacks to its end; the events of the last move."""
    happened: list[Event] = []
    while GAME.turn(state) is Turn.MOVE:
        (seat,) = GAME.to_act(state)
        happened = GAME.apply(state, seat, GAME.fallback(state, seat))
    return happened


def walk(options: PokexOptions, seed: int) -> Iterator[tuple[State, Seat, Move]]:
    """Random play of a match: before every move, the state, the seat to act, and its move."""
    rng, draw = random.Random(seed), words(seed)
    state = GAME.new(options)
    while GAME.turn(state) is not Turn.OVER:
        if GAME.turn(state) is Turn.CHANCE:
            chance = GAME.chance(state)
            cards = list(chance.cards)
            rng.shuffle(cards)
            GAME.apply_chance(state, cards or [rng.randrange(chance.sides)])
            continue
        (seat,) = GAME.to_act(state)
        move = GAME.sample(GAME.legal_moves(state, seat), draw)
        yield state, seat, move
        GAME.apply(state, seat, move)
