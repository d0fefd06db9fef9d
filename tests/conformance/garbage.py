"""Moves of all sorts, mostly illegal: near misses of legal ones, and what no client would send.

A move has its type in digit 0 and packed cards, or a number, above it; a further number may stand
above all cards. That much is the same in every game. What is made is a function of the arguments
alone, so that two worlds can be asked the same.

Must not be put here: what becomes of the moves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from croupier_server.games.base import Move
from croupier_server.games.cards import CARD_MAX, Cards, single, unpack

ABOVE = 4 * (CARD_MAX + 1)
"""The first bit above all cards."""


def moves_like(
    legal: Sequence[Move], hand: Cards, others: Sequence[Move], rng: Random
) -> Iterator[Move]:
    """Near misses of *legal*, some of *others* (moves of other moments), and more of *hand*."""
    for move in legal:
        yield from near_misses(move, hand, rng)
    yield from rng.sample(others, min(4, len(others)))
    yield from of_hand(hand, rng)
    yield from nonsense(rng)


def near_misses(move: Move, hand: Cards, rng: Random) -> Iterator[Move]:
    """*move* with a card more, less, or another, of another type, and with another number."""
    held = list(unpack(hand)) or [1]
    cards = [card for card in range(1, CARD_MAX + 1) if move >> 4 * card & 15]
    for _ in range(3):
        if cards:
            yield move - single(rng.choice(cards)) + single(rng.randint(1, CARD_MAX))
            yield move - single(rng.choice(cards)) + single(rng.choice(held))
        yield move + single(rng.randint(1, CARD_MAX))
        yield move + single(rng.choice(held))
    if cards:
        yield move - single(rng.choice(cards))
    yield move & ~15 | rng.randint(0, 15)
    yield move ^ rng.randint(1, 3) << ABOVE
    yield move ^ rng.randint(1, 63) << ABOVE
    yield move & (1 << ABOVE) - 1


def of_hand(hand: Cards, rng: Random) -> Iterator[Move]:
    """Cards of *hand* together with any type of move: one, some, those of a suit, of a rank."""
    held = list(unpack(hand))
    if not held:
        return
    groups = [rng.sample(held, min(number, len(held))) for number in (1, 2, 3, 4, 5, 8)]
    suit, rank = rng.randrange(4), rng.randrange(13)
    groups.append([card for card in held if (card - 1) // 13 == suit])
    groups.append([card for card in held if (card - 1) % 13 == rank])
    for group in groups:
        cards = sum(map(single, group))
        yield cards | rng.randint(1, 10)
        yield cards | rng.randint(1, 10) | rng.randint(1, 6) << ABOVE


def nonsense(rng: Random) -> Iterator[Move]:
    """Types alone, small numbers of any type, cards of nobody, and bits."""
    yield 0
    yield rng.randint(0, 15)
    yield rng.randrange(130) << 4 | rng.randint(0, 15)
    yield rng.randrange(16) << 4 | rng.randint(0, 15)
    yield rng.randrange(60) << ABOVE | rng.randint(0, 15)
    yield single(rng.randint(1, CARD_MAX)) * rng.randint(1, 15) | rng.randint(0, 15)
    yield rng.getrandbits(rng.choice((8, 16, 64, 230, 300)))
