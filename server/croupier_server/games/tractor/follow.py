"""What may be played: leads from a hand, and what a follower owes (rules T-5.4 and T-6).

Must not be put here: how a lead is read (`components`), and who wins (`tricks`).
"""

from __future__ import annotations

from typing import NamedTuple

from croupier_server.games.base import Legal
from croupier_server.games.cards import Cards
from croupier_server.games.tractor.cards import Trumps
from croupier_server.games.tractor.components import Lead


class FollowRules(NamedTuple):
    """The options of T-6: ``tractor_follow`` (longest, full, pairs, none) and ``protect``
    (none, tractors, tuples)."""

    tractor_follow: str
    protect: str


def check_lead(hand: Cards, cards: Cards, trumps: Trumps) -> Lead:
    """The lead that playing *cards* from *hand* makes.

    Raises:
        IllegalMove: WRONG_CARD_COUNT (T-5.1) for no cards, CARDS_NOT_IN_HAND (T-5.1) or
            MIXED_SUITS (T-5.4).
    """
    raise NotImplementedError


def legal_leads(hand: Cards, trumps: Trumps) -> Legal:
    """Every lead from *hand*, throws included.

    All are listed while there are at most `LEGAL_LIST_MAX`; otherwise the leads that are no
    throws are listed (if they are at most that many), and one pattern an effective suit spans
    everything. A move's kind is that of the first listed move or pattern which holds it.
    """
    raise NotImplementedError


def check_follow(
    hand: Cards, lead: Lead, cards: Cards, trumps: Trumps, rules: FollowRules
) -> None:
    """Check that *cards* from *hand* is a legal answer to *lead*.

    Raises:
        IllegalMove: WRONG_CARD_COUNT or CARDS_NOT_IN_HAND (T-6.1), MUST_FOLLOW_SUIT (T-6.2),
            MUST_FOLLOW_PAIR or MUST_FOLLOW_TRACTOR (T-6.4).
    """
    raise NotImplementedError


def legal_follows(hand: Cards, lead: Lead, trumps: Trumps, rules: FollowRules) -> Legal:
    """Every legal answer from *hand* to *lead*: exactly what `check_follow` accepts.

    All are listed while there are at most `LEGAL_LIST_MAX`, otherwise there are patterns alone,
    which may be produced as they are asked for. A move's kind is that of the first pattern which
    holds it.
    """
    raise NotImplementedError
