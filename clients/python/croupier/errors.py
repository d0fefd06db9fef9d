"""Every error that the SDK raises, in one tree.

The tree::

    Error                        anything below
      ConnectionFailed           nobody answers, or the connection was lost for too long
      SeatLost                   another stream or another join took the seat over
      TableMoved                 the table is at another server, which may not be called
      BotError                   the bot's own code went wrong; its exception is the cause
      UsageError                 the SDK was called in a way that cannot work (also a ValueError)
      Refused                    the server said no: reason, message, clause, fields, retry_after
        InvalidRequest           the request could not be right at any time
        IllegalMove              a rule forbids the move; `rule` and `clause` say which
        NotFound                 unknown, or not for this caller to know
        NotAllowed               no ticket, a foreign one, or no right
        Conflict                 right request, wrong moment
        LimitReached             too much, too many or too fast
        Unavailable              the server is going down or cannot store
        ServerFault              a fault of the server

A program looks at the class or at `Refused.reason`, a word of the contract's ``ErrorReason``, and
for an illegal move at `Refused.rule`, a word of the game; the message is for people. Must not be
put here: what to do about an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import grpc
from google.rpc import error_details_pb2, status_pb2

from croupier.v1 import errors_pb2, game_pb2

__all__ = [
    "BotError",
    "Conflict",
    "ConnectionFailed",
    "Error",
    "IllegalMove",
    "InvalidRequest",
    "LimitReached",
    "NotAllowed",
    "NotFound",
    "Refused",
    "SeatLost",
    "ServerFault",
    "TableMoved",
    "Unavailable",
    "UsageError",
    "from_refusal",
    "from_rpc_error",
    "from_status",
    "key_ended",
]

_DETAILS_KEY: Final = "grpc-status-details-bin"


class Error(Exception):
    """Anything that the SDK raises."""


class ConnectionFailed(Error):
    """Nobody answers at the address, or the connection was lost for longer than allowed."""


class SeatLost(Error):
    """Another stream of the seat, or a later join of it, took over."""


class TableMoved(Error):
    """The table is at another server now, at which this client may not go on.

    Attributes:
        endpoint: address of that server.
    """

    def __init__(self, endpoint: str) -> None:
        self.endpoint = endpoint
        super().__init__(
            f"the table is at {endpoint!r}; to play there, pass the address in `endpoints`"
        )


class BotError(Error):
    """The bot raised an exception, which is the cause of this one, or returned no move."""


class UsageError(Error, ValueError):
    """The SDK was called in a way that cannot work."""


class Refused(Error):
    """The server refused a request.

    Attributes:
        reason: word of the contract's ``ErrorReason``, or the name of the status code if there is
            none.
        message: one sentence for people.
        rule: the game's word for what is wrong with an illegal move, such as
            ``MUST_FOLLOW_PAIR``, else empty.
        clause: the rule clause of an illegal move, such as ``T-6.4``, else empty.
        accepted: the move that was accepted before, of DECISION_ANSWERED; else None.
        fields: what is wrong with each field of the request, by its path.
        metadata: further facts.
        retry_after: seconds after which trying again may help, or None.
        code: the canonical status code.
    """

    def __init__(
        self,
        code: grpc.StatusCode,
        reason: str,
        message: str,
        *,
        fields: Mapping[str, str] | None = None,
        metadata: Mapping[str, str] | None = None,
        retry_after: float | None = None,
        accepted: game_pb2.Move | None = None,
    ) -> None:
        self.code = code
        self.reason = reason
        self.message = message
        self.fields: Mapping[str, str] = fields or {}
        self.metadata: Mapping[str, str] = metadata or {}
        self.rule = self.metadata.get("rule", "")
        self.clause = self.metadata.get("clause", "")
        self.accepted = accepted
        self.retry_after = retry_after
        where = "".join(
            f" ({path})" if text in message else f"; {path}: {text}"
            for path, text in self.fields.items()
            if path not in message or text not in message
        )
        super().__init__(f"{self.rule or reason}: {message}{where}")

    @property
    def field(self) -> str:
        """Path of the first field at fault, or the empty text."""
        return next(iter(self.fields), "")


class InvalidRequest(Refused):
    """The request could not be right at any time; `Refused.fields` says where."""


class IllegalMove(Refused):
    """A rule forbids the move; `Refused.rule` and `Refused.clause` say which."""


class NotFound(Refused):
    """Unknown, or not for this caller to know."""


class NotAllowed(Refused):
    """No ticket, a foreign or replaced one, or no right to do this."""


class Conflict(Refused):
    """The request does not fit the present state of the table."""


class LimitReached(Refused):
    """Too much, too many or too fast; `Refused.retry_after` may say how long to wait."""


class Unavailable(Refused):
    """The server is going down or cannot store anything now."""


class ServerFault(Refused):
    """A fault of the server, which has logged it."""


_CLASSES: Final[dict[grpc.StatusCode, type[Refused]]] = {
    grpc.StatusCode.INVALID_ARGUMENT: InvalidRequest,
    grpc.StatusCode.OUT_OF_RANGE: InvalidRequest,
    grpc.StatusCode.UNIMPLEMENTED: InvalidRequest,
    grpc.StatusCode.NOT_FOUND: NotFound,
    grpc.StatusCode.UNAUTHENTICATED: NotAllowed,
    grpc.StatusCode.PERMISSION_DENIED: NotAllowed,
    grpc.StatusCode.FAILED_PRECONDITION: Conflict,
    grpc.StatusCode.ABORTED: Conflict,
    grpc.StatusCode.ALREADY_EXISTS: Conflict,
    grpc.StatusCode.RESOURCE_EXHAUSTED: LimitReached,
    grpc.StatusCode.UNAVAILABLE: Unavailable,
}

_REASONS: Final[dict[grpc.StatusCode, str]] = {
    grpc.StatusCode.INVALID_ARGUMENT: """
        MALFORMED_REQUEST UNKNOWN_GAME UNKNOWN_RULESET UNKNOWN_OPTION INVALID_OPTION
        INVALID_PAGE_TOKEN INVALID_CURSOR NONCE_MISMATCH UNKNOWN_DECISION MALFORMED_MOVE
        UNKNOWN_FIELD UNKNOWN_ENTRANT PROGRAM_NOT_ALLOWED
        """,
    grpc.StatusCode.NOT_FOUND: "UNKNOWN_CLAUSE NOT_FOUND",
    grpc.StatusCode.ALREADY_EXISTS: "REQUEST_ID_REUSED SEAT_TAKEN",
    grpc.StatusCode.UNAUTHENTICATED: "UNAUTHENTICATED TICKET_INVALID TICKET_SUPERSEDED",
    grpc.StatusCode.PERMISSION_DENIED: """
        PERMISSION_DENIED SEAT_RESERVED BOARD_CONFLICT NONCE_WITHHELD
        """,
    grpc.StatusCode.FAILED_PRECONDITION: """
        TABLE_FULL TABLE_NOT_READY TABLE_STARTED TABLE_CLOSED TABLE_HALTED NONCE_NOT_EXPECTED
        HOST_HAS_SEAT NOT_YOUR_TURN MOVE_NOT_EXPECTED ILLEGAL_MOVE TABLE_QUARANTINED TOO_MANY_JOINS
        TOURNAMENT_STATE
        """,
    grpc.StatusCode.ABORTED: "STALE_DECISION DECISION_ANSWERED",
    grpc.StatusCode.OUT_OF_RANGE: "SEQUENCE_AHEAD",
    grpc.StatusCode.RESOURCE_EXHAUSTED: """
        RATE_LIMITED TOO_MANY_TABLES TOO_MANY_STREAMS TOO_MANY_HOUSE_SEATS
        TOO_MANY_TOURNAMENTS
        """,
    grpc.StatusCode.UNAVAILABLE: "SERVER_DRAINING STORE_UNAVAILABLE TABLE_RECOVERING MOVED",
    grpc.StatusCode.INTERNAL: "INTERNAL",
}

_CODES_OF_REASONS: Final[dict[str, grpc.StatusCode]] = {
    word: code for code, words in _REASONS.items() for word in words.split()
}
"""The status code that each reason comes with on a call, which a stream does not say."""

_CODES: Final[dict[int, grpc.StatusCode]] = {code.value[0]: code for code in grpc.StatusCode}


def key_ended(detail: str) -> NotAllowed:
    """A stream has ended because its key is good no longer: what any other call would say now."""
    return NotAllowed(grpc.StatusCode.UNAUTHENTICATED, "UNAUTHENTICATED", detail)


def from_status(status: status_pb2.Status) -> Refused:
    """The error that a ``google.rpc.Status`` in a message stands for."""
    code = _CODES.get(status.code, grpc.StatusCode.UNKNOWN)
    reason, metadata, fields, retry_after, accepted = code.name, {}, {}, None, None
    info = error_details_pb2.ErrorInfo()
    bad = error_details_pb2.BadRequest()
    retry = error_details_pb2.RetryInfo()
    refusal = errors_pb2.Refusal()
    for detail in status.details:
        if detail.Unpack(info):
            reason, metadata = info.reason, dict(info.metadata)
        elif detail.Unpack(bad):
            fields = {found.field: found.description for found in bad.field_violations}
        elif detail.Unpack(retry):
            retry_after = retry.retry_delay.seconds + retry.retry_delay.nanos / 1e9
        elif detail.Unpack(refusal):
            accepted = refusal.accepted
    return _class(code, reason)(
        code,
        reason,
        status.message,
        fields=fields,
        metadata=metadata,
        retry_after=retry_after,
        accepted=accepted,
    )


def from_refusal(refusal: errors_pb2.Refusal) -> Refused:
    """The error that a ``Refusal`` on a stream, or of CheckMove, stands for."""
    names = errors_pb2.ErrorReason.DESCRIPTOR.values_by_number
    known = names.get(refusal.reason)
    reason = known.name.removeprefix("ERROR_REASON_") if known else f"REASON_{refusal.reason}"
    code = _CODES_OF_REASONS.get(reason, grpc.StatusCode.UNKNOWN)
    wait = refusal.retry_after if refusal.HasField("retry_after") else None
    if wait is not None and code is grpc.StatusCode.UNKNOWN:
        code = grpc.StatusCode.UNAVAILABLE  # as the contract says of reasons that are new
    metadata = {"rule": refusal.rule, "clause": refusal.clause}
    return _class(code, reason)(
        code,
        reason,
        refusal.detail,
        fields={refusal.field: refusal.detail} if refusal.field else {},
        metadata={key: value for key, value in metadata.items() if value},
        retry_after=None if wait is None else wait.seconds + wait.nanos / 1e9,
        accepted=refusal.accepted if refusal.HasField("accepted") else None,
    )


def _class(code: grpc.StatusCode, reason: str) -> type[Refused]:
    return IllegalMove if reason == "ILLEGAL_MOVE" else _CLASSES.get(code, ServerFault)


def from_rpc_error(error: grpc.RpcError) -> Refused:
    """The error that a failed call stands for, with the details that came in its trailers."""
    if not isinstance(error, grpc.aio.AioRpcError):
        return ServerFault(grpc.StatusCode.UNKNOWN, "UNKNOWN", str(error))
    for key, value in error.trailing_metadata() or ():
        if key == _DETAILS_KEY and isinstance(value, bytes):
            return from_status(status_pb2.Status.FromString(value))
    code = error.code()
    return _CLASSES.get(code, ServerFault)(code, code.name, error.details() or "no details")
