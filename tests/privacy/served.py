"""Every message, metadata and status that one audience gets of a story told to a real server.

Two tellings are compared byte by byte: what cannot be told apart must be the same. And no secret of
the server, no ticket of others and no nonce may be in any of it, nor in the log.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import zip_longest
from typing import Any, Final

import grpc
from structlog.testing import capture_logs

from croupier_server.games.base import AnyGame, Seat
from croupier_server.games.modules import WIRES_BY_NAME
from croupier_server.wire.game import GameWire
from tests.privacy.serving import Manner, Served, Times, Way, serve
from tests.privacy.sitting import Sitting, nonce
from tests.privacy.stories import Case, Story
from tests.privacy.tap import Tap
from tests.privacy.witness import Leak, Seen

__all__ = ["Manner", "Times", "Way", "compare", "compare_seen", "observe"]

_A_CARD: Final = re.compile(r"\b([2-9TJQKA][SHDC]|BJ|RJ)\b")
_MOVED: Final = "croupier.v1.PlayService/SubmitMove"
_STREAMS: Final = (
    "WatchTable",
    "WatchTables",
    "SpectateTable",
    "WatchLobby",
    "Session",
    "StreamRecords",
    "GetRecord",
)


async def observe(
    story: Story,
    audience: Seat,
    way: Way,
    times: Times,
    game: AnyGame | None = None,
    wire: GameWire | None = None,
    manner: Manner = Manner(),  # noqa: B008 - a value
    called: set[str] | None = None,
) -> dict[str, list[Seen]]:
    """All that *audience* receives of *story*, by stream and call; *called* takes the names of the
    methods that it has called."""
    with capture_logs() as logs:
        async with (
            serve(story, game or story.rules, wire or WIRES_BY_NAME[story.game]) as served,
            grpc.aio.insecure_channel(served.address) as own,
            grpc.aio.insecure_channel(served.address) as others,
        ):
            sitting = Sitting(served, story.game, audience, way, times, manner)
            await sitting.open(story, own, others)
            await sitting.play(story)
            await sitting.close()
    tap = sitting.tap
    if called is not None:
        called |= tap.called
    nonces = [nonce(seat) for seat in range(story.players) if seat != audience]
    expect_no_secrets(served, tap, logs, nonces)
    for line in log_lines(logs):
        tap.note("log", "line", line)
    return tap.seen


# Secrets -----------------------------------------------------------------------------------------


def expect_no_secrets(
    served: Served, tap: Tap, logs: Iterable[Mapping[str, Any]], nonces: list[bytes]
) -> None:
    """Raise `Leak` if a card is in the log, or a secret that is not the audience's anywhere."""
    for entry in logs:
        if _A_CARD.search(repr(entry)):
            raise Leak(Seen(0, "log", entry), None)
    needles = set(served.secrets.forms(nonces))
    own = _given_to(tap)
    log = repr(logs).encode()
    for needle in needles:
        if needle in log:
            raise Leak(Seen(0, "log", needle), None)
    for stream in tap.seen.values():
        for seen in stream:
            data = b"\0".join(_bytes_of(seen.content))
            for needle in needles:
                if needle in data and needle not in own:
                    raise Leak(seen, None)


def _given_to(tap: Tap) -> set[bytes]:
    """Tickets that the audience was given itself: those that it has asked for."""
    found = set()
    for call in ("JoinTable", "CreateTable"):
        for seen in tap.seen.get(call, []):
            if seen.what.endswith("answer") and isinstance(seen.content, bytes):
                found |= set(re.findall(rb"[\w-]{43}", seen.content))
    return found


def _bytes_of(content: object) -> Iterator[bytes]:
    """All bytes of a thing received."""
    if isinstance(content, bytes):
        yield content
    elif isinstance(content, tuple):
        for part in content:
            yield from _bytes_of(part)
    else:
        yield str(content).encode()


def log_lines(logs: Iterable[Mapping[str, Any]]) -> list[str]:
    """The log as far as it may not differ: without times, and without the calls of others in
    sealed windows. When a lost stream is noticed is time, so streams are left out."""
    lines = []
    for entry in logs:
        method = str(entry.get("method", ""))
        is_answer = method == _MOVED and entry.get("code") == "OK"
        if not is_answer and not method.endswith(_STREAMS):
            lines.append(repr(sorted((key, entry[key]) for key in entry if key != "ms")))
    return sorted(lines)


# Two worlds --------------------------------------------------------------------------------------


async def compare(
    case: Case,
    way: Way,
    times: Times,
    game: AnyGame | None = None,
    wire: GameWire | None = None,
    manner: Manner = Manner(),  # noqa: B008 - a value
    called: set[str] | None = None,
) -> int:
    """Raise `Leak` where the audience receives something else in the second story; return how
    much was compared.

    A window without a time of its own closes when all have answered: a documented leak of time.
    So a story must not be broken off where it may be closed in one world and open in the other.
    """
    assert times.window or not case.ends_in_a_window
    how = (case.audience, way, times, game, wire, manner, called)
    return compare_seen(await observe(case.first, *how), await observe(case.second, *how))


def compare_seen(first: dict[str, list[Seen]], second: dict[str, list[Seen]]) -> int:
    """Raise `Leak` where the two differ; return how much was compared."""
    number = 0
    for stream in sorted(first.keys() | second.keys()):
        for one, two in zip_longest(first.get(stream, []), second.get(stream, [])):
            # The step is when it was read, which is time.
            if one is None or two is None or one[1:] != two[1:]:
                raise Leak(one, two)
            number += 1
    return number
