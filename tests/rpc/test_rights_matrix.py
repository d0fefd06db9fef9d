"""A seat cannot act for another: every call with every kind of credential, on a real server.

What each pair gives follows from ``identity/rights.py``; ``docs/security.md`` shows the matrix.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import NamedTuple

import grpc
import pytest
import pytest_asyncio
from google.protobuf import descriptor_pb2
from google.protobuf.message import Message

from croupier.v1 import play_service_pb2, session_service_pb2, table_pb2, table_service_pb2
from croupier_server.identity.keys import Scope, with_implied
from croupier_server.identity.rights import ARBITER_RIGHTS, RIGHTS, Proof, right_of
from croupier_server.rpc.validate import image_bytes
from scripts.gen_docs import ROOT
from scripts.rights_matrix import OPERATORS, Shown, applies, matrix, refusal
from tests.rpc.calls import Caller, Metadata, build, on_stream
from tests.rpc.calls import refusal as taken_apart
from tests.rpc.hostile import (
    CATALOG,
    GAME,
    PLAY,
    PUBLIC_RESULTS,
    RECORDS,
    REQUESTS,
    SESSION,
    SPECTATE,
    TABLES,
    WATCH_TABLES,
)
from tests.rpc.keyed import MATCH, OWN, PLAYERS, Keyed, bearer, keyed
from tests.rpc.players import NONCES, Seats, first_move, host_of, ticket_of
from tests.rpc.webcalls import WebCaller

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def live() -> AsyncIterator[Keyed]:
    async with keyed(web="0") as found:
        yield found


def over(live: Keyed, door: str) -> Caller:
    """A caller without a key, over gRPC or gRPC-Web."""
    if door == "grpc":
        return live.running.call
    web = live.running.app.server.web
    assert web is not None
    return WebCaller(web.address)


class Try(NamedTuple):
    """A call that goes well with everything that it takes.

    Attributes:
        request: what is asked.
        who: the principal with the right to it.
        proof: their ticket, if the call takes one.
        other: ticket of another seat, or of another table's host.
        thief: another principal with such a right.
        seats: the table.
    """

    request: Message
    who: str = "eve"
    proof: str = ""
    other: str = ""
    thief: str = "mal"
    seats: Seats | None = None


async def playing(live: Keyed) -> tuple[Seats, table_pb2.Decision, int]:
    """A table at play, the decision that it waits for, and the seat that is asked."""
    seats = await live.table()
    for seat, name in enumerate(PLAYERS):
        seats.call = await live.player(name)
        view = await seats.view(seat)
        if view.HasField("decision"):
            return seats, view.decision, seat
    raise AssertionError("nobody is asked")


async def for_seat(live: Keyed, method: str) -> Try:
    """A call that takes a ticket."""
    seat = 0
    fields: dict[str, object] = {}
    match method.partition("/")[2]:
        case "LeaveTable":
            seats = await live.table("spec { start_mode: START_MODE_MANUAL } " + OWN)
        case "OpenNonce":
            seats = await live.table(MATCH, nonces=True)
            fields = {"nonce": NONCES[0]}
        case name:
            seats, decision, seat = await playing(live)
            if name in ("SubmitMove", "CheckMove"):
                fields = {"decision_id": decision.decision_id, "move": first_move(decision)}
            elif name in ("GetLegalMoves", "ListLegalMoves"):
                fields = {"decision_id": decision.decision_id}
    if method == SESSION:
        request: Message = _hello(seats)
    elif method == WATCH_TABLES:
        request = play_service_pb2.WatchTablesRequest(opens=_opens(seats))
    else:
        request = REQUESTS[method](table_id=seats.id, **fields)
    other = (seat + 1) % len(PLAYERS)
    tickets = seats.tickets
    return Try(request, PLAYERS[seat], tickets[seat], tickets[other], PLAYERS[other], seats)


def _hello(seats: Seats) -> Message:
    hello = session_service_pb2.SessionHello()
    return session_service_pb2.SessionRequest(hello=hello, opens=_opens(seats))


def _opens(seats: Seats) -> list[session_service_pb2.ChannelOpen]:
    return [session_service_pb2.ChannelOpen(channel=1, table_id=seats.id)]


async def for_host(live: Keyed, method: str) -> Try:
    """A call that takes a host ticket."""
    seats = await live.table("spec { start_mode: START_MODE_MANUAL } " + OWN)
    other = await live.host("hob")
    made = await other.unary(
        f"{TABLES}/CreateTable",
        build(table_service_pb2.CreateTableRequest, OWN),
        table_service_pb2.CreateTableResponse,
    )
    request = REQUESTS[method](table_id=seats.id)
    return Try(request, "hal", seats.host, made.host_ticket, "hob", seats)


async def for_anybody(live: Keyed, method: str) -> Try:
    """A call that takes no secret."""
    kind = REQUESTS[method]
    if method == f"{TABLES}/CreateTable":
        return Try(build(kind, OWN), "hal")
    if method == f"{TABLES}/JoinTable":
        seats = await live.table(players=("ann",))
        return Try(build(kind, f"table_id: '{seats.id}'"), "joe", seats=seats)
    if method in (f"{TABLES}/GetTable", SPECTATE, PUBLIC_RESULTS):
        seats = await live.table()
        return Try(build(kind, f"table_id: '{seats.id}'"), seats=seats)
    if method in (f"{RECORDS}/GetRecord", f"{RECORDS}/VerifyRecord"):
        seats = await live.table()
        await live.abort(seats)
        return Try(build(kind, f"table_id: '{seats.id}'"), seats=seats)
    texts = {
        f"{RECORDS}/StreamRecords": "since {}",
        f"{CATALOG}/ListRulesets": GAME,
        f"{CATALOG}/GetRuleset": GAME,
        f"{CATALOG}/ExplainRule": GAME + "clause: 'T-6.4'",
    }
    return Try(build(kind, texts.get(method, "")))


async def metadata_for(live: Keyed, method: str, tried: Try, shown: Shown) -> Metadata:
    """What a caller shows."""
    right = right_of(method)
    scopes = (right.scope,) if right.scope is not None else (Scope.ADMIN,)
    lacking = [one for one in Scope if right.scope not in with_implied(frozenset((one,)))]
    good = await live.good(tried.who, *scopes)
    make_proof = host_of if right.proof is Proof.HOST_TICKET else ticket_of
    proof = make_proof(tried.proof) if tried.proof else ()
    match shown:
        case Shown.NOTHING:
            return proof
        case Shown.MADE_UP:
            return bearer(good[:-4] + "aaaa") + proof
        case Shown.NO_SCOPE:
            return bearer(await live.good(tried.who, *lacking)) + proof
        case Shown.EXPIRED:
            return bearer(await live.key(tried.who, scopes, "expired")) + proof
        case Shown.REVOKED:
            return bearer(await live.key(tried.who, scopes, "revoked")) + proof
        case Shown.NO_PROOF:
            return bearer(good)
        case Shown.OTHERS_PROOF:
            return bearer(good) + make_proof(tried.other)
        case Shown.OTHER_PRINCIPAL:
            return bearer(await live.good(tried.thief, *scopes)) + proof
        case Shown.ALL:
            return bearer(good) + proof


async def outcome(call: Caller, method: str, request: Message, metadata: Metadata) -> str:
    """The reason of a refusal, or an empty text for a call that is answered."""
    try:
        if method in (SESSION, WATCH_TABLES):
            return await channel_outcome(call, method, request, metadata)
        await call.is_answered(method, request, metadata)
    except grpc.aio.AioRpcError as error:
        return taken_apart(error).reason
    return ""


async def channel_outcome(call: Caller, method: str, request: Message, metadata: Metadata) -> str:
    """The same where a ticket comes with its channel."""
    opening = type(request).FromString(request.SerializeToString())
    for name, value in metadata:
        if name == "croupier-ticket":
            opening.opens[0].ticket = value  # type: ignore[attr-defined]
    own = tuple(pair for pair in metadata if pair[0] == "authorization")
    if method == SESSION:
        answer = session_service_pb2.SessionResponse
        frames = await call.session(method, [opening], answer, own)
        items = [item for one in frames for item in one.items]
    else:
        first = await anext(call.stream(method, opening, play_service_pb2.WatchTablesResponse, own))
        items = list(first.items)
    refused = [on_stream(item.refusal).reason for item in items if item.HasField("refusal")]
    assert len(refused) < len(items) or len(refused) == 1
    return refused[0] if refused else ""


Make = Callable[[Keyed, str], Awaitable[Try]]
MAKERS: dict[Proof, Make] = {
    Proof.NONE: for_anybody,
    Proof.TICKET: for_seat,
    Proof.HOST_TICKET: for_host,
}


@pytest.mark.parametrize(
    ("method", "door"),
    [*((method, "grpc") for method in RIGHTS), *((m, "web") for m in RIGHTS if m != SESSION)],
)
async def test_a_seat_cannot_act_for_another(live: Keyed, method: str, door: str) -> None:
    call = over(live, door)
    right = RIGHTS[method]
    tried = await MAKERS[right.proof](live, method)
    shard = live.running.app.shard
    found, wanted = {}, {}
    for shown in Shown:
        if not applies(right, shown):
            continue
        before = None if tried.seats is None else shard.table(tried.seats.id).journal.sequence
        metadata = await metadata_for(live, method, tried, shown)
        found[shown] = await outcome(call, method, tried.request, metadata)
        wanted[shown] = str(refusal(right, shown) or "")
        if wanted[shown] and tried.seats is not None:
            assert shard.table(tried.seats.id).journal.sequence == before, shown
    assert found == wanted


async def test_a_ticket_says_whose_decision_may_be_answered(live: Keyed) -> None:
    """With a key and a ticket of one's own, another seat's decision is nobody's."""
    seats, decision, seat = await playing(live)
    other = (seat + 1) % 4
    player = await live.player(PLAYERS[other])
    for name in ("SubmitMove", "CheckMove"):
        request = REQUESTS[f"{PLAY}/{name}"](
            table_id=seats.id, decision_id=decision.decision_id, move=first_move(decision)
        )
        refused = await player.refused(f"{PLAY}/{name}", request, ticket_of(seats.tickets[other]))
        assert refused.reason in ("NOT_YOUR_TURN", "UNKNOWN_DECISION")


async def test_two_keys_are_none(live: Keyed) -> None:
    key = await live.good("eve", Scope.SPECTATE)
    refused = await live.running.call.refused(f"{TABLES}/ListTables", b"", bearer(key) * 2)
    assert refused.reason == "UNAUTHENTICATED"


@pytest.mark.parametrize("value", ["{key}", "Basic {key}", "Bearer", "Bearer ", "bearer  x"])
async def test_a_key_comes_as_a_bearer(live: Keyed, value: str) -> None:
    key = await live.good("eve", Scope.SPECTATE)
    metadata = (("authorization", value.format(key=key)),)
    refused = await live.running.call.refused(f"{TABLES}/ListTables", b"", metadata)
    assert refused.reason == "UNAUTHENTICATED"


async def test_the_word_bearer_may_be_written_in_any_way(live: Keyed) -> None:
    key = await live.good("eve", Scope.SPECTATE)
    metadata = (("authorization", f"bEARER {key}"),)
    answer = table_service_pb2.ListTablesResponse
    await live.running.call.unary(f"{TABLES}/ListTables", b"", answer, metadata)


async def test_every_call_of_the_contract_says_what_it_takes() -> None:
    files = descriptor_pb2.FileDescriptorSet.FromString(image_bytes()).file
    paths = {
        f"{file.package}.{service.name}/{method.name}"
        for file in files
        for service in file.service
        for method in service.method
    }
    assert paths == {*RIGHTS, *ARBITER_RIGHTS, *OPERATORS}
    assert set(RIGHTS) - {SESSION} <= set(REQUESTS)


async def test_the_matrix_in_the_docs_is_the_one_that_is_tested() -> None:
    page = (ROOT / "docs/security.md").read_text(encoding="utf-8")
    assert "\n".join(matrix()) in page
