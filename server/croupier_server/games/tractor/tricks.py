"""Who wins a trick (rule T-7).

Must not be put here: whether a play is legal, and points.
"""

from __future__ import annotations

from typing import Final

from croupier_server.games.cards import Cards, unpack
from croupier_server.games.tractor.cards import TRUMP, Trumps
from croupier_server.games.tractor.components import Lead
from croupier_server.games.tractor.packing import Run, fits

_NOTHING: Final = -1
"""A height that every card beats."""


class Standing:
    """The play that wins a trick so far. Immutable.

    Attributes:
        lead: what was led (after T-8).
        trumps: the order of the cards.
        throw_compare: ``largest``, ``all`` or ``highest`` (T-7.2).
        is_ruff: the play is a ruff of a side suit.
        tops: heights that a later play has to beat: by component of the lead, largest first,
            under ``all``; otherwise one.
    """

    __slots__ = ("is_ruff", "lead", "throw_compare", "tops", "trumps")

    def __init__(
        self,
        lead: Lead,
        trumps: Trumps,
        throw_compare: str,
        is_ruff: bool,
        tops: tuple[int, ...],
    ) -> None:
        self.lead = lead
        self.trumps = trumps
        self.throw_compare = throw_compare
        self.is_ruff = is_ruff
        self.tops = tops


def new_standing(lead: Lead, trumps: Trumps, throw_compare: str) -> Standing:
    """The lead stands first."""
    return Standing(
        lead, trumps, throw_compare, False, tuple(component.top for component in lead.components)
    )


def challenge(standing: Standing, cards: Cards) -> Standing | None:
    """The standing that follows when *cards* beat the present one, or None if they do not.

    *cards* are as many as were led.
    """
    lead, trumps = standing.lead, standing.trumps
    if not cards & ~trumps.mask[lead.suit]:
        if standing.is_ruff or lead.is_throw:
            return None  # nobody beats a valid throw in suit
        suit = lead.suit
    elif lead.suit != TRUMP and not cards & ~trumps.mask[TRUMP]:
        suit = TRUMP
    else:
        return None
    is_ruff = suit != lead.suit
    if not lead.is_throw:
        top = _top_of_shape(cards, lead, suit, trumps)
        if top < 0 or (is_ruff == standing.is_ruff and top <= standing.tops[0]):
            return None
        return Standing(lead, trumps, standing.throw_compare, is_ruff, (top,))
    return _challenge_throw(standing, cards)


def _top_of_shape(cards: Cards, lead: Lead, suit: int, trumps: Trumps) -> int:
    """Height of the highest of *cards* if they have the shape of the one component led, or -1."""
    component = lead.components[0]
    tops = sorted({trumps.height[card] for card in unpack(cards)}, reverse=True)
    run = Run(component.width, component.length)
    return tops[0] if fits(cards, (run,), suit, trumps) else _NOTHING


def _challenge_throw(standing: Standing, cards: Cards) -> Standing | None:
    """A ruff of a throw, which has to match it component by component."""
    lead, trumps, compare = standing.lead, standing.trumps, standing.throw_compare
    floors = [_NOTHING] * len(lead.components)
    if standing.is_ruff and compare == "all":
        floors = list(standing.tops)
    if not _matches(cards, lead, [floor + 1 for floor in floors], trumps):
        return None
    if compare == "all":
        return Standing(lead, trumps, compare, True, _highest_reading(cards, lead, trumps))
    if compare == "highest":
        top = max(trumps.height[card] for card in unpack(cards))
    else:
        top = _highest_top(cards, lead, 0, [0] * len(lead.components), trumps)
    if standing.is_ruff and top <= standing.tops[0]:
        return None
    return Standing(lead, trumps, compare, True, (top,))


def _matches(cards: Cards, lead: Lead, top_min: list[int], trumps: Trumps) -> bool:
    """Whether trumps *cards* divide into the components of *lead* with at least these tops.

    They are as many as the components have cards, so that nothing is left over.
    """
    runs = [
        Run(component.width, component.length, top)
        for component, top in zip(lead.components, top_min, strict=True)
    ]
    return fits(cards, runs, TRUMP, trumps)


def _highest_top(cards: Cards, lead: Lead, index: int, top_min: list[int], trumps: Trumps) -> int:
    """The highest top that component *index* can have while all have at least *top_min*."""
    heights = {trumps.height[card] for card in unpack(cards)}
    for top in sorted(heights, reverse=True):
        if _matches(cards, lead, [*top_min[:index], top, *top_min[index + 1 :]], trumps):
            return top
    raise AssertionError("the cards do not match the lead")


def _highest_reading(cards: Cards, lead: Lead, trumps: Trumps) -> tuple[int, ...]:
    """The tops when the highest cards stand in the largest components."""
    tops = [0] * len(lead.components)
    for index in range(len(tops)):
        tops[index] = _highest_top(cards, lead, index, tops, trumps)
    return tuple(tops)
