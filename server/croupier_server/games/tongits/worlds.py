"""States consistent with a view: what is hidden is dealt anew (G-5.6).

Nothing that a seat can know tells one place of an unseen card from another: not its own hand, the
discards, the melds, or the answers. Only a secret four says that four cards of a rank lie there.
So a world is drawn in two steps, and all worlds that fit have the same chance: first the ranks of
the others' secret fours, among those of which no card was seen; then all other cards by shuffling.
"""

from __future__ import annotations

from collections.abc import Iterator

from croupier_server.games.cards import Cards, unpack
from croupier_server.games.patterns import below, shuffled
from croupier_server.games.tongits.melds import PACK_CARDS, RANK_CARDS, fours_in
from croupier_server.games.tongits.state import PLAYERS, Phase, State, TongitsView

_Words = Iterator[int]


def deal_world(view: TongitsView, draw: _Words) -> State:
    """A state that *view* cannot tell from the real one, every one of them equally likely."""
    public = view.public
    state = State(public.copy())
    if public.phase is Phase.DEAL or public.phase is Phase.OVER:
        return state
    unseen = _unseen(view)
    own = view.seat
    for seat in range(PLAYERS):
        if seat == own:
            state.hands[seat] = view.hand
            state.secret_fours[seat] = view.secret_fours
        else:
            for _ in range(public.secret_fours[seat]):
                ranks = fours_in(unseen)
                four = ranks[below(len(ranks), draw)]
                unseen &= ~RANK_CARDS[four]
                state.secret_fours[seat] += (four,)
    cards = shuffled(unpack(unseen), draw)
    place = 0
    for seat in range(PLAYERS):
        if seat != own:
            size = public.hand_sizes[seat]
            state.hands[seat] = sum([1 << 4 * card for card in cards[place : place + size]])
            place += size
    state.stock = bytes(cards[place:])
    assert len(state.stock) == public.stock_size, "every card has its place"
    return state


def _unseen(view: TongitsView) -> Cards:
    """The cards that the seat has not seen in this deal."""
    public = view.public
    seen = view.hand
    for card in public.discards:
        seen |= 1 << 4 * card
    for meld in public.melds:
        seen |= meld.cards
    for four in view.secret_fours:
        seen |= RANK_CARDS[four]
    return PACK_CARDS & ~seen
