"""`croupier watch`: tables told live, and how streams end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack

import pytest

import croupier
from croupier.bots import RandomBot
from croupier.v1 import game_pb2, table_pb2
from croupier_server.bench.served import server
from croupier_server.cli import run
from croupier_server.cli.watch import _show_updates
from tests.cli.records import random_record
from tests.clients.arena import SHORT


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A server of its own."""
    with server() as (address, _):
        yield address


async def play(
    address: str,
    capsys: pytest.CaptureFixture[str],
    game: str = "tractor",
    delay: table_pb2.SpectatorDelay | None = None,
) -> tuple[str, str]:
    """Have a match of one deal played and watched; the table's id and what was shown."""
    async with croupier.Client(address) as client:
        made = await client.create_table(
            game,
            seats=["reserved"] * await client.players(game),
            options={SHORT[game]: 1},
            shared_seats=True,
            title="for all",
            spectator_delay=delay,
        )
        watcher = asyncio.create_task(
            asyncio.to_thread(run, ["watch", made.table_id, "--server", address])
        )
        seen = ""
        while not seen:
            await asyncio.sleep(0)
            seen = capsys.readouterr().out
        tickets = [
            await client.join(made.table_id, seat=seat, invite=code, player=f"bot{seat}")
            for seat, code in made.invites.items()
        ]
        await asyncio.gather(*(client.play(RandomBot(), ticket) for ticket in tickets))
        assert await watcher == 0
        return made.table_id, seen + capsys.readouterr().out


@pytest.mark.more
def test_a_table_that_is_shown_late_is_told_to_its_end_too(
    address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    delay = table_pb2.SpectatorDelay(decisions=30)
    delay.time.FromMilliseconds(1_500)
    table, shown = asyncio.run(play(address, capsys, delay=delay))
    first, *lines = shown.splitlines()
    assert first.startswith(f'table {table} "for all": tractor standard, open')
    assert first.endswith("; shown 30 decisions and 1.5 s late")
    numbers = [int(line[:5]) for line in lines if line[:5].strip().isdigit()]
    assert numbers == sorted(numbers)
    assert "the match ends: finished" in shown


def test_a_table_is_told_to_its_end(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    table, shown = asyncio.run(play(address, capsys))
    assert shown.startswith(f'table {table} "for all": tractor standard, open')
    assert "  3 bot3 sits down" in shown
    assert "  trumps " in shown
    assert shown.count("wins the trick") >= 10
    assert "deal 1 ends: opponents have" in shown
    assert "the match ends: finished" in shown
    assert "answers:" not in shown
    assert "[left:" not in shown


@pytest.mark.more
@pytest.mark.parametrize("game", ["tongits", "pokex"])
def test_tables_of_the_other_games_are_told_to_their_end(
    game: str, address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    table, shown = asyncio.run(play(address, capsys, game))
    assert shown.startswith(f'table {table} "for all": {game} standard, open')
    assert "deal 1 ends" in shown
    assert "the match ends: finished" in shown
    assert "is dealt" not in shown
    assert "[left:" not in shown
    assert run(["watch", table, "--server", address]) == 0
    assert "deal 1, over; " in capsys.readouterr().out


def test_an_ended_table_is_told_from_where_it_stands(
    address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    table, _ = asyncio.run(play(address, capsys))
    assert run(["watch", table, "--server", address]) == 0
    shown = capsys.readouterr().out
    assert f"table {table}" in shown
    assert "ended" in shown
    assert "the match ends: finished\n  seat 0 bot0: score " in shown


def test_an_unknown_table_is_one_line(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["watch", "nowhere", "--server", address]) == 2
    assert capsys.readouterr().err == f"croupier: {address} has no table nowhere\n"


@pytest.mark.parametrize("arguments", [[], ["some-table"]])
def test_no_server_is_one_line(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["watch", *arguments, "--server", "127.0.0.1:1"]) == 1
    complaint = capsys.readouterr().err
    assert complaint.startswith("croupier: no Croupier server answers at 127.0.0.1:1")
    assert complaint.count("\n") == 1


@pytest.mark.more
def test_the_lobby_lists_tables_until_the_server_goes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    async def watch_while_made(address: str, life: ExitStack) -> int:
        async with croupier.Client(address) as client:
            before = await client.create_table(title="before")
            watcher = asyncio.create_task(asyncio.to_thread(run, ["watch", "--server", address]))
            seen = ""
            while "changes follow" not in seen:
                await asyncio.sleep(0)
                seen += capsys.readouterr().out
            assert f'table {before.table_id} "before": tractor standard, open' in seen
            after = await client.create_table(title="after")
            while after.table_id not in seen:
                await asyncio.sleep(0)
                seen += capsys.readouterr().out
        await asyncio.to_thread(life.close)
        return await watcher

    with ExitStack() as life:
        address, _ = life.enter_context(server())
        assert asyncio.run(watch_while_made(address, life)) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "the server ended the stream"


# Updates ---------------------------------------------------------------------------------------


async def updates(*found: table_pb2.TableUpdate) -> AsyncIterator[table_pb2.TableUpdate]:
    for update in found:
        yield update


def snapshot() -> table_pb2.TableUpdate:
    table = random_record(max_deals="1").table
    public = game_pb2.PublicView()
    public.tractor.deal = 3
    return table_pb2.TableUpdate(snapshot=table_pb2.Snapshot(table=table, public_view=public))


async def test_a_reset_is_told_before_its_snapshot() -> None:
    shown: list[str] = []
    reset = table_pb2.TableUpdate(
        reset=table_pb2.Reset(reason=table_pb2.RESET_REASON_SLOW_CONSUMER)
    )
    beat = table_pb2.TableUpdate(heartbeat=table_pb2.Heartbeat(sequence=9))
    end = table_pb2.TableUpdate(
        end=table_pb2.StreamEnd(reason=table_pb2.STREAM_END_REASON_MATCH_ENDED)
    )
    found = updates(snapshot(), beat, reset, snapshot(), end)
    assert await _show_updates(found, shown.append) == 0
    assert [line for line in shown if "missed" in line] == [shown[2]]
    assert shown[:2] == shown[3:]


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        (table_pb2.STREAM_END_REASON_SERVER_DRAINING, "the stream ends: server draining"),
        (table_pb2.STREAM_END_REASON_TABLE_HALTED, "the stream ends: table halted"),
    ],
)
async def test_an_early_end_is_told(
    reason: table_pb2.StreamEndReason.ValueType, words: str
) -> None:
    shown: list[str] = []
    end = table_pb2.TableUpdate(end=table_pb2.StreamEnd(reason=reason))
    assert await _show_updates(updates(snapshot(), end), shown.append) == 1
    assert shown[-1] == words


async def test_a_stream_that_just_stops_is_told() -> None:
    shown: list[str] = []
    assert await _show_updates(updates(snapshot()), shown.append) == 1
    assert shown[-1] == "the server ended the stream"
