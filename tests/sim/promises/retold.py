"""A match told again from its record by the rules: who held what, and what each answer cost."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from croupier.record.v1 import record_pb2
from croupier.v1 import game_pb2, table_pb2
from croupier_server.games.base import AnyGame, Chance, Turn
from croupier_server.games.cards import unpack
from croupier_server.games.modules import WIRES
from croupier_server.games.registry import GAMES
from croupier_server.wire.game import GameWire


class Row(NamedTuple):
    """A row of the record: number, parts, and its input if it has one."""

    sequence: int
    public: bytes
    private: dict[int, bytes]
    input: record_pb2.Input | None


@dataclass(slots=True)
class Step:
    """A move or a sealed answer.

    Attributes:
        sequence: number of its event; 0: sealed.
        at_ms: time of that event; for a sealed answer, of the one before.
        seat, decision_id, move, timed_out, charged_ms, absent_ms: as the record has them.
        deal: which deal it belongs to, from 1.
    """

    sequence: int
    at_ms: int
    seat: int
    decision_id: str
    move: bytes
    timed_out: bool
    charged_ms: int
    absent_ms: int
    deal: int


class Retold:
    """A match told again.

    Attributes:
        record: the message.
        rows: its rows.
        steps: its moves and sealed answers, in order.
        deals: number of the first event of each deal.
        answered: numbers of the events in which a decision was answered or a window closed.
        chances: its decks and lots, with what the rules asked for.
        commitment: to the secret that its cards come from.
        nonce_hashes: by seat, what it promised to mix in.
        times: by number, when each event happened.
        game, wire: its rules and their messages.
    """

    def __init__(self, data: bytes) -> None:
        self.record = record_pb2.MatchRecord.FromString(data)
        table = self.record.table
        self.wire: GameWire = WIRES[table.spec.game]
        self.game: AnyGame = GAMES[self.wire.name]
        self.rows = [
            Row(
                row.sequence,
                row.public_part,
                {one.seat: one.part for one in row.private_parts},
                row.input if row.HasField("input") else None,
            )
            for row in self.record.rows
        ]
        self.steps: list[Step] = []
        self.deals: list[int] = []
        self.answered: list[int] = []
        self.chances: list[tuple[Chance, list[int]]] = []
        self.commitment = table.commitment
        self.nonce_hashes: dict[int, bytes] = {}
        self.times: dict[int, int] = {}
        self._from: list[int] = [0]
        self._hands: list[tuple[int, ...]] = [(0,) * len(table.seats)]
        self._tell(table)

    def _tell(self, table: table_pb2.Table) -> None:
        game = self.game
        texts = {option.name: option.value for option in self.record.options}
        state: Any = game.new(game.options(table.spec.ruleset, texts))
        answers: dict[int, int] = {}
        deal = at_ms = 0
        for row in self.rows:
            if row.sequence:
                at_ms = self._event(row)
            if row.input is None:
                continue
            kind = row.input.WhichOneof("input")
            if kind in ("move", "window"):
                self.answered.append(row.sequence)
            match kind:
                case "chance":
                    chance = game.chance(state)
                    if chance.deal != deal:
                        deal = chance.deal
                        self.deals.append(row.sequence)
                    outcome = list(row.input.chance.outcome)
                    self.chances.append((chance, outcome))
                    game.apply_chance(state, outcome)
                case "move":
                    move = row.input.move
                    game.apply(state, move.seat, self.wire.move_code(move.move))
                    self._step(row.sequence, at_ms, move, deal)
                case "answer":
                    move = row.input.answer
                    answers[move.seat] = self.wire.move_code(move.move)
                    self._step(0, at_ms, move, deal)
                case "window":
                    game.close_window(state, answers)
                    answers = {}
            if row.sequence:
                self._from.append(row.sequence)
                self._hands.append(tuple(state.hands))
        self.is_over = game.turn(state) is Turn.OVER
        self.state = state

    def _event(self, row: Row) -> int:
        """What an event of the table itself tells; returns when it happened."""
        event = table_pb2.TableEvent.FromString(row.public)
        at_ms = event.time.ToMilliseconds()
        self.times[row.sequence] = at_ms
        match event.WhichOneof("event"):
            case "seats_filled":
                self.nonce_hashes = {
                    seat.seat: seat.nonce_hash for seat in event.seats_filled.seats
                }
            case "seat_no_show":
                self.commitment = event.seat_no_show.commitment
        return at_ms

    def canonical(self, move: bytes) -> bytes:
        """A serialised move as records have it, whatever the order in which it names its cards."""
        return self.wire.move_bytes(self.wire.move_code(game_pb2.Move.FromString(move)))

    def _step(self, sequence: int, at_ms: int, move: record_pb2.MoveInput, deal: int) -> None:
        self.steps.append(
            Step(
                sequence,
                at_ms,
                move.seat,
                move.decision_id,
                move.move.SerializeToString(deterministic=True),
                move.timed_out,
                move.charged.ToMilliseconds(),
                move.absent.ToMilliseconds(),
                deal,
            )
        )

    def hands(self, sequence: int) -> tuple[int, ...]:
        """What every seat held when the event of this number had happened, packed."""
        return self._hands[bisect_right(self._from, sequence) - 1]

    def all_hands(self) -> Iterator[tuple[int, tuple[int, ...]]]:
        """What every seat held, with the number of the event from which on it did."""
        return zip(self._from, self._hands, strict=True)

    @property
    def packs(self) -> int:
        """How often the same card can be there."""
        decks = [outcome for chance, outcome in self.chances if not chance.sides]
        return max(Counter(decks[0]).values()) if decks else 1

    def deal_at(self, sequence: int) -> int:
        """The deal that was on then, from 1; 0 before the first."""
        return bisect_right(self.deals, sequence)


def hand_bytes(packed: int) -> bytes:
    """Cards as every message of the contract lists them."""
    return unpack(packed)
