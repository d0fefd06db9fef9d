"""``croupier play``: a contest between bots, each a process of its own, over the contract."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from croupier_server.cli import clocks
from croupier_server.cli.common import GAME_NAMES, Failure, fail, find_game, read_options
from croupier_server.cli.credentials import Authority, KeyFile, use

if TYPE_CHECKING:
    from croupier.clock import Clock
    from croupier_server.contest.arena import Setting
    from croupier_server.contest.pairing import Match
    from croupier_server.contest.results import MatchResult


Bots = Annotated[
    list[str],
    typer.Option(
        help="Bots, separated by commas: random, greedy, search, path/to/bot.py:Class or "
        "'cmd:program arguments'. The option may be repeated."
    ),
]
Options = Annotated[
    list[str] | None,
    typer.Option(help="An option that differs from the ruleset, as name=value; may be repeated."),
]
BothSeatings = Annotated[
    bool,
    typer.Option(
        "--both-seatings/--one-seating",
        help="Play the cards of a board under every seating of the two bots, or new cards in each "
        "match.",
    ),
]
BOARDS = 10
"""Boards where neither --boards nor --matches is given."""


def command(
    game: Annotated[str, typer.Argument(metavar="GAME", help=f"{GAME_NAMES}.")],
    bots: Bots,
    boards: Annotated[
        int | None,
        typer.Option(
            min=1,
            help=f"Boards for each pair of bots, {BOARDS} if not given. The cards of a board are "
            "played under every seating: 2 in games with two sides, 6 in Tong-its.",
        ),
    ] = None,
    matches: Annotated[
        int | None, typer.Option(min=1, help="Matches for each pair of bots, instead of --boards.")
    ] = None,
    ruleset: Annotated[str, typer.Option(help="Ruleset; see `croupier rules GAME`.")] = "",
    option: Options = None,
    players: Annotated[int | None, typer.Option(help="Same as --option players=N.")] = None,
    packs: Annotated[int | None, typer.Option(help="Same as --option packs=N.")] = None,
    seed: Annotated[
        int | None, typer.Option(help="Seed of cards and bots; random if not given.")
    ] = None,
    server: Annotated[
        str, typer.Option(help="Address of a server. Default: start one for the contest.")
    ] = "",
    key_file: KeyFile = None,
    ca: Authority = None,
    both_seatings: BothSeatings = True,
    out: Annotated[
        Path | None, typer.Option(help="Folder for records; default: games/GAME-DATE-TIME.")
    ] = None,
    in_flight: Annotated[
        int,
        typer.Option(
            min=1,
            max=1000,
            help="Matches at the same time; those of one board are played together.",
        ),
    ] = 32,
    move_time: clocks.MoveTime = None,
    base_time: clocks.BaseTime = 0,
    increment: clocks.Increment = 0,
    on_timeout: clocks.TimeOut = clocks.TimeoutPolicy.FORFEIT,
    max_strikes: clocks.MaxStrikes = None,
    disconnect_grace: clocks.Grace = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print results as JSON.")] = False,
) -> int:
    """Play matches between bots and compare them.

    The options of the game, such as `max_deals` or `max_hands`, set the length of a match. Its
    score is the margin of the bot's side; in Tong-its, the mean of the bot's seats less that of the
    other bot's. A bot that crashes, concedes, forfeits, stays away, or takes longer than
    --move-time for a decision loses the match. The same seed gives the same results as long as
    nobody runs out of time and no bot stops thinking by the clock, as `search` does; use
    `search:iterations=N` there. The status is 1 if a match was not played to its end. Ctrl-C ends
    the contest with the results so far.
    """
    use(key_file, ca)
    overrides = read_options(option or ())
    for name, value in (("players", players), ("packs", packs)):
        if value is not None and overrides.setdefault(name, str(value)) != str(value):
            fail(f"--{name} {value} and --option {name}={overrides[name]} differ")
    clock = clocks.read_clock(
        move_time, base_time, increment, on_timeout, max_strikes, disconnect_grace
    )
    setting = _setting(game, ruleset, overrides, bots, seed, clock)
    schedule = _schedule(setting, boards, matches, both_seatings)
    folder = _make_folder(out, game)
    results, cut = _play(setting, schedule, folder, server, in_flight, quiet=as_json)
    status = _tell(setting, len(schedule), results, folder, as_json)
    if cut is not None:
        raise cut
    return status


def _setting(
    game: str,
    ruleset: str,
    overrides: Mapping[str, str],
    bots: Sequence[str],
    seed: int | None,
    clock: Clock | None,
) -> Setting:
    """What is to be played, and by whom."""
    import secrets

    from croupier.errors import UsageError
    from croupier.options import options_message
    from croupier_server.contest.arena import Setting
    from croupier_server.contest.entrant import BadEntrant, read_entrants, split_specs
    from croupier_server.contest.faults import stakes
    from croupier_server.games.modules import WIRES_BY_NAME
    from croupier_server.games.settings import new_options

    found, wire = find_game(game), WIRES_BY_NAME[game]
    ruleset = ruleset or found.rulesets()[0]
    try:  # texts are read as in the SDK, and judged as on a server
        asked = options_message(game, overrides)
    except UsageError as error:
        fail(str(error))
    options = new_options(found, ruleset, wire.options_overrides(asked))
    try:
        entrants = read_entrants(split_specs(bots))
    except BadEntrant as error:
        fail(str(error))
    return Setting(
        game=game,
        ruleset=ruleset,
        options=wire.options_message(options),
        teams=tuple(found.team(options, seat) for seat in range(found.players(options))),
        entrants=tuple(entrants),
        stakes=stakes(found, options),
        # A bot that could try all seeds would know the cards; JSON keeps 53 bits exact.
        seed=secrets.randbits(53) if seed is None else seed,
        clock=clock,
    )


def _schedule(
    setting: Setting, boards: int | None, matches: int | None, every_seating: bool
) -> list[Match]:
    """The matches of each pair, from a number of boards or of matches."""
    from croupier_server.contest.pairing import schedule, seatings

    ways = seatings(setting.teams)
    if boards is not None and matches is not None:
        fail("pass either --boards or --matches, not both")
    if matches is None:
        matches = (boards or BOARDS) * (len(ways) if every_seating else 1)
    elif every_seating and len(ways) > 2 and matches % len(ways):
        fail(
            f"--matches {matches} leaves a board unfinished: {setting.game} has {len(ways)} "
            "seatings per board; pass --boards"
        )
    return schedule(len(setting.entrants), matches, setting.teams, every_seating)


def _make_folder(out: Path | None, game: str) -> Path:
    """The folder for records; one that holds records already is not mixed with new ones."""
    folder = out or Path("games") / time.strftime(f"{game}-%Y%m%d-%H%M%S")
    number = 1
    while out is None and folder.exists():
        number += 1
        folder = folder.with_name(f"{folder.name.partition('_')[0]}_{number}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if next(folder.glob("*.croupier"), None) is not None:
            fail(f"{folder} already contains records; pass another --out")
    except OSError as error:
        fail(f"cannot create {folder}: {error.strerror}")
    return folder


def _play(
    setting: Setting,
    schedule: Sequence[Match],
    folder: Path,
    server: str,
    in_flight: int,
    *,
    quiet: bool,
) -> tuple[list[MatchResult], Failure | None]:
    """Run the contest with progress on standard error.

    Returns:
        The results; after a signal those so far, and what to fail with once they are told.
    """
    import asyncio
    import signal

    from croupier_server.cli.progress import MatchProgress
    from croupier_server.contest.arena import ContestFailed
    from croupier_server.contest.processes import ProcessFailed
    from croupier_server.contest.runner import play

    progress = MatchProgress(len(schedule), quiet=quiet)
    results: list[MatchResult] = []

    def report(result: MatchResult) -> None:
        results.append(result)
        progress.count(result)

    async def main() -> None:
        # Ctrl-C cancels this task by itself; a polite request to end does the same.
        task = asyncio.current_task()
        assert task is not None
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        with progress:
            await play(setting, schedule, folder, report, server, in_flight=in_flight)

    cut = None
    try:
        asyncio.run(main())
    except (ContestFailed, ProcessFailed) as error:
        fail(str(error), exit_code=1)
    except KeyboardInterrupt:
        cut = Failure(f"interrupted; {progress}", exit_code=128 + signal.SIGINT)
    except asyncio.CancelledError:
        cut = Failure(f"stopped; {progress}", exit_code=128 + signal.SIGTERM)
    return sorted(results, key=lambda result: result.match.number), cut


def _tell(
    setting: Setting, planned: int, results: list[MatchResult], folder: Path, as_json: bool
) -> int:
    """Print and keep the results."""
    import json
    from collections import Counter

    from croupier_server.cli.score_table import as_data, print_tables
    from croupier_server.printable import printable

    data = json.dumps(as_data(setting, planned, results, folder), indent=2)
    file, why_not = folder / "results.json", ""
    try:
        file.write_text(data + "\n", encoding="utf-8")
    except OSError as error:
        why_not = f"cannot write {file}: {error.strerror}"
    if as_json:
        print(data)
    else:
        print_tables(setting, results, folder)
    reasons = Counter(result.detail for result in results if result.detail)
    for reason, count in sorted(reasons.items()):
        times = f" ({count} matches)" if count > 1 else ""
        print(printable(f"croupier: {reason}{times}", keep="\n"), file=sys.stderr)
    if why_not:
        fail(why_not, exit_code=1)
    return 1 if reasons else 0
