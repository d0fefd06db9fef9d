"""A served match on disk: its record comes out by the command line and holds for both verifiers."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import croupier
from croupier.bots import RandomBot
from croupier_server.cli import run
from tests.clients.arena import SHORT
from tests.e2e.serving import served
from tests.meta.sources import ROOT
from tests.verify.javascript import NODE, node


async def play(address: str, game: str) -> str:
    """Have a match of one deal played; the table's id."""
    async with croupier.Client(address) as client:
        made = await client.create_table(
            game,
            seats=["reserved"] * await client.players(game),
            options={SHORT[game]: 1},
            shared_seats=True,
        )
        tickets = [
            await client.join(made.table_id, seat=seat, invite=code)
            for seat, code in made.invites.items()
        ]
        await asyncio.gather(*(client.play(RandomBot(), ticket) for ticket in tickets))
        return made.table_id


@pytest.mark.more
@pytest.mark.parametrize("game", ["tractor", "tongits", "pokex"])
def test_verifiable_a_match_of_a_server_with_a_store_on_disk(
    game: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, text = tmp_path / "match.croupier", tmp_path / "match.txt"
    with served("--store", f"sqlite:{tmp_path / 'store.db'}") as server:
        table = asyncio.run(play(server.address, game))
        # The store makes the record after the players have been told of the end.
        tries = [["record", table, "-o", str(file), "--server", server.address]] * 50
        assert any(run(arguments) == 0 for arguments in tries)
        assert run(["verify", table, "--server", server.address]) == 0
    assert run(["verify", str(file)]) == 0
    shown = capsys.readouterr().out
    assert f"{file}: verified\n" in shown
    seats = {"tractor": 4, "tongits": 3, "pokex": 4}[game]
    assert f"{seats} of {seats} seats gave one" in shown, "the SDK gives nonces"
    assert run(["notation", str(file)]) == 0
    text.write_text(capsys.readouterr().out, encoding="utf-8")
    assert run(["notation", str(text)]) == 0
    if NODE is not None:
        assert node(ROOT / "clients/javascript/verify.mjs", file).returncode == 0
