"""Duel as a `Game`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from croupier_server.errors import IllegalMove, MalformedMove, NotYourTurn, Reason
from croupier_server.games import clauses
from croupier_server.games.base import (
    Chance,
    ChanceKind,
    Event,
    Legal,
    Move,
    Number,
    Outcome,
    Seat,
    SeatOutcome,
    Turn,
)
from croupier_server.games.cards import CARD_NAMES, Cards, pack, rank, single, unpack
from croupier_server.games.settings import Reader, Ruleset, row

KEEP, DOUBLE, PLAY = 1, 2, 3
STAKE, CARD = 1, 2
HAND: Final = 5
PACK: Final = tuple(range(1, 53))
CARD_OF: Final = {PLAY | single(card): card for card in PACK}
SPECS: Final = (row("max_deals", "D-1.2", "3", "Deals in a match.", Number(1, 100)),)
RULESETS: Final = {"standard": Ruleset("standard", 1, {})}


class Options(NamedTuple):
    """D-1.2: how long a match lasts."""

    max_deals: int


class DealStarted(NamedTuple):
    """D-1.1: five cards went to each player."""

    deal: int


class Staked(NamedTuple):
    """D-2.1: the leader named the points of a trick."""

    stake: int


class Played(NamedTuple):
    """D-2.2: a card was played."""

    seat: Seat
    card: int


class DealScored(NamedTuple):
    """What a deal brought seat 0; seat 1 lost as much."""

    deal: int
    points: int
    total: int


@dataclass
class Public:
    """What both players know."""

    deal: int = 0
    stake: int = 0
    to_act: Seat = -1
    played: tuple[int, ...] = ()
    points: int = 0
    last: DealScored | None = None


class View(NamedTuple):
    """What one player knows, or a spectator with seat -1."""

    options: Options
    public: Public
    seat: Seat
    hand: Cards


@dataclass
class State:
    """A whole match."""

    options: Options
    public: Public = field(default_factory=Public)
    hands: list[Cards] = field(default_factory=lambda: [0, 0])
    results: tuple[DealScored, ...] = ()


class Duel:
    """See `croupier_server.games.base.Game`."""

    name = "duel"
    rules_version = 1

    def rulesets(self) -> tuple[str, ...]:
        return tuple(RULESETS)

    def option_specs(self) -> Any:
        return SPECS

    def options(self, ruleset: str, overrides: Mapping[str, str]) -> Options:
        return Options(Reader("Duel", SPECS, RULESETS, ruleset, overrides).value("max_deals"))

    def option_text(self, options: Options) -> dict[str, str]:
        return {"max_deals": str(options.max_deals)}

    def players(self, options: Options) -> int:
        return 2

    def team(self, options: Options, seat: Seat) -> int:
        return seat

    def deals_max(self, options: Options) -> int:
        return options.max_deals

    def worst_deal(self, options: Options) -> int:
        return 2 * HAND

    def new(self, options: Options) -> State:
        return State(options)

    def copy(self, state: State) -> State:
        return deepcopy(state)

    def turn(self, state: State) -> Turn:
        if state.public.to_act >= 0:
            return Turn.MOVE
        return Turn.CHANCE if state.public.deal < state.options.max_deals else Turn.OVER

    def chance(self, state: State) -> Chance:
        return Chance(ChanceKind.DECK, state.public.deal + 1, 0, PACK)

    def apply_chance(self, state: State, outcome: Sequence[int]) -> list[Event]:
        self.chance(state).check(outcome)
        deal = state.public.deal + 1
        state.hands = [pack(outcome[seat : 2 * HAND : 2]) for seat in (0, 1)]
        state.public = Public(deal, to_act=(deal - 1) % 2, last=state.public.last)
        return [Event(DealStarted(deal), dict(enumerate(map(tuple, map(unpack, state.hands)))))]

    def to_act(self, state: State) -> tuple[Seat, ...]:
        return (state.public.to_act,) if state.public.to_act >= 0 else ()

    def decision_kind(self, state: State, seat: Seat) -> int:
        return CARD if state.public.stake else STAKE

    def legal_moves(self, state: State, seat: Seat) -> Legal:
        if not state.public.stake:
            return Legal((KEEP, DOUBLE), (KEEP, DOUBLE))
        moves = tuple(PLAY | single(card) for card in unpack(state.hands[seat]))
        return Legal(moves, (PLAY,) * len(moves))

    def members(self, legal: Legal, after: Move = 0) -> Iterator[Move]:
        return iter(legal.moves[legal.moves.index(after) + 1 if after else 0 :])

    def sample(self, legal: Legal, draw: Iterator[int]) -> Move:
        return legal.moves[next(draw) % len(legal.moves)]

    def check(self, state: State, seat: Seat, move: Move) -> None:
        if seat not in self.to_act(state):
            raise NotYourTurn(Reason.NOT_YOUR_TURN, "it is not this seat's turn")
        if move not in (KEEP, DOUBLE) and move not in CARD_OF:
            raise MalformedMove(Reason.MALFORMED_MOVE, "no move of Duel")
        if (move in CARD_OF) != bool(state.public.stake):
            raise MalformedMove(Reason.MOVE_NOT_EXPECTED, "not what is asked")
        if move in CARD_OF and not state.hands[seat] & move & ~15:
            raise IllegalMove("CARD_NOT_IN_HAND", "D-2.2", "the hand does not hold this card")

    def apply(self, state: State, seat: Seat, move: Move) -> list[Event]:
        self.check(state, seat, move)
        return self.apply_unchecked(state, seat, move)

    def apply_unchecked(self, state: State, seat: Seat, move: Move) -> list[Event]:
        public = state.public
        if move in (KEEP, DOUBLE):
            public.stake = move
            return [Event(Staked(move), {})]
        card = CARD_OF[move]
        state.hands[seat] -= single(card)
        public.played += (card,)
        events = [Event(Played(seat, card), {})]
        public.to_act = 1 - seat
        if len(public.played) % 2 == 0:
            led, answered = map(rank, public.played[-2:])  # D-2.3: of equals the leader's
            public.to_act = seat if answered > led else 1 - seat
            public.points += public.stake * (1 - 2 * public.to_act)
        if len(public.played) == 2 * HAND:
            total = public.points + (public.last.total if public.last else 0)
            public.last = DealScored(public.deal, public.points, total)
            public.to_act = -1
            state.results += (public.last,)
            events.append(Event(public.last, {}))
        return events

    def close_window(self, state: State, answers: Mapping[Seat, Move]) -> list[Event]:
        raise AssertionError("no window ever opens in Duel")

    def fallback(self, state: State, seat: Seat) -> Move:
        return self.legal_moves(state, seat).moves[0]

    def results(self, state: State) -> Sequence[object]:
        return state.results

    def read_result(self, values: Sequence[Any]) -> DealScored:
        return DealScored(*values)

    def carry(self, state: State) -> tuple[int, ...]:
        return ()

    def resume(self, options: Options, carried: Sequence[int], results: Sequence[Any]) -> State:
        last = results[-1] if results else None
        return State(options, Public(len(results), last=last), results=tuple(results))

    def standing(self, state: State) -> tuple[int, ...]:
        total = state.public.last.total if state.public.last else 0
        return (total, -total)

    def outcome(self, state: State) -> Outcome | None:
        if self.turn(state) is not Turn.OVER:
            return None
        scores = self.standing(state)
        return Outcome(tuple(SeatOutcome(one, 1 if one == max(scores) else 2) for one in scores))

    def view(self, state: State, audience: Seat) -> View:
        hand = state.hands[audience] if audience >= 0 else 0
        return View(state.options, replace(state.public), audience, hand)

    def worlds(self, view: View, draw: Iterator[int]) -> State:
        known = {*unpack(view.hand), *view.public.played}
        hidden = sorted(set(PACK) - known, key=lambda _: next(draw))
        hands = []
        for seat in (0, 1):
            held = sizes(view.public)[seat]
            hands.append(view.hand if seat == view.seat else pack(hidden[:held]))
            hidden = hidden[0 if seat == view.seat else held :]
        results = (view.public.last,) if view.public.last else ()
        return State(view.options, replace(view.public), hands, results)

    def move_text(self, move: Move) -> str:
        texts = {KEEP: "keep", DOUBLE: "double"}
        return texts[move] if move in texts else f"play {CARD_NAMES[CARD_OF[move]]}"

    def clauses(self) -> Mapping[str, str]:
        return clauses.texts(__package__)

    def refusals(self) -> Mapping[str, str]:
        return clauses.refusals(__package__)


def sizes(public: Public) -> tuple[int, int]:
    """Cards in both hands."""
    if not public.deal:
        return (0, 0)
    tricks, rest = divmod(len(public.played), 2)
    left = HAND - tricks
    return (left - rest * (public.to_act == 1), left - rest * (public.to_act == 0))


RULES: Final = Duel()
