"""The log: one line an event, and no caller can forge one."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest
import structlog

from croupier_server.errors import NotAllowed, Reason
from croupier_server.logging import Throttle
from croupier_server.rpc.interceptors import Calls, _Call, host_of
from croupier_server.rpc.validate import Requests
from tests.log_lines import logged


def test_json_is_one_object_a_line() -> None:
    with logged("info") as out:
        structlog.get_logger("x").info("call", table_id="a\nb", ms=1.5)
        structlog.get_logger("x").debug("unseen")
    (line,) = out.getvalue().splitlines()
    entry = json.loads(line)
    assert (entry["event"], entry["table_id"], entry["ms"]) == ("call", "a\\nb", 1.5)
    assert (entry["level"], "timestamp" in entry) == ("info", True)


@pytest.mark.parametrize("form", ["auto", "console"])
def test_text_of_callers_cannot_forge_lines(form: str) -> None:
    with logged(form=form) as out:
        structlog.get_logger("x").debug("hello", client="x\n2026 [error] forged\x1b[2J\x00")
    assert len(out.getvalue().splitlines()) == 1
    assert "\x1b" not in out.getvalue()


def test_what_libraries_log_goes_the_same_way() -> None:
    with logged("info") as out:
        logging.getLogger("grpc").warning("about %s", "us")
        logging.getLogger("grpc").info("unseen")
    assert json.loads(out.getvalue())["event"] == "about us"


@pytest.mark.attack
def test_nobody_fills_the_log_or_keeps_others_out_of_it() -> None:
    now = [0.0]
    throttle = Throttle(of_each=3, of_all=8, seconds=lambda: now[0])
    assert [throttle.admit("eve") for _ in range(100)] == [0, 0, 0] + [None] * 97
    assert throttle.admit("ann") == 97
    many = [throttle.admit(f"{number}") for number in range(100)]
    assert many == [0] * 4 + [None] * 96
    now[0] = 1.0
    assert [throttle.admit("eve") for _ in range(4)] == [96, 0, 0, None]


@pytest.mark.parametrize(
    ("peer", "host"),
    [
        ("ipv4:192.0.2.1:4711", "ipv4:192.0.2.1"),
        ("ipv6:[2001:db8::1]:4711", "ipv6:[2001:db8::1]"),
        ("unix:", "unix"),
    ],
)
def test_all_connections_of_a_host_are_one_source(peer: str, host: str) -> None:
    assert host_of(peer) == host


class Refused:
    """What a refused call needs of gRPC's context."""

    def __init__(self, peer: str) -> None:
        self._peer = peer

    def peer(self) -> str:
        return self._peer

    def invocation_metadata(self) -> None:
        """Came without a key."""

    async def abort(self, code: object, _message: str, _metadata: object) -> None:
        raise ValueError(code)


@pytest.mark.attack
async def test_refused_calls_without_a_key_are_counted_and_not_all_written() -> None:
    calls = Calls(Requests(1_000), 1)
    calls.throttle = Throttle(of_each=2, seconds=float)
    with logged() as out:
        for peer in (
            "ipv4:192.0.2.1:1",
            "ipv4:192.0.2.1:2",
            "ipv4:192.0.2.1:3",
            "ipv4:192.0.2.2:1",
        ):
            with pytest.raises(ValueError, match="UNAUTHENTICATED"):
                await refuse(calls, Refused(peer))
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [line.get("suppressed") for line in lines] == [None, None, 1]
    assert {line["reason"] for line in lines} == {"UNAUTHENTICATED"}


async def refuse(calls: Calls, context: Any) -> None:
    async with _Call("x/Y", context, calls):
        raise NotAllowed(Reason.UNAUTHENTICATED, "a key is needed")
