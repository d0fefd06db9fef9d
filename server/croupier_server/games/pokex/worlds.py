"""Dealing anew what a seat has not seen: all deals that fit its view are equally likely.

What a seat has seen says only which cards are where and how many each hand holds: nobody ever has
to play or bid by what is held.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from croupier_server.games.cards import EVERY, ONES, single, unpack
from croupier_server.games.patterns import below
from croupier_server.games.pokex.state import PLAYERS, Phase, PokexView, State

_SINGLES: Final = tuple(single(card) & EVERY for card in range(55))


def deal_world(view: PokexView, draw: Iterator[int]) -> State:
    """A state in which play can go on and whose view for that audience equals *view*."""
    public = view.public
    state = State(public.copy())
    if public.phase is Phase.DEAL or public.phase is Phase.OVER:
        return state
    seen = view.hand
    for card in public.center:
        seen |= _SINGLES[card]
    for trick in public.tricks:
        for _, cards in trick.plays:
            seen |= cards
    for _, cards in public.plays:
        seen |= cards
    unseen = bytearray(unpack(ONES ^ seen))
    left = len(unseen)
    sizes = public.hand_sizes()
    for seat in range(PLAYERS):
        if seat == view.seat:
            state.hands[seat] = view.hand
            continue
        hand = 0
        for _ in range(sizes[seat]):
            place = below(left, draw)
            left -= 1
            hand |= _SINGLES[unseen[place]]
            unseen[place] = unseen[left]
        state.hands[seat] = hand
    return state
