"""From the lot to the dealt hands, and from the end of a deal to the pot (G-1, G-5.6, G-6, G-7).

Functions change a `State` and return the events.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from croupier_server.games.base import NO_SEAT, NOBODY, Chance, ChanceKind, Event, Seat
from croupier_server.games.cards import single
from croupier_server.games.tongits import events, scoring
from croupier_server.games.tongits.events import Ending
from croupier_server.games.tongits.melds import PACK, sets_in
from croupier_server.games.tongits.state import HAND, PLAYERS, Phase, PublicState, State

_DEALT: Final = PLAYERS * HAND + 1
_SINGLES: Final = tuple(single(card) for card in range(len(PACK) + 1))
_HIDDEN: Final[tuple[bool, int, tuple[int, ...], int]] = (False, 0, (), 0)
"""What a result says of a hand, fours and deadwood that are not shown."""


# Chance -----------------------------------------------------------------------------------------


def pending_chance(public: PublicState) -> Chance:
    """The lot or deck that is waited for (G-1.2, G-1.3)."""
    deal = public.finished() + 1
    if public.dealer == NO_SEAT:
        return Chance(ChanceKind.LOT, deal, 0, sides=PLAYERS)
    return Chance(ChanceKind.DECK, deal, 0, cards=PACK)


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
    """Take the antes and deal (G-1.3, G-7); the dealer's turn begins without a draw (G-2.1)."""
    public = state.public
    public.clear_deal()
    public.deal += 1
    dealer = public.dealer
    ante = scoring.ante(public.pot, public.options)
    public.pot += PLAYERS * ante
    public.chips = [chips - ante for chips in public.chips]
    dealt: dict[Seat, object] = {}
    for place in range(PLAYERS):
        seat = (dealer + place) % PLAYERS
        cards = deck[place:_DEALT:PLAYERS]
        state.hands[seat] = sum([_SINGLES[card] for card in cards])
        public.hand_sizes[seat] = len(cards)
        dealt[seat] = events.OwnCards(cards)
    state.stock = deck[_DEALT:]
    public.stock_size = len(state.stock)
    state.secret_fours = [()] * PLAYERS
    state.legal = None
    public.phase = Phase.PLAY
    public.to_act = dealer
    started = events.DealStarted(public.deal, dealer, ante, public.pot)
    return Event(started, dealt, events.DeckOrder(deck))


# The end ----------------------------------------------------------------------------------------


def end_by_tongits(state: State, seat: Seat) -> list[Event]:
    """*seat* has no cards left (G-5.1)."""
    return _end_deal(state, scoring.Verdict(Ending.TONGITS, seat), [0] * PLAYERS)


def end_by_draw_call(state: State) -> list[Event]:
    """Everybody has answered the draw call (G-5.2)."""
    public = state.public
    caller = public.caller
    challengers = tuple([answer.seat for answer in public.answers if answer.is_challenge])
    deadwood = _deadwood(state, (caller, *challengers))
    winner = scoring.draw_winner(deadwood, caller, challengers)
    return _end_deal(
        state, scoring.Verdict(Ending.DRAW_CALL, winner, caller, challengers), deadwood
    )


def end_by_stock(state: State, last_drawer: Seat) -> list[Event]:
    """The turn in which *last_drawer* took the last stock card is over (G-5.3)."""
    burned = [_is_burned(state, seat, ()) for seat in range(PLAYERS)]
    standing = [seat for seat in range(PLAYERS) if not burned[seat]]
    deadwood = _deadwood(state, standing or range(PLAYERS))
    winner = scoring.stock_winner(deadwood, burned, last_drawer, state.public.options)
    return _end_deal(state, scoring.Verdict(Ending.STOCK, winner), deadwood)


def _deadwood(state: State, seats: Sequence[Seat]) -> list[int]:
    """Deadwood by seat, 0 for those that are not among *seats*: nobody looks at theirs."""
    count = state.table.deadwood
    return [count(hand) if seat in seats else 0 for seat, hand in enumerate(state.hands)]


def _is_burned(state: State, seat: Seat, showdown: Sequence[Seat]) -> bool:
    public = state.public
    fours = public.secret_fours[seat]
    shows_set = seat in showdown and (fours > 0 or sets_in(state.hands[seat]) > 0)
    return scoring.is_burned(bool(public.opened >> seat & 1), fours, shows_set, public.options)


def _end_deal(state: State, verdict: scoring.Verdict, deadwood: Sequence[int]) -> list[Event]:
    """Pay, show, and make ready for the next deal (G-5.6, G-6, G-7)."""
    public, options = state.public, state.public.options
    winner = verdict.winner
    burned = [_is_burned(state, seat, verdict.showdown) for seat in range(PLAYERS)]
    payments: tuple[events.Payment, ...] = ()
    settlement = [0] * PLAYERS
    jackpot = 0
    if winner is not None:
        gained = scoring.worth(
            winner, state.hands[winner], state.secret_fours[winner], public.melds, options
        )
        losers = [seat for seat in range(PLAYERS) if seat != winner]
        payments = tuple(
            [scoring.payment(seat, verdict, gained, burned[seat], options) for seat in losers]
        )
        for paid in payments:
            settlement[paid.seat] -= paid.total
            settlement[winner] += paid.total
        jackpot = _count_win(public, winner)
    for seat in range(PLAYERS):
        public.chips[seat] += settlement[seat]
    dealer = public.dealer
    public.dealer = scoring.next_dealer(dealer, winner, PLAYERS, options)
    result = events.DealResult(
        deal=public.deal,
        dealer=dealer,
        ending=verdict.ending,
        winner=winner,
        caller=verdict.caller,
        challengers=verdict.challengers,
        seats=_seat_results(state, verdict, burned, deadwood, settlement),
        payments=payments,
        jackpot=jackpot,
        pot=public.pot,
        streak=public.streak,
        next_dealer=public.dealer,
    )
    state.results += (result,)
    public.last_result = result
    _clear_table(state)
    happened = [Event(result, NOBODY)]
    if public.deal == options.max_hands:
        happened += _end_match(public)
    assert public.pot + sum(public.chips) == 0, "chips are conserved"
    return happened


def _count_win(public: PublicState, winner: Seat) -> int:
    """Count the win in the streak; the chips that *winner* takes from the pot (G-7)."""
    streak = scoring.streak_after(winner, public.streak_seat, public.streak, public.options)
    public.streak_seat = winner
    public.streak = streak.streak
    if not streak.takes_pot:
        return 0
    jackpot, public.pot = public.pot, 0
    public.chips[winner] += jackpot
    return jackpot


def _seat_results(
    state: State,
    verdict: scoring.Verdict,
    burned: Sequence[bool],
    deadwood: Sequence[int],
    settlement: Sequence[int],
) -> tuple[events.SeatResult, ...]:
    """What is told of every seat; hands only of those that G-5.6 shows."""
    chips = state.public.chips
    is_stock = verdict.ending is Ending.STOCK
    found = []
    for seat, hand in enumerate(state.hands):
        if seat == verdict.winner or seat in verdict.showdown or (is_stock and not burned[seat]):
            shown = (True, hand, state.secret_fours[seat], deadwood[seat])
        else:
            shown = _HIDDEN
        found.append(events.SeatResult(seat, burned[seat], *shown, settlement[seat], chips[seat]))
    return tuple(found)


def _clear_table(state: State) -> None:
    """Take in what was hidden; nothing but the results speaks of it any more."""
    public = state.public
    state.hands = [0] * PLAYERS
    state.secret_fours = [()] * PLAYERS
    state.stock = b""
    state.legal = None
    public.hand_sizes = [0] * PLAYERS
    public.stock_size = 0
    public.took_discard = False
    public.to_act = NO_SEAT
    public.phase = Phase.DEAL


def _end_match(public: PublicState) -> list[Event]:
    """Split what is left in the pot (G-7)."""
    public.phase = Phase.OVER
    share, rest = divmod(public.pot, PLAYERS)
    assert not rest, "the pot always divides"
    public.pot = 0
    public.chips = [chips + share for chips in public.chips]
    return [Event(events.PotSplit(share, tuple(public.chips)), NOBODY)]
