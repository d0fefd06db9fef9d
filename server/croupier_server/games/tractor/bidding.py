"""Making trumps: declarations, their order and sealed windows, turning the kitty (T-3), and the
auction with its show (T-11).

Plain functions of hands, cards and the standing declaration; `rules` keeps the state.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from croupier_server.errors import IllegalMove
from croupier_server.games.base import Move, Seat
from croupier_server.games.cards import (
    BLACK_JOKER,
    COPIES_MAX,
    RED_JOKER,
    card_of,
    every_copy,
    rank,
    single,
    suit,
    unpack,
)
from croupier_server.games.tractor.moves import CALL_STEP, DECLARE, PASS, cards_of
from croupier_server.games.tractor.options import TractorOptions
from croupier_server.games.tractor.refusals import Rule

_DIGIT: Final = 4
_COPIES: Final = 15
_JOKER_SET_MIN: Final = 2
_THIRD: Final = 2
_REDEALS_MAX: Final = 3

RANK_TOP: Final = 15
"""Height of a trump-rank card in the show: above an ace, below the jokers."""


class Declaration(NamedTuple):
    """A declaration that stands: *seat* exposes *copies* of *card* in all (T-3.4)."""

    seat: Seat
    card: int
    copies: int

    @property
    def cards(self) -> int:
        """The exposed set as packed cards."""
        return self.copies << _DIGIT * self.card

    @property
    def suit(self) -> int | None:
        """The trump suit it names, None for no trump (T-3.2)."""
        return None if self.card >= BLACK_JOKER else suit(self.card)


class Turned(NamedTuple):
    """Kitty cards turned for all to see, in order, and the trump suit they name (T-3.7)."""

    cards: tuple[int, ...]
    suit: int | None


_RANK_MASKS: Final = tuple(
    every_copy(sum(single(card_of(suit, rank)) for suit in range(4))) if rank >= 2 else 0
    for rank in range(15)
)
"""By trump rank: every copy of its four cards."""

_JOKERS: Final = every_copy(single(BLACK_JOKER) | single(RED_JOKER))

DECLARING: Final = tuple(frozenset(unpack(ranks | _JOKERS)) for ranks in _RANK_MASKS)
"""By trump rank: the cards that can be part of a declaration."""


def strength(card: int, count: int, joker_pairs: str) -> int:
    """A number that orders declarations (T-3.3): more cards, then jokers, then red over black."""
    joker = 0
    if card >= BLACK_JOKER:
        joker = 2 if card == RED_JOKER and joker_pairs == "ranked" else 1
    return count * 4 + joker


def legal_declarations(
    hand: int, seat: Seat, standing: Declaration | None, trump_rank: int, options: TractorOptions
) -> tuple[Move, ...]:
    """Every DECLARE that `check_declaration` accepts from *hand*, by card, then by count."""
    held = hand & declaring_mask(trump_rank)
    if standing is None:
        return _stronger(held, 0, options.joker_pairs)
    if seat == standing.seat and not options.self_override:
        held &= every_copy(single(standing.card))
    floor = strength(standing.card, standing.copies, options.joker_pairs)
    return _stronger(held, floor, options.joker_pairs)


@lru_cache(maxsize=1 << 10)  # hands seldom change in these cards from window to window
def _stronger(held: int, floor: int, joker_pairs: str) -> tuple[Move, ...]:
    """Declarations of the cards *held* of more than the strength *floor*."""
    return tuple(
        count << _DIGIT * card | DECLARE
        for card in sorted(set(unpack(held)))
        for count in range(_JOKER_SET_MIN if card >= BLACK_JOKER else 1, COPIES_MAX + 1)
        if count <= held >> _DIGIT * card & _COPIES and strength(card, count, joker_pairs) > floor
    )


def declaring_mask(trump_rank: int) -> int:
    """Every copy of the cards that can be part of a declaration."""
    return _RANK_MASKS[trump_rank] | _JOKERS


def check_declaration(
    hand: int,
    seat: Seat,
    cards: int,
    standing: Declaration | None,
    trump_rank: int,
    options: TractorOptions,
) -> Declaration:
    """Read *cards* as a declaration of *seat* and check it against the standing one.

    Raises:
        IllegalMove: NOT_A_DECLARATION (T-3.2), CARDS_NOT_IN_HAND (T-3.2),
            DECLARATION_CHANGED (T-3.4) or DECLARATION_TOO_WEAK (T-3.3).
    """
    card = max(0, cards.bit_length() - 1) // _DIGIT
    count = cards >> _DIGIT * card
    wanted = bool(cards) and count << _DIGIT * card == cards
    if card >= BLACK_JOKER:
        wanted = wanted and count >= _JOKER_SET_MIN
    else:
        wanted = wanted and bool(cards & _RANK_MASKS[trump_rank])
    if not wanted:
        raise IllegalMove(
            Rule.NOT_A_DECLARATION,
            "T-3.2",
            "a declaration must be equal cards of the trump rank, or two or more equal jokers",
        )
    if hand >> _DIGIT * card & _COPIES < count:
        raise IllegalMove(Rule.CARDS_NOT_IN_HAND, "T-3.2", "the hand does not hold these cards")
    _check_stronger(seat, card, count, standing, options)
    return Declaration(seat, card, count)


def _check_stronger(
    seat: Seat, card: int, count: int, standing: Declaration | None, options: TractorOptions
) -> None:
    """Raise unless the standing declaration gives way to *count* copies of *card*."""
    if standing is None:
        return
    if seat == standing.seat and card != standing.card and not options.self_override:
        raise IllegalMove(
            Rule.DECLARATION_CHANGED,
            "T-3.4",
            "you may add copies of the card that you declared, but not change it",
        )
    floor = strength(standing.card, standing.copies, options.joker_pairs)
    if strength(card, count, options.joker_pairs) <= floor:
        raise IllegalMove(
            Rule.DECLARATION_TOO_WEAK,
            "T-3.3",
            "it is not stronger than the current declaration",
        )


def resolve_window(
    answers: Mapping[Seat, Move], first_drawer: Seat, options: TractorOptions
) -> Declaration | None:
    """The declaration that a sealed window publishes (T-3.5): the strongest, of equals the first
    in turn order from *first_drawer*; None if all passed. The answers are known to be legal."""
    best: Declaration | None = None
    declaring = [seat for seat, move in answers.items() if move != PASS]
    for seat in sorted(declaring, key=lambda seat: (seat - first_drawer) % options.players):
        cards = cards_of(answers[seat])
        card = (cards.bit_length() - 1) // _DIGIT
        count = cards >> _DIGIT * card
        how_strong = strength(card, count, options.joker_pairs)
        if best is None or how_strong > strength(best.card, best.copies, options.joker_pairs):
            best = Declaration(seat, card, count)
    return best


def redeals(policy: str, deal: int, attempt: int) -> bool:
    """Whether a deal without a declaration is dealt anew, after *attempt* redeals (T-3.7)."""
    if attempt >= _REDEALS_MAX:
        return False
    return policy == "redeal" or (policy == "redeal_then_kitty" and deal == 1)


def turn_kitty(kitty: Sequence[int], trump_rank: int, policy: str) -> Turned:
    """Make trumps of the kitty's cards in the order in which they lie (T-3.7).

    >>> turn_kitty([2, 40, 54, 8], 7, "third_kitty_card")
    Turned(cards=(54, 8), suit=0)
    """
    if policy in ("no_trump", "redeal"):
        return Turned((), None)
    if policy == "third_kitty_card":
        return _turn_from(kitty, _THIRD if len(kitty) > _THIRD else 0)
    best = 0
    for index, card in enumerate(kitty):
        if card >= BLACK_JOKER:
            continue
        if rank(card) == trump_rank:
            return Turned(tuple(kitty[: index + 1]), suit(card))
        if not best or rank(card) > rank(best):
            best = card
    return Turned(tuple(kitty), suit(best) if best else None)


def _turn_from(kitty: Sequence[int], start: int) -> Turned:
    """Turn cards from *start* on until one is no joker; it names its suit."""
    for index in range(start, len(kitty)):
        if kitty[index] < BLACK_JOKER:
            return Turned(tuple(kitty[start : index + 1]), suit(kitty[index]))
    return Turned(tuple(kitty[start:]), None)


def call_range(bid: int, options: TractorOptions) -> range:
    """The points that may be called over *bid* (T-11.1)."""
    return range(bid + CALL_STEP, options.points + 1, CALL_STEP)


def check_call(points: int, bid: int, options: TractorOptions) -> None:
    """Check a call of *points* over the last *bid*, 0 if there is none.

    Raises:
        IllegalMove: CALL_OUT_OF_RANGE or CALL_TOO_LOW (T-11.1).
    """
    if points % CALL_STEP or not CALL_STEP <= points <= options.points:
        raise IllegalMove(
            Rule.CALL_OUT_OF_RANGE,
            "T-11.1",
            f"a bid must be a multiple of {CALL_STEP} from {CALL_STEP} to {options.points}",
        )
    if points <= bid:
        raise IllegalMove(Rule.CALL_TOO_LOW, "T-11.1", f"the last bid is {bid}")


def show_height(card: int, trump_rank: int) -> int:
    """How high *card* is in the show (T-11.2): suits are equal."""
    if card >= BLACK_JOKER:
        return card
    return RANK_TOP if rank(card) == trump_rank else rank(card)


def highest_shown(shown: Iterable[tuple[Seat, int]], trump_rank: int) -> Seat:
    """The seat whose card is highest, of equals the first laid (T-11.2)."""
    winner, height = -1, 0
    for seat, card in shown:
        if show_height(card, trump_rank) > height:
            winner, height = seat, show_height(card, trump_rank)
    return winner
