"""Numbers for the operator, in the form of Prometheus, on a port of their own.

Labels are games, methods, codes, reasons and statuses: never a table, a principal or a text of a
request. Numbers of play are counted where they arise in plain integers
(`tables/durability/tally.py`) and collected when somebody asks. What they tell of play is in
docs/security.md: they are for whoever runs the server, and nobody who sits at its tables.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
import socket
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import asynccontextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from prometheus_client import CollectorRegistry, Counter, Histogram, start_http_server
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.gc_collector import GCCollector
from prometheus_client.platform_collector import PlatformCollector
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector

from croupier_server.games.modules import WIRES
from croupier_server.storage.base import Store
from croupier_server.tables.durability.commits import SECONDS
from croupier_server.tables.durability.tally import standing
from croupier_server.tables.shard.shard import Shard

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

GAMES: Final = {kind: wire.name for kind, wire in WIRES.items()}
"""Names of games by number."""

_HOST: Final = re.compile(r"(?:(?P<name>[a-z0-9_.-]*)|\[(?P<address>[0-9a-f:.]+)\])(?::[0-9]*)?")
"""A ``Host`` header in small letters: a name or an address, and perhaps a port."""

_WAIT_S: Final = 5.0
"""So long a scrape waits for the event loop; after that the page has what needs no loop."""


REQUEST_S: Final = 10.0
"""A client that sends nothing for so long is cut off: each connection has a thread."""


class CannotShowMetrics(Exception):
    """The metrics port cannot be listened on."""


class Source(NamedTuple):
    """What the numbers are collected from.

    Attributes:
        shard: the tables.
        store: where they are kept.
        streams: how many are open.
        house_deaths: how often the house bots have died.
    """

    shard: Shard
    store: Store
    streams: Callable[[], int]
    house_deaths: Callable[[], int]


class CallMeter:
    """Counts calls as they end: how long they took by method and code, refusals by reason.

    A stream counts when it ends; its time is not added up, as it says nothing.
    """

    def __init__(self, registry: CollectorRegistry) -> None:
        seconds = Histogram(
            "croupier_call_seconds",
            "Time of unary calls, from the request to the answer.",
            ("method", "code"),
            buckets=SECONDS,
            registry=registry,
        )
        self._seconds = cache(seconds.labels)
        self._streams = Counter(
            "croupier_streams_ended",
            "Streams that have ended, by the code that their client saw.",
            ("method", "code"),
            registry=registry,
        )
        self._refusals = Counter(
            "croupier_refusals",
            "Refused calls and moves, by reason.",
            ("reason",),
            registry=registry,
        )

    def ended(self, method: str, code: str, seconds: float, *, is_stream: bool) -> None:
        """A call of *method* has ended."""
        if is_stream:
            self._streams.labels(method, code).inc()
        else:
            self._seconds(method, code).observe(seconds)

    def refused(self, reason: str) -> None:
        """A call or a move was refused."""
        self._refusals.labels(reason).inc()


class TableCollector(Collector):
    """Tables, decisions and the store, as they are when somebody asks.

    Collecting goes through what the loop owns, so it is done there; the page is served by a thread.
    """

    def __init__(self, source: Source, loop: asyncio.AbstractEventLoop) -> None:
        self._source = source
        self._loop = loop

    def collect(self) -> Iterable[Metric]:
        """The numbers now; none of them when the loop does not come round in time."""
        found = asyncio.run_coroutine_threadsafe(self._collect(), self._loop)
        try:
            return found.result(_WAIT_S)
        except FutureTimeout:
            found.cancel()
            return [_gauge("croupier_loop_stuck", "The event loop did not answer in time.", 1)]

    async def _collect(self) -> list[Metric]:
        return [*_tables(self._source), *_server(self._source)]


def _tables(source: Source) -> Iterator[Metric]:
    directory = source.shard.directory
    tally = directory.tally
    live = GaugeMetricFamily(
        "croupier_tables", "Tables that have not ended.", labels=("game", "status")
    )
    for (kind, status), number in sorted(standing(directory).items()):
        live.add_metric((GAMES[kind], status.name), number)
    yield live
    counts = (
        ("croupier_decisions", "Decisions answered.", tally.answered(directory)),
        ("croupier_timeouts", "Decisions whose time ran out.", tally.timed_out(directory)),
        ("croupier_tables_ended", "Tables that have ended.", tally.ended),
        ("croupier_tables_halted", "Tables that a fault has stopped.", tally.halted),
    )
    for name, text, by_kind in counts:
        family = CounterMetricFamily(name, text, labels=("game",))
        for kind, game in GAMES.items():
            family.add_metric((game,), by_kind[kind])
        yield family
    recovery = directory.recovery
    recovering = len(recovery) if recovery is not None else 0
    yield _gauge("croupier_tables_recovering", "Tables to be taken up after a start.", recovering)
    broken = recovery.broken if recovery is not None else 0
    yield _gauge("croupier_tables_broken", "Tables that could not be taken up.", broken)


def _server(source: Source) -> Iterator[Metric]:
    shard = source.shard
    commits = shard.commits
    stored = HistogramMetricFamily(
        "croupier_store_seconds", "Time from handing rows to the store to their commit."
    )
    classes = commits.seconds.classes()
    named = [("+Inf" if bound == float("inf") else str(bound), count) for bound, count in classes]
    stored.add_metric((), named, commits.seconds.total)
    yield stored
    yield _counter("croupier_store_rows", "Rows handed to the store.", commits.rows)
    is_failing = bool(shard.upkeep.trouble)
    yield _gauge("croupier_store_failing", "1 while nothing can be stored.", is_failing)
    late_s = shard.upkeep.late_ms / 1000
    yield _counter("croupier_loop_late_seconds", "Time by which the loop came late.", late_s)
    yield _gauge("croupier_streams", "Open streams, sessions among them.", source.streams())
    yield _counter("croupier_house_deaths", "Times the house bots died.", source.house_deaths())


def _gauge(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(name, text, value=value)


def _counter(name: str, text: str, value: float) -> Metric:
    return CounterMetricFamily(name, text, value=value)


def new_registry() -> CollectorRegistry:
    """A registry with the numbers of the process."""
    registry = CollectorRegistry()
    for collector in (ProcessCollector, PlatformCollector, GCCollector):
        collector(registry=registry)
    return registry


def is_own_host(header: str, host: str) -> bool:
    """Whether a ``Host`` header can name this page.

    A web page that its author's name server points at this machine (DNS rebinding) makes a browser
    send a public name. An address, a name without a dot, this machine's own name and the one in
    the settings are none that a stranger can choose.

    Args:
        header: value of the header, with or without a port.
        host: address or name that the page listens on.
    """
    found = _HOST.fullmatch(header.strip().lower())
    if found is None:
        return False
    name = found["name"] or found["address"] or ""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return "." not in name or name in (host.lower(), socket.gethostname().lower())
    return True


def guarded(app: WSGIApplication, host: str) -> WSGIApplication:
    """*app* for requests that name this page as their host; others get ``403 Forbidden``."""

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if is_own_host(environ.get("HTTP_HOST", ""), host):
            return app(environ, start_response)
        start_response("403 Forbidden", [("Content-Type", "text/plain; charset=utf-8")])
        return [b"unknown host; ask by address, or set metrics_host to the name\n"]

    return answer


@asynccontextmanager
async def page(
    registry: CollectorRegistry, host: str, port: int, source: Source
) -> AsyncIterator[int]:
    """Serve the numbers of *source* and of *registry* on ``/metrics``; gives the port.

    Raises:
        CannotShowMetrics: the port is taken, or the address is not of this machine.
    """
    registry.register(TableCollector(source, asyncio.get_running_loop()))
    try:
        server, thread = start_http_server(port, host, registry)
    except OSError as error:
        raise CannotShowMetrics(
            f"metrics: cannot listen on {host}:{port}: {error.strerror}"
        ) from None
    app = server.get_app()
    assert app is not None
    server.set_app(guarded(app, host))
    handler: Any = server.RequestHandlerClass
    server.RequestHandlerClass = type("Impatient", (handler,), {"timeout": REQUEST_S})
    try:
        yield server.server_port
    finally:
        # A scrape under way waits for the loop, so the loop must not wait for the scrape.
        await asyncio.to_thread(server.shutdown)
        server.server_close()
        await asyncio.to_thread(thread.join)
