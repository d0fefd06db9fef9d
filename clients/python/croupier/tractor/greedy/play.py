"""How `greedy` plays tricks: one number for every candidate, the highest is played.

The number is the chance that the own side wins the trick, times what is in it, less what the cards
would be worth later. Leading winners, feeding a winning partner, ducking, and keeping trumps for
tricks with points all follow from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from croupier.arms import move_of
from croupier.bot import Decision
from croupier.moves import Move
from croupier.tractor import MoveKind, Order, TractorView
from croupier.tractor.greedy.knowledge import (
    POINTS,
    TRUMPS,
    Knowledge,
    Standing,
    beats,
    one_suit,
    signature,
    standing_of,
)
from croupier.v1 import game_pb2

__all__ = ["follow", "lead"]

_Candidate: TypeAlias = Move | game_pb2.LegalMove
"""A move, or a listed one that is not worth wrapping unless it is chosen."""

_LEAD_VALUE: Final = 2.0
"""What it is worth to lead to the next trick, in points."""
_LAST_TRICK_VALUE: Final = 25.0
"""What the last trick is worth beyond its cards: the kitty and its multiplier."""
_FEED: Final = 2.5
"""Points that a card of the partner brings on average to a trick that is won."""
_BREAK: Final = 3.0
"""What it costs to tear a pair apart."""
_TRUMP: Final = 3.0
_HIGH_TRUMP: Final = 9.0
"""What a trump is worth later, and how much more it is the fewer cards beat it."""
_PLAIN: Final = 0.5
_HIGH_PLAIN: Final = 4.0
"""The same for a card of a side suit."""
_HOPE: Final = 0.7
"""How far a partner still to play can be relied on to win what it could win."""
_DRAW: Final = 0.6
"""The part of their price that trumps cost when they draw those of the opponents."""
_SURE: Final = 0.5
"""The part of its price that a lead costs when it surely wins: the cards have done their work."""
_HELP: Final = 0.4
"""How often a partner overtakes a lead of ours that would not win."""


class _Prices:
    """What each card would be worth later, in points."""

    def __init__(self, known: Knowledge) -> None:
        self._known = known
        self._price: dict[int, float] = {}

    def of(self, cards: Sequence[int]) -> float:
        """What it costs to part with *cards*."""
        total, own = 0.0, self._known.own
        for card in cards:
            price = self._price.get(card)
            if price is None:
                price = self._price[card] = self._one(card)
            total += price
        for card in set(cards) if len(cards) > 1 else cards:
            if own[card] > cards.count(card):
                total += _BREAK
        return total

    def _one(self, card: int) -> float:
        known = self._known
        suit, strength = known.order.suit_of[card], known.order.strength_of[card]
        higher = known.higher(suit, strength)
        if suit == TRUMPS:
            return _TRUMP + _HIGH_TRUMP / (1.0 + 0.5 * higher)
        return _PLAIN + _HIGH_PLAIN / (1.0 + higher)


def lead(view: TractorView, decision: Decision, order: Order) -> Move:
    """Choose a lead."""
    known = Knowledge(view, order)
    prices = _Prices(known)
    seats = _after(view.seat, view.players)
    rivals = [seat for seat in seats if seat % 2 != known.team]
    partners = [seat for seat in seats if seat % 2 == known.team]
    own_trumps = sum(known.own[card] for card in order.cards(TRUMPS))
    draws = view.is_declarer and own_trumps > known.shares[rivals[0]] * known.out_of_suit[TRUMPS]
    left = len(view.message.hand)
    best: _Candidate = decision.legal[0]
    best_score = float("-inf")
    for move, cards in _leads(decision, known):
        standing = standing_of(cards, order)
        won = known.stands(standing, standing.suit, rivals)
        helped = 0.0
        if partners and won < 1.0:
            helped = 1.0 - known.stands(standing, standing.suit, partners)
            won += (1.0 - won) * _HELP * helped
        points = sum(POINTS[card] for card in cards)
        score = (won - 0.5) * points + won * (_LEAD_VALUE + _FEED * len(cards))
        if len(cards) == left:
            score += won * _LAST_TRICK_VALUE
        price = prices.of(cards)
        if standing.suit == TRUMPS and draws:
            price *= _DRAW
        score -= price * (_SURE if won > 0.9 else 1.0)
        if score > best_score:
            best, best_score = move, score
    return _chosen(best)


def _chosen(best: _Candidate) -> Move:
    return best if isinstance(best, Move) else move_of(best)


def _leads(decision: Decision, known: Knowledge) -> Iterator[tuple[_Candidate, Sequence[int]]]:
    """Listed leads, and for each suit the throw of all cards in it that nobody can beat."""
    legal = decision.legal
    for listed in legal.message.moves:
        yield listed, list(listed.move.tractor.play.cards)
    for pattern in legal.patterns:
        if pattern.kind is not MoveKind.LEAD_THROW:
            continue
        sure = [card for card in pattern.message.cards.pool if _is_sure(known, card)]
        if len(sure) >= max(pattern.min, 2) and len(set(sure)) > 1:
            yield pattern.move(sure), sure


def _is_sure(known: Knowledge, card: int) -> bool:
    """Whether nothing out beats *card*, alone or in as many copies as we have."""
    order = known.order
    return known.higher(order.suit_of[card], order.strength_of[card]) == 0


def follow(view: TractorView, decision: Decision, order: Order) -> Move:
    """Choose an answer to a lead."""
    only = decision.legal.only
    if only is not None:
        return only
    known = Knowledge(view, order)
    prices = _Prices(known)
    plays = [(play.seat, list(play.cards)) for play in view.public.trick.plays]
    opener = plays[0][1]
    led = order.suit_of[opener[0]]
    owner, standing = _best_of(plays, order)
    played = {seat for seat, _ in plays}
    rest = [seat for seat in _after(view.seat, view.players) if seat not in played]
    rivals = [seat for seat in rest if seat % 2 != known.team]
    partners = [seat for seat in rest if seat % 2 == known.team]
    ours = owner % 2 == known.team
    kept = known.stands(standing, led, rivals if ours else partners)
    on_table = view.public.trick.points + _FEED * 0.5 * len(rest) * len(opener)
    is_last = len(view.message.hand) == len(opener)
    stake = on_table + (_LAST_TRICK_VALUE if is_last else _LEAD_VALUE)
    best: _Candidate = decision.legal[0]
    best_score = float("-inf")
    for move, cards in _answers(decision, known, prices, opener):
        if beats(cards, standing, opener, order):
            mine = Standing(one_suit(cards, order), _top(cards, order), standing.width, len(cards))
            won = known.stands(mine, led, rivals)
        else:
            won = kept if ours else _HOPE * (1.0 - kept)
        points = sum(POINTS[card] for card in cards)
        score = (won - 0.5) * points + won * stake - prices.of(cards)
        if score > best_score:
            best, best_score = move, score
    return _chosen(best)


def _best_of(plays: Sequence[tuple[int, Sequence[int]]], order: Order) -> tuple[int, Standing]:
    """Who leads the trick so far, and with what."""
    owner, opener = plays[0]
    standing = standing_of(opener, order)
    for seat, cards in plays[1:]:
        if beats(cards, standing, opener, order):
            top = _top(cards, order)
            owner = seat
            standing = Standing(order.suit_of[cards[0]], top, standing.width, len(cards))
    return owner, standing


def _top(cards: Sequence[int], order: Order) -> int:
    return max(order.strength_of[card] for card in cards)


def _after(seat: int, players: int) -> list[int]:
    """The other seats in turn order."""
    return [(seat + step) % players for step in range(1, players)]


def _answers(
    decision: Decision, known: Knowledge, prices: _Prices, opener: Sequence[int]
) -> Iterator[tuple[_Candidate, Sequence[int]]]:
    """Listed answers, and of each pattern the cheapest, the richest, and those that could win."""
    for listed in decision.legal.message.moves:
        yield listed, list(listed.move.tractor.play.cards)
    for pattern in decision.legal.patterns:
        fixed: list[int] = list(pattern.message.template.tractor.play.cards)
        pool: list[int] = sorted(pattern.message.cards.pool, key=lambda card: prices.of([card]))
        need = pattern.min
        choices: list[list[int]] = [
            pool[:need],
            sorted(pool, key=lambda card: POINTS[card] - 0.1 * prices.of([card]))[-need:],
            pool[len(pool) - need :],
            *_shapes(pool, need, opener, known),
        ]
        seen: set[tuple[int, ...]] = set()
        for chosen in choices:
            cards = fixed + chosen
            key = tuple(sorted(cards))
            if len(chosen) == need and key not in seen:
                seen.add(key)
                yield pattern.move(chosen), cards


def _shapes(
    pool: Sequence[int], need: int, opener: Sequence[int], known: Knowledge
) -> Iterator[list[int]]:
    """Trumps of the pool in the shape of the lead, low ones first: what ruffs it."""
    if need != len(opener):
        return
    order = known.order
    trumps = [card for card in pool if order.suit_of[card] == TRUMPS]
    shape = signature(opener)
    width = shape[0]
    if shape[-1] != width:
        return
    faces = [card for card in dict.fromkeys(trumps) if trumps.count(card) >= width]
    faces.sort(key=lambda card: order.strength_of[card])
    length = len(shape)
    for start in range(len(faces) - length + 1):
        chosen = faces[start : start + length]
        yield [card for card in chosen for _ in range(width)]
