"""Options of Pokex. What can be set, and the named sets, are data in `rulesets`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from croupier_server.games.pokex.rulesets import RULESETS, SPECS
from croupier_server.games.settings import Reader

__all__ = ["RULESETS", "SPECS", "PokexOptions", "parse_options"]


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
