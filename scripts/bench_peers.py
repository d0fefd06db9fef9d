"""Random legal play in this project and in its peers, by the same method in the same run.

Installs RLCard and OpenSpiel in an environment of their own (``.peers``) and lets the cells take
turns: one round plays every cell once, each in a fresh process. A decision is ask, list the legal
answers, choose with equal chances, apply; decisions with one legal answer are played and not
counted. Rates are by CPU time, medians over rounds, ratios inside a round. Run it by
``make bench-peers``.

A peer's cell is its bare game: RLCard's game object without the encoding of features, OpenSpiel's
state without tensors. Gin rummy is near to Tong-its; nobody has Tractor or Pokex. Other games are
other work; the figures say how much rules a CPU second buys, not who plays better.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
import venv
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PEERS = ROOT / ".peers"
PACKAGES = ("rlcard==1.2.0", "open_spiel==2.0.2")
WARM_UP_S = 0.3
OURS = {f"croupier {game} standard": game for game in ("tractor", "tongits", "pokex")}
BARS = {"tongits": 40_000, "pokex": 100_000}
"""Decisions a CPU second that a game is to reach on the machine of the project's measurements."""

CHANCE = random.Random()  # noqa: S311 - chance for playing, not for secrets

# A step plays one choice, or starts a new game, and says how many answers there were.
Steps = Iterator[int]


def rlcard_gin() -> Steps:
    """RLCard's gin rummy, game object alone."""
    from rlcard.games.gin_rummy.game import GinRummyGame  # type: ignore[import-not-found]

    game = GinRummyGame()
    while True:
        game.init_game()
        while not game.is_over():
            game.get_player_id()
            actions = game.judge.get_legal_actions()
            game.step(actions[int(CHANCE.random() * len(actions))])
            yield len(actions)


def open_spiel(name: str) -> Steps:
    """A game of OpenSpiel, driven from Python."""
    import pyspiel  # type: ignore[import-not-found]

    game = pyspiel.load_game(name)
    while True:
        state: Any = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                # Every chance event of these games has equally likely outcomes.
                outcomes = state.chance_outcomes()
                state.apply_action(outcomes[int(CHANCE.random() * len(outcomes))][0])
                continue
            state.current_player()
            actions = state.legal_actions()
            state.apply_action(actions[int(CHANCE.random() * len(actions))])
            yield len(actions)


CELLS: dict[str, Callable[[], Steps]] = {
    "rlcard gin rummy": rlcard_gin,
    "open_spiel gin rummy": lambda: open_spiel("gin_rummy"),
    "open_spiel bridge": lambda: open_spiel("bridge(use_double_dummy_result=false)"),
}


def measure_peer(name: str, seconds: float) -> dict[str, float]:
    """Play a peer's cell in this process."""
    steps = CELLS[name]()

    def run(cpu_s: float) -> tuple[int, float]:
        decisions, start = 0, process_time()
        while (now := process_time()) - start < cpu_s:
            for _ in range(200):
                decisions += next(steps) > 1
        return decisions, now - start

    run(WARM_UP_S)
    decisions, cpu_s = run(seconds)
    return {"decisions": decisions, "cpu_s": cpu_s}


def measure_ours(game: str, seconds: float) -> dict[str, float]:
    """Play one of our cells in this process."""
    from croupier_server.bench.in_process import Playout
    from croupier_server.games.registry import GAMES

    playout = Playout(GAMES[game], "standard", CHANCE.randrange(1 << 32))
    playout.run(WARM_UP_S)
    played = playout.run(seconds)
    return {"decisions": played.decisions, "cpu_s": played.cpu_s}


def make_environment() -> Path:
    """The interpreter of the peers' environment, which is made on first use."""
    python = PEERS / "bin" / "python"
    ready = PEERS / ".ready"
    if not ready.exists():
        print(f"installing {', '.join(PACKAGES)} in {PEERS.name}", file=sys.stderr)
        venv.create(PEERS, with_pip=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *PACKAGES], check=True)
        ready.touch()
    return python


def rate_of(python: Path, cell: str, seconds: float) -> float:
    """Decisions per CPU second of *cell*, played in a fresh process."""
    command = [str(python), __file__, "--cell", cell, "--seconds", str(seconds)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    played = json.loads(done.stdout)
    return float(played["decisions"] / played["cpu_s"])


def compare(ours: list[str], rounds: int, seconds: float) -> dict[str, list[float]]:
    """Rates of every cell in every round."""
    peers, own = make_environment(), Path(sys.executable)
    rates: dict[str, list[float]] = {cell: [] for cell in (*ours, *CELLS)}
    for number in range(rounds):
        print(f"round {number + 1} of {rounds}", file=sys.stderr)
        for cell, found in rates.items():
            found.append(rate_of(own if cell in OURS else peers, cell, seconds))
    return rates


def spread(values: list[float], form: str) -> str:
    """Median, lowest and highest."""
    parts = (statistics.median(values), min(values), max(values))
    return "{} ({}-{})".format(*(format(part, form) for part in parts))


def ratios_of(rates: dict[str, list[float]]) -> dict[str, dict[str, list[float]]]:
    """Our rates to those of every peer, and to our own bar, round by round."""
    found: dict[str, dict[str, list[float]]] = {}
    for cell, game in OURS.items():
        if cell not in rates:
            continue
        found[cell] = {
            peer: [ours / theirs for ours, theirs in zip(rates[cell], rates[peer], strict=True)]
            for peer in CELLS
        }
        if game in BARS:
            bar = BARS[game]
            found[cell][f"bar of {bar:,}"] = [rate / bar for rate in rates[cell]]
    return found


def main() -> None:
    """Run a comparison, or one cell of it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0, help="CPU seconds a cell and round")
    parser.add_argument("--game", choices=tuple(OURS.values()), help="one of our games alone")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--cell", choices=(*OURS, *CELLS), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.cell:
        game = OURS.get(given.cell)
        seconds = given.seconds
        played = measure_ours(game, seconds) if game else measure_peer(given.cell, seconds)
        print(json.dumps(played))
        return
    ours = [cell for cell, game in OURS.items() if given.game in (None, game)]
    rates = compare(ours, given.rounds, given.seconds)
    ratios = ratios_of(rates)
    if given.json:
        print(json.dumps({"decisions_per_cpu_s": rates, "ours_to_theirs": ratios}, indent=2))
        return
    print(f"{'random legal play':28} decisions a CPU second")
    for cell, found in rates.items():
        print(f"{cell:28} {spread(found, ',.0f')}")
    for cell, to in ratios.items():
        print(f"\n{cell} to")
        for peer, found in to.items():
            print(f"  {peer:26} {spread(found, '.2f')}")


if __name__ == "__main__":
    main()
