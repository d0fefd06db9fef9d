"""Options of Pokex: what can be set, one row an option, and the named sets of values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from croupier_server.games.base import Number, OptionSpec
from croupier_server.games.settings import Reader, Ruleset, row

NUMBER_MAX: Final = 1_000_000
"""Most points and deals that can be set."""


SPECS: tuple[OptionSpec, ...] = (
    row(
        "joker",
        "P-3.1",
        "wild top_card",
        "Whether a joker is wild or a rank above the ace without a suit.",
    ),
    row(
        "wild_rank",
        "P-3.2",
        "named none",
        "Whether the declarer names a rank whose cards are wild.",
    ),
    row(
        "pass_is_out",
        "P-2.2",
        "true false",
        "Whether a player who has passed is out of the auction.",
    ),
    row(
        "all_pass",
        "P-2.4",
        "play redeal",
        "What happens if all pass: the deal is played without declarers, or the next dealer deals.",
    ),
    row(
        "center",
        "P-4.1",
        "fixed leader_picks",
        "Whether the centre cards are used from left to right or as the leaders name them.",
    ),
    row(
        "play_order",
        "P-4.2",
        "pair_first clockwise",
        "Whether the leader's partner plays second, or everybody in turn.",
    ),
    row(
        "tied_trick",
        "P-4.3",
        "nobody leader other carry",
        "Who takes a trick if the hands are equal: nobody, the leader's team, the other team, or "
        "whoever wins the next trick.",
    ),
    row(
        "flush_duplicates",
        "P-5.2",
        "false true",
        "Whether a wild card in a flush may stand for a card that is already in it.",
    ),
    row(
        "tie_break_fewer_wilds",
        "P-5.3",
        "true false",
        "Whether the hand with fewer wild cards wins if the hands are otherwise equal.",
    ),
    row(
        "wild_as_self_free",
        "P-5.3",
        "true false",
        "Whether a card of the wild rank that stands for itself does not count as a wild card.",
    ),
    row(
        "undertrick",
        "P-6.2",
        "zero minus_bid minus_triangle",
        "What declarers who fail score: nothing, minus their bid, or minus what it was worth.",
    ),
    row(
        "opponents_score",
        "P-6.3",
        "one_per_trick none triangle",
        "What the opponents score: one per trick, nothing, or one more for each further trick.",
    ),
    row(
        "target",
        "P-6.4",
        "33",
        "Points that win the match.",
        Number(1, NUMBER_MAX),
    ),
    row(
        "both_over",
        "P-6.4",
        "higher declarers_first",
        "Who wins when both teams have reached the target: the higher total or the declarers.",
    ),
    row(
        "max_deals",
        "P-6.5",
        "100",
        "Number of deals after which the higher total wins.",
        Number(1, NUMBER_MAX, "none"),
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
                "joker": "top_card",
                "wild_rank": "none",
                "all_pass": "redeal",
                "opponents_score": "none",
            },
        ),
    )
}


@dataclass(frozen=True, slots=True)
class PokexOptions:
    """Checked options of one match; the fields are named and explained in `SPECS`.

    ``max_deals`` is 0 for ``none``.
    """

    joker: str
    wild_rank: str
    pass_is_out: bool
    all_pass: str
    center: str
    play_order: str
    tied_trick: str
    flush_duplicates: bool
    tie_break_fewer_wilds: bool
    wild_as_self_free: bool
    undertrick: str
    opponents_score: str
    target: int
    both_over: str
    max_deals: int


def parse_options(ruleset: str, overrides: Mapping[str, str]) -> PokexOptions:
    """Options of *ruleset* with single values replaced.

    Raises:
        InvalidRequest: UNKNOWN_RULESET, UNKNOWN_OPTION or INVALID_OPTION; ``field`` names it.
    """
    return PokexOptions(**Reader("Pokex", SPECS, RULESETS, ruleset, overrides).values())
