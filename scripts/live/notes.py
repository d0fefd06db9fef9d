"""What clients in several processes observe, put down by table, to be judged when it is over.

Times are nanoseconds of the machine's clock, which all processes share, so notes of different
processes can be put into the order in which things happened.
"""

from __future__ import annotations

import heapq
import pickle
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, TypeAlias

from croupier.v1 import table_pb2
from tests.sim.promises.observed import Observation, Stream, Told

Note: TypeAlias = tuple[int, Observation]

_EMPTY: Final = table_pb2.TableUpdate()
_STREAMS: Final = 1 << 40


class Notes:
    """The notes of one process.

    Args:
        process: its number; streams get numbers that no other process gives.

    Attributes:
        only_events: tables and seats whose streams are to carry events and no views.
    """

    def __init__(self, process: int) -> None:
        self._by_table: dict[str, list[Note]] = defaultdict(list)
        self._done: set[str] = set()
        self._streams = process * _STREAMS
        self._client = f"process {process}"
        self.only_events: set[tuple[str, int]] = set()

    @staticmethod
    def now_ms() -> int:
        """The time in milliseconds."""
        return time.time_ns() // 1_000_000

    def put(self, table_id: str, seen: Observation) -> None:
        """Put something down, unless the table is over."""
        if table_id not in self._done:
            self._by_table[table_id].append((time.time_ns(), seen))

    def told(self, stream: Stream, update: table_pb2.TableUpdate) -> None:
        """An update came: its bytes are kept, not the message."""
        data = update.SerializeToString(deterministic=True)
        self.put(stream.table_id, Told(self.now_ms(), stream, _EMPTY, data))

    def new_stream(self, table_id: str, seat: int | None) -> Stream:
        """A stream that is about to be opened."""
        self._streams += 1
        sees_events = seat is None or (table_id, seat) in self.only_events
        return Stream(self._streams, table_id, seat, self._client, sees_events, True)

    def dump(self, table_id: str, path: Path) -> None:
        """Write the notes of a table that is over into a file, and forget them."""
        self._done.add(table_id)
        with path.open("wb") as file:
            for note in self._by_table.pop(table_id, []):
                pickle.dump(packed(note), file)


def packed(note: Note) -> tuple[object, ...]:
    """A note as it is written into a file."""
    at, seen = note
    if isinstance(seen, Told):
        return at, None, seen.at_ms, tuple(seen.stream), seen.data
    return at, seen


def _unpacked(found: tuple[object, ...]) -> Note:
    match found:
        case (int(at), None, int(at_ms), tuple(stream), bytes(data)):
            update = table_pb2.TableUpdate.FromString(data)
            return at, Told(at_ms, Stream(*stream), update, data)
        case (int(at), seen):
            return at, seen  # type: ignore[return-value]  # what `packed` made
    raise AssertionError(found)


def _read(path: Path) -> Iterator[Note]:
    with path.open("rb") as file:
        while True:
            try:
                yield _unpacked(pickle.load(file))  # noqa: S301 - our own file
            except EOFError:
                return


def merged(paths: Iterable[Path]) -> Iterator[Note]:
    """All notes in *paths* in the order in which things happened."""
    yield from heapq.merge(*(_read(path) for path in paths), key=lambda note: note[0])
