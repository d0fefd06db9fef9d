"""Worked positions of Tractor, run through the rules that tables use.

One function a kind of position computes everything that its ``expected`` may name. Cards are
written suit then rank here (``S7``, ``HT``), as the head of the file says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from croupier_server.errors import IllegalMove
from croupier_server.games import positions
from croupier_server.games.cards import BLACK_JOKER, RED_JOKER, SUITS, Cards, pack, unpack
from croupier_server.games.positions import CardNames, Facts, Json, items, number, rank_of
from croupier_server.games.tractor import bidding, scoring
from croupier_server.games.tractor.cards import Trumps, points, trumps
from croupier_server.games.tractor.components import Lead, read_lead
from croupier_server.games.tractor.follow import FollowRules, check_follow
from croupier_server.games.tractor.options import (
    TractorOptions,
    level_text,
    parse_options,
)
from croupier_server.games.tractor.throws import judge_throw
from croupier_server.games.tractor.tricks import challenge, new_standing

_NAMES: Final = CardNames({"BJ": BLACK_JOKER, "RJ": RED_JOKER}, is_suit_first=True)
_EFFECTIVE: Final = (*SUITS, "T")
_WIDTH_NAMES: Final = ("", "single", "pair")

CONTEXT: Final = frozenset(
    (
        "bid",
        "decks",
        "kitty",
        "last_trick_lead",
        "last_trick_won_by",
        "levels",
        "players",
        "starter",
        "trump_rank",
        "trump_suit",
    )
)
"""Facts of any position, whether the answer depends on them or not."""


class Position:
    """One position with one value for every option.

    Attributes:
        vector: as it stands in the file.
        options: its options; ``players`` and ``decks`` of the position are among them. A position
            that names no packs has two, as the head of the file says; only for the sizes of a
            deal the standard number of its table holds.
    """

    __slots__ = ("options", "vector")

    def __init__(self, vector: Facts, texts: Mapping[str, str]) -> None:
        overrides = dict(texts)
        if vector["kind"] != "deal":
            overrides.setdefault("packs", "2")
        for key, name in (("players", "players"), ("decks", "packs")):
            if key in vector:
                overrides[name] = str(vector[key])
        self.vector = vector
        self.options: TractorOptions = parse_options("standard", overrides)

    def text(self, key: str) -> str:
        value = self.vector[key]
        if not isinstance(value, str):
            raise TypeError(f"{key} is no text")
        return value

    def number(self, key: str, default: int | None = None) -> int:
        return number(self.vector.get(key, default))

    def cards(self, key: str) -> Cards:
        return pack(_NAMES.cards(self.vector[key]))

    def all_cards(self, key: str) -> list[Cards]:
        return [pack(_NAMES.cards(item)) for item in items(self.vector[key])]

    @property
    def rank(self) -> int:
        return rank_of(self.vector["trump_rank"])

    @property
    def trumps(self) -> Trumps:
        suit = self.vector.get("trump_suit")
        options = self.options
        return trumps(
            None if suit is None else SUITS.index(self.text("trump_suit")),
            self.rank,
            options.rank_gap,
            options.trump_ladder,
            options.nt_rank_cards,
        )


def run(vector: Facts) -> Iterator[tuple[str, Json, Json]]:
    """See `positions.run`."""
    found = positions.run(vector, _expected(vector), KINDS, Position, sets=("mandatory_levels",))
    for texts, expected, answer in found:
        yield texts, _tidy(expected), _tidy(answer)


def _expected(vector: Facts) -> Facts:
    """What the position expects, by name."""
    if "groups" in vector:
        return {"groups": vector["groups"]}
    expected = vector["expected"]
    return expected if isinstance(expected, Mapping) else {"expected": expected}


def _tidy(facts: Facts) -> Json:
    """*facts* with every list whose order says nothing in one order."""
    return {key: _tidy_value(key, value) for key, value in facts.items()}


def _tidy_value(key: str, value: Json) -> Json:
    if value is None or isinstance(value, int):
        return value
    if key in ("played", "withdrawn"):
        return [_NAMES.text(card) for card in sorted(_NAMES.cards(value))]
    if key == "groups":
        return [
            [_NAMES.text(card) for card in sorted(_NAMES.cards(group))] for group in items(value)
        ]
    if key in ("runs", "widths"):
        return sorted((str(item) for item in items(value)), reverse=True)
    return value


# Cards and leads -----------------------------------------------------------------------------


def _rank_order(position: Position) -> Facts:
    """The whole order of every effective suit that the position speaks of."""
    order = position.trumps
    suits: list[int] = []
    for group in items(position.vector["groups"]):
        for card in _NAMES.cards(group):
            if order.suit_of[card] not in suits:
                suits.append(order.suit_of[card])
    return {
        "groups": [
            [_NAMES.text(card) for card in group] for suit in suits for group in order.order[suit]
        ]
    }


def _effective_suit(position: Position) -> Facts:
    card = _NAMES.card(position.vector["card"])
    return {"expected": _EFFECTIVE[position.trumps.suit_of[card]]}


def _classify(position: Position) -> Facts:
    try:
        lead = read_lead(position.cards("cards"), position.trumps)
    except IllegalMove as refusal:
        return {"type": "illegal", "reason": refusal.rule, "clause": refusal.clause}
    largest = lead.components[0]
    if lead.is_throw:
        multiples = [part for part in lead.components if part.width > 1]
        return {
            "type": "throw",
            "runs": [part.length for part in multiples],
            "widths": [part.width for part in multiples],
            "singles": len(lead.components) - len(multiples),
        }
    if largest.length > 1:
        return {
            "type": "tractor",
            "pairs": largest.length,
            "length": largest.length,
            "width": largest.width,
        }
    name = _WIDTH_NAMES[largest.width] if largest.width < len(_WIDTH_NAMES) else "tuple"
    return {"type": name, "width": largest.width}


# Play ----------------------------------------------------------------------------------------


def _follow(position: Position) -> Facts:
    options, order = position.options, position.trumps
    lead = read_lead(position.cards("led"), order)
    rules = FollowRules(options.tractor_follow, options.protect)
    try:
        check_follow(position.cards("hand"), lead, position.cards("followed"), order, rules)
    except IllegalMove as refusal:
        return {"legal": False, "reason": refusal.rule, "clause": refusal.clause}
    return {"legal": True}


def _trick(position: Position) -> Facts:
    order = position.trumps
    plays = [position.cards("led"), *position.all_cards("followed")]
    standing = new_standing(read_lead(plays[0], order), order, position.options.throw_compare)
    winner = 0
    for place, cards in enumerate(plays[1:], start=1):
        better = challenge(standing, cards)
        if better is not None:
            standing, winner = better, place
    return {"winner": winner, "points": points(sum(plays))}


def _throw(position: Position) -> Facts:
    order = position.trumps
    lead = read_lead(position.cards("cards"), order)
    judged = judge_throw(lead, position.all_cards("others"), order)
    is_valid = not judged.withdrawn
    penalty = 0
    if not is_valid:
        penalty = scoring.throw_penalty(
            position.options.throw_penalty,
            len(unpack(judged.withdrawn)),
            sum(part.count for part in judged.beatable),
        )
    return {
        "valid": is_valid,
        "played": [_NAMES.text(card) for card in unpack(judged.stays)],
        "withdrawn": [_NAMES.text(card) for card in unpack(judged.withdrawn)],
        "penalty": penalty,
    }


# Results -------------------------------------------------------------------------------------


def _verdict(position: Position, total: int) -> dict[str, Json]:
    options = position.options
    verdict = scoring.judge(max(0, total), options, position.number("bid", 0))
    return {
        "deal_won_by": "declarers" if verdict.declarers_held else "opponents",
        "levels": verdict.levels,
        "next_starter_offset": scoring.next_starter(0, verdict.declarers_held, options.players),
    }


def _score(position: Position) -> Facts:
    return _verdict(position, position.number("points"))


def _kitty(position: Position) -> dict[str, Json]:
    multiplier = 0
    if position.text("last_trick_won_by") == "opponents":
        lead: Lead = read_lead(position.cards("last_trick_lead"), position.trumps)
        multiplier = scoring.kitty_multiplier(
            position.options.kitty_multiplier, lead.count, lead.components[0].count
        )
    return {
        "multiplier": multiplier,
        "bonus_points": multiplier * points(position.cards("kitty")),
    }


def _result(position: Position) -> Facts:
    kitty = _kitty(position)
    bonus = kitty["bonus_points"]
    assert isinstance(bonus, int)
    total = scoring.final_points(position.number("trick_points"), bonus)
    return {**kitty, "total": total, **_verdict(position, total)}


def _advance(position: Position) -> Facts:
    promotion = scoring.promote(
        rank_of(position.vector["level"]),
        position.number("levels_won"),
        position.text("role") == "declarers",
        position.options,
    )
    return {"level": level_text(promotion.level), "game_over": promotion.wins_match}


def _next_deal(position: Position) -> Facts:
    options = position.options
    starter = position.number("starter")
    declarers = starter % 2
    levels = [rank_of(level) for level in items(position.vector["levels"])]
    total = scoring.final_points(position.number("points"), 0)
    verdict = scoring.judge(total, options, position.number("bid", 0))
    winners = declarers if verdict.declarers_held else 1 - declarers
    promotion = scoring.promote(levels[winners], verdict.levels, verdict.declarers_held, options)
    levels[winners] = promotion.level
    following = scoring.next_starter(starter, verdict.declarers_held, options.players)
    return {
        "levels": [level_text(level) for level in levels],
        "starter": following,
        "trump_rank": level_text(levels[following % 2]),
        "game_over": promotion.wins_match,
    }


# Making trumps -------------------------------------------------------------------------------


def _declare(position: Position) -> Facts:
    """Declarations tried one after the other, as if each had a window of its own."""
    hands = position.all_cards("hands")
    standing: bidding.Declaration | None = None
    first: bidding.Declaration | None = None
    accepted: list[bool] = []
    for item in items(position.vector["sequence"]):
        assert isinstance(item, Mapping)
        seat = item["seat"]
        assert isinstance(seat, int)
        cards = pack(_NAMES.cards(item["cards"]))
        try:
            standing = bidding.check_declaration(
                hands[seat], seat, cards, standing, position.rank, position.options
            )
        except IllegalMove:
            accepted.append(False)
            continue
        first = first or standing
        accepted.append(True)
    if standing is None or first is None:
        return {"accepted": accepted, "trump_suit": None, "declarer": None, "starter": None}
    is_first = position.options.first_starter == "first_declarer"
    return {
        "accepted": accepted,
        "trump_suit": None if standing.suit is None else SUITS[standing.suit],
        "declarer": standing.seat,
        "starter": first.seat if is_first else standing.seat,
    }


def _no_declaration(position: Position) -> Facts:
    policy = position.options.no_declaration
    turned = bidding.turn_kitty(_NAMES.cards(position.vector["kitty"]), position.rank, policy)
    return {
        "trump_suit": None if turned.suit is None else SUITS[turned.suit],
        "exposed": len(turned.cards),
        "redeal": bidding.redeals(
            policy, position.number("deal", 1), position.number("redeals", 0)
        ),
    }


def _deal(position: Position) -> Facts:
    options = position.options
    return {
        "hand": options.hand,
        "kitty": options.kitty,
        "cards": options.cards,
        "points": options.points,
    }


KINDS: Final[Mapping[str, Callable[[Position], Facts]]] = {
    "rank_order": _rank_order,
    "effective_suit": _effective_suit,
    "classify": _classify,
    "follow": _follow,
    "trick": _trick,
    "throw": _throw,
    "score": _score,
    "kitty": _kitty,
    "result": _result,
    "advance": _advance,
    "next_deal": _next_deal,
    "declare": _declare,
    "no_declaration": _no_declaration,
    "deal": _deal,
}
"""What computes the answer to each kind of position."""
