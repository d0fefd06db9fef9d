"""The worker and house processes, as the programs that start them see them."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import unittest.mock
from asyncio.subprocess import PIPE

import pytest

import croupier
from croupier import Bot, Client, Decision, Move, Result
from croupier.bots import GreedyBot, RandomBot
from croupier.client import LegalListing
from croupier.errors import BotError, UsageError
from croupier.house import Unfailing
from croupier.invites import Invite, invites_fd, parse_invite, play_invites
from croupier.v1 import game_pb2, table_pb2
from croupier.views import View
from tests.clients.conftest import RealServer


async def program(*arguments: str, lines: str = "", **environment: str) -> tuple[int, str]:
    """Run a module of the SDK with *lines* on its standard input: status and error stream."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        *arguments,
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        env=os.environ | environment,
    )
    _, told = await process.communicate(lines.encode())
    assert process.returncode is not None
    return process.returncode, told.decode()


async def invitations(client: Client, address: str, bot: str) -> tuple[str, str]:
    """A table, and the lines that invite to its four seats."""
    made = await client.create_table(
        options={"max_deals": 1}, seats=["reserved"] * 4, shared_seats=True
    )
    lines = [
        json.dumps(
            {
                "address": address,
                "table_id": made.table_id,
                "seat": seat,
                "invite_code": code,
                "bot": bot,
                "seed": 7,
            }
        )
        for seat, code in made.invites.items()
    ]
    return made.table_id, "\n".join(lines) + "\n"


@pytest.mark.parametrize("transport", ["session", "watch"])
async def test_the_worker_plays_what_it_is_invited_to(
    real_server: RealServer, transport: str
) -> None:
    async with real_server() as address, Client(address) as client:
        table, lines = await invitations(client, address, "")
        ended = await program(
            "croupier.worker",
            "--bot",
            "greedy",
            "--seed",
            "1",
            "--transport",
            transport,
            lines=lines,
            CROUPIER_INVITES_FD="0",
        )
        assert ended == (0, "")
        result = (await client.get_table(table)).result
    assert result.reason == game_pb2.END_REASON_FINISHED


@pytest.mark.more
async def test_the_house_plays_the_bot_that_is_named(real_server: RealServer) -> None:
    async with real_server() as address, Client(address) as client:
        table, lines = await invitations(client, address, "random")
        _, wrong = await invitations(client, address, "clever")
        status, told = await program("croupier.house", "--stdin", lines=lines + wrong)
        names = [seat.player.display_name for seat in (await client.get_table(table)).seats]
        result = (await client.get_table(table)).result
    assert status == 1
    assert told.count("there is no house bot 'clever'") == 4
    assert names == ["random"] * 4
    assert result.reason == game_pb2.END_REASON_FINISHED


class Raises(GreedyBot):
    """Fails at every question."""

    def decide(self, view: View, decision: Decision) -> Move:
        """Fail."""
        raise IndexError("a card of somebody's hand")


class RaisesInThread(Raises):
    """The same, in a thread."""

    inline = False


class Cheats(GreedyBot):
    """Plays the move is for another game, which is refused."""

    def decide(self, view: View, decision: Decision) -> Move:
        """Cheat."""
        return croupier.pokex.bid(1)


class KnowsNothing(GreedyBot):
    """Fails at the start and at the end."""

    def on_start(self, table: table_pb2.Table, seat: int) -> None:
        """Fail."""
        raise KeyError("options")

    def on_end(self, result: Result) -> None:
        """Fail."""
        raise KeyError("options")


@pytest.mark.fault
@pytest.mark.parametrize("legal_mode", ["full", "off"])
@pytest.mark.parametrize("faulty", [Raises, RaisesInThread, Cheats, KnowsNothing])
async def test_a_house_bot_gives_no_match_away_by_a_fault_of_its_own(
    real_server: RealServer,
    faulty: type[Bot],
    legal_mode: LegalListing,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Its match goes on with any legal move, also without a clock."""
    bot: type[Bot] = type("House", (Unfailing, faulty), {})
    async with real_server() as address, Client(address) as client:
        made = await client.create_table(
            "tongits",
            options={"max_hands": 1},
            seats=["open"] * 3,
            shared_seats=True,
            legal_mode=legal_mode,
        )
        tickets = [await client.join(made.table_id) for _ in range(3)]
        results = await asyncio.gather(*(client.play(bot(), ticket) for ticket in tickets))
    assert {result.reason for result in results} == {croupier.EndReason.FINISHED}
    told = capfd.readouterr().err
    assert f"table {made.table_id}, seat 0: greedy: " in told
    assert "a card of somebody's hand" not in told


async def test_a_house_bot_never_concedes(real_server: RealServer) -> None:
    """Not even one that fails for good: the house is told to leave that to the clock."""
    reader, writer = os.pipe()
    async with real_server() as address, Client(address) as client:
        _, lines = await invitations(client, address, "random")
        os.write(writer, lines.encode())
        os.close(writer)
        with (
            unittest.mock.patch.object(Client, "concede") as concede,
            unittest.mock.patch.object(Client, "play", side_effect=BotError("no more")),
        ):
            assert await play_invites(lambda _: RandomBot(), reader, concedes=False) == 4
        concede.assert_not_called()
    os.close(reader)


@pytest.mark.more
async def test_a_worker_that_cannot_begin_says_why() -> None:
    assert await program("croupier.worker", "--bot", "clever", "--invites-fd", "0") == (
        2,
        "worker: there is no bot 'clever'; use greedy, random or path/to/bot.py:Class\n",
    )
    status, told = await program("croupier.worker", "--bot", "greedy", CROUPIER_INVITES_FD="")
    assert (status, told) == (2, "worker: CROUPIER_INVITES_FD does not name a file descriptor\n")
    status, told = await program("croupier.worker", "--bot", "greedy", "--invites-fd", "99")
    assert status == 2
    assert told.startswith("worker: invitations cannot be read: ")


def test_invitations_are_read() -> None:
    line = '{"address": "h:1", "table_id": "t", "seat": 3, "invite_code": "c", "seed": 5}'
    assert parse_invite(line) == Invite("h:1", "t", 3, "c", "5")
    assert parse_invite('{"address": "h:1", "table_id": "t"}') == Invite("h:1", "t")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("[1]", "a JSON object"),
        ("{", "a JSON object"),
        ('{"address": "h:1"}', "needs a string 'table_id'"),
        ('{"address": 5, "table_id": "t"}', "needs a string 'address'"),
        (
            '{"address": "h:1", "table_id": "t", "seat": "0"}',
            "seat of an invitation must be a number",
        ),
        (
            '{"address": "h:1", "table_id": "t", "seat": true}',
            "seat of an invitation must be a number",
        ),
    ],
)
def test_a_line_that_is_no_invitation_is_told(line: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        parse_invite(line)


def test_the_descriptor_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CROUPIER_INVITES_FD", "5")
    assert invites_fd() == 5


@pytest.mark.more
async def test_a_program_may_run_its_bot_again_and_again(real_server: RealServer) -> None:
    """What gRPC still has to say of one run is no fault of the next."""
    again = "import sys, croupier, croupier.bots as bots\nfor _ in range(12):\n"
    again += (
        "    croupier.run(bots.RandomBot(), sys.argv[1], game='pokex', options={'max_deals': 1})"
    )
    async with real_server(house_bots=True) as address:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", again, address, stderr=PIPE
        )
        _, told = await process.communicate()
    assert (process.returncode, told.decode()) == (0, "")
