"""What `greedy` does in a turn of Tong-its: what it takes, exposes, lays off and throws away.

Each decision is made anew from the position, so a turn of several moves needs no memory. Must not
be put here: draw calls.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Final

from croupier.bot import Decision
from croupier.moves import Move
from croupier.tongits import MoveKind
from croupier.tongits.greedy.melds import bit, cards_of
from croupier.tongits.greedy.table import Table

__all__ = ["play", "start"]

_OPENING: Final = 8
"""What it is worth to be opened, in points of the hand."""
_DRAWING: Final = 2
"""What a card from the stock is worth on average."""
_HOPE: Final = 0.045
"""Part of its points that a card is worth for each unseen card that would meld it."""
_GIFT: Final = 0.1
"""What it costs for each pair of unseen cards with which the next player could meld the discard."""
_LOW: Final = 12
"""With so many points in the hand or fewer the next turn may call draw."""
_LAST_TURNS: Final = 3
"""With so few cards in the stock the own next turn may not come."""
_MELDS: Final = (MoveKind.MELD_SET, MoveKind.MELD_RUN)


def start(table: Table, decision: Decision) -> Move:
    """Take the discard where that leaves less in the hand than a card from the stock would."""
    moves = decision.legal.moves
    best, best_gain = _first(moves, MoveKind.DRAW_STOCK) or moves[0], float(_DRAWING)
    for move in moves:
        if move.kind is MoveKind.TAKE_DISCARD:
            left = table.finder.split(table.hand & ~bit(move.cards)).points
            gain = table.split.points - left + (0 if table.is_opened(table.view.seat) else _OPENING)
        elif move.kind is MoveKind.TAKE_AND_LAY_OFF:
            gain = 0
        else:
            continue
        if gain > best_gain:
            best, best_gain = move, gain
    return best


def play(table: Table, decision: Decision) -> Move:
    """Go out, open, lay off, or end the turn with a discard."""
    moves = decision.legal.moves
    return (
        _go_out(table, moves)
        or _open(table, moves)
        or _lay_off(table, moves)
        or _end(table, decision)
    )


def _first(moves: Iterable[Move], *kinds: MoveKind) -> Move | None:
    return next((move for move in moves if move.kind in kinds), None)


# Melds and lay-offs ----------------------------------------------------------------------------


def _go_out(table: Table, moves: Iterable[Move]) -> Move | None:
    """The next move on the way to an empty hand, if there is a way that the best melds show."""
    rest = table.split.rest
    layable = 0
    steps: list[Move] = []
    fours: list[Move] = []
    exposed: set[int] = set()
    for move in moves:
        cards = bit(move.cards)
        if move.kind is MoveKind.LAY_OFF and cards & rest == cards:
            layable |= cards
            steps.append(move)
        elif move.kind is MoveKind.SECRET_FOUR and cards in table.split.melds:
            exposed.add(cards)
            fours.append(move)
        elif move.kind in _MELDS and cards in table.split.melds:
            exposed.add(cards)
            steps.append(move)
    is_all = exposed.issuperset(table.split.melds)
    if not is_all or (rest & ~layable).bit_count() > 1:
        return None
    # Long lay-offs first, so that none is left hanging; fours face down, because they pay.
    steps.sort(key=lambda move: -len(move.cards))
    return next(iter(fours + steps), None)


def _open(table: Table, moves: Iterable[Move]) -> Move | None:
    """A secret four, which pays and protects; otherwise the first own meld, the one that others can
    add least to. Further melds stay in the hand, where nobody lays off on them."""
    own = [move for move in moves if bit(move.cards) in table.split.melds]
    four = _first(own, MoveKind.SECRET_FOUR)
    if four is not None or table.is_opened(table.view.seat):
        return four
    melds = [move for move in own if move.kind in _MELDS]
    return min(melds, key=lambda move: _additions(table, bit(move.cards)), default=None)


def _additions(table: Table, meld: int) -> int:
    """How many unseen cards could be laid off on *meld*."""
    found = 0
    for card in cards_of(table.unseen):
        grown = meld | bit([card])
        found += grown in set(table.finder.melds(grown))
    return found


def _lay_off(table: Table, moves: Iterable[Move]) -> Move | None:
    """Cards that go with nothing: on melds of others always, which also bars their draw calls; on
    own ones unless that would bar an own call that may be near."""
    melds = table.view.public.melds
    owners = {meld.number: meld.seat for meld in melds}
    best: Move | None = None
    for move in moves:
        if move.kind is not MoveKind.LAY_OFF or bit(move.cards) & ~table.split.rest:
            continue
        own = owners[move.message.tongits.lay_off.meld] == table.view.seat
        left = table.split.points - move.points
        is_near = left <= _LOW and table.view.public.stock_size > _LAST_TURNS
        if own and is_near:
            continue
        if best is None or move.points > best.points:
            best = move
    return best


# The discard -----------------------------------------------------------------------------------


def _end(table: Table, decision: Decision) -> Move:
    """The discard that leaves the best hand and helps the next player least."""
    legal = decision.legal
    discards = [move for move in legal.moves if move.kind is MoveKind.DISCARD]
    if not discards:
        return _first(legal.moves, MoveKind.END_TURN) or legal[0]
    return min(discards, key=lambda move: (_cost(table, move.cards[0]), move.cards[0]))


def _cost(table: Table, card: int) -> float:
    """What is left in the hand without *card*, less what that may become, and what the next player
    may make of the discard."""
    split = table.finder.split(table.hand & ~bit([card]))
    promise = table.promise
    hope = sum(promise(one, other) for one, other in combinations(cards_of(split.rest), 2))
    return split.points - _HOPE * hope + _GIFT * _takers(table, card)


def _takers(table: Table, card: int) -> int:
    """Pairs of unseen cards that make a meld with *card*."""
    one = bit([card])
    return sum(1 for meld in table.finder.triples(one) if not (meld & ~one) & ~table.unseen)
