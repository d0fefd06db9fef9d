"""Options of Tong-its: read from texts, checked against each other, and written back.

`parse_options` turns texts into `TongitsOptions` and `option_text` turns them back, so that equal
rules always have equal text. What can be set, and the named sets, are data in `rulesets`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from croupier_server.games.settings import Reader
from croupier_server.games.tongits.rulesets import RULESETS, SPECS

__all__ = ["RULESETS", "SPECS", "TongitsOptions", "option_text", "parse_options"]


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
    return _read(Reader("Tong-its", SPECS, RULESETS, ruleset, overrides))


def option_text(options: TongitsOptions) -> dict[str, str]:
    """Every value as text, sorted by name; `parse_options` reads it back to equal options."""
    texts: dict[str, str] = {}
    for name in sorted(spec.name for spec in SPECS):
        value: object = getattr(options, name)
        if isinstance(value, bool):
            texts[name] = "true" if value else "false"
        elif isinstance(value, tuple):
            texts[name] = ",".join(value) or "none"
        else:
            texts[name] = str(value)
    return texts


def _read(reader: Reader) -> TongitsOptions:
    return TongitsOptions(
        runs=reader.truth("runs"),
        ace_high_runs=reader.truth("ace_high_runs"),
        layoff=reader.truth("layoff"),
        hand_melds=reader.truth("hand_melds"),
        secret_fours=reader.truth("secret_fours"),
        secret_open=reader.subset("secret_open"),
        discard_take=reader.choice("discard_take"),
        discard_melds=reader.choice("discard_melds"),
        discard_after_take=reader.truth("discard_after_take"),
        draw_call=reader.choice("draw_call"),
        draw_block_scope=reader.choice("draw_block_scope"),
        draw_block_self_layoff=reader.truth("draw_block_self_layoff"),
        draw_block_discard_taken=reader.truth("draw_block_discard_taken"),
        nobody_open=reader.choice("nobody_open"),
        next_dealer=reader.choice("next_dealer"),
        fought_scope=reader.choice("fought_scope"),
        special_pays=reader.subset("special_pays"),
        fold_penalty=reader.number("fold_penalty"),
        pay_win=reader.number("pay_win"),
        pay_tongits=reader.number("pay_tongits"),
        pay_draw_fought=reader.number("pay_draw_fought"),
        pay_ace=reader.number("pay_ace"),
        pay_burned=reader.number("pay_burned"),
        pay_special=reader.number("pay_special"),
        ante=reader.number("ante"),
        ante_timing=reader.choice("ante_timing"),
        streak_after_jackpot=reader.choice("streak_after_jackpot"),
        max_hands=reader.number("max_hands"),
    )
