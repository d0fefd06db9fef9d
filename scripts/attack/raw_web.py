"""``python -m scripts.attack.raw_web ADDRESS CONNECTIONS HABIT``: asks a web port without a pause.

It needs no key, and goes on until the end of its standard input; then it prints one line of JSON
with what came back.
"""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from enum import StrEnum
from typing import Final

from croupier_server.bench.loop import run
from croupier_server.bench.marks import say

OPEN: Final = "/croupier.v1.SystemService/GetServerInfo"
"""A call that takes no key."""
SHUT: Final = "/croupier.v1.TableService/ListTables"
"""A call that takes one."""

_BODY_BYTES: Final = 250_000
_END: Final = b"0\r\n\r\n"


class Habit(StrEnum):
    """What the attacker asks, again and again on every connection."""

    ASK = "ask"
    """A call that is answered."""
    LONG = "long"
    """A call that is refused, with a long body that is no JSON."""
    LEAVE = "leave"
    """The first, over a new connection each time."""


def request(address: str, habit: Habit) -> bytes:
    """The bytes of one request."""
    path = SHUT if habit is Habit.LONG else OPEN
    body = b"[" * _BODY_BYTES if habit is Habit.LONG else b"{}"
    head = (
        f"POST {path} HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n"
        f"content-length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


async def ask(address: str, habit: Habit, seen: Counter[str]) -> None:
    """One connection, or one after the other."""
    host, _, port = address.rpartition(":")
    data = request(address, habit)
    while True:
        try:
            reader, writer = await asyncio.open_connection(host, int(port))
            try:
                while True:
                    writer.write(data)
                    answer = await reader.readuntil(_END)
                    seen[f"status {answer[9:12].decode()}"] += 1
                    if habit is Habit.LEAVE:
                        break
            finally:
                writer.close()
        except (OSError, asyncio.IncompleteReadError):
            seen["closed"] += 1


async def attack(address: str, connections: int, habit: Habit) -> None:
    """Ask until the end of the input."""
    loop = asyncio.get_running_loop()
    lines = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    seen: Counter[str] = Counter()
    crowd = [asyncio.create_task(ask(address, habit, seen)) for _ in range(connections)]
    say({})
    await lines.readline()
    for task in crowd:
        task.cancel()
    await asyncio.gather(*crowd, return_exceptions=True)
    say(dict(seen))


if __name__ == "__main__":
    run(attack(sys.argv[1], int(sys.argv[2]), Habit(sys.argv[3])))
