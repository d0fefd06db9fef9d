"""Build the clients in other languages, and play a match of each game with each.

``make test-clients`` or ``python -m scripts.test_clients [LANGUAGE ...]``. House bots of one real
server on the loopback are the opponents. A bot that resumes plays through a proxy that cuts its
connections. If it counts what it saw, that is compared with the record of the match. A language
whose tools are missing is left out, but fails where ``CI`` is set. The exit status is 1 if anything
failed.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple, Self

import grpc
from google.protobuf import json_format, text_format
from google.protobuf.timestamp_pb2 import Timestamp

from croupier.record.v1 import record_pb2, record_service_pb2, record_service_pb2_grpc
from croupier.v1 import game_pb2
from scripts.live.process import ADDRESS, Server

ROOT: Final = Path(__file__).parents[1]
GAMES: Final = {"GAME_KIND_TRACTOR": 3, "GAME_KIND_TONGITS": 2, "GAME_KIND_POKEX": 3}
"""The games, with their house bots beside one client."""
_PATIENCE_S: Final = 600
ENDED: Final = "END_REASON_FINISHED"
PAGE: Final = "PAGE"
"""Variable with the address of its page, for a client that has one."""
CUTS: Final = (2_000, 10, 1_500, 2_500)
"""After how many bytes from the server the first connections of a bot are cut: less in sum than the
events of the shortest match."""
SEEN: Final = re.compile(r"result: (.*) table: (\S+) events: (\d+) last: (\d+)")
"""What a bot that counts says at the end. The result is as text or JSON; `events` are counted one
by one, after a snapshot that stands for those before it; `last` is the number of the last one."""


class CuttingProxy:
    """A TCP proxy on the loopback that cuts its first connections, as a failing network does.

    Args:
        target: address of the server.
        cuts: after how many bytes from the server each of the first connections is reset. What is
            under way then is lost in both directions. Later connections are left alone.

    Attributes:
        address: host and port to connect to.
        done: number of connections that it has cut.
    """

    def __init__(self, target: str, cuts: Sequence[int]) -> None:
        host, _, port = target.rpartition(":")
        self._target = (host, int(port))
        self._cuts = iter(cuts)
        self._listener = socket.create_server((ADDRESS, 0))
        self.address = f"{ADDRESS}:{self._listener.getsockname()[1]}"
        self.done = 0

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(self._target)
                for end in (client, server):  # hold no small message back
                    end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                cut = next(self._cuts, None)
                threading.Thread(target=self._copy, args=(client, server), daemon=True).start()
                threading.Thread(target=self._copy, args=(server, client, cut), daemon=True).start()

    def _copy(self, source: socket.socket, sink: socket.socket, cut: int | None = None) -> None:
        """Copy bytes until the source ends, or *cut* bytes have come."""
        copied = 0
        with suppress(OSError):
            while data := source.recv(65_536 if cut is None else cut - copied):
                copied += len(data)
                if copied == cut:
                    self.done += 1
                    break
                sink.sendall(data)
        for each in (source, sink):
            with suppress(OSError):
                if copied == cut:  # close() then sends a reset
                    each.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                each.shutdown(socket.SHUT_RDWR)
            each.close()


class Bot(NamedTuple):
    """A bot that plays one match.

    Attributes:
        name: which of the language's bots it is.
        transport: how it talks to the server.
        command: plays; address, game and number of house bots are added.
        resumes: it goes on after a cut.
        counts: it resumes, and says at the end what it saw.
        record: fetches a record and writes it to a file after a round trip through the generated
            types; address, table and file are added.
        is_web: it plays at the web port.
    """

    name: str
    transport: str
    command: tuple[str, ...]
    resumes: bool = False
    counts: bool = False
    record: tuple[str, ...] = ()
    is_web: bool = False


class Client(NamedTuple):
    """A client in another language.

    Attributes:
        tools: programs that it needs.
        build: makes its bots, in the folder that it is given where its tools let it choose.
    """

    tools: tuple[str, ...]
    build: Callable[[Path], Sequence[Bot]]


def _run(command: Sequence[str], folder: Path) -> str:
    """What *command* printed.

    Raises:
        subprocess.CalledProcessError: it failed.
        subprocess.TimeoutExpired: it took ten minutes.
    """
    done = subprocess.run(
        command,
        cwd=folder,
        text=True,
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=_PATIENCE_S,
    )
    return done.stdout


def _go(out: Path) -> Sequence[Bot]:
    folder = ROOT / "clients" / "go"
    _run(["buf", "generate", "../../protos"], folder)
    programs = out / "go"
    _run(["go", "build", "-o", f"{programs}/", "./tiny", "./complete", "./record"], folder)
    tiny, complete, record = (str(programs / name) for name in ("tiny", "complete", "record"))
    return [
        Bot("tiny", "gRPC", (tiny,)),
        Bot("complete", "gRPC session", (complete,), resumes=True, counts=True, record=(record,)),
    ]


def _rust(_: Path) -> Sequence[Bot]:
    folder = ROOT / "clients" / "rust"
    _run(["cargo", "build"], folder)
    tiny, complete = (str(folder / "target" / "debug" / name) for name in ("tiny", "complete"))
    return [Bot("tiny", "gRPC", (tiny,)), Bot("complete", "gRPC", (complete,), resumes=True)]


def _cpp(_: Path) -> Sequence[Bot]:
    folder = ROOT / "clients" / "cpp"
    _run(["cmake", "-B", "build"], folder)
    _run(["cmake", "--build", "build"], folder)
    tiny, complete = (str(folder / "build" / name) for name in ("tiny", "complete"))
    return [
        Bot("tiny", "gRPC", (tiny,)),
        Bot("complete", "gRPC session", (complete,), resumes=True),
    ]


def _typescript(_: Path) -> Sequence[Bot]:
    folder = ROOT / "clients" / "typescript"
    for step in (["install"], ["run", "generate"], ["run", "check"], ["run", "build"]):
        _run(["npm", *step], folder)
    tsx = str(folder / "node_modules" / ".bin" / "tsx")
    programs = ("tiny.ts", "bot.ts", "test/refusals.ts", "test/browser.ts")
    tiny, complete, refusals, page = (str(folder / name) for name in programs)
    return [
        Bot("tiny", "gRPC", (tsx, tiny)),
        Bot("complete", "gRPC", (tsx, complete), resumes=True, counts=True),
        Bot("refused before each move", "Connect", (tsx, refusals), is_web=True),
        Bot("page in Chromium", "Connect", (tsx, page, "connect"), is_web=True),
        Bot("page in Chromium", "gRPC-Web", (tsx, page, "grpc-web"), is_web=True),
    ]


def _java(_: Path) -> Sequence[Bot]:
    folder = ROOT / "clients" / "java"
    _run(["mvn", "--batch-mode", "--quiet", "clean", "compile"], folder)
    jars = f"{folder}/target/classes{os.pathsep}{folder}/target/dependency/*"
    tiny, complete = (("java", "-cp", jars, f"bots.{name}") for name in ("Tiny", "Complete"))
    return [
        Bot("tiny", "gRPC", tiny),
        Bot("complete", "gRPC session", complete, resumes=True, counts=True),
    ]


def _deal(tool: str) -> Callable[[Path], Sequence[Bot]]:
    """A script that plays one deal with a program for single calls."""
    script = str(ROOT / "docs" / "examples" / "deal.sh")
    return lambda _: [Bot("deal.sh", "gRPC by reflection", ("bash", script, tool))]


CLIENTS: Final = {
    "go": Client(("go",), _go),
    "typescript": Client(("npm", "chromium"), _typescript),
    "rust": Client(("cargo",), _rust),
    "java": Client(("mvn", "javac"), _java),
    "cpp": Client(("cmake", "c++", "protoc", "grpc_cpp_plugin"), _cpp),
    "buf": Client(("bash", "jq", "buf"), _deal("buf")),
    "grpcurl": Client(("bash", "jq", "grpcurl"), _deal("grpcurl")),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("languages", nargs="*", metavar="LANGUAGE", help=f"of {', '.join(CLIENTS)}")
    given = parser.parse_args(arguments).languages
    os.environ["PATH"] = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    unknown = [name for name in given if name not in CLIENTS]
    if unknown:
        parser.error(f"no client in {unknown[0]!r}; there are {', '.join(CLIENTS)}")
    origin = f"http://{ADDRESS}:{_free_port()}"
    os.environ[PAGE] = f"{origin}/"
    with TemporaryDirectory(prefix="croupier-clients-") as folder:
        web = ["--web", f"{ADDRESS}:0", "--web-origins", origin]
        server = Server("memory:", Path(folder, "server.log"), web)
        server.spawn()
        try:
            server.listen()
            passed = [_test(name, Path(folder), server) for name in given or CLIENTS]
        finally:
            server.stop()
            server.close()
    return 0 if all(passed) else 1


def _free_port() -> int:
    with socket.create_server((ADDRESS, 0)) as free:
        port: int = free.getsockname()[1]
    return port


def _test(name: str, folder: Path, server: Server) -> bool:
    """Play with one client; returns whether nothing failed."""
    client = CLIENTS[name]
    missing = [tool for tool in client.tools if shutil.which(tool) is None]
    if missing:
        print(f"{name}: left out, there is no {missing[0]}", flush=True)
        return not os.environ.get("CI")
    try:
        started = time.monotonic()
        bots = client.build(folder)
        print(f"{name}: built in {time.monotonic() - started:.1f} s", flush=True)
        return all(_plays(name, bot, game, folder, server) for bot in bots for game in GAMES)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        print(f"{name}: {error}", error.stdout, sep="\n", flush=True)
        return False


def _plays(language: str, bot: Bot, game: str, folder: Path, server: Server) -> bool:
    """Play once; returns whether it ended by the rules, and nothing was lost."""
    started = time.monotonic()
    address = server.told["web"] if bot.is_web else server.address
    with CuttingProxy(address, CUTS if bot.resumes else ()) as proxy:
        to = address if bot.is_web else proxy.address
        said = _run([*bot.command, to, game, str(GAMES[game])], folder)
    wrong = "" if ENDED in said else said.strip()
    if bot.resumes and proxy.done < len(CUTS):
        wrong = wrong or f"only {proxy.done} cuts: {said.strip()}"
    if bot.counts:
        wrong = wrong or _loss(said, address, bot, folder)
    played = f"played, {proxy.done} cuts" if bot.resumes else "played"
    outcome = wrong or f"{played}, {time.monotonic() - started:.1f} s"
    print(f"{language}: {bot.name}: {game} over {bot.transport}: {outcome}", flush=True)
    return not wrong


def _loss(said: str, address: str, bot: Bot, folder: Path) -> str:
    """What a bot that *said* this has lost, by the record of its match; empty: nothing."""
    seen = SEEN.search(said)
    if seen is None:
        return said.strip()
    text, table, events, last = seen.groups()
    result = game_pb2.MatchResult()
    if text.startswith("{"):
        json_format.Parse(text, result)
    else:
        text_format.Parse(text, result)
    data = _record(address, table)
    record = record_pb2.MatchRecord.FromString(data)
    if result != record.result:
        return f"its result is not that of the record: {text}"
    ended = max(row.sequence for row in record.rows)
    if not int(events) == int(last) == ended:
        return f"saw {events} events up to number {last}; the record has {ended}"
    if bot.record:
        copy = folder / "record"
        _run([*bot.record, address, table, str(copy)], folder)
        if copy.read_bytes() != data:
            return "the record is not the same after a round trip"
    return ""


def _record(address: str, table: str) -> bytes:
    """The record of a match that has ended, as soon as the server has it."""
    with grpc.insecure_channel(address) as channel:
        stub = record_service_pb2_grpc.RecordServiceStub(channel)
        request = record_service_pb2.StreamRecordsRequest(since=Timestamp(), follow=True)
        found, wanted = b"", False
        for item in stub.StreamRecords(request, timeout=_PATIENCE_S):
            if item.HasField("record"):
                wanted = item.record.table_id == table
            elif item.HasField("chunk") and wanted:
                found += item.chunk.data
                if item.chunk.last:
                    return found
    raise AssertionError("the stream of records ended")


if __name__ == "__main__":
    sys.exit(main())
