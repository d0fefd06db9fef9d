"""The checks of a record in their order, each a sentence."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Final

from google.protobuf.message import DecodeError

from croupier.v1 import game_pb2, table_pb2
from croupier_server.errors import CroupierError, InvalidRequest
from croupier_server.games.base import EndReason, Outcome, SeatOutcome
from croupier_server.games.modules import WIRES
from croupier_server.games.registry import GAMES
from croupier_server.storage.codec import RecordError
from croupier_server.tables.clocks.decisions import FIRST_EPOCH
from croupier_server.tables.durability.replay import ReplayError, replay
from croupier_server.tables.match import deals, encode
from croupier_server.tables.match.creation import GameEntry
from croupier_server.tables.match.opening import RESTARTS_MAX
from croupier_server.tables.shard.operating import check_outcome
from croupier_server.tables.spec import (
    AbortedBy,
    AbsencePolicy,
    Access,
    DealKind,
    TableSpec,
    TimeoutPolicy,
    ruleset_hash,
)
from croupier_server.verify.ending import check_ending
from croupier_server.verify.log import RecordLog, VainOpening, Wrong
from croupier_server.verify.report import Caution, Check, Report
from croupier_server.verify.rules import Play
from croupier_server.verify.times import check_times

_HASH_BYTES: Final = 34


def verify(data: bytes) -> Report:
    """Check a serialised ``Record`` from its bytes alone."""
    try:
        log = RecordLog(data)
    except RecordError as error:
        before = [Check("file", True, _of_file(data))] if error.check == "chain" else []
        return Report((*before, Check(error.check, False, str(error))))
    except DecodeError:
        return Report((Check("file", False, "a row holds no event of a table"),))
    file = Check("file", True, _of_file(data))
    return Report((file, *_Checks(log).run()))


def _of_file(data: bytes) -> str:
    digest = hashlib.sha256(data[:-_HASH_BYTES]).hexdigest()
    return f"{len(data)} bytes in their one form, with the hash {digest} at the end"


def _check_choices(table: table_pb2.Table) -> None:
    """Raise `Wrong` unless *table* has made each choice; a server leaves none open."""
    accesses = [one.value for one in Access]
    choices: list[tuple[str, int, Sequence[int]]] = [
        ("absence", table.spec.absence, [one.value for one in AbsencePolicy]),
        ("legal_mode", table.spec.legal_mode, table_pb2.LegalMode.values()[1:]),
        ("clock.on_timeout", table.spec.clock.on_timeout, [one.value for one in TimeoutPolicy]),
        ("visibility", table.spec.visibility, table_pb2.Visibility.values()[1:]),
        ("start_mode", table.spec.start_mode, table_pb2.StartMode.values()[1:]),
        *((f"seats[{one.seat}].access", one.access, accesses) for one in table.seats),
    ]
    for name, value, allowed in choices:
        if value not in allowed:
            numbers = ", ".join(map(str, allowed))
            raise Wrong(f"{name} of the table is {value}; it must be one of {numbers}")


class _Checks:
    """The checks of a record whose hashes are right."""

    def __init__(self, log: RecordLog) -> None:
        self._log = log
        self._found: list[Check] = []
        self._entry: GameEntry
        self._spec: TableSpec
        self._play: Play

    def run(self) -> list[Check]:
        """All that can be checked."""
        if not self._check("chain", self._chain) or not self._check("table", self._table):
            return self._found
        self._check("commitment", self._commitment)
        self._check("nonces", self._nonces)
        self._check("restarts", self._restarts)
        self._check("times", lambda: check_times(self._log))
        if self._check("root", self._root):
            self._play = Play(self._log, self._entry, self._spec.options)
            is_played = self._check("moves", self._moves)
            self._check("decks", self._decks)
            if is_played:
                self._check("result", self._result)
                self._check("replay", self._replay)
        return self._found

    def _check(self, name: str, check: Callable[[], str]) -> bool:
        """Add what *check* says, and whether it holds."""
        warning = False
        try:
            detail, holds = check(), True
            warning = isinstance(detail, Caution)
        except (Wrong, ReplayError, CroupierError) as error:
            detail, holds = str(error), False
        except Exception as error:
            # A record comes from anybody: what our own code trips over is not true either.
            detail, holds = f"not to be checked: {type(error).__name__}", False
        self._found.append(Check(name, holds, str(detail), warning))
        return holds

    def _chain(self) -> str:
        lines = self._log.lines
        numbers = [line.row.sequence for line in lines if line.row.sequence]
        if numbers != list(range(1, len(numbers) + 1)):
            raise Wrong("events are not numbered 1, 2, 3 ...")
        for line in lines:
            if line.row.sequence != line.event.sequence:
                raise Wrong(f"the row of {line.name} holds the event {line.event.sequence}")
        return f"{len(lines)} rows, events 1 to {len(numbers)}"

    def _table(self) -> str:
        """The table as it was created, its options, and the hash that pins them."""
        log, table = self._log, self._log.table
        wire = WIRES.get(table.spec.game)
        if wire is None:
            raise Wrong(f"a game that is unknown here: {table.spec.game}")
        game = GAMES[wire.name]
        if not log.lines or log.lines[0].kind != "table_created":
            raise Wrong("the log does not begin with the table")
        created = log.lines[0].event.table_created.table
        if created.SerializeToString(deterministic=True) != log.match.table:
            raise Wrong("the table of the first event is another one")
        if ruleset_hash(log.match.option_text) != table.ruleset_hash:
            raise Wrong("the options are not those of the ruleset's hash")
        _check_choices(table)
        log.check_leavers()
        self._entry = GameEntry(game, wire)
        self._spec = spec = log.spec(self._entry)
        if dict(game.option_text(spec.options)) != dict(log.match.option_text):
            raise Wrong("the options are not written as this version writes them")
        if wire.options_message(spec.options) != table.spec.options:
            raise Wrong("the options of the table are not those of the ruleset's hash")
        if game.rules_version != table.rules_version:
            raise Wrong(f"rules of version {table.rules_version}; here is {game.rules_version}")
        teams = tuple(game.team(spec.options, seat) for seat in range(game.players(spec.options)))
        if teams != spec.teams:
            raise Wrong("the options ask for other seats or teams")
        if spec.epoch != FIRST_EPOCH:
            raise Wrong(f"the table must begin in epoch 1, not {spec.epoch}")
        return (
            f"{wire.title}, ruleset {table.spec.ruleset}, {len(teams)} seats; "
            f"the options have the hash {table.ruleset_hash.hex()}"
        )

    def _commitment(self) -> str:
        log, reveal = self._log, self._log.match.reveal
        if log.deal_kind is not DealKind.MATCH and (reveal.secret or log.table.commitment):
            raise Wrong("a secret of the table has no part in these cards")
        if log.deal_kind is DealKind.FIXED:
            return "FIXED: none was made; whoever chose the seed knew the cards"
        if log.deal_kind is DealKind.BOARD:
            committed = log.table.spec.deal_source.board.commitment
            if not log.is_begun:
                return "BOARD: the match never began, no root is revealed"
            if hashlib.sha256(reveal.root).digest() != committed:
                raise Wrong("the root is not the one that the board was committed to")
            return f"BOARD: the root has the hash {committed.hex()}"
        *replaced, committed = log.commitments
        if not log.commits_to(committed, reveal.secret):
            raise Wrong("the secret is not the one that the table was committed to")
        return (
            f"MATCH: the secret has the commitment {committed.hex()}, which pins the table too; "
            f"{len(replaced)} before it replaced for nonces withheld"
        )

    def _restarts(self) -> str:
        """Openings that a withheld nonce ended, what was abandoned, and who could foresee it."""
        log, openings = self._log, self._log.vain_openings
        restarts = [one for one in openings if not one.is_last]
        named = [one.commitments for one in restarts]
        if named != [[commitment] for commitment in log.commitments[1:]]:
            raise Wrong("seats that were freed together do not name one new commitment")
        self._check_abandoned(restarts)
        if not openings:
            return "no nonce was withheld"
        return Caution(". ".join(one.warning() for one in openings))

    def _check_abandoned(self, restarts: Sequence[VainOpening]) -> None:
        """Check every abandoned secret and the nonces that had been opened with it."""
        log, abandoned = self._log, self._log.match.reveal.abandoned
        if len(abandoned) != len(restarts):
            raise Wrong(f"{len(abandoned)} abandoned secrets for {len(restarts)} restarts")
        if len(restarts) > RESTARTS_MAX:
            raise Wrong(f"{len(restarts)} restarts; a server allows {RESTARTS_MAX}")
        for number, (opening, one) in enumerate(zip(restarts, abandoned, strict=True)):
            if not log.commits_to(log.commitments[number], one.secret):
                raise Wrong(f"abandoned secret {number + 1} does not match its commitment")
            self._check_opened(opening, one.nonces, f"before restart {number + 1}")

    def _check_opened(self, opening: VainOpening, nonces: Sequence[bytes], when: str) -> None:
        """Check the nonces that were opened in vain."""
        if len(nonces) != len(self._log.table.seats):
            raise Wrong(f"{len(nonces)} nonces {when}; one for each seat needed")
        for seat, nonce in enumerate(nonces):
            if bool(nonce) != (seat in opening.opened):
                raise Wrong(f"the log and the reveal differ on the nonce of seat {seat} {when}")
            if nonce and hashlib.sha256(nonce).digest() != opening.promised.get(seat):
                raise Wrong(f"the nonce of seat {seat} {when} does not match its hash")

    def _nonces(self) -> str:
        log, nonces = self._log, self._log.match.reveal.nonces
        if log.deal_kind is not DealKind.MATCH:
            if nonces or log.events("nonce_opened"):
                raise Wrong("nonces have no part in these cards")
            return "none have a part in these cards"
        if len(nonces) != len(log.table.seats):
            raise Wrong(f"{len(nonces)} nonces for {len(log.table.seats)} seats")
        found = log.nonces
        if found is None:
            if any(nonces) or log.is_begun:
                raise Wrong("nonces were revealed, or the match began, before all sat")
            return "the seats were not all taken in the end"
        hashes = [found.promised.get(seat, b"") for seat in range(len(nonces))]
        opened = found.opened
        for seat, (nonce, hash_) in enumerate(zip(nonces, hashes, strict=True)):
            if bool(nonce) != (seat in opened):
                raise Wrong(f"the log and the reveal differ on whether seat {seat} opened a nonce")
            if nonce and hashlib.sha256(nonce).digest() != hash_:
                raise Wrong(f"the nonce of seat {seat} does not match its hash")
            if hash_ and not nonce and log.is_begun:
                raise Wrong(f"the match began without the nonce of seat {seat}")
        return f"{len(opened)} of {len(nonces)} seats gave one, each with the hash it had given"

    def _root(self) -> str:
        log, reveal = self._log, self._log.match.reveal
        if reveal.decks and log.deal_kind is not DealKind.FIXED:
            raise Wrong("decks of the host have no part in these cards")
        if not log.is_begun:
            if reveal.root or any(line.cause.HasField("chance") for line in log.lines):
                raise Wrong("cards were dealt in a match that never began")
            return "the match never began"
        if len(reveal.root) != deals.SECRET_BYTES:
            raise Wrong("the root has not 32 bytes")
        if log.deal_kind is DealKind.MATCH:
            if deals.match_root(reveal.secret, log.table.table_id, reveal.nonces) != reveal.root:
                raise Wrong("the root does not follow from secret, table and nonces")
            return "it follows from secret, table and nonces"
        if log.deal_kind is DealKind.BOARD:
            return "that of the board"
        if reveal.seed is None or deals.fixed_root(reveal.seed) != reveal.root:
            raise Wrong("the root does not follow from the seed")
        chosen = f"; THE HOST CHOSE the decks of deals 1 to {len(reveal.decks)}"
        return f"it follows from the seed {reveal.seed}{chosen if reveal.decks else ''}"

    def _moves(self) -> str:
        self._play.run()
        counts = self._play.counts
        return (
            f"{counts['moves']} moves and {counts['answers']} sealed answers keep to the rules; "
            f"all events follow from them, the scores of {counts['deals']} deals among them"
        )

    def _decks(self) -> str:
        if self._play.wrong_chance:
            raise Wrong(self._play.wrong_chance)
        counts = self._play.counts
        return f"{counts['decks']} decks and {counts['lots']} lots follow from the root"

    def _result(self) -> str:
        log, game = self._log, self._entry.game
        result = game_pb2.MatchResult.FromString(log.match.result)
        last, is_halted = log.lines[-1], result.reason == EndReason.HALTED.value
        if last.kind == "match_ended":
            if last.event.match_ended != result or is_halted:
                raise Wrong("the last event tells another result")
        elif last.kind != "table_halted" or not is_halted:
            raise Wrong("the match has not ended")
        outcome = game.outcome(self._play.state)
        basis = check_ending(log, result, is_over=outcome is not None)
        reason = EndReason(result.reason)
        seat = result.seat_at_fault if result.HasField("seat_at_fault") else None
        if reason in (EndReason.FORFEIT, EndReason.CONCEDED):
            outcome = self._spec.lost_by(result.seat_at_fault, game.standing(self._play.state))
        elif reason is EndReason.ADJUDICATED:
            outcome = Outcome(tuple(SeatOutcome(one.score, one.place) for one in result.seats))
            try:
                check_outcome(self._spec.teams, outcome)
            except InvalidRequest as error:
                raise Wrong(f"no outcome of this table: {error}") from error
        elif reason is not EndReason.FINISHED:
            outcome = None
        aborted_by = AbortedBy(result.aborted_by) if result.aborted_by else None
        expected = encode.match_result(reason, outcome, seat, result.detail, aborted_by)
        if expected != log.match.result:
            raise Wrong("the scores and places are not those of the match")
        scores = " ".join(f"{one.score:+d}" for one in result.seats) or "it does not count"
        return f"{reason.name}: {scores}{basis}"

    def _replay(self) -> str:
        log = self._log
        table = replay(self._spec, self._entry, log.rows, log.match.reveal.nonces)
        if table.result != log.match.result:
            raise Wrong("the table ends with another result")
        return f"the table makes the same {len(log.rows)} rows again, byte for byte"
