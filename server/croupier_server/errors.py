"""Every error that the server raises on purpose, and the published reason of each refusal.

The tree::

    CroupierError                reason, message, optional field and metadata
      IllegalMove                a rule forbids the move; carries the game's word and the clause
      MalformedMove              the move cannot be read as a move of this game
      InvalidRequest             a request that no state of the server would accept
      NotYourTurn                no decision of that seat is open
      StaleDecision              the decision was answered or closed
      NotFound                   unknown here, or not yours: the two are never told apart
      NotAllowed                 the caller has no right to do this
      Conflict                   right request, wrong moment (table full, started, ended)
      TableHalted                a rules bug stopped this table
      Exhausted                  a limit was reached; waiting may help
      Unavailable                the server is draining or its store is gone; waiting helps

This module imports nothing of the project. It must not know gRPC: ``rpc/errors.py`` maps a
reason to a status code, and is the only place that does.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class Reason(StrEnum):
    """Published reasons: the names of ``croupier.v1.ErrorReason`` without their prefix."""

    # Requests
    MALFORMED_REQUEST = "MALFORMED_REQUEST"
    UNKNOWN_GAME = "UNKNOWN_GAME"
    UNKNOWN_RULESET = "UNKNOWN_RULESET"
    UNKNOWN_OPTION = "UNKNOWN_OPTION"
    INVALID_OPTION = "INVALID_OPTION"
    UNKNOWN_CLAUSE = "UNKNOWN_CLAUSE"
    INVALID_PAGE_TOKEN = "INVALID_PAGE_TOKEN"  # noqa: S105 - a word of the contract
    INVALID_CURSOR = "INVALID_CURSOR"
    REQUEST_ID_REUSED = "REQUEST_ID_REUSED"
    UNKNOWN_FIELD = "UNKNOWN_FIELD"
    # Who may act
    UNAUTHENTICATED = "UNAUTHENTICATED"
    PERMISSION_DENIED = "PERMISSION_DENIED"
    TICKET_INVALID = "TICKET_INVALID"
    TICKET_SUPERSEDED = "TICKET_SUPERSEDED"
    NOT_FOUND = "NOT_FOUND"
    # Tables
    SEAT_TAKEN = "SEAT_TAKEN"
    SEAT_RESERVED = "SEAT_RESERVED"
    TABLE_FULL = "TABLE_FULL"
    TABLE_NOT_READY = "TABLE_NOT_READY"
    TABLE_STARTED = "TABLE_STARTED"
    TABLE_CLOSED = "TABLE_CLOSED"
    TABLE_HALTED = "TABLE_HALTED"
    NONCE_MISMATCH = "NONCE_MISMATCH"
    NONCE_NOT_EXPECTED = "NONCE_NOT_EXPECTED"
    HOST_HAS_SEAT = "HOST_HAS_SEAT"
    # Decisions
    NOT_YOUR_TURN = "NOT_YOUR_TURN"
    STALE_DECISION = "STALE_DECISION"
    DECISION_ANSWERED = "DECISION_ANSWERED"
    UNKNOWN_DECISION = "UNKNOWN_DECISION"
    MALFORMED_MOVE = "MALFORMED_MOVE"
    MOVE_NOT_EXPECTED = "MOVE_NOT_EXPECTED"
    # Streams and limits
    SEQUENCE_AHEAD = "SEQUENCE_AHEAD"
    RATE_LIMITED = "RATE_LIMITED"
    TOO_MANY_TABLES = "TOO_MANY_TABLES"
    TOO_MANY_STREAMS = "TOO_MANY_STREAMS"
    SERVER_DRAINING = "SERVER_DRAINING"
    STORE_UNAVAILABLE = "STORE_UNAVAILABLE"
    INTERNAL = "INTERNAL"
    # Rules
    ILLEGAL_MOVE = "ILLEGAL_MOVE"
    # Operations
    MOVED = "MOVED"
    TABLE_RECOVERING = "TABLE_RECOVERING"
    TABLE_QUARANTINED = "TABLE_QUARANTINED"
    BOARD_CONFLICT = "BOARD_CONFLICT"
    TOO_MANY_JOINS = "TOO_MANY_JOINS"
    NONCE_WITHHELD = "NONCE_WITHHELD"
    TOO_MANY_HOUSE_SEATS = "TOO_MANY_HOUSE_SEATS"
    # Tournaments
    UNKNOWN_ENTRANT = "UNKNOWN_ENTRANT"
    PROGRAM_NOT_ALLOWED = "PROGRAM_NOT_ALLOWED"
    TOO_MANY_TOURNAMENTS = "TOO_MANY_TOURNAMENTS"
    TOURNAMENT_STATE = "TOURNAMENT_STATE"


class CroupierError(Exception):
    """Root of the tree.

    Attributes:
        reason: the published word.
        message: one English sentence for people; programs read the reason.
        field: path of the request field at fault, or ``""``.
        metadata: further facts, all of them already known to the caller.
        retry_ms: waiting time after which trying again may help, or 0.
    """

    def __init__(
        self,
        reason: Reason,
        message: str,
        *,
        field: str = "",
        metadata: Mapping[str, str] | None = None,
        retry_ms: int = 0,
    ) -> None:
        super().__init__(f"{reason}: {message}")
        self.reason = reason
        self.message = message
        self.field = field
        self.metadata: Mapping[str, str] = metadata or {}
        self.retry_ms = retry_ms


class IllegalMove(CroupierError):
    """The rules forbid this move now.

    Attributes:
        rule: the game's word for what is wrong; its ``refusals.py`` lists them.
        clause: id of the rule clause, such as ``T-6.4``.
    """

    def __init__(self, rule: str, clause: str, message: str, *, field: str = "") -> None:
        super().__init__(
            Reason.ILLEGAL_MOVE,
            f"{message} ({clause})",
            field=field,
            metadata={"rule": str(rule), "clause": clause},
        )
        self.rule = rule
        self.clause = clause


class MalformedMove(CroupierError):
    """The move cannot be read: unknown card, empty move, a move of another game."""


class InvalidRequest(CroupierError):
    """A request that could not be right at any time; ``field`` says where.

    Attributes:
        violations: path and fault of every field that is wrong, where there is more to say than
            ``field`` and ``message``.
    """

    def __init__(
        self,
        reason: Reason,
        message: str,
        *,
        field: str = "",
        metadata: Mapping[str, str] | None = None,
        retry_ms: int = 0,
        violations: tuple[tuple[str, str], ...] = (),
    ) -> None:
        super().__init__(reason, message, field=field, metadata=metadata, retry_ms=retry_ms)
        self.violations = violations


class NotYourTurn(CroupierError):
    """No decision of that seat is open."""


class StaleDecision(CroupierError):
    """The decision was answered with another move, or its time is over.

    Attributes:
        accepted: the move that was accepted, as a serialised ``croupier.v1.Move``; empty for none.
    """

    def __init__(self, reason: Reason, message: str, *, accepted: bytes = b"") -> None:
        super().__init__(reason, message)
        self.accepted = accepted


class NotFound(CroupierError):
    """Unknown, or not for this caller to know."""


class NotAllowed(CroupierError):
    """The caller is known and may not do this."""


class Conflict(CroupierError):
    """The request does not fit the present state of its table."""


class TableHalted(CroupierError):
    """A rules bug stopped this table; its log is kept."""


HALTED: Final = (
    "a fault of the server stopped this table, and its match does not continue; join another table"
)
"""What is told of a table that a rules bug stopped."""


class Exhausted(CroupierError):
    """A limit was reached."""


class Unavailable(CroupierError):
    """The server cannot take this now."""
