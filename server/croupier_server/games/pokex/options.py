"""Options of Pokex: read from texts and written back.

`parse_options` turns texts into `PokexOptions` and `option_text` turns them back, so that equal
rules always have equal text. What can be set, and the named sets, are data in `rulesets`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from croupier_server.games.pokex.rulesets import RULESETS, SPECS
from croupier_server.games.settings import Reader

__all__ = ["RULESETS", "SPECS", "PokexOptions", "option_text", "parse_options"]


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
    reader = Reader("Pokex", SPECS, RULESETS, ruleset, overrides)
    return PokexOptions(
        joker=reader.choice("joker"),
        wild_rank=reader.choice("wild_rank"),
        pass_is_out=reader.truth("pass_is_out"),
        all_pass=reader.choice("all_pass"),
        center=reader.choice("center"),
        play_order=reader.choice("play_order"),
        tied_trick=reader.choice("tied_trick"),
        flush_duplicates=reader.truth("flush_duplicates"),
        tie_break_fewer_wilds=reader.truth("tie_break_fewer_wilds"),
        wild_as_self_free=reader.truth("wild_as_self_free"),
        undertrick=reader.choice("undertrick"),
        opponents_score=reader.choice("opponents_score"),
        target=reader.number("target"),
        both_over=reader.choice("both_over"),
        max_deals=reader.optional("max_deals") or 0,
    )


def option_text(options: PokexOptions) -> dict[str, str]:
    """Every value as text, sorted by name; `parse_options` reads it back to equal options."""
    texts: dict[str, str] = {}
    for name in sorted(spec.name for spec in SPECS):
        value: object = getattr(options, name)
        if name == "max_deals" and value == 0:
            texts[name] = "none"
        elif isinstance(value, bool):
            texts[name] = "true" if value else "false"
        else:
            texts[name] = str(value)
    return texts
