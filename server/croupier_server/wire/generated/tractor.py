"""Generated from ``croupier/v1/tractor.proto`` by ``make proto``. Do not edit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from croupier_server.wire.encode import SHORT, VARINTS, framed, unsigned, varint, zigzag

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
    return (b"\x0a" + (VARINTS[size] if (size := len(cards)) < SHORT else varint(size)) if cards else b"") + cards


def call(
    points: int,
) -> bytes:
    """Payload of ``TractorCall``."""
    return (b"\x08" + (VARINTS[points] if 0 < points < SHORT else unsigned(points)) if points else b"")


def show(
    card: int,
) -> bytes:
    """Payload of ``TractorShow``."""
    return (b"\x08" + (VARINTS[card] if 0 < card < SHORT else unsigned(card)) if card else b"")


def name_trumps(
    suit: int,
) -> bytes:
    """Payload of ``TractorNameTrumps``."""
    return (b"\x08" + (VARINTS[suit] if 0 < suit < SHORT else unsigned(suit)) if suit else b"")


def bury(
    cards: bytes,
) -> bytes:
    """Payload of ``TractorBury``."""
    return (b"\x0a" + (VARINTS[size] if (size := len(cards)) < SHORT else varint(size)) if cards else b"") + cards


def play(
    cards: bytes,
) -> bytes:
    """Payload of ``TractorPlay``."""
    return (b"\x0a" + (VARINTS[size] if (size := len(cards)) < SHORT else varint(size)) if cards else b"") + cards


def trumps(
    rank: int,
    suit: int,
) -> bytes:
    """Payload of ``TractorTrumps``."""
    return (b"\x08" + (VARINTS[rank] if 0 < rank < SHORT else unsigned(rank)) if rank else b"") + (b"\x10" + (VARINTS[suit] if 0 < suit < SHORT else unsigned(suit)) if suit else b"")


def declaration(
    seat: int,
    cards: bytes,
    suit: int,
) -> bytes:
    """Payload of ``TractorDeclaration``."""
    return b"".join(
        (
            (b"\x08" + (VARINTS[seat] if 0 < seat < SHORT else unsigned(seat)) if seat else b""),
            (b"\x12" + (VARINTS[size] if (size := len(cards)) < SHORT else varint(size)) if cards else b""),
            cards,
            (b"\x18" + (VARINTS[suit] if 0 < suit < SHORT else unsigned(suit)) if suit else b""),
        )
    )


def exposed(
    seat: int,
    cards: bytes,
) -> bytes:
    """Payload of ``TractorExposed``."""
    return b"".join(
        (
            (b"\x08" + (VARINTS[seat] if 0 < seat < SHORT else unsigned(seat)) if seat else b""),
            (b"\x12" + (VARINTS[size] if (size := len(cards)) < SHORT else varint(size)) if cards else b""),
            cards,
        )
    )


def called(
    seat: int,
    points: int,
) -> bytes:
    """Payload of ``TractorCalled``."""
    return (b"\x08" + (VARINTS[seat] if 0 < seat < SHORT else unsigned(seat)) if seat else b"") + (b"\x10" + (VARINTS[points] if 0 < points < SHORT else unsigned(points)) if points else b"")


def played(
    seat: int,
    cards: bytes,
    failed_throw: bytes | None,
) -> bytes:
    """Payload of ``TractorPlayed``."""
    return b"".join(
        (
            (b"\x08" + (VARINTS[seat] if 0 < seat < SHORT else unsigned(seat)) if seat else b""),
            (b"\x12" + (VARINTS[size] if (size := len(cards)) < SHORT else varint(size)) if cards else b""),
            cards,
            (b"\x1a" + (VARINTS[size] if (size := len(failed_throw)) < SHORT else varint(size)) if failed_throw is not None else b""),
            (failed_throw or b""),
        )
    )


def failed_throw(
    tried: bytes,
    penalty: int,
) -> bytes:
    """Payload of ``TractorFailedThrow``."""
    return b"".join(
        (
            (b"\x0a" + (VARINTS[size] if (size := len(tried)) < SHORT else varint(size)) if tried else b""),
            tried,
            (b"\x10" + (VARINTS[penalty] if 0 < penalty < SHORT else unsigned(penalty)) if penalty else b""),
        )
    )


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
    return b"".join(
        (
            (b"\x08" + (VARINTS[deal] if 0 < deal < SHORT else unsigned(deal)) if deal else b""),
            (b"\x10" + (VARINTS[starter] if 0 < starter < SHORT else unsigned(starter)) if starter else b""),
            (b"\x18" + (VARINTS[declaring_team] if 0 < declaring_team < SHORT else unsigned(declaring_team)) if declaring_team else b""),
            (b"\x22" + (VARINTS[size] if (size := len(trumps)) < SHORT else varint(size)) if trumps is not None else b""),
            (trumps or b""),
            (b"\x28" + varint(zigzag(trick_points)) if trick_points else b""),
            (b"\x32" + (VARINTS[size] if (size := len(kitty)) < SHORT else varint(size)) if kitty else b""),
            kitty,
            (b"\x38" + (VARINTS[kitty_multiplier] if 0 < kitty_multiplier < SHORT else unsigned(kitty_multiplier)) if kitty_multiplier else b""),
            (b"\x40" + (VARINTS[kitty_bonus] if 0 < kitty_bonus < SHORT else unsigned(kitty_bonus)) if kitty_bonus else b""),
            (b"\x48" + (VARINTS[total] if 0 < total < SHORT else unsigned(total)) if total else b""),
            (b"\x50" + (VARINTS[winning_team] if winning_team < SHORT else varint(winning_team)) if winning_team is not None and winning_team >= 0 else b""),
            (b"\x58" + (VARINTS[levels_gained] if 0 < levels_gained < SHORT else unsigned(levels_gained)) if levels_gained else b""),
            (b"\x62" + (VARINTS[size] if (size := len(levels)) < SHORT else varint(size)) if levels else b""),
            levels,
            (b"\x68" + (VARINTS[next_starter] if 0 < next_starter < SHORT else unsigned(next_starter)) if next_starter else b""),
            (b"\x70" + (VARINTS[bid] if 0 < bid < SHORT else unsigned(bid)) if bid else b""),
            (b"\x78" + (VARINTS[last_trick_winning_seat] if 0 < last_trick_winning_seat < SHORT else unsigned(last_trick_winning_seat)) if last_trick_winning_seat else b""),
        )
    )


def suit_order(
    suit: int,
    cards: bytes,
    strengths: bytes,
) -> bytes:
    """Payload of ``TractorSuitOrder``."""
    return b"".join(
        (
            (b"\x08" + (VARINTS[suit] if 0 < suit < SHORT else unsigned(suit)) if suit else b""),
            (b"\x12" + (VARINTS[size] if (size := len(cards)) < SHORT else varint(size)) if cards else b""),
            cards,
            (b"\x1a" + (VARINTS[size] if (size := len(strengths)) < SHORT else varint(size)) if strengths else b""),
            strengths,
        )
    )


def lot_drawn(
    first_drawer: int,
) -> bytes:
    """Payload of ``TractorLotDrawn``."""
    return (b"\x08" + (VARINTS[first_drawer] if 0 < first_drawer < SHORT else unsigned(first_drawer)) if first_drawer else b"")


def deal_started(
    deal: int,
    redeals: int,
    trump_rank: int,
    first_drawer: int,
    starter: int | None,
    levels: bytes,
) -> bytes:
    """Payload of ``TractorDealStarted``."""
    return b"".join(
        (
            (b"\x08" + (VARINTS[deal] if 0 < deal < SHORT else unsigned(deal)) if deal else b""),
            (b"\x10" + (VARINTS[redeals] if 0 < redeals < SHORT else unsigned(redeals)) if redeals else b""),
            (b"\x18" + (VARINTS[trump_rank] if 0 < trump_rank < SHORT else unsigned(trump_rank)) if trump_rank else b""),
            (b"\x20" + (VARINTS[first_drawer] if 0 < first_drawer < SHORT else unsigned(first_drawer)) if first_drawer else b""),
            (b"\x28" + (VARINTS[starter] if starter < SHORT else varint(starter)) if starter is not None and starter >= 0 else b""),
            (b"\x32" + (VARINTS[size] if (size := len(levels)) < SHORT else varint(size)) if levels else b""),
            levels,
        )
    )


def cards_drawn(
    hand_sizes: bytes,
) -> bytes:
    """Payload of ``TractorCardsDrawn``."""
    return (b"\x0a" + (VARINTS[size] if (size := len(hand_sizes)) < SHORT else varint(size)) if hand_sizes else b"") + hand_sizes


def window_closed(
    declaration: bytes | None,
) -> bytes:
    """Payload of ``TractorWindowClosed``."""
    return (b"\x0a" + (VARINTS[size] if (size := len(declaration)) < SHORT else varint(size)) if declaration is not None else b"") + (declaration or b"")


def kitty_turned(
    cards: bytes,
    suit: int,
) -> bytes:
    """Payload of ``TractorKittyTurned``."""
    return b"".join(
        (
            (b"\x0a" + (VARINTS[size] if (size := len(cards)) < SHORT else varint(size)) if cards else b""),
            cards,
            (b"\x10" + (VARINTS[suit] if 0 < suit < SHORT else unsigned(suit)) if suit else b""),
        )
    )


def auction_ended(
    declaring_team: int,
    bid: int,
    trump_rank: int,
) -> bytes:
    """Payload of ``TractorAuctionEnded``."""
    return b"".join(
        (
            (b"\x08" + (VARINTS[declaring_team] if 0 < declaring_team < SHORT else unsigned(declaring_team)) if declaring_team else b""),
            (b"\x10" + (VARINTS[bid] if 0 < bid < SHORT else unsigned(bid)) if bid else b""),
            (b"\x18" + (VARINTS[trump_rank] if 0 < trump_rank < SHORT else unsigned(trump_rank)) if trump_rank else b""),
        )
    )


def show_ended(
    starter: int,
    winning_seat: int,
    points: int,
    opponents_points: int,
) -> bytes:
    """Payload of ``TractorShowEnded``."""
    return b"".join(
        (
            (b"\x08" + (VARINTS[starter] if 0 < starter < SHORT else unsigned(starter)) if starter else b""),
            (b"\x10" + (VARINTS[winning_seat] if 0 < winning_seat < SHORT else unsigned(winning_seat)) if winning_seat else b""),
            (b"\x18" + (VARINTS[points] if 0 < points < SHORT else unsigned(points)) if points else b""),
            (b"\x20" + varint(zigzag(opponents_points)) if opponents_points else b""),
        )
    )


def trumps_fixed(
    trumps: bytes | None,
    starter: int,
    declaring_team: int,
    order: Iterable[bytes],
) -> bytes:
    """Payload of ``TractorTrumpsFixed``."""
    return b"".join(
        (
            (b"\x0a" + (VARINTS[size] if (size := len(trumps)) < SHORT else varint(size)) if trumps is not None else b""),
            (trumps or b""),
            (b"\x10" + (VARINTS[starter] if 0 < starter < SHORT else unsigned(starter)) if starter else b""),
            (b"\x18" + (VARINTS[declaring_team] if 0 < declaring_team < SHORT else unsigned(declaring_team)) if declaring_team else b""),
            *[framed(b"\x22", one) for one in order],
        )
    )


def kitty_taken(
    seat: int,
    count: int,
) -> bytes:
    """Payload of ``TractorKittyTaken``."""
    return (b"\x08" + (VARINTS[seat] if 0 < seat < SHORT else unsigned(seat)) if seat else b"") + (b"\x10" + (VARINTS[count] if 0 < count < SHORT else unsigned(count)) if count else b"")


def kitty_buried(
    seat: int,
    count: int,
) -> bytes:
    """Payload of ``TractorKittyBuried``."""
    return (b"\x08" + (VARINTS[seat] if 0 < seat < SHORT else unsigned(seat)) if seat else b"") + (b"\x10" + (VARINTS[count] if 0 < count < SHORT else unsigned(count)) if count else b"")


def cards_played(
    play: bytes | None,
    trick_won: bytes | None,
) -> bytes:
    """Payload of ``TractorCardsPlayed``."""
    return b"".join(
        (
            (b"\x0a" + (VARINTS[size] if (size := len(play)) < SHORT else varint(size)) if play is not None else b""),
            (play or b""),
            (b"\x12" + (VARINTS[size] if (size := len(trick_won)) < SHORT else varint(size)) if trick_won is not None else b""),
            (trick_won or b""),
        )
    )


def trick_won(
    winning_seat: int,
    points: int,
    opponents_points: int,
) -> bytes:
    """Payload of ``TractorTrickWon``."""
    return b"".join(
        (
            (b"\x08" + (VARINTS[winning_seat] if 0 < winning_seat < SHORT else unsigned(winning_seat)) if winning_seat else b""),
            (b"\x10" + (VARINTS[points] if 0 < points < SHORT else unsigned(points)) if points else b""),
            (b"\x18" + varint(zigzag(opponents_points)) if opponents_points else b""),
        )
    )


def private_cards(
    cards: bytes,
) -> bytes:
    """Payload of ``TractorPrivateCards``."""
    return (b"\x0a" + (VARINTS[size] if (size := len(cards)) < SHORT else varint(size)) if cards else b"") + cards


def view(
    public_view: bytes | None,
    seat: int,
    hand: bytes,
    kitty: bytes,
) -> bytes:
    """Payload of ``TractorView``."""
    return b"".join(
        (
            (b"\x0a" + (VARINTS[size] if (size := len(public_view)) < SHORT else varint(size)) if public_view is not None else b""),
            (public_view or b""),
            (b"\x10" + (VARINTS[seat] if 0 < seat < SHORT else unsigned(seat)) if seat else b""),
            (b"\x1a" + (VARINTS[size] if (size := len(hand)) < SHORT else varint(size)) if hand else b""),
            hand,
            (b"\x22" + (VARINTS[size] if (size := len(kitty)) < SHORT else varint(size)) if kitty else b""),
            kitty,
        )
    )


def trick_plays(
    plays: Iterable[bytes],
) -> bytes:
    """``TractorTrick``: ``plays``."""
    return b"".join(
        (
            *[framed(b"\x0a", one) for one in plays],
        )
    )


def trick_end(
    winning_seat: int | None,
    points: int,
) -> bytes:
    """``TractorTrick``: ``winning_seat`` to ``points``."""
    return (b"\x10" + (VARINTS[winning_seat] if winning_seat < SHORT else varint(winning_seat)) if winning_seat is not None and winning_seat >= 0 else b"") + (b"\x18" + (VARINTS[points] if 0 < points < SHORT else unsigned(points)) if points else b"")


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
    return b"".join(
        (
            (b"\x08" + (VARINTS[phase] if 0 < phase < SHORT else unsigned(phase)) if phase else b""),
            (b"\x10" + (VARINTS[deal] if 0 < deal < SHORT else unsigned(deal)) if deal else b""),
            (b"\x18" + (VARINTS[redeals] if 0 < redeals < SHORT else unsigned(redeals)) if redeals else b""),
            (b"\x22" + (VARINTS[size] if (size := len(levels)) < SHORT else varint(size)) if levels else b""),
            levels,
            (b"\x28" + (VARINTS[trump_rank] if 0 < trump_rank < SHORT else unsigned(trump_rank)) if trump_rank else b""),
            (b"\x32" + (VARINTS[size] if (size := len(trumps)) < SHORT else varint(size)) if trumps is not None else b""),
            (trumps or b""),
            (b"\x38" + (VARINTS[first_drawer] if first_drawer < SHORT else varint(first_drawer)) if first_drawer is not None and first_drawer >= 0 else b""),
            (b"\x40" + (VARINTS[starter] if starter < SHORT else varint(starter)) if starter is not None and starter >= 0 else b""),
            (b"\x48" + (VARINTS[declaring_team] if declaring_team < SHORT else varint(declaring_team)) if declaring_team is not None and declaring_team >= 0 else b""),
            (b"\x52" + (VARINTS[size] if (size := len(declaration)) < SHORT else varint(size)) if declaration is not None else b""),
            (declaration or b""),
            (b"\x5a" + (VARINTS[size] if (size := len(turned)) < SHORT else varint(size)) if turned else b""),
            turned,
            *[framed(b"\x62", one) for one in calls],
            (b"\x6a" + (VARINTS[size] if (size := len(show)) < SHORT else varint(size)) if show is not None else b""),
            (show or b""),
        )
    )


def public_view_hand_sizes(
    hand_sizes: bytes,
) -> bytes:
    """``TractorPublicView``: ``hand_sizes``."""
    return (b"\x72" + (VARINTS[size] if (size := len(hand_sizes)) < SHORT else varint(size)) if hand_sizes else b"") + hand_sizes


def public_view_kitty_size(
    kitty_size: int,
) -> bytes:
    """``TractorPublicView``: ``kitty_size``."""
    return (b"\x78" + (VARINTS[kitty_size] if 0 < kitty_size < SHORT else unsigned(kitty_size)) if kitty_size else b"")


def public_view_trick(
    trick: bytes | None,
) -> bytes:
    """``TractorPublicView``: ``trick``."""
    return (b"\x82\x01" + (VARINTS[size] if (size := len(trick)) < SHORT else varint(size)) if trick is not None else b"") + (trick or b"")


def public_view_tricks(
    tricks: Iterable[bytes],
) -> bytes:
    """``TractorPublicView``: ``tricks``."""
    return b"".join(
        (
            *[framed(b"\x8a\x01", one) for one in tricks],
        )
    )


def public_view_opponents_points(
    opponents_points: int,
) -> bytes:
    """``TractorPublicView``: ``opponents_points``."""
    return (b"\x90\x01" + varint(zigzag(opponents_points)) if opponents_points else b"")


def public_view_order(
    order: Iterable[bytes],
) -> bytes:
    """``TractorPublicView``: ``order``."""
    return b"".join(
        (
            *[framed(b"\x9a\x01", one) for one in order],
        )
    )


def public_view_window_open(
    window_open: bool,
) -> bytes:
    """``TractorPublicView``: ``window_open``."""
    return (b"\xa0\x01" + b"\x01" if window_open else b"")


def public_view_to_act(
    to_act: int | None,
) -> bytes:
    """``TractorPublicView``: ``to_act``."""
    return (b"\xa8\x01" + (VARINTS[to_act] if to_act < SHORT else varint(to_act)) if to_act is not None and to_act >= 0 else b"")


def public_view_last_result(
    last_result: bytes | None,
) -> bytes:
    """``TractorPublicView``: ``last_result``."""
    return (b"\xb2\x01" + (VARINTS[size] if (size := len(last_result)) < SHORT else varint(size)) if last_result is not None else b"") + (last_result or b"")


def public_view_exposed(
    exposed: Iterable[bytes],
    first_declarer: int | None,
) -> bytes:
    """``TractorPublicView``: ``exposed`` to ``first_declarer``."""
    return b"".join(
        (
            *[framed(b"\xba\x01", one) for one in exposed],
            (b"\xc0\x01" + (VARINTS[first_declarer] if first_declarer < SHORT else varint(first_declarer)) if first_declarer is not None and first_declarer >= 0 else b""),
        )
    )
