"""What can be set in Tractor, one row an option, and the five named sets of values (T-10).

Data alone.
"""

from __future__ import annotations

from typing import Final

from croupier_server.games.base import Levels, Needs, Number, OptionSpec
from croupier_server.games.cards import RANKS
from croupier_server.games.settings import Ruleset, row

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
