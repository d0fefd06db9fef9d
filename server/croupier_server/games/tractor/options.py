"""Options of Tractor: what can be set, one row an option, and the named sets of values.

`parse_options` turns texts into `TractorOptions` and `option_text` turns them back, so that equal
rules always have equal text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from croupier_server.games import settings
from croupier_server.games.base import Levels, Needs, Number, OptionSpec, Seat
from croupier_server.games.cards import RANKS
from croupier_server.games.settings import Reader, Ruleset, invalid, row

SEATS_MAX: Final = 12
PACKS_MAX: Final = 6


SPECS: tuple[OptionSpec, ...] = (
    row("players", "T-1.2", "4 6 8 10 12", "Number of players. Alternate seats form a team."),
    row(
        "packs",
        "T-1.2",
        "auto",
        "Number of packs of 54 cards; auto is half the number of players.",
        Number(2, PACKS_MAX, "auto"),
    ),
    row(
        "kitty_size",
        "T-1.2",
        "auto",
        "Cards left over for the kitty. The hands must be equal, of at least 2 cards, and not "
        "smaller than the kitty.",
        Number(2, 64, "auto"),
        depends_on=("players", "packs"),
    ),
    row(
        "trump_making",
        "T-2.2",
        "declare auction",
        "Whether trumps are made by exposing cards during the draw, or by an auction of points and "
        "a show.",
    ),
    row(
        "contract",
        "T-11.4",
        "none must_make",
        "Whether declarers who fall short of their bid lose the deal.",
        needs=Needs(("must_make",), "trump_making", "auction"),
    ),
    row(
        "declare_window",
        "T-3.5",
        "each_round each_card end_of_draw",
        "How often the sealed window for declarations opens.",
    ),
    row(
        "joker_pairs",
        "T-3.3",
        "ranked equal",
        "Whether red jokers overcall as many black ones.",
    ),
    row(
        "self_override",
        "T-3.4",
        "false true",
        "Whether the seat whose declaration stands may change it to any stronger one.",
    ),
    row(
        "first_starter",
        "T-3.6",
        "final_declarer first_declarer",
        "Who starts deal 1: the last or the first player who declared.",
    ),
    row(
        "no_declaration",
        "T-3.7",
        "redeal_then_kitty first_rank_card_else_highest third_kitty_card no_trump redeal",
        "What makes trumps when nobody declares.",
    ),
    row(
        "first_drawer",
        "T-3.1",
        "starter rotating",
        "Who draws first from deal 2 on: the starter, or the next seat in each deal.",
    ),
    row(
        "nt_rank_cards",
        "T-4.2",
        "plain trump",
        "Whether trump-rank cards stay trump in a deal without a trump suit.",
    ),
    row(
        "rank_gap",
        "T-5.3",
        "bridge natural",
        "Whether the neighbours of the trump rank are adjacent in a side suit.",
    ),
    row(
        "trump_ladder",
        "T-5.3",
        "full jokers none",
        "How far tractors of trumps reach beyond the trump suit.",
    ),
    row(
        "tractor_follow",
        "T-6.4",
        "longest full pairs none",
        "How much structure a follower owes to a tractor or tuple led.",
    ),
    row(
        "protect",
        "T-6.5",
        "none tractors tuples",
        "Which cards of a follower's structure are not claimed by a smaller lead.",
    ),
    row(
        "throw_compare",
        "T-7.2",
        "largest all highest",
        "When a later ruff of a throw beats an earlier one.",
    ),
    row(
        "throw_penalty",
        "T-8",
        "none ten_per_throw ten_per_card_withdrawn ten_per_failed_card",
        "Points paid for a false throw.",
    ),
    row(
        "kitty_multiplier",
        "T-9.2",
        "2x_largest_component 2x_trick_size 2_pow_pairs_plus_1 2_pow_largest_component 2x_flat",
        "What the kitty's points are multiplied by when the opponents win the last trick.",
    ),
    row("level_cap", "T-9.3", "none 3 4", "Maximum levels that the opponents can win in a deal."),
    row(
        "ace_rule",
        "T-9.6",
        "defend pass reach",
        "How a match is won: by a deal won as declarers at ace, by a promotion beyond ace, or by "
        "reaching ace.",
    ),
    row(
        "mandatory_levels",
        "T-9.5",
        "none",
        "Levels that cannot be jumped over and are left only by winning as declarers.",
        Levels(RANKS, 0, len(RANKS), distinct=True),
    ),
    row(
        "max_deals",
        "T-9.6",
        "200",
        "Number of deals after which the higher level wins.",
        Number(1, 1_000_000, "none"),
    ),
    row(
        "start_levels",
        "T-1.3",
        "2",
        "Level of both teams in deal 1. If starter is set, two levels may be given: of seats 0, 2, "
        "... and of seats 1, 3, ... A match that is won by reaching ace cannot start there.",
        Levels(RANKS, 1, 2, distinct=False),
        depends_on=("starter", "ace_rule"),
    ),
    row(
        "starter",
        "T-9.4",
        "none",
        "The starter of deal 1, who also draws first.",
        Number(0, SEATS_MAX - 1, "none"),
        depends_on=("players",),
    ),
)


RULESETS: dict[str, Ruleset] = {
    ruleset.name: ruleset
    for ruleset in (
        Ruleset("standard", 1, {}),
        Ruleset(
            "document",
            1,
            {
                "trump_making": "auction",
                "contract": "must_make",
                "first_drawer": "rotating",
                "tractor_follow": "pairs",
                "ace_rule": "reach",
            },
        ),
        Ruleset(
            "pagat",
            1,
            {
                "joker_pairs": "equal",
                "no_declaration": "first_rank_card_else_highest",
                "tractor_follow": "pairs",
                "throw_penalty": "ten_per_throw",
                "kitty_multiplier": "2x_trick_size",
                "ace_rule": "pass",
            },
        ),
        Ruleset(
            "online",
            1,
            {
                "no_declaration": "first_rank_card_else_highest",
                "nt_rank_cards": "trump",
                "throw_compare": "all",
            },
        ),
        Ruleset(
            "qq",
            1,
            {
                "self_override": "true",
                "first_starter": "first_declarer",
                "no_declaration": "third_kitty_card",
                "nt_rank_cards": "trump",
                "kitty_multiplier": "2_pow_pairs_plus_1",
                "mandatory_levels": "J,A",
            },
        ),
    )
}


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
