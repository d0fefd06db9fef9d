"""What operators do, and the audit log of it.

Every call that changes something is written down before it is answered, a refused one too.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib.metadata import version

import grpc
import structlog

from croupier.admin.v1 import admin_service_pb2 as pb
from croupier_server.errors import CroupierError, InvalidRequest, NotFound, Reason
from croupier_server.games.base import Outcome, SeatOutcome
from croupier_server.rpc.interceptors import Calls
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

    def __init__(self, operated: Operated, pages: PageTokens) -> None:
        self._operated = operated
        self._tables = Operating(operated.shard)
        self._pages = pages
        self._started_ms = operated.now_ms()

    def handler(self, calls: Calls) -> grpc.GenericRpcHandler:
        """The service, wrapped by *calls*."""
        service = calls.service("croupier.admin.v1.AdminService")
        service.unary("GetServerStatus", pb.GetServerStatusRequest, self.get_server_status)
        service.unary("DrainServer", pb.DrainServerRequest, self.drain_server)
        service.unary("ResumeServer", pb.ResumeServerRequest, self.resume_server)
        service.unary("AbortTable", pb.AbortTableRequest, self.abort_table)
        service.unary("VoidMatch", pb.VoidMatchRequest, self.void_match)
        service.unary("AdjudicateTable", pb.AdjudicateTableRequest, self.adjudicate_table)
        service.unary("QuarantineTable", pb.QuarantineTableRequest, self.quarantine_table)
        service.unary("ReleaseTable", pb.ReleaseTableRequest, self.release_table)
        service.unary("ListAuditEntries", pb.ListAuditEntriesRequest, self.list_audit_entries)
        return service.handler()

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

        async def drain() -> None:
            shard.reception.is_closed = True

        action = "DrainServer stop" if request.stop else "DrainServer"
        await self._audited(caller, action, "", "", drain)
        if request.stop:
            _log.info("stopping", by=caller.principal)
            self._operated.stop()
        return pb.DrainServerResponse(live_tables=shard.directory.live)

    async def resume_server(
        self, caller: Caller, _request: pb.ResumeServerRequest
    ) -> pb.ResumeServerResponse:
        """Accepts new tables again."""
        shard = self._operated.shard

        async def resume() -> None:
            shard.reception.is_closed = False

        await self._audited(caller, "ResumeServer", "", "", resume)
        return pb.ResumeServerResponse(live_tables=shard.directory.live)

    async def abort_table(
        self, caller: Caller, request: pb.AbortTableRequest
    ) -> pb.AbortTableResponse:
        """Stops a table."""
        detail = printable("detail", request.detail)

        async def abort() -> None:
            self._tables.abort(request.table_id, detail)
            await self._operated.shard.committed()

        await self._audited(caller, "AbortTable", request.table_id, detail, abort)
        return pb.AbortTableResponse()

    async def void_match(
        self, caller: Caller, request: pb.VoidMatchRequest
    ) -> pb.VoidMatchResponse:
        """Lets a match that has ended not count."""
        detail = printable("detail", request.detail)

        async def void() -> None:
            if not await self._operated.store.records.void(request.table_id):
                raise NotFound(
                    Reason.NOT_FOUND,
                    "there is no record of it; a match that has not ended can be aborted",
                    field="table_id",
                )

        await self._audited(caller, "VoidMatch", request.table_id, detail, void)
        return pb.VoidMatchResponse()

    async def adjudicate_table(
        self, caller: Caller, request: pb.AdjudicateTableRequest
    ) -> pb.AdjudicateTableResponse:
        """Ends a match by decision."""
        detail = printable("detail", request.detail)

        async def adjudicate() -> None:
            self._tables.adjudicate(request.table_id, _outcome(request), detail)
            await self._operated.shard.committed()

        await self._audited(caller, "AdjudicateTable", request.table_id, detail, adjudicate)
        return pb.AdjudicateTableResponse()

    async def quarantine_table(
        self, caller: Caller, request: pb.QuarantineTableRequest
    ) -> pb.QuarantineTableResponse:
        """Stops play at a table for now."""
        detail = printable("detail", request.detail)

        async def quarantine() -> None:
            self._tables.quarantine(request.table_id)
            await self._operated.shard.committed()

        await self._audited(caller, "QuarantineTable", request.table_id, detail, quarantine)
        return pb.QuarantineTableResponse()

    async def release_table(
        self, caller: Caller, request: pb.ReleaseTableRequest
    ) -> pb.ReleaseTableResponse:
        """Lets play go on at a table in quarantine."""
        detail = printable("detail", request.detail)

        async def release() -> None:
            self._tables.release(request.table_id)
            await self._operated.shard.committed()

        await self._audited(caller, "ReleaseTable", request.table_id, detail, release)
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

    async def _audited(
        self,
        caller: Caller,
        action: str,
        subject: str,
        detail: str,
        carry_out: Callable[[], Awaitable[None]],
    ) -> None:
        """Carry something out and write it down, with what came of it."""
        printable("table_id", subject)
        outcome = Reason.INTERNAL.value
        try:
            await carry_out()
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
                "one entry a seat, in seat order",
                field=f"seats[{number}].seat",
            )
    return Outcome(tuple(SeatOutcome(seat.score, seat.place) for seat in request.seats))
