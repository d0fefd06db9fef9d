"""From an error to what a caller is sent: a gRPC status with details, or a ``Refusal`` on a stream.

Nobody else names a status code for a refusal.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import grpc
from google.rpc import error_details_pb2, status_pb2

from croupier.v1 import errors_pb2
from croupier_server.errors import (
    CroupierError,
    IllegalMove,
    InvalidRequest,
    Reason,
    StaleDecision,
)

DOMAIN: Final = "croupier"
"""Domain of every `google.rpc.ErrorInfo`."""

DETAILS_KEY: Final = "grpc-status-details-bin"
"""Trailer that carries the status with its details."""

_INVALID = grpc.StatusCode.INVALID_ARGUMENT
_PRECONDITION = grpc.StatusCode.FAILED_PRECONDITION
_EXHAUSTED = grpc.StatusCode.RESOURCE_EXHAUSTED
_UNAUTHENTICATED = grpc.StatusCode.UNAUTHENTICATED
_NOT_FOUND = grpc.StatusCode.NOT_FOUND
_EXISTS = grpc.StatusCode.ALREADY_EXISTS
_DENIED = grpc.StatusCode.PERMISSION_DENIED
_ABORTED = grpc.StatusCode.ABORTED
_UNAVAILABLE = grpc.StatusCode.UNAVAILABLE

STATUS: Final[Mapping[Reason, grpc.StatusCode]] = MappingProxyType(
    {
        # Requests
        Reason.MALFORMED_REQUEST: _INVALID,
        Reason.UNKNOWN_GAME: _INVALID,
        Reason.UNKNOWN_RULESET: _INVALID,
        Reason.UNKNOWN_OPTION: _INVALID,
        Reason.INVALID_OPTION: _INVALID,
        Reason.UNKNOWN_CLAUSE: _NOT_FOUND,
        Reason.INVALID_PAGE_TOKEN: _INVALID,
        Reason.INVALID_CURSOR: _INVALID,
        Reason.REQUEST_ID_REUSED: _EXISTS,
        Reason.UNKNOWN_FIELD: _INVALID,
        # Who may act
        Reason.UNAUTHENTICATED: _UNAUTHENTICATED,
        Reason.PERMISSION_DENIED: _DENIED,
        Reason.TICKET_INVALID: _UNAUTHENTICATED,
        Reason.TICKET_SUPERSEDED: _UNAUTHENTICATED,
        Reason.NOT_FOUND: _NOT_FOUND,
        # Tables
        Reason.SEAT_TAKEN: _EXISTS,
        Reason.SEAT_RESERVED: _DENIED,
        Reason.TABLE_FULL: _PRECONDITION,
        Reason.TABLE_NOT_READY: _PRECONDITION,
        Reason.TABLE_STARTED: _PRECONDITION,
        Reason.TABLE_CLOSED: _PRECONDITION,
        Reason.TABLE_HALTED: _PRECONDITION,
        Reason.NONCE_MISMATCH: _INVALID,
        Reason.NONCE_NOT_EXPECTED: _PRECONDITION,
        Reason.HOST_HAS_SEAT: _PRECONDITION,
        # Decisions
        Reason.NOT_YOUR_TURN: _PRECONDITION,
        Reason.STALE_DECISION: _ABORTED,
        Reason.DECISION_ANSWERED: _ABORTED,
        Reason.UNKNOWN_DECISION: _INVALID,
        Reason.MALFORMED_MOVE: _INVALID,
        Reason.MOVE_NOT_EXPECTED: _PRECONDITION,
        # Streams and limits
        Reason.SEQUENCE_AHEAD: grpc.StatusCode.OUT_OF_RANGE,
        Reason.RATE_LIMITED: _EXHAUSTED,
        Reason.TOO_MANY_TABLES: _EXHAUSTED,
        Reason.TOO_MANY_STREAMS: _EXHAUSTED,
        Reason.SERVER_DRAINING: _UNAVAILABLE,
        Reason.STORE_UNAVAILABLE: _UNAVAILABLE,
        Reason.INTERNAL: grpc.StatusCode.INTERNAL,
        # Rules: the move is well formed, and does not fit the hand or the trick.
        Reason.ILLEGAL_MOVE: _PRECONDITION,
        # Operations
        Reason.MOVED: _UNAVAILABLE,
        Reason.TABLE_RECOVERING: _UNAVAILABLE,
        Reason.TABLE_QUARANTINED: _PRECONDITION,
        Reason.BOARD_CONFLICT: _DENIED,
        Reason.NONCE_WITHHELD: _DENIED,
        Reason.TOO_MANY_JOINS: _PRECONDITION,
        Reason.TOO_MANY_HOUSE_SEATS: _EXHAUSTED,
        # Tournaments
        Reason.UNKNOWN_ENTRANT: _INVALID,
        Reason.PROGRAM_NOT_ALLOWED: _INVALID,
        Reason.TOO_MANY_TOURNAMENTS: _EXHAUSTED,
        Reason.TOURNAMENT_STATE: _PRECONDITION,
    }
)
"""Status code of every reason."""

# A status travels in trailers, which every gRPC library bounds at about 8 KB.
_MESSAGE_MAX = 500
_PATH_MAX = 200
_VIOLATIONS_MAX = 8

_CODES: Final = {code.value[0]: code for code in grpc.StatusCode}


def to_status(error: CroupierError) -> status_pb2.Status:
    """*error* as a status: always one ErrorInfo, then whatever else the reason calls for."""
    code: int = STATUS[error.reason].value[0]
    message = error.message[:_MESSAGE_MAX]
    status = status_pb2.Status(code=code, message=message)
    info = error_details_pb2.ErrorInfo(
        reason=error.reason.value, domain=DOMAIN, metadata=error.metadata
    )
    status.details.add().Pack(info)
    violations = _violations(error)
    if violations:
        request = error_details_pb2.BadRequest()
        for path, why in violations[:_VIOLATIONS_MAX]:
            request.field_violations.add(field=path[:_PATH_MAX], description=why[:_MESSAGE_MAX])
        status.details.add().Pack(request)
    if error.retry_ms > 0:
        retry = error_details_pb2.RetryInfo()
        retry.retry_delay.FromMilliseconds(error.retry_ms)
        status.details.add().Pack(retry)
    if isinstance(error, StaleDecision) and error.accepted:
        status.details.add().Pack(to_refusal(error))
    return status


def to_refusal(error: CroupierError) -> errors_pb2.Refusal:
    """*error* as streams and ``CheckMove`` send it."""
    refusal = errors_pb2.Refusal(
        reason=errors_pb2.ErrorReason.Value(f"ERROR_REASON_{error.reason}"),
        detail=error.message[:_MESSAGE_MAX],
        field=error.field[:_PATH_MAX],
    )
    if isinstance(error, IllegalMove):
        refusal.rule, refusal.clause = error.rule, error.clause
    elif isinstance(error, StaleDecision) and error.accepted:
        refusal.accepted.ParseFromString(error.accepted)
    if error.retry_ms > 0:
        refusal.retry_after.FromMilliseconds(error.retry_ms)
    return refusal


def _violations(error: CroupierError) -> tuple[tuple[str, str], ...]:
    """Fields at fault with what is wrong with each."""
    if isinstance(error, InvalidRequest) and error.violations:
        return error.violations
    return ((error.field, error.message),) if error.field else ()


def code_of(status: status_pb2.Status) -> grpc.StatusCode:
    """The code of *status* as gRPC's enum."""
    return _CODES[status.code]


def internal() -> CroupierError:
    """What a caller is told of a fault of the server: nothing but that there was one."""
    return CroupierError(
        Reason.INTERNAL,
        "internal error of the server; its operator can find it in the log as call failed",
    )
