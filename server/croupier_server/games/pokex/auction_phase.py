"""From the lot and the deck to the first lead: the deal, the auction, the naming of the wild rank
(P-1 to P-3).

Functions change a `State` and return the events; moves are known to be legal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from croupier_server.games.base import NO_SEAT, NOBODY, Chance, ChanceKind, Event, Seat
from croupier_server.games.cards import CARD_MAX, Card, single
from croupier_server.games.pokex import bidding, events, play_phase
from croupier_server.games.pokex.events import Called, OwnCards
from croupier_server.games.pokex.state import HAND, PLAYERS, Phase, PublicState, State

_DECK: Final[tuple[Card, ...]] = tuple(range(1, CARD_MAX + 1))

_new: Final = tuple.__new__

_SINGLES: Final = tuple(single(card) for card in range(CARD_MAX + 1))

_CALLED: Final = tuple(
    tuple(Called(seat, tricks) for tricks in range(7)) for seat in range(PLAYERS)
)
"""Every call by seat and tricks."""

_CALLED_EVENTS: Final = tuple(
    tuple(Event(called, NOBODY) for called in by_tricks) for by_tricks in _CALLED
)


def pending_chance(public: PublicState) -> Chance:
    """The lot for the first dealer, or the deck that is waited for (P-1)."""
    if public.dealer == NO_SEAT:
        return Chance(ChanceKind.LOT, 1, 0, sides=PLAYERS)
    return Chance(ChanceKind.DECK, public.deal + 1, 0, cards=_DECK)


def put_chance(state: State, outcome: Sequence[int]) -> list[Event]:
    """Put in a lot or a deck.

    Raises:
        MalformedMove: it is no outcome of what is waited for.
    """
    public = state.public
    pending_chance(public).check(outcome)
    if public.dealer == NO_SEAT:
        public.dealer = outcome[0]
        return [Event(events.LotDrawn(outcome[0]), NOBODY)]
    return [_start_deal(state, bytes(outcome))]


def _start_deal(state: State, deck: bytes) -> Event:
    """Deal one card at a time from the dealer's left; what is left is the centre (P-1.1)."""
    public = state.public
    public.clear_deal()
    if public.deal:
        public.dealer = (public.dealer + 1) % PLAYERS
    public.deal += 1
    first = (public.dealer + 1) % PLAYERS
    dealt = PLAYERS * HAND
    public.center = public.center_left = deck[dealt:]
    state.plays = [None] * PLAYERS
    private: dict[Seat, object] = {}
    single_of = _SINGLES.__getitem__
    for seat in range(PLAYERS):
        own = deck[(seat - first) % PLAYERS : dealt : PLAYERS]
        state.hands[seat] = sum(map(single_of, own))
        private[seat] = _new(OwnCards, (own,))
    public.phase = Phase.BIDDING
    public.to_act = first
    state.legal = None
    started = events.DealStarted(public.deal, public.dealer, public.center, public.totals)
    return Event(started, private, events.DeckOrder(deck))


def call(state: State, seat: Seat, tricks: int) -> list[Event]:
    """Take a bid of *tricks*, or a pass with 0, which may end the auction (P-2)."""
    public = state.public
    public.calls += (_CALLED[seat][tricks],)
    if tricks:
        public.bid = tricks
    state.legal = None
    happened = [_CALLED_EVENTS[seat][tricks]]
    bidder = bidding.next_bidder(public.calls, public.dealer, public.options.pass_is_out)
    if bidder is not None:
        public.to_act = bidder
        return happened
    return [*happened, *_end_auction(state)]


def _end_auction(state: State) -> list[Event]:
    """Ask for the wild rank or the first lead, or pass the deal on (P-2.3, P-2.4, P-3.2)."""
    public = state.public
    options = public.options
    declarer = bidding.declarer(public.calls)
    ended = Event(events.AuctionEnded(declarer, public.bid), NOBODY)
    if declarer is not None:
        public.declarer = declarer
        if options.wild_rank == "named":
            public.phase = Phase.NAME_RANK
            public.to_act = declarer
        else:
            play_phase.start_play(state, declarer)
        return [ended]
    if bidding.is_played(options.all_pass, public.passed_out):
        play_phase.start_play(state, (public.dealer + 1) % PLAYERS)
        return [ended]
    state.hands = [0] * PLAYERS
    return [ended, Event(play_phase.end_deal(state, is_passed_out=True), NOBODY)]


def name_rank(state: State, seat: Seat, rank: int) -> list[Event]:
    """The declarer names *rank* and will lead (P-3.2, P-4.4)."""
    state.public.wild_rank = rank
    play_phase.start_play(state, seat)
    return [Event(events.RankNamed(seat, rank), NOBODY)]
