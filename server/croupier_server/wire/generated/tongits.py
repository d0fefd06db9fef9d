"""Generated from ``croupier/v1/tongits.proto`` by ``make proto``. Do not edit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from croupier_server.wire.encode import SHORT, VARINTS, framed, packed_signed, unsigned, varint, zigzag

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
    return b"".join(
        (
            (b"\x0a" + (VARINTS[size] if (size := len(cards)) < SHORT else varint(size)) if cards else b""),
            cards,
            (b"\x10" + (VARINTS[meld] if meld < SHORT else varint(meld)) if meld is not None and meld >= 0 else b""),
        )
    )


def meld_cards(
    cards: bytes,
) -> bytes:
    """Payload of ``TongitsMeldCards``."""
    return (b"\x0a" + (VARINTS[size] if (size := len(cards)) < SHORT else varint(size)) if cards else b"") + cards


def secret_four(
    rank: int,
) -> bytes:
    """Payload of ``TongitsSecretFour``."""
    return (b"\x08" + (VARINTS[rank] if 0 < rank < SHORT else unsigned(rank)) if rank else b"")


def lay_off(
    meld: int,
    cards: bytes,
) -> bytes:
    """Payload of ``TongitsLayOff``."""
    return b"".join(
        (
            (b"\x08" + (VARINTS[meld] if 0 < meld < SHORT else unsigned(meld)) if meld else b""),
            (b"\x12" + (VARINTS[size] if (size := len(cards)) < SHORT else varint(size)) if cards else b""),
            cards,
        )
    )


def discard(
    card: int,
) -> bytes:
    """Payload of ``TongitsDiscard``."""
    return (b"\x08" + (VARINTS[card] if 0 < card < SHORT else unsigned(card)) if card else b"")


def laid_off(
    seat: int,
    cards: bytes,
) -> bytes:
    """Payload of ``TongitsLaidOff``."""
    return b"".join(
        (
            (b"\x08" + (VARINTS[seat] if 0 < seat < SHORT else unsigned(seat)) if seat else b""),
            (b"\x12" + (VARINTS[size] if (size := len(cards)) < SHORT else varint(size)) if cards else b""),
            cards,
        )
    )


def meld(
    number: int,
    seat: int,
    cards: bytes,
    taken: int | None,
    turned_down: bool,
    lay_offs: Iterable[bytes],
) -> bytes:
    """Payload of ``TongitsMeld``."""
    return b"".join(
        (
            (b"\x08" + (VARINTS[number] if 0 < number < SHORT else unsigned(number)) if number else b""),
            (b"\x10" + (VARINTS[seat] if 0 < seat < SHORT else unsigned(seat)) if seat else b""),
            (b"\x1a" + (VARINTS[size] if (size := len(cards)) < SHORT else varint(size)) if cards else b""),
            cards,
            (b"\x20" + (VARINTS[taken] if taken < SHORT else varint(taken)) if taken is not None and taken >= 0 else b""),
            (b"\x28" + b"\x01" if turned_down else b""),
            *[framed(b"\x32", one) for one in lay_offs],
        )
    )


def answered(
    seat: int,
    challenged: bool,
    unasked: bool,
) -> bytes:
    """Payload of ``TongitsAnswered``."""
    return b"".join(
        (
            (b"\x08" + (VARINTS[seat] if 0 < seat < SHORT else unsigned(seat)) if seat else b""),
            (b"\x10" + b"\x01" if challenged else b""),
            (b"\x18" + b"\x01" if unasked else b""),
        )
    )


def payment(
    seat: int,
    base: int,
    aces: int,
    specials: int,
    burned: int,
    fold_penalty: int,
) -> bytes:
    """Payload of ``TongitsPayment``."""
    return b"".join(
        (
            (b"\x08" + (VARINTS[seat] if 0 < seat < SHORT else unsigned(seat)) if seat else b""),
            (b"\x10" + (VARINTS[base] if 0 < base < SHORT else unsigned(base)) if base else b""),
            (b"\x18" + (VARINTS[aces] if 0 < aces < SHORT else unsigned(aces)) if aces else b""),
            (b"\x20" + (VARINTS[specials] if 0 < specials < SHORT else unsigned(specials)) if specials else b""),
            (b"\x28" + (VARINTS[burned] if 0 < burned < SHORT else unsigned(burned)) if burned else b""),
            (b"\x30" + (VARINTS[fold_penalty] if 0 < fold_penalty < SHORT else unsigned(fold_penalty)) if fold_penalty else b""),
        )
    )


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
    return b"".join(
        (
            (b"\x08" + (VARINTS[seat] if 0 < seat < SHORT else unsigned(seat)) if seat else b""),
            (b"\x10" + b"\x01" if burned else b""),
            (b"\x18" + b"\x01" if shown else b""),
            (b"\x22" + (VARINTS[size] if (size := len(hand)) < SHORT else varint(size)) if hand else b""),
            hand,
            (b"\x2a" + (VARINTS[size] if (size := len(secret_fours)) < SHORT else varint(size)) if secret_fours else b""),
            secret_fours,
            (b"\x30" + (VARINTS[deadwood] if 0 < deadwood < SHORT else unsigned(deadwood)) if deadwood else b""),
            (b"\x38" + varint(zigzag(settlement)) if settlement else b""),
            (b"\x40" + varint(zigzag(chips)) if chips else b""),
        )
    )


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
    return b"".join(
        (
            (b"\x08" + (VARINTS[deal] if 0 < deal < SHORT else unsigned(deal)) if deal else b""),
            (b"\x10" + (VARINTS[dealer] if 0 < dealer < SHORT else unsigned(dealer)) if dealer else b""),
            (b"\x18" + (VARINTS[ending] if 0 < ending < SHORT else unsigned(ending)) if ending else b""),
            (b"\x20" + (VARINTS[winning_seat] if winning_seat < SHORT else varint(winning_seat)) if winning_seat is not None and winning_seat >= 0 else b""),
            (b"\x28" + (VARINTS[caller] if caller < SHORT else varint(caller)) if caller is not None and caller >= 0 else b""),
            (b"\x32" + (VARINTS[size] if (size := len(challengers)) < SHORT else varint(size)) if challengers else b""),
            challengers,
            *[framed(b"\x3a", one) for one in seats],
            *[framed(b"\x42", one) for one in payments],
            (b"\x48" + (VARINTS[jackpot] if 0 < jackpot < SHORT else unsigned(jackpot)) if jackpot else b""),
            (b"\x50" + (VARINTS[pot] if 0 < pot < SHORT else unsigned(pot)) if pot else b""),
            (b"\x58" + (VARINTS[streak] if 0 < streak < SHORT else unsigned(streak)) if streak else b""),
            (b"\x60" + (VARINTS[next_dealer] if 0 < next_dealer < SHORT else unsigned(next_dealer)) if next_dealer else b""),
        )
    )


def lot_drawn(
    dealer: int,
) -> bytes:
    """Payload of ``TongitsLotDrawn``."""
    return (b"\x08" + (VARINTS[dealer] if 0 < dealer < SHORT else unsigned(dealer)) if dealer else b"")


def deal_started(
    deal: int,
    dealer: int,
    ante: int,
    pot: int,
) -> bytes:
    """Payload of ``TongitsDealStarted``."""
    return b"".join(
        (
            (b"\x08" + (VARINTS[deal] if 0 < deal < SHORT else unsigned(deal)) if deal else b""),
            (b"\x10" + (VARINTS[dealer] if 0 < dealer < SHORT else unsigned(dealer)) if dealer else b""),
            (b"\x18" + (VARINTS[ante] if 0 < ante < SHORT else unsigned(ante)) if ante else b""),
            (b"\x20" + (VARINTS[pot] if 0 < pot < SHORT else unsigned(pot)) if pot else b""),
        )
    )


def stock_drawn(
    seat: int,
    stock_size: int,
) -> bytes:
    """Payload of ``TongitsStockDrawn``."""
    return (b"\x08" + (VARINTS[seat] if 0 < seat < SHORT else unsigned(seat)) if seat else b"") + (b"\x10" + (VARINTS[stock_size] if 0 < stock_size < SHORT else unsigned(stock_size)) if stock_size else b"")


def discard_taken(
    seat: int,
    card: int,
    meld: bytes | None,
) -> bytes:
    """Payload of ``TongitsDiscardTaken``."""
    return b"".join(
        (
            (b"\x08" + (VARINTS[seat] if 0 < seat < SHORT else unsigned(seat)) if seat else b""),
            (b"\x10" + (VARINTS[card] if 0 < card < SHORT else unsigned(card)) if card else b""),
            (b"\x1a" + (VARINTS[size] if (size := len(meld)) < SHORT else varint(size)) if meld is not None else b""),
            (meld or b""),
        )
    )


def meld_exposed(
    meld: bytes | None,
) -> bytes:
    """Payload of ``TongitsMeldExposed``."""
    return (b"\x0a" + (VARINTS[size] if (size := len(meld)) < SHORT else varint(size)) if meld is not None else b"") + (meld or b"")


def secret_four_laid(
    seat: int,
) -> bytes:
    """Payload of ``TongitsSecretFourLaid``."""
    return (b"\x08" + (VARINTS[seat] if 0 < seat < SHORT else unsigned(seat)) if seat else b"")


def cards_laid_off(
    meld: int,
    laid_off: bytes | None,
) -> bytes:
    """Payload of ``TongitsCardsLaidOff``."""
    return b"".join(
        (
            (b"\x08" + (VARINTS[meld] if 0 < meld < SHORT else unsigned(meld)) if meld else b""),
            (b"\x12" + (VARINTS[size] if (size := len(laid_off)) < SHORT else varint(size)) if laid_off is not None else b""),
            (laid_off or b""),
        )
    )


def discarded(
    seat: int,
    card: int,
) -> bytes:
    """Payload of ``TongitsDiscarded``."""
    return (b"\x08" + (VARINTS[seat] if 0 < seat < SHORT else unsigned(seat)) if seat else b"") + (b"\x10" + (VARINTS[card] if 0 < card < SHORT else unsigned(card)) if card else b"")


def turn_ended(
    seat: int,
) -> bytes:
    """Payload of ``TongitsTurnEnded``."""
    return (b"\x08" + (VARINTS[seat] if 0 < seat < SHORT else unsigned(seat)) if seat else b"")


def draw_called(
    seat: int,
) -> bytes:
    """Payload of ``TongitsDrawCalled``."""
    return (b"\x08" + (VARINTS[seat] if 0 < seat < SHORT else unsigned(seat)) if seat else b"")


def pot_split(
    share: int,
    chips: Iterable[int],
) -> bytes:
    """Payload of ``TongitsPotSplit``."""
    return (b"\x08" + (VARINTS[share] if 0 < share < SHORT else unsigned(share)) if share else b"") + (framed(b"\x12", part) if (part := packed_signed(chips)) else b"")


def private_cards(
    cards: bytes,
) -> bytes:
    """Payload of ``TongitsPrivateCards``."""
    return (b"\x0a" + (VARINTS[size] if (size := len(cards)) < SHORT else varint(size)) if cards else b"") + cards


def view(
    public_view: bytes | None,
    seat: int,
    hand: bytes,
    secret_fours: bytes,
    deadwood: int,
) -> bytes:
    """Payload of ``TongitsView``."""
    return b"".join(
        (
            (b"\x0a" + (VARINTS[size] if (size := len(public_view)) < SHORT else varint(size)) if public_view is not None else b""),
            (public_view or b""),
            (b"\x10" + (VARINTS[seat] if 0 < seat < SHORT else unsigned(seat)) if seat else b""),
            (b"\x1a" + (VARINTS[size] if (size := len(hand)) < SHORT else varint(size)) if hand else b""),
            hand,
            (b"\x22" + (VARINTS[size] if (size := len(secret_fours)) < SHORT else varint(size)) if secret_fours else b""),
            secret_fours,
            (b"\x28" + (VARINTS[deadwood] if 0 < deadwood < SHORT else unsigned(deadwood)) if deadwood else b""),
        )
    )


def private_four(
    rank: int,
) -> bytes:
    """Payload of ``TongitsPrivateFour``."""
    return (b"\x08" + (VARINTS[rank] if 0 < rank < SHORT else unsigned(rank)) if rank else b"")


def public_view_phase(
    phase: int,
) -> bytes:
    """``TongitsPublicView``: ``phase``."""
    return (b"\x08" + (VARINTS[phase] if 0 < phase < SHORT else unsigned(phase)) if phase else b"")


def public_view_deal(
    deal: int,
    dealer: int | None,
) -> bytes:
    """``TongitsPublicView``: ``deal`` to ``dealer``."""
    return (b"\x10" + (VARINTS[deal] if 0 < deal < SHORT else unsigned(deal)) if deal else b"") + (b"\x18" + (VARINTS[dealer] if dealer < SHORT else varint(dealer)) if dealer is not None and dealer >= 0 else b"")


def public_view_cards(
    hand_sizes: bytes,
    stock_size: int,
    discards: bytes,
) -> bytes:
    """``TongitsPublicView``: ``hand_sizes`` to ``discards``."""
    return b"".join(
        (
            (b"\x22" + (VARINTS[size] if (size := len(hand_sizes)) < SHORT else varint(size)) if hand_sizes else b""),
            hand_sizes,
            (b"\x28" + (VARINTS[stock_size] if 0 < stock_size < SHORT else unsigned(stock_size)) if stock_size else b""),
            (b"\x32" + (VARINTS[size] if (size := len(discards)) < SHORT else varint(size)) if discards else b""),
            discards,
        )
    )


def public_view_melds(
    melds: Iterable[bytes],
) -> bytes:
    """``TongitsPublicView``: ``melds``."""
    return b"".join(
        (
            *[framed(b"\x3a", one) for one in melds],
        )
    )


def public_view_turns(
    secret_four_counts: bytes,
    turns: bytes,
) -> bytes:
    """``TongitsPublicView``: ``secret_four_counts`` to ``turns``."""
    return b"".join(
        (
            (b"\x42" + (VARINTS[size] if (size := len(secret_four_counts)) < SHORT else varint(size)) if secret_four_counts else b""),
            secret_four_counts,
            (b"\x4a" + (VARINTS[size] if (size := len(turns)) < SHORT else varint(size)) if turns else b""),
            turns,
        )
    )


def public_view_barred(
    barred: bytes,
) -> bytes:
    """``TongitsPublicView``: ``barred``."""
    return (b"\x52" + (VARINTS[size] if (size := len(barred)) < SHORT else varint(size)) if barred else b"") + barred


def public_view_took_discard(
    took_discard: bool,
) -> bytes:
    """``TongitsPublicView``: ``took_discard``."""
    return (b"\x58" + b"\x01" if took_discard else b"")


def public_view_call(
    caller: int | None,
    answers: Iterable[bytes],
) -> bytes:
    """``TongitsPublicView``: ``caller`` to ``answers``."""
    return b"".join(
        (
            (b"\x60" + (VARINTS[caller] if caller < SHORT else varint(caller)) if caller is not None and caller >= 0 else b""),
            *[framed(b"\x6a", one) for one in answers],
        )
    )


def public_view_to_act(
    to_act: int | None,
) -> bytes:
    """``TongitsPublicView``: ``to_act``."""
    return (b"\x70" + (VARINTS[to_act] if to_act < SHORT else varint(to_act)) if to_act is not None and to_act >= 0 else b"")


def public_view_chips(
    pot: int,
    chips: Iterable[int],
    streak_seat: int | None,
    streak: int,
) -> bytes:
    """``TongitsPublicView``: ``pot`` to ``streak``."""
    return b"".join(
        (
            (b"\x78" + (VARINTS[pot] if 0 < pot < SHORT else unsigned(pot)) if pot else b""),
            (framed(b"\x82\x01", part) if (part := packed_signed(chips)) else b""),
            (b"\x88\x01" + (VARINTS[streak_seat] if streak_seat < SHORT else varint(streak_seat)) if streak_seat is not None and streak_seat >= 0 else b""),
            (b"\x90\x01" + (VARINTS[streak] if 0 < streak < SHORT else unsigned(streak)) if streak else b""),
        )
    )


def public_view_last_result(
    last_result: bytes | None,
) -> bytes:
    """``TongitsPublicView``: ``last_result``."""
    return (b"\x9a\x01" + (VARINTS[size] if (size := len(last_result)) < SHORT else varint(size)) if last_result is not None else b"") + (last_result or b"")


def public_view_discarders(
    discarders: bytes,
) -> bytes:
    """``TongitsPublicView``: ``discarders``."""
    return (b"\xa2\x01" + (VARINTS[size] if (size := len(discarders)) < SHORT else varint(size)) if discarders else b"") + discarders


def public_view_barred_turn(
    barred_turn: bytes,
) -> bytes:
    """``TongitsPublicView``: ``barred_turn``."""
    return (b"\xaa\x01" + (VARINTS[size] if (size := len(barred_turn)) < SHORT else varint(size)) if barred_turn else b"") + barred_turn


def public_view_barred_deal(
    barred_deal: bytes,
) -> bytes:
    """``TongitsPublicView``: ``barred_deal``."""
    return (b"\xb2\x01" + (VARINTS[size] if (size := len(barred_deal)) < SHORT else varint(size)) if barred_deal else b"") + barred_deal


def public_view_barred_discard(
    barred_discard: bytes,
) -> bytes:
    """``TongitsPublicView``: ``barred_discard``."""
    return (b"\xba\x01" + (VARINTS[size] if (size := len(barred_discard)) < SHORT else varint(size)) if barred_discard else b"") + barred_discard
