"""Print how far one move travels through the server: modules entered, hops between them, calls.

A hop is a call into another module than the caller's; a hop back is one into a module that the move
had been in before. A server runs in this process, with a store in memory and without keys, and a
move of Pokex goes over gRPC to it: once by `SubmitMove`, once on a session that sends the next
question back. Only functions of the server count: what gRPC, protobuf and the client do does not.

    make walk
    make walk ARGS=--list   # each hop
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, nullcontext
from types import FrameType
from typing import NamedTuple

import grpc
import structlog

import croupier_server
from croupier.v1 import (
    game_pb2,
    play_service_pb2,
    play_service_pb2_grpc,
    session_service_pb2,
    session_service_pb2_grpc,
    table_pb2,
    table_service_pb2,
    table_service_pb2_grpc,
)
from croupier_server.app import running
from croupier_server.config import Settings

ROOT = croupier_server.__path__[0]
SEATS = 4
TURN = 8
"""Move of the match that is followed. Two matches are played up to it first, to fill the caches."""


class Hop(NamedTuple):
    """A call into another module."""

    source: str
    target: str
    function: str


class Walk:
    """What one move calls.

    Attributes:
        calls: calls of functions of the server.
        hops: those that lead into another module.
        modules: all that were entered, in that order.
    """

    def __init__(self) -> None:
        self.calls = 0
        self.hops: list[Hop] = []
        self.modules: list[str] = []

    @property
    def back(self) -> int:
        """Hops into a module that the move had been in before."""
        return len(self.hops) - len(self.modules)

    def follow(self, frame: FrameType, event: str, _: object) -> None:
        """Count a call, as `sys.setprofile` reports it."""
        module = _module(frame)
        if event != "call" or not module:
            return
        self.calls += 1
        caller = frame.f_back
        while caller is not None and not _module(caller):
            caller = caller.f_back
        source = "" if caller is None else _module(caller)
        if source != module:
            self.hops.append(Hop(source, module, frame.f_code.co_qualname))
            if module not in self.modules:
                self.modules.append(module)


def _module(frame: FrameType) -> str:
    """The module of a function of the server, below its package; empty for others."""
    path = frame.f_code.co_filename
    return path.removeprefix(ROOT).strip("/").removesuffix(".py") if path.startswith(ROOT) else ""


@contextmanager
def following(walk: Walk) -> Iterator[None]:
    """Let *walk* see every call."""
    sys.setprofile(walk.follow)
    try:
        yield
    finally:
        sys.setprofile(None)


def _nothing(_: Walk) -> AbstractContextManager[None]:
    """Let nothing be counted."""
    return nullcontext()


class Table(NamedTuple):
    """A table with somebody of ours on every seat."""

    table_id: str
    tickets: list[str]


@asynccontextmanager
async def serving() -> AsyncIterator[grpc.aio.Channel]:
    """A channel to a server in this process."""
    settings = Settings.model_validate({"store": "memory:", "port": 0, "house_bots": False})
    async with running(settings) as app, grpc.aio.insecure_channel(app.server.address) as channel:
        yield channel


async def sit_down(channel: grpc.aio.Channel) -> Table:
    """A table of Pokex that plays."""
    tables = table_service_pb2_grpc.TableServiceStub(channel)
    source = table_pb2.DealSource(fixed=table_pb2.FixedDeal(seed=7))
    spec = table_pb2.TableSpec(game=game_pb2.GAME_KIND_POKEX, deal_source=source, shared_seats=True)
    made = await tables.CreateTable(table_service_pb2.CreateTableRequest(spec=spec))
    table_id = made.table.table_id
    request = table_service_pb2.JoinTableRequest(table_id=table_id)
    return Table(table_id, [(await tables.JoinTable(request)).ticket for _ in range(SEATS)])


async def walk_unary() -> Walk:
    """Follow a `SubmitMove` from its request to its reply."""
    walk = Walk()
    async with serving() as channel:
        play = play_service_pb2_grpc.PlayServiceStub(channel)
        for follows in (_nothing, _nothing, following):
            table = await sit_down(channel)
            for turn in range(TURN + 1):
                decision, ticket = await _asked(play, table)
                move = play_service_pb2.SubmitMoveRequest(
                    table_id=table.table_id,
                    decision_id=decision.decision_id,
                    move=decision.fallback,
                )
                with follows(walk) if turn == TURN else nullcontext():
                    await play.SubmitMove(move, metadata=ticket)
    return walk


async def _asked(
    play: play_service_pb2_grpc.PlayServiceAsyncStub, table: Table
) -> tuple[table_pb2.Decision, tuple[tuple[str, str]]]:
    """The open decision, and the metadata of its seat."""
    request = play_service_pb2.GetSeatViewRequest(table_id=table.table_id)
    for ticket in table.tickets:
        metadata = (("croupier-ticket", ticket),)
        found = await play.GetSeatView(request, metadata=metadata)
        if found.HasField("decision"):
            return found.decision, metadata
    raise SystemExit("walk: nobody is asked")


async def walk_session() -> Walk:
    """Follow a move on a session from its frame to the one with the next question."""
    walk = Walk()
    async with serving() as channel:
        for follows in (_nothing, _nothing, following):
            table = await sit_down(channel)
            link = session_service_pb2_grpc.SessionServiceStub(channel).Session()
            opens = [
                session_service_pb2.ChannelOpen(
                    channel=seat + 1, table_id=table.table_id, ticket=one
                )
                for seat, one in enumerate(table.tickets)
            ]
            hello = session_service_pb2.SessionHello(client="walk")
            answer = session_service_pb2.SessionRequest(hello=hello, opens=opens)
            for turn in range(TURN + 2):
                with follows(walk) if turn > TURN else nullcontext():
                    await link.write(answer)
                    answer = await _question(link)
            link.cancel()
    return walk


async def _question(
    link: grpc.aio.StreamStreamCall[
        session_service_pb2.SessionRequest, session_service_pb2.SessionResponse
    ],
) -> session_service_pb2.SessionRequest:
    """Read up to the next question; returns the frame that answers it."""
    while True:
        frame = await link.read()
        assert isinstance(frame, session_service_pb2.SessionResponse), "the session has ended"
        for item in frame.items:
            if item.update.HasField("decision"):
                decision = item.update.decision
                move = session_service_pb2.ChannelMove(
                    channel=item.channel, decision_id=decision.decision_id, move=decision.fallback
                )
                return session_service_pb2.SessionRequest(acknowledged=frame.frame, moves=[move])


def main() -> None:
    """Walk both ways, and print what was counted."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--list", action="store_true", help="print each hop")
    arguments = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    for name, walking in (("SubmitMove", walk_unary), ("session move", walk_session)):
        walk = asyncio.run(walking())
        print(
            f"{name}: {len(walk.modules)} modules, {len(walk.hops)} hops ({walk.back} back), "
            f"{walk.calls} calls"
        )
        if arguments.list:
            for hop in walk.hops:
                print(f"    {hop.source or '(gRPC)':34} {hop.target:28} {hop.function}")


if __name__ == "__main__":
    main()
