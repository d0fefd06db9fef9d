"""Tables of Tong-its for tests: rigged decks, and turns with just the cards that matter."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

import pytest
from hypothesis import strategies as st

from croupier_server.errors import IllegalMove
from croupier_server.games.base import ChanceKind, Event, Move, Seat, Turn
from croupier_server.games.cards import Card, Cards, pack, parse, single, unpack
from croupier_server.games.tongits import moves
from croupier_server.games.tongits.events import DealResult, Meld
from croupier_server.games.tongits.melds import PACK, PACK_CARDS, RANK_CARDS
from croupier_server.games.tongits.options import SECRET_OPEN, SPECIAL_PAYS, SPECS, TongitsOptions
from croupier_server.games.tongits.rules import Tongits
from croupier_server.games.tongits.state import PLAYERS, Phase, PublicState, State

GAME = Tongits()

Part = TypeVar("Part")
Chooser = Callable[[State, Seat], Move]


def make_options(ruleset: str = "standard", /, **overrides: str | int) -> TongitsOptions:
    """Options with single values replaced."""
    return GAME.options(ruleset, {name: str(value) for name, value in overrides.items()})


def some_of(words: Sequence[str]) -> st.SearchStrategy[str]:
    """Any subset of *words* as the text of an option."""
    return st.sets(st.sampled_from(words)).map(lambda some: ",".join(sorted(some)) or "none")


@st.composite
def any_options(draw: st.DrawFn) -> TongitsOptions:
    """Options of any table, in matches of a few deals."""
    texts = {spec.name: draw(st.sampled_from(spec.values)) for spec in SPECS if spec.values}
    for spec in SPECS:
        if not spec.values:
            texts[spec.name] = str(draw(st.integers(0, 4)))
    texts["secret_open"] = draw(some_of(SECRET_OPEN))
    texts["special_pays"] = draw(st.one_of(some_of(SPECIAL_PAYS[:3]), st.just("every_set")))
    texts["max_hands"] = str(draw(st.integers(1, 3)))
    return GAME.options("standard", texts)


def words(seed: int) -> Iterator[int]:
    """Random 64-bit words."""
    rng = random.Random(seed)
    while True:
        yield rng.getrandbits(64)


# Whole deals ------------------------------------------------------------------------------------


def rigged_deck(
    wishes: Mapping[Seat, str], dealer: Seat = 0, stock: str = "", seed: int = 0
) -> list[Card]:
    """A deck that deals *wishes* and has *stock* on top of what is not dealt; the rest is mixed."""
    wanted = {seat: list(unpack(parse(text))) for seat, text in wishes.items()}
    on_top = [unpack(parse(name))[0] for name in stock.split()]
    used = {card for cards in [*wanted.values(), on_top] for card in cards}
    rest = [card for card in PACK if card not in used]
    random.Random(seed).shuffle(rest)
    hands = []
    for place in range(PLAYERS):
        cards = wanted.get((dealer + place) % PLAYERS, [])
        size = 12 + (place == 0)
        assert len(cards) <= size
        hands.append(cards + [rest.pop() for _ in range(size - len(cards))])
    dealt = [hands[place % PLAYERS][place // PLAYERS] for place in range(37)]
    return dealt + on_top + rest


def new_deal(
    options: TongitsOptions, deck: Sequence[Card], dealer: Seat = 0
) -> tuple[State, list[Event]]:
    """A match in its first deal, and the events of its start."""
    state = GAME.new(options)
    happened = GAME.apply_chance(state, [dealer])
    return state, happened + GAME.apply_chance(state, deck)


def steps(state: State, choose: Chooser, seed: int = 0) -> Iterator[list[Event]]:
    """Play on to the end of the match; the events of each step."""
    rng = random.Random(seed)
    while (turn := GAME.turn(state)) is not Turn.OVER:
        if turn is Turn.CHANCE:
            chance = GAME.chance(state)
            is_lot = chance.kind is ChanceKind.LOT
            outcome = [rng.randrange(chance.sides)] if is_lot else rng.sample(chance.cards, 52)
            yield GAME.apply_chance(state, outcome)
        else:
            (seat,) = GAME.to_act(state)
            yield GAME.apply(state, seat, choose(state, seat))


def sampler(seed: int) -> Chooser:
    """Chooses among the legal moves at random."""
    draw = words(seed)
    return lambda state, seat: GAME.sample(GAME.legal_moves(state, seat), draw)


def everything(state: State) -> Cards:
    """All cards of a deal under way, wherever they are."""
    public = state.public
    fours = [RANK_CARDS[rank] for ranks in state.secret_fours for rank in ranks]
    melded = [meld.cards for meld in public.melds]
    return sum([*state.hands, *fours, *melded]) + pack(state.stock) + pack(public.discards)


# Single turns -----------------------------------------------------------------------------------


def table(
    *hands: str,
    melds: Sequence[tuple[Seat, str]] = (),
    fours: Mapping[Seat, str] | None = None,
    discards: str = "",
    stock: str | None = None,
    seat: Seat = 0,
    ruleset: str = "standard",
    **overrides: str | int,
) -> State:
    """*seat* begins a turn, and every seat has had one; a hand that is not told is a queen.

    *fours* are ranks of secret fours by seat, such as ``{1: "7A"}``. What was discarded before is
    told oldest first; seats discarded in turn, the last of them the seat before *seat*. Without
    *stock* all cards that are nowhere else are in it.
    """
    state = State(PublicState(make_options(ruleset, **overrides)))
    public = state.public
    public.phase, public.deal = Phase.START_TURN, 1
    public.dealer, public.to_act, public.turns = 0, seat, [1] * PLAYERS
    for owner, cards in melds:
        public.melds.append(Meld(len(public.melds), owner, parse(cards), 0, False, ()))
        public.opened |= 1 << owner
    for owner, letters in (fours or {}).items():
        ranks = tuple("23456789TJQKA".index(letter) + 2 for letter in letters)
        state.secret_fours[owner], public.secret_fours[owner] = ranks, len(ranks)
    public.discards = bytes(unpack(parse(name))[0] for name in discards.split())
    number = len(public.discards)
    public.discarders = bytes((seat - number + place) % PLAYERS for place in range(number))
    top = [] if stock is None else [unpack(parse(name))[0] for name in stock.split()]
    state.hands = [*map(parse, hands), *[0] * (PLAYERS - len(hands))]
    state.stock = bytes(top)
    left = PACK_CARDS & ~everything(state)
    queens = [single(card) for card in unpack(left & RANK_CARDS[12])]
    for other in range(len(hands), PLAYERS):
        state.hands[other] = queens.pop()
        left ^= state.hands[other]
    if stock is None:
        state.stock = bytes(unpack(left))
    public.hand_sizes = [hand.bit_count() for hand in state.hands]
    public.stock_size = len(state.stock)
    assert not everything(state) & ~PACK_CARDS, "no card is told twice"
    return state


def in_play(state: State, took_discard: bool = False) -> State:
    """*state* after its seat has drawn a card that is in its hand already."""
    state.public.phase = Phase.PLAY
    state.public.took_discard = took_discard
    return state


def do(state: State, *played: str) -> list[Event]:
    """Make moves of whoever is to act, written as `move_of` reads them."""
    happened: list[Event] = []
    for written in played:
        happened += GAME.apply(state, state.public.to_act, move_of(written))
    return happened


def move_of(written: str) -> Move:
    """A move: ``draw``, ``call``, ``fold``, ``challenge``, ``end``; ``take 7S 8S`` with cards of
    the hand or ``take on 0``; ``meld``, ``four`` and ``discard`` with cards; ``lay 7S on 0``."""
    word, _, rest = written.partition(" ")
    plain = {
        "draw": moves.DRAW_STOCK,
        "call": moves.CALL_DRAW,
        "fold": moves.FOLD,
        "challenge": moves.CHALLENGE,
        "end": moves.END_TURN,
    }
    if word in plain:
        return plain[word]
    cards, on, meld = rest.partition("on ")
    if word == "take":
        return moves.take_for_lay_off(int(meld)) if on else moves.take_for_meld(parse(cards))
    if word == "lay":
        return moves.lay_off(int(meld), parse(cards))
    kinds = {"meld": moves.MELD, "four": moves.SECRET_FOUR, "discard": moves.DISCARD}
    return parse(cards) | kinds[word]


def refusal(state: State, written: str) -> str:
    """Rule and clause of the refusal of a move; the state does not change."""
    before = state.copy()
    with pytest.raises(IllegalMove) as caught:
        GAME.apply(state, state.public.to_act, move_of(written))
    assert state == before
    return f"{caught.value.rule} {caught.value.clause}"


def why_refused(state: State, written: str) -> str:
    """What the refusal of a move tells people."""
    with pytest.raises(IllegalMove) as caught:
        GAME.check(state, state.public.to_act, move_of(written))
    return caught.value.message


def legal(state: State) -> list[str]:
    """All legal moves as text."""
    return [
        GAME.move_text(move) for move in GAME.members(GAME.legal_moves(state, state.public.to_act))
    ]


def result(state: State) -> DealResult:
    """The result of the deal that has just ended."""
    return state.results[-1]


def settlements(state: State) -> list[int]:
    """Chips won and paid in the deal that has just ended, by seat."""
    return [told.settlement for told in result(state).seats]


def only(happened: Sequence[Event], kind: type[Part]) -> Part:
    """The one event of *kind* among those that happened."""
    (found,) = [event.public for event in happened if isinstance(event.public, kind)]
    return found


def cards_in(ids: bytes) -> Cards:
    """Ids as packed cards."""
    return sum(single(card) for card in ids)
