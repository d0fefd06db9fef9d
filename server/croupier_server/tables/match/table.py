"""The authoritative table, sans-IO: from the first seat to the end of its match.

OPEN, then (deal source MATCH with nonces) AWAITING_NONCES, then PLAYING, then ENDED. Every call is
told what time it is; what it leads to is in the journal when it returns. A fault of the rules halts
this table alone: its log is kept, its match does not count.

Must not be put here: asyncio, streams, storage, who is allowed to call (``shard.py``), seats and
nonces (``opening.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

from croupier_server.errors import (
    HALTED,
    Conflict,
    CroupierError,
    Reason,
    TableHalted,
)
from croupier_server.games.base import AnyGame, EndReason, Legal, Move, Outcome, Seat
from croupier_server.storage.base import LogRow, Player
from croupier_server.tables import faults
from croupier_server.tables.clocks.clock import FOREVER
from croupier_server.tables.clocks.decisions import AFTER_REFUSAL
from croupier_server.tables.clocks.presence import Presence
from croupier_server.tables.kept import (
    Carried,
    Conceded,
    Creation,
    Opened,
    Replaced,
    Sitting,
)
from croupier_server.tables.match import deals, encode
from croupier_server.tables.match.deals import MakeDealer
from croupier_server.tables.match.delay import Delayed
from croupier_server.tables.match.encode import Shown
from croupier_server.tables.match.journal import Journal
from croupier_server.tables.match.match import Match
from croupier_server.tables.match.opening import Opening
from croupier_server.tables.match.updates import StreamEnd
from croupier_server.tables.spec import AbortedBy, Access, Status, TableSpec, Visibility
from croupier_server.wire.game import GameWire
from croupier_server.wire.generated import table as messages
from croupier_server.wire.generated.table import EVENT


class Watcher(Protocol):
    """A reader of a table, to be told when there may be something new."""

    @property
    def sees_events(self) -> bool:
        """Whether every event is for it, and not decisions and the result alone."""

    def wake(self) -> None:
        """There may be something to read."""

    def beat(self) -> None:
        """A heartbeat is due."""

    def finish(self, reason: StreamEnd, detail: str = "", retry_after_ms: int = 0) -> None:
        """The stream is to end."""


class SeatWatcher(Watcher, Protocol):
    """A reader with a seat."""

    def part(self, reason: StreamEnd, detail: str) -> None:
        """The stream is to end once all that has happened by now is stored."""


class Spectator(Watcher, Protocol):
    """A reader without a seat."""

    @property
    def principal(self) -> str:
        """Who reads."""


class Ending(NamedTuple):
    """How a match ended.

    Attributes:
        reason: why.
        seat: the seat at fault, if one is.
    """

    reason: EndReason
    seat: Seat | None


class Table:
    """One table.

    Attributes:
        spec: what it is, for life.
        game, wire: its rules and their messages.
        number: rises with each table of a server: its place in lists.
        opening: its host, seats, nonces and secret.
        seats: who holds each seat.
        status: where it stands.
        journal: its events.
        delayed: what everybody but the seats sees, at a table that is shown late.
        presence: who has been away.
        match: the match, which has begun when the status is PLAYING.
        result: payload of ``MatchResult``, once it has ended.
        ending: why it ended and the seat at fault, if one is; None: it has not.
        shown: seats and status, as far as they are stored.
        is_halted: a fault stopped it.
        fault: where the fault was, for the log; names no card.
        ended_ms: when it ended.
        seat_watchers: by seat, the newest stream of the seat.
        spectators: streams without a seat.
        has_event_watchers: one of `seat_watchers` sees events, or did.
        scheduled_ms: when its owner is going to call `tick`.
        is_touched: something happened that its owner has not handed to the store yet.
        is_changed: seats or status have changed since its owner last told the lobby.
        change: number of its last change among those that the lobby was told of; 0: of none.
        is_lost: its events could not be stored, so it is given up.
    """

    __slots__ = (
        "__weakref__",
        "_fixed",
        "_make_dealer",
        "_new_secret",
        "change",
        "created",
        "delayed",
        "ended_ms",
        "ending",
        "fault",
        "game",
        "has_event_watchers",
        "is_changed",
        "is_halted",
        "is_lost",
        "is_touched",
        "journal",
        "match",
        "number",
        "opening",
        "presence",
        "result",
        "scheduled_ms",
        "seat_watchers",
        "seats",
        "shown",
        "spec",
        "spectators",
        "status",
        "wire",
    )

    def __init__(
        self,
        spec: TableSpec,
        game: AnyGame,
        wire: GameWire,
        *,
        creation: Creation | None = None,
        new_secret: Callable[[], bytes] = bytes,
        make_dealer: MakeDealer = lambda spec, root: deals.RootDealer(root, spec.deal.decks),
        outbox: list[LogRow] | None = None,
        number: int = 0,
        away_ms: int = FOREVER,
    ) -> None:
        self.spec = spec
        self.number = number
        self.status = Status.OPEN
        creation = creation or Creation()
        self.journal = Journal(
            spec.table_id, spec.epoch, wire, outbox if outbox is not None else []
        )
        self.opening = Opening(spec, self.journal, creation)
        self.seats = self.opening.seats
        self.match = Match(spec, game, wire, self.journal, self.opening)
        self.presence = Presence(len(spec.seats), away_ms, waits_for_turns=spec.clock.is_timed)
        self.result: bytes | None = None
        self.ending: Ending | None = None
        self.is_halted = False
        self.fault = ""
        self.ended_ms = 0
        self.seat_watchers: list[SeatWatcher | None] = [None] * len(spec.seats)
        self.spectators: dict[Spectator, None] = {}
        self.has_event_watchers = False
        self.scheduled_ms = FOREVER
        self.is_touched = False
        self.is_changed = True
        self.change = 0
        self.is_lost = False
        self.game = game
        self.wire = wire
        self._make_dealer = make_dealer
        self._new_secret = new_secret
        self._fixed = encode.fixed_fields(spec)
        self.delayed: Delayed | None = None
        self.shown = self.show()
        if spec.delay is not None:
            self.delayed = Delayed(spec, game, wire, show=self.show, clocks=self.match.told)
            self.journal.delayed = self.delayed
        self.created = self.resource()
        payload = messages.created(self.created)
        self.journal.announce(EVENT["table_created"], payload, spec.created_ms, creation)

    def take_up(self, epoch: int, outbox: list[LogRow]) -> None:
        """The table came out of its log: it goes on as *epoch* with what is stored, and hands what
        happens from now on to *outbox*."""
        self.spec = replace(self.spec, epoch=epoch)
        self._fixed = encode.fixed_fields(self.spec)
        self.journal.take_up(epoch, outbox)
        self.match.begin_life(epoch)
        self.match.fresh.clear()
        self.is_changed = False

    def resume(
        self, carried: Carried, results: Sequence[object], rows: Sequence[LogRow], now: int
    ) -> None:
        """Begin the deal that *carried* belongs to, at a table as it was made.

        Args:
            carried: with the first event of the deal.
            results: of the deals before it.
            rows: up to the first event of the deal, at least from that of the deal before on.
            now: when the deal began.
        """
        self.status = Status.PLAYING
        for seat, given in zip(self.seats, carried.seats, strict=True):
            seat.resume(given)
        root = self.opening.resume(carried.opening)
        self.journal.resume(rows, carried.kept_from)
        try:
            self.match.resume(self._make_dealer(self.spec, root), carried, results, now)
        except Exception as fault:
            self.halt(fault, now)
        else:
            self.settle(now)

    # What everybody may see ----------------------------------------------------------------------

    def show(self) -> Shown:
        """What is shown of seats and status once all that has happened is stored."""
        seats = tuple(self.seat_info(seat) for seat in range(len(self.seats)))
        return Shown(self.status, seats, self.opening.commitment, self.result)

    @property
    def leaves_record(self) -> bool:
        """Whether an ended match leaves a record.

        One that never began does not, unless a fault stopped it, or all seats were taken and one of
        them kept it from beginning: what was promised until then has to be checkable.
        """
        assert self.ending is not None
        reason = self.ending.reason
        return (
            self.opening.began_at is not None
            or reason is EndReason.HALTED
            or (reason is EndReason.NO_SHOW and self.opening.was_filled)
        )

    @property
    def is_listed(self) -> bool:
        """Whether lists show it, which they do not before it is stored."""
        return self.spec.visibility is Visibility.LISTED and self.journal.committed > 0

    def stored(self, sequence: int, shown: Shown | None) -> None:
        """Events up to *sequence* are stored; *shown*: what is shown then, if it has changed."""
        self.journal.committed = sequence
        if shown is not None:
            self.shown = shown

    @property
    def seen(self) -> Shown:
        """Seats and status as everybody sees them."""
        return self.shown if self.delayed is None else self.delayed.shown

    def seen_by(self, *, is_veiled: bool) -> Shown:
        """Seats and status as somebody sees them. A match that *is_veiled* (see `Boards.veils`) is
        under way from its start on."""
        seen = self.seen
        if not is_veiled or seen.status < Status.PLAYING or not self.opening.has_begun:
            return seen
        return seen._replace(status=Status.PLAYING, result=None)

    def resource(self, *, is_veiled: bool = False) -> bytes:
        """Payload of ``croupier.v1.Table``, as everybody sees it; for *is_veiled* see `seen_by`."""
        seen = self.seen_by(is_veiled=is_veiled)
        if is_veiled and seen.status is Status.PLAYING:
            return encode.table(self._fixed, seen, 0)
        if self.delayed is None:
            return self.seat_resource()
        return encode.table(self._fixed, self.delayed.shown, self.delayed.sequence)

    def seat_resource(self) -> bytes:
        """Payload of ``croupier.v1.Table``, as it is stored; for its seats alone."""
        return encode.table(self._fixed, self.shown, self.journal.committed)

    def seat_info(self, seat: Seat) -> bytes:
        """Payload of ``SeatInfo``; nonce hashes are public once all sit."""
        return self.opening.seat_info(seat, show_nonce_hash=self.status is not Status.OPEN)

    @property
    def deadline(self) -> int:
        """When `tick` is wanted, or `FOREVER`."""
        deadline = self.match.timing.deadline
        if self.opening.deadline < deadline:
            deadline = self.opening.deadline
        if self.delayed is not None and self.delayed.deadline < deadline:
            deadline = self.delayed.deadline
        if self.presence.is_watched and self.status is Status.PLAYING:
            away = self.presence.deadline(self.seat_watchers, self.match.decisions)
            return min(deadline, away)
        return deadline

    def away(self, now: int) -> list[Seat]:
        """Seats that have been away for too long, where that matters."""
        if not self.presence.is_watched or self.status is not Status.PLAYING:
            return []
        return self.presence.away(self.seat_watchers, self.match.decisions, now)

    def is_abandoned(self, now: int, after_ms: int) -> bool:
        """Whether the match has not ended, no seat but those of house bots has a stream, and for
        *after_ms* none of them was heard of."""
        players = [
            seat for seat, spec in enumerate(self.spec.seats) if spec.access is not Access.HOUSE
        ]
        return (
            self.status is not Status.ENDED
            and all(self.seat_watchers[seat] is None for seat in players)
            and now - max(self.spec.created_ms, self.presence.last_seen_ms(players)) >= after_ms
        )

    # Seats ---------------------------------------------------------------------------------------

    def join(self, seat: Seat, player: Player, sitting: Sitting, now: int) -> None:
        """Sit *player* down, or let the seat be joined again, which raises its epoch.

        Once all sit, a seat keeps its nonce hash.

        Raises:
            Conflict: TABLE_CLOSED.
        """
        self.expect_live()
        state = self.seats[seat]
        is_same = state.owner == sitting.principal and not (state.relieved or sitting.relieves)
        self.opening.join(seat, player, sitting, now, is_open=self.status is Status.OPEN)
        self.is_changed = True
        if is_same:  # a new ticket is a sign of life, but it answers no turn
            self.presence.is_back(seat)
            self.presence.seen(seat, now)
        else:
            self.presence.grant(seat, now)

    def leave(self, seat: Seat, now: int) -> None:
        """Free a seat.

        Raises:
            Conflict: TABLE_STARTED or TABLE_CLOSED.
        """
        self.expect_open()
        self.opening.leave(seat, now)
        self.is_changed = True

    def expect_live(self) -> None:
        """Raise unless the match can still go on.

        Raises:
            TableHalted: a fault stopped the table.
            Conflict: TABLE_CLOSED.
        """
        if self.is_halted:
            raise TableHalted(Reason.TABLE_HALTED, HALTED)
        if self.status is Status.ENDED:
            raise Conflict(Reason.TABLE_CLOSED, "the match has ended")

    def expect_seen_live(self, *, is_veiled: bool = False) -> None:
        """As `expect_live`, for those who may not know that the match has ended: one that is shown
        late, or that *is_veiled*."""
        if self.seen_by(is_veiled=is_veiled).status is Status.ENDED:
            self.expect_live()

    def expect_open(self, *, is_veiled: bool = False) -> None:
        """Raise unless seats are still being taken, as far as the caller may know.

        Raises:
            TableHalted, Conflict: TABLE_CLOSED or TABLE_STARTED.
        """
        self.expect_seen_live(is_veiled=is_veiled)
        if self.status is not Status.OPEN:
            raise Conflict(Reason.TABLE_STARTED, "the match has begun")

    # Start ---------------------------------------------------------------------------------------

    def start(self, now: int, nonce_ms: int) -> None:
        """All sit: open the nonces, or begin at once where there are none.

        Args:
            now: the time.
            nonce_ms: how long nonces are waited for.

        Raises:
            Conflict: TABLE_NOT_READY, TABLE_STARTED or TABLE_CLOSED.
        """
        self.expect_open()
        if not self.opening.is_full:
            raise Conflict(Reason.TABLE_NOT_READY, "seats are still empty")
        self.status = Status.AWAITING_NONCES
        self.is_changed = True
        if not self.opening.fill(now, nonce_ms):
            self._begin(now)

    def open_nonce(self, seat: Seat, nonce: bytes, next_hash: bytes, now: int) -> None:
        """Take the nonce of *seat*, and the hash of its next one; the last one begins the match.
        The same one again is fine.

        Raises:
            CroupierError: see `Opening.check_nonce`.
        """
        if nonce and nonce == self.seats[seat].nonce:
            return
        self.expect_live()
        self.opening.check_nonce(seat, nonce, next_hash)
        self.take_nonce(seat, Opened(nonce, next_hash), now)

    def take_nonce(self, seat: Seat, opened: Opened, now: int) -> None:
        """Take a nonce that is known to be right."""
        if self.opening.take_nonce(seat, opened, now):
            self._begin(now)

    def _opening_is_due(self, now: int) -> None:
        """Nonces were withheld, or the match has not begun in time."""
        opening = self.opening
        if opening.is_too_late(now):
            detail = "the match had not begun in time"
            self.end(EndReason.NO_SHOW, now, opening.missing_seat(), detail)
            return
        withheld = opening.withheld()
        if not opening.can_restart:
            seats = " and ".join(f"seat {seat}" for seat in withheld)
            detail = f"{seats} withheld the nonce, and only two restarts are allowed"
            self.end(EndReason.NO_SHOW, now, withheld[0], detail)
            return
        secret = self._new_secret()
        for seat in withheld:
            self.no_show(seat, Replaced(secret), opening.commit(secret), now)

    def no_show(self, seat: Seat, replaced: Replaced, commitment: bytes, now: int) -> None:
        """*seat* withheld its nonce; see `Opening.no_show`."""
        self.status = Status.OPEN
        self.is_changed = True
        self.opening.no_show(seat, replaced, commitment, now)
        watcher = self.seat_watchers[seat]
        if watcher is not None:
            watcher.part(StreamEnd.NONCE_WITHHELD, "the nonce was not opened in time")

    def _begin(self, now: int) -> None:
        self.presence.seen_all(now)
        self.status = Status.PLAYING
        self.is_changed = True
        root = self.opening.finish()
        self.journal.announce(EVENT["match_started"], b"", now)
        try:
            self.match.start(self._make_dealer(self.spec, root), now)
        except Exception as fault:
            self.halt(fault, now)
        else:
            self.settle(now)

    # Play ----------------------------------------------------------------------------------------

    def submit(self, seat: Seat, decision_id: str, move: Move, now: int) -> int:
        """Answer a decision; see `Match.submit`.

        Raises:
            TableHalted: the move ran into a fault of ours, now or before.
            Conflict: TABLE_CLOSED.
            CroupierError: as `Match.submit` has them.
        """
        match = self.match
        if now >= match.timing.deadline:
            self.tick(now)
        try:
            sequence = match.submit(seat, decision_id, move, now)
        except CroupierError:
            self.settle(now)
            if self.status is not Status.PLAYING:
                self.expect_live()
            raise
        except Exception as fault:
            self.halt(fault, now)
            raise TableHalted(Reason.TABLE_HALTED, HALTED) from fault
        if match.is_over or match.forfeit is not None:
            self.settle(now)
            if self.is_halted:
                self.expect_live()
        return sequence

    def refuse_unreadable(self, seat: Seat, decision_id: str, now: int) -> None:
        """Count an answer that could not be read among the refusals of its decision."""
        decision = self.match.decisions[seat]
        if decision is not None and decision.id == decision_id and decision.answer is None:
            self.match.refuse(decision)
            self.settle(now)

    def check(self, seat: Seat, decision_id: str, move: Move) -> None:
        """Raise what `submit` would raise, and change nothing."""
        self.expect_live()
        self.match.check(seat, decision_id, move)

    def legal(self, seat: Seat, decision_id: str) -> Legal:
        """Legal answers of an open decision; see `Match.legal`."""
        self.expect_live()
        return self.match.legal(seat, decision_id)

    def tick(self, now: int) -> None:
        """Carry out what is due: nonces that did not come, windows, clocks."""
        if now >= self.opening.deadline:
            self._opening_is_due(now)
            return
        try:
            self.match.tick(now)
        except Exception as fault:
            self.halt(fault, now)
        else:
            self.settle(now)

    # End -----------------------------------------------------------------------------------------

    def concede(self, seat: Seat, now: int) -> bool:
        """Give the match up; returns whether that ended it.

        At a rated table every partner must agree.

        Raises:
            Conflict: TABLE_NOT_READY or TABLE_CLOSED.
        """
        self.expect_live()
        if self.status is not Status.PLAYING:
            raise Conflict(Reason.TABLE_NOT_READY, "the match has not begun")
        before, self.seats[seat].conceded = self.seats[seat].conceded, True
        partners = self.spec.partners(seat)
        if self.spec.rated and not all(self.seats[one].conceded for one in partners):
            if not before:
                self.journal.note(Conceded(seat))
            return False
        decision = self.match.decisions[seat]
        was_refused = decision is not None and decision.refusals > 0
        self.end(EndReason.CONCEDED, now, seat, AFTER_REFUSAL if was_refused else "")
        return True

    def abort(self, detail: str, now: int) -> None:
        """Stop the table for its host; its match does not count. What has ended and is not shown so
        stays as it is: the answer may not tell.

        A host that plays in the match could void it when it is behind. At a rated table it is
        refused; it may concede, for which partners have to agree, as they would not to a forfeit.

        Raises:
            TableHalted: a fault stopped the table.
            Conflict: TABLE_CLOSED; HOST_HAS_SEAT, the host sits there and the match is starting or
                under way, or it withheld its nonce.
        """
        self.expect_seen_live()
        host = self.opening.creation.principal
        is_player = self.status is not Status.OPEN and host in self.opening.sitters()
        if self.spec.rated and (is_player or host in self.opening.withholders):
            raise Conflict(
                Reason.HOST_HAS_SEAT,
                "the host plays in this rated match, or withheld its nonce before it, and cannot "
                "abort it; concede if you hold a seat, or ask an operator to abort it",
            )
        if self.delayed is None or self.status is not Status.ENDED:
            self.expect_live()
            self.end(EndReason.ABORTED, now, None, detail, aborted_by=AbortedBy.HOST)

    def halt(self, fault: BaseException, now: int) -> None:
        """Stop the table for a fault of ours; its log is kept."""
        if self.status is Status.ENDED:
            return
        self.fault = faults.describe(fault)
        self.is_halted = True
        self._close(
            Ending(EndReason.HALTED, None), encode.match_result(EndReason.HALTED, None), now
        )
        self.journal.announce(EVENT["table_halted"], b"", now)

    def give_up(self) -> None:
        """Nothing more happens here: what did could not be stored, and nobody may hear of it."""
        self.is_lost = self.is_halted = True
        self.is_changed = False
        self.status = Status.ENDED
        self.opening.close()
        self.match.stop()

    def settle(self, now: int) -> None:
        """End the match if the rules or the strikes have."""
        if self.status is not Status.PLAYING:
            return
        match = self.match
        try:
            if match.forfeit is not None:
                self.end(EndReason.FORFEIT, now, *match.forfeit)
            elif match.is_over:
                self.end(EndReason.FINISHED, now)
        except Exception as fault:
            self.halt(fault, now)

    def end(
        self,
        reason: EndReason,
        now: int,
        seat: Seat | None = None,
        detail: str = "",
        outcome: Outcome | None = None,
        aborted_by: AbortedBy | None = None,
    ) -> None:
        """End the match.

        Args:
            reason: why. By the rules it counts as they say; a forfeit or a concession is lost by
                the team of *seat*, with the scores after the last finished deal; otherwise it
                counts only with an *outcome*.
            now: the time.
            seat: the seat at fault, if one is.
            detail: one sentence for people.
            outcome: how it ended, where an operator has decided that.
            aborted_by: who stopped it, for ABORTED.
        """
        if reason is EndReason.FINISHED:
            outcome = self.game.outcome(self.match.state)
        elif reason in (EndReason.FORFEIT, EndReason.CONCEDED):
            assert seat is not None
            outcome = self.spec.lost_by(seat, self.game.standing(self.match.state))
        result = encode.match_result(reason, outcome, seat, detail, aborted_by)
        self._close(Ending(reason, seat), result, now)
        assert self.result is not None
        self.journal.announce(EVENT["match_ended"], self.result, now)

    def _close(self, ending: Ending, result: bytes, now: int) -> None:
        self.status = Status.ENDED
        self.ending = ending
        self.is_changed = True
        self.result = result
        self.ended_ms = now
        self.opening.close()
        self.match.stop()
