"""Send a real server what no client should: ``make fuzz SECONDS=600``.

Every call of every service, the Admin service too, on a ``croupier serve`` that asks for keys:
requests that are right, that are wrong in a field, wrong in their bytes, or no messages at all;
metadata likewise; sessions of such frames; streams that are left at any point. No answer may be
INTERNAL or fail to come, the server may not write of a fault into its log, and tables whose tickets
are not used must be what they were, to the byte, and be played to their ends.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import secrets
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from tempfile import mkdtemp
from typing import Any, Final, NamedTuple

import grpc
from google.protobuf.message import DecodeError, Message

from croupier.admin.v1 import admin_service_pb2
from croupier.record.v1 import record_service_pb2
from croupier.v1 import (
    catalog_service_pb2,
    play_service_pb2,
    seat_service_pb2,
    session_service_pb2,
    spectate_service_pb2,
    system_service_pb2,
    table_service_pb2,
)
from scripts.live.garbage import fill, headers, spoil, spoil_bytes
from scripts.live.process import Server, end_by_sigterm, faults_in
from scripts.live.subjects import GAMES, Subjects, Tables, make_key
from tests.sim.promises.judge import reason_of

_FILES: Final = (
    system_service_pb2,
    catalog_service_pb2,
    table_service_pb2,
    play_service_pb2,
    seat_service_pb2,
    session_service_pb2,
    spectate_service_pb2,
    record_service_pb2,
    admin_service_pb2,
)
_ADMIN: Final = "/croupier.admin."
_ENDING: Final = (
    "/AbortTable",
    "/AdjudicateTable",
    "/Concede",
    "/LeaveTable",
    "/QuarantineTable",
    "/ReleaseTable",
    "/VoidMatch",
)
"""Calls that end a match or stop it, when they are right."""

_BAD: Final = ("INTERNAL", "UNKNOWN", "DATA_LOSS", "DEADLINE_EXCEEDED", "SILENCE")
_STATUS: Final = "grpc-status-details-bin"
_WRITTEN_LATE: Final = "Internal error from Core"
"""What gRPC's client makes of a call that was over before it was written to."""

_CALL_S: Final = 60.0
_LISTEN_S: Final = 0.1
_REFRESH_S: Final = 1.0
_WORKERS: Final = 64
_CHANNELS: Final = 4
_BYTES_MAX: Final = 64 << 20
_FAULTS_MAX: Final = 50
_MOVES: Final = 6
"""Moves that are made at the tables that must not be harmed before it begins."""


class Method(NamedTuple):
    """A call of the contract."""

    path: str
    request: type[Message]
    answer: type[Message]
    takes_stream: bool
    gives_stream: bool

    @property
    def is_admin(self) -> bool:
        """Whether it is on the operators' port."""
        return self.path.startswith(_ADMIN)


def methods() -> list[Method]:
    """Every call of every service."""
    found = []
    for file in _FILES:
        for service in file.DESCRIPTOR.services_by_name.values():
            found += [
                Method(
                    f"/{service.full_name}/{method.name}",
                    method.input_type._concrete_class,  # noqa: SLF001 - protobuf's own way
                    method.output_type._concrete_class,  # noqa: SLF001
                    method.client_streaming,
                    method.server_streaming,
                )
                for method in service.methods
            ]
    return found


class Keys(NamedTuple):
    """Keys of the run.

    Attributes:
        whole: of who owns the tables that must not be harmed.
        victims: of who owns the others.
        maker: of who makes tables that nobody plays at.
        admin: of an operator.
    """

    whole: str
    victims: str
    maker: str
    admin: str

    @classmethod
    def make(cls, store: str) -> Keys:
        """All of them."""
        return cls(
            make_key(store, "whole", "play", "host"),
            make_key(store, "victims", "play", "host"),
            make_key(store, "maker", "play", "host"),
            make_key(store, "olga", "admin"),
        )


class Fuzzer:
    """Sends inputs.

    Args:
        subjects: what they are about.
        keys: that go with them.
        channels: to the server, and one to its operators' port.
        folder: where inputs that a fault came of are kept, as hex.

    Attributes:
        counts: inputs by call and status.
        sent: inputs.
        faults: what was wrong.
    """

    def __init__(
        self,
        subjects: Subjects,
        keys: Keys,
        channels: Sequence[grpc.aio.Channel],
        admin: grpc.aio.Channel,
        folder: Path,
    ) -> None:
        self._subjects = subjects
        self._keys = keys
        self._channels = channels
        self._admin = admin
        self._folder = folder
        self._methods = methods()
        self.counts: dict[str, Counter[str]] = defaultdict(Counter)
        self.sent = 0
        self.faults: list[str] = []

    async def work(self, rng: Random, is_over: Callable[[], bool]) -> None:
        """Send one input after another."""
        while not is_over():
            await self.one(rng)

    async def one(self, rng: Random) -> None:
        """Send one input, or one session of them."""
        method = rng.choice(self._methods)
        ends = method.path.endswith(_ENDING)
        about = self._subjects.about(rng, may_harm=method.is_admin, ends=ends)
        frames = [self._data(rng, method, about.value)]
        if method.takes_stream:
            frames[1:] = [self._data(rng, method, about.value) for _ in range(rng.randrange(6))]
            if rng.random() < 0.8:
                frames[0] = session_service_pb2.SessionRequest(
                    hello=session_service_pb2.SessionHello(client="fuzz")
                ).SerializeToString()
        key = self._key(rng, method, frames[0])
        metadata = about.metadata(key)
        if rng.random() < 0.1:
            metadata = headers(rng) + (metadata if rng.random() < 0.5 else [])
        self.sent += len(frames)
        try:
            status = await self._send(rng, method, frames, metadata)
        except TimeoutError:
            status = "SILENCE"
        self.counts[method.path][status.partition(" ")[0]] += len(frames)
        if status.startswith(_BAD):
            self._keep(method, frames, metadata, status)

    def _data(self, rng: Random, method: Method, pool: Callable[[str], Any]) -> bytes:
        """A request, more or less."""
        chance = rng.random()
        if chance < 0.03:
            return rng.randbytes(rng.choice((1, 10, 100, 5_000)))
        message = method.request()
        fill(rng, message, pool)
        if chance > 0.3:
            spoil(rng, message)
        data = message.SerializeToString()
        return spoil_bytes(rng, data) if chance > 0.7 else data

    def _key(self, rng: Random, method: Method, data: bytes) -> str:
        """The key of a call; that of an operator only where nothing is lost by it."""
        keys = self._keys
        is_safe = not method.is_admin or not self._is_forbidden(method, data)
        if rng.random() < 0.05:
            others = ["", "nonsense", keys.victims[:-1] + "x", keys.maker]
            return rng.choice([*others, keys.admin] if is_safe else others)
        if method.is_admin:
            return keys.admin if is_safe else keys.victims
        return keys.maker if method.path.endswith("/CreateTable") else keys.victims

    def _is_forbidden(self, method: Method, data: bytes) -> bool:
        """Whether an operator would rightly be obeyed in what would end the run."""
        try:
            request: Any = method.request.FromString(data)
        except DecodeError:
            return False
        is_of_whole = getattr(request, "table_id", "") in self._subjects.whole.ids
        return is_of_whole or getattr(request, "stop", False)

    async def _send(self, rng: Random, method: Method, frames: list[bytes], metadata: Any) -> str:
        """What came of it: the name of the status, and the reason."""
        channel = self._admin if method.is_admin else rng.choice(self._channels)
        try:
            async with asyncio.timeout(_CALL_S):
                if method.takes_stream:
                    return await self._talk(rng, channel, method, frames, metadata)
                if method.gives_stream:
                    return await self._listen(rng, channel, method, frames[0], metadata)
                call: Any = channel.unary_unary(method.path)
                data = await call(frames[0], metadata=metadata)
                self._subjects.learn(method.answer.FromString(data))
                return "OK"
        except grpc.aio.AioRpcError as error:
            return _told(error)

    async def _listen(
        self, rng: Random, channel: grpc.aio.Channel, method: Method, data: bytes, metadata: Any
    ) -> str:
        """Read a little of a stream, and leave it."""
        open_: Any = channel.unary_stream(method.path)
        call = open_(data, metadata=metadata)
        return await self._read(rng, call, method)

    async def _talk(
        self,
        rng: Random,
        channel: grpc.aio.Channel,
        method: Method,
        frames: list[bytes],
        metadata: Any,
    ) -> str:
        """A session: frames, then perhaps the end of ours, or nothing more at all."""
        open_: Any = channel.stream_stream(method.path)
        call = open_(metadata=metadata)
        # What was over before it was written to says so here, and why when it is read.
        with contextlib.suppress(asyncio.InvalidStateError, grpc.aio.AioRpcError):
            for frame in frames:
                await call.write(frame)
            if rng.random() < 0.4:
                await call.done_writing()
        return await self._read(rng, call, method)

    async def _read(self, rng: Random, call: Any, method: Method) -> str:
        """Read until the end, or until it is boring; the call is aborted then."""
        try:
            async with asyncio.timeout(_LISTEN_S * rng.random()):
                while isinstance(data := await call.read(), bytes):
                    method.answer.FromString(data)
        except TimeoutError:
            return "LEFT"
        finally:
            call.cancel()
        return "OK"

    def _keep(self, method: Method, frames: list[bytes], metadata: Any, status: str) -> None:
        path = self._folder / f"fault-{len(self.faults)}.json"
        found = {
            "method": method.path,
            "status": status,
            "frames": [frame.hex() for frame in frames],
            "metadata": [(key, repr(value)) for key, value in metadata],
        }
        path.write_text(json.dumps(found, indent=1), encoding="utf-8")
        self.faults.append(f"{method.path} was answered with {status}: {path}")

    async def refresh(self, rng: Random) -> None:
        """Look after the victims until cancelled; operators may have closed the doors."""
        resume = admin_service_pb2.ResumeServerRequest().SerializeToString()
        metadata = (("authorization", f"Bearer {self._keys.admin}"),)
        while True:
            call: Any = self._admin.unary_unary(f"{_ADMIN}v1.AdminService/ResumeServer")
            await call(resume, metadata=metadata)
            await self._subjects.refresh(rng)
            await asyncio.sleep(_REFRESH_S)


def _told(error: grpc.aio.AioRpcError) -> str:
    """Name and reason of a refusal; what gRPC said by itself has no reason."""
    name = error.code().name
    for key, value in error.trailing_metadata() or ():
        if key == _STATUS and isinstance(value, bytes):
            return f"{name} {reason_of(value)}"
    if name == "UNAVAILABLE":
        return f"SILENCE {error.details()}"
    if error.details() == _WRITTEN_LATE:
        return "OVER"  # why, nobody is told; what is a fault of the server is in its log
    return f"{name} {error.details()}"


async def fuzz(store: str, folder: Path, seed: str, seconds: float, inputs: int) -> int:
    """Fuzz a server of our own for so long, or with so many inputs; returns the exit code.

    Args:
        store: URL of its store.
        folder: for its log, and for inputs that a fault came of.
        seed: where the inputs come from, as far as the server does not decide.
        seconds: for so long at most.
        inputs: so many at most.
    """
    keys = Keys.make(store)
    log = folder / "server.log"
    more = ["--auth", "keys", "--admin-port", "0", "--calls-per-second", "0", "--log-level", "info"]
    server = Server(store, log, more)
    began = time.monotonic()
    try:
        server.spawn()
        server.listen()
        fuzzer, faults = await _fuzz(server, keys, folder, seed, began + seconds, inputs)
        if server.is_running and (status := server.stop()):
            faults.append(f"the server ended with status {status}")
    finally:
        server.close()
    faults += [*fuzzer.faults, *faults_in(log)]
    for line in _table(fuzzer):
        print(line)
    missing = {method.path for method in methods()} - fuzzer.counts.keys()
    faults += [f"{path} was never called" for path in sorted(missing)]
    for fault in faults:
        print(f"bad: {fault}")
    took = time.monotonic() - began
    verdict = "bad" if faults else "good"
    print(f"{fuzzer.sent} inputs in {took:.0f} s, seed {seed}; {verdict}", flush=True)
    return 1 if faults else 0


async def _fuzz(
    server: Server, keys: Keys, folder: Path, seed: str, until: float, inputs: int
) -> tuple[Fuzzer, list[str]]:
    """Send inputs until it is enough, and look what became of the tables."""
    options = (
        ("grpc.max_receive_message_length", _BYTES_MAX),
        ("grpc.use_local_subchannel_pool", 1),
    )
    channels = [
        grpc.aio.insecure_channel(server.address, options=options) for _ in range(_CHANNELS)
    ]
    admin = grpc.aio.insecure_channel(server.told["admin"], options=options)
    whole, victims = Tables(server.address, keys.whole), Tables(server.address, keys.victims)
    async with whole.client, victims.client:
        for game in GAMES:
            await whole.add(game, 7)
            await victims.add(game, 8)
        for number in range(len(GAMES)):
            await whole.play(number, _MOVES)
        before = await whole.dump()
        subjects = Subjects(whole, victims)
        await subjects.refresh(Random(seed))  # noqa: S311 - all chance here follows from the seed
        fuzzer = Fuzzer(subjects, keys, channels, admin, folder)
        refreshing = asyncio.create_task(fuzzer.refresh(Random(f"refresh {seed}")))  # noqa: S311
        reporting = asyncio.create_task(_report(fuzzer))

        def is_over() -> bool:
            is_enough = time.monotonic() > until or fuzzer.sent >= inputs
            is_bad = len(fuzzer.faults) >= _FAULTS_MAX or not server.is_running
            return is_enough or is_bad or refreshing.done()

        async with asyncio.TaskGroup() as group:
            for number in range(_WORKERS):
                rng = Random(f"{seed} {number}")  # noqa: S311
                group.create_task(fuzzer.work(rng, is_over))
        reporting.cancel()
        refreshing.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await refreshing
        if not server.is_running:
            return fuzzer, ["the server ended"]
        faults = []
        if await whole.dump() != before:
            faults.append("a table that nobody had a ticket of is not what it was")
        faults += await whole.finish()
    for channel in (*channels, admin):
        await channel.close()
    return fuzzer, faults


async def _report(fuzzer: Fuzzer) -> None:
    """Say how far it is, until cancelled."""
    while True:
        await asyncio.sleep(20)
        now = time.strftime("%H:%M:%S")
        print(f"{now} {fuzzer.sent} inputs, {len(fuzzer.faults)} faults", flush=True)


def _table(fuzzer: Fuzzer) -> Iterator[str]:
    """What came of the inputs, by call."""
    for path, counts in sorted(fuzzer.counts.items()):
        told = ", ".join(f"{name} {number}" for name, number in counts.most_common())
        yield f"{path.removeprefix('/croupier.'):36} {counts.total():7}  {told}"


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--inputs", type=int, default=1 << 62, help="at most")
    parser.add_argument("--seed", default=secrets.token_hex(4))
    given = parser.parse_args(arguments)
    end_by_sigterm()
    folder = Path(mkdtemp(prefix="croupier-fuzz-"))
    print(f"seed {given.seed}, log and inputs in {folder}", flush=True)
    store = f"sqlite:{folder / 'croupier.db'}"
    return asyncio.run(fuzz(store, folder, given.seed, given.seconds, given.inputs))


if __name__ == "__main__":
    sys.exit(main())
