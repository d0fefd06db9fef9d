"""Plays the inputs of a log by the rules alone and compares every event of the game.

Tables, clocks and streams are left out: that is what `tables.replay` adds. Decks and lots are
derived anew on the way; one that differs is noted, and play goes on with the one of the log.
"""

from __future__ import annotations

from collections import Counter, deque

from croupier.v1 import table_pb2
from croupier_server.errors import CroupierError
from croupier_server.games.base import ChanceKind, Event, Move, Seat, Turn
from croupier_server.tables.match import journal
from croupier_server.tables.match.creation import GameEntry
from croupier_server.tables.match.deals import RootDealer
from croupier_server.verify.log import Line, RecordLog, Wrong
from croupier_server.wire.encode import field_bytes
from croupier_server.wire.generated.table import EVENT

_PRIVATE = 15
"""``TableEvent.private``."""

SCORED = "deal_scored"
"""The arm of every game for the event that ends a deal."""


def _clocks(event: table_pb2.TableEvent) -> bytes:
    """``TableEvent.clocks`` of *event* as bytes; `tables.replay` checks them."""
    clocks = table_pb2.TableEvent(clocks=event.clocks)
    return clocks.SerializeToString(deterministic=True)


class Play:
    """The match of a log, played again.

    Attributes:
        state: of the game.
        counts: what there was: ``decks``, ``lots``, ``moves``, ``answers``, ``deals`` scored.
        wrong_chance: what is wrong with the first deck or lot that is not that of the root.
    """

    def __init__(self, log: RecordLog, entry: GameEntry, options: object) -> None:
        reveal = log.match.reveal
        self._entry = entry
        self._dealer = RootDealer(reveal.root, reveal.decks) if log.is_begun else None
        self._expected: deque[Event] = deque()
        self._answers: dict[Seat, Move] = {}
        self._lines = log.lines
        self.state = entry.game.new(options)
        self.counts: Counter[str] = Counter()
        self.wrong_chance = ""

    def run(self) -> None:
        """Play the whole log.

        Raises:
            Wrong: it is not what the rules make of its inputs.
        """
        for line in self._lines:
            try:
                self._put(line)
            except CroupierError as error:
                raise Wrong(f"{line.name}: {error}") from error
            if line.kind == "game":
                self._compare(line)
            elif line.kind in ("table_halted", "match_ended"):
                if line is not self._lines[-1]:
                    raise Wrong(f"the log continues after {line.name}")
                if line.kind == "table_halted":
                    self._expected.clear()  # what a fault cut short
        if self._expected:
            raise Wrong("the log stops in the middle of what an input leads to")

    def _put(self, line: Line) -> None:
        """Carry out the input of a row, if it has one."""
        kind = line.cause.WhichOneof("input")
        if kind is None:
            return
        if self._expected:
            raise Wrong(f"{line.name} comes before what the last input leads to has been told")
        if kind == "chance":
            self._put_chance(line)
        elif kind == "move":
            self._put_move(line)
        elif kind == "answer":
            self._put_answer(line)
        else:
            self._close_window(line)

    def _put_chance(self, line: Line) -> None:
        game = self._entry.game
        outcome = tuple(line.cause.chance.outcome)
        if game.turn(self.state) is not Turn.CHANCE or self._dealer is None:
            raise Wrong(f"{line.name}: unexpected deck or lot")
        chance = game.chance(self.state)
        if chance.kind is ChanceKind.DECK:
            self.counts["decks"] += 1
            derived = tuple(self._dealer.deck(chance.deal, chance.attempt, chance.cards))
            what = f"the deck of deal {chance.deal}, redeal {chance.attempt},"
        else:
            self.counts["lots"] += 1
            derived = (self._dealer.lot(chance.deal, chance.sides),)
            what = f"the lot of deal {chance.deal}"
        if chance.kind is ChanceKind.DECK and sorted(outcome) != sorted(chance.cards):
            raise Wrong(f"{line.name}: {what} is not the pack")
        if derived != outcome and not self.wrong_chance:
            self.wrong_chance = f"{what} is not the one that follows from the root"
        self._expected += game.apply_chance(self.state, outcome)

    def _put_move(self, line: Line) -> None:
        game, message = self._entry.game, line.cause.move
        if game.turn(self.state) is not Turn.MOVE:
            raise Wrong(f"{line.name}: unexpected move")
        self.counts["moves"] += 1
        move = self._entry.wire.move_code(message.move)
        self._expected += game.apply(self.state, message.seat, move)

    def _put_answer(self, line: Line) -> None:
        game, message = self._entry.game, line.cause.answer
        if line.row.sequence or game.turn(self.state) is not Turn.WINDOW:
            raise Wrong(f"{line.name}: no window is open")
        if message.seat in self._answers:
            raise Wrong(f"seat {message.seat} answers twice in one window")
        move = self._entry.wire.move_code(message.move)
        game.check(self.state, message.seat, move)
        self.counts["answers"] += 1
        self._answers[message.seat] = move

    def _close_window(self, line: Line) -> None:
        game = self._entry.game
        if game.turn(self.state) is not Turn.WINDOW:
            raise Wrong(f"{line.name}: no window is open")
        if self._answers.keys() != set(game.to_act(self.state)):
            raise Wrong(f"{line.name}: not every seat that was asked has answered")
        self._expected += game.close_window(self.state, self._answers)
        self._answers = {}

    def _compare(self, line: Line) -> None:
        """Compare an event of the game with the one that comes next, part by part."""
        if not self._expected:
            raise Wrong(f"{line.name} follows from nothing")
        public, private = self._entry.wire.event_bytes(self._expected.popleft())
        time = journal.stamp(line.event.time.ToMilliseconds())
        row = line.row
        event = journal.event_bytes(row.sequence, time, EVENT["game"], public)
        if row.public != event + _clocks(line.event):
            raise Wrong(f"{line.name} is not what the rules say")
        if dict(row.private) != {
            seat: field_bytes(_PRIVATE, part) for seat, part in private.items()
        }:
            raise Wrong(f"what {line.name} showed a seat is not what the rules say")
        game = getattr(line.event.game, self._entry.wire.name)
        if game.WhichOneof("event") == SCORED:
            self.counts["deals"] += 1
