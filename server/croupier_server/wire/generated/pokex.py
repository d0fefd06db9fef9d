"""Generated from ``croupier/v1/pokex.proto`` by ``make proto``. Do not edit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from croupier_server.wire.encode import SHORT, VARINTS, framed, packed_signed, unsigned, varint

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
    return (b"\x08" + (VARINTS[tricks] if 0 < tricks < SHORT else unsigned(tricks)) if tricks else b"")


def name_rank(
    rank: int,
) -> bytes:
    """Payload of ``PokexNameRank``."""
    return (b"\x08" + (VARINTS[rank] if 0 < rank < SHORT else unsigned(rank)) if rank else b"")


def play(
    cards: bytes,
    center: int | None,
) -> bytes:
    """Payload of ``PokexPlay``."""
    return b"".join(
        (
            (b"\x0a" + (VARINTS[size] if (size := len(cards)) < SHORT else varint(size)) if cards else b""),
            cards,
            (b"\x10" + (VARINTS[center] if center < SHORT else varint(center)) if center is not None and center >= 0 else b""),
        )
    )


def called(
    seat: int,
    tricks: int,
) -> bytes:
    """Payload of ``PokexCalled``."""
    return (b"\x08" + (VARINTS[seat] if 0 < seat < SHORT else unsigned(seat)) if seat else b"") + (b"\x10" + (VARINTS[tricks] if 0 < tricks < SHORT else unsigned(tricks)) if tricks else b"")


def played(
    seat: int,
    cards: bytes,
) -> bytes:
    """Payload of ``PokexPlayed``."""
    return b"".join(
        (
            (b"\x08" + (VARINTS[seat] if 0 < seat < SHORT else unsigned(seat)) if seat else b""),
            (b"\x12" + (VARINTS[size] if (size := len(cards)) < SHORT else varint(size)) if cards else b""),
            cards,
        )
    )


def poker_hand(
    category: int,
    ranks: bytes,
    wilds_used: int,
) -> bytes:
    """Payload of ``PokexPokerHand``."""
    return b"".join(
        (
            (b"\x08" + (VARINTS[category] if 0 < category < SHORT else unsigned(category)) if category else b""),
            (b"\x12" + (VARINTS[size] if (size := len(ranks)) < SHORT else varint(size)) if ranks else b""),
            ranks,
            (b"\x18" + (VARINTS[wilds_used] if 0 < wilds_used < SHORT else unsigned(wilds_used)) if wilds_used else b""),
        )
    )


def trick_ended(
    winning_team: int | None,
    hands: Iterable[bytes],
    counted: int,
) -> bytes:
    """Payload of ``PokexTrickEnded``."""
    return b"".join(
        (
            (b"\x08" + (VARINTS[winning_team] if winning_team < SHORT else varint(winning_team)) if winning_team is not None and winning_team >= 0 else b""),
            *[framed(b"\x12", one) for one in hands],
            (b"\x18" + (VARINTS[counted] if 0 < counted < SHORT else unsigned(counted)) if counted else b""),
        )
    )


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
    return b"".join(
        (
            (b"\x08" + (VARINTS[deal] if 0 < deal < SHORT else unsigned(deal)) if deal else b""),
            (b"\x10" + (VARINTS[dealer] if 0 < dealer < SHORT else unsigned(dealer)) if dealer else b""),
            (b"\x18" + (VARINTS[declarer] if declarer < SHORT else varint(declarer)) if declarer is not None and declarer >= 0 else b""),
            (b"\x20" + (VARINTS[bid] if 0 < bid < SHORT else unsigned(bid)) if bid else b""),
            (b"\x28" + b"\x01" if passed_out else b""),
            (b"\x30" + (VARINTS[wild_rank] if wild_rank < SHORT else varint(wild_rank)) if wild_rank is not None and wild_rank >= 0 else b""),
            (b"\x3a" + (VARINTS[size] if (size := len(tricks)) < SHORT else varint(size)) if tricks else b""),
            tricks,
            (framed(b"\x42", part) if (part := packed_signed(points)) else b""),
            (framed(b"\x4a", part) if (part := packed_signed(totals)) else b""),
        )
    )


def lot_drawn(
    dealer: int,
) -> bytes:
    """Payload of ``PokexLotDrawn``."""
    return (b"\x08" + (VARINTS[dealer] if 0 < dealer < SHORT else unsigned(dealer)) if dealer else b"")


def deal_started(
    deal: int,
    dealer: int,
    center: bytes,
    totals: Iterable[int],
) -> bytes:
    """Payload of ``PokexDealStarted``."""
    return b"".join(
        (
            (b"\x08" + (VARINTS[deal] if 0 < deal < SHORT else unsigned(deal)) if deal else b""),
            (b"\x10" + (VARINTS[dealer] if 0 < dealer < SHORT else unsigned(dealer)) if dealer else b""),
            (b"\x1a" + (VARINTS[size] if (size := len(center)) < SHORT else varint(size)) if center else b""),
            center,
            (framed(b"\x22", part) if (part := packed_signed(totals)) else b""),
        )
    )


def auction_ended(
    declarer: int | None,
    bid: int,
) -> bytes:
    """Payload of ``PokexAuctionEnded``."""
    return (b"\x08" + (VARINTS[declarer] if declarer < SHORT else varint(declarer)) if declarer is not None and declarer >= 0 else b"") + (b"\x10" + (VARINTS[bid] if 0 < bid < SHORT else unsigned(bid)) if bid else b"")


def rank_named(
    seat: int,
    rank: int,
) -> bytes:
    """Payload of ``PokexRankNamed``."""
    return (b"\x08" + (VARINTS[seat] if 0 < seat < SHORT else unsigned(seat)) if seat else b"") + (b"\x10" + (VARINTS[rank] if 0 < rank < SHORT else unsigned(rank)) if rank else b"")


def cards_played(
    play: bytes | None,
    center: int | None,
    trick_ended: bytes | None,
) -> bytes:
    """Payload of ``PokexCardsPlayed``."""
    return b"".join(
        (
            (b"\x0a" + (VARINTS[size] if (size := len(play)) < SHORT else varint(size)) if play is not None else b""),
            (play or b""),
            (b"\x10" + (VARINTS[center] if center < SHORT else varint(center)) if center is not None and center >= 0 else b""),
            (b"\x1a" + (VARINTS[size] if (size := len(trick_ended)) < SHORT else varint(size)) if trick_ended is not None else b""),
            (trick_ended or b""),
        )
    )


def private_cards(
    cards: bytes,
) -> bytes:
    """Payload of ``PokexPrivateCards``."""
    return (b"\x0a" + (VARINTS[size] if (size := len(cards)) < SHORT else varint(size)) if cards else b"") + cards


def view(
    public_view: bytes | None,
    seat: int,
    hand: bytes,
) -> bytes:
    """Payload of ``PokexView``."""
    return b"".join(
        (
            (b"\x0a" + (VARINTS[size] if (size := len(public_view)) < SHORT else varint(size)) if public_view is not None else b""),
            (public_view or b""),
            (b"\x10" + (VARINTS[seat] if 0 < seat < SHORT else unsigned(seat)) if seat else b""),
            (b"\x1a" + (VARINTS[size] if (size := len(hand)) < SHORT else varint(size)) if hand else b""),
            hand,
        )
    )


def trick_center(
    center: int | None,
) -> bytes:
    """``PokexTrick``: ``center``."""
    return (b"\x08" + (VARINTS[center] if center < SHORT else varint(center)) if center is not None and center >= 0 else b"")


def trick_plays(
    plays: Iterable[bytes],
) -> bytes:
    """``PokexTrick``: ``plays``."""
    return b"".join(
        (
            *[framed(b"\x12", one) for one in plays],
        )
    )


def trick_end(
    winning_team: int | None,
    hands: Iterable[bytes],
    counted: int,
) -> bytes:
    """``PokexTrick``: ``winning_team`` to ``counted``."""
    return b"".join(
        (
            (b"\x18" + (VARINTS[winning_team] if winning_team < SHORT else varint(winning_team)) if winning_team is not None and winning_team >= 0 else b""),
            *[framed(b"\x22", one) for one in hands],
            (b"\x28" + (VARINTS[counted] if 0 < counted < SHORT else unsigned(counted)) if counted else b""),
        )
    )


def public_view_head(
    phase: int,
    deal: int,
    dealer: int | None,
    center: bytes,
) -> bytes:
    """``PokexPublicView``: ``phase`` to ``center``."""
    return b"".join(
        (
            (b"\x08" + (VARINTS[phase] if 0 < phase < SHORT else unsigned(phase)) if phase else b""),
            (b"\x10" + (VARINTS[deal] if 0 < deal < SHORT else unsigned(deal)) if deal else b""),
            (b"\x18" + (VARINTS[dealer] if dealer < SHORT else varint(dealer)) if dealer is not None and dealer >= 0 else b""),
            (b"\x22" + (VARINTS[size] if (size := len(center)) < SHORT else varint(size)) if center else b""),
            center,
        )
    )


def public_view_center_left(
    center_left: bytes,
) -> bytes:
    """``PokexPublicView``: ``center_left``."""
    return (b"\x2a" + (VARINTS[size] if (size := len(center_left)) < SHORT else varint(size)) if center_left else b"") + center_left


def public_view_auction(
    calls: Iterable[bytes],
    declarer: int | None,
    bid: int,
    wild_rank: int | None,
) -> bytes:
    """``PokexPublicView``: ``calls`` to ``wild_rank``."""
    return b"".join(
        (
            *[framed(b"\x32", one) for one in calls],
            (b"\x38" + (VARINTS[declarer] if declarer < SHORT else varint(declarer)) if declarer is not None and declarer >= 0 else b""),
            (b"\x40" + (VARINTS[bid] if 0 < bid < SHORT else unsigned(bid)) if bid else b""),
            (b"\x48" + (VARINTS[wild_rank] if wild_rank < SHORT else varint(wild_rank)) if wild_rank is not None and wild_rank >= 0 else b""),
        )
    )


def public_view_hand_sizes(
    hand_sizes: bytes,
) -> bytes:
    """``PokexPublicView``: ``hand_sizes``."""
    return (b"\x52" + (VARINTS[size] if (size := len(hand_sizes)) < SHORT else varint(size)) if hand_sizes else b"") + hand_sizes


def public_view_trick(
    trick: bytes | None,
) -> bytes:
    """``PokexPublicView``: ``trick``."""
    return (b"\x5a" + (VARINTS[size] if (size := len(trick)) < SHORT else varint(size)) if trick is not None else b"") + (trick or b"")


def public_view_tricks(
    tricks: Iterable[bytes],
) -> bytes:
    """``PokexPublicView``: ``tricks``."""
    return b"".join(
        (
            *[framed(b"\x62", one) for one in tricks],
        )
    )


def public_view_score(
    taken: bytes,
    carried: int,
    totals: Iterable[int],
    consecutive_passed_out: int,
    leader: int | None,
) -> bytes:
    """``PokexPublicView``: ``taken`` to ``leader``."""
    return b"".join(
        (
            (b"\x6a" + (VARINTS[size] if (size := len(taken)) < SHORT else varint(size)) if taken else b""),
            taken,
            (b"\x70" + (VARINTS[carried] if 0 < carried < SHORT else unsigned(carried)) if carried else b""),
            (framed(b"\x7a", part) if (part := packed_signed(totals)) else b""),
            (b"\x80\x01" + (VARINTS[consecutive_passed_out] if 0 < consecutive_passed_out < SHORT else unsigned(consecutive_passed_out)) if consecutive_passed_out else b""),
            (b"\x88\x01" + (VARINTS[leader] if leader < SHORT else varint(leader)) if leader is not None and leader >= 0 else b""),
        )
    )


def public_view_to_act(
    to_act: int | None,
) -> bytes:
    """``PokexPublicView``: ``to_act``."""
    return (b"\x90\x01" + (VARINTS[to_act] if to_act < SHORT else varint(to_act)) if to_act is not None and to_act >= 0 else b"")


def public_view_last_result(
    last_result: bytes | None,
) -> bytes:
    """``PokexPublicView``: ``last_result``."""
    return (b"\x9a\x01" + (VARINTS[size] if (size := len(last_result)) < SHORT else varint(size)) if last_result is not None else b"") + (last_result or b"")
