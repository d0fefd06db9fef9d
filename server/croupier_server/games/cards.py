"""Cards, and multisets of cards as packed counts, for every game.

A card is a number from 1 to 54, equal to the wire enum: spades 2..A are 1..13, hearts 14..26,
diamonds 27..39, clubs 40..52, then the black joker 53 and the red joker 54. Ids rise in the
canonical order, which is the order of cards on every output.

A multiset of cards (hand, play, pile, pool) is one integer: bits 4c to 4c+3 hold how many copies
of card c it has. Digit 0 is unused, so that a move can keep its type there. At most `COPIES_MAX`
copies of a card exist, which leaves the top bit of every digit free for borrows.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from croupier_server.games.kept import Kept

Card = int
"""1..54."""

Cards = int
"""A multiset of cards in packed counts."""

CARD_MAX: Final = 54
BLACK_JOKER: Final = 53
RED_JOKER: Final = 54
COPIES_MAX: Final = 6
"""Copies of one card in the largest pack that any game uses."""

SUITS: Final = "SHDC"
RANKS: Final = "23456789TJQKA"
JOKER_SUIT: Final = 4
"""What `suit` says of a joker."""

ONES: Final[Cards] = sum(1 << (4 * card) for card in range(1, CARD_MAX + 1))
"""One of every card."""

EVERY: Final[Cards] = 15 * ONES
"""Mask of all digits."""

_GUARD: Final = ONES << 3
_EVEN: Final = sum(15 << (8 * byte) for byte in range(28))

CARD_NAMES: Final[tuple[str, ...]] = (
    "",
    *(rank + suit for suit in SUITS for rank in RANKS),
    "BJ",
    "RJ",
)
"""Text of every card by id: rank then suit, `BJ`, `RJ`."""

_CARD_IDS: Final[dict[str, Card]] = {name: card for card, name in enumerate(CARD_NAMES) if card}


def suit(card: Card) -> int:
    """Printed suit: spades 0, hearts 1, diamonds 2, clubs 3, a joker `JOKER_SUIT`."""
    return (card - 1) // 13


def rank(card: Card) -> int:
    """Printed rank, 2..14 with the ace high; 0 for a joker."""
    return (card - 1) % 13 + 2 if card < BLACK_JOKER else 0


def card_of(suit: int, rank: int) -> Card:
    """The card of a printed suit (0..3) and rank (2..14)."""
    return 13 * suit + rank - 1


def single(card: Card) -> Cards:
    """One copy of *card*."""
    return 1 << (4 * card)


def pack(ids: Iterable[Card]) -> Cards:
    """The multiset of *ids*, in any order.

    Raises:
        ValueError: an id is no card, or a card comes more than `COPIES_MAX` times.
    """
    counts = [0] * (CARD_MAX + 1)
    cards = 0
    for card in ids:
        if not 1 <= card <= CARD_MAX:
            raise ValueError(f"{card} is not a card")
        counts[card] += 1
        if counts[card] > COPIES_MAX:
            raise ValueError(f"more than {COPIES_MAX} copies of {CARD_NAMES[card]}")
        cards += 1 << (4 * card)
    return cards


_CHUNKS: Final[list[dict[int, bytes]]] = [{} for _ in range(14)]
"""Ids of four neighbouring digits, by position of the chunk and its 16 bits; filled on demand."""


def _chunk(position: int, bits: int) -> bytes:
    ids = bytearray()
    for place in range(4):
        ids += bytes((4 * position + place,)) * (bits >> (4 * place) & 15)
    found = _CHUNKS[position][bits] = bytes(ids)
    return found


def unpack(cards: Cards) -> bytes:
    """The ids in *cards*, ascending, a card with two copies twice."""
    found = b""
    position = (cards & -cards).bit_length() - 1 >> 4 if cards else 0
    cards >>= 16 * position
    while cards:
        bits = cards & 0xFFFF
        if bits:
            ids = _CHUNKS[position].get(bits)  # quicker than the lookups of `Kept`
            found += _chunk(position, bits) if ids is None else ids
        cards >>= 16
        position += 1
    return found


SPADES: Final = sum(1 << 4 * card for card in range(1, 14))
HEARTS: Final = SPADES << 52
DIAMONDS: Final = HEARTS << 52
CLUBS: Final = DIAMONDS << 52
JOKERS: Final = (1 << 4 * BLACK_JOKER) + (1 << 4 * CARD_MAX)
"""One of every card of each printed suit, and of the jokers."""

# Of the 8,192 sets of cards of a suit most would come late and hardly again.
_SUIT_IDS_MAX: Final = 1 << 12
_SPADE_IDS: Final = Kept(unpack, _SUIT_IDS_MAX)
_HEART_IDS: Final = Kept(unpack, _SUIT_IDS_MAX)
_DIAMOND_IDS: Final = Kept(unpack, _SUIT_IDS_MAX)
_CLUB_IDS: Final = Kept(unpack, _SUIT_IDS_MAX)
_JOKER_IDS: Final = Kept(unpack, _SUIT_IDS_MAX)


def one_pack_ids(cards: Cards) -> bytes:
    """`unpack` of cards of one pack, in a third of the time."""
    return (
        _SPADE_IDS[cards & SPADES]
        + _HEART_IDS[cards & HEARTS]
        + _DIAMOND_IDS[cards & DIAMONDS]
        + _CLUB_IDS[cards & CLUBS]
        + (_JOKER_IDS[cards & JOKERS] if cards >> 4 * BLACK_JOKER else b"")
    )


def count(cards: Cards) -> int:
    """How many cards *cards* holds, copies included."""
    return ((cards & _EVEN) + (cards >> 4 & _EVEN)) % 255


def contains(hand: Cards, cards: Cards) -> bool:
    """Whether *hand* holds all of *cards*; counts are below 8 in both."""
    return ((hand | _GUARD) - cards) & _GUARD == _GUARD and not cards & 15


def at_least(cards: Cards, copies: int) -> Cards:
    """One of every card that *cards* holds in *copies* (from 1) or more copies."""
    if copies == 1:
        return (cards | cards >> 1 | cards >> 2) & ONES
    if copies == 2:
        return (cards >> 1 | cards >> 2) & ONES
    if copies == 3:
        return (cards >> 2 | cards >> 1 & cards) & ONES
    if copies == 4:
        return cards >> 2 & ONES
    if copies == 5:
        return cards >> 2 & (cards | cards >> 1) & ONES
    if copies == COPIES_MAX:
        return cards >> 2 & cards >> 1 & ONES
    return 0


def every_copy(plane: Cards) -> Cards:
    """Mask of all copies of the cards in *plane*, which has at most one of each."""
    return plane * 15


def parse_card(name: str) -> Card:
    """The card written *name*, such as ``7S`` or ``RJ``.

    Raises:
        ValueError: it is the name of no card.
    """
    card = _CARD_IDS.get(name)
    if card is None:
        raise ValueError(f"{name!r} is not a card")
    return card


def card_text(card: Card) -> str:
    """How *card* is written.

    >>> card_text(1), card_text(53)
    ('2S', 'BJ')
    """
    return CARD_NAMES[card]


def parse(names: str) -> Cards:
    """The multiset written as names between blanks.

    >>> text(parse("AS 7S RJ 7S"))
    '7S 7S AS RJ'

    Raises:
        ValueError: a name is no card, or a card comes too often.
    """
    return pack(parse_card(name) for name in names.split())


def text(cards: Cards) -> str:
    """*cards* written as names between blanks, in canonical order."""
    return " ".join(CARD_NAMES[card] for card in unpack(cards))
