"""What tables a harness plays at: all games, with and without clocks, seen in all ways."""

from __future__ import annotations

from random import Random
from typing import Any, Final, NamedTuple

from croupier.clock import Clock
from croupier.v1 import table_pb2

GAMES: Final = {
    "tractor": ("max_deals", 1, 2),
    "tongits": ("max_hands", 4, 10),
    "pokex": ("max_deals", 2, 5),
}
"""By game, the option for its length, and the least and the most of it."""

_CLOCKS: Final = (
    None,
    None,
    Clock(per_move=20),
    Clock(base=240, increment=1),
    Clock(per_move=5, base=120, on_timeout="forfeit"),
    Clock(per_move=20, disconnect_grace=30, on_timeout="fallback"),
)


class Wish(NamedTuple):
    """A table to be made.

    Attributes:
        game: its name.
        arguments: of `croupier.Client.create_table`.
        seats: for each seat whether it sees events in the place of views; None: a house bot's.
        think_s: its bots think for so long at most.
        spectators: so many watch.
    """

    game: str
    arguments: dict[str, Any]
    seats: tuple[bool | None, ...]
    think_s: float
    spectators: int


def wish(rng: Random, players: dict[str, int], think_s: float) -> Wish:
    """A table by chance.

    Args:
        rng: the chance.
        players: by game, how many play.
        think_s: bots think for so long at most.
    """
    game = rng.choice(tuple(GAMES))
    option, least, most = GAMES[game]
    seats: list[bool | None] = [rng.random() < 0.3 for _ in range(players[game])]
    if rng.random() < 0.15:
        seats[rng.randrange(len(seats))] = None
    words = ["greedy" if events is None else "reserved" for events in seats]
    deal = table_pb2.DealSource(match=table_pb2.MatchDeal())
    if rng.random() < 0.2:
        deal = table_pb2.DealSource(fixed=table_pb2.FixedDeal(seed=rng.getrandbits(53)))
    is_late = rng.random() < 0.2
    arguments = {
        "options": {option: rng.randint(least, most)},
        "seats": words,
        "shared_seats": True,
        "clock": rng.choice(_CLOCKS),
        "deal": deal,
        "spectator_delay": table_pb2.SpectatorDelay(decisions=3) if is_late else None,
    }
    return Wish(game, arguments, tuple(seats), think_s, rng.choice((0, 0, 1, 2)))
