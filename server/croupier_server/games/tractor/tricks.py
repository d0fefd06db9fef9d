"""Who wins a trick (rule T-7)."""

from __future__ import annotations

from croupier_server.games.cards import Card, Cards, unpack
from croupier_server.games.tractor.cards import TRUMP, Trumps
from croupier_server.games.tractor.components import Lead, read_lead
from croupier_server.games.tractor.packing import Run, fits


class Standing:
    """The play that wins a trick so far. Immutable.

    Attributes:
        lead: what was led (after T-8).
        trumps: the order of the cards.
        throw_compare: ``largest``, ``all`` or ``highest`` (T-7.2).
        beaten_by: mask of the cards of which a play needs at least one to win.
        tops: for a throw that was ruffed, heights that a later ruff has to beat: under ``all`` by
            component of the lead, largest first, otherwise one.
    """

    __slots__ = ("beaten_by", "lead", "throw_compare", "tops", "trumps")

    def __init__(
        self,
        lead: Lead,
        trumps: Trumps,
        throw_compare: str,
        beaten_by: Cards,
        tops: tuple[int, ...] = (),
    ) -> None:
        self.lead = lead
        self.trumps = trumps
        self.throw_compare = throw_compare
        self.beaten_by = beaten_by
        self.tops = tops


def new_standing(lead: Lead, trumps: Trumps, throw_compare: str) -> Standing:
    """The lead stands first."""
    suit = lead.suit
    ruffs = trumps.mask[TRUMP] if suit != TRUMP else 0
    if lead.is_throw:  # nobody beats a valid throw in suit
        return Standing(lead, trumps, throw_compare, ruffs)
    higher = trumps.above[suit][lead.components[0].top]
    return Standing(lead, trumps, throw_compare, higher | ruffs)


def challenge(standing: Standing, cards: Cards) -> Standing | None:
    """The standing that follows when *cards* beat the present one, or None if they do not.

    *cards* are as many as were led.
    """
    if not cards & standing.beaten_by:
        return None
    lead, trumps = standing.lead, standing.trumps
    if lead.is_throw:
        return _challenge_throw(standing, cards)
    component = lead.components[0]
    if component.length == 1:
        top = (cards.bit_length() - 1) >> 2
        if cards != component.width << 4 * top:
            return None
    else:
        top = _top_of_run(cards, component.width, component.length, trumps)
        if not top:
            return None
    suit = trumps.suit_of[top]
    beaten_by = trumps.above[suit][trumps.height[top]]
    if suit != TRUMP:
        beaten_by |= trumps.mask[TRUMP]
    return Standing(lead, trumps, standing.throw_compare, beaten_by)


def _top_of_run(cards: Cards, width: int, length: int, trumps: Trumps) -> Card:
    """The highest card of *cards* if they are one run of this shape, else 0."""
    suits = {trumps.suit_of[card] for card in unpack(cards)}
    run = read_lead(cards, trumps).components[0] if len(suits) == 1 else None
    if run is None or (run.width, run.length) != (width, length):
        return 0
    return max(unpack(cards), key=trumps.height.__getitem__)


def _challenge_throw(standing: Standing, cards: Cards) -> Standing | None:
    """A ruff of a throw, which has to match it component by component."""
    lead, trumps, compare = standing.lead, standing.trumps, standing.throw_compare
    if cards & ~trumps.mask[TRUMP]:
        return None
    is_first = not standing.tops
    floors = [0] * len(lead.components)
    if compare == "all" and not is_first:
        floors = [top + 1 for top in standing.tops]
    if not _matches(cards, lead, floors, trumps):
        return None
    if compare == "all":
        tops = _highest_reading(cards, lead, trumps)
    elif compare == "highest":
        tops = (max(trumps.height[card] for card in unpack(cards)),)
    else:
        tops = (_highest_top(cards, lead, 0, floors, trumps),)
    if compare != "all" and not is_first and tops <= standing.tops:
        return None
    return Standing(lead, trumps, compare, trumps.mask[TRUMP], tops)


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
    heights = sorted({trumps.height[card] for card in unpack(cards)})
    low, high = 0, len(heights)  # the first can be had, the last cannot
    while high - low > 1:
        middle = (low + high) // 2
        tops = [*top_min[:index], heights[middle], *top_min[index + 1 :]]
        if _matches(cards, lead, tops, trumps):
            low = middle
        else:
            high = middle
    return heights[low]


def _highest_reading(cards: Cards, lead: Lead, trumps: Trumps) -> tuple[int, ...]:
    """The tops when the highest cards stand in the largest components."""
    tops = [0] * len(lead.components)
    for index in range(len(tops)):
        tops[index] = _highest_top(cards, lead, index, tops, trumps)
    return tuple(tops)
