"""Every error that the SDK raises, in one tree.

The tree::

    Error                        anything below
      ConnectionFailed           nobody answers, or the connection was lost for too long
      SeatLost                   another stream or another join took the seat over
      BotError                   the bot's own code went wrong; its exception is the cause
      UsageError                 the SDK was called in a way that cannot work (also a ValueError)
      Refused                    the server said no: reason, message, clause, fields, retry_after
        InvalidRequest           the request could not be right at any time
        IllegalMove              a rule forbids the move; `clause` names it
        NotFound                 unknown, or not for this caller to know
        NotAllowed               no ticket, a foreign one, or no right
        Conflict                 right request, wrong moment
        LimitReached             too much, too many or too fast
        Unavailable              the server is going down or cannot store
        ServerFault              a fault of the server

A program looks at the class or at `Refused.reason`, a word of the contract's ``Reason``; the
message is for people. Must not be put here: what to do about an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import grpc
from google.rpc import error_details_pb2, status_pb2

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
    "Unavailable",
    "UsageError",
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


class BotError(Error):
    """The bot raised an exception, which is the cause of this one, or returned no move."""


class UsageError(Error, ValueError):
    """The SDK was called in a way that cannot work."""


class Refused(Error):
    """The server refused a request.

    Attributes:
        reason: word of the contract's ``Reason``, or the name of the status code if there is none.
        message: one sentence for people.
        clause: the rule clause of an illegal move, such as ``T-6.4``, else empty.
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
    ) -> None:
        self.code = code
        self.reason = reason
        self.message = message
        self.fields: Mapping[str, str] = fields or {}
        self.metadata: Mapping[str, str] = metadata or {}
        self.clause = self.metadata.get("clause", "")
        self.retry_after = retry_after
        where = "".join(
            f"; {path}" if text == message else f"; {path}: {text}"
            for path, text in self.fields.items()
        )
        super().__init__(f"{reason}: {message}{where}")

    @property
    def field(self) -> str:
        """Path of the first field at fault, or the empty text."""
        return next(iter(self.fields), "")


class InvalidRequest(Refused):
    """The request could not be right at any time; `Refused.fields` says where."""


class IllegalMove(Refused):
    """A rule forbids the move; `Refused.clause` names it."""


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

_CODES: Final[dict[int, grpc.StatusCode]] = {code.value[0]: code for code in grpc.StatusCode}


def key_ended(detail: str) -> NotAllowed:
    """A stream has ended because its key is good no longer: what any other call would say now."""
    return NotAllowed(grpc.StatusCode.UNAUTHENTICATED, "UNAUTHENTICATED", detail)


def from_status(status: status_pb2.Status) -> Refused:
    """The error that a ``google.rpc.Status`` in a message stands for."""
    code = _CODES.get(status.code, grpc.StatusCode.UNKNOWN)
    reason, metadata, fields, retry_after = code.name, {}, {}, None
    info = error_details_pb2.ErrorInfo()
    bad = error_details_pb2.BadRequest()
    retry = error_details_pb2.RetryInfo()
    for detail in status.details:
        if detail.Unpack(info):
            reason, metadata = info.reason, dict(info.metadata)
        elif detail.Unpack(bad):
            fields = {found.field: found.description for found in bad.field_violations}
        elif detail.Unpack(retry):
            retry_after = retry.retry_delay.seconds + retry.retry_delay.nanos / 1e9
    kind = IllegalMove if "clause" in metadata else _CLASSES.get(code, ServerFault)
    return kind(
        code, reason, status.message, fields=fields, metadata=metadata, retry_after=retry_after
    )


def from_rpc_error(error: grpc.RpcError) -> Refused:
    """The error that a failed call stands for, with the details that came in its trailers."""
    if not isinstance(error, grpc.aio.AioRpcError):
        return ServerFault(grpc.StatusCode.UNKNOWN, "UNKNOWN", str(error))
    for key, value in error.trailing_metadata() or ():
        if key == _DETAILS_KEY and isinstance(value, bytes):
            return from_status(status_pb2.Status.FromString(value))
    code = error.code()
    return _CLASSES.get(code, ServerFault)(code, code.name, error.details() or "no details")
