"""A finished match, at any of its decisions: what a seat saw, could play and played."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from croupier.arms import move_of
from croupier.errors import UsageError
from croupier.moves import Move
from croupier.randomness import SeatRandom
from croupier.record.v1 import record_pb2
from croupier.v1 import game_pb2, table_pb2
from croupier_server.errors import CroupierError
from croupier_server.games.base import Seat
from croupier_server.games.modules import WIRES_BY_NAME
from croupier_server.local.match import Match, Rules, wait_here
from croupier_server.tables.match.deals import SECRET_BYTES, RootDealer

_KIND: Final = "GAME_KIND_"


class Answer(NamedTuple):
    """An answer of a recorded match.

    Attributes:
        number: of the event that it led to; of a sealed answer, that of the end of its window.
        seat: whose it was.
        move: that was played.
        timed_out: the time was up, and the rules played the move.
        seconds: charged for it, of a seat that answered.
    """

    number: int
    seat: Seat
    move: Move
    timed_out: bool
    seconds: float


def answers_of(record: record_pb2.MatchRecord) -> list[Answer]:
    """All answers of *record*, in the order in which they came."""
    found: list[Answer] = []
    number = 0
    for row in reversed(record.rows):
        number = row.sequence or number
        kind = row.input.WhichOneof("input")
        if kind in ("move", "answer"):
            own: record_pb2.MoveInput = getattr(row.input, kind)
            seconds = own.charged.seconds + own.charged.nanos / 1e9
            move = move_of(game_pb2.LegalMove(move=own.move))
            found.append(Answer(number, own.seat, move, own.timed_out, seconds))
    return found[::-1]


class RecordedMatch(Match):
    """The match of a record as it stood before one of its answers.

    `play` and `run` may then go another way than the match did: the cards to come are those that
    the record's root gives.

    Args:
        record: of a match that was begun.
        answers: of the record, as many as are played before.

    Raises:
        UsageError: the record is of a game or of options that are not known here, shows no root,
            or has an answer that the rules forbid.
    """

    def __init__(self, record: record_pb2.MatchRecord, answers: Sequence[Answer]) -> None:
        rules = _rules(record)
        root = record.reveal.root
        if len(root) != SECRET_BYTES:
            raise UsageError("the record has no root of its cards: no match was begun")
        self._table = record.table
        sources = [SeatRandom(0, "", seat) for seat in range(rules.players)]
        dealer = RootDealer(root, [bytes(deck.cards) for deck in record.reveal.decks])
        try:
            self._begin(rules, dealer, [], sources, wait_here)
            for answer in answers:
                self.play(answer.move, answer.seat)
        except (CroupierError, UsageError) as error:
            raise UsageError(f"the record does not fit the rules: {error}") from None

    def table(self) -> table_pb2.Table:
        """The table of the record."""
        return self._table


def _rules(record: record_pb2.MatchRecord) -> Rules:
    spec = record.table.spec
    try:
        name = game_pb2.GameKind.Name(spec.game).removeprefix(_KIND).lower()
        wire = WIRES_BY_NAME[name]
    except (KeyError, ValueError):
        raise UsageError(f"no game {spec.game} is known here") from None
    try:
        texts = {option.name: option.value for option in record.options}
        options = wire.rules.options(spec.ruleset, texts)
    except CroupierError as error:
        raise UsageError(error.message) from None
    return Rules(wire.rules, wire, spec.ruleset, options, wire.options_message(options))
