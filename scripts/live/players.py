"""``python -m scripts.live.players``: one process whose SDK bots sit at tables, and that watches.

It reads orders as lines of JSON, and answers each with a line when all that it asks for is over:
what the matches came to, and the file with the notes.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import grpc

from croupier import Bot, Client, Decision, Move
from croupier.bots import GreedyBot
from croupier.client import Transport
from croupier.v1 import spectate_service_pb2, spectate_service_pb2_grpc, table_pb2
from croupier.views import View
from scripts.live.notes import Notes
from scripts.live.tap import Tapped

PATIENCE_S: Final = 600.0
_RETRY_S: Final = 0.3


class Thinking(Bot):
    """Takes a while for each answer: greedy where it sees its cards, else by chance.

    Args:
        most_s: it thinks for so long at most.
        sees: whether it is shown its view.
    """

    inline = False

    def __init__(self, most_s: float, *, sees: bool) -> None:
        super().__init__()
        self._most_s = most_s
        self._greedy = GreedyBot() if sees else None

    async def decide(self, view: View, decision: Decision) -> Move:
        """See `Bot.decide`."""
        await asyncio.sleep(random.random() * self._most_s)  # noqa: S311 - when, not what
        if self._greedy is None:
            return decision.legal.sample(decision.random)
        return self._greedy.decide(view, decision)


class Players:
    """What one process does.

    Args:
        address: of the server.
        number: of this process.
        folder: where notes go.
        transport: how the seats travel.
    """

    def __init__(self, address: str, number: int, folder: Path, transport: Transport) -> None:
        self._number = number
        self._folder = folder
        self.notes = Notes(number)
        self._credentials = Tapped(self.notes)
        self.client = Client(
            address,
            transport=transport,
            seed=number,
            patience=PATIENCE_S,
            credentials=self._credentials,
        )
        self._channel = self._credentials.channel(address)

    async def take(self, order: dict[str, Any]) -> None:
        """Carry an order out, and say what came of it."""
        table_id = order["table"]
        works = [self._sit(table_id, seat) for seat in order["seats"]]
        works += [self._watch(table_id) for _ in range(order["spectators"])]
        done = await asyncio.gather(*works, return_exceptions=True)
        faults = [f"{type(one).__name__}: {one}" for one in done if isinstance(one, BaseException)]
        path = self._folder / f"{table_id}-{self._number}"
        self.notes.dump(table_id, path)
        ends = [one for one in done if isinstance(one, str) and one]
        say(table=table_id, notes=str(path), ends=ends, faults=faults)

    async def _sit(self, table_id: str, seat: dict[str, Any]) -> str:
        """Play a seat to the end of its match; how it ended."""
        number, events = seat["seat"], seat["events"]
        if events:
            self.notes.only_events.add((table_id, number))
        bot = Thinking(seat["think_s"], sees=not events)
        ticket = await self.client.join(table_id, invite=seat["invite"], player=f"bot {number}")
        result = await self.client.play(bot, ticket)
        return result.reason.name

    async def _watch(self, table_id: str) -> str:
        """Watch a table to its end, going on where the line broke."""
        stub = spectate_service_pb2_grpc.SpectateServiceStub(self._channel)
        epoch = after = 0
        while True:
            request = spectate_service_pb2.SpectateTableRequest(
                table_id=table_id, table_epoch=epoch, after_sequence=after
            )
            call: Any = stub.SpectateTable(request)
            try:
                while isinstance(
                    message := await call.read(), spectate_service_pb2.SpectateTableResponse
                ):
                    update = message.update
                    match update.WhichOneof("update"):
                        case "snapshot":
                            epoch = update.snapshot.table.table_epoch
                            after = update.snapshot.sequence
                        case "event":
                            after = update.event.sequence
                        case "end" if update.end.reason == table_pb2.STREAM_END_REASON_MATCH_ENDED:
                            return ""
            except grpc.aio.AioRpcError as error:
                if error.code() is grpc.StatusCode.NOT_FOUND:
                    return ""  # it ended while the server was down
                if error.code() is not grpc.StatusCode.UNAVAILABLE:
                    raise
            finally:
                call.cancel()
            await asyncio.sleep(_RETRY_S)

    async def close(self) -> None:
        """Hang up."""
        await self._channel.close()


def say(**words: object) -> None:
    """Write a line for whoever gives the orders."""
    print(json.dumps(words), flush=True)


async def play(players: Players) -> None:
    """Take orders until there are no more, and carry them out side by side."""
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    async with players.client:
        say(ready=True)
        async with asyncio.TaskGroup() as group:
            while line := await reader.readline():
                group.create_task(players.take(json.loads(line)))
    await players.close()


async def _run(given: argparse.Namespace) -> None:
    await play(Players(given.address, given.number, given.folder, given.transport))


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    logging.getLogger("croupier").setLevel(logging.ERROR)  # servers die here on purpose
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("address")
    parser.add_argument("number", type=int, help="of this process")
    parser.add_argument("folder", type=Path, help="where notes go")
    parser.add_argument("--transport", choices=("session", "watch"), default="session")
    asyncio.run(_run(parser.parse_args(arguments)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
