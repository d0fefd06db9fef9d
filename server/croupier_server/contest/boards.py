"""Boards: the cards of a contest, from its seed alone.

A board is one root from which a server derives every deck and lot of a match. Tables of one board
get the same cards, so that two entrants can be compared on them under every seating.

    root(board)  = SHA-256(field("croupier contest board 1") field(seed) field(board))
    field(x)     = length of x as 4 bytes, then x; numbers are decimal digits in ASCII

A board that was given out and then spoiled may be dealt again with other cards. For redeal number
*r*, from 1, `field(r)` follows `field(board)`.

The board's number is its place in the contest, so every pairing meets the same boards.
"""

from __future__ import annotations

import hashlib
from typing import Final, NamedTuple

_BOARD_LABEL: Final = "croupier contest board 1"
_BOTS_LABEL: Final = "croupier contest bots 1"


class Board(NamedTuple):
    """The cards of one board.

    ``root`` is secret until the board's last table has ended; ``commitment`` is its SHA-256.
    """

    number: int
    board_id: str
    root: bytes
    commitment: bytes


def board(seed: int, number: int, redeal: int = 0) -> Board:
    """Board *number*, counted from 0, of the contest with *seed*, dealt again *redeal* times.

    >>> board(1, 0).board_id, board(1, 0) == board(1, 0), board(1, 0).root == board(2, 0).root
    ('board-1', True, False)
    """
    root = _digest(_BOARD_LABEL, seed, number, *([redeal] if redeal else []))
    return Board(number, f"board-{number + 1}", root, hashlib.sha256(root).digest())


def bot_seed(seed: int, entrant: int, board_number: int, seating_number: int) -> int:
    """Seed of the bots of *entrant* at one table: 63 bits, so that it fits every language.

    It differs from table to table, so that a bot does not repeat itself on the next seating.
    """
    digest = _digest(_BOTS_LABEL, seed, entrant, board_number, seating_number)
    return int.from_bytes(digest[:8], "big") >> 1


def _digest(label: str, *numbers: int) -> bytes:
    hasher = hashlib.sha256()
    for field in (label, *map(str, numbers)):
        data = field.encode("ascii")
        hasher.update(len(data).to_bytes(4, "big") + data)
    return hasher.digest()
