"""What operators do, and the audit log of it.

Every call that changes something is written down before it is answered, a refused one too.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import version

import structlog
from google.protobuf.message import Message

from croupier.admin.v1 import admin_service_pb2 as pb
from croupier_server.errors import CroupierError, InvalidRequest, NotFound, Reason
from croupier_server.games.base import Outcome, SeatOutcome
from croupier_server.rpc.pages import PageTokens
from croupier_server.rpc.requests import printable
from croupier_server.storage.base import AuditEntry, Store
from croupier_server.tables.caller import Caller
from croupier_server.tables.shard.operating import Operating
from croupier_server.tables.shard.shard import Shard

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Operated:
    """What the service stands on.

    Attributes:
        shard: owner of the tables.
        store: records, audit log and how the log is.
        now_ms: the server's clock.
        streams: how many streams are open.
        stop: has the server stop as after SIGTERM.
    """

    shard: Shard
    store: Store
    now_ms: Callable[[], int]
    streams: Callable[[], int]
    stop: Callable[[], None]


class AdminService:
    """``croupier.admin.v1.AdminService``.

    Args:
        operated: what is operated.
        pages: makes page tokens.
    """

    service = "croupier.admin.v1.AdminService"

    def __init__(self, operated: Operated, pages: PageTokens) -> None:
        self._operated = operated
        self._tables = Operating(operated.shard)
        self._pages = pages
        self._started_ms = operated.now_ms()

    async def get_server_status(
        self, _caller: Caller, _request: pb.GetServerStatusRequest
    ) -> pb.GetServerStatusResponse:
        """What the server is busy with."""
        operated = self._operated
        directory = operated.shard.directory
        answer = pb.GetServerStatusResponse(
            version=version("croupier-server"),
            live_tables=directory.live,
            recovering_tables=len(directory.recovery) if directory.recovery is not None else 0,
            quarantined_table_ids=self._tables.quarantined(),
            streams=operated.streams(),
            draining=operated.shard.reception.is_closed,
            store_failing=bool(operated.shard.upkeep.trouble),
            store=operated.store.name,
        )
        answer.start_time.FromMilliseconds(self._started_ms)
        return answer

    async def drain_server(
        self, caller: Caller, request: pb.DrainServerRequest
    ) -> pb.DrainServerResponse:
        """Refuses new tables; with ``stop`` also ends the process."""
        shard = self._operated.shard
        async with self._audited(caller, request, " stop" if request.stop else ""):
            shard.reception.is_closed = True
        if request.stop:
            _log.info("stopping", by=caller.principal)
            self._operated.stop()
        return pb.DrainServerResponse(live_tables=shard.directory.live)

    async def resume_server(
        self, caller: Caller, request: pb.ResumeServerRequest
    ) -> pb.ResumeServerResponse:
        """Accepts new tables again."""
        shard = self._operated.shard
        async with self._audited(caller, request):
            shard.reception.is_closed = False
        return pb.ResumeServerResponse(live_tables=shard.directory.live)

    async def abort_table(
        self, caller: Caller, request: pb.AbortTableRequest
    ) -> pb.AbortTableResponse:
        """Stops a table."""
        async with self._audited(caller, request):
            self._tables.abort(request.table_id, request.detail)
            await self._operated.shard.committed()
        return pb.AbortTableResponse()

    async def void_match(
        self, caller: Caller, request: pb.VoidMatchRequest
    ) -> pb.VoidMatchResponse:
        """Lets a match that has ended not count."""
        async with self._audited(caller, request):
            if not await self._operated.store.records.void(request.table_id):
                raise NotFound(
                    Reason.NOT_FOUND,
                    "there is no record of this match; to end a live match, abort it",
                    field="table_id",
                )
        return pb.VoidMatchResponse()

    async def adjudicate_table(
        self, caller: Caller, request: pb.AdjudicateTableRequest
    ) -> pb.AdjudicateTableResponse:
        """Ends a match by decision."""
        async with self._audited(caller, request):
            self._tables.adjudicate(request.table_id, _outcome(request), request.detail)
            await self._operated.shard.committed()
        return pb.AdjudicateTableResponse()

    async def quarantine_table(
        self, caller: Caller, request: pb.QuarantineTableRequest
    ) -> pb.QuarantineTableResponse:
        """Stops play at a table for now."""
        async with self._audited(caller, request):
            self._tables.quarantine(request.table_id)
            await self._operated.shard.committed()
        return pb.QuarantineTableResponse()

    async def release_table(
        self, caller: Caller, request: pb.ReleaseTableRequest
    ) -> pb.ReleaseTableResponse:
        """Lets play go on at a table in quarantine."""
        async with self._audited(caller, request):
            self._tables.release(request.table_id)
            await self._operated.shard.committed()
        return pb.ReleaseTableResponse()

    async def list_audit_entries(
        self, _caller: Caller, request: pb.ListAuditEntriesRequest
    ) -> pb.ListAuditEntriesResponse:
        """A page of the audit log, newest first."""
        cursor = self._pages.cursor("audit", request.page_token)
        size = self._pages.size(request.page_size)
        found = await self._operated.store.audit.newest(int(cursor) if cursor else None, size + 1)
        answer = pb.ListAuditEntriesResponse()
        for _, entry in found[:size]:
            listed = answer.entries.add(
                principal=entry.principal,
                action=entry.action,
                subject=entry.subject,
                detail=entry.detail,
                outcome=entry.outcome,
            )
            listed.time.FromMilliseconds(entry.time_ms)
        if len(found) > size:
            answer.next_page_token = self._pages.token("audit", str(found[size - 1][0]))
        return answer

    @asynccontextmanager
    async def _audited(
        self, caller: Caller, request: Message, how: str = ""
    ) -> AsyncIterator[None]:
        """Write *request* down when it has been carried out, with what came of it; *how* is added
        to its name."""
        action = request.DESCRIPTOR.name.removesuffix("Request") + how
        detail, subject = (
            printable(field, getattr(request, field, "")) for field in ("detail", "table_id")
        )
        outcome = Reason.INTERNAL.value
        try:
            yield
            outcome = "OK"
        except CroupierError as error:
            outcome = error.reason.value
            raise
        finally:
            now = self._operated.now_ms()
            entry = AuditEntry(now, caller.principal, action, subject, detail, outcome)
            await self._operated.store.audit.add(entry)


def _outcome(request: pb.AdjudicateTableRequest) -> Outcome:
    for number, seat in enumerate(request.seats):
        if seat.seat != number:
            raise InvalidRequest(
                Reason.MALFORMED_REQUEST,
                "exactly one entry per seat is needed, in seat order",
                field=f"seats[{number}].seat",
            )
    return Outcome(tuple(SeatOutcome(seat.score, seat.place) for seat in request.seats))
