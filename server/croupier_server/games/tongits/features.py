"""What a seat knows in Tong-its, as numbers."""

from __future__ import annotations

from croupier.tongits import TongitsView
from croupier_server.games.features import Features, Round, card_counts, one_of

_MELDS = 17
"""No more melds can be made of 52 cards."""


def features(view: TongitsView, players: int) -> Features:
    """What *view* says."""
    seats, phases = Round(view.seat, players), 5
    public = view.public
    yield "phase", one_of(phases, view.phase - 1)
    yield "hand", card_counts(view.hand)
    yield "deadwood", [view.deadwood]
    yield "hand_sizes", seats.each(view.hand_sizes)
    yield "stock_size", [view.stock_size]
    top = view.top_discard
    yield "top_discard", card_counts([] if top is None else [top])
    yield "took_discard", [int(view.took_discard)]
    thrown = zip(view.discarders, view.discards, strict=True)
    yield "discards", seats.cards((seat, [card]) for seat, card in thrown)
    owners = [[0] * players for _ in range(_MELDS)]
    melds = [[0] * 54 for _ in range(_MELDS)]
    for meld in view.melds:
        owners[meld.number] = seats.one(meld.seat)
        melds[meld.number] = card_counts(meld.cards)
    yield "meld_owners", [number for row in owners for number in row]
    yield "melds", [number for row in melds for number in row]
    own = view.secret_fours
    yield "secret_fours", [int(rank in own) for rank in range(2, 15)]
    yield "secret_four_counts", seats.each(view.secret_four_counts or [0] * players)
    yield "turns", seats.each(view.turns or [0] * players)
    for name, barred in (
        ("barred_turn", public.barred_turn),
        ("barred_deal", public.barred_deal),
        ("barred_discard", public.barred_discard),
    ):
        yield name, seats.each([int(seat in barred) for seat in range(players)])
    yield "dealer", seats.one(view.dealer)
    yield "caller", seats.one(view.caller)
    answers = [0] * players  # 1: folded, 2: challenged
    for answer in view.answers:
        answers[answer.seat] = 1 + answer.is_challenge
    yield "answers", seats.each(answers)
    yield "chips", seats.each(view.chips)
    yield "pot", [view.pot]
    yield "streak_seat", seats.one(view.streak_seat)
    yield "streak", [view.streak]
