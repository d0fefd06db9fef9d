"""False throws (rule T-8)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from croupier_server.games.cards import Cards, at_least
from croupier_server.games.tractor.cards import Trumps
from croupier_server.games.tractor.components import Component, Lead
from croupier_server.games.tractor.packing import Run, fits


class ThrowJudgement(NamedTuple):
    """What becomes of a lead.

    Attributes:
        stays: cards that stay on the table as the lead; all of them if the throw is good.
        withdrawn: cards that go back to the hand; 0 if the throw is good.
        beatable: every beatable component, largest first; empty if the throw is good.
    """

    stays: Cards
    withdrawn: Cards
    beatable: tuple[Component, ...]


def judge_throw(lead: Lead, other_hands: Iterable[Cards], trumps: Trumps) -> ThrowJudgement:
    """Whether *lead* stands against the hands of all other seats, partner included.

    A lead that is no throw always stands.
    """
    if not lead.is_throw:
        return ThrowJudgement(lead.cards, 0, ())
    mask, higher = trumps.mask[lead.suit], trumps.above[lead.suit]
    parts = [hand & mask for hand in other_hands]
    held = 0
    for part in parts:
        held |= part
    beatable = []
    for component in lead.components:
        if not held & higher[component.top]:
            continue
        if component.width == 1 or any(
            _can_beat(part, component, lead.suit, trumps) for part in parts
        ):
            beatable.append(component)
    if not beatable:
        return ThrowJudgement(lead.cards, 0, ())
    stays = beatable[-1].cards
    return ThrowJudgement(stays, lead.cards - stays, tuple(beatable))


def _can_beat(part: Cards, component: Component, suit: int, trumps: Trumps) -> bool:
    """Whether *part* holds the shape of *component* with a strictly higher top card.

    Wider tuples and longer runs hold it too.
    """
    wide = at_least(part, component.width)
    if not wide & trumps.above[suit][component.top]:
        return False
    shape = Run(component.width, component.length, top_min=component.top + 1)
    return component.length == 1 or fits(part, [shape], suit, trumps)
