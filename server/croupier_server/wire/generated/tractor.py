"""Generated from ``croupier/v1/tractor.proto`` by ``make proto``. Do not edit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from croupier_server.wire.encode import SHORT, VARINTS, varint, zigzag

MOVE: Final = {
    "decline": b"\x0a",
    "declare": b"\x12",
    "call": b"\x1a",
    "show": b"\x22",
    "name_trumps": b"\x2a",
    "bury": b"\x32",
    "play": b"\x3a",
}
"""Tags of the fields of ``TractorMove``."""

EVENT: Final = {
    "lot_drawn": b"\x0a",
    "deal_started": b"\x12",
    "cards_drawn": b"\x1a",
    "window_closed": b"\x22",
    "kitty_turned": b"\x2a",
    "called": b"\x32",
    "auction_ended": b"\x3a",
    "card_shown": b"\x42",
    "show_ended": b"\x4a",
    "trumps_fixed": b"\x52",
    "kitty_taken": b"\x5a",
    "kitty_buried": b"\x62",
    "cards_played": b"\x6a",
    "deal_scored": b"\x72",
}
"""Tags of the fields of ``TractorEvent``."""

PRIVATE_EVENT: Final = {
    "drawn": b"\x0a",
    "answer": b"\x12",
    "taken": b"\x1a",
    "buried": b"\x22",
}
"""Tags of the fields of ``TractorPrivateEvent``."""


def declare(
    cards: bytes,
) -> bytes:
    """Payload of ``TractorDeclare``."""
    found = b""
    if cards:
        size = len(cards)
        found = b"\x0a" + (VARINTS[size] if size < SHORT else varint(size)) + cards
    return found


def call(
    points: int,
) -> bytes:
    """Payload of ``TractorCall``."""
    found = b""
    if points:
        found = b"\x08" + (VARINTS[points] if 0 <= points < SHORT else varint(points))
    return found


def show(
    card: int,
) -> bytes:
    """Payload of ``TractorShow``."""
    found = b""
    if card:
        found = b"\x08" + (VARINTS[card] if 0 <= card < SHORT else varint(card))
    return found


def name_trumps(
    suit: int | None,
) -> bytes:
    """Payload of ``TractorNameTrumps``."""
    found = b""
    if suit is not None and suit >= 0:
        found = b"\x08" + (VARINTS[suit] if 0 <= suit < SHORT else varint(suit))
    return found


def bury(
    cards: bytes,
) -> bytes:
    """Payload of ``TractorBury``."""
    found = b""
    if cards:
        size = len(cards)
        found = b"\x0a" + (VARINTS[size] if size < SHORT else varint(size)) + cards
    return found


def play(
    cards: bytes,
) -> bytes:
    """Payload of ``TractorPlay``."""
    found = b""
    if cards:
        size = len(cards)
        found = b"\x0a" + (VARINTS[size] if size < SHORT else varint(size)) + cards
    return found


def trumps(
    rank: int,
    suit: int | None,
) -> bytes:
    """Payload of ``TractorTrumps``."""
    found = b""
    if rank:
        found = b"\x08" + (VARINTS[rank] if 0 <= rank < SHORT else varint(rank))
    if suit is not None and suit >= 0:
        found += b"\x10" + (VARINTS[suit] if 0 <= suit < SHORT else varint(suit))
    return found


def declaration(
    seat: int,
    cards: bytes,
    suit: int | None,
) -> bytes:
    """Payload of ``TractorDeclaration``."""
    found = b""
    if seat:
        found = b"\x08" + (VARINTS[seat] if 0 <= seat < SHORT else varint(seat))
    if cards:
        size = len(cards)
        found += b"\x12" + (VARINTS[size] if size < SHORT else varint(size)) + cards
    if suit is not None and suit >= 0:
        found += b"\x18" + (VARINTS[suit] if 0 <= suit < SHORT else varint(suit))
    return found


def exposed(
    seat: int,
    cards: bytes,
) -> bytes:
    """Payload of ``TractorExposed``."""
    found = b""
    if seat:
        found = b"\x08" + (VARINTS[seat] if 0 <= seat < SHORT else varint(seat))
    if cards:
        size = len(cards)
        found += b"\x12" + (VARINTS[size] if size < SHORT else varint(size)) + cards
    return found


def called(
    seat: int,
    points: int,
) -> bytes:
    """Payload of ``TractorCalled``."""
    found = b""
    if seat:
        found = b"\x08" + (VARINTS[seat] if 0 <= seat < SHORT else varint(seat))
    if points:
        found += b"\x10" + (VARINTS[points] if 0 <= points < SHORT else varint(points))
    return found


def played(
    seat: int,
    cards: bytes,
    failed_throw: bytes | None,
) -> bytes:
    """Payload of ``TractorPlayed``."""
    found = b""
    if seat:
        found = b"\x08" + (VARINTS[seat] if 0 <= seat < SHORT else varint(seat))
    if cards:
        size = len(cards)
        found += b"\x12" + (VARINTS[size] if size < SHORT else varint(size)) + cards
    if failed_throw is not None:
        size = len(failed_throw)
        found += b"\x1a" + (VARINTS[size] if size < SHORT else varint(size)) + failed_throw
    return found


def failed_throw(
    tried: bytes,
    penalty: int,
) -> bytes:
    """Payload of ``TractorFailedThrow``."""
    found = b""
    if tried:
        size = len(tried)
        found = b"\x0a" + (VARINTS[size] if size < SHORT else varint(size)) + tried
    if penalty:
        found += b"\x10" + (VARINTS[penalty] if 0 <= penalty < SHORT else varint(penalty))
    return found


def deal_result(
    deal: int,
    starter: int,
    declaring_team: int,
    trumps: bytes | None,
    trick_points: int,
    kitty: bytes,
    kitty_multiplier: int,
    kitty_bonus: int,
    total: int,
    winning_team: int | None,
    levels_gained: int,
    levels: bytes,
    next_starter: int,
    bid: int,
    last_trick_winning_seat: int,
) -> bytes:
    """Payload of ``TractorDealResult``."""
    found = b""
    if deal:
        found = b"\x08" + (VARINTS[deal] if 0 <= deal < SHORT else varint(deal))
    if starter:
        found += b"\x10" + (VARINTS[starter] if 0 <= starter < SHORT else varint(starter))
    if declaring_team:
        found += b"\x18" + (VARINTS[declaring_team] if 0 <= declaring_team < SHORT else varint(declaring_team))
    if trumps is not None:
        size = len(trumps)
        found += b"\x22" + (VARINTS[size] if size < SHORT else varint(size)) + trumps
    if trick_points:
        found += b"\x28" + varint(zigzag(trick_points))
    if kitty:
        size = len(kitty)
        found += b"\x32" + (VARINTS[size] if size < SHORT else varint(size)) + kitty
    if kitty_multiplier:
        found += b"\x38" + (VARINTS[kitty_multiplier] if 0 <= kitty_multiplier < SHORT else varint(kitty_multiplier))
    if kitty_bonus:
        found += b"\x40" + (VARINTS[kitty_bonus] if 0 <= kitty_bonus < SHORT else varint(kitty_bonus))
    if total:
        found += b"\x48" + (VARINTS[total] if 0 <= total < SHORT else varint(total))
    if winning_team is not None and winning_team >= 0:
        found += b"\x50" + (VARINTS[winning_team] if 0 <= winning_team < SHORT else varint(winning_team))
    if levels_gained:
        found += b"\x58" + (VARINTS[levels_gained] if 0 <= levels_gained < SHORT else varint(levels_gained))
    if levels:
        size = len(levels)
        found += b"\x62" + (VARINTS[size] if size < SHORT else varint(size)) + levels
    if next_starter:
        found += b"\x68" + (VARINTS[next_starter] if 0 <= next_starter < SHORT else varint(next_starter))
    if bid:
        found += b"\x70" + (VARINTS[bid] if 0 <= bid < SHORT else varint(bid))
    if last_trick_winning_seat:
        found += b"\x78" + (VARINTS[last_trick_winning_seat] if 0 <= last_trick_winning_seat < SHORT else varint(last_trick_winning_seat))
    return found


def suit_order(
    suit: int,
    cards: bytes,
    strengths: bytes,
) -> bytes:
    """Payload of ``TractorSuitOrder``."""
    found = b""
    if suit:
        found = b"\x08" + (VARINTS[suit] if 0 <= suit < SHORT else varint(suit))
    if cards:
        size = len(cards)
        found += b"\x12" + (VARINTS[size] if size < SHORT else varint(size)) + cards
    if strengths:
        size = len(strengths)
        found += b"\x1a" + (VARINTS[size] if size < SHORT else varint(size)) + strengths
    return found


def lot_drawn(
    first_drawer: int,
) -> bytes:
    """Payload of ``TractorLotDrawn``."""
    found = b""
    if first_drawer:
        found = b"\x08" + (VARINTS[first_drawer] if 0 <= first_drawer < SHORT else varint(first_drawer))
    return found


def deal_started(
    deal: int,
    redeals: int,
    trump_rank: int,
    first_drawer: int,
    starter: int | None,
    levels: bytes,
) -> bytes:
    """Payload of ``TractorDealStarted``."""
    found = b""
    if deal:
        found = b"\x08" + (VARINTS[deal] if 0 <= deal < SHORT else varint(deal))
    if redeals:
        found += b"\x10" + (VARINTS[redeals] if 0 <= redeals < SHORT else varint(redeals))
    if trump_rank:
        found += b"\x18" + (VARINTS[trump_rank] if 0 <= trump_rank < SHORT else varint(trump_rank))
    if first_drawer:
        found += b"\x20" + (VARINTS[first_drawer] if 0 <= first_drawer < SHORT else varint(first_drawer))
    if starter is not None and starter >= 0:
        found += b"\x28" + (VARINTS[starter] if 0 <= starter < SHORT else varint(starter))
    if levels:
        size = len(levels)
        found += b"\x32" + (VARINTS[size] if size < SHORT else varint(size)) + levels
    return found


def cards_drawn(
    hand_sizes: bytes,
) -> bytes:
    """Payload of ``TractorCardsDrawn``."""
    found = b""
    if hand_sizes:
        size = len(hand_sizes)
        found = b"\x0a" + (VARINTS[size] if size < SHORT else varint(size)) + hand_sizes
    return found


def window_closed(
    declaration: bytes | None,
) -> bytes:
    """Payload of ``TractorWindowClosed``."""
    found = b""
    if declaration is not None:
        size = len(declaration)
        found = b"\x0a" + (VARINTS[size] if size < SHORT else varint(size)) + declaration
    return found


def kitty_turned(
    cards: bytes,
    suit: int | None,
) -> bytes:
    """Payload of ``TractorKittyTurned``."""
    found = b""
    if cards:
        size = len(cards)
        found = b"\x0a" + (VARINTS[size] if size < SHORT else varint(size)) + cards
    if suit is not None and suit >= 0:
        found += b"\x10" + (VARINTS[suit] if 0 <= suit < SHORT else varint(suit))
    return found


def auction_ended(
    declaring_team: int,
    bid: int,
    trump_rank: int,
) -> bytes:
    """Payload of ``TractorAuctionEnded``."""
    found = b""
    if declaring_team:
        found = b"\x08" + (VARINTS[declaring_team] if 0 <= declaring_team < SHORT else varint(declaring_team))
    if bid:
        found += b"\x10" + (VARINTS[bid] if 0 <= bid < SHORT else varint(bid))
    if trump_rank:
        found += b"\x18" + (VARINTS[trump_rank] if 0 <= trump_rank < SHORT else varint(trump_rank))
    return found


def show_ended(
    starter: int,
    winning_seat: int,
    points: int,
    opponents_points: int,
) -> bytes:
    """Payload of ``TractorShowEnded``."""
    found = b""
    if starter:
        found = b"\x08" + (VARINTS[starter] if 0 <= starter < SHORT else varint(starter))
    if winning_seat:
        found += b"\x10" + (VARINTS[winning_seat] if 0 <= winning_seat < SHORT else varint(winning_seat))
    if points:
        found += b"\x18" + (VARINTS[points] if 0 <= points < SHORT else varint(points))
    if opponents_points:
        found += b"\x20" + varint(zigzag(opponents_points))
    return found


def trumps_fixed(
    trumps: bytes | None,
    starter: int,
    declaring_team: int,
    order: Iterable[bytes],
) -> bytes:
    """Payload of ``TractorTrumpsFixed``."""
    found = b""
    if trumps is not None:
        size = len(trumps)
        found = b"\x0a" + (VARINTS[size] if size < SHORT else varint(size)) + trumps
    if starter:
        found += b"\x10" + (VARINTS[starter] if 0 <= starter < SHORT else varint(starter))
    if declaring_team:
        found += b"\x18" + (VARINTS[declaring_team] if 0 <= declaring_team < SHORT else varint(declaring_team))
    for one in order:
        size = len(one)
        found += b"\x22" + (VARINTS[size] if size < SHORT else varint(size)) + one
    return found


def kitty_taken(
    seat: int,
    count: int,
) -> bytes:
    """Payload of ``TractorKittyTaken``."""
    found = b""
    if seat:
        found = b"\x08" + (VARINTS[seat] if 0 <= seat < SHORT else varint(seat))
    if count:
        found += b"\x10" + (VARINTS[count] if 0 <= count < SHORT else varint(count))
    return found


def kitty_buried(
    seat: int,
    count: int,
) -> bytes:
    """Payload of ``TractorKittyBuried``."""
    found = b""
    if seat:
        found = b"\x08" + (VARINTS[seat] if 0 <= seat < SHORT else varint(seat))
    if count:
        found += b"\x10" + (VARINTS[count] if 0 <= count < SHORT else varint(count))
    return found


def cards_played(
    play: bytes | None,
    trick_won: bytes | None,
) -> bytes:
    """Payload of ``TractorCardsPlayed``."""
    found = b""
    if play is not None:
        size = len(play)
        found = b"\x0a" + (VARINTS[size] if size < SHORT else varint(size)) + play
    if trick_won is not None:
        size = len(trick_won)
        found += b"\x12" + (VARINTS[size] if size < SHORT else varint(size)) + trick_won
    return found


def trick_won(
    winning_seat: int,
    points: int,
    opponents_points: int,
) -> bytes:
    """Payload of ``TractorTrickWon``."""
    found = b""
    if winning_seat:
        found = b"\x08" + (VARINTS[winning_seat] if 0 <= winning_seat < SHORT else varint(winning_seat))
    if points:
        found += b"\x10" + (VARINTS[points] if 0 <= points < SHORT else varint(points))
    if opponents_points:
        found += b"\x18" + varint(zigzag(opponents_points))
    return found


def private_cards(
    cards: bytes,
) -> bytes:
    """Payload of ``TractorPrivateCards``."""
    found = b""
    if cards:
        size = len(cards)
        found = b"\x0a" + (VARINTS[size] if size < SHORT else varint(size)) + cards
    return found


def trick_plays(
    plays: Iterable[bytes],
) -> bytes:
    """``TractorTrick``: ``plays``."""
    found = b""
    for one in plays:
        size = len(one)
        found += b"\x0a" + (VARINTS[size] if size < SHORT else varint(size)) + one
    return found


def trick_end(
    winning_seat: int | None,
    points: int,
) -> bytes:
    """``TractorTrick``: ``winning_seat`` to ``points``."""
    found = b""
    if winning_seat is not None and winning_seat >= 0:
        found = b"\x10" + (VARINTS[winning_seat] if 0 <= winning_seat < SHORT else varint(winning_seat))
    if points:
        found += b"\x18" + (VARINTS[points] if 0 <= points < SHORT else varint(points))
    return found


def view_public_view(
    public_view: bytes | None,
) -> bytes:
    """``TractorView``: ``public_view``."""
    found = b""
    if public_view is not None:
        size = len(public_view)
        found = b"\x0a" + (VARINTS[size] if size < SHORT else varint(size)) + public_view
    return found


def view_own(
    seat: int,
    hand: bytes,
    kitty: bytes,
) -> bytes:
    """``TractorView``: ``seat`` to ``kitty``."""
    found = b""
    if seat:
        found = b"\x10" + (VARINTS[seat] if 0 <= seat < SHORT else varint(seat))
    if hand:
        size = len(hand)
        found += b"\x1a" + (VARINTS[size] if size < SHORT else varint(size)) + hand
    if kitty:
        size = len(kitty)
        found += b"\x22" + (VARINTS[size] if size < SHORT else varint(size)) + kitty
    return found


def public_view_head(
    phase: int,
    deal: int,
    redeals: int,
    levels: bytes,
    trump_rank: int,
    trumps: bytes | None,
    first_drawer: int | None,
    starter: int | None,
    declaring_team: int | None,
    declaration: bytes | None,
    turned: bytes,
    calls: Iterable[bytes],
    show: bytes | None,
) -> bytes:
    """``TractorPublicView``: ``phase`` to ``show``."""
    found = b""
    if phase:
        found = b"\x08" + (VARINTS[phase] if 0 <= phase < SHORT else varint(phase))
    if deal:
        found += b"\x10" + (VARINTS[deal] if 0 <= deal < SHORT else varint(deal))
    if redeals:
        found += b"\x18" + (VARINTS[redeals] if 0 <= redeals < SHORT else varint(redeals))
    if levels:
        size = len(levels)
        found += b"\x22" + (VARINTS[size] if size < SHORT else varint(size)) + levels
    if trump_rank:
        found += b"\x28" + (VARINTS[trump_rank] if 0 <= trump_rank < SHORT else varint(trump_rank))
    if trumps is not None:
        size = len(trumps)
        found += b"\x32" + (VARINTS[size] if size < SHORT else varint(size)) + trumps
    if first_drawer is not None and first_drawer >= 0:
        found += b"\x38" + (VARINTS[first_drawer] if 0 <= first_drawer < SHORT else varint(first_drawer))
    if starter is not None and starter >= 0:
        found += b"\x40" + (VARINTS[starter] if 0 <= starter < SHORT else varint(starter))
    if declaring_team is not None and declaring_team >= 0:
        found += b"\x48" + (VARINTS[declaring_team] if 0 <= declaring_team < SHORT else varint(declaring_team))
    if declaration is not None:
        size = len(declaration)
        found += b"\x52" + (VARINTS[size] if size < SHORT else varint(size)) + declaration
    if turned:
        size = len(turned)
        found += b"\x5a" + (VARINTS[size] if size < SHORT else varint(size)) + turned
    for one in calls:
        size = len(one)
        found += b"\x62" + (VARINTS[size] if size < SHORT else varint(size)) + one
    if show is not None:
        size = len(show)
        found += b"\x6a" + (VARINTS[size] if size < SHORT else varint(size)) + show
    return found


def public_view_hand_sizes(
    hand_sizes: bytes,
) -> bytes:
    """``TractorPublicView``: ``hand_sizes``."""
    found = b""
    if hand_sizes:
        size = len(hand_sizes)
        found = b"\x72" + (VARINTS[size] if size < SHORT else varint(size)) + hand_sizes
    return found


def public_view_kitty_size(
    kitty_size: int,
) -> bytes:
    """``TractorPublicView``: ``kitty_size``."""
    found = b""
    if kitty_size:
        found = b"\x78" + (VARINTS[kitty_size] if 0 <= kitty_size < SHORT else varint(kitty_size))
    return found


def public_view_trick(
    trick: bytes | None,
) -> bytes:
    """``TractorPublicView``: ``trick``."""
    found = b""
    if trick is not None:
        size = len(trick)
        found = b"\x82\x01" + (VARINTS[size] if size < SHORT else varint(size)) + trick
    return found


def public_view_tricks(
    tricks: Iterable[bytes],
) -> bytes:
    """``TractorPublicView``: ``tricks``."""
    found = b""
    for one in tricks:
        size = len(one)
        found += b"\x8a\x01" + (VARINTS[size] if size < SHORT else varint(size)) + one
    return found


def public_view_opponents_points(
    opponents_points: int,
) -> bytes:
    """``TractorPublicView``: ``opponents_points``."""
    found = b""
    if opponents_points:
        found = b"\x90\x01" + varint(zigzag(opponents_points))
    return found


def public_view_order(
    order: Iterable[bytes],
) -> bytes:
    """``TractorPublicView``: ``order``."""
    found = b""
    for one in order:
        size = len(one)
        found += b"\x9a\x01" + (VARINTS[size] if size < SHORT else varint(size)) + one
    return found


def public_view_window_open(
    window_open: bool,
) -> bytes:
    """``TractorPublicView``: ``window_open``."""
    found = b""
    if window_open:
        found = b"\xa0\x01" + b"\x01"
    return found


def public_view_to_act(
    to_act: int | None,
) -> bytes:
    """``TractorPublicView``: ``to_act``."""
    found = b""
    if to_act is not None and to_act >= 0:
        found = b"\xa8\x01" + (VARINTS[to_act] if 0 <= to_act < SHORT else varint(to_act))
    return found


def public_view_last_result(
    last_result: bytes | None,
) -> bytes:
    """``TractorPublicView``: ``last_result``."""
    found = b""
    if last_result is not None:
        size = len(last_result)
        found = b"\xb2\x01" + (VARINTS[size] if size < SHORT else varint(size)) + last_result
    return found


def public_view_exposed(
    exposed: Iterable[bytes],
    first_declarer: int | None,
) -> bytes:
    """``TractorPublicView``: ``exposed`` to ``first_declarer``."""
    found = b""
    for one in exposed:
        size = len(one)
        found += b"\xba\x01" + (VARINTS[size] if size < SHORT else varint(size)) + one
    if first_declarer is not None and first_declarer >= 0:
        found += b"\xc0\x01" + (VARINTS[first_declarer] if 0 <= first_declarer < SHORT else varint(first_declarer))
    return found
