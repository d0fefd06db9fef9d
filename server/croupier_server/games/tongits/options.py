"""Options of Tong-its. What can be set, and the named sets, are data in `rulesets`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from croupier_server.games.settings import Reader
from croupier_server.games.tongits.rulesets import RULESETS, SPECS

__all__ = ["RULESETS", "SPECS", "TongitsOptions", "parse_options"]


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
