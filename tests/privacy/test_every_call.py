"""Private (design promise 4), call by call: all that the contract has is asked and compared, of
seats and of others, at tables of every kind, through streams that break off, and in a drain.

Second half: leaks planted into every call, and into what only such runs show, are all caught.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import structlog
from google.protobuf import descriptor_pb2
from google.protobuf.message import Message

from croupier_server.errors import CroupierError
from croupier_server.games.base import PUBLIC, Seat
from croupier_server.games.registry import GAMES
from croupier_server.rpc import errors, interceptors
from croupier_server.rpc.validate import image_bytes
from croupier_server.tables.directory import directory, tickets
from croupier_server.tables.feeds import feed, snapshots
from croupier_server.tables.match import encode, updates
from croupier_server.tables.match.table import Table
from croupier_server.tables.spec import DealSource
from croupier_server.wire.encode import field_bytes, field_number, field_varint
from tests.privacy.served import Manner, Times, Way, compare, observe
from tests.privacy.stories import Case, case
from tests.privacy.subjects import SECRETS
from tests.privacy.witness import Leak
from tests.wire import playouts

TIMED = Times(window=1_000)
MATCH, ROUGH = Manner(is_match=True), Manner(is_rough=True)
BOTH = Manner(is_match=True, is_rough=True)
LATE = Manner(delay=3)
LATE_AND_ROUGH = Manner(is_rough=True, delay=2, delay_ms=1_500)

ELSEWHERE = {
    "croupier.admin.v1.AdminService": (
        "croupier_server.rpc.admin_service",
        "tests/privacy/test_admin.py",
    ),
    # An arbiter is a client of tables: what it is sent is what everybody may see.
    "croupier.v1.TournamentService": (
        "croupier_server.arbiter.tournament_service",
        "tests/arbiter/test_services.py",
    ),
    "croupier.v1.RatingService": (
        "croupier_server.arbiter.rating_service",
        "tests/arbiter/test_services.py",
    ),
}
"""Services that are not for players: the module that serves them, and where they are compared."""


NOTHING_TO_TELL = ("Session", "CreateTable", "StreamRecords")
"""Calls that the great leak below does not reach: a session has no handler of the common kind, the
audience makes its table before a card is dealt, and there is no record before the end."""


def short(name: str, number: int = 0, audience: Seat = 0, decisions: int = 16) -> Case:
    """A case of few decisions, with the default options."""
    game = GAMES[name]
    options = playouts.options(game, game.rulesets()[0])
    found = (
        case(SECRETS[name], seed, options, audience, decisions_max=decisions + 1)
        for seed in range(number, number + 100)
    )
    return next(one for one in found if len(one.first.answers) > decisions // 2 and one.moved)


def methods() -> dict[str, set[str]]:
    """The calls of the contract, by service."""
    image = descriptor_pb2.FileDescriptorSet.FromString(image_bytes())
    return {
        f"{file.package}.{service.name}": {method.name for method in service.method}
        for file in image.file
        for service in file.service
    }


# Everything is asked ------------------------------------------------------------------------------


async def calls_made() -> set[str]:
    """Names of all methods that the audiences of a few stories call."""
    called: set[str] = set()
    for way, manner in ((Way.WATCH_FULL, MATCH), (Way.SESSION_EVENTS, Manner())):
        await compare(short("tongits"), way, TIMED, manner=manner, called=called)
    return called


@pytest.mark.more
async def test_private_every_call_of_the_contract_is_compared() -> None:
    called = await calls_made()
    missing = {
        f"{service}/{method}"
        for service, names in methods().items()
        if service not in ELSEWHERE
        for method in names
        if f"{service}/{method}" not in called
    }
    assert missing == set(), "ask it in asking.py or sitting.py"
    assert "grpc.health.v1.Health/Check" in called


@pytest.mark.parametrize("service", ELSEWHERE)
def test_private_services_that_are_not_for_players_are_compared_elsewhere(service: str) -> None:
    assert service in methods()
    module, tests = ELSEWHERE[service]
    assert find_spec(module) is None or Path(tests).exists(), f"{module} wants {tests}"


def test_private_metrics_are_compared_once_there_are_any() -> None:
    server = Path("server/croupier_server")
    has_metrics = any(
        "prometheus_client" in path.read_text(encoding="utf-8") for path in server.rglob("*.py")
    )
    assert not has_metrics or Path("tests/privacy/test_metrics.py").exists()


@pytest.mark.more
@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("manner", [MATCH, ROUGH, LATE_AND_ROUGH])
async def test_private_to_whoever_has_no_seat(name: str, manner: Manner) -> None:
    times = TIMED if name == "tractor" else Times()
    one = short(name, audience=PUBLIC)
    assert await compare(one, Way.WATCH_FULL, times, manner=manner) > 50


@pytest.mark.more
@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize(
    ("way", "manner"),
    [
        (Way.WATCH_FULL, BOTH),
        (Way.WATCH_EVENTS, LATE_AND_ROUGH),
        (Way.SESSION_DELTA, ROUGH),
        (Way.SESSION_EVENTS, BOTH),
    ],
)
async def test_private_through_breaks_and_drains(name: str, way: Way, manner: Manner) -> None:
    times = TIMED if name == "tractor" else Times(base=60_000, move=500)
    assert await compare(short(name, audience=1), way, times, manner=manner) > 50


# Planted leaks ------------------------------------------------------------------------------------


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch) -> list[Table]:
    """Tables of the running server, for leaks to look at: the first is the story's."""
    found: list[Table] = []
    add = directory.Directory.add

    def listed(self: directory.Directory, table: Table) -> None:
        if not list(self):
            found.clear()
        found.append(table)
        add(self, table)

    monkeypatch.setattr(directory.Directory, "add", listed)
    return found


def hidden(tables: list[Table]) -> int:
    """Something that only the other seats of the story know."""
    hands = tables[0].match.state.hands if tables else []
    return sum(int(hand) for hand in hands[2:]) % 1_000_003 + 1


@pytest.mark.more
async def test_a_planted_leak_in_any_call_is_caught(
    monkeypatch: pytest.MonkeyPatch, tables: list[Table]
) -> None:
    """Every answer, message and refusal tells of another hand: each call shows it."""
    plant_everywhere(monkeypatch, tables)
    seen: dict[str, int] = {}
    one = short("tongits")
    for way, manner in ((Way.WATCH_FULL, MATCH), (Way.WATCH_EVENTS, ROUGH)):
        how = (one.audience, way, TIMED, None, None, manner)
        first, second = await observe(one.first, *how), await observe(one.second, *how)
        for stream in first:
            differs = [a[1:] for a in first[stream]] != [b[1:] for b in second[stream]]
            seen[stream] = seen.get(stream, 0) + differs
    compared = {
        name
        for service, names in methods().items()
        if service not in ELSEWHERE
        for name in names
        if name not in NOTHING_TO_TELL
    }
    assert {name for name in compared if not seen[name]} == set()


def plant_everywhere(monkeypatch: pytest.MonkeyPatch, tables: list[Table]) -> None:
    """Have every call tell `hidden` in an unknown field, or in the words of a refusal."""
    unary, stream = interceptors.Service.unary, interceptors.Service.stream
    to_status = errors.to_status

    def spoil(reply: Message | bytes) -> bytes:
        data = reply if isinstance(reply, bytes) else reply.SerializeToString()
        return data + field_varint(15, hidden(tables))

    def spoiled_unary(
        self: Any, method: str, request: Any, handle: Callable[..., Awaitable[Any]], how: Any
    ) -> None:
        async def told(caller: Any, message: Any) -> bytes:
            return spoil(await handle(caller, message))

        unary(self, method, request, told, how)

    def spoiled_stream(
        self: Any,
        method: str,
        request: Any,
        handle: Callable[..., AsyncGenerator[Any, None]],
        how: Any,
    ) -> None:
        async def told(caller: Any, message: Any) -> AsyncGenerator[bytes, None]:
            replies = handle(caller, message)
            try:
                async for reply in replies:
                    yield spoil(reply)
            finally:
                await replies.aclose()

        stream(self, method, request, told, how)

    def spoiled_status(error: CroupierError) -> Any:
        status = to_status(error)
        status.message += f" {hidden(tables)}"
        return status

    monkeypatch.setattr(interceptors.Service, "unary", spoiled_unary)
    monkeypatch.setattr(interceptors.Service, "stream", spoiled_stream)
    monkeypatch.setattr(interceptors, "to_status", spoiled_status)


async def caught(manner: Manner, way: Way = Way.WATCH_EVENTS, audience: Seat = 0) -> str:
    """In what the first leak was found; nothing in five cases is a failure."""
    for number in range(5):
        one = short("tongits", 20 * number, audience=audience)
        try:
            await compare(one, way, Times(), manner=manner)
        except Leak as leak:
            return leak.what
    raise AssertionError("no leak was found")


@pytest.mark.more
@pytest.mark.parametrize("message", ["resumed", "reset"])
async def test_a_planted_leak_where_a_stream_starts_is_caught(
    message: str, monkeypatch: pytest.MonkeyPatch, tables: list[Table]
) -> None:
    real = getattr(updates, message)

    def telling(*facts: Any) -> bytes:
        found: bytes = real(*facts)
        return found + field_number(14, hidden(tables))

    monkeypatch.setattr(updates, message, telling)
    assert await caught(ROUGH) in ("WatchTable message", "SpectateTable message")


@pytest.mark.more
async def test_a_planted_leak_in_a_drain_is_caught(
    monkeypatch: pytest.MonkeyPatch, tables: list[Table]
) -> None:
    finish = feed.TableFeed.finish

    def telling(self: feed.TableFeed, reason: Any, detail: str = "", retry: int = 0) -> None:
        finish(self, reason, f"{detail} {hidden(tables)}", retry)

    monkeypatch.setattr(feed.TableFeed, "finish", telling)
    assert await caught(ROUGH) in ("WatchTable message", "SpectateTable message")


@pytest.mark.more
async def test_a_planted_leak_in_a_seat_joined_again_is_caught(
    monkeypatch: pytest.MonkeyPatch, tables: list[Table]
) -> None:
    def telling(table: Table) -> bytes:
        told = hidden(tables) if table.delayed is not None else 0
        return encode.table(table._fixed, table.shown, told)

    monkeypatch.setattr(Table, "seat_resource", telling)
    monkeypatch.setattr(
        snapshots,
        "seat_snapshot",
        lambda *_: updates.snapshot(b"", 1, seat=b"", public=None, clocks=[]),
    )
    assert await caught(LATE_AND_ROUGH) in ("GetSeatView answer", "JoinTable answer")


@pytest.mark.more
@pytest.mark.parametrize("what", ["secret", "nonce", "ticket"])
async def test_a_planted_secret_is_caught(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same in both worlds, as secrets are in these; still nobody may be told it."""
    heartbeat, new_ticket = snapshots.public_heartbeat, tickets.new_ticket
    given: list[str] = []

    def kept(secrets: tickets.Secrets) -> str:
        given.append(new_ticket(secrets))
        return given[-1]

    def telling(table: Table, now: int) -> bytes:
        secrets = {
            "secret": table.opening._secret,
            "nonce": table.seats[1].nonce,
            "ticket": given[2].encode(),
        }
        return heartbeat(table, now) + field_bytes(14, secrets[what])

    monkeypatch.setattr(tickets, "new_ticket", kept)

    monkeypatch.setattr(snapshots, "public_heartbeat", telling)
    assert await caught(MATCH) == "SpectateTable beats message"


@pytest.mark.more
async def test_a_planted_seed_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """A view says that its table is FIXED, and by which seed."""
    real = encode.deal_source

    def telling(source: DealSource) -> bytes:
        return real(source) + field_varint(9, source.seed or 0)

    monkeypatch.setattr(encode, "deal_source", telling)
    assert "answer" in await caught(Manner())


@pytest.mark.more
async def test_a_planted_line_of_the_log_is_caught(
    monkeypatch: pytest.MonkeyPatch, tables: list[Table]
) -> None:
    """No card, no secret: how many cards somebody holds of a suit is enough."""
    submit = Table.submit

    def logged(table: Table, *answer: Any) -> Any:
        structlog.get_logger().debug("move", strength=hidden(tables))
        return submit(table, *answer)

    monkeypatch.setattr(Table, "submit", logged)
    assert await caught(Manner()) == "log line"


@pytest.mark.more
async def test_a_planted_leak_to_whoever_has_no_seat_is_caught(
    monkeypatch: pytest.MonkeyPatch, tables: list[Table]
) -> None:
    heartbeat = snapshots.public_heartbeat

    def telling(table: Table, now: int) -> bytes:
        return heartbeat(table, now) + field_number(14, hidden(tables))

    monkeypatch.setattr(snapshots, "public_heartbeat", telling)
    assert await caught(LATE, audience=PUBLIC) == "SpectateTable beats message"
