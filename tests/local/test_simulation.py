"""`croupier.simulate`: contests in this process count and come out as those of `croupier play`."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

import pytest

import croupier
from croupier import Bot, Decision, Move, Refused, Result, UsageError
from croupier.games import GAMES
from croupier.v1 import table_pb2
from croupier.views import View
from tests.cli.contests import play
from tests.clients.arena import SHORT
from tests.more import first_of


@pytest.mark.parametrize("game", first_of(GAMES))
def test_the_same_seed_gives_the_same_scores_as_over_the_wire(game: str, tmp_path: Path) -> None:
    """Though one of the bots plays by chance."""
    bots = ["random", "greedy", "random"][: 2 if game == "tongits" else 3]
    _, data = play(
        tmp_path / "out",
        *("--bots", ",".join(bots), "--boards", "2", "--seed", "7"),
        *("--option", f"{SHORT[game]}=1"),
        game=game,
    )
    found = croupier.simulate(*bots, game=game, boards=2, seed=7)
    assert [result.score for result in found.results] == [m["score"] for m in data["matches"]]
    assert [result.outcome for result in found.results] == [m["outcome"] for m in data["matches"]]
    for entrant in data["entrants"]:
        tally = found.of(entrant["name"])
        assert tally.score is not None
        assert tally.score.mean == pytest.approx(entrant["score"])
        assert (tally.wins, tally.draws) == (entrant["won"], entrant["drawn"])


class First(Bot):
    """Plays the first legal move."""

    def decide(self, view: View, decision: Decision) -> Move:
        return decision.legal[0]


class Raises(First):
    """Raises at its third question of a match."""

    count = 0

    def decide(self, view: View, decision: Decision) -> Move:
        self.count += 1
        if self.count == 3:
            raise KeyError("no idea")
        return super().decide(view, decision)


class Illegal(Bot):
    """Plays what it may not."""

    def decide(self, view: View, decision: Decision) -> Move:
        return croupier.pokex.bid(12)


class NoMove(Bot):
    """Answers something else."""

    def decide(self, view: View, decision: Decision) -> Move:
        return "pass"  # type: ignore[return-value]


class NoStart(First):
    """Raises when it takes a seat."""

    def on_start(self, table: table_pb2.Table, seat: int) -> None:
        raise RuntimeError("not today")


class NoBot(Bot):
    """Cannot be made."""

    def __init__(self) -> None:
        raise OSError("no model")


@pytest.mark.parametrize(
    ("bot", "why"),
    [
        (Raises, "KeyError: 'no idea'"),
        (Illegal, "12"),
        (NoMove, "'pass' is no move of decision.legal"),
        (NoStart, "on_start: RuntimeError: not today"),
        (NoBot, "OSError: no model"),
    ],
)
def test_a_fault_loses_the_match_and_says_why(bot: type[Bot], why: str) -> None:
    found = croupier.simulate(bot, "random", game="pokex", boards=3, seed=1)
    tally = found.of(bot.__name__)
    assert (tally.losses, tally.faults) == (6, {"conceded": 6})
    assert tally.score is not None
    assert tally.score.mean <= -21
    assert all(why in result.detail and bot.__name__ in result.detail for result in found.results)
    assert why in str(found)


def test_a_fault_costs_what_it_costs_over_the_wire(tmp_path: Path) -> None:
    file = tmp_path / "bot.py"
    file.write_text(
        "import croupier\n\n\n"
        "class Fails(croupier.Bot):\n"
        "    count = 0\n\n"
        "    def decide(self, view, decision):\n"
        "        self.count += 1\n"
        "        if self.count == 20:\n"
        "            raise KeyError\n"
        "        return decision.legal[0]\n"
    )
    arguments = ["--bots", f"{file}:Fails,greedy", "--boards", "1", "--seed", "1"]
    _, data = play(tmp_path / "out", *arguments, "--option", "max_deals=3", game="pokex")
    options = {"max_deals": 3}
    found = croupier.simulate(
        f"{file}:Fails", "greedy", game="pokex", boards=1, options=options, seed=1
    )
    assert [result.score for result in found.results] == [m["score"] for m in data["matches"]]
    assert {result.outcome for result in found.results} == {"conceded"}


def test_a_fault_at_the_end_is_told_and_costs_nothing() -> None:
    class Late(First):
        def on_end(self, result: Result) -> None:
            assert result.decisions > 0
            raise RuntimeError(result.reason.name)

    found = croupier.simulate(Late, "random", game="pokex", boards=1, seed=1)
    assert {result.outcome for result in found.results} == {"played"}
    assert all("on_end: RuntimeError: FINISHED" in result.detail for result in found.results)


class Slow(Bot):
    """Answers on an event loop."""

    async def decide(self, view: View, decision: Decision) -> Move:
        await asyncio.sleep(0)
        return decision.legal.sample(decision.random)

    async def on_refused(self, view: View, decision: Decision, move: Move, error: Refused) -> Move:
        raise error


def test_asynchronous_bots_play_as_others() -> None:
    game = {"game": "tongits", "boards": 2, "seed": 5}
    here = croupier.simulate(Slow, "greedy", **game)  # type: ignore[arg-type]

    async def there() -> croupier.Simulation:
        with pytest.raises(UsageError, match="simulate_async"):
            croupier.simulate(Slow, "greedy")
        return await croupier.simulate_async(Slow, "greedy", **game)  # type: ignore[arg-type]

    scores = [result.score for result in here.results]
    assert scores == [result.score for result in asyncio.run(there()).results]
    plain = croupier.simulate("random", "greedy", **game)  # type: ignore[arg-type]
    assert scores == [result.score for result in plain.results]


async def test_a_cancelled_simulation_ends() -> None:
    started = asyncio.Event()
    seen = []

    class Waits(Bot):
        def decide(self, view: View, decision: Decision) -> Awaitable[Move]:
            seen.append(decision.id)

            async def answer() -> Move:
                started.set()
                await asyncio.Event().wait()
                raise AssertionError

            return answer()

    work = asyncio.create_task(croupier.simulate_async(Waits, "random", game="pokex"))
    await started.wait()
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert len(seen) == 1


def test_results_print_as_tables() -> None:
    found = croupier.simulate("greedy", "greedy", "random", game="pokex", boards=12, seed=1)
    assert found.names == ("greedy", "greedy#2", "random")
    text = str(found)
    assert text.startswith("Pokex, ruleset standard, 12 boards, seed 1; played in this process")
    assert "greedy against greedy#2" in text
    assert max(map(len, text.splitlines())) <= 100
    assert found._repr_html_().startswith("<pre>")
    own, theirs = found.between("random", "greedy").score, found.between("greedy", "random").score
    assert own is not None
    assert theirs is not None
    assert own.mean == -theirs.mean
    with pytest.raises(UsageError, match="there is no bot 'nobody'"):
        found.of("nobody")


def test_one_bot_may_play_every_seat() -> None:
    class Once(First):
        made = 0

        def __init__(self) -> None:
            type(self).made += 1

    croupier.simulate(Once(), Once(), game="pokex", boards=2)
    assert Once.made == 2
    croupier.simulate(Once, "random", game="pokex", boards=2)
    assert Once.made == 2 + 2 * 2 * 2


@pytest.mark.parametrize(
    ("bots", "more", "why"),
    [
        (["greedy"], {}, "at least two bots"),
        (["greedy", "nobody"], {}, "there is no bot 'nobody'"),
        (["greedy", "random"], {"boards": 0}, "at least 1"),
        (["greedy", "random"], {"game": "chess"}, "chess"),
        (["greedy", "random"], {"options": {"joker": 7}}, "joker"),
    ],
)
def test_what_cannot_be_played_is_refused(bots: list[str], more: dict[str, Any], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        croupier.simulate(*bots, **{"game": "pokex", **more})


def test_without_the_server_one_sentence_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "croupier_server.local", None)
    monkeypatch.delitem(sys.modules, "croupier.local", raising=False)
    monkeypatch.delattr(croupier, "local", raising=False)
    with pytest.raises(ImportError, match=r"pip install 'croupier\[local\]'"):
        _ = croupier.simulate
    with pytest.raises(AttributeError, match="has no attribute 'simulat'"):
        _ = croupier.simulat  # type: ignore[attr-defined]
