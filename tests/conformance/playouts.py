"""Random playouts of any game of the registry, and a log that replays them.

Knows `Game` alone: nothing of one game may be written here.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from croupier_server.games.base import AnyGame, ChanceKind, Event, Legal, Move, Seat, Turn
from croupier_server.games.cards import EVERY, count


class Entry(NamedTuple):
    """One row of a log: a chance outcome, the answers of a window, or one move."""

    chance: tuple[int, ...] = ()
    answers: Mapping[Seat, Move] | None = None
    seat: Seat = -1
    move: Move = 0

    def by_seat(self) -> Mapping[Seat, Move]:
        """Who moved and how; nobody where it is chance."""
        if self.answers is not None:
            return self.answers
        return {} if self.chance else {self.seat: self.move}


class Step(NamedTuple):
    """A moment of a match: ``state`` before ``entry``, which ``rng`` and ``draw`` chose.

    The state changes in place as soon as the next step is asked for.
    """

    number: int
    state: object
    entry: Entry


PATTERNS_MAX = 200
"""So many patterns of an answer are looked at."""

BOLDNESS = 0.9
"""How often a bold seat makes the move with most cards."""

SILENCE = 0.1
"""How often a seat does not answer, and its fallback is played."""


def is_bold(seed: int) -> bool:
    """Whether the seats of match number *seed* are bold: in every third match."""
    return seed % 3 == 2


def words(seed: int) -> Iterator[int]:
    """Random 64-bit words."""
    rng = random.Random(seed)
    while True:
        yield rng.getrandbits(64)


def make_entry(
    game: AnyGame,
    state: object,
    rng: random.Random,
    draw: Iterator[int],
    silence: float = SILENCE,
    is_bold: bool = False,
) -> Entry:
    """What happens next: shuffled decks, any moves, fallbacks with the chance *silence*; seats
    that are bold mostly make the move with most cards."""
    turn = game.turn(state)
    if turn is Turn.CHANCE:
        chance = game.chance(state)
        if chance.kind is ChanceKind.LOT:
            return Entry(chance=(rng.randrange(chance.sides),))
        deck = list(chance.cards)
        rng.shuffle(deck)
        return Entry(chance=tuple(deck))
    seats = game.to_act(state)
    moves = {
        seat: game.fallback(state, seat)
        if rng.random() < silence
        else choose(game, game.legal_moves(state, seat), rng, draw, is_bold)
        for seat in seats
    }
    if turn is Turn.WINDOW:
        return Entry(answers=moves)
    ((seat, move),) = moves.items()
    return Entry(seat=seat, move=move)


def choose(
    game: AnyGame, legal: Legal, rng: random.Random, draw: Iterator[int], is_bold: bool = False
) -> Move:
    """Any move of *legal*; in every second choice first a kind, so that rare kinds come up."""
    if is_bold and rng.random() < BOLDNESS:
        moves = list(islice(game.members(legal), PATTERNS_MAX))
        sizes = [count(move & EVERY) for move in moves]
        return rng.choice(
            [move for move, size in zip(moves, sizes, strict=True) if size == max(sizes)]
        )
    if rng.random() < 0.5:
        patterns = list(islice(legal.patterns, PATTERNS_MAX))
        kinds = sorted({*legal.kinds, *(pattern.kind for pattern in patterns)})
        if len(kinds) > 1:
            kind = rng.choice(kinds)
            listed = [
                move for move, own in zip(legal.moves, legal.kinds, strict=True) if own == kind
            ]
            legal = Legal(
                listed,
                [kind] * len(listed),
                [pattern for pattern in patterns if pattern.kind == kind],
            )
    return game.sample(legal, draw)


def apply_entry(game: AnyGame, state: object, entry: Entry) -> list[Event]:
    """Put *entry* into *state*."""
    if entry.chance:
        return game.apply_chance(state, entry.chance)
    if entry.answers is not None:
        return game.close_window(state, entry.answers)
    return game.apply(state, entry.seat, entry.move)


def steps(
    game: AnyGame, options: object, seed: int, most: int = 20_000, silence: float = SILENCE
) -> Iterator[Step]:
    """A match at random, step by step, up to its end or to *most* steps.

    Whoever goes through them may look at the state, and must not apply the entry to it.
    """
    rng, draw = random.Random(seed), words(seed)
    state = game.new(options)
    for number in range(most):
        if game.turn(state) is Turn.OVER:
            return
        entry = make_entry(game, state, rng, draw, silence, is_bold(seed))
        yield Step(number, state, entry)
        apply_entry(game, state, entry)


def playout(
    game: AnyGame, options: object, seed: int, most: int = 20_000
) -> tuple[object, list[Entry], list[Event]]:
    """A match at random, whole or of *most* steps: its end, its log and its events."""
    rng, draw = random.Random(seed), words(seed)
    state = game.new(options)
    log: list[Entry] = []
    happened: list[Event] = []
    while game.turn(state) is not Turn.OVER and len(log) < most:
        entry = make_entry(game, state, rng, draw, is_bold=is_bold(seed))
        log.append(entry)
        happened += apply_entry(game, state, entry)
    return state, log, happened


def replay(game: AnyGame, options: object, log: Sequence[Entry]) -> tuple[object, list[Event]]:
    """What *log* makes of a new match."""
    state = game.new(options)
    return state, [event for entry in log for event in apply_entry(game, state, entry)]
