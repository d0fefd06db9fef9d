"""Generated from ``croupier/v1/tongits.proto`` by ``make proto``. Do not edit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from croupier_server.wire.encode import SHORT, VARINTS, packed_signed, varint, zigzag

MOVE: Final = {
    "draw_stock": b"\x0a",
    "take_discard": b"\x12",
    "call_draw": b"\x1a",
    "meld": b"\x22",
    "secret_four": b"\x2a",
    "lay_off": b"\x32",
    "discard": b"\x3a",
    "end_turn": b"\x42",
    "fold": b"\x4a",
    "challenge": b"\x52",
}
"""Tags of the fields of ``TongitsMove``."""

EVENT: Final = {
    "lot_drawn": b"\x0a",
    "deal_started": b"\x12",
    "stock_drawn": b"\x1a",
    "discard_taken": b"\x22",
    "meld_exposed": b"\x2a",
    "secret_four_laid": b"\x32",
    "cards_laid_off": b"\x3a",
    "discarded": b"\x42",
    "turn_ended": b"\x4a",
    "draw_called": b"\x52",
    "answered": b"\x5a",
    "deal_scored": b"\x62",
    "pot_split": b"\x6a",
}
"""Tags of the fields of ``TongitsEvent``."""

PRIVATE_EVENT: Final = {
    "dealt": b"\x0a",
    "drawn": b"\x12",
    "laid": b"\x1a",
}
"""Tags of the fields of ``TongitsPrivateEvent``."""


def take_discard(
    cards: bytes,
    meld: int | None,
) -> bytes:
    """Payload of ``TongitsTakeDiscard``."""
    found = b""
    if cards:
        size = len(cards)
        found = b"\x0a" + (VARINTS[size] if size < SHORT else varint(size)) + cards
    if meld is not None and meld >= 0:
        found += b"\x10" + (VARINTS[meld] if 0 <= meld < SHORT else varint(meld))
    return found


def meld_cards(
    cards: bytes,
) -> bytes:
    """Payload of ``TongitsMeldCards``."""
    found = b""
    if cards:
        size = len(cards)
        found = b"\x0a" + (VARINTS[size] if size < SHORT else varint(size)) + cards
    return found


def secret_four(
    rank: int,
) -> bytes:
    """Payload of ``TongitsSecretFour``."""
    found = b""
    if rank:
        found = b"\x08" + (VARINTS[rank] if 0 <= rank < SHORT else varint(rank))
    return found


def lay_off(
    meld: int,
    cards: bytes,
) -> bytes:
    """Payload of ``TongitsLayOff``."""
    found = b""
    if meld:
        found = b"\x08" + (VARINTS[meld] if 0 <= meld < SHORT else varint(meld))
    if cards:
        size = len(cards)
        found += b"\x12" + (VARINTS[size] if size < SHORT else varint(size)) + cards
    return found


def discard(
    card: int,
) -> bytes:
    """Payload of ``TongitsDiscard``."""
    found = b""
    if card:
        found = b"\x08" + (VARINTS[card] if 0 <= card < SHORT else varint(card))
    return found


def laid_off(
    seat: int,
    cards: bytes,
) -> bytes:
    """Payload of ``TongitsLaidOff``."""
    found = b""
    if seat:
        found = b"\x08" + (VARINTS[seat] if 0 <= seat < SHORT else varint(seat))
    if cards:
        size = len(cards)
        found += b"\x12" + (VARINTS[size] if size < SHORT else varint(size)) + cards
    return found


def meld(
    number: int,
    seat: int,
    cards: bytes,
    taken: int | None,
    turned_down: bool,
    lay_offs: Iterable[bytes],
) -> bytes:
    """Payload of ``TongitsMeld``."""
    found = b""
    if number:
        found = b"\x08" + (VARINTS[number] if 0 <= number < SHORT else varint(number))
    if seat:
        found += b"\x10" + (VARINTS[seat] if 0 <= seat < SHORT else varint(seat))
    if cards:
        size = len(cards)
        found += b"\x1a" + (VARINTS[size] if size < SHORT else varint(size)) + cards
    if taken is not None and taken >= 0:
        found += b"\x20" + (VARINTS[taken] if 0 <= taken < SHORT else varint(taken))
    if turned_down:
        found += b"\x28" + b"\x01"
    for one in lay_offs:
        size = len(one)
        found += b"\x32" + (VARINTS[size] if size < SHORT else varint(size)) + one
    return found


def answered(
    seat: int,
    challenged: bool,
    unasked: bool,
) -> bytes:
    """Payload of ``TongitsAnswered``."""
    found = b""
    if seat:
        found = b"\x08" + (VARINTS[seat] if 0 <= seat < SHORT else varint(seat))
    if challenged:
        found += b"\x10" + b"\x01"
    if unasked:
        found += b"\x18" + b"\x01"
    return found


def payment(
    seat: int,
    base: int,
    aces: int,
    specials: int,
    burned: int,
    fold_penalty: int,
) -> bytes:
    """Payload of ``TongitsPayment``."""
    found = b""
    if seat:
        found = b"\x08" + (VARINTS[seat] if 0 <= seat < SHORT else varint(seat))
    if base:
        found += b"\x10" + (VARINTS[base] if 0 <= base < SHORT else varint(base))
    if aces:
        found += b"\x18" + (VARINTS[aces] if 0 <= aces < SHORT else varint(aces))
    if specials:
        found += b"\x20" + (VARINTS[specials] if 0 <= specials < SHORT else varint(specials))
    if burned:
        found += b"\x28" + (VARINTS[burned] if 0 <= burned < SHORT else varint(burned))
    if fold_penalty:
        found += b"\x30" + (VARINTS[fold_penalty] if 0 <= fold_penalty < SHORT else varint(fold_penalty))
    return found


def seat_result(
    seat: int,
    burned: bool,
    shown: bool,
    hand: bytes,
    secret_fours: bytes,
    deadwood: int,
    settlement: int,
    chips: int,
) -> bytes:
    """Payload of ``TongitsSeatResult``."""
    found = b""
    if seat:
        found = b"\x08" + (VARINTS[seat] if 0 <= seat < SHORT else varint(seat))
    if burned:
        found += b"\x10" + b"\x01"
    if shown:
        found += b"\x18" + b"\x01"
    if hand:
        size = len(hand)
        found += b"\x22" + (VARINTS[size] if size < SHORT else varint(size)) + hand
    if secret_fours:
        size = len(secret_fours)
        found += b"\x2a" + (VARINTS[size] if size < SHORT else varint(size)) + secret_fours
    if deadwood:
        found += b"\x30" + (VARINTS[deadwood] if 0 <= deadwood < SHORT else varint(deadwood))
    if settlement:
        found += b"\x38" + varint(zigzag(settlement))
    if chips:
        found += b"\x40" + varint(zigzag(chips))
    return found


def deal_result(
    deal: int,
    dealer: int,
    ending: int,
    winning_seat: int | None,
    caller: int | None,
    challengers: bytes,
    seats: Iterable[bytes],
    payments: Iterable[bytes],
    jackpot: int,
    pot: int,
    streak: int,
    next_dealer: int,
) -> bytes:
    """Payload of ``TongitsDealResult``."""
    found = b""
    if deal:
        found = b"\x08" + (VARINTS[deal] if 0 <= deal < SHORT else varint(deal))
    if dealer:
        found += b"\x10" + (VARINTS[dealer] if 0 <= dealer < SHORT else varint(dealer))
    if ending:
        found += b"\x18" + (VARINTS[ending] if 0 <= ending < SHORT else varint(ending))
    if winning_seat is not None and winning_seat >= 0:
        found += b"\x20" + (VARINTS[winning_seat] if 0 <= winning_seat < SHORT else varint(winning_seat))
    if caller is not None and caller >= 0:
        found += b"\x28" + (VARINTS[caller] if 0 <= caller < SHORT else varint(caller))
    if challengers:
        size = len(challengers)
        found += b"\x32" + (VARINTS[size] if size < SHORT else varint(size)) + challengers
    for one in seats:
        size = len(one)
        found += b"\x3a" + (VARINTS[size] if size < SHORT else varint(size)) + one
    for one in payments:
        size = len(one)
        found += b"\x42" + (VARINTS[size] if size < SHORT else varint(size)) + one
    if jackpot:
        found += b"\x48" + (VARINTS[jackpot] if 0 <= jackpot < SHORT else varint(jackpot))
    if pot:
        found += b"\x50" + (VARINTS[pot] if 0 <= pot < SHORT else varint(pot))
    if streak:
        found += b"\x58" + (VARINTS[streak] if 0 <= streak < SHORT else varint(streak))
    if next_dealer:
        found += b"\x60" + (VARINTS[next_dealer] if 0 <= next_dealer < SHORT else varint(next_dealer))
    return found


def lot_drawn(
    dealer: int,
) -> bytes:
    """Payload of ``TongitsLotDrawn``."""
    found = b""
    if dealer:
        found = b"\x08" + (VARINTS[dealer] if 0 <= dealer < SHORT else varint(dealer))
    return found


def deal_started(
    deal: int,
    dealer: int,
    ante: int,
    pot: int,
) -> bytes:
    """Payload of ``TongitsDealStarted``."""
    found = b""
    if deal:
        found = b"\x08" + (VARINTS[deal] if 0 <= deal < SHORT else varint(deal))
    if dealer:
        found += b"\x10" + (VARINTS[dealer] if 0 <= dealer < SHORT else varint(dealer))
    if ante:
        found += b"\x18" + (VARINTS[ante] if 0 <= ante < SHORT else varint(ante))
    if pot:
        found += b"\x20" + (VARINTS[pot] if 0 <= pot < SHORT else varint(pot))
    return found


def stock_drawn(
    seat: int,
    stock_size: int,
) -> bytes:
    """Payload of ``TongitsStockDrawn``."""
    found = b""
    if seat:
        found = b"\x08" + (VARINTS[seat] if 0 <= seat < SHORT else varint(seat))
    if stock_size:
        found += b"\x10" + (VARINTS[stock_size] if 0 <= stock_size < SHORT else varint(stock_size))
    return found


def discard_taken(
    seat: int,
    card: int,
    meld: bytes | None,
) -> bytes:
    """Payload of ``TongitsDiscardTaken``."""
    found = b""
    if seat:
        found = b"\x08" + (VARINTS[seat] if 0 <= seat < SHORT else varint(seat))
    if card:
        found += b"\x10" + (VARINTS[card] if 0 <= card < SHORT else varint(card))
    if meld is not None:
        size = len(meld)
        found += b"\x1a" + (VARINTS[size] if size < SHORT else varint(size)) + meld
    return found


def meld_exposed(
    meld: bytes | None,
) -> bytes:
    """Payload of ``TongitsMeldExposed``."""
    found = b""
    if meld is not None:
        size = len(meld)
        found = b"\x0a" + (VARINTS[size] if size < SHORT else varint(size)) + meld
    return found


def secret_four_laid(
    seat: int,
) -> bytes:
    """Payload of ``TongitsSecretFourLaid``."""
    found = b""
    if seat:
        found = b"\x08" + (VARINTS[seat] if 0 <= seat < SHORT else varint(seat))
    return found


def cards_laid_off(
    meld: int,
    laid_off: bytes | None,
) -> bytes:
    """Payload of ``TongitsCardsLaidOff``."""
    found = b""
    if meld:
        found = b"\x08" + (VARINTS[meld] if 0 <= meld < SHORT else varint(meld))
    if laid_off is not None:
        size = len(laid_off)
        found += b"\x12" + (VARINTS[size] if size < SHORT else varint(size)) + laid_off
    return found


def discarded(
    seat: int,
    card: int,
) -> bytes:
    """Payload of ``TongitsDiscarded``."""
    found = b""
    if seat:
        found = b"\x08" + (VARINTS[seat] if 0 <= seat < SHORT else varint(seat))
    if card:
        found += b"\x10" + (VARINTS[card] if 0 <= card < SHORT else varint(card))
    return found


def turn_ended(
    seat: int,
) -> bytes:
    """Payload of ``TongitsTurnEnded``."""
    found = b""
    if seat:
        found = b"\x08" + (VARINTS[seat] if 0 <= seat < SHORT else varint(seat))
    return found


def draw_called(
    seat: int,
) -> bytes:
    """Payload of ``TongitsDrawCalled``."""
    found = b""
    if seat:
        found = b"\x08" + (VARINTS[seat] if 0 <= seat < SHORT else varint(seat))
    return found


def pot_split(
    share: int,
    chips: Iterable[int],
) -> bytes:
    """Payload of ``TongitsPotSplit``."""
    found = b""
    if share:
        found = b"\x08" + (VARINTS[share] if 0 <= share < SHORT else varint(share))
    part = packed_signed(chips)
    if part:
        size = len(part)
        found += b"\x12" + (VARINTS[size] if size < SHORT else varint(size)) + part
    return found


def private_cards(
    cards: bytes,
) -> bytes:
    """Payload of ``TongitsPrivateCards``."""
    found = b""
    if cards:
        size = len(cards)
        found = b"\x0a" + (VARINTS[size] if size < SHORT else varint(size)) + cards
    return found


def private_four(
    rank: int,
) -> bytes:
    """Payload of ``TongitsPrivateFour``."""
    found = b""
    if rank:
        found = b"\x08" + (VARINTS[rank] if 0 <= rank < SHORT else varint(rank))
    return found


def view_public_view(
    public_view: bytes | None,
) -> bytes:
    """``TongitsView``: ``public_view``."""
    found = b""
    if public_view is not None:
        size = len(public_view)
        found = b"\x0a" + (VARINTS[size] if size < SHORT else varint(size)) + public_view
    return found


def view_seat(
    seat: int,
) -> bytes:
    """``TongitsView``: ``seat``."""
    found = b""
    if seat:
        found = b"\x10" + (VARINTS[seat] if 0 <= seat < SHORT else varint(seat))
    return found


def view_hand(
    hand: bytes,
    secret_fours: bytes,
) -> bytes:
    """``TongitsView``: ``hand`` to ``secret_fours``."""
    found = b""
    if hand:
        size = len(hand)
        found = b"\x1a" + (VARINTS[size] if size < SHORT else varint(size)) + hand
    if secret_fours:
        size = len(secret_fours)
        found += b"\x22" + (VARINTS[size] if size < SHORT else varint(size)) + secret_fours
    return found


def view_deadwood(
    deadwood: int,
) -> bytes:
    """``TongitsView``: ``deadwood``."""
    found = b""
    if deadwood:
        found = b"\x28" + (VARINTS[deadwood] if 0 <= deadwood < SHORT else varint(deadwood))
    return found


def public_view_phase(
    phase: int,
) -> bytes:
    """``TongitsPublicView``: ``phase``."""
    found = b""
    if phase:
        found = b"\x08" + (VARINTS[phase] if 0 <= phase < SHORT else varint(phase))
    return found


def public_view_deal(
    deal: int,
    dealer: int | None,
) -> bytes:
    """``TongitsPublicView``: ``deal`` to ``dealer``."""
    found = b""
    if deal:
        found = b"\x10" + (VARINTS[deal] if 0 <= deal < SHORT else varint(deal))
    if dealer is not None and dealer >= 0:
        found += b"\x18" + (VARINTS[dealer] if 0 <= dealer < SHORT else varint(dealer))
    return found


def public_view_hand_sizes(
    hand_sizes: bytes,
) -> bytes:
    """``TongitsPublicView``: ``hand_sizes``."""
    found = b""
    if hand_sizes:
        size = len(hand_sizes)
        found = b"\x22" + (VARINTS[size] if size < SHORT else varint(size)) + hand_sizes
    return found


def public_view_stock_size(
    stock_size: int,
) -> bytes:
    """``TongitsPublicView``: ``stock_size``."""
    found = b""
    if stock_size:
        found = b"\x28" + (VARINTS[stock_size] if 0 <= stock_size < SHORT else varint(stock_size))
    return found


def public_view_discards(
    discards: bytes,
) -> bytes:
    """``TongitsPublicView``: ``discards``."""
    found = b""
    if discards:
        size = len(discards)
        found = b"\x32" + (VARINTS[size] if size < SHORT else varint(size)) + discards
    return found


def public_view_melds(
    melds: Iterable[bytes],
) -> bytes:
    """``TongitsPublicView``: ``melds``."""
    found = b""
    for one in melds:
        size = len(one)
        found += b"\x3a" + (VARINTS[size] if size < SHORT else varint(size)) + one
    return found


def public_view_turns(
    secret_four_counts: bytes,
    turns: bytes,
) -> bytes:
    """``TongitsPublicView``: ``secret_four_counts`` to ``turns``."""
    found = b""
    if secret_four_counts:
        size = len(secret_four_counts)
        found = b"\x42" + (VARINTS[size] if size < SHORT else varint(size)) + secret_four_counts
    if turns:
        size = len(turns)
        found += b"\x4a" + (VARINTS[size] if size < SHORT else varint(size)) + turns
    return found


def public_view_barred(
    barred: bytes,
) -> bytes:
    """``TongitsPublicView``: ``barred``."""
    found = b""
    if barred:
        size = len(barred)
        found = b"\x52" + (VARINTS[size] if size < SHORT else varint(size)) + barred
    return found


def public_view_took_discard(
    took_discard: bool,
) -> bytes:
    """``TongitsPublicView``: ``took_discard``."""
    found = b""
    if took_discard:
        found = b"\x58" + b"\x01"
    return found


def public_view_call(
    caller: int | None,
    answers: Iterable[bytes],
) -> bytes:
    """``TongitsPublicView``: ``caller`` to ``answers``."""
    found = b""
    if caller is not None and caller >= 0:
        found = b"\x60" + (VARINTS[caller] if 0 <= caller < SHORT else varint(caller))
    for one in answers:
        size = len(one)
        found += b"\x6a" + (VARINTS[size] if size < SHORT else varint(size)) + one
    return found


def public_view_to_act(
    to_act: int | None,
) -> bytes:
    """``TongitsPublicView``: ``to_act``."""
    found = b""
    if to_act is not None and to_act >= 0:
        found = b"\x70" + (VARINTS[to_act] if 0 <= to_act < SHORT else varint(to_act))
    return found


def public_view_chips(
    pot: int,
    chips: Iterable[int],
    streak_seat: int | None,
    streak: int,
) -> bytes:
    """``TongitsPublicView``: ``pot`` to ``streak``."""
    found = b""
    if pot:
        found = b"\x78" + (VARINTS[pot] if 0 <= pot < SHORT else varint(pot))
    part = packed_signed(chips)
    if part:
        size = len(part)
        found += b"\x82\x01" + (VARINTS[size] if size < SHORT else varint(size)) + part
    if streak_seat is not None and streak_seat >= 0:
        found += b"\x88\x01" + (VARINTS[streak_seat] if 0 <= streak_seat < SHORT else varint(streak_seat))
    if streak:
        found += b"\x90\x01" + (VARINTS[streak] if 0 <= streak < SHORT else varint(streak))
    return found


def public_view_last_result(
    last_result: bytes | None,
) -> bytes:
    """``TongitsPublicView``: ``last_result``."""
    found = b""
    if last_result is not None:
        size = len(last_result)
        found = b"\x9a\x01" + (VARINTS[size] if size < SHORT else varint(size)) + last_result
    return found


def public_view_discarders(
    discarders: bytes,
) -> bytes:
    """``TongitsPublicView``: ``discarders``."""
    found = b""
    if discarders:
        size = len(discarders)
        found = b"\xa2\x01" + (VARINTS[size] if size < SHORT else varint(size)) + discarders
    return found


def public_view_barred_turn(
    barred_turn: bytes,
) -> bytes:
    """``TongitsPublicView``: ``barred_turn``."""
    found = b""
    if barred_turn:
        size = len(barred_turn)
        found = b"\xaa\x01" + (VARINTS[size] if size < SHORT else varint(size)) + barred_turn
    return found


def public_view_barred_deal(
    barred_deal: bytes,
) -> bytes:
    """``TongitsPublicView``: ``barred_deal``."""
    found = b""
    if barred_deal:
        size = len(barred_deal)
        found = b"\xb2\x01" + (VARINTS[size] if size < SHORT else varint(size)) + barred_deal
    return found


def public_view_barred_discard(
    barred_discard: bytes,
) -> bytes:
    """``TongitsPublicView``: ``barred_discard``."""
    found = b""
    if barred_discard:
        size = len(barred_discard)
        found = b"\xba\x01" + (VARINTS[size] if size < SHORT else varint(size)) + barred_discard
    return found
