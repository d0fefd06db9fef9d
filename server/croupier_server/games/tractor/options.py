"""Options of Tractor: read from texts, checked against each other, and written back.

`parse_options` turns texts into `TractorOptions` and `option_text` turns them back, so that equal
rules always have equal text. What can be set, and the named sets, are data in `rulesets`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from croupier_server.games import settings
from croupier_server.games.base import Seat
from croupier_server.games.cards import RANKS
from croupier_server.games.settings import Reader, invalid
from croupier_server.games.tractor.rulesets import RULESETS, SPECS

__all__ = [
    "LEVEL_ACE",
    "LEVEL_FIRST",
    "RULESETS",
    "SPECS",
    "TractorOptions",
    "auto_kitty",
    "level_text",
    "option_text",
    "parse_options",
]

LEVEL_FIRST = 2
LEVEL_ACE: Final = 14
_PACK_CARDS = 54
_AUTO_KITTY_MIN = 5
_HAND_MIN = 2


@dataclass(frozen=True, slots=True)
class TractorOptions:
    """Checked options of one match; the fields are named and explained in `SPECS`.

    ``kitty_size``, ``level_cap`` and ``max_deals`` are 0 for ``auto`` and ``none``; levels are
    ranks 2 to 14.
    """

    players: int
    packs: int
    kitty_size: int
    trump_making: str
    contract: str
    declare_window: str
    joker_pairs: str
    self_override: bool
    first_starter: str
    no_declaration: str
    first_drawer: str
    nt_rank_cards: str
    rank_gap: str
    trump_ladder: str
    tractor_follow: str
    protect: str
    throw_compare: str
    throw_penalty: str
    kitty_multiplier: str
    level_cap: int
    ace_rule: str
    mandatory_levels: tuple[int, ...]
    max_deals: int
    start_levels: tuple[int, int]
    starter: Seat | None

    @property
    def cards(self) -> int:
        """Cards of all packs."""
        return self.packs * _PACK_CARDS

    @property
    def kitty(self) -> int:
        """Number of cards in the kitty (T-1.2)."""
        return self.kitty_size or auto_kitty(self.players, self.packs)

    @property
    def hand(self) -> int:
        """Number of cards that each seat draws (T-1.2)."""
        return (self.cards - self.kitty) // self.players

    @property
    def points(self) -> int:
        """Points in all packs (T-1.1)."""
        return 100 * self.packs

    @property
    def is_auction(self) -> bool:
        """Trumps are made as in T-11."""
        return self.trump_making == "auction"


@lru_cache(maxsize=128)
def auto_kitty(players: int, packs: int) -> int:
    """Size of the kitty by T-1.2.

    >>> [auto_kitty(4, 2), auto_kitty(6, 2), auto_kitty(8, 3), auto_kitty(12, 6)]
    [8, 6, 10, 12]
    """
    kitty = packs * _PACK_CARDS % players or players
    while kitty < _AUTO_KITTY_MIN:
        kitty += players
    return kitty


def level_text(level: int) -> str:
    """The letter of a level.

    >>> level_text(10)
    'T'
    """
    return RANKS[level - LEVEL_FIRST]


def parse_options(ruleset: str, overrides: Mapping[str, str]) -> TractorOptions:
    """Options of *ruleset* with single values replaced.

    Raises:
        InvalidRequest: UNKNOWN_RULESET, UNKNOWN_OPTION or INVALID_OPTION; ``field`` names it.
    """
    reader = Reader("Tractor", SPECS, RULESETS, ruleset, overrides)
    values = reader.values()
    values["players"] = players = int(values["players"])
    values["packs"] = packs = values["packs"] or players // 2
    values["level_cap"] = int(values["level_cap"].replace("none", "0"))
    for name in ("start_levels", "mandatory_levels"):
        values[name] = tuple(LEVEL_FIRST + place for place in values[name])
    values["mandatory_levels"] = tuple(sorted(values["mandatory_levels"]))
    levels = values["start_levels"]
    values["start_levels"] = (levels[0], levels[-1])
    options = TractorOptions(**values)
    if options.kitty_size:
        _check_kitty_size(options.kitty_size, players, packs)
    _check_start(options)
    return options


def option_text(options: TractorOptions) -> dict[str, str]:
    """Every value as text, sorted by name; `parse_options` reads it back to equal options."""
    texts = settings.option_text(options, SPECS)
    texts["level_cap"] = str(options.level_cap or "none")
    texts["mandatory_levels"] = ",".join(map(level_text, options.mandatory_levels)) or "none"
    first, second = map(level_text, options.start_levels)
    texts["start_levels"] = first if first == second else f"{first},{second}"
    return texts


def _check_kitty_size(size: int, players: int, packs: int) -> None:
    hand, remainder = divmod(packs * _PACK_CARDS - size, players)
    if remainder or hand < _HAND_MIN or size > hand:
        raise invalid(
            "kitty_size",
            f"{size} of {packs * _PACK_CARDS} cards does not leave {players} equal hands of at "
            f"least {_HAND_MIN} cards, each no smaller than the kitty",
        )


def _check_start(options: TractorOptions) -> None:
    """Start levels and starter of deal 1 have to fit each other."""
    starter, (first, second) = options.starter, options.start_levels
    if starter is not None and starter >= options.players:
        raise invalid("starter", f"{starter} is not a seat of a table of {options.players}")
    if first != second and starter is None:
        raise invalid("start_levels", "two different levels require starter to be set")
    if options.ace_rule == "reach" and LEVEL_ACE in options.start_levels:
        raise invalid("start_levels", "a match that is won by reaching ace cannot start there")
