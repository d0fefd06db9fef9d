"""Options of Tong-its: what can be set, one row an option, and the named sets of values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from croupier_server.games.base import Needs, Number, OptionSpec, WordSet
from croupier_server.games.settings import Reader, Ruleset, row

CHIPS_MAX: Final = 1_000_000
"""The largest number of chips that an option may name, and of deals."""

SECRET_OPEN: Final = ("burn", "challenge", "call")
SPECIAL_PAYS: Final = ("face_down", "in_hand", "any_four", "every_set")

_CHIPS = Number(0, CHIPS_MAX)


SPECS: tuple[OptionSpec, ...] = (
    row("runs", "G-3.1", "true false", "Whether runs are melds."),
    row(
        "ace_high_runs",
        "G-3.1",
        "false true",
        "Whether a run may also end with king, ace.",
        needs=Needs(("true",), "runs", "true"),
    ),
    row("layoff", "G-4", "true false", "Whether cards may be laid off on exposed melds."),
    row("hand_melds", "G-2.3", "true false", "Whether melds may be exposed from the hand."),
    row("secret_fours", "G-3.4", "true false", "Whether four of a kind may be laid face down."),
    row(
        "secret_open",
        "G-3.4",
        "burn,challenge",
        "What a secret four allows: burn (its owner is not burned), challenge (may challenge a "
        "draw call), call (may call a draw).",
        WordSet(SECRET_OPEN),
        needs=Needs(SECRET_OPEN, "secret_fours", "true"),
    ),
    row(
        "discard_take",
        "G-2.2",
        "new_meld_only meld_or_layoff_own meld_or_layoff_any",
        "What the top discard may be taken for: a new meld, or also to be laid off at once on an "
        "own or on any exposed meld.",
        needs=Needs(("meld_or_layoff_own", "meld_or_layoff_any"), "layoff", "true"),
    ),
    row(
        "discard_melds",
        "G-3.3",
        "face_up turned_down",
        "Whether a meld made with a discard stays face up or is turned down once shown.",
    ),
    row(
        "discard_after_take",
        "G-2.4",
        "true false",
        "Whether a turn begun with the discard ends with a discard, or without one.",
    ),
    row(
        "draw_call",
        "G-5.2",
        "opened anyone",
        "Who may call a draw: opened players, or anyone after their own first turn.",
    ),
    row(
        "draw_block_scope",
        "G-5.2",
        "next_turn whole_hand",
        "How long another player's lay-off on an own meld bars a draw call.",
    ),
    row(
        "draw_block_self_layoff",
        "G-5.2",
        "true false",
        "Whether a lay-off on an own meld in the last turn bars a draw call.",
    ),
    row(
        "draw_block_discard_taken",
        "G-5.2",
        "false true",
        "Whether a draw call is barred if the caller's last discard was melded or laid off.",
    ),
    row(
        "nobody_open",
        "G-5.3",
        "void lowest",
        "What happens if the stock is exhausted and all are burned: nobody wins, or the lowest "
        "deadwood.",
    ),
    row("next_dealer", "G-1.2", "winner rotate", "Who deals next: the winner, or the next seat."),
    row(
        "fought_scope",
        "G-6.1",
        "showdown_losers all_losers any_draw",
        "Who pays pay_draw_fought: losers in the showdown, all losers of a challenged "
        "draw, or all losers of any draw.",
    ),
    row(
        "special_pays",
        "G-6.2",
        "face_down,in_hand",
        "What the winner is paid pay_special for: secret fours (face_down), fours in the hand "
        "(in_hand), exposed fours (any_four), or, alone, every set (every_set).",
        WordSet(SPECIAL_PAYS, alone=("every_set",)),
        needs=Needs(("face_down",), "secret_fours", "true"),
    ),
    row("fold_penalty", "G-6.2", "0", "Additional chips from each player who folded.", _CHIPS),
    row("pay_win", "G-6.1", "1", "Chips from each loser of an ordinary win.", _CHIPS),
    row("pay_tongits", "G-6.1", "3", "Chips from each loser against Tong-its.", _CHIPS),
    row("pay_draw_fought", "G-6.1", "3", "Chips from a loser of a fought draw.", _CHIPS),
    row("pay_ace", "G-6.2", "1", "Chips from each loser for an ace of the winner.", _CHIPS),
    row("pay_burned", "G-6.2", "1", "Additional chips from a burned loser.", _CHIPS),
    row("pay_special", "G-6.2", "3", "Chips from each loser for a special set.", _CHIPS),
    row("ante", "G-7", "2", "Chips that each player puts into the pot.", _CHIPS),
    row(
        "ante_timing",
        "G-7",
        "every_hand new_pot_only",
        "Whether antes are paid before every deal, or only while the pot is empty.",
    ),
    row(
        "streak_after_jackpot",
        "G-7",
        "reset keep_1",
        "Whether the win that takes the pot also counts as the first of a new streak.",
    ),
    row("max_hands", "G-7", "9", "Deals in a match.", Number(1, CHIPS_MAX)),
)


RULESETS: dict[str, Ruleset] = {
    ruleset.name: ruleset
    for ruleset in (
        Ruleset("standard", 1, {}),
        Ruleset(
            "document",
            1,
            {
                "runs": "false",
                "layoff": "false",
                "secret_fours": "false",
                "discard_melds": "turned_down",
                "discard_after_take": "false",
                "draw_call": "anyone",
                "next_dealer": "rotate",
                "special_pays": "every_set",
                "fought_scope": "any_draw",
                "fold_penalty": "1",
            },
        ),
        Ruleset(
            "pay244",
            1,
            {"pay_tongits": "4", "pay_draw_fought": "4", "pay_special": "2"},
        ),
    )
}


@dataclass(frozen=True, slots=True)
class TongitsOptions:
    """Checked options of one match; the fields are named and explained in `SPECS`.

    ``secret_open`` and ``special_pays`` hold their words in documented order.
    """

    runs: bool
    ace_high_runs: bool
    layoff: bool
    hand_melds: bool
    secret_fours: bool
    secret_open: tuple[str, ...]
    discard_take: str
    discard_melds: str
    discard_after_take: bool
    draw_call: str
    draw_block_scope: str
    draw_block_self_layoff: bool
    draw_block_discard_taken: bool
    nobody_open: str
    next_dealer: str
    fought_scope: str
    special_pays: tuple[str, ...]
    fold_penalty: int
    pay_win: int
    pay_tongits: int
    pay_draw_fought: int
    pay_ace: int
    pay_burned: int
    pay_special: int
    ante: int
    ante_timing: str
    streak_after_jackpot: str
    max_hands: int


def parse_options(ruleset: str, overrides: Mapping[str, str]) -> TongitsOptions:
    """Options of *ruleset* with single values replaced.

    Raises:
        InvalidRequest: UNKNOWN_RULESET, UNKNOWN_OPTION or INVALID_OPTION; ``field`` names it.
    """
    return TongitsOptions(**Reader("Tong-its", SPECS, RULESETS, ruleset, overrides).values())
