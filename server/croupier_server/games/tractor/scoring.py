"""The arithmetic of a deal's result: kitty, levels won, promotion, next starter (T-8, T-9, T-11.4).

Plain functions of numbers; `play_phase` feeds them and the worked positions test them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from croupier_server.games.base import Seat
from croupier_server.games.tractor.options import LEVEL_ACE, TractorOptions

STEP_A_PACK: Final = 20
STEPS_HELD: Final = 2
"""Declarers hold while the opponents have fewer steps than this (T-9.3)."""
SHUT_OUT_LEVELS: Final = 3
PENALTY: Final = 10


class Verdict(NamedTuple):
    """The row of T-9.3: whether the declarers held, and the levels that the winners gain."""

    declarers_held: bool
    levels: int


class Promotion(NamedTuple):
    """A team's level after a deal, and whether it has won the match with it."""

    level: int
    wins_match: bool


def throw_penalty(rule: str, withdrawn: int, failed: int) -> int:
    """Points that a false throw costs the thrower's side (T-8).

    Args:
        rule: the option ``throw_penalty``.
        withdrawn: number of cards taken back.
        failed: number of cards of all beatable components.
    """
    if rule == "none":
        return 0
    if rule == "ten_per_throw":
        return PENALTY
    return PENALTY * (withdrawn if rule == "ten_per_card_withdrawn" else failed)


def kitty_multiplier(rule: str, lead: int, largest: int) -> int:
    """What the kitty's points are multiplied by when the opponents win the last trick (T-9.2).

    Args:
        rule: the option ``kitty_multiplier``.
        lead: number of cards of the last lead.
        largest: number of cards of its largest component.
    """
    if rule == "2x_largest_component":
        return 2 * largest
    if rule == "2x_trick_size":
        return 2 * lead
    if rule == "2_pow_pairs_plus_1":
        return 2 << (largest // 2)
    if rule == "2_pow_largest_component":
        return 1 << largest
    return 2


def final_points(running: int, bonus: int) -> int:
    """The opponents' points that count: a negative total counts as 0 (T-8)."""
    return max(0, running + bonus)


def judge(points: int, options: TractorOptions, bid: int) -> Verdict:
    """Who wins a deal and how many levels (T-9.3, T-11.4).

    Args:
        points: the opponents' points, kitty included.
        options: of the match; their packs, level cap and contract count.
        bid: the declarers' bid, 0 where there was none.
    """
    steps = points // (STEP_A_PACK * options.packs)
    if steps < STEPS_HELD:
        if options.contract == "must_make" and points > options.points - bid:
            return Verdict(False, 0)
        return Verdict(True, SHUT_OUT_LEVELS if points == 0 else STEPS_HELD - steps)
    levels = steps - STEPS_HELD
    return Verdict(False, min(levels, options.level_cap) if options.level_cap else levels)


def promote(level: int, gained: int, as_declarers: bool, options: TractorOptions) -> Promotion:
    """Move the winning team up (T-9.5, T-9.6).

    A mandatory level is left only by winning as declarers and never jumped over, whatever the ace
    rule; so a mandatory ace under ``pass`` is passed only by winning there as declarers.
    """
    mandatory = options.mandatory_levels
    if gained == 0 or (level in mandatory and not as_declarers):
        return Promotion(level, False)
    target = level + gained
    for stop in mandatory:
        if level < stop < target:
            target = stop
            break
    if options.ace_rule == "defend":
        wins = level == LEVEL_ACE and as_declarers
    elif options.ace_rule == "pass":
        wins = target > LEVEL_ACE
    else:
        wins = target >= LEVEL_ACE
    return Promotion(min(target, LEVEL_ACE), wins)


def worst_deal(options: TractorOptions) -> int:
    """Most steps (T-9.6) by which one deal can set a team back against the other: those that the
    other team moves up, from whatever level (T-9.3, T-9.5). Without a level cap the points of the
    kitty can take it from its first level to its last."""
    opponents = options.level_cap or LEVEL_ACE
    return max(
        promotion.level - level + promotion.wins_match
        for level in range(min(options.start_levels), LEVEL_ACE + 1)
        for gained, as_declarers in ((SHUT_OUT_LEVELS, True), (opponents, False))
        for promotion in (promote(level, gained, as_declarers, options),)
    )


def next_starter(starter: Seat, declarers_held: bool, players: int) -> Seat:
    """The starter of the next deal (T-9.4): its partner if the declarers held, else s+1."""
    return (starter + (2 if declarers_held else 1)) % players


def match_scores(levels: Sequence[int], winner: int | None) -> tuple[int, int]:
    """The signed score of both teams in steps (T-9.6).

    Args:
        levels: levels of both teams, at the end of the match or of any deal.
        winner: the team that won by its ace, which counts one step; None: neither has.
    """
    lead = levels[0] - levels[1] + (winner == 0) - (winner == 1)
    return lead, -lead
