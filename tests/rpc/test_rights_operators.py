"""A seat cannot act as an operator: every call of the Admin service with every kind of credential,
on a real server with both of its ports, whether the public one asks for keys or not.

What each pair gives follows from ``identity/rights.py``, as in `test_rights_matrix`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import NamedTuple

import grpc
import pytest
import pytest_asyncio
from google.protobuf.message import Message

from croupier.admin.v1 import admin_service_pb2 as pb
from croupier.v1 import table_service_pb2
from croupier_server.identity.keys import Scope
from croupier_server.identity.rights import RIGHTS, right_of
from croupier_server.tables.shard.operating import Operating
from croupier_server.tables.spec import Status
from scripts.rights_matrix import OPERATORS, Shown, applies, refusal
from tests.rpc.calls import Caller, Metadata, build
from tests.rpc.calls import refusal as taken_apart
from tests.rpc.conftest import server
from tests.rpc.keyed import Keyed, bearer
from tests.rpc.players import TABLES, Seats, host_of, make_full, ticket_of
from tests.rpc.test_rights_matrix import Try, metadata_for

pytestmark = pytest.mark.asyncio(loop_scope="module")

ADMIN = "croupier.admin.v1.AdminService"
ASKED: dict[str, tuple[type[Message], str]] = {
    f"{ADMIN}/GetServerStatus": (pb.GetServerStatusRequest, ""),
    f"{ADMIN}/DrainServer": (pb.DrainServerRequest, ""),
    f"{ADMIN}/ResumeServer": (pb.ResumeServerRequest, ""),
    f"{ADMIN}/AbortTable": (pb.AbortTableRequest, "table_id: '{id}' detail: 'why'"),
    f"{ADMIN}/VoidMatch": (pb.VoidMatchRequest, "table_id: '{id}' detail: 'why'"),
    f"{ADMIN}/AdjudicateTable": (
        pb.AdjudicateTableRequest,
        "table_id: '{id}' detail: 'why' seats <place: 1> seats <seat: 1 place: 2> "
        "seats <seat: 2 place: 1> seats <seat: 3 place: 2>",
    ),
    f"{ADMIN}/QuarantineTable": (pb.QuarantineTableRequest, "table_id: '{id}' detail: 'why'"),
    f"{ADMIN}/ReleaseTable": (pb.ReleaseTableRequest, "table_id: '{id}' detail: 'why'"),
    f"{ADMIN}/ListAuditEntries": (pb.ListAuditEntriesRequest, ""),
}
"""Every call of the service, with its request about a table that it would do something to."""

WRITTEN_DOWN = {Shown.NO_SCOPE, Shown.EXPIRED, Shown.REVOKED, Shown.ALL}
"""What shows a key that the server knows, so that the audit log can say whose it is."""

LOOKS = {f"{ADMIN}/GetServerStatus", f"{ADMIN}/ListAuditEntries"}
"""Calls that change nothing."""


class State(NamedTuple):
    """All that an operator's call could change."""

    events: int
    status: Status
    quarantined_ms: int | None
    takes_tables: bool
    voided: bool


class Ports(NamedTuple):
    """A server and a connection to each of its ports.

    Attributes:
        auth: what the public port asks for.
        keyed: the server, and keys for it.
        admin: a connection to the port of the operators.
    """

    auth: str
    keyed: Keyed
    admin: Caller

    async def table(self, method: str) -> Seats:
        """A table, and a server, to which *method* would do something."""
        call, shard = self.keyed.running.call, self.keyed.running.app.shard
        seats = await (self.keyed.table() if self.auth == "keys" else make_full(call))
        if method == f"{ADMIN}/VoidMatch":
            await seats.call.unary(
                f"{TABLES}/AbortTable",
                table_service_pb2.AbortTableRequest(table_id=seats.id, detail="enough"),
                table_service_pb2.AbortTableResponse,
                host_of(seats.host),
            )
        elif method == f"{ADMIN}/ReleaseTable":
            Operating(shard).quarantine(seats.id)
        shard.reception.is_closed = method == f"{ADMIN}/ResumeServer"
        return seats

    async def state(self, seats: Seats) -> State:
        """How the server is."""
        app = self.keyed.running.app
        table = app.shard.table(seats.id)
        entry = await app.store.records.get(seats.id)
        return State(
            table.journal.sequence,
            table.status,
            table.match.quarantined_ms,
            not app.shard.reception.is_closed,
            entry is not None and entry.voided,
        )

    async def audited(self) -> list[tuple[str, str, str]]:
        """Who did what, and what came of it, newest first."""
        entries = await self.keyed.running.app.store.audit.newest(None, 1_000)
        return [(entry.principal, entry.action, entry.outcome) for _, entry in entries]


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=["none", "keys"])
async def ports(request: pytest.FixtureRequest) -> AsyncIterator[Ports]:
    async with (
        server(auth=request.param, admin_port=0) as running,
        grpc.aio.insecure_channel(running.app.operators.admin) as channel,
    ):
        yield Ports(request.param, Keyed(running), Caller(channel))


@pytest.mark.parametrize("method", OPERATORS)
async def test_a_seat_cannot_act_as_an_operator(ports: Ports, method: str) -> None:
    """The same without keys at the public port: the other one asks for them all the same."""
    right = right_of(method)
    seats = await ports.table(method)
    kind, text = ASKED[method]
    tried = Try(build(kind, text.replace("{id}", seats.id)), "olga")
    found, wanted = {}, {}
    before, written = await ports.state(seats), await ports.audited()
    try:
        for shown in (one for one in Shown if applies(right, one)):
            metadata = await metadata_for(ports.keyed, method, tried, shown)
            # Tickets are no rights of operators.
            metadata += host_of(seats.host) + ticket_of(seats.tickets[0])
            found[shown] = await outcome(ports.admin, method, tried.request, metadata)
            wanted[shown] = str(refusal(right, shown) or "")
            changed = await ports.state(seats) != before
            assert changed == (not wanted[shown] and method not in LOOKS), shown
            is_new = shown in WRITTEN_DOWN and (bool(wanted[shown]) or method not in LOOKS)
            action = method.rpartition("/")[2]
            told = [("olga", action, wanted[shown] or "OK")] * is_new
            written, seen = await ports.audited(), written
            assert written == told + seen, shown
    finally:
        ports.keyed.running.app.shard.reception.is_closed = False
    assert found == wanted


async def outcome(call: Caller, method: str, request: Message, metadata: Metadata) -> str:
    """The reason of a refusal, or an empty text for a call that is answered."""
    try:
        await call.is_answered(method, request, metadata)
    except grpc.aio.AioRpcError as error:
        return taken_apart(error).reason
    return ""


async def status(call: Caller, method: str, metadata: Metadata) -> grpc.StatusCode:
    """What an empty request comes to."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call.is_answered(method, b"", metadata)
    code: grpc.StatusCode = caught.value.code()
    return code


@pytest.mark.parametrize("method", OPERATORS)
async def test_the_public_port_has_no_calls_of_operators(ports: Ports, method: str) -> None:
    key = bearer(await ports.keyed.good("olga", *Scope)) if ports.auth == "keys" else ()
    public = ports.keyed.running.call
    assert await status(public, method, key) is grpc.StatusCode.UNIMPLEMENTED


@pytest.mark.parametrize("method", RIGHTS)
async def test_the_port_of_operators_has_no_other_calls(ports: Ports, method: str) -> None:
    key = bearer(await ports.keyed.good("olga", *Scope))
    assert await status(ports.admin, method, key) is grpc.StatusCode.UNIMPLEMENTED


async def test_the_audit_log_cannot_be_filled_from_outside(ports: Ports) -> None:
    """One entry an hour for each key, call and reason; none for keys that never were."""
    clock, method = ports.keyed.running.clock, f"{ADMIN}/GetServerStatus"
    stranger = bearer(await ports.keyed.good("sam", Scope.PLAY))
    before = await ports.audited()
    for _ in range(3):
        await status(ports.admin, method, stranger)
        await status(ports.admin, method, bearer("crp_0_0"))
        await status(ports.admin, method, ())
    entry = "sam", "GetServerStatus", "PERMISSION_DENIED"
    assert await ports.audited() == [entry, *before]
    clock.advance(3_600_000)
    await status(ports.admin, method, stranger)
    assert await ports.audited() == [entry, entry, *before]
    ((_, newest),) = await ports.keyed.running.app.store.audit.newest(None, 1)
    assert newest.detail.endswith("2 times more since the last entry")


async def test_a_store_that_fails_lets_nobody_in(
    ports: Ports, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(_entry: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(ports.keyed.running.app.store.audit, "add", fail)
    stranger = bearer(await ports.keyed.good("tess", Scope.PLAY))
    code = await status(ports.admin, f"{ADMIN}/GetServerStatus", stranger)
    assert code is grpc.StatusCode.PERMISSION_DENIED


async def test_every_call_of_operators_is_tried() -> None:
    assert set(ASKED) == set(OPERATORS)
    assert set(OPERATORS) > LOOKS
