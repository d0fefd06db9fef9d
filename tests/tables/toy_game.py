"""A tiny game with everything that a table must cope with: a lot, decks, turns, a sealed window.

A deal: the deck is dealt out, ``hand`` cards a seat. Seats that hold the card 1 or 2 are asked in a
sealed window whether they claim; the lowest seat that does scores a point. Then all play their
cards in turn, and whoever plays the last card of the deal scores a point. The card ``bomb`` breaks
the rules when it is played: they change the state and then fail an assertion.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple, cast

from croupier.v1 import game_pb2
from croupier_server.errors import IllegalMove, InvalidRequest, MalformedMove, NotYourTurn, Reason
from croupier_server.games.base import (
    PUBLIC,
    Chance,
    ChanceKind,
    Event,
    Legal,
    Move,
    OptionSpec,
    Outcome,
    Seat,
    SeatOutcome,
    Turn,
)
from croupier_server.wire.encode import field_bytes
from croupier_server.wire.game import GameWire
from croupier_server.wire.views import Views

KIND = 77
PASS: Move = 1
CLAIM: Move = 2
CARD: Move = 100
"""The move that plays card *c* is ``CARD + c``."""

ASK_CLAIM, ASK_CARD = 1, 2


class Options(NamedTuple):
    """Seats, deals, cards of a hand, cards left over, and the card that breaks the rules."""

    players: int = 3
    deals: int = 2
    hand: int = 3
    spare: int = 0
    bomb: int = 0


class State:
    """The state of a match."""

    __slots__ = (
        "deal",
        "hands",
        "options",
        "phase",
        "played",
        "scores",
        "starter",
        "to_act",
    )

    def __init__(self, options: Options) -> None:
        self.options = options
        self.deal = 0
        self.starter = -1
        self.phase = "lot"
        self.to_act = -1
        self.hands: list[list[int]] = [[] for _ in range(options.players)]
        self.scores = [0] * options.players
        self.played: list[tuple[int, int]] = []

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and all(
            getattr(self, name) == getattr(other, name) for name in self.__slots__
        )

    def __hash__(self) -> int:
        raise TypeError("states change")


class ToyView(NamedTuple):
    public: str
    hand: str


class Toy:
    """The rules; see `croupier_server.games.base.Game`."""

    name = "toy"
    rules_version = 1

    def rulesets(self) -> tuple[str, ...]:
        return ("standard",)

    def option_specs(self) -> tuple[OptionSpec, ...]:
        return ()

    def options(self, ruleset: str, overrides: Mapping[str, str]) -> Options:
        if ruleset != "standard":
            raise InvalidRequest(Reason.UNKNOWN_RULESET, "no such ruleset", field="ruleset")
        return Options()._replace(**{name: int(text) for name, text in overrides.items()})

    def option_text(self, options: Options) -> dict[str, str]:
        return {name: str(value) for name, value in sorted(options._asdict().items())}

    def players(self, options: Options) -> int:
        return options.players

    def team(self, options: Options, seat: Seat) -> int:
        return seat % 2

    def deals_max(self, options: Options) -> int | None:
        return options.deals

    def worst_deal(self, options: Options) -> int:
        return options.hand

    def new(self, options: Options) -> State:
        return State(options)

    def copy(self, state: State) -> State:
        return copy.deepcopy(state)

    def turn(self, state: State) -> Turn:
        if state.phase in ("lot", "deck"):
            return Turn.CHANCE
        return {"window": Turn.WINDOW, "play": Turn.MOVE, "over": Turn.OVER}[state.phase]

    def chance(self, state: State) -> Chance:
        if state.phase == "lot":
            return Chance(ChanceKind.LOT, 1, 0, sides=state.options.players)
        options = state.options
        cards = tuple(range(1, options.players * options.hand + options.spare + 1))
        return Chance(ChanceKind.DECK, state.deal + 1, 0, cards)

    def apply_chance(self, state: State, outcome: Sequence[int]) -> list[Event]:
        if state.phase == "lot":
            state.starter = outcome[0]
            state.phase = "deck"
            return [Event(f"lot {outcome[0]}", {})]
        state.deal += 1
        state.played = []
        size = state.options.hand
        players = state.options.players
        hands = [sorted(outcome[seat * size :][:size]) for seat in range(players)]
        state.hands = hands
        state.phase = "window"
        private = {seat: f"hand {hand}" for seat, hand in enumerate(hands)}
        return [Event(f"deal {state.deal}", {}), Event("dealt", private)]

    def to_act(self, state: State) -> tuple[Seat, ...]:
        if state.phase == "window":
            return tuple(seat for seat, hand in enumerate(state.hands) if {1, 2} & set(hand))
        return (state.to_act,) if state.phase == "play" else ()

    def decision_kind(self, state: State, seat: Seat) -> int:
        return ASK_CLAIM if state.phase == "window" else ASK_CARD

    def legal_moves(self, state: State, seat: Seat) -> Legal:
        self._expect(state, seat)
        if state.phase == "window":
            return Legal((PASS, CLAIM), (ASK_CLAIM, ASK_CLAIM))
        moves = tuple(CARD + card for card in state.hands[seat])
        return Legal(moves, (ASK_CARD,) * len(moves))

    def members(self, legal: Legal, after: Move = 0) -> Iterator[Move]:
        return iter(legal.moves[legal.moves.index(after) + 1 if after else 0 :])

    def sample(self, legal: Legal, draw: Iterator[int]) -> Move:
        return legal.moves[next(draw) % len(legal.moves)]

    def _expect(self, state: State, seat: Seat) -> None:
        if seat not in self.to_act(state):
            raise NotYourTurn(Reason.NOT_YOUR_TURN, "it is not this seat's turn")

    def check(self, state: State, seat: Seat, move: Move) -> None:
        self._expect(state, seat)
        if (move in (PASS, CLAIM)) != (state.phase == "window"):
            raise MalformedMove(Reason.MOVE_NOT_EXPECTED, "not that kind of move")
        if state.phase == "play" and move - CARD not in state.hands[seat]:
            raise IllegalMove("CARDS_NOT_IN_HAND", "X-1", "the hand does not hold it")

    def apply(self, state: State, seat: Seat, move: Move) -> list[Event]:
        self.check(state, seat, move)
        return self.apply_unchecked(state, seat, move)

    def apply_unchecked(self, state: State, seat: Seat, move: Move) -> list[Event]:
        card = move - CARD
        state.hands[seat].remove(card)
        assert card != state.options.bomb, f"seat {seat} played {card} of {state.hands}"
        state.played.append((seat, card))
        state.to_act = (seat + 1) % state.options.players
        events = [Event(f"played {seat} {card}", {})]
        if not any(state.hands):
            state.scores[seat] += 1
            is_last = state.deal == state.options.deals
            state.phase = "over" if is_last else "deck"
            state.to_act = -1
            events.append(Event(f"scores {state.scores}", {}))
        return events

    def close_window(self, state: State, answers: Mapping[Seat, Move]) -> list[Event]:
        assert set(answers) == set(self.to_act(state))
        claimers = [seat for seat in sorted(answers) if answers[seat] == CLAIM]
        if claimers:
            state.scores[claimers[0]] += 1
        state.phase = "play"
        state.to_act = state.starter
        private = {seat: f"answered {move}" for seat, move in answers.items()}
        return [Event(f"claimed {claimers[:1]}", private)]

    def fallback(self, state: State, seat: Seat) -> Move:
        return PASS if state.phase == "window" else CARD + state.hands[seat][0]

    def results(self, state: State) -> Sequence[str]:
        ended = state.deal - any(state.hands)
        return [f"deal {number}" for number in range(1, ended + 1)]

    def read_result(self, values: Sequence[str]) -> str:
        return "".join(values)

    def carry(self, state: State) -> tuple[int, ...]:
        return (state.deal, state.starter, *state.scores)

    def resume(self, options: Options, carried: Sequence[int], results: Sequence[object]) -> State:
        state = State(options)
        state.deal, state.starter, *state.scores = carried
        state.phase = "lot" if state.starter < 0 else "deck"
        assert len(results) == state.deal
        return state

    def standing(self, state: State) -> tuple[int, ...]:
        return tuple(state.scores)

    def outcome(self, state: State) -> Outcome | None:
        if state.phase != "over":
            return None
        ranked = sorted(state.scores, reverse=True)
        return Outcome(tuple(SeatOutcome(one, ranked.index(one) + 1) for one in state.scores))

    def view(self, state: State, audience: Seat) -> ToyView:
        public = (state.deal, state.starter, state.phase, state.to_act, state.scores, state.played)
        hand = state.hands[audience] if audience != PUBLIC else None
        return ToyView(f"{public} {[len(hand) for hand in state.hands]}", str(hand))

    def worlds(self, view: ToyView, draw: Iterator[int]) -> State:
        raise NotImplementedError

    def move_text(self, move: Move) -> str:
        return {PASS: "pass", CLAIM: "claim"}.get(move, f"play {move - CARD}")

    def clauses(self) -> Mapping[str, str]:
        return {"X-1": "Cards are played from the hand."}

    def refusals(self) -> Mapping[str, str]:
        return {"CARDS_NOT_IN_HAND": "The seat does not hold the card."}


TEXT = 60
"""A field that the contract does not have, which carries the toy's text in its messages."""


def text_bytes(text: object) -> bytes:
    """A message of the contract with *text* in an unknown field."""
    return field_bytes(TEXT, str(text).encode())


class ToyViews(Views[str, ToyView]):
    """They travel as those of Tractor."""

    def __init__(self) -> None:
        super().__init__("tractor", Toy().view)

    def of_all(self, public: str) -> bytes:
        return text_bytes(public)

    def of_seat(self, view: ToyView, public: bytes) -> bytes:
        return public + text_bytes(view.hand)


class ToyWire:
    """Does as `GameWire` does. A move travels as the points of a call."""

    kind: int = KIND
    name: str = "toy"
    title: str = "Toy"
    seats_min: int = 2
    seats_max: int = 4
    decision_kinds: Sequence[bytes] = tuple(b"\x08" + bytes([kind]) for kind in range(128))

    def options_overrides(self, message: game_pb2.GameOptions) -> dict[str, str]:
        return {}

    def option_number(self, name: str, text: str) -> int:
        raise NotImplementedError

    def options_message(self, options: object) -> game_pb2.GameOptions:
        return game_pb2.GameOptions()

    def move_code(self, message: game_pb2.Move) -> Move:
        if message.tractor.WhichOneof("move") != "call":
            raise MalformedMove(Reason.MALFORMED_MOVE, "no move of the toy", field="move")
        return message.tractor.call.points

    def move_message(self, move: Move) -> game_pb2.Move:
        message = game_pb2.Move()
        message.tractor.call.points = move
        return message

    def move_bytes(self, move: Move) -> bytes:
        return self.move_message(move).SerializeToString(deterministic=True)

    def legal_bytes(self, legal: Legal, mode: int) -> bytes:
        return b"".join(
            field_bytes(1, self.legal_move_bytes(move, kind))
            for move, kind in zip(legal.moves, legal.kinds, strict=True)
        )

    def legal_move_bytes(self, move: Move, kind: int) -> bytes:
        return field_bytes(1, self.move_bytes(move))

    def event_bytes(self, event: Event) -> tuple[bytes, dict[Seat, bytes]]:
        private = {seat: text_bytes(part) for seat, part in event.private.items()}
        return text_bytes(event.public), private

    def deal_result_bytes(self, result: object) -> bytes:
        return text_bytes(result)

    def views(self) -> ToyViews:
        return ToyViews()


TOY_WIRE: Final = cast("GameWire", ToyWire())
