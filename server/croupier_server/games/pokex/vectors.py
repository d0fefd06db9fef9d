"""Worked positions of Pokex, run through the rules that tables use.

One function a kind of position computes everything that its ``expect`` may name. Cards are written
rank then suit here (``7S``), jokers ``X1`` and ``X2``, as the head of the file says. Auctions,
leads and centre cards are played out at a table of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from croupier_server.errors import CroupierError, IllegalMove
from croupier_server.games import positions
from croupier_server.games.base import NO_SEAT, Legal, Seat
from croupier_server.games.cards import BLACK_JOKER, CARD_MAX, RED_JOKER, Card, pack, unpack
from croupier_server.games.pokex import moves, scoring, tricks
from croupier_server.games.pokex.options import PokexOptions, parse_options
from croupier_server.games.pokex.pokerhands import HandRules, PokexCategory, Ranked, hand_rules
from croupier_server.games.pokex.rules import Pokex
from croupier_server.games.pokex.state import TRICKS, Phase, State
from croupier_server.games.positions import (
    CardNames,
    Facts,
    Json,
    facts,
    items,
    number,
    rank_of,
)

_GAME: Final = Pokex()
_JOKERS: Final = {"X1": BLACK_JOKER, "X2": RED_JOKER}
_NAMES: Final = CardNames(_JOKERS)
_SIDES: Final = {"a": 0, "b": 1}
_TIE: Final = "tie"
_OTHER_WORDS: Final = {
    "two pairs": "two pair",
    "one pair": "pair",
    "royal flush": "straight flush",
    "nobody": _TIE,
    "level": _TIE,
}
"""Other words for the same, as they may stand in a file."""
_WORDS: Final = {category.name.replace("_", " ").lower() for category in PokexCategory} | {_TIE}

CONTEXT: Final = frozenset(
    (
        "carried",
        "carry",
        "center",
        "deal",
        "dealer",
        "deals",
        "declarer",
        "declarer_side",
        "declarers",
        "first_leader",
        "leader",
        "nobody",
        "opponents",
        "opponents_taken",
        "tied",
        "trick",
        "void",
        "wild_rank",
    )
)
"""Facts of any position, whether the answer depends on them or not."""


class Position:
    """One position with one value for every option.

    Attributes:
        given: what it starts from, by name.
        options: its options.
    """

    __slots__ = ("given", "options")

    def __init__(self, vector: Facts, texts: Mapping[str, str]) -> None:
        self.given = facts(vector.get("given") or {})
        self.options: PokexOptions = parse_options("standard", texts)

    def first(self, *keys: str) -> Json:
        """What is told under the first of *keys* that is told at all, or None."""
        return next((self.given[key] for key in keys if key in self.given), None)

    def number(self, key: str, *others: str, default: int | None = None) -> int:
        value = self.first(key, *others)
        return number(default if value is None else value)

    def same(self, *keys: str) -> int:
        """The number that is told under any of *keys*, which mean the same, or 0.

        Raises:
            ValueError: two of them tell different numbers.
        """
        found = {number(self.given[key]) for key in keys if key in self.given}
        if len(found) > 1:
            raise ValueError(f"{', '.join(keys)} mean the same and have different numbers")
        return found.pop() if found else 0

    def cards(self, key: str) -> list[Card]:
        return _NAMES.cards(self.given.get(key, ()))

    def pair(self, key: str) -> tuple[int, int]:
        first, second = (number(item) for item in items(self.given[key]))
        return first, second

    def side(self, *keys: str) -> int | None:
        """A side told as a letter, a number, a member or its members; None if it is not told."""
        value = self.first(*keys)
        if value is None:
            return None
        if isinstance(value, str):
            return _SIDES[value]
        return number(items(value)[0] if isinstance(value, (list, tuple)) else value) % 2

    def hand_rules(self) -> HandRules:
        """How hands are read when the rank ``wild_rank`` has been named, if any."""
        options = self.options
        told_rank = self.given.get("wild_rank")
        named = told_rank if options.wild_rank == "named" else None
        return hand_rules(
            0 if named is None else rank_of(named),
            options.joker,
            options.flush_duplicates,
            options.wild_as_self_free,
            options.tie_break_fewer_wilds,
        )


def run(vector: Facts) -> Iterator[tuple[str, Json, Json]]:
    """See `positions.run`."""
    found = positions.run(vector, facts(vector["expect"]), KINDS, Position)
    for texts, expected, answer in found:
        is_unbid = answer.get("bid") == 0 and expected["bid"] is None
        wanted = {key: _usual(value) for key, value in expected.items()}
        yield texts, wanted, {**answer, "bid": None} if is_unbid else answer


def _usual(value: Json) -> Json:
    """*value* in the words used here, where it is a category or a tie."""
    if not isinstance(value, str):
        return value
    words = value.replace("_", " ").lower()
    words = _OTHER_WORDS.get(words, words)
    return words if words in _WORDS else value


# Hands ---------------------------------------------------------------------------------------


def _best(position: Position, key: str) -> Ranked:
    """The hand of the five cards at *key*, or of four and the centre card of the position."""
    cards = position.cards(key)
    if "center" in position.given:
        cards.append(_NAMES.card(position.given["center"]))
    if len(cards) != 5:
        raise ValueError(f"{key} are not five cards")
    return position.hand_rules().best(pack(cards))


def _told_hand(ranked: Ranked) -> dict[str, Json]:
    hand = ranked.hand
    return {
        "category": PokexCategory(hand.category).name.lower().replace("_", " "),
        "ranks": list(hand.ranks),
        "wilds_used": hand.wilds_used,
    }


def _hand(position: Position) -> Facts:
    return _told_hand(_best(position, "cards"))


def _compare(position: Position) -> Facts:
    """Which hand is better; and by ``tied_trick`` who takes a trick that ``leader`` led, with
    ``carried`` tied tricks before it."""
    first, second = _best(position, "a"), _best(position, "b")
    ignored = position.hand_rules().ignored_bits
    difference = (first.strength >> ignored) - (second.strength >> ignored)
    better = None if not difference else int(difference < 0)
    leader = position.side("leader")
    rule = position.options.tied_trick
    award = tricks.award(better, leader or 0, position.number("carried", "carry", default=0), rule)
    names = ("a", "b")
    wins = _TIE if better is None else names[better]
    takes = _TIE if award.winner is None else names[award.winner]
    return {
        "wins": wins if leader is None else takes,
        "better": wins,
        "tied": better is None,
        "takes": takes,
        "taken_by": takes,
        "trick": takes,
        "counts": award.counted,
        "counted": award.counted,
        "carried": award.carried,
        "carry": award.carried,
        "a": _told_hand(first),
        "b": _told_hand(second),
    }


# Scores --------------------------------------------------------------------------------------


def _score(position: Position) -> Facts:
    """A deal with declarers. All tricks that they did not take are the opponents', less those
    that count for nobody: ``tied`` or ``void``, or ``carry`` at the end of the deal."""
    taken = position.number("taken")
    lost = position.same("tied", "void", "nobody") + position.same("carry", "carried")
    others = position.number("opponents_taken", default=TRICKS - taken - lost)
    side = position.side("declarer_side", "declarers") or 0
    by_side = (others, taken) if side else (taken, others)
    bid = position.number("bid")
    scores = scoring.deal_points(side, bid, by_side, position.options)
    return {
        "declarers": scores[side],
        "opponents": scores[1 - side],
        "scores": list(scores),
        "made": taken >= bid,
    }


def _score_all_pass(position: Position) -> Facts:
    scores = scoring.deal_points(None, 0, position.pair("taken"), position.options)
    return {"scores": list(scores)}


def _game_end(position: Position) -> Facts:
    """``deals`` have been played, the last of them with declarers or, where no side is told,
    without."""
    deals = position.number("deals", "deals_played", "deal", default=1)
    side = position.side("declarer_side", "declarers", "declarer")
    verdict = scoring.judge(position.pair("scores"), side, deals, position.options)
    return {
        "over": verdict.is_over,
        "winner": verdict.winner,
        "draw": verdict.is_over and verdict.winner is None,
        "another_deal": not verdict.is_over,
    }


# At a table ----------------------------------------------------------------------------------


def _dealt(position: Position, dealer: Seat, center: list[Card] | None = None) -> State:
    """A table at the first call, with a deck in card order, or the ``deck`` of the position, and
    the *center* if there is one."""
    deck = position.cards("deck") or list(range(1, CARD_MAX + 1))
    if center:
        deck = [card for card in deck if card not in center] + center
    state = _GAME.new(position.options)
    _GAME.apply_chance(state, [dealer])
    state.public.passed_out = position.number("passed_out", "redeals", default=0)
    _GAME.apply_chance(state, deck)
    return state


def _call(written: Json) -> int:
    """The move of a call: a number, ``pass``, or either with its name."""
    if isinstance(written, Mapping):
        written = written.get("call", written.get("bid", "pass"))
    return moves.PASS if written == "pass" else moves.bid(number(written))


def _word(refusal: CroupierError) -> str:
    """The rule that a move broke, or the reason why it was refused otherwise."""
    return str(refusal.rule if isinstance(refusal, IllegalMove) else refusal.reason)


def _refused(state: State, calls: Json) -> tuple[int, str] | None:
    """Make *calls* in turn; the index and reason of the first one that is refused, or None."""
    for index, written in enumerate(items(calls)):
        seat = state.public.to_act
        if isinstance(written, Mapping):
            seat = number(written.get("seat", seat))
        try:
            _GAME.apply(state, seat, _call(written))
        except CroupierError as refusal:
            return index, _word(refusal)
    return None


def _told_calls(legal: Legal) -> list[Json]:
    return ["pass" if move == moves.PASS else moves.number_of(move) for move in legal.moves]


def _auction(position: Position) -> Facts:
    state = _dealt(position, position.number("dealer"))
    public = state.public
    refused = _refused(state, position.given["calls"])
    is_over = public.phase is not Phase.BIDDING
    is_passed = is_over and public.declarer == NO_SEAT
    is_redealt = is_passed and public.phase is not Phase.PLAY
    result = "redeal" if is_redealt else "play"
    side = None if public.declarer == NO_SEAT else public.declarer % 2
    leader = public.declarer if public.phase is Phase.NAME_RANK else public.leader
    return {
        "illegal_at": None if refused is None else refused[0],
        "reason": None if refused is None else refused[1],
        "over": is_over,
        "declarer": None if side is None or not is_over else public.declarer,
        "declarer_side": side,
        "declarers": None if side is None else [side, side + 2],
        "opponents": None if side is None else [1 - side, 3 - side],
        "bid": public.bid,
        "to_act": None if is_over else public.to_act,
        "legal": None if is_over else _told_calls(_GAME.legal_moves(state, public.to_act)),
        "all_pass": "" if not is_passed else result,
        "played": is_over and not is_redealt,
        "redeal": is_redealt,
        "result": result if is_over else None,
        "leader": None if leader == NO_SEAT else leader,
        "first_leader": None if leader == NO_SEAT else leader,
        "next_dealer": (public.dealer + 1) % 4,
        "passed_out": public.passed_out,
        "names_rank": public.phase is Phase.NAME_RANK,
    }


def _deal(position: Position) -> Facts:
    dealer = position.number("dealer")
    state = _dealt(position, dealer)
    public = state.public
    order = range(dealer + 1, dealer + 5)
    return {
        "hand_sizes": [hand.bit_count() for hand in state.hands],
        "hands": [[_NAMES.text(card) for card in unpack(hand)] for hand in state.hands],
        "center": [_NAMES.text(card) for card in public.center],
        "first_bidder": public.to_act,
        "bidding_order": [seat % 4 for seat in order],
        "tricks": len(public.center),
        "cards": CARD_MAX,
        "jokers": len(_JOKERS),
        "next_dealer": (dealer + 1) % 4,
    }


def _play_out(state: State, first_leader: Seat, picks: list[Card]) -> None:
    """Play all tricks from *first_leader* on. Leaders who name centre cards name *picks*, and
    then the leftmost ones.

    Raises:
        IllegalMove: a pick is not left.
    """
    public = state.public
    while public.phase is Phase.BIDDING:
        is_bidder = public.to_act == first_leader
        _GAME.apply(state, public.to_act, moves.bid(6) if is_bidder else moves.PASS)
    while public.phase is not Phase.DEAL and public.phase is not Phase.OVER:
        seat = public.to_act
        move = _GAME.fallback(state, seat)
        trick = len(public.tricks)
        if moves.center_of(move) and trick < len(picks):
            move = moves.play(moves.cards_of(move), picks[trick])
        _GAME.apply(state, seat, move)


def _leads(position: Position) -> Facts:
    """The leaders of all tricks and everybody's turn in them; the declarer leads first, and where
    all pass the dealer's left."""
    first = position.given.get("first_leader", position.given.get("declarer"))
    if first is None:
        first = (position.number("dealer") + 1) % 4
    state = _dealt(position, (number(first) + 3) % 4)
    _play_out(state, number(first), [])
    orders: list[Json] = [[played.seat for played in trick.plays] for trick in state.public.tricks]
    return {
        "leaders": [items(order)[0] for order in orders],
        "order": orders[0],
        "play_order": orders[0],
        "orders": orders,
    }


def _center(position: Position) -> Facts:
    """The centre card of trick number ``trick``, from 1. A list of other cards are those that the
    leaders named before, trick by trick, and a single one is what is named in this trick."""
    center = position.cards("center_left_to_right")
    others = {"center_left_to_right", "trick"}
    told_cards = [value for key, value in position.given.items() if key not in others]
    picks = [
        card for value in told_cards if not isinstance(value, str) for card in _NAMES.cards(value)
    ]
    trick = position.number("trick", default=len(picks) + 1)
    for value in told_cards:
        if isinstance(value, str):
            named = [*picks, _NAMES.card(value)]
            rest = [card for card in center if card not in named]
            picks = [*(picks + rest)[: trick - 1], _NAMES.card(value)]
    state = _dealt(position, 0, center)
    try:
        _play_out(state, 1, picks)
    except CroupierError as refusal:
        return {"card": None, "legal": False, "reason": _word(refusal), "left": None}
    used = [played.center for played in state.public.tricks]
    return {
        "card": _NAMES.text(used[trick - 1]),
        "cards": [_NAMES.text(card) for card in used],
        "legal": [_NAMES.text(card) for card in center if card not in used[: trick - 1]],
        "left": [_NAMES.text(card) for card in center if card not in used[:trick]],
        "reason": None,
    }


KINDS: Final[Mapping[str, Callable[[Position], Facts]]] = {
    "hand": _hand,
    "compare": _compare,
    "score": _score,
    "score_all_pass": _score_all_pass,
    "auction": _auction,
    "deal": _deal,
    "leads": _leads,
    "center": _center,
    "game_end": _game_end,
}
"""What computes the answer to each kind of position."""
