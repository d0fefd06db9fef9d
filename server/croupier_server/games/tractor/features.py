"""What a seat knows in Tractor, as numbers."""

from __future__ import annotations

from croupier.tractor import Suit, TractorView
from croupier_server.games.features import Features, Round, card_counts, one_of


def features(view: TractorView, players: int) -> Features:
    """What *view* says. Sides: the own one first."""
    seats, phases = Round(view.seat, players), 8
    public = view.public
    yield "phase", one_of(phases, view.phase - 1)
    yield "window_open", [int(public.window_open)]
    yield "hand", card_counts(view.hand)
    yield "hand_sizes", seats.each(view.hand_sizes)
    yield "kitty", card_counts(view.kitty)
    yield "kitty_size", [view.kitty_size]
    yield "levels", [view.levels[side] for side in (view.team, 1 - view.team)]
    yield "trump_rank", one_of(13, None if view.trump_rank is None else view.trump_rank - 2)
    named = public.trumps.suit if view.trumps is not None else None
    yield "trump_suit", one_of(5, None if named is None else named - 1)
    yield "starter", seats.one(view.starter)
    yield "first_drawer", seats.one(view.first_drawer)
    side = view.declaring_team
    yield "declaring_side", one_of(2, None if side is None else (side - view.team) % 2)
    declared = view.declaration
    yield "declarer", seats.one(None if declared is None else declared.seat)
    yield "declared", card_counts([] if declared is None else declared.cards)
    yield "exposed", seats.cards((one.seat, one.cards) for one in public.exposed)
    yield "turned", card_counts(view.turned)
    calls = [-1] * players
    for seat, points in view.calls:
        calls[seat] = points
    yield "last_calls", seats.each(calls)
    show = () if view.show is None else view.show.plays
    yield "show", seats.cards((play.seat, play.cards) for play in show)
    plays = () if view.trick is None else view.trick.plays
    yield "leader", seats.one(plays[0].seat if plays else None)
    yield "trick", seats.cards((play.seat, play.cards) for play in plays)
    played = (play for one in view.tricks for play in one.plays)
    yield "played", seats.cards((play.seat, play.cards) for play in played)
    voids = view.voids[:players]
    yield (
        "voids",
        [
            int(suit in voids[(view.seat + turn) % players])
            for turn in range(players)
            for suit in Suit
        ],
    )
    yield "opponents_points", [view.opponents_points]
