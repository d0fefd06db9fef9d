"""Quick play of Tractor for the playouts of `search`: a sensible move at once, and without chance.

It judges as a careful player would: the chance that the own side wins the trick times what is in
it, less what the cards would be worth later. It knows its own hand and what has been played; only
voids it reads from the hands, as they show soon enough.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from croupier_server.games.base import Move, Seat
from croupier_server.games.cards import (
    BLACK_JOKER,
    CARD_MAX,
    Card,
    Cards,
    at_least,
    count,
    single,
    suit,
    unpack,
)
from croupier_server.games.tractor.bidding import declaring_mask
from croupier_server.games.tractor.cards import POINTS, TRUMP, Trumps, points
from croupier_server.games.tractor.components import read_lead
from croupier_server.games.tractor.follow import legal_follows
from croupier_server.games.tractor.moves import DECLARE, PASS, PLAY, TYPE_MASK
from croupier_server.games.tractor.rules import Tractor
from croupier_server.games.tractor.state import Phase, PublicState, State
from croupier_server.games.tractor.tricks import challenge

__all__ = ["GAME", "PAIR", "answers", "quick_move", "spread"]

GAME: Final = Tractor()
PAIR: Final = 2

_LEAD: Final = 2.0
"""What it is worth to lead to the next trick, in points."""
_LAST: Final = 25.0
"""What the last trick is worth beyond its cards: the kitty and its multiplier."""
_FEED: Final = 2.5
"""Points that another seat brings on average to a trick that is won, for each card."""
_BREAK: Final = 3.0
"""What it costs to tear a pair apart."""
_HOPE: Final = 0.7
"""How far a partner still to play can be relied on to win what it could win."""
_SURE: Final = 0.5
"""The part of its price that a lead costs when it surely wins: the cards have done their work."""
_HELP: Final = 0.4
"""How often a partner overtakes a lead of ours that would not win."""
_TRUMP_PRICES: Final = tuple(3.0 + 9.0 / (1.0 + 0.5 * higher) for higher in range(4 * CARD_MAX))
_PLAIN_PRICES: Final = tuple(0.5 + 4.0 / (1.0 + higher) for higher in range(4 * CARD_MAX))
"""What a card would be worth later, in points, by how many that are out are higher."""

_MISS: Final = tuple(
    tuple((1.0 - 0.95 / max(players - 1, 1)) ** number for number in range(4 * CARD_MAX))
    for players in range(13)
)
"""By seats: the chance that a certain one lacks all of so many cards that are out, some of which
are buried."""
_MISS_PAIR: Final = tuple((8.0 / 9.0) ** number for number in range(CARD_MAX + 1))
"""The chance that a certain seat lacks all of so many pairs that are out."""

_DECLARE_SHARE: Final = 0.34
_DECLARE_MIN: Final = 4.0
"""A suit is declared that makes so much of the hand trumps, and no fewer cards."""
_ANSWERS_MAX: Final = 24
"""So many answers to a lead of several cards are looked at."""


def quick_move(state: State, seat: Seat) -> Move:
    """A sensible move of *seat*."""
    public = state.public
    if public.phase is Phase.PLAY:
        return (_lead(state, seat) if public.best is None else _follow(state, seat)) | PLAY
    if public.phase is Phase.DRAW:
        return _declare(state, seat)
    return GAME.fallback(state, seat)


def _declare(state: State, seat: Seat) -> Move:
    """Declare the longest suit that is long enough, over nobody but an opponent."""
    public = state.public
    standing = public.standing
    if standing is not None and standing.seat % 2 == seat % 2:
        return PASS
    hand = state.hands[seat]
    least = max(_DECLARE_MIN, _DECLARE_SHARE * count(hand))
    high = count(hand & declaring_mask(public.trump_rank))
    best = PASS
    for move in GAME.legal_moves(state, seat).moves:
        card = (move.bit_length() - 1) >> 2
        if move & TYPE_MASK == DECLARE and card < BLACK_JOKER:
            length = high + count(hand >> 52 * suit(card) & (1 << 56) - 16)
            if length > least:
                best, least = move, length
    return best


# What a seat can tell ----------------------------------------------------------------------------


class _Eyes:
    """The cards at a trick's moment as *seat* sees them. Numbers of cards are numbers of faces
    here: for chances that is near enough, and quick.

    Attributes:
        out: cards that the seat does not see.
        rivals, partners: hands of the other seats that have still to play.
    """

    __slots__ = ("_miss", "_trumps", "out", "partners", "rivals")

    def __init__(self, state: State, seat: Seat, trumps: Trumps, played: int) -> None:
        hands = state.hands
        players = len(hands)
        out = sum(hands) - hands[seat]
        if seat != state.public.starter:
            out += state.buried
        rivals: list[Cards] = []
        partners: list[Cards] = []
        for step in range(1, players - played):
            other = seat + step
            hand = hands[other if other < players else other - players]
            (rivals if step & 1 else partners).append(hand)
        self.out = out
        self.rivals = rivals
        self.partners = partners
        self._trumps = trumps
        self._miss = _MISS[players]

    def stands(
        self, hands: Sequence[Cards], led: int, suit: int, above: Cards, width: int
    ) -> float:
        """The chance that none of *hands* beats what was played of *suit*, led or ruffing, that
        the cards *above* alone are higher than, where *led* was led in *width* copies."""
        chance = 1.0
        trumps, out = self._trumps, self.out
        mask, ruffs = trumps.mask[led], trumps.mask[TRUMP]
        for hand in hands:
            if hand & mask:
                if suit != led:
                    continue
                higher = out & above & mask
            elif led == TRUMP or not hand & ruffs:
                continue
            else:
                higher = out & ruffs if suit == led else out & ruffs & above
            if not higher:
                continue
            if width == 1:
                chance *= self._miss[higher.bit_count()]
            else:
                chance *= _MISS_PAIR[at_least(higher, width).bit_count()]
        return chance

    def price(self, card: Card) -> float:
        """What it costs to part with *card*, in points: more for one that few cards beat."""
        trumps = self._trumps
        suit = trumps.suit_of[card]
        higher = (self.out & trumps.above[suit][trumps.height[card]]).bit_count()
        return _TRUMP_PRICES[higher] if suit == TRUMP else _PLAIN_PRICES[higher]


# Leads -------------------------------------------------------------------------------------------


def _lead(state: State, seat: Seat) -> Cards:
    """The lead that gains most, of singles, pairs and the longest run of each suit."""
    trumps = state.public.trumps
    assert trumps is not None
    hand = state.hands[seat]
    eyes = _Eyes(state, seat, trumps, 0)
    best, best_score = 0, -1e9
    for led in range(5):
        own = hand & trumps.mask[led]
        if not own:
            continue
        pairs = at_least(own, PAIR)
        for score, cards in _leads_of(own, pairs, led, eyes, trumps):
            if score > best_score:
                best, best_score = cards, score
    return best


def _leads_of(
    own: Cards, pairs: Cards, led: int, eyes: _Eyes, trumps: Trumps
) -> Iterator[tuple[float, Cards]]:
    """Leads of the cards *own* of one suit, with what they gain."""
    above_of, height = trumps.above[led], trumps.height
    for width in (1, PAIR) if pairs else (1,):
        for card in spread(pairs if width == PAIR else at_least(own, 1), trumps):
            above = above_of[height[card]]
            won = eyes.stands(eyes.rivals, led, led, above, width)
            if won < 1.0:
                helped = 1.0 - eyes.stands(eyes.partners, led, led, above, width)
                won += (1.0 - won) * _HELP * helped
            price = eyes.price(card) * width
            if width == 1 and pairs >> 4 * card & 1:
                price += _BREAK
            score = (won - 0.5) * POINTS[card] * width + won * (_LEAD + _FEED * width)
            yield score - price * (_SURE if won > 0.9 else 1.0), width << 4 * card
    if pairs & pairs - 1:
        run = read_lead(PAIR * pairs, trumps).components[0]
        if run.length > 1:
            price = sum([eyes.price(card) for card in unpack(run.cards)])
            gained = 0.5 * points(run.cards) + _LEAD + _FEED * run.count
            yield gained - _SURE * price, run.cards


def spread(plane: Cards, trumps: Trumps) -> list[Card]:
    """Of the cards *plane* of a suit the highest, the lowest, the lowest without points and the
    highest with points."""
    cards = sorted(unpack(plane), key=trumps.height.__getitem__)
    some = [cards[-1]]
    if len(cards) > 1:
        some.append(cards[0])
        some += [card for card in cards if not POINTS[card]][:1]
        some += [card for card in reversed(cards) if POINTS[card]][:1]
    return list(dict.fromkeys(some))


# Answers -----------------------------------------------------------------------------------------


def _follow(state: State, seat: Seat) -> Cards:
    """The answer to a lead that gains most."""
    public = state.public
    lead, trumps, best = public.lead, public.trumps, public.best
    assert lead is not None
    assert trumps is not None
    assert best is not None
    hand = state.hands[seat]
    mine = answers(state, seat)
    if len(mine) == 1:
        return mine[0]
    eyes = _Eyes(state, seat, trumps, len(public.plays))
    led, width, beaten_by = lead.suit, lead.components[0].width, best.beaten_by
    others = len(eyes.rivals) + len(eyes.partners)
    stake = points(sum(public.plays)) + _FEED * 0.5 * others * lead.count
    stake += _LAST if count(hand) == lead.count else _LEAD
    is_ours = public.winner % 2 == seat % 2
    behind = eyes.rivals if is_ours else eyes.partners
    kept = eyes.stands(behind, led, _suit_that_stands(public, trumps), beaten_by, width)
    if not is_ours:
        kept = _HOPE * (1.0 - kept)
    pairs = at_least(hand, PAIR)
    chosen, chosen_score = mine[0], -1e9
    for cards in mine:
        won, worth, price = kept, 0, 0.0
        for card in unpack(cards) if lead.count > 1 else (cards.bit_length() - 1 >> 2,):
            worth += POINTS[card]
            price += eyes.price(card)
        if cards & beaten_by:
            better = challenge(best, cards)
            if better is not None:
                suit = trumps.suit_of[(cards.bit_length() - 1) >> 2]
                won = eyes.stands(eyes.rivals, led, suit, better.beaten_by, width)
        if cards & pairs:
            price += _BREAK * (cards & pairs).bit_count()
        score = (won - 0.5) * worth + won * stake - price
        if score > chosen_score:
            chosen, chosen_score = cards, score
    return chosen


def _suit_that_stands(public: PublicState, trumps: Trumps) -> int:
    """The effective suit of the play that wins the trick so far."""
    place = (public.winner - public.leader) % public.options.players
    return trumps.suit_of[(public.plays[place].bit_length() - 1) >> 2]


def answers(state: State, seat: Seat) -> list[Cards]:
    """Answers to a lead: all that are listed, and of each pattern a few members."""
    public = state.public
    lead, trumps = public.lead, public.trumps
    assert lead is not None
    assert trumps is not None
    hand = state.hands[seat]
    if lead.count == 1:
        return [
            1 << 4 * card for card in unpack(at_least(hand & trumps.mask[lead.suit] or hand, 1))
        ]
    legal = legal_follows(hand, lead, trumps, state.follow_rules)
    found = [move ^ PLAY for move in legal.moves]
    for pattern in legal.patterns:
        found += [pattern.fixed + rest for rest in _some(pattern.pool, pattern.least, trumps)]
        if len(found) > _ANSWERS_MAX:
            break
    return list(dict.fromkeys(found))


def _some(pool: Cards, number: int, trumps: Trumps) -> Iterator[Cards]:
    """Of *number* cards of *pool* the cheapest, those with most points, and the lowest trumps that
    are all equal or a run of pairs."""
    cards = unpack(pool)
    is_trump = [suit == TRUMP for suit in trumps.suit_of]
    height = trumps.height
    cheap = sorted(cards, key=lambda card: (POINTS[card] > 0, is_trump[card], height[card]))
    yield sum(map(single, cheap[:number]))
    rich = sorted(cards, key=lambda card: (-POINTS[card], is_trump[card], height[card]))
    yield sum(map(single, rich[:number]))
    own = sorted(filter(is_trump.__getitem__, dict.fromkeys(cards)), key=height.__getitem__)
    tuples = [card for card in own if cards.count(card) >= number]
    if tuples:
        yield number << 4 * tuples[0]
    length = number // PAIR
    faces = [card for card in own if cards.count(card) >= PAIR]
    for start in range(len(faces) - length + 1) if PAIR * length == number else ():
        run = faces[start : start + length]
        if height[run[-1]] - height[run[0]] == length - 1:
            yield PAIR * sum(map(single, run))
            return
