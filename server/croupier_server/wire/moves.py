"""What moves of all games share on the wire: cards, what is no move at all, and legal answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from functools import lru_cache, partial
from itertools import islice
from types import MappingProxyType
from typing import Final

from croupier.v1 import game_pb2
from croupier_server.errors import MalformedMove, Reason
from croupier_server.games.base import Legal, Move, Pattern
from croupier_server.games.cards import (
    CARD_MAX,
    CARD_NAMES,
    COPIES_MAX,
    EVERY,
    Cards,
    single,
    unpack,
)
from croupier_server.games.kept import Kept
from croupier_server.wire.encode import VARINTS
from croupier_server.wire.generated import game

SINGLES: Final[dict[int, Cards]] = {card: single(card) for card in range(1, CARD_MAX + 1)}
"""One of every card, by its number; what is no card is not in it."""


def malformed(path: str, why: str) -> MalformedMove:
    """The refusal of a message whose field *path*, from the game's arm on, is no part of a move."""
    return MalformedMove(Reason.MALFORMED_MOVE, why, field=f"move.{path}")


def no_kind(message: game_pb2.Move, game: str) -> MalformedMove:
    """The refusal of a message in which no move of *game* is set."""
    arm = message.WhichOneof("game")
    if arm is None:
        return malformed("game", "the move is empty")
    if arm != game:
        return malformed(arm, "the move is for another game")
    return malformed(f"{game}.move", "no kind of move is set")


def no_code(move: Move, title: str) -> MalformedMove:
    """The refusal of a number that is no move of the game called *title*."""
    return MalformedMove(Reason.MALFORMED_MOVE, f"{move} is no move of {title}")


def read_card(number: int, path: str, pack: Cards = EVERY) -> Cards:
    """The packed count of one card, which comes from outside; *pack* is that of `read_cards`."""
    found = SINGLES.get(number)
    if found is None:
        raise malformed(path, f"{number} is not a card")
    if not found & pack:
        raise malformed(path, f"there is no {CARD_NAMES[number]} in this game")
    return found


def read_cards(
    cards: Sequence[int], path: str, least: int, most: int, pack: Cards = EVERY
) -> Cards:
    """The packed counts of *cards*, which come from outside: from *least* to *most* of them.

    *pack* has the bits that they may have: all of them, or in a game of one pack its cards.
    """
    number = len(cards)
    if not least <= number <= most:
        raise malformed(path, f"{number} cards given; {least} to {most} needed")
    if number <= COPIES_MAX:
        try:
            found = sum([SINGLES[card] for card in cards])
        except KeyError:
            pass  # told apart below
        else:
            if not found & ~pack:
                return found
    copies_max = COPIES_MAX if pack == EVERY else 1
    copies = [0] * (CARD_MAX + 1)
    found = 0
    for place, one in enumerate(cards):
        found += read_card(one, f"{path}[{place}]", pack)
        copies[one] += 1
        if copies[one] > copies_max:
            raise malformed(
                f"{path}[{place}]",
                f"there are no more copies of {CARD_NAMES[one]} than {copies_max} in this game",
            )
    return found


# Legal answers ----------------------------------------------------------------------------------

LISTED_MAX: Final = 64
"""At most so many moves and so many patterns go into one answer."""

SUMMARY_MAX: Final = 16
"""With `LegalMode.SUMMARY`: longer answers are left out."""


class LegalMode(IntEnum):
    """How much of the legal moves a decision lists; the numbers are those of the contract."""

    FULL = 1
    SUMMARY = 2
    OFF = 3


_PATTERNS_KEPT_MAX: Final = 8192
"""So many encoded patterns of a game are kept: those of some hundred tables."""

# Members of an enum are looked up slowly.
_OFF: Final = int(LegalMode.OFF)
_SUMMARY: Final = int(LegalMode.SUMMARY)

_TRUNCATED: Final = game.legal_moves_truncated(True)


def kind_bytes(tag: bytes, most: int) -> tuple[bytes, ...]:
    """By number up to *most*: payload of ``MoveKind`` or ``DecisionKind`` of the game that has
    *tag* there."""
    return tuple(tag + VARINTS[kind] for kind in range(most + 1))


def entry_bytes(move: bytes, tail: bytes) -> bytes:
    """An element of ``LegalMoves.moves``: a ``Move`` and, with its tag, its kind."""
    return game.legal_moves_moves([game.legal_move_move(move) + tail])


class LegalBytes:
    """Encodes what one game's seats may do.

    Args:
        kinds: by number: payload of ``MoveKind``.
        move_bytes: payload of ``Move``.
        moves_kept: so many encoded moves of one kind are kept; they are about 100 bytes each.
        template: payload of ``Move``: what all members of a pattern share.
        steps: by the kinds of patterns that hold numbers: the distance between two of them.
        entry: an element of ``LegalMoves.moves``, tag and all, of a move and of what stands behind
            it there: for games that put it together faster than out of *move_bytes*.
    """

    __slots__ = ("_entries", "_kinds", "_move_bytes", "_pattern", "_steps", "_template")

    def __init__(
        self,
        kinds: Sequence[bytes],
        move_bytes: Callable[[Move], bytes],
        moves_kept: int,
        template: Callable[[Pattern], bytes],
        steps: Mapping[int, int] = MappingProxyType({}),
        entry: Callable[[bytes, Move], bytes] | None = None,
    ) -> None:
        self._kinds = kinds
        self._move_bytes = move_bytes
        self._template = template
        self._steps = steps
        make = entry or self._entry
        self._entries = tuple(
            Kept[Move, bytes](partial(make, game.legal_move_kind(kind)), moves_kept)
            for kind in kinds
        )
        # Kept, as a seat is told of the same choice of its cards again with each decision.
        self._pattern = lru_cache(maxsize=_PATTERNS_KEPT_MAX)(self._encode_pattern)

    def _entry(self, tail: bytes, move: Move) -> bytes:
        return entry_bytes(self._move_bytes(move), tail)

    def move(self, move: Move, kind: int) -> bytes:
        """Payload of ``LegalMove``."""
        moved = game.legal_move_move(self._move_bytes(move))
        return moved + game.legal_move_kind(self._kinds[kind])

    def answer(self, legal: Legal, mode: int) -> bytes:
        """See `GameWire.legal_bytes`."""
        if mode == _OFF:
            return _TRUNCATED
        listed, kinds = legal.moves, legal.kinds
        if listed and kinds.count(kinds[0]) == len(kinds):
            # Most answers are of one kind, and half the time of this function is the look-up of it.
            entries = list(map(self._entries[kinds[0]].__getitem__, listed))
        else:
            tables = self._entries
            entries = [tables[kind][move] for move, kind in zip(listed, kinds, strict=True)]
        patterns: Sequence[Pattern] = legal.patterns
        if type(patterns) is not tuple or patterns:
            # They may be endless in practice: never ask how many there are.
            patterns = list(islice(patterns, LISTED_MAX + 1))
        if mode == _SUMMARY and len(entries) + len(patterns) > SUMMARY_MAX:
            return _TRUNCATED
        if not patterns and len(entries) <= LISTED_MAX:
            return b"".join(entries)
        is_cut = len(entries) > LISTED_MAX or len(patterns) > LISTED_MAX
        found = entries[:LISTED_MAX] + [self._pattern(one) for one in patterns[:LISTED_MAX]]
        return b"".join(found) + (_TRUNCATED if is_cut else b"")

    def _encode_pattern(self, pattern: Pattern) -> bytes:
        """An element of ``LegalMoves.patterns``."""
        step = self._steps.get(pattern.kind)
        least, most = pattern.least, pattern.most
        of_cards = of_numbers = None
        if step is None:
            of_cards = game.card_choice(unpack(pattern.pool), least, most)
        else:
            of_numbers = game.number_range(least, most, step)
        template, kind = self._template(pattern), self._kinds[pattern.kind]
        return game.legal_moves_patterns([game.move_pattern(template, kind, of_cards, of_numbers)])
