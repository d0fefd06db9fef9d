"""Who wins a trick (rule T-7).

Must not be put here: whether a play is legal, and points.
"""

from __future__ import annotations

from croupier_server.games.cards import Cards
from croupier_server.games.tractor.cards import Trumps
from croupier_server.games.tractor.components import Lead


class Standing:
    """The play that wins a trick so far. Immutable.

    Attributes:
        lead: what was led (after T-8).
        trumps: the order of the cards.
        throw_compare: ``largest``, ``all`` or ``highest`` (T-7.2).
        is_ruff: the play is a ruff of a side suit.
        tops: heights that a later play has to beat, by component of the lead, largest first.
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
    raise NotImplementedError


def challenge(standing: Standing, cards: Cards) -> Standing | None:
    """The standing that follows when *cards* beat the present one, or None if they do not."""
    raise NotImplementedError
