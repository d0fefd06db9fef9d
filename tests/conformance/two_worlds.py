"""A match, and beside it a world that one audience cannot tell from it: is it shown the same?

The other world comes from `Game.worlds`, dealt from what the audience knows. As long as nothing
hidden comes to light both go on with the same moves, and at every moment all that the audience can
see or ask is compared. Then another world is dealt.

What may differ is decided here, and nothing of it by looking at one game: a seat's own private part
may, if its view differs afterwards too (it was dealt a hidden card); a public part may where a deal
ends, and in the events that the game's hook names. Everything else is a `Leak`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from random import Random

from croupier_server.errors import CroupierError, IllegalMove
from croupier_server.games.base import PUBLIC, AnyGame, Event, Move, Seat, Turn
from croupier_server.wire.moves import LegalMode
from tests.conformance.garbage import moves_like
from tests.conformance.playouts import Entry, Step, apply_entry, words
from tests.conformance.subjects import hook_of, wire_of

ENDS = (Turn.CHANCE, Turn.OVER)
"""What a state waits for when a deal has ended."""

AGE_MAX = 12
"""A world is given up after so many steps, as it has but one other distribution of the cards."""


class Leak(AssertionError):
    """The audience is told things apart that it must not tell apart; ``what`` names the means."""

    def __init__(self, what: str, here: object, there: object) -> None:
        super().__init__(f"{what}: {here!r} here, {there!r} in a world that looks the same")
        self.what = what


def same(what: str, here: object, there: object) -> None:
    """Raise `Leak` unless both are equal."""
    if here != there:
        raise Leak(what, here, there)


class Pair:
    """A match and another world of it, for one audience."""

    def __init__(self, game: AnyGame, audience: Seat, seed: int) -> None:
        self.game = game
        self.audience = audience
        self.wire = wire_of(game)
        self.views = (self.wire.views(), self.wire.views())
        self.reveals = hook_of(game.name).reveals
        self.rng = Random(seed)
        self.draw = words(seed)
        self.world: object | None = None
        self.age = 0
        self.compared = 0
        """Steps that both worlds went together."""
        self.told_apart = 0
        """Worlds that came to an end because something hidden came to light."""
        self.disguised = 0
        """Moves that were others in the other world and looked the same."""

    def go(self, step: Step, seen: Sequence[Move]) -> None:
        """Compare the moment before *step*, and what the audience is told of the step."""
        game = self.game
        if self.world is None or self.age == AGE_MAX:
            self.world = game.worlds(game.view(step.state, self.audience), self.draw)
            self.age = 0
        self.age += 1
        compare_moment(self, step.state, self.world)
        if self.audience != PUBLIC:
            self._compare_refusals(step.state, self.world, seen)
        if not self._go_on(game.copy(step.state), step):
            self.world = None

    def _compare_refusals(self, here: object, there: object, seen: Sequence[Move]) -> None:
        """What is said to moves of all sorts, in turn or not."""
        hand = getattr(self.game.view(here, self.audience), "hand", 0)
        likely = self.rng.sample(seen, min(2, len(seen)))
        for move in moves_like(likely, hand, seen, self.rng):
            refusals = [refusal(self.game, state, self.audience, move) for state in (here, there)]
            same("refusal", *refusals)

    def _go_on(self, here: object, step: Step) -> bool:
        """Carry out *step* in both worlds; whether they still look the same afterwards."""
        there = self.world
        entry = entry_there(self.game, step.state, there, step.entry, self.audience)
        seat = step.entry.seat
        if seat not in (-1, self.audience) and (entry is None or self.rng.random() < 0.3):
            disguised = self._disguise(here, there, step.entry)
            if entry is None and disguised is not None:
                self.world = disguised
                return True
        if entry is None:
            return False
        happened = [apply_entry(self.game, here, step.entry), apply_entry(self.game, there, entry)]
        views = [self.game.view(state, self.audience) for state in (here, there)]
        told = [self._told(events) for events in happened]
        self.compared += 1
        if told[0] == told[1]:
            same("view", *views)
            return True
        is_end = self.game.turn(here) in ENDS and self.game.turn(there) in ENDS
        if not is_end:
            same("turn", self.game.turn(here), self.game.turn(there))
        same("number of events", *map(len, told))
        for event, one, two in zip(happened[0], *told, strict=True):
            if not is_end and type(event.public).__name__ not in self.reveals:
                same("event", one[0], two[0])
                if one[1] != two[1] and views[0] == views[1]:
                    raise Leak("private event", one[1], two[1])
        self.told_apart += 1
        return False

    def _disguise(self, here: object, there: object, entry: Entry) -> object | None:
        """Another move of the same seat *there* that looks the same to the audience as *entry*
        does *here*: cards laid face down. The world after it, or None if none was found.

        What it sees afterwards says whether it looks the same; then it must have been told the
        same too.
        """
        game, seat = self.game, entry.seat
        here = game.copy(here)
        happened = self._told(apply_entry(game, here, entry))
        view = game.view(here, self.audience)
        legal = game.legal_moves(there, seat)
        for _ in range(3):
            move = game.sample(legal, self.draw)
            if move == entry.move or move & 15 != entry.move & 15:
                continue
            world: object = game.copy(there)
            told = self._told(game.apply(world, seat, move))
            if game.view(world, self.audience) == view:
                same("event", happened, told)
                self.disguised += 1
                return world
        return None

    def _told(self, events: Sequence[Event]) -> list[tuple[bytes, bytes | None]]:
        encoded = [self.wire.event_bytes(event) for event in events]
        return [(public, private.get(self.audience)) for public, private in encoded]


def entry_there(game: AnyGame, here: object, there: object, step: Entry, own: Seat) -> Entry | None:
    """*step* for the other world, or None where it cannot be: another seat lacks the cards.

    Into a sealed window go the same answers. A seat that is asked in one of the worlds alone is
    silent: it gives its fallback.
    """
    if step.chance:
        return step
    asked = game.to_act(there)
    answers: dict[Seat, Move] = {}
    for seat, move in step.by_seat().items():
        refused = refusal(game, there, seat, move) if seat in asked else None
        if seat == own and (refused or seat not in asked):
            raise Leak("own move", None, refused)
        if refused or (seat not in asked and move != game.fallback(here, seat)):
            return None
        if seat in asked:
            answers[seat] = move
    if step.answers is None:
        return step
    return Entry(answers={seat: answers.get(seat, game.fallback(there, seat)) for seat in asked})


def compare_moment(pair: Pair, here: object, there: object) -> None:
    """Everything that the audience can see now."""
    game, audience = pair.game, pair.audience
    same("view", game.view(here, audience), game.view(there, audience))
    same("public view", game.view(here, PUBLIC), game.view(there, PUBLIC))
    same("public view bytes", pair.views[0].public(here), pair.views[1].public(there))
    turn = game.turn(here)
    same("turn", turn, game.turn(there))
    same("outcome", game.outcome(here), game.outcome(there))
    if turn is Turn.CHANCE:
        same("chance", game.chance(here), game.chance(there))
    if turn is not Turn.WINDOW:
        same("to act", game.to_act(here), game.to_act(there))
    if audience == PUBLIC:
        return
    same("view bytes", pair.views[0].seat(here, audience), pair.views[1].seat(there, audience))
    asked = [audience in game.to_act(state) for state in (here, there)]
    same("being asked", *asked)
    if asked[0]:
        for one, two in zip(answers(pair, here), answers(pair, there), strict=True):
            same(one[0], one[1], two[1])


def answers(pair: Pair, state: object) -> Iterator[tuple[str, object]]:
    """The decision of the audience, and all that it can be told about it."""
    game, audience, wire = pair.game, pair.audience, pair.wire
    kind = game.decision_kind(state, audience)
    yield "decision kind", wire.decision_kinds[kind]
    legal = game.legal_moves(state, audience)
    yield "legal moves", (tuple(legal.moves), tuple(legal.kinds))
    for mode in LegalMode:
        yield "legal moves", wire.legal_bytes(legal, mode)
    yield "further legal moves", list(islice(game.members(legal), 80))
    yield "sampled move", game.sample(legal, words(pair.age))
    yield "fallback", game.fallback(state, audience)


def refusal(game: AnyGame, state: object, seat: Seat, move: Move) -> object:
    """All that a client is told about *move*, or None if it may be made."""
    try:
        game.check(state, seat, move)
    except CroupierError as error:
        clause = error.clause if isinstance(error, IllegalMove) else ""
        metadata = sorted(error.metadata.items())
        told = (error.reason, clause, error.message, error.field, metadata, error.retry_ms)
        return (type(error).__name__, *told)
    return None
