"""From the shuffled deck to the kitty in the starter's hand: lot, draw, windows, turning (T-3),
auction, show and naming of trumps (T-11).

Functions change a `State` and return the events; moves are known to be legal. What may be
declared, called or turned is decided in `bidding`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from croupier_server.games.base import NO_SEAT, NOBODY, Chance, ChanceKind, Event, Legal, Move, Seat
from croupier_server.games.cards import CARD_MAX, Card, Cards, pack, single
from croupier_server.games.tractor import bidding, events
from croupier_server.games.tractor.cards import points, trumps
from croupier_server.games.tractor.moves import PASS, TractorMoveKind
from croupier_server.games.tractor.options import TractorOptions
from croupier_server.games.tractor.state import NO_TEAM, Phase, PublicState, State

# Values of events that come in every window of every deal.
_DRAWN: Final = tuple(events.OwnCardsDrawn(bytes((card,))) for card in range(CARD_MAX + 1))
_UNCHANGED: Final = Event(events.WindowClosed(None), NOBODY)

_DRAWING: Final = Phase.DRAW

_new: Final = tuple.__new__


@cache
def _ordered_deck(packs: int) -> tuple[Card, ...]:
    """All cards of *packs* packs in the documented order."""
    return tuple(card for card in range(1, CARD_MAX + 1) for _ in range(packs))


@cache
def _evenly_drawn(each: int, players: int) -> events.CardsDrawn:
    return events.CardsDrawn((each,) * players)


# Chance --------------------------------------------------------------------------------------


def pending_chance(public: PublicState) -> Chance:
    """The lot or deck that is waited for: a lot before deal 1 unless its starter is given."""
    deal = public.finished() + 1
    is_redeal = public.deal == deal
    attempt = public.attempt + 1 if is_redeal else 0
    if public.first_drawer == NO_SEAT and public.options.starter is None:
        return Chance(ChanceKind.LOT, deal, attempt, sides=public.options.players)
    return Chance(ChanceKind.DECK, deal, attempt, cards=_ordered_deck(public.options.packs))


def put_chance(state: State, outcome: Sequence[int]) -> list[Event]:
    """Put in a lot or a deck.

    Raises:
        MalformedMove: it is no outcome of what is waited for.
    """
    public = state.public
    wanted = pending_chance(public)
    wanted.check(outcome)
    if wanted.kind is ChanceKind.LOT:
        public.first_drawer = outcome[0]
        return [Event(events.LotDrawn(outcome[0]), NOBODY)]
    return _start_deal(state, bytes(outcome), wanted)


def _start_deal(state: State, deck: bytes, chance: Chance) -> list[Event]:
    """Begin a deal or redeal, and draw up to the first decision."""
    public = state.public
    options = public.options
    public.clear_deal()
    if chance.attempt == 0:
        public.first_drawer = _first_drawer(public, chance.deal)
    public.deal = chance.deal
    public.attempt = chance.attempt
    state.hands = [0] * options.players
    state.stock = deck
    state.taken = state.buried = 0
    state.asked = None
    starter: Seat | None = None
    if not options.is_auction:
        # Without a nominee both teams have the same level: `options` sees to that.
        public.trump_rank = public.levels[max(public.nominee, 0) % 2]
        if public.nominee != NO_SEAT:
            starter = public.starter = public.nominee
            public.declarers = starter % 2
    started = events.DealStarted(
        public.deal,
        public.attempt,
        public.trump_rank,
        public.first_drawer,
        starter,
        public.levels,
    )
    return [Event(started, NOBODY, events.DeckOrder(deck)), _draw(state)]


def _first_drawer(public: PublicState, deal: int) -> Seat:
    """T-3.1. A starter given for deal 1 draws first in it. In an auction, where the starter is
    made after the draw, the seat that T-9.4 named stands for it."""
    if deal == 1:
        return public.first_drawer if public.options.starter is None else public.options.starter
    if public.options.first_drawer == "starter":
        return public.nominee
    return (public.first_drawer + 1) % public.options.players


# Draw and windows ----------------------------------------------------------------------------


def _draw(state: State) -> Event:
    """Draw the cards up to the next window, or all of them before an auction (T-3.5, T-11.1)."""
    public = state.public
    options = public.options
    players = options.players
    is_auction = options.is_auction
    if is_auction or options.declare_window == "end_of_draw":
        batch = players * options.hand
    else:
        batch = 1 if options.declare_window == "each_card" else players
    drawn = state.stock[:batch]
    state.stock = state.stock[batch:]
    hands = state.hands
    private: dict[Seat, object] = {}
    first = public.first_drawer + public.drawn
    if batch <= players:
        seat = first % players
        for card in drawn:
            hands[seat] += 1 << 4 * card
            private[seat] = _DRAWN[card]
            seat += 1
            if seat == players:
                seat = 0
    else:
        for step in range(players):
            seat = (first + step) % players
            own = drawn[step::players]
            hands[seat] += pack(own)
            private[seat] = events.OwnCardsDrawn(own)
    public.drawn += batch
    if is_auction:
        public.phase = Phase.AUCTION
        public.to_act = public.first_drawer
    else:
        public.phase = _DRAWING
    state.legal = None
    if not bidding.DECLARING[public.trump_rank].isdisjoint(drawn):
        state.asked = None
    if public.drawn % players:
        return Event(events.CardsDrawn(public.hand_sizes()), private)
    # Made without the detour of its own constructor, as there is one in every window.
    return _new(Event, (_evenly_drawn(public.drawn // players, players), private, None))


def asked(state: State) -> tuple[Legal | None, ...]:
    """By seat, its legal answers in the open window; None for a seat that is not asked because
    it holds no legal declaration (T-3.5). Known until a seat draws a card that declares, or a
    declaration is published."""
    answers = state.asked
    if answers is None:
        public = state.public
        mask, standing = bidding.declaring_mask(public.trump_rank), public.standing
        answers = state.asked = tuple(
            [
                _answers(hand & mask, seat, standing, public) if hand & mask else None
                for seat, hand in enumerate(state.hands)
            ]
        )
        state.asking = tuple([seat for seat, legal in enumerate(answers) if legal is not None])
    return answers


def _answers(
    held: Cards, seat: Seat, standing: bidding.Declaration | None, public: PublicState
) -> Legal | None:
    moves = bidding.legal_declarations(held, seat, standing, public.trump_rank, public.options)
    kinds = (TractorMoveKind.PASS, *(TractorMoveKind.DECLARE,) * len(moves))
    return Legal((PASS, *moves), kinds) if moves else None


def close_window(state: State, answers: Mapping[Seat, Move]) -> list[Event]:
    """Publish the strongest declaration and draw on, or make trumps after the last window."""
    public = state.public
    options = public.options
    best: bidding.Declaration | None = None
    private: Mapping[Seat, object] = NOBODY
    if answers:
        best = bidding.resolve_window(answers, public.first_drawer, options)
        private = {seat: events.OwnAnswer(answers[seat]) for seat in sorted(answers)}
    if best is not None:
        _publish(public, best)
        state.asked = None
        happened = [Event(events.WindowClosed(best), private)]
    elif answers:
        happened = [Event(_UNCHANGED.public, private)]
    else:
        happened = [_UNCHANGED]
    if public.drawn + options.kitty < options.cards:
        happened.append(_draw(state))
    elif best is None:
        happened += _make_trumps(state)
    return happened


def _publish(public: PublicState, declaration: bidding.Declaration) -> None:
    """Let *declaration* stand; its cards stay exposed whatever happens later (T-3.2)."""
    public.standing = declaration
    if public.first_declarer == NO_SEAT:
        public.first_declarer = declaration.seat
    exposed = list(public.exposed)
    others = exposed[declaration.seat] & ~(15 << 4 * declaration.card)
    exposed[declaration.seat] = others | declaration.cards
    public.exposed = tuple(exposed)


def _make_trumps(state: State) -> list[Event]:
    """After the last window: trumps by the standing declaration, or by T-3.7."""
    public = state.public
    standing = public.standing
    if standing is not None:
        if public.starter == NO_SEAT:
            is_first = public.options.first_starter == "first_declarer"
            public.starter = public.first_declarer if is_first else standing.seat
        return _fix_trumps(state, standing.suit)
    if bidding.redeals(public.options.no_declaration, public.deal, public.attempt):
        public.phase = Phase.DEAL
        state.hands = [0] * public.options.players
        state.stock = b""
        return []
    if public.starter == NO_SEAT:
        public.starter = public.first_drawer
    turned = bidding.turn_kitty(state.stock, public.trump_rank, public.options.no_declaration)
    public.turned = turned.cards
    happened = _fix_trumps(state, turned.suit)
    if turned.cards:
        happened.insert(0, Event(events.KittyTurned(turned.cards, turned.suit), NOBODY))
    return happened


def _fix_trumps(state: State, suit: int | None) -> list[Event]:
    """Trumps are known: the starter takes the kitty."""
    public = state.public
    options: TractorOptions = public.options
    starter = public.starter
    public.declarers = starter % 2
    public.trumps = trumps(
        suit, public.trump_rank, options.rank_gap, options.trump_ladder, options.nt_rank_cards
    )
    fixed = events.TrumpsFixed(
        suit,
        public.trump_rank,
        starter,
        public.declarers,
        options.rank_gap,
        options.trump_ladder,
        options.nt_rank_cards,
    )
    state.taken = pack(state.stock)
    state.stock = b""
    state.hands[starter] += state.taken
    public.phase = Phase.BURY
    public.to_act = starter
    state.legal = None
    taken = events.KittyTaken(starter, options.kitty)
    return [Event(fixed, NOBODY), Event(taken, {starter: events.OwnKitty(state.taken)})]


# Auction and show ----------------------------------------------------------------------------


def call(state: State, seat: Seat, called: int) -> list[Event]:
    """Take a call of *called* points, or a pass with 0, which takes the team out (T-11.1).

    Teams alternate, so a pass after a bid leaves the bidders alone, and a bid after a pass does.
    """
    public = state.public
    is_after_pass = any(not earlier for _, earlier in public.calls)
    public.calls += ((seat, called),)
    state.legal = None
    happened = [Event(events.Called(seat, called), NOBODY)]
    if called:
        public.bid = called
        is_over = is_after_pass or called == public.options.points
    else:
        is_over = is_after_pass or public.bid > 0
    if not is_over:
        public.to_act = (seat + 1) % public.options.players
        return happened
    last_bidder = max((bid, who) for who, bid in public.calls)[1]
    named = public.first_drawer if public.nominee == NO_SEAT else public.nominee
    public.declarers = (last_bidder if public.bid else named) % 2
    public.trump_rank = public.levels[public.declarers]
    public.phase = Phase.SHOW
    public.to_act = public.first_drawer
    ended = events.AuctionEnded(public.declarers, public.bid, public.trump_rank)
    return [*happened, Event(ended, NOBODY)]


def show_card(state: State, seat: Seat, card: int) -> list[Event]:
    """Lay *card* in the show; the last one makes the starter and ends trick 1 (T-11.2, 3)."""
    public = state.public
    state.hands[seat] -= single(card)
    public.shown += ((seat, card),)
    state.legal = None
    happened = [Event(events.CardShown(seat, card), NOBODY)]
    if len(public.shown) < public.options.players:
        public.to_act = (seat + 1) % public.options.players
        return happened
    rank = public.trump_rank
    own = [(who, laid) for who, laid in public.shown if who % 2 == public.declarers]
    public.starter = bidding.highest_shown(own, rank)
    winner = bidding.highest_shown(public.shown, rank)
    public.show_points = points(pack(laid for _, laid in public.shown))
    if winner % 2 != public.declarers:
        public.opponents_points += public.show_points
    public.phase = Phase.NAME_TRUMPS
    public.to_act = public.starter
    ended = events.ShowEnded(public.starter, winner, public.show_points, public.opponents_points)
    return [*happened, Event(ended, NOBODY)]


def name_trumps(state: State, suit: int | None) -> list[Event]:
    """The starter names trumps and takes the kitty (T-11.3)."""
    assert state.public.declarers != NO_TEAM
    return _fix_trumps(state, suit)
