"""Options of Tractor: read from texts, checked against each other, and written back.

`parse_options` turns texts into `TractorOptions` and `option_text` turns them back, so that equal
rules always have equal text. What can be set, and the named sets, are data in `rulesets`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

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
LEVEL_ACE = 14
_PACK_CARDS = 54
_AUTO_KITTY_MIN = 5
_HAND_MIN = 2


_BY_NAME = {spec.name: spec for spec in SPECS}


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
    return _read(Reader("Tractor", SPECS, RULESETS, ruleset, overrides))


def option_text(options: TractorOptions) -> dict[str, str]:
    """Every value as text, sorted by name; `parse_options` reads it back to equal options."""
    numbers = {"kitty_size": "auto", "level_cap": "none", "max_deals": "none"}
    texts: dict[str, str] = {}
    for name in sorted(_BY_NAME):
        value: object = getattr(options, name)
        if name in numbers and value == 0:
            texts[name] = numbers[name]
        elif isinstance(value, bool):
            texts[name] = "true" if value else "false"
        else:
            texts[name] = "none" if value is None else str(value)
    texts["mandatory_levels"] = ",".join(map(level_text, options.mandatory_levels)) or "none"
    first, second = options.start_levels
    both = level_text(first)
    texts["start_levels"] = both if first == second else f"{both},{level_text(second)}"
    return texts


def _levels(reader: Reader, name: str) -> list[int]:
    return [LEVEL_FIRST + place for place in reader.levels(name)]


def _read_kitty_size(reader: Reader, players: int, packs: int) -> int:
    size = reader.optional("kitty_size")
    if size is None:
        return 0
    hand, remainder = divmod(packs * _PACK_CARDS - size, players)
    if remainder or hand < _HAND_MIN or size > hand:
        raise invalid(
            "kitty_size",
            f"{size} of {packs * _PACK_CARDS} cards does not leave {players} equal hands of at "
            f"least {_HAND_MIN} cards, each no smaller than the kitty",
        )
    return size


def _read_start(reader: Reader, players: int, ace_rule: str) -> tuple[tuple[int, int], Seat | None]:
    """Start levels and starter of deal 1, which have to fit each other."""
    starter = reader.optional("starter")
    if starter is not None and starter >= players:
        raise invalid("starter", f"{starter} is no seat of a table of {players}")
    levels = _levels(reader, "start_levels")
    first, second = levels[0], levels[-1]
    if first != second and starter is None:
        raise invalid("start_levels", "two different levels need the starter to be given")
    if ace_rule == "reach" and LEVEL_ACE in levels:
        raise invalid("start_levels", "a match that is won by reaching ace cannot start there")
    return (first, second), starter


def _read(reader: Reader) -> TractorOptions:
    players = int(reader.choice("players"))
    packs = reader.optional("packs") or players // 2
    ace_rule = reader.choice("ace_rule")
    level_cap = reader.choice("level_cap")
    start_levels, starter = _read_start(reader, players, ace_rule)
    return TractorOptions(
        players=players,
        packs=packs,
        kitty_size=_read_kitty_size(reader, players, packs),
        trump_making=reader.choice("trump_making"),
        contract=reader.choice("contract"),
        declare_window=reader.choice("declare_window"),
        joker_pairs=reader.choice("joker_pairs"),
        self_override=reader.truth("self_override"),
        first_starter=reader.choice("first_starter"),
        no_declaration=reader.choice("no_declaration"),
        first_drawer=reader.choice("first_drawer"),
        nt_rank_cards=reader.choice("nt_rank_cards"),
        rank_gap=reader.choice("rank_gap"),
        trump_ladder=reader.choice("trump_ladder"),
        tractor_follow=reader.choice("tractor_follow"),
        protect=reader.choice("protect"),
        throw_compare=reader.choice("throw_compare"),
        throw_penalty=reader.choice("throw_penalty"),
        kitty_multiplier=reader.choice("kitty_multiplier"),
        level_cap=0 if level_cap == "none" else int(level_cap),
        ace_rule=ace_rule,
        mandatory_levels=tuple(sorted(_levels(reader, "mandatory_levels"))),
        max_deals=reader.optional("max_deals") or 0,
        start_levels=start_levels,
        starter=starter,
    )
