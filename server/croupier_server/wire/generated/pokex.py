"""Generated from ``croupier/v1/pokex.proto`` by ``make proto``. Do not edit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from croupier_server.wire.encode import SHORT, VARINTS, packed_signed, varint

MOVE: Final = {
    "decline": b"\x0a",
    "bid": b"\x12",
    "name_rank": b"\x1a",
    "play": b"\x22",
}
"""Tags of the fields of ``PokexMove``."""

EVENT: Final = {
    "lot_drawn": b"\x0a",
    "deal_started": b"\x12",
    "called": b"\x1a",
    "auction_ended": b"\x22",
    "rank_named": b"\x2a",
    "cards_played": b"\x32",
    "deal_scored": b"\x3a",
}
"""Tags of the fields of ``PokexEvent``."""

PRIVATE_EVENT: Final = {
    "dealt": b"\x0a",
}
"""Tags of the fields of ``PokexPrivateEvent``."""


def bid(
    tricks: int,
) -> bytes:
    """Payload of ``PokexBid``."""
    found = b""
    if tricks:
        found = b"\x08" + (VARINTS[tricks] if 0 <= tricks < SHORT else varint(tricks))
    return found


def name_rank(
    rank: int,
) -> bytes:
    """Payload of ``PokexNameRank``."""
    found = b""
    if rank:
        found = b"\x08" + (VARINTS[rank] if 0 <= rank < SHORT else varint(rank))
    return found


def play(
    cards: bytes,
    center: int | None,
) -> bytes:
    """Payload of ``PokexPlay``."""
    found = b""
    if cards:
        size = len(cards)
        found = b"\x0a" + (VARINTS[size] if size < SHORT else varint(size)) + cards
    if center is not None and center >= 0:
        found += b"\x10" + (VARINTS[center] if 0 <= center < SHORT else varint(center))
    return found


def called(
    seat: int,
    tricks: int,
) -> bytes:
    """Payload of ``PokexCalled``."""
    found = b""
    if seat:
        found = b"\x08" + (VARINTS[seat] if 0 <= seat < SHORT else varint(seat))
    if tricks:
        found += b"\x10" + (VARINTS[tricks] if 0 <= tricks < SHORT else varint(tricks))
    return found


def played(
    seat: int,
    cards: bytes,
) -> bytes:
    """Payload of ``PokexPlayed``."""
    found = b""
    if seat:
        found = b"\x08" + (VARINTS[seat] if 0 <= seat < SHORT else varint(seat))
    if cards:
        size = len(cards)
        found += b"\x12" + (VARINTS[size] if size < SHORT else varint(size)) + cards
    return found


def poker_hand(
    category: int,
    ranks: bytes,
    wilds_used: int,
) -> bytes:
    """Payload of ``PokexPokerHand``."""
    found = b""
    if category:
        found = b"\x08" + (VARINTS[category] if 0 <= category < SHORT else varint(category))
    if ranks:
        size = len(ranks)
        found += b"\x12" + (VARINTS[size] if size < SHORT else varint(size)) + ranks
    if wilds_used:
        found += b"\x18" + (VARINTS[wilds_used] if 0 <= wilds_used < SHORT else varint(wilds_used))
    return found


def trick_ended(
    winning_team: int | None,
    hands: Iterable[bytes],
    counted: int,
) -> bytes:
    """Payload of ``PokexTrickEnded``."""
    found = b""
    if winning_team is not None and winning_team >= 0:
        found = b"\x08" + (VARINTS[winning_team] if 0 <= winning_team < SHORT else varint(winning_team))
    for one in hands:
        size = len(one)
        found += b"\x12" + (VARINTS[size] if size < SHORT else varint(size)) + one
    if counted:
        found += b"\x18" + (VARINTS[counted] if 0 <= counted < SHORT else varint(counted))
    return found


def deal_result(
    deal: int,
    dealer: int,
    declarer: int | None,
    bid: int,
    passed_out: bool,
    wild_rank: int | None,
    tricks: bytes,
    points: Iterable[int],
    totals: Iterable[int],
) -> bytes:
    """Payload of ``PokexDealResult``."""
    found = b""
    if deal:
        found = b"\x08" + (VARINTS[deal] if 0 <= deal < SHORT else varint(deal))
    if dealer:
        found += b"\x10" + (VARINTS[dealer] if 0 <= dealer < SHORT else varint(dealer))
    if declarer is not None and declarer >= 0:
        found += b"\x18" + (VARINTS[declarer] if 0 <= declarer < SHORT else varint(declarer))
    if bid:
        found += b"\x20" + (VARINTS[bid] if 0 <= bid < SHORT else varint(bid))
    if passed_out:
        found += b"\x28" + b"\x01"
    if wild_rank is not None and wild_rank >= 0:
        found += b"\x30" + (VARINTS[wild_rank] if 0 <= wild_rank < SHORT else varint(wild_rank))
    if tricks:
        size = len(tricks)
        found += b"\x3a" + (VARINTS[size] if size < SHORT else varint(size)) + tricks
    part = packed_signed(points)
    if part:
        size = len(part)
        found += b"\x42" + (VARINTS[size] if size < SHORT else varint(size)) + part
    part = packed_signed(totals)
    if part:
        size = len(part)
        found += b"\x4a" + (VARINTS[size] if size < SHORT else varint(size)) + part
    return found


def lot_drawn(
    dealer: int,
) -> bytes:
    """Payload of ``PokexLotDrawn``."""
    found = b""
    if dealer:
        found = b"\x08" + (VARINTS[dealer] if 0 <= dealer < SHORT else varint(dealer))
    return found


def deal_started(
    deal: int,
    dealer: int,
    center: bytes,
    totals: Iterable[int],
) -> bytes:
    """Payload of ``PokexDealStarted``."""
    found = b""
    if deal:
        found = b"\x08" + (VARINTS[deal] if 0 <= deal < SHORT else varint(deal))
    if dealer:
        found += b"\x10" + (VARINTS[dealer] if 0 <= dealer < SHORT else varint(dealer))
    if center:
        size = len(center)
        found += b"\x1a" + (VARINTS[size] if size < SHORT else varint(size)) + center
    part = packed_signed(totals)
    if part:
        size = len(part)
        found += b"\x22" + (VARINTS[size] if size < SHORT else varint(size)) + part
    return found


def auction_ended(
    declarer: int | None,
    bid: int,
) -> bytes:
    """Payload of ``PokexAuctionEnded``."""
    found = b""
    if declarer is not None and declarer >= 0:
        found = b"\x08" + (VARINTS[declarer] if 0 <= declarer < SHORT else varint(declarer))
    if bid:
        found += b"\x10" + (VARINTS[bid] if 0 <= bid < SHORT else varint(bid))
    return found


def rank_named(
    seat: int,
    rank: int,
) -> bytes:
    """Payload of ``PokexRankNamed``."""
    found = b""
    if seat:
        found = b"\x08" + (VARINTS[seat] if 0 <= seat < SHORT else varint(seat))
    if rank:
        found += b"\x10" + (VARINTS[rank] if 0 <= rank < SHORT else varint(rank))
    return found


def cards_played(
    play: bytes | None,
    center: int | None,
    trick_ended: bytes | None,
) -> bytes:
    """Payload of ``PokexCardsPlayed``."""
    found = b""
    if play is not None:
        size = len(play)
        found = b"\x0a" + (VARINTS[size] if size < SHORT else varint(size)) + play
    if center is not None and center >= 0:
        found += b"\x10" + (VARINTS[center] if 0 <= center < SHORT else varint(center))
    if trick_ended is not None:
        size = len(trick_ended)
        found += b"\x1a" + (VARINTS[size] if size < SHORT else varint(size)) + trick_ended
    return found


def private_cards(
    cards: bytes,
) -> bytes:
    """Payload of ``PokexPrivateCards``."""
    found = b""
    if cards:
        size = len(cards)
        found = b"\x0a" + (VARINTS[size] if size < SHORT else varint(size)) + cards
    return found


def trick_center(
    center: int | None,
) -> bytes:
    """``PokexTrick``: ``center``."""
    found = b""
    if center is not None and center >= 0:
        found = b"\x08" + (VARINTS[center] if 0 <= center < SHORT else varint(center))
    return found


def trick_plays(
    plays: Iterable[bytes],
) -> bytes:
    """``PokexTrick``: ``plays``."""
    found = b""
    for one in plays:
        size = len(one)
        found += b"\x12" + (VARINTS[size] if size < SHORT else varint(size)) + one
    return found


def trick_end(
    winning_team: int | None,
    hands: Iterable[bytes],
    counted: int,
) -> bytes:
    """``PokexTrick``: ``winning_team`` to ``counted``."""
    found = b""
    if winning_team is not None and winning_team >= 0:
        found = b"\x18" + (VARINTS[winning_team] if 0 <= winning_team < SHORT else varint(winning_team))
    for one in hands:
        size = len(one)
        found += b"\x22" + (VARINTS[size] if size < SHORT else varint(size)) + one
    if counted:
        found += b"\x28" + (VARINTS[counted] if 0 <= counted < SHORT else varint(counted))
    return found


def view_public_view(
    public_view: bytes | None,
) -> bytes:
    """``PokexView``: ``public_view``."""
    found = b""
    if public_view is not None:
        size = len(public_view)
        found = b"\x0a" + (VARINTS[size] if size < SHORT else varint(size)) + public_view
    return found


def view_own(
    seat: int,
    hand: bytes,
) -> bytes:
    """``PokexView``: ``seat`` to ``hand``."""
    found = b""
    if seat:
        found = b"\x10" + (VARINTS[seat] if 0 <= seat < SHORT else varint(seat))
    if hand:
        size = len(hand)
        found += b"\x1a" + (VARINTS[size] if size < SHORT else varint(size)) + hand
    return found


def public_view_head(
    phase: int,
    deal: int,
    dealer: int | None,
    center: bytes,
    center_left: bytes,
    calls: Iterable[bytes],
    declarer: int | None,
    bid: int,
    wild_rank: int | None,
) -> bytes:
    """``PokexPublicView``: ``phase`` to ``wild_rank``."""
    found = b""
    if phase:
        found = b"\x08" + (VARINTS[phase] if 0 <= phase < SHORT else varint(phase))
    if deal:
        found += b"\x10" + (VARINTS[deal] if 0 <= deal < SHORT else varint(deal))
    if dealer is not None and dealer >= 0:
        found += b"\x18" + (VARINTS[dealer] if 0 <= dealer < SHORT else varint(dealer))
    if center:
        size = len(center)
        found += b"\x22" + (VARINTS[size] if size < SHORT else varint(size)) + center
    if center_left:
        size = len(center_left)
        found += b"\x2a" + (VARINTS[size] if size < SHORT else varint(size)) + center_left
    for one in calls:
        size = len(one)
        found += b"\x32" + (VARINTS[size] if size < SHORT else varint(size)) + one
    if declarer is not None and declarer >= 0:
        found += b"\x38" + (VARINTS[declarer] if 0 <= declarer < SHORT else varint(declarer))
    if bid:
        found += b"\x40" + (VARINTS[bid] if 0 <= bid < SHORT else varint(bid))
    if wild_rank is not None and wild_rank >= 0:
        found += b"\x48" + (VARINTS[wild_rank] if 0 <= wild_rank < SHORT else varint(wild_rank))
    return found


def public_view_hand_sizes(
    hand_sizes: bytes,
) -> bytes:
    """``PokexPublicView``: ``hand_sizes``."""
    found = b""
    if hand_sizes:
        size = len(hand_sizes)
        found = b"\x52" + (VARINTS[size] if size < SHORT else varint(size)) + hand_sizes
    return found


def public_view_trick(
    trick: bytes | None,
) -> bytes:
    """``PokexPublicView``: ``trick``."""
    found = b""
    if trick is not None:
        size = len(trick)
        found = b"\x5a" + (VARINTS[size] if size < SHORT else varint(size)) + trick
    return found


def public_view_tricks(
    tricks: Iterable[bytes],
) -> bytes:
    """``PokexPublicView``: ``tricks``."""
    found = b""
    for one in tricks:
        size = len(one)
        found += b"\x62" + (VARINTS[size] if size < SHORT else varint(size)) + one
    return found


def public_view_score(
    taken: bytes,
    carried: int,
    totals: Iterable[int],
    consecutive_passed_out: int,
    leader: int | None,
) -> bytes:
    """``PokexPublicView``: ``taken`` to ``leader``."""
    found = b""
    if taken:
        size = len(taken)
        found = b"\x6a" + (VARINTS[size] if size < SHORT else varint(size)) + taken
    if carried:
        found += b"\x70" + (VARINTS[carried] if 0 <= carried < SHORT else varint(carried))
    part = packed_signed(totals)
    if part:
        size = len(part)
        found += b"\x7a" + (VARINTS[size] if size < SHORT else varint(size)) + part
    if consecutive_passed_out:
        found += b"\x80\x01" + (VARINTS[consecutive_passed_out] if 0 <= consecutive_passed_out < SHORT else varint(consecutive_passed_out))
    if leader is not None and leader >= 0:
        found += b"\x88\x01" + (VARINTS[leader] if 0 <= leader < SHORT else varint(leader))
    return found


def public_view_to_act(
    to_act: int | None,
) -> bytes:
    """``PokexPublicView``: ``to_act``."""
    found = b""
    if to_act is not None and to_act >= 0:
        found = b"\x90\x01" + (VARINTS[to_act] if 0 <= to_act < SHORT else varint(to_act))
    return found


def public_view_last_result(
    last_result: bytes | None,
) -> bytes:
    """``PokexPublicView``: ``last_result``."""
    found = b""
    if last_result is not None:
        size = len(last_result)
        found = b"\x9a\x01" + (VARINTS[size] if size < SHORT else varint(size)) + last_result
    return found
