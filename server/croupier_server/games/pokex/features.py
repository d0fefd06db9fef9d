"""What a seat knows in Pokex, as numbers."""

from __future__ import annotations

from croupier.pokex import PokexView
from croupier_server.games.features import Features, Round, card_counts, one_of

_TRICKS = 6


def features(view: PokexView, players: int) -> Features:
    """What *view* says. Sides: the own one first."""
    seats, phases = Round(view.seat, players), 5
    sides = (view.team, 1 - view.team)
    yield "phase", one_of(phases, view.phase - 1)
    yield "hand", card_counts(view.hand)
    yield "hand_sizes", seats.each(view.hand_sizes)
    center = [one_of(54, card - 1) for card in view.center] or [[0] * 54] * _TRICKS
    yield "center", [number for card in center for number in card]
    yield "center_left", card_counts(view.center_left)
    calls = [-1] * players
    for seat, tricks in view.calls:
        calls[seat] = tricks
    yield "last_calls", seats.each(calls)
    yield "dealer", seats.one(view.dealer)
    yield "declarer", seats.one(view.declarer)
    yield "bid", [view.bid]
    yield "wild_rank", one_of(13, None if view.wild_rank is None else view.wild_rank - 2)
    yield "leader", seats.one(view.leader)
    trick = view.trick
    plays = () if trick is None else trick.plays
    named = None if trick is None else trick.center
    yield "trick_center", card_counts([] if named is None else [named])
    yield "trick", seats.cards((play.seat, play.cards) for play in plays)
    played = (play for one in view.tricks for play in one.plays)
    yield "played", seats.cards((play.seat, play.cards) for play in played)
    taken = view.taken or [0, 0]
    yield "taken", [taken[side] for side in sides]
    yield "carried", [view.carried]
    yield "totals", [view.totals[side] for side in sides]
    yield "passed_out", [view.consecutive_passed_out]
