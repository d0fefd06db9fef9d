"""Messages of Tractor that stand in events and in views alike: plays, trumps, results.

Each function gives a payload, without the tag and length of the field it is put into.

Must not be put here: anything that only one seat may see.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from croupier_server.games.base import Seat
from croupier_server.games.cards import Cards, unpack
from croupier_server.games.kept import Kept
from croupier_server.games.tractor.bidding import Declaration
from croupier_server.games.tractor.cards import Trumps
from croupier_server.games.tractor.events import DealScored, FailedThrow
from croupier_server.wire.generated import tractor as messages

SAFE_MAX: Final = 2**53 - 1
"""What stands for any greater number: JSON and JavaScript carry no greater one exactly."""

KEPT_MAX: Final = 512
"""So many encoded plays of one seat are kept, in each form."""

SEATS_MAX: Final = 12


def _played_by(seat: Seat) -> Kept[Cards, bytes]:
    return Kept(lambda cards: played(seat, cards, None), KEPT_MAX)


def _plays_of(seat: Seat) -> Kept[Cards, bytes]:
    return Kept(lambda cards: messages.trick_plays([PLAYED[seat][cards]]), KEPT_MAX)


PLAYED: Final = tuple(_played_by(seat) for seat in range(SEATS_MAX))
"""By seat and cards: a ``TractorPlayed`` that is no failed throw. Most plays are seen again and
again."""

PLAYS: Final = tuple(_plays_of(seat) for seat in range(SEATS_MAX))
"""The same as one of ``TractorTrick.plays``."""


def played(seat: Seat, cards: Cards, failed: FailedThrow | None) -> bytes:
    """``TractorPlayed``: what *seat* has lying on the table; of a failed throw, what stayed."""
    throw = None
    if failed is not None:
        throw = messages.failed_throw(unpack(failed.tried), failed.penalty)
    return messages.played(seat, unpack(cards), throw)


@lru_cache(maxsize=KEPT_MAX)
def failed_play(seat: Seat, cards: Cards, failed: FailedThrow) -> bytes:
    """As `PLAYS` has it, a lead that is what stayed of a failed throw. Kept for the trick, which
    shows it again with each play."""
    return messages.trick_plays([played(seat, cards, failed)])


NO_TRUMP: Final = 5
"""No trump as a ``TractorTrumpSuit``; the suits are from 1 on."""


def suit_number(suit: int | None) -> int:
    """``TractorTrumpSuit``; None is no trump."""
    return NO_TRUMP if suit is None else suit + 1


def trumps(suit: int | None, rank: int) -> bytes:
    """``TractorTrumps``."""
    return messages.trumps(rank, suit_number(suit))


def declaration(made: Declaration) -> bytes:
    """``TractorDeclaration``."""
    return messages.declaration(made.seat, unpack(made.cards), suit_number(made.suit))


@lru_cache(maxsize=1024)
def order(of: Trumps) -> list[bytes]:
    """Every ``TractorSuitOrder``.

    The strengths are the heights of the rules: two cards of a suit are neighbours on its ladder
    (T-5.3) when they differ by one.
    """
    found = []
    for suit, groups in enumerate(of.order):
        cards = bytes(card for group in reversed(groups) for card in group)
        if cards:
            strengths = bytes(of.height[card] for card in cards)
            found.append(messages.suit_order(suit + 1, cards, strengths))
    return found


def result(scored: DealScored) -> bytes:
    """``TractorDealResult``. Where no team wins the deal (T-9.3), no winner is set."""
    is_won = scored.winners == scored.declarers or scored.levels_gained > 0
    return messages.deal_result(
        deal=scored.deal,
        starter=scored.starter,
        declaring_team=scored.declarers,
        trumps=trumps(scored.trump_suit, scored.trump_rank),
        trick_points=scored.trick_points,
        kitty=unpack(scored.buried),
        kitty_multiplier=min(scored.multiplier, SAFE_MAX),
        kitty_bonus=min(scored.bonus, SAFE_MAX),
        total=min(scored.opponents_points, SAFE_MAX),
        winning_team=scored.winners if is_won else None,
        levels_gained=min(scored.levels_gained, SAFE_MAX),
        levels=bytes(scored.levels),
        next_starter=scored.next_starter,
        bid=scored.bid,
        last_trick_winning_seat=scored.last_trick_winner,
    )
