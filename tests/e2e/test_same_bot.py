"""One file with a bot, in one process, in a contest, in a ladder, and at somebody else's server."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import croupier
from croupier.bots import load_bot
from tests.cli.contests import play
from tests.cli.test_ladder import exported, ladder, spec
from tests.e2e.serving import SECONDS, clean_environment, served
from tests.e2e.test_tls import new_key

BOT = """
import croupier


class MyBot(croupier.Bot):
    def decide(self, view, decision):
        return decision.legal[len(decision.legal) // 2]
"""

BOARDS = 4
SEED = 11

Scores = dict[tuple[int, int], float]
"""The score of our bot, by board and by the team that it plays."""


def of_matches(rows: list[dict[str, Any]]) -> Scores:
    """Those in an export of a ladder, where our bot is the first entrant."""
    return {
        (row["board"] - 1, row["seats"].index(0)): row["scores"][row["seats"].index(0)]
        for row in rows
    }


@pytest.mark.more
def test_a_bot_scores_the_same_wherever_it_plays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "my_bot.py"
    file.write_text(BOT)
    bot = f"{file}:MyBot"

    simulated = croupier.simulate(load_bot(bot), "greedy", game="pokex", boards=BOARDS, seed=SEED)
    expected: Scores = {}
    for result in simulated.results:
        assert result.scores is not None
        seat = result.match.players.index(0)
        expected[result.match.board, seat] = result.scores[seat]
    assert len(expected) == 2 * BOARDS
    assert len(set(expected.values())) > 2

    _, data = play(
        tmp_path / "play",
        *("--bots", f"{bot},greedy", "--boards", str(BOARDS), "--seed", str(SEED)),
        *("--option", "max_deals=1"),
        game="pokex",
    )
    assert {
        (row["board"] - 1, row["seats"].index("MyBot")): (row["score"]) for row in data["matches"]
    } == expected

    entrants = [{"name": "mine", "bot": bot}, {"name": "greedy", "bot": "greedy"}]
    spec(tmp_path / "ladder", boards=BOARDS, seed=SEED, entrant=entrants)
    assert ladder("run", tmp_path / "ladder", "--quiet") == 0
    assert of_matches(exported(tmp_path / "ladder")["matches"]) == expected

    store = f"sqlite:{tmp_path / 'croupier.db'}"
    keys = {"ann": new_key(store, "ann", "play"), "me": new_key(store, "me", "host", "play")}
    with served("--store", store, "--auth", "keys") as server:
        words = [sys.executable, "-m", "croupier.worker", "--bot", bot, "--standby", server.address]
        dialled = subprocess.Popen(words, env=clean_environment(CROUPIER_KEY=keys["ann"]))
        try:
            monkeypatch.setenv("CROUPIER_KEY", keys["me"])
            entrants[0] = {"name": "mine", "player": "ann"}
            spec(
                tmp_path / "cup",
                boards=BOARDS,
                seed=SEED,
                entrant=entrants,
                form="independent",
                server=server.address,
            )
            assert ladder("run", tmp_path / "cup", "--quiet") == 0
        finally:
            dialled.terminate()
            dialled.wait(SECONDS)
    found = of_matches(exported(tmp_path / "cup")["matches"])
    assert len(found) == BOARDS
    assert found == {place: expected[place] for place in found}
