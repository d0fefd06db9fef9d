"""Worked positions of Tong-its, run through the rules that tables use.

One function a kind of position computes everything that its ``expect`` may name. Cards are written
rank then suit (``7S``). What a position leaves out is neutral: nobody is burned for want of a
``melds``, and no turn is the first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from croupier_server.errors import CroupierError
from croupier_server.games import positions
from croupier_server.games.base import NO_SEAT, Seat
from croupier_server.games.cards import (
    Cards,
    card_text,
    pack,
    single,
    unpack,
)
from croupier_server.games.positions import CardNames, Facts, Json, facts, items, number
from croupier_server.games.tongits import legal, moves, scoring, turn_phase
from croupier_server.games.tongits.events import Ending, Meld
from croupier_server.games.tongits.melds import (
    ACES,
    PACK,
    SET,
    MeldTable,
    fours_in,
    meld_table,
    sets_in,
)
from croupier_server.games.tongits.options import TongitsOptions, parse_options
from croupier_server.games.tongits.rules import Tongits
from croupier_server.games.tongits.state import PLAYERS, Phase, PublicState, State

_GAME: Final = Tongits()
_NAMES: Final = CardNames({})
_SETS: Final = ("secret_open", "special_pays")
# Names under which positions tell how many secret fours, and how many exposed fours, there are.
_FOURS: Final = ("face_down", "secret_fours", "face_down_fours", "face_down_melds")
# Sets that lie face down: secret fours, or where there are none, melds that were turned down.
_FACE_DOWN_SETS: Final = "face_down_sets"
_OPEN_FOURS: Final = ("any_fours", "fours_on_table", "quads_on_table", "quads_exposed")
_OTHERS: Final = (1, 2)
"""The other players where the one that a position is about is seat 0."""

_ENDINGS: Final = {
    "tongits": Ending.TONGITS,
    "draw": Ending.DRAW_CALL,
    "draw_call": Ending.DRAW_CALL,
    "stock": Ending.STOCK,
}

CONTEXT: Final = frozenset(
    (
        "by",
        "caller",
        "challengers",
        "dealer",
        "end",
        "first_turn",
        "last_drawer",
        "players",
        "quads_in_hand",
        "sets",
        "sets_in_hand",
        "sets_on_table",
        "turns",
        "winner",
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
        changed = dict(texts)
        ruleset = changed.pop("ruleset", str(vector.get("ruleset", "standard")))
        self.given = facts(vector.get("given") or {})
        self.options: TongitsOptions = parse_options(ruleset, changed)

    @property
    def table(self) -> MeldTable:
        """The melds that there are."""
        return meld_table(self.options.runs, self.options.ace_high_runs)

    def number(self, *keys: str) -> int:
        """The number under the first of *keys* that the position has, or 0."""
        return _number(self.given, *keys)

    def cards(self, key: str) -> Cards:
        return _cards(self.given[key])

    def is_true(self, *keys: str) -> bool:
        """Whether any of *keys* is given and true."""
        told_values = [self.given.get(key) for key in keys]  # each of them is read
        return any(told_values)

    def face_down(self, given: Facts) -> tuple[int, int]:
        """Numbers of secret fours and of melds turned down that *given* tells."""
        sets, fours = _number(given, _FACE_DOWN_SETS), _number(given, *_FOURS)
        has_fours = self.options.secret_fours
        return (fours + sets, 0) if has_fours else (fours, sets)


def run(vector: Facts) -> Iterator[tuple[str, Json, Json]]:
    """See `positions.run`."""
    options = _flat(vector.get("options") or {})
    return positions.run(
        vector, facts(vector["expect"]), KINDS, Position, options=options, sets=_SETS
    )


def _flat(options: Json) -> Facts:
    """*options* with the figures under ``pay`` by their own names."""
    flat = dict(facts(options))
    for name, value in facts(flat.pop("pay", {})).items():
        flat[f"pay_{name}"] = value
    return flat


def _cards(value: Json) -> Cards:
    return pack(_NAMES.cards(value))


def _number(given: Facts, *keys: str) -> int:
    """The number under the first of *keys* that is there, or 0; of a list how long it is."""
    for key in keys:
        value = given.get(key)
        if isinstance(value, (list, tuple)):
            return len(value)
        if value is not None:
            return int(value) if isinstance(value, bool) else number(value)
    return 0


# Melds ------------------------------------------------------------------------------------------


def _state(position: Position, hand: Cards = 0) -> State:
    """A table at which seat 0 begins a turn with *hand* after each seat had one, and with the
    melds of the position; nothing else is there but cards enough to go on."""
    state = State(PublicState(position.options))
    public = state.public
    public.phase = Phase.START_TURN
    public.dealer = public.to_act = 0
    public.turns = [1] * PLAYERS
    for key, seat in (("own_melds", 0), ("other_melds", 1), ("melds", 1)):
        lying = position.given.get(key)
        for cards in lying if isinstance(lying, (list, tuple)) else ():
            melded = _cards(cards)
            if melded not in state.table.kinds:
                raise ValueError(f"{cards!r} is no meld")
            public.melds.append(Meld(len(public.melds), seat, melded, 0, False, ()))
            public.opened |= 1 << seat
    taken = hand | sum(meld.cards for meld in public.melds)
    state.hands = [hand, 0, 0]
    state.stock = bytes(card for card in PACK if not single(card) & taken)
    public.hand_sizes = [hand.bit_count(), 0, 0]
    public.stock_size = len(state.stock)
    return state


def _meld(position: Position) -> Facts:
    kind = position.table.kinds.get(position.cards("cards"))
    return {
        "valid": kind is not None,
        "type": None if kind is None else "set" if kind == SET else "run",
    }


def _layoff(position: Position) -> Facts:
    """Cards laid off on a meld; ``face_down`` says that it is a secret four (G-4)."""
    options, given = position.options, position.given
    table = position.table
    cards, meld = position.cards("cards"), position.cards("meld")
    hand = position.cards("hand") if "hand" in given else cards
    is_secret = position.is_true("face_down", "secret_four", "secret")
    is_valid = (
        options.layoff
        and not is_secret
        and cards & hand == cards
        and meld in table.kinds
        and table.extends(meld, cards)
    )
    return {"valid": is_valid, "legal": is_valid}


def _take_discard(position: Position) -> Facts:
    """Whether the top discard can be taken, or taken with just the cards of ``using``."""
    state = _state(position, position.cards("hand"))
    top = position.given.get("top")
    if top is not None:
        state.public.discards = bytes((_NAMES.card(top),))
        state.public.discarders = bytes((_OTHERS[-1],))
    if "using" in position.given:
        wanted = [moves.take_for_meld(position.cards("using"))]
    else:
        wanted = [
            move
            for move in legal.start_moves(state, 0).moves
            if moves.move_type(move) == moves.TAKE_DISCARD
        ]
    found = [move for move in wanted if _is_legal(state, move)]
    return {
        "legal": bool(found),
        "ways": len(found),
        "new_meld": any(moves.cards_of(move) for move in found),
        "layoff": any(moves.meld_of(move) >= 0 for move in found),
        "must_discard": position.options.discard_after_take,
    }


def _is_legal(state: State, move: int) -> bool:
    try:
        _GAME.check(state, 0, move)
    except CroupierError:
        return False
    return True


def _deadwood(position: Position) -> Facts:
    deadwood = position.table.deadwood(position.cards("hand"))
    return {"count": deadwood, "deadwood": deadwood}


def _can_go_out(position: Position) -> Facts:
    """Whether every card can leave the hand in the turn under way, which began with the discard
    if ``took_discard`` says so; or in one that begins with the discard ``top``."""
    state = _state(position, position.cards("hand"))
    public = state.public
    if position.given.get("top") is not None:
        public.discards = bytes((_NAMES.card(position.given["top"]),))
        public.discarders = bytes((_OTHERS[-1],))
    else:
        public.phase = Phase.PLAY
        public.took_discard = position.is_true("took_discard", "began_with_discard")
    return {"tongits": _goes_out(state, set())}


def _goes_out(state: State, known: set[object]) -> bool:
    """Whether some moves of seat 0 lead to Tong-its in this turn; *known* do not."""
    public = state.public
    if public.last_result is not None:
        return public.last_result.ending is Ending.TONGITS
    mark = (state.hands[0], tuple(meld.cards for meld in public.melds), public.phase)
    if public.to_act != 0 or public.turns[0] > 1 or mark in known:
        return False
    known.add(mark)
    for move in _GAME.members(_GAME.legal_moves(state, 0)):
        if moves.move_type(move) in (moves.DRAW_STOCK, moves.CALL_DRAW, moves.END_TURN):
            continue
        if moves.move_type(move) == moves.DISCARD and public.hand_sizes[0] > 1:
            continue
        after = state.copy()
        _GAME.apply_unchecked(after, 0, move)
        if _goes_out(after, known):
            return True
    return False


# Draw call and winner ---------------------------------------------------------------------------


def _can_call_draw(position: Position) -> Facts:
    state = _state(position)
    public = state.public
    fours, turned_down = position.face_down(position.given)
    turned_down += position.number("turned_down_melds")
    if position.number("face_up_melds", "melds") + turned_down:
        public.opened |= 1
    public.secret_fours[0] = fours
    if "turns" in position.given:
        public.turns[0] = position.number("turns")
    elif position.is_true("first_turn", "is_first_turn"):
        public.turns[0] = 0
    is_fresh = position.is_true("laid_off_by_others_since_last_turn")
    if is_fresh or position.is_true("laid_off_by_others_ever"):
        turn_phase.bar_by_lay_off(public, _OTHERS[0], 0)
    if not is_fresh:
        turn_phase.begin_turn(public, 0)
    if position.is_true("self_layoff_last_turn", "laid_off_self_last_turn"):
        turn_phase.bar_by_lay_off(public, 0, 0)
    if position.is_true(
        "last_discard_was_melded", "last_discard_was_laid_off", "last_discard_was_taken"
    ):
        turn_phase.bar_by_taking(public, 0)
    if position.is_true("drawn_this_turn"):
        public.phase = Phase.PLAY
    return {"legal": _is_legal(state, moves.CALL_DRAW)}


class _Player:
    """One entry of ``players``: a hand may be given in place of what it comes to."""

    __slots__ = ("aces", "counts", "deadwood", "fours", "is_opened", "shows_set")

    def __init__(self, written: Json, position: Position) -> None:
        given = facts(written)
        hand = _cards(given.get("hand") or ())
        counted = position.table.deadwood(hand)
        self.deadwood = _number(given, "count") if "count" in given else counted
        melds = _number(given, "melds")
        self.fours, turned_down = position.face_down(given)
        self.is_opened = melds + turned_down > 0 or "melds" not in given
        self.aces = _number(given, "aces") if "aces" in given else (hand & ACES).bit_count()
        quads = _number(given, "quads_in_hand") if not hand else len(fours_in(hand))
        sets = sets_in(hand) if hand else max(quads, _number(given, "sets_in_hand"))
        open_sets = _number(given, "sets_on_table") if "sets_on_table" in given else melds
        lying = open_sets + turned_down + self.fours
        every = _number(given, "sets") if "sets" in given else sets + lying
        self.counts = {
            "face_down": self.fours,
            "in_hand": quads,
            "any_four": _number(given, *_OPEN_FOURS),
            "every_set": every,
        }
        self.shows_set = sets > 0 or self.fours > 0 or bool(given.get("shows_set"))


def _verdict(position: Position, players: list[_Player]) -> scoring.Verdict:
    """Who has won. Who is not entitled to challenge has folded (G-5.2)."""
    ending = _ENDINGS[str(position.given["end"])]
    options, deadwood = position.options, [player.deadwood for player in players]
    if ending is Ending.TONGITS:
        return scoring.Verdict(ending, number(position.given["by"]))
    if ending is Ending.STOCK:
        burned = [_is_burned(player, False, options) for player in players]
        last = number(position.given["last_drawer"])
        return scoring.Verdict(ending, scoring.stock_winner(deadwood, burned, last, options))
    caller = number(position.given["caller"])
    challengers = tuple(
        seat
        for seat in map(number, items(position.given.get("challengers") or ()))
        if scoring.may_challenge(players[seat].is_opened, players[seat].fours, options)
    )
    winner = scoring.draw_winner(deadwood, caller, challengers) if challengers else caller
    return scoring.Verdict(ending, winner, caller, challengers)


def _is_burned(player: _Player, is_in_showdown: bool, options: TongitsOptions) -> bool:
    shows_set = is_in_showdown and player.shows_set
    return scoring.is_burned(player.is_opened, player.fours, shows_set, options)


def _players(position: Position) -> list[_Player]:
    players = [_Player(item, position) for item in items(position.given["players"])]
    if len(players) != PLAYERS:
        raise ValueError(f"there are {PLAYERS} players")
    return players


def _winner(position: Position) -> Facts:
    return {"winner": _verdict(position, _players(position)).winner}


def _settle(position: Position) -> Facts:
    """Payments, antes and pot apart."""
    options, players = position.options, _players(position)
    verdict = _verdict(position, players)
    burned = [
        _is_burned(player, seat in verdict.showdown, options) for seat, player in enumerate(players)
    ]
    delta = [0] * PLAYERS
    if verdict.winner is not None:
        best = players[verdict.winner]
        specials = sum(best.counts[word] for word in options.special_pays)
        gained = scoring.Worth(best.aces, specials)
        for seat in range(PLAYERS):
            if seat != verdict.winner:
                paid = scoring.payment(seat, verdict, gained, burned[seat], options).total
                delta[seat] -= paid
                delta[verdict.winner] += paid
    return {
        "winner": verdict.winner,
        "delta": {str(seat): chips for seat, chips in enumerate(delta)},
        "burned": [seat for seat in range(PLAYERS) if burned[seat]],
    }


# Match ------------------------------------------------------------------------------------------


def _jackpot(position: Position) -> Facts:
    """The pot after each of a row of deals, and what the winner took from it."""
    options = position.options
    pot, streak, streak_seat = 0, 0, NO_SEAT
    chips = [0] * PLAYERS
    told_deals: list[Json] = []
    for written in items(position.given["winners"]):
        ante = scoring.ante(pot, options)
        pot += PLAYERS * ante
        chips = [own - ante for own in chips]
        taken: Json = None
        if written is not None:
            winner: Seat = number(written)
            counted = scoring.streak_after(winner, streak_seat, streak, options)
            streak_seat, streak = winner, counted.streak
            if counted.takes_pot:
                taken = [winner, pot]
                chips[winner] += pot
                pot = 0
        told_deals.append([pot, taken])
    share = pot // PLAYERS
    return {
        "after_each_hand": told_deals,
        "pot": pot,
        "share": share,
        "split": share,
        "chips": [own + share for own in chips],
    }


def _next_dealer(position: Position) -> Facts:
    dealer, winner = number(position.given["dealer"]), position.given.get("winner")
    won = None if winner is None else number(winner)
    return {"dealer": scoring.next_dealer(dealer, won, PLAYERS, position.options)}


def _deal(position: Position) -> Facts:
    """A deal of a pack in card order, or of ``deck``, and the dealer's first turn."""
    state = _GAME.new(position.options)
    _GAME.apply_chance(state, [number(position.given["dealer"])])
    deck = position.given.get("deck")
    _GAME.apply_chance(state, PACK if deck is None else [_NAMES.card(card) for card in items(deck)])
    public = state.public
    dealt: dict[str, Json] = {
        "hand_sizes": list(public.hand_sizes),
        "hands": [[card_text(card) for card in unpack(hand)] for hand in state.hands],
        "stock": public.stock_size,
        "discards": len(public.discards),
        "first_to_act": public.to_act,
        "draws_first": public.phase is Phase.START_TURN,
        "pot": public.pot,
    }
    _GAME.apply(state, public.to_act, _GAME.fallback(state, public.to_act))
    return {**dealt, "next_to_act": public.to_act}


KINDS: Final[Mapping[str, Callable[[Position], Facts]]] = {
    "meld": _meld,
    "layoff": _layoff,
    "take_discard": _take_discard,
    "deadwood": _deadwood,
    "can_go_out": _can_go_out,
    "can_call_draw": _can_call_draw,
    "winner": _winner,
    "settle": _settle,
    "jackpot": _jackpot,
    "next_dealer": _next_dealer,
    "deal": _deal,
}
"""What computes the answer to each kind of position."""
