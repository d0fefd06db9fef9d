"""How many legal sequences of moves there are to a small depth, from moments of fixed deals.

What chess programs call perft: a change in what is legal, anywhere near, changes a number.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product
from random import Random

from croupier_server.games.base import AnyGame, Turn
from tests.conformance.playouts import Entry, apply_entry, make_entry, words
from tests.conformance.subjects import short

BUDGET = 400
"""No deeper than so many sequences: together a ruleset takes well under two seconds."""

DEPTH_MAX = 6

MOMENTS = 24
"""So many moments of two deals are counted from."""


def counts(game: AnyGame, ruleset: str) -> str:
    """The numbers of a ruleset, a line a moment."""
    lines = [
        f"# {game.name}, ruleset {ruleset}: legal sequences of 1, 2, ... moves",
        f"# from moments of two fixed deals, as deep as there are at most {BUDGET} shorter ones.",
        "# Written by scripts/golden.py --update.",
    ]
    for deal in (1, 2):
        for number, state in _moments(game, ruleset, deal):
            found = " ".join(map(str, _count(game, state)))
            lines.append(f"deal {deal} after {number:3} moves: {found}")
    return "\n".join(lines) + "\n"


def _moments(game: AnyGame, ruleset: str, seed: int) -> Iterator[tuple[int, object]]:
    """Moments in which somebody is to move, spread over a random deal of fixed cards."""
    found = []
    rng, draw = Random(seed), words(seed)
    state = game.new(short(game, ruleset))
    moves = 0
    while game.turn(state) is not Turn.OVER:
        if game.to_act(state):
            found.append((moves, game.copy(state)))
        entry = make_entry(game, state, rng, draw)
        moves += len(entry.by_seat())
        apply_entry(game, state, entry)
    wanted = MOMENTS // 2
    places = sorted({place * (len(found) - 1) // (wanted - 1) for place in range(wanted)})
    return iter([found[place] for place in places])


def _count(game: AnyGame, state: object) -> list[int]:
    """Sequences of 1, 2, ... moves; a sealed window counts as one move of all who are asked, and
    a deal's end ends a sequence. Stops before it would take too long."""
    found: list[int] = []
    layer = [state]
    while layer and len(found) < DEPTH_MAX:
        number = 0
        deeper: list[object] | None = []
        for one in layer:
            for entry in _entries(game, one):
                number += 1
                if number > 20 * BUDGET:
                    return found
                if deeper is not None:
                    after = game.copy(one)
                    apply_entry(game, after, entry)
                    deeper.append(after)
                    if len(deeper) > BUDGET:
                        deeper = None
        if not number:
            break
        found.append(number)
        if deeper is None:
            break
        layer = deeper
    return found


def _entries(game: AnyGame, state: object) -> Iterator[Entry]:
    """Everything that can be done next by those who are to act."""
    turn = game.turn(state)
    if turn is Turn.MOVE:
        (seat,) = game.to_act(state)
        for move in game.members(game.legal_moves(state, seat)):
            yield Entry(seat=seat, move=move)
    elif turn is Turn.WINDOW:
        seats = game.to_act(state)
        lists = [islice(game.members(game.legal_moves(state, seat)), BUDGET) for seat in seats]
        for moves in product(*lists):
            yield Entry(answers=dict(zip(seats, moves, strict=True)))
