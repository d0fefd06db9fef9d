"""``croupier bench``: how much this machine plays."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from croupier_server.cli.common import fail
from croupier_server.cli.options import expect_store

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from croupier_server.bench.in_process import Played

ROUNDS, SECONDS = 5, 3.0
QUICK_ROUNDS, QUICK_SECONDS = 2, 1.0
IN_PROCESS_S = 1.0

_OWN_FILE = "sqlite:"
"""The word for a file that is made for it and goes with it."""


_Game = Annotated[
    str, typer.Option("--game", metavar="GAME", help="Measure only this game; default: all.")
]
_Json = Annotated[bool, typer.Option("--json", help="Print all figures as JSON.")]
_Quick = Annotated[
    bool, typer.Option("--quick", help=f"{QUICK_ROUNDS} short rounds in place of {ROUNDS}.")
]
_Memory = Annotated[
    bool, typer.Option("--memory", help="Measure only memory, with 1,000 live tables of one game.")
]
_Restart = Annotated[
    bool,
    typer.Option("--restart", help="Measure only a restart, with 1,000 live tables of one game."),
]
_Latency = Annotated[
    bool,
    typer.Option(
        "--latency", help="Measure only the latency of answers at 200 moves per second, on SQLite."
    ),
]
_InProcess = Annotated[
    bool, typer.Option("--in-process", help="Measure only play in this process.")
]
_Store = Annotated[
    str,
    typer.Option(
        "--store",
        metavar="URL",
        help="Measure only sessions with 256 tables, alternating between this store and memory. "
        "`sqlite:` without a path uses a temporary file.",
    ),
]


def command(
    game: _Game = "",
    as_json: _Json = False,
    quick: _Quick = False,
    memory: _Memory = False,
    restart: _Restart = False,
    latency: _Latency = False,
    in_process: _InProcess = False,
    store: _Store = "",
) -> None:
    """Measure decisions per second, in one process and over gRPC.

    Rates in one process are by CPU time. Beside the server stand a bare unary echo with 64 callers
    and the ceiling of batched items. Figures are medians over rounds in which all take turns.
    """
    import json

    from croupier_server.bench.marks import MeasureFailed
    from croupier_server.bench.report import Findings, as_data, as_lines
    from croupier_server.games.registry import GAMES

    alone = memory + restart + latency + in_process
    if alone > 1:
        fail("pass only one of --memory, --restart, --latency and --in-process")
    if store and alone:
        fail("--store cannot be combined with other measurements")
    if store and store != _OWN_FILE:
        expect_store(store)
    if game and game not in GAMES:
        fail(f"there is no game {game!r}; there are {', '.join(GAMES)}")
    games = [game] if game else list(GAMES)
    rounds, seconds = (QUICK_ROUNDS, QUICK_SECONDS) if quick else (ROUNDS, SECONDS)
    findings = Findings()
    try:
        if memory:
            from croupier_server.bench.memory import measure_memory

            findings.memory = measure_memory(_report, games[0])
        elif restart:
            from croupier_server.bench.restart import measure_restart

            findings.restart = measure_restart(_report, games[0])
        elif latency:
            from croupier_server.bench.latency import measure_latency

            findings.latency = measure_latency(_report, games[0])
        elif not store:
            findings.in_process = _play_in_process(games, rounds)
            findings.own = _measure_own(games, rounds)
        if not alone:
            from croupier_server.bench.served import measure

            with own_file(store) as url:
                findings.served = measure(games, rounds, seconds, _report, url)
    except MeasureFailed as error:
        fail(str(error), exit_code=1)
    if as_json:
        print(json.dumps(as_data(findings), indent=2))
    else:
        print("\n".join(as_lines(findings)))


@contextmanager
def own_file(store: str) -> Iterator[str]:
    """The store that *store* names; memory, where it names none."""
    if store != _OWN_FILE:
        yield store or "memory:"
        return
    with TemporaryDirectory(prefix="croupier-bench-") as folder:
        yield f"sqlite:{folder}/croupier.db"


def _play_in_process(games: Sequence[str], rounds: int) -> dict[str, list[Played]]:
    """Random play of every ruleset of *games*, in turns."""
    from croupier_server.bench.in_process import Playout
    from croupier_server.games.registry import GAMES

    playouts = {
        f"{game} {ruleset}": Playout(GAMES[game], ruleset, seed=number)
        for game in games
        for number, ruleset in enumerate(GAMES[game].rulesets())
    }
    for playout in playouts.values():
        playout.run(IN_PROCESS_S / 4)
    played: dict[str, list[Played]] = {name: [] for name in playouts}
    for number in range(rounds):
        _report(f"round {number + 1} of {rounds}: in one process")
        for name, playout in playouts.items():
            played[name].append(playout.run(IN_PROCESS_S))
    return played


def _measure_own(games: Sequence[str], rounds: int) -> dict[str, list[Mapping[str, float]]]:
    """What single games measure of themselves, every round in a fresh process."""
    from croupier_server.games.modules import MODULES

    found: dict[str, list[Mapping[str, float]]] = {}
    for game in games:
        bench = MODULES[game].bench
        for number in range(rounds if bench is not None else 0):
            assert bench is not None
            _report(f"round {number + 1} of {rounds}: {game} {bench.what}")
            measured = bench.measure(number, IN_PROCESS_S)
            found.setdefault(f"{game} {bench.what}", []).append(measured)
    return found


def _report(what: str) -> None:
    print(what, file=sys.stderr)
