"""Moves of all sorts, mostly illegal: near misses of legal ones, and what no client would send.

A move has its type in digit 0 and packed cards, or a number, above it; a further number may stand
above all cards. That much is the same in every game. What is made is a function of the arguments
alone, so that two worlds can be asked the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from croupier_server.games.base import Move
from croupier_server.games.cards import CARD_MAX, Cards, count, single, unpack

ABOVE = 4 * (CARD_MAX + 1)
"""The first bit above all cards."""

SUITED_MAX = 52
"""The last card that has a suit."""


def moves_like(
    legal: Sequence[Move], hand: Cards, others: Sequence[Move], rng: Random
) -> Iterator[Move]:
    """Near misses of *legal*, some of *others* (moves of other moments), and more of *hand*."""
    for move in legal:
        yield from near_misses(move, hand, rng)
    yield from rng.sample(others, min(4, len(others)))
    yield from of_hand(legal, hand, rng)
    yield from nonsense(rng)


def near_misses(move: Move, hand: Cards, rng: Random) -> Iterator[Move]:
    """*move* with a card more, less, or another, in another suit, of another type, and with
    another number."""
    held = list(unpack(hand)) or [1]
    cards = [card for card in range(1, CARD_MAX + 1) if move >> 4 * card & 15]
    for _ in range(3):
        if cards:
            yield move - single(rng.choice(cards)) + single(rng.randint(1, CARD_MAX))
            yield move - single(rng.choice(cards)) + single(rng.choice(held))
        yield move + single(rng.randint(1, CARD_MAX))
        yield move + single(rng.choice(held))
    if cards and cards[-1] <= SUITED_MAX:
        turn = 13 * rng.randint(1, 3)
        copies = [(card, move >> 4 * card & 15) for card in cards]
        suited = sum(n * single((card - 1 + turn) % SUITED_MAX + 1) for card, n in copies)
        yield suited | move & 15
    if cards:
        yield move - single(rng.choice(cards))
    if move < 1 << 12:  # another number, where it holds no cards
        yield from (number << 4 | move & 15 for number in range(16))
    yield move & ~15 | rng.randint(0, 15)
    yield move ^ rng.randint(1, 3) << ABOVE
    yield move ^ rng.randint(1, 63) << ABOVE
    yield move & (1 << ABOVE) - 1


def of_hand(legal: Sequence[Move], hand: Cards, rng: Random) -> Iterator[Move]:
    """Cards of *hand* as moves of any type: some, of a suit, of a rank, copies, and as many as a
    legal move has."""
    held = list(unpack(hand))
    if not held:
        return
    for move in legal:
        cards = move >> 4
        first = ((cards & -cards).bit_length() + 3) >> 2  # the lowest card, or 0
        for card in sorted(set(held)):  # of the same rank, all copies
            if card != first and (card - first) % 13 == 0:
                yield held.count(card) * single(card) | move & 15
    types = [*(move & 15 for move in legal), rng.randint(1, 10)]
    sizes = [count(move & (1 << ABOVE) - 16) for move in legal]
    for size in (1, 2, 3, 4, *sizes, *sizes):
        for group in groups(held, size, rng):
            cards = sum(map(single, group))
            yield cards | rng.choice(types)
            if rng.random() < 0.2:
                yield cards | rng.randint(1, 10) | rng.randint(1, 6) << ABOVE


def groups(held: list[int], size: int, rng: Random) -> Iterator[list[int]]:
    """Some *size* cards of those held: any, of a suit, of a rank, and in pairs of equal cards."""
    yield rng.sample(held, min(size, len(held)))
    suit, rank = rng.randrange(4), rng.randrange(13)
    near = [card for card in held if (card - 1) // 13 == suit]
    yield rng.sample(near, min(size, len(near)))
    yield [card for card in held if (card - 1) % 13 == rank]
    doubles = [card for card in sorted(set(held)) if held.count(card) > 1]
    if doubles:  # where several packs are played with
        card = rng.choice(doubles)
        yield [card] * min(max(size, 2), held.count(card))
        yield 2 * rng.sample(doubles, min(size // 2, len(doubles)))
        near = [other for other in doubles if (other - 1) // 13 == (card - 1) // 13]
        yield 2 * rng.sample(near, min(size // 2, len(near)))


def nonsense(rng: Random) -> Iterator[Move]:
    """Types alone, small numbers of any type, cards of nobody, and bits."""
    yield from range(16)
    yield rng.randrange(130) << 4 | rng.randint(0, 15)
    yield rng.randrange(16) << 4 | rng.randint(0, 15)
    yield rng.randrange(60) << ABOVE | rng.randint(0, 15)
    yield single(rng.randint(1, CARD_MAX)) * rng.randint(1, 15) | rng.randint(0, 15)
    yield rng.getrandbits(rng.choice((8, 16, 64, 230, 300)))
