"""What stands between gRPC and every handler: callers, statuses, streams and the log."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncGenerator

import grpc
import pytest
from structlog.testing import capture_logs

from croupier.v1 import table_service_pb2 as pb
from croupier_server.errors import Exhausted, NotFound, Reason
from croupier_server.identity.keys import LOCAL_SCOPES
from croupier_server.identity.quota import Quota
from croupier_server.rpc.interceptors import Calls, How, Link, _Call
from croupier_server.rpc.validate import Form, Requests
from croupier_server.tables.caller import LOCAL, Caller
from croupier_server.tables.clocks.clock import ManualClock
from tests.rpc.calls import refusal
from tests.rpc.conftest import Serve, server

ECHO = "croupier.v1.Echo"
SECRET = "7S AH RJ"
ASK = pb.GetTableRequest(table_id="t1")
CALLS = 8


class Echo:
    """Answers with what it was asked, fails on demand, and remembers its callers."""

    def __init__(self) -> None:
        self.callers: list[Caller] = []
        self.closed = asyncio.Event()

    def __call__(self, calls: Calls) -> grpc.GenericRpcHandler:
        service = calls.service(ECHO)
        service.unary("Message", pb.GetTableRequest, self.message)
        service.unary("Frequent", pb.GetTableRequest, self.message, How(frequent=True))
        service.unary("Bytes", pb.GetTableRequest, self.raw)
        service.unary("Fails", pb.GetTableRequest, self.fails)
        service.unary("Refuses", pb.GetTableRequest, self.refuses)
        service.unary("Hangs", pb.GetTableRequest, self.hangs)
        service.stream("Stream", pb.GetTableRequest, self.stream)
        service.stream("StreamFails", pb.GetTableRequest, self.stream_fails)
        service.session("Session", self.session)
        return service.handler()

    async def message(self, caller: Caller, request: pb.GetTableRequest) -> pb.GetTableRequest:
        self.callers.append(caller)
        return request

    async def raw(self, caller: Caller, request: pb.GetTableRequest) -> bytes:
        return request.SerializeToString()

    async def fails(self, caller: Caller, request: pb.GetTableRequest) -> bytes:
        raise AssertionError(SECRET)

    async def refuses(self, caller: Caller, request: pb.GetTableRequest) -> bytes:
        raise NotFound(Reason.NOT_FOUND, "there is no such table", field="table_id")

    async def hangs(self, caller: Caller, request: pb.GetTableRequest) -> bytes:
        try:
            await asyncio.Event().wait()
        finally:
            self.closed.set()
        return b""

    async def stream(
        self, caller: Caller, request: pb.GetTableRequest
    ) -> AsyncGenerator[pb.GetTableRequest, None]:
        try:
            yield request
            await asyncio.Event().wait()
        finally:
            self.closed.set()

    async def stream_fails(
        self, caller: Caller, request: pb.GetTableRequest
    ) -> AsyncGenerator[pb.GetTableRequest, None]:
        yield request
        raise ValueError(SECRET)

    async def session(self, caller: Caller, link: Link) -> None:
        while (data := await link.read()) is not None:
            await link.write(data)


@pytest.mark.parametrize("method", ["Message", "Bytes"])
async def test_a_handler_may_answer_with_a_message_or_its_bytes(serve: Serve, method: str) -> None:
    async with serve(Echo()) as call:
        assert await call.unary(f"{ECHO}/{method}", ASK, pb.GetTableRequest) == ASK


async def test_tickets_come_from_metadata(serve: Serve) -> None:
    echo = Echo()
    async with serve(echo) as call:
        metadata = (("croupier-ticket", "a"), ("croupier-host-ticket", "b"), ("x-other", "c"))
        await call.unary(f"{ECHO}/Message", ASK, pb.GetTableRequest)
        await call.unary(f"{ECHO}/Message", ASK, pb.GetTableRequest, metadata)
    first, second = echo.callers
    assert first == Caller(LOCAL, LOCAL_SCOPES, flow=first.flow)
    assert second == Caller(LOCAL, LOCAL_SCOPES, "a", "b", flow=first.flow)
    assert first.flow, "those without a key take turns by connection"


@pytest.mark.parametrize("key", ["croupier-ticket", "croupier-host-ticket"])
@pytest.mark.parametrize("values", [("a", "b"), ("a", "a"), ("x" * 257,)])
async def test_a_ticket_that_cannot_be_one_is_malformed(
    serve: Serve, key: str, values: tuple[str, ...]
) -> None:
    async with serve(Echo()) as call:
        metadata = tuple((key, value) for value in values)
        refused = await call.refused(f"{ECHO}/Message", ASK, metadata)
    assert (refused.code, refused.reason) == (
        grpc.StatusCode.INVALID_ARGUMENT,
        "MALFORMED_REQUEST",
    )
    assert refused.fields == (key,)


async def test_a_key_is_refused_while_there_are_none(serve: Serve) -> None:
    async with serve(Echo()) as call:
        refused = await call.refused(f"{ECHO}/Message", ASK, (("authorization", "Bearer k"),))
    assert (refused.code, refused.reason) == (
        grpc.StatusCode.UNAUTHENTICATED,
        "UNAUTHENTICATED",
    )


@pytest.mark.parametrize("method", ["Message", "Stream"])
async def test_bytes_that_are_no_request_are_refused(serve: Serve, method: str) -> None:
    async with serve(Echo()) as call:
        refused = await call.refused(f"{ECHO}/{method}", b"\xff\xff")
    assert (refused.code, refused.reason) == (
        grpc.StatusCode.INVALID_ARGUMENT,
        "MALFORMED_REQUEST",
    )


async def test_a_refusal_comes_with_its_details(serve: Serve) -> None:
    async with serve(Echo()) as call:
        refused = await call.refused(f"{ECHO}/Refuses", ASK)
    assert refused == (
        grpc.StatusCode.NOT_FOUND,
        "NOT_FOUND",
        ("table_id",),
        "there is no such table",
        {},
        0,
        "croupier",
    )


@pytest.mark.attack
@pytest.mark.parametrize("method", ["Message", "Stream"])
async def test_what_a_refused_call_used_is_free_when_it_ends(serve: Serve, method: str) -> None:
    def held() -> int:
        return sum(type(one) is _Call for one in gc.get_objects())

    async with serve(Echo()) as call:
        gc.collect()
        gc.disable()
        try:
            before = held()
            for _ in range(CALLS):
                await call.refused(f"{ECHO}/{method}", b"\xff\xff")
            assert held() - before <= 1, "refused calls wait for the garbage collector"
        finally:
            gc.enable()


async def test_a_fault_is_internal_and_its_text_stays_in(serve: Serve) -> None:
    with capture_logs() as log:
        async with serve(Echo()) as call:
            refused = await call.refused(f"{ECHO}/Fails", ASK)
            replies = call.stream(f"{ECHO}/StreamFails", ASK, pb.GetTableRequest)
            assert await anext(replies) == ASK
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await anext(replies)
    for each in (refused, refusal(caught.value)):
        assert (each.code, each.reason) == (grpc.StatusCode.INTERNAL, "INTERNAL")
        assert SECRET not in each.message
    faults = [event for event in log if event["event"] == "call failed"]
    assert [fault["error"] for fault in faults] == ["AssertionError", "ValueError"]
    assert any("fails" in frame for frame in faults[0]["trace"])
    assert SECRET not in str(log)


async def test_each_call_is_one_line_without_secrets(serve: Serve) -> None:
    with capture_logs() as log:
        async with serve(Echo()) as call:
            metadata = (("croupier-ticket", "TICKET"),)
            await call.unary(f"{ECHO}/Message", ASK, pb.GetTableRequest, metadata)
            await call.unary(f"{ECHO}/Frequent", ASK, pb.GetTableRequest, metadata)
            await call.refused(f"{ECHO}/Refuses", ASK, metadata)
    assert [(event["method"], event["code"], event["log_level"]) for event in log] == [
        (f"{ECHO}/Message", "OK", "info"),
        (f"{ECHO}/Frequent", "OK", "debug"),
        (f"{ECHO}/Refuses", "NOT_FOUND", "info"),
    ]
    assert all(event["table_id"] == "t1" and event["ms"] >= 0 for event in log)
    assert "TICKET" not in str(log)


async def test_what_was_not_checked_is_not_logged(serve: Serve) -> None:
    with capture_logs() as log:
        async with serve(Echo()) as call:
            await call.refused(f"{ECHO}/Message", pb.GetTableRequest(table_id="x" * 99))
    assert [event.get("table_id") for event in log] == [None]


async def test_a_call_that_is_given_up_ends(serve: Serve) -> None:
    echo = Echo()
    with capture_logs() as log:
        async with serve(echo) as call:
            hanging: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = call.channel.unary_unary(
                f"/{ECHO}/Hangs"
            )
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await hanging(ASK.SerializeToString(), timeout=0.1)
            await echo.closed.wait()
    assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    assert [event["code"] for event in log] == ["DEADLINE_EXCEEDED"]


async def test_a_stream_that_is_dropped_closes_its_handler(serve: Serve) -> None:
    echo = Echo()
    async with serve(echo) as call:
        replies = call.stream(f"{ECHO}/Stream", ASK, pb.GetTableRequest)
        assert await anext(replies) == ASK
        await replies.aclose()
        await echo.closed.wait()


async def test_a_principal_has_so_many_streams_and_no_more(serve: Serve) -> None:
    echo = Echo()
    async with serve(echo, streams_max=2) as call:
        open_ones = [call.stream(f"{ECHO}/Stream", ASK, pb.GetTableRequest) for _ in range(2)]
        for replies in open_ones:
            await anext(replies)
        refused = await call.refused(f"{ECHO}/Stream", ASK)
        assert (refused.code, refused.reason) == (
            grpc.StatusCode.RESOURCE_EXHAUSTED,
            "TOO_MANY_STREAMS",
        )
        assert refused.retry_ms > 0
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await call.session(f"{ECHO}/Session", [b"a"], pb.GetTableRequest)
        assert refusal(caught.value).reason == "TOO_MANY_STREAMS"
        await open_ones[0].aclose()
        await echo.closed.wait()
        third = call.stream(f"{ECHO}/Stream", ASK, pb.GetTableRequest)
        assert await anext(third) == ASK
        await third.aclose()
        await open_ones[1].aclose()


async def test_a_session_reads_to_the_end_of_the_clients_side(serve: Serve) -> None:
    async with serve(Echo()) as call:
        assert await call.session(f"{ECHO}/Session", [ASK, b"", ASK], pb.GetTableRequest) == [
            ASK,
            pb.GetTableRequest(),
            ASK,
        ]


@pytest.mark.attack
def test_a_long_request_pays_for_its_reading_and_takes_a_token() -> None:
    def read(data: bytes | Form) -> pb.GetTableRequest:
        used_s.append(0.030)
        return ASK

    used_s: list[float] = []
    quota = Quota(10, 20, ManualClock().now_ms, lambda: sum(used_s))
    calls, caller = Calls(Requests(1 << 20), 1), Caller("ann", quota=quota)
    assert calls.read_request(caller, read, bytes(4_096)) is ASK
    assert quota.wait_ms == 0, "the token of the call covers a short one"
    assert calls.read_request(caller, read, bytes(4_097)) is ASK
    assert quota.wait_ms > 0, "29 milliseconds beyond the first"
    with pytest.raises(Exhausted):
        calls.read_request(caller, read, bytes(4_097))
    assert len(used_s) == 2, "it was refused before it was read"
    assert calls.read_request(caller, read, bytes(4_096)) is ASK


async def test_a_method_that_is_not_there_is_unimplemented(serve: Serve) -> None:
    async with serve(Echo()) as call:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await call.unary(f"{ECHO}/Nothing", ASK, pb.GetTableRequest)
    assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED


async def test_a_server_that_has_stopped_leaves_no_timer_behind() -> None:
    async with server(heartbeat_ms=16) as running:
        beats: list[int | None] = []
        running.app.shard._timers._heartbeat = beats.append
    beats.clear()
    turned = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().call_later(0.01, turned.set_result, None)
    await turned
    assert beats == []
