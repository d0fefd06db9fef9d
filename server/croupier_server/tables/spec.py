"""What is fixed for a table's life: game, options, seats, deal source, clock."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from croupier_server.errors import InvalidRequest, Reason
from croupier_server.games.base import Outcome, Seat, SeatOutcome
from croupier_server.games.cards import card_text
from croupier_server.storage.base import Player


class Status(IntEnum):
    """Where a table stands; the numbers are those of ``croupier.v1.TableStatus``."""

    OPEN = 1
    AWAITING_NONCES = 2
    PLAYING = 3
    ENDED = 4


class AbortedBy(IntEnum):
    """Who stopped a match; the numbers are those of ``croupier.v1.AbortedBy``."""

    HOST = 1
    OPERATOR = 2


class Access(IntEnum):
    """Who may take a seat; the numbers are those of ``croupier.v1.SeatAccess``."""

    OPEN = 1
    RESERVED = 2
    HOUSE = 3


class StartMode(IntEnum):
    """When a full table starts; the numbers are those of ``croupier.v1.StartMode``."""

    AUTOMATIC = 1
    MANUAL = 2


class Visibility(IntEnum):
    """Who can find a table; the numbers are those of ``croupier.v1.Visibility``."""

    LISTED = 1
    UNLISTED = 2
    PRIVATE = 3


class AbsencePolicy(IntEnum):
    """What becomes of an absent seat; the numbers are those of ``croupier.v1.AbsencePolicy``."""

    WAIT = 1
    HOUSE_BOT = 2
    FORFEIT = 3


class TimeoutPolicy(IntEnum):
    """What becomes of a seat whose time has run out; the numbers are those of
    ``croupier.v1.TimeoutPolicy``."""

    FALLBACK = 1
    STRIKE = 2
    FORFEIT = 3


class ViewMode(IntEnum):
    """What a seat's stream carries; the numbers are those of ``croupier.v1.ViewMode``."""

    FULL = 1
    EVENTS = 2
    DELTA = 3


class DealKind(IntEnum):
    """Where the cards come from; the numbers are those of the arms of ``DealSource``."""

    MATCH = 1
    BOARD = 2
    FIXED = 3


@dataclass(frozen=True, slots=True)
class DealSource:
    """Where the cards come from.

    Attributes:
        kind: which of the three.
        board_id: the board's id (BOARD).
        root: the board's secret root, 32 bytes (BOARD). Never sent before the reveal.
        commitment: SHA-256 of the root (BOARD).
        tables: that are played on the board; records wait for the last of them (BOARD).
        shared_principals: one principal may sit at several of them at a time (BOARD).
        seed: from which every shuffle and lot follows (FIXED). Never sent.
        decks: of the first deals, a byte a card (FIXED). Never sent before the reveal.
    """

    kind: DealKind = DealKind.MATCH
    board_id: str = ""
    root: bytes = field(default=b"", repr=False)
    commitment: bytes = b""
    tables: int = 1
    shared_principals: bool = False
    seed: int | None = field(default=None, repr=False)
    decks: tuple[bytes, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class ClockSpec:
    """The clock of a table, in milliseconds. All zero: no clock.

    Attributes:
        base_ms: time for the whole match.
        increment_ms: added to it after each move.
        per_move_ms: time for each move before the base is touched.
        window_ms: how long a sealed window stays open; 0: until all have answered.
        max_strikes: strikes after which a seat forfeits; 0: never.
        on_timeout: what becomes of a seat whose time has run out.
        disconnect_grace_ms: for so long in all a seat is charged nothing while it has no stream.
        start_timeout_ms: so long after the table was made the match must have begun; 0: whenever.
    """

    base_ms: int = 0
    increment_ms: int = 0
    per_move_ms: int = 0
    window_ms: int = 0
    max_strikes: int = 0
    on_timeout: TimeoutPolicy = TimeoutPolicy.STRIKE
    disconnect_grace_ms: int = 0
    start_timeout_ms: int = 0

    @property
    def is_timed(self) -> bool:
        """Whether a seat's time can run out."""
        return bool(self.base_ms or self.increment_ms or self.per_move_ms)


@dataclass(frozen=True, slots=True)
class SpectatorDelay:
    """How far everybody but the seats stays behind a match: until both are over.

    Attributes:
        decisions: so many must have been answered since.
        time_ms: so long must it be ago.
    """

    decisions: int = 0
    time_ms: int = 0


@dataclass(frozen=True, slots=True)
class SeatSpec:
    """How a seat is filled: who may take it, the name it is reserved for, the house bot's name, and
    the principal that it is reserved for."""

    access: Access = Access.OPEN
    player: str = ""
    house_bot: str = ""
    player_id: str = ""


@dataclass(frozen=True, slots=True)
class CreateTable:
    """A request for a table, read and checked for form.

    Attributes:
        kind: number of the game's ``GameKind``.
        ruleset: its name; empty: the game's default.
        overrides: options that differ from it, as text.
        seats: in order; seats left out are open.
        delay: how far spectators stay behind; None: not at all.
        request_id: makes the call safe to repeat; empty: it is not.
    """

    kind: int
    ruleset: str = ""
    overrides: Mapping[str, str] = field(default_factory=dict)
    seats: tuple[SeatSpec, ...] = ()
    deal: DealSource = DealSource()
    clock: ClockSpec = ClockSpec()
    legal_mode: int = 1
    absence: AbsencePolicy = AbsencePolicy.WAIT
    rated: bool = False
    shared_seats: bool = False
    start_mode: StartMode = StartMode.AUTOMATIC
    visibility: Visibility = Visibility.LISTED
    title: str = ""
    delay: SpectatorDelay | None = None
    request_id: str = ""


@dataclass(frozen=True, slots=True)
class JoinTable:
    """A request for a seat, read and checked for form.

    Attributes:
        table_id: the table.
        seat: None: that of the ticket or invite code, or the first open one.
        invite_code: the right to a seat that is reserved. Secret.
        player: how the player is shown; its ``player_id`` is empty.
        nonce_hash: SHA-256 of the seat's nonce, or empty.
        request_id: makes the call safe to repeat; empty: it is not.
        replaces_ticket: whether the key that holds *seat* asks for a new ticket.
    """

    table_id: str
    seat: Seat | None = None
    invite_code: str = field(default="", repr=False)
    player: Player = field(default_factory=Player)
    nonce_hash: bytes = b""
    request_id: str = ""
    replaces_ticket: bool = False


@dataclass(frozen=True, slots=True)
class TableSpec:
    """What a table is, for life.

    Attributes:
        table_id: its id.
        epoch: which life of the table this is.
        kind: number of its ``GameKind``.
        ruleset: the ruleset that the options started from.
        options: the game's own options value.
        option_text: every option as text, by name.
        options_message: serialised ``croupier.v1.GameOptions``, all fields set.
        ruleset_hash: see `ruleset_hash`.
        rules_version: version of the rules that it is played by.
        seats: one a seat, in order.
        teams: number of the team of each seat.
        commitment: published in place of the table's secret (MATCH), else empty.
        created_ms: when it was made.
        endpoint: address of the server that owns it; empty: the one that was asked.
        delay: how far everybody but the seats stays behind; None: not at all.
    """

    table_id: str
    epoch: int
    kind: int
    ruleset: str
    options: Any
    option_text: Mapping[str, str]
    options_message: bytes
    ruleset_hash: bytes
    rules_version: int
    seats: tuple[SeatSpec, ...]
    teams: tuple[int, ...]
    deal: DealSource
    commitment: bytes
    clock: ClockSpec
    legal_mode: int
    absence: AbsencePolicy
    rated: bool
    shared_seats: bool
    start_mode: StartMode
    visibility: Visibility
    title: str
    created_ms: int
    endpoint: str = ""
    delay: SpectatorDelay | None = None

    @property
    def house_seats(self) -> int:
        """Number of seats that house bots take from the start."""
        return sum(seat.access is Access.HOUSE for seat in self.seats)

    def partners(self, seat: Seat) -> list[Seat]:
        """The seats of the team of *seat*, itself among them."""
        return [one for one, team in enumerate(self.teams) if team == self.teams[seat]]

    def lost_by(self, seat: Seat, scores: Sequence[int]) -> Outcome:
        """How a match ends that the team of *seat* gave away: *scores* stay as they stand, and that
        team is last."""
        lost = self.teams[seat]
        others = dict(zip(self.teams, scores, strict=True))
        del others[lost]
        return Outcome(
            tuple(
                SeatOutcome(
                    score, 1 + sum(team == lost or other > score for other in others.values())
                )
                for team, score in zip(self.teams, scores, strict=True)
            )
        )


def ruleset_hash(option_text: Mapping[str, str]) -> bytes:
    """SHA-256 over the options as sorted ``key=value`` lines: pins the rules."""
    lines = "".join(f"{name}={value}\n" for name, value in sorted(option_text.items()))
    return hashlib.sha256(lines.encode()).digest()


def check_create(request: CreateTable, players: int, board_hash: bytes) -> None:
    """Refuse what does not go together in a request for a table of *players* seats.

    Args:
        request: what is asked for.
        players: seats by the game's options.
        board_hash: SHA-256 of ``request.deal.root``.

    Raises:
        InvalidRequest: MALFORMED_REQUEST; ``field`` says where.
    """

    def refuse(field: str, why: str) -> InvalidRequest:
        return InvalidRequest(Reason.MALFORMED_REQUEST, why, field=field)

    deal = request.deal
    if len(request.seats) > players:
        raise refuse("seats", f"{len(request.seats)} seats given; the options require {players}")
    for number, seat in enumerate(request.seats):
        if seat.access is Access.HOUSE and not seat.house_bot:
            raise refuse(f"seats[{number}].house_bot", "a house seat needs the name of its bot")
    if deal.kind is DealKind.BOARD:
        if deal.commitment and deal.commitment != board_hash:
            raise refuse("spec.deal_source.board.commitment", "not the SHA-256 of the root")
        is_open = len(request.seats) < players
        if is_open or any(seat.access is Access.OPEN for seat in request.seats):
            raise refuse("spec.deal_source.board", "a board cannot have open seats")
    if deal.kind is DealKind.FIXED:
        if deal.seed is None:
            raise refuse("spec.deal_source.fixed.seed", "a FIXED table requires a seed")
        if request.rated:
            raise refuse("spec.rated", "a FIXED table cannot be rated")
    if request.rated and request.shared_seats:
        raise refuse("spec.shared_seats", "a rated table gives a principal only one seat")


def check_decks(decks: Sequence[bytes], pack: Sequence[int]) -> None:
    """Check that each deck that a host gives is the pack of its table.

    Raises:
        InvalidRequest: MALFORMED_REQUEST, with the deck at fault and the cards that are missing or
            too many.
    """
    wanted = Counter(pack)
    for number, deck in enumerate(decks):
        found = Counter(deck)
        faults = [
            f"{what} {' '.join(card_text(card) for card in sorted(cards.elements()))}"
            for what, cards in (("missing", wanted - found), ("too many", found - wanted))
            if cards
        ]
        if faults:
            raise InvalidRequest(
                Reason.MALFORMED_REQUEST,
                f"not the pack of {len(pack)} cards: {'; '.join(faults)}",
                field=f"spec.deal_source.fixed.decks[{number}].cards",
            )
