"""A client's part in one seat: what it knows of its table, and what it answers.

It keeps to the contract as a client should, unless its temper says otherwise: it remembers its
answers, gives them again when it is asked again, and goes on where it was after a lost connection.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from random import Random
from typing import Final, NamedTuple, Protocol, TypeVar

from google.protobuf.message import Message

from croupier.legal import LegalMoves
from croupier.v1 import game_pb2, table_pb2
from tests.sim import lies
from tests.sim.network import Line
from tests.sim.plan import HOUSE, SeatPlan, TablePlan, Temper, Unveiling
from tests.sim.promises.judge import reason_of, retry_ms_of, status_of
from tests.sim.promises.observed import (
    Acknowledged,
    Broken,
    Observation,
    Refused,
    Stream,
    Told,
)

M = TypeVar("M", bound=Message)

_LOOK: Final = 0.01
"""How often a seat asks for its view, which came with the question."""

_ID_MAX: Final = 64
"""A refusal repeats so much of the id that it was given."""

_PLAYING: Final = table_pb2.TABLE_STATUS_PLAYING

TOO_LATE: Final = frozenset({"STALE_DECISION", "NOT_YOUR_TURN", "TABLE_CLOSED"})
"""The question is over; what comes next says how it goes on."""

LATER: Final = frozenset(
    {
        "STORE_UNAVAILABLE",
        "SERVER_DRAINING",
        "TABLE_RECOVERING",
        "RATE_LIMITED",
        "TABLE_QUARANTINED",
    }
)
"""It was not done, and will be if it is asked for again."""


class World(Protocol):
    """What the parts of a run share."""

    rng: Random

    def now_ms(self) -> int:
        """The time."""
        ...

    def see(self, seen: Observation) -> None:
        """Something was observed."""
        ...

    def later(self, milliseconds: float, call: Callable[..., object], *arguments: object) -> None:
        """Have *call* called some time from now."""
        ...

    def exactly(self, message: type[M], data: bytes) -> M:
        """*data* as a message; it must hold nothing that the contract does not have."""
        ...

    def next_stream(self) -> int:
        """A number that no other stream has."""
        ...

    def has_begun(self, table_id: str) -> bool:
        """Whether a stream told of the match of a table."""
        ...

    def has_ended(self, table_id: str) -> bool:
        """Whether the record of a table was given out."""
        ...


class Client(NamedTuple):
    """Who plays: one program with one connection.

    Attributes:
        name: for people.
        line: its connection.
        temper: how it behaves.
        is_prompt: whether it reads and answers at once, on a line that holds.
        is_house: whether it is the house bots' process.
    """

    name: str
    line: Line
    temper: Temper
    is_prompt: bool
    is_house: bool = False


class Carrier(Protocol):
    """What carries a seat: a stream of its own, or a session."""

    def answer(self, chair: Chair, decision_id: str, move: bytes) -> None:
        """Send an answer."""
        ...

    def open_nonce(self, chair: Chair, nonce: bytes, next_hash: bytes) -> None:
        """Send a nonce of the seat, and the hash of its next one."""
        ...

    def list_legal(self, chair: Chair, decision_id: str) -> None:
        """Ask what is legal, as the question did not tell."""
        ...

    def lie(self, chair: Chair, decision_id: str) -> None:
        """Send something that no client should send."""
        ...

    def look(self, chair: Chair) -> None:
        """Ask for the seat's view."""
        ...

    def rejoin(self, chair: Chair) -> None:
        """Take the seat anew."""
        ...


class Chair:
    """A seat that a client of ours holds.

    Attributes:
        table_id, game, seat, ticket: what joining gave and took.
        client, temper, plan: who plays, and how.
        epoch, sequence: where its streams go on.
        is_done: the match has ended.
        carrier: who carries it now.
        stream: the stream that it reads.
        shown_ticket: the ticket that its last stream was opened with.
        has_begun: it knows that the match has begun.
        may_change: whether a house bot takes the seat when its player is away, until it is back.
        join_again: takes the seat once more, when it was freed before the match.
    """

    def __init__(
        self,
        world: World,
        client: Client,
        plan: SeatPlan,
        table: TablePlan,
        table_id: str,
        seat: int,
    ) -> None:
        self.world = world
        self.game = table.game
        self.plan = plan
        self.client = client
        self.temper = client.temper
        self.table_id = table_id
        self.seat = seat
        self.ticket = ""
        self.epoch = 0
        self.sequence = 0
        self.is_done = False
        self.carrier: Carrier | None = None
        self.stream: Stream | None = None
        self.shown_ticket = ""
        self.has_begun = False
        self.may_change = plan.client != HOUSE and table.is_relieved
        self.join_again: Callable[[], None] = lambda: None
        self._nonces: dict[bytes, bytes] = {}
        self._withheld = list(plan.withheld)
        self._unveilings: dict[bytes, Unveiling] = {}
        self.answers: dict[str, bytes] = {}
        self._thinking: set[str] = set()
        self._is_timed = table.is_timed
        self._concedes = table.concedes == seat
        self._lies: dict[str, bytes] = {}
        self._open = ""

    # What comes -----------------------------------------------------------------------------------

    def take(self, stream: Stream, update: table_pb2.TableUpdate, data: bytes, sent: int) -> None:
        """Take the next update of the seat's stream."""
        world = self.world
        world.see(Told(world.now_ms(), stream, update, data, sent))
        match update.WhichOneof("update"):
            case "decision":
                self.sequence = max(self.sequence, update.decision.sequence)
                self._decide(update.decision)
            case "event":
                self.sequence = update.event.sequence
                self.has_begun |= update.event.HasField("match_started")
            case "snapshot":
                self.has_begun |= update.snapshot.table.status >= _PLAYING
                self.epoch = update.snapshot.table.table_epoch
                self.sequence = update.snapshot.sequence
                if update.snapshot.table.HasField("result"):
                    self.is_done = True
            case "resumed":
                self.epoch = update.resumed.table_epoch
            case "nonce_wanted":
                self._unveil(update.nonce_wanted.nonce_hash)
            case "move_accepted":
                self.accepted(update.move_accepted.decision_id, update.move_accepted.sequence)
            case "move_refused":
                refused = update.move_refused
                self.refused(refused.decision_id, status_of(refused.refusal), "move")
            case "result":
                self.is_done = True

    def promise(self, nonce: bytes) -> bytes:
        """The hash of *nonce*, which is opened when it is wanted."""
        promised = hashlib.sha256(nonce).digest()
        self._nonces[promised] = nonce
        return promised

    def _unveil(self, wanted: bytes) -> None:
        """Open the nonce with the hash *wanted*, if that is how the seat is."""
        nonce = self._nonces.get(wanted)
        if nonce is None:
            raise Broken("Fair", self.table_id, f"seat {self.seat} never promised what is wanted")
        if wanted not in self._unveilings:
            self._unveilings[wanted] = self._withheld.pop(0) if self._withheld else Unveiling()
        unveiling = self._unveilings[wanted]
        following = hashlib.sha256(b"next" + nonce).digest()
        promised = self.promise(following) if self.plan.has_next else b""
        if unveiling.is_wrong:
            self._send_nonce(following, promised)
        if unveiling.after_ms is not None:
            self.world.later(unveiling.after_ms, self._send_nonce, nonce, promised)

    def _send_nonce(self, nonce: bytes, next_hash: bytes) -> None:
        if self.carrier is not None:
            self.carrier.open_nonce(self, nonce, next_hash)

    def _decide(self, decision: table_pb2.Decision) -> None:
        self.has_begun = True
        self._open = decision.decision_id
        rng, temper = self.world.rng, self.temper
        if self.carrier is not None:
            if rng.random() < temper.lie:
                self.carrier.lie(self, decision.decision_id)
            if rng.random() < temper.rejoin:
                self.carrier.rejoin(self)
            if rng.random() < _LOOK:
                self.carrier.look(self)
        if decision.decision_id in self._thinking:
            return  # it has not answered yet, and will
        if decision.decision_id in self.answers:
            self.world.later(rng.random() * 5, self.send, decision.decision_id)
            return
        legal = decision.legal
        if not legal.moves and not legal.patterns:
            if self.carrier is not None:
                self.carrier.list_legal(self, decision.decision_id)
            return
        move = LegalMoves(legal).sample(rng).message
        self._think(decision.decision_id, move.SerializeToString())

    def found_legal(self, decision_id: str, moves: list[game_pb2.LegalMove]) -> None:
        """What `Carrier.list_legal` asked for."""
        if decision_id == self._open and decision_id not in self.answers and moves:
            move = self.world.rng.choice(moves).move
            self._think(decision_id, move.SerializeToString())

    def _think(self, decision_id: str, move: bytes) -> None:
        rng = self.world.rng
        wait = rng.random() * self.temper.think_ms
        if self._is_timed and rng.random() < self.temper.dawdle:
            wait = rng.choice((6_000, 30_000, 1_000_000))
        self.answers[decision_id] = move
        self._thinking.add(decision_id)
        self.world.later(wait, self.send, decision_id)

    def send(self, decision_id: str) -> None:
        """Send the answer to a decision, if it is the one that is open."""
        self._thinking.discard(decision_id)
        move = self.answers.get(decision_id)
        if decision_id != self._open or self.is_done or self.world.has_ended(self.table_id):
            return
        if move is not None and self.carrier is not None:
            self.carrier.answer(self, decision_id, move)

    # What becomes of answers ----------------------------------------------------------------------

    def make_lie(self, decision_id: str) -> tuple[str, game_pb2.Move] | None:
        """Something that no client should answer, to some decision; at most one to each."""
        rng = self.world.rng
        lie = lies.a_decision(rng, decision_id)
        if lie[:_ID_MAX] in self._lies:
            return None
        move = lies.a_move(rng, self.game)
        self._lies[lie[:_ID_MAX]] = move.SerializeToString()
        return lie, move

    def accepted(self, decision_id: str, sequence: int) -> None:
        """An answer was accepted; where there was a lie too, nobody knows which."""
        world = self.world
        move = self.answers.get(decision_id)
        if decision_id in self._lies:
            return
        if move is None:
            if self.temper.is_honest:
                raise Broken("Unique", self.table_id, f"{decision_id} was never answered")
            return
        world.see(
            Acknowledged(world.now_ms(), self.table_id, self.seat, decision_id, move, sequence)
        )
        if world.rng.random() < self.temper.repeat and self.carrier is not None:
            self.carrier.answer(self, decision_id, move)

    def refused(
        self,
        decision_id: str,
        status: bytes,
        call: str,
        *,
        is_due: bool = True,
        is_insisted_on: bool = True,
    ) -> None:
        """An answer was refused; *is_due*: see `Refused`; *is_insisted_on*: it is sent again where
        that may help."""
        world = self.world
        move = self._lies.get(decision_id) or self.answers.get(decision_id, b"")
        reason = reason_of(status)
        seat, after = self.seat, self.sequence
        now = world.now_ms()
        world.see(Refused(now, self.table_id, seat, call, status, move, after, is_due, decision_id))
        if reason in LATER or reason in ("NOT_FOUND", "TICKET_INVALID"):
            if is_insisted_on:
                wait = 200 + world.rng.random() * 300
                if self.temper.is_honest:
                    wait = max(wait, retry_ms_of(status))
                world.later(wait, self.send, decision_id)
        elif reason == "TICKET_SUPERSEDED" and self.may_change:
            pass  # what follows from it is told by the seat's stream
        elif self.temper.rejoin and reason in ("TICKET_SUPERSEDED", "TICKET_INVALID"):
            world.later(200, self.send, decision_id)
        elif self.temper.is_honest and reason not in TOO_LATE:
            what = f"the answer to {decision_id} was refused with {reason}"
            raise Broken("Isolated", self.table_id, what)
