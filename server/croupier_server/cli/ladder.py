"""``croupier ladder``: tournaments and ladders that can be stopped and resumed at any time."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal, NamedTuple, TypeVar

import typer

from croupier_server.cli.common import GAME_NAMES, fail, find_game, read_options, say

if TYPE_CHECKING:
    from croupier_server.contest.ladder.conductor import Limits
    from croupier_server.contest.ladder.contest import Contest
    from croupier_server.contest.ladder.executor import Executor
    from croupier_server.contest.ladder.log import ContestLog
    from croupier_server.contest.ladder.spec import Spec
    from croupier_server.contest.report.data import Report

T = TypeVar("T")

SPEC: Final = "contest.toml"
LOG: Final = "contest.sqlite"

group = typer.Typer(help="Run tournaments and ladders that can be stopped and resumed at any time.")


@group.callback()
def _group() -> None:
    """Run tournaments and ladders that can be stopped, killed and resumed at any time.

    `new` creates a folder with a commented `contest.toml`; `run` plays it. All results are stored
    in an event log in that folder, or in a PostgreSQL database.
    """


Folder = Annotated[
    Path, typer.Argument(metavar="FOLDER", help="Folder of the contest; contains contest.toml.")
]
Store = Annotated[
    str,
    typer.Option(
        envvar="CROUPIER_LADDER_STORE",
        help="Database of the event log: sqlite:PATH or postgresql://....  "
        "[default: FOLDER/contest.sqlite]",
        show_default=False,
    ),
]
Tables = Annotated[
    int,
    typer.Option(
        "--concurrency",
        min=1,
        max=1000,
        help="Maximum number of simultaneous matches; those of one board always run together.",
    ),
]
Servers = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=1000,
        help="Number of server processes, each with its own bots.  "
        "[default: one for every two cores, or one for each `server` in contest.toml]",
        show_default=False,
    ),
]
Where = Annotated[
    Literal["local", "ray"],
    typer.Option("--executor", help="Play on this machine, or on a Ray cluster."),
]
RayAddress = Annotated[
    str,
    typer.Option(
        envvar="RAY_ADDRESS",
        help="Address of the Ray cluster, such as 10.0.0.1:6379.  [default: Ray on this machine]",
        show_default=False,
    ),
]

Html = Annotated[
    Path | None,
    typer.Option("--html", help="Write a single-file HTML report when the contest ends."),
]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print only errors.")]


@group.command("new")
def new(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder to create.")],
    game: Annotated[str, typer.Option(help=f"{GAME_NAMES}.")],
    bots: Annotated[
        list[str],
        typer.Option(
            help="Bots, separated by commas: random, greedy, search, path/to/bot.py:Class or "
            "'cmd:program arguments'. The option may be repeated."
        ),
    ],
    option: Annotated[
        list[str] | None,
        typer.Option(help="A game option that overrides the ruleset, as name=value."),
    ] = None,
    contest_format: Annotated[
        str,
        typer.Option("--format", help="round-robin, gauntlet, swiss, knockout, sprt or ladder."),
    ] = "round-robin",
    boards: Annotated[
        int,
        typer.Option(
            min=0, help="Boards for each pair of entrants; see contest.toml for other formats."
        ),
    ] = 100,
) -> None:
    """Create FOLDER with a commented contest.toml, ready to run."""

    from croupier_server.contest.entrant import BadEntrant, read_entrants, split_specs
    from croupier_server.contest.ladder.spec import BadSpec, read_spec
    from croupier_server.contest.ladder.template import template

    find_game(game)
    try:
        entrants = read_entrants(split_specs(bots))
    except BadEntrant as error:
        fail(str(error))
    text = template(
        folder=str(folder),
        game=game,
        options=read_options(option or ()),
        contest_format=contest_format,
        boards=boards,
        entrants=[(one.name, _seen_from(folder, one.spec)) for one in entrants],
    )
    file = folder / SPEC
    try:
        read_spec(text, name="new")
        folder.mkdir(parents=True, exist_ok=True)
        with file.open("x", encoding="utf-8") as written:
            written.write(text)
    except BadSpec as error:
        fail(str(error))
    except FileExistsError:
        fail(f"{file} already exists; edit it, or choose another folder")
    except OSError as error:
        fail(f"cannot write {file}: {error.strerror}")
    say(f"wrote {file}; play it with `croupier ladder run {folder}`")


def _seen_from(folder: Path, bot: str) -> str:
    """Return *bot* with its relative path, if it has one, rewritten as relative to *folder*."""
    import os
    import shlex

    if bot.startswith("cmd:"):
        program, *arguments = shlex.split(bot.removeprefix("cmd:"))
        if "/" in program and not Path(program).is_absolute():
            program = f"{os.path.relpath(Path(program).parent, folder)}/{Path(program).name}"
        return "cmd:" + shlex.join([program, *arguments])
    path, colon, name = bot.rpartition(":")
    if colon and path.endswith(".py") and not Path(path).is_absolute():
        return f"{os.path.relpath(path, folder)}:{name}"
    return bot


@group.command("run")
def run(
    folder: Folder,
    store: Store = "",
    concurrency: Tables = 32,
    servers: Servers = None,
    executor: Where = "local",
    ray_address: RayAddress = "",
    html_file: Html = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Print the first boards and the number of matches, and play nothing."
        ),
    ] = False,
    quiet: Quiet = False,
) -> int:
    """Start the contest in FOLDER and play it to its end."""
    if dry_run:
        return _dry_run(folder)
    where = _Where(concurrency, servers, executor, ray_address)
    return _play(folder, store, where, html_file, is_new=True, quiet=quiet)


@group.command("resume")
def resume(
    folder: Folder,
    store: Store = "",
    concurrency: Tables = 32,
    servers: Servers = None,
    executor: Where = "local",
    ray_address: RayAddress = "",
    html_file: Html = None,
    quiet: Quiet = False,
) -> int:
    """Resume a contest that was stopped or killed."""
    where = _Where(concurrency, servers, executor, ray_address)
    return _play(folder, store, where, html_file, is_new=False, quiet=quiet)


def _dry_run(folder: Path) -> int:
    """Print the schedule of the first batch and the total number of boards and matches."""
    from croupier_server.contest.ladder.opening import draft
    from croupier_server.contest.ladder.spec import BadSpec

    try:
        contest = draft(_read_spec(folder), folder)
    except BadSpec as error:
        fail(f"{folder / SPEC}: {error}")
    names = [one.name for one in contest.spec.entrants]
    batch = contest.next_batch()
    tables = [len(contest.roster.tables(n, groups)) for n, groups in enumerate(batch)]
    for number, groups in enumerate(batch):
        meeting = "; ".join(" - ".join(names[one] for one in group) for group in groups)
        say(f"board {number + 1}: {meeting}: {tables[number]} matches")
    total = contest.total
    if total is None:
        say(
            f"first batch: {len(batch)} boards, {sum(tables)} matches; later ones depend on results"
        )
    else:
        matches = round(total * sum(tables) / max(1, len(batch)))
        at_most = "at most " if contest.sprt else ""
        say(f"{at_most}{total} boards, about {matches} matches")
    return 0


@group.command("status")
def status(folder: Folder, store: Store = "") -> None:
    """Print the progress of a contest, without stopping it."""
    from croupier_server.cli.ladder_progress import LadderProgress
    from croupier_server.contest.ladder.opening import load

    contest = _with_log(folder, store, load)
    state = "finished" if contest.is_finished else "not finished"
    say(f"{contest.spec.name}: {state}; {LadderProgress(contest, quiet=True).line()}")
    beyond = len(contest.beyond)
    if beyond:
        why = (
            "they do not count, because the contest ended before them"
            if contest.is_over
            else "they will count once all boards before them have ended"
        )
        say(f"{beyond} more boards have been played; {why}")
    if contest.oversubscription:
        say(f"clocks are oversubscribed: {contest.oversubscription}")
    for entrant, why in sorted(contest.withdrawn.items()):
        say(f"{contest.spec.entrants[entrant].name}: {why}")
    if contest.verdict:
        say(contest.verdict.text)


@group.command("games")
def games(
    folder: Folder,
    store: Store = "",
    faults: Annotated[
        bool, typer.Option("--faults", help="List only matches with a fault.")
    ] = False,
    entrant: Annotated[str, typer.Option(help="List only matches of this entrant.")] = "",
    beyond: Annotated[
        bool, typer.Option("--beyond", help="List only matches that do not (yet) count.")
    ] = False,
) -> None:
    """List the matches of a contest, with the paths of their records."""
    from croupier_server.contest.ladder.opening import PlayedBoard, load, played_boards

    async def work(log: ContestLog) -> tuple[Contest, list[PlayedBoard]]:
        contest = await load(log)
        return contest, await played_boards(contest, log)

    contest, boards = _with_log(folder, store, work)
    names = contest.bot_names
    for board in boards:
        for match, result in zip(board.matches, board.results, strict=True):
            seats = [names[bot] for bot in match.players]
            if board.counts == beyond or (faults and not result.at_fault):
                continue
            if entrant and not any(one.partition("/")[0] == entrant for one in seats):
                continue
            scores = "-" if result.scores is None else " ".join(f"{s:+g}" for s in result.scores)
            by = ", ".join(names[bot] for bot in result.at_fault)
            fault = f" {result.outcome.replace('_', ' ')} by {by}: {result.detail}" if by else ""
            say(f"board {board.number + 1}  {', '.join(seats)}  {scores}{fault}  {result.record}")


Why = Annotated[str, typer.Option(help="The reason, recorded in the log and shown in reports.")]


EntrantName = Annotated[
    str, typer.Argument(metavar="NAME", help="Name of the entrant.", show_default=False)
]


@group.command("withdraw")
def withdraw(
    folder: Folder,
    entrant: EntrantName,
    why: Why = "withdrawn by the organiser",
    store: Store = "",
) -> None:
    """Remove an entrant from all boards that are not scheduled yet."""

    def order(contest: Contest) -> dict[str, object]:
        return {"kind": "withdrawn", "entrant": _number_of(contest, entrant), "why": why}

    _order(folder, store, order)


@group.command("readmit")
def readmit(
    folder: Folder,
    entrant: EntrantName,
    why: Why = "readmitted by the organiser",
    store: Store = "",
) -> None:
    """Let a withdrawn or quarantined entrant play again."""

    def order(contest: Contest) -> dict[str, object]:
        number = _number_of(contest, entrant)
        if number not in contest.withdrawn:
            fail(f"{entrant} is neither withdrawn nor quarantined, so it cannot be readmitted")
        return {"kind": "readmitted", "entrant": number, "why": why}

    _order(folder, store, order)


@group.command("substitute")
def substitute(
    folder: Folder,
    entrant: EntrantName,
    bot: Annotated[
        str,
        typer.Argument(
            help="Its new bot from the next batch on, as in contest.toml; a relative path is "
            "resolved from FOLDER."
        ),
    ],
    why: Why = "substituted by the organiser",
    store: Store = "",
) -> None:
    """Replace the bot of an entrant on all boards that are not scheduled yet."""
    from croupier_server.contest.ladder.programs import substitute as read_bot
    from croupier_server.contest.ladder.spec import BadSpec

    def order(contest: Contest) -> dict[str, object]:
        number = _number_of(contest, entrant)
        try:
            read_bot(entrant, bot, folder)
        except BadSpec as error:
            fail(str(error))
        return {"kind": "substituted", "entrant": number, "bot": bot, "why": why}

    _order(folder, store, order)


def _number_of(contest: Contest, entrant: str) -> int:
    """Return the number of the entrant with this name."""
    names = [one.name for one in contest.spec.entrants]
    if entrant not in names:
        fail(f"there is no entrant {entrant!r}; the contest has {', '.join(names)}")
    return names.index(entrant)


@group.command("void")
def void(
    folder: Folder,
    board: Annotated[int, typer.Argument(min=1, help="Number of the board.")],
    why: Why = "voided by the organiser",
    store: Store = "",
) -> None:
    """Exclude the results of a board from all standings."""
    _order(folder, store, lambda contest: _of_board(contest, board, "voided", why))


@group.command("replay")
def replay(
    folder: Folder,
    board: Annotated[int, typer.Argument(min=1, help="Number of the board.")],
    why: Why = "replayed by the organiser",
    store: Store = "",
) -> None:
    """Discard the results of a board and play it again."""
    _order(folder, store, lambda contest: _of_board(contest, board, "replayed", why))


@group.command("adjudicate")
def adjudicate(
    folder: Folder,
    board: Annotated[int, typer.Argument(min=1, help="Number of the board.")],
    table: Annotated[int, typer.Argument(min=1, help="Number of the match on the board, from 1.")],
    scores: Annotated[
        list[float],
        typer.Argument(help="Score of each seat, in order; put -- before them if one is negative."),
    ],
    why: Why = "adjudicated by the organiser",
    store: Store = "",
) -> None:
    """Set the scores of a match that was played."""

    def order(contest: Contest) -> dict[str, object]:
        found = _of_board(contest, board, "adjudicated", why)
        tables = len(contest.tables(board - 1))
        if table > tables:
            fail(f"there is no table {table}; board {board} has tables 1 to {tables}")
        if len(scores) != len(contest.teams):
            fail(f"{len(scores)} scores given; exactly {len(contest.teams)} needed, one per seat")
        return found | {"table": table - 1, "scores": scores}

    _order(folder, store, order)


@group.command("change")
def change(
    folder: Folder,
    boards: Annotated[
        int | None, typer.Option(min=1, help="New number of boards, as in contest.toml.")
    ] = None,
    concurrency: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=1000,
            help="New maximum number of simultaneous matches, until the run stops.",
        ),
    ] = None,
    store: Store = "",
) -> None:
    """Change the number of boards or of simultaneous matches, even while the contest runs."""
    if boards is None and concurrency is None:
        fail("pass --boards or --concurrency")
    if boards is not None:
        _order(folder, store, lambda _: {"kind": "length", "boards": boards})
    if concurrency is not None:
        _order(folder, store, lambda _: {"kind": "tables", "tables": concurrency})


def _of_board(contest: Contest, board: int, kind: str, why: str) -> dict[str, object]:
    """Return an order of *kind* for *board*, which must have been played."""
    why_not = contest.why_not_corrected(board - 1)
    if why_not:
        fail(why_not)
    return {"kind": kind, "board": board - 1, "why": why}


def _order(folder: Path, store: str, make: Callable[[Contest], dict[str, object]]) -> None:
    """Store an order for the runner of a contest."""
    from croupier_server.contest.ladder.opening import load

    async def work(log: ContestLog) -> None:
        contest = await load(log)
        if not contest.last:
            fail("the contest has not begun yet; edit contest.toml instead")
        await log.order(make(contest))

    _with_log(folder, store, work)
    say(
        "order stored; if the contest is running, it applies the order within a second; otherwise "
        f"run `croupier ladder resume {folder}`"
    )


class _Where(NamedTuple):
    """Options of `run` and `resume` for concurrency and the place of play."""

    concurrency: int
    servers: int | None
    executor: Literal["local", "ray"]
    ray_address: str

    @contextmanager
    def open(self, running: int) -> Iterator[tuple[Executor, Limits]]:
        """Open the executor and its limits; the contest names *running* servers."""
        from croupier_server.contest.ladder.conductor import Limits
        from croupier_server.contest.ladder.executor import Local, cores_here, hosts_for

        if self.executor == "local":
            servers = self.servers or running or hosts_for(cores_here())
            yield Local(), Limits(self.concurrency, servers, cores_here())
            return
        from croupier_server.contest.ladder.ray_executor import NoCluster, cluster

        try:
            with cluster(self.ray_address) as hosts:
                yield hosts, Limits(self.concurrency, self.servers or hosts.hosts)
        except NoCluster as error:
            fail(str(error), exit_code=1)


def _read_spec(folder: Path) -> Spec:
    from croupier_server.contest.ladder.spec import BadSpec, read_spec

    file = folder / SPEC
    try:
        return read_spec(file.read_text("utf-8"), name=folder.resolve().name)
    except OSError as error:
        fail(f"cannot read {file}: {error.strerror}; `croupier ladder new` writes one")
    except (BadSpec, UnicodeDecodeError) as error:
        fail(f"{file}: {error}")


def _with_log(
    folder: Path, store: str, work: Callable[[ContestLog], Awaitable[T]], *, create: bool = False
) -> T:
    """Run *work* on the log of the contest in *folder* and return its result."""
    import asyncio

    from croupier_server.contest.ladder.log import LogError, open_log

    name = _read_spec(folder).name

    async def main() -> T:
        async with open_log(store or f"sqlite:{folder / LOG}", name, create=create) as log:
            return await work(log)

    try:
        return asyncio.run(main())
    except LogError as error:
        fail(str(error), exit_code=1)


def _play(
    folder: Path, store: str, where: _Where, html_file: Path | None, *, is_new: bool, quiet: bool
) -> int:
    """Play the contest in *folder* to its end; return the exit status of the command."""
    import asyncio
    import signal

    from croupier_server.cli.ladder_progress import LadderProgress
    from croupier_server.cli.standings import print_standings
    from croupier_server.contest.arena import ContestFailed
    from croupier_server.contest.ladder.conductor import conduct
    from croupier_server.contest.ladder.opening import begin, load, played_boards
    from croupier_server.contest.ladder.spec import BadSpec
    from croupier_server.contest.ladder.standings import make_report
    from croupier_server.contest.processes import ProcessFailed
    from croupier_server.contest.report import html

    spec = _read_spec(folder)
    # Paths of bots mean the same in the processes of Ray, which run elsewhere.
    place = folder if where.executor == "local" else folder.resolve()
    interrupted = ""
    again = f"to play the remaining boards, run `croupier ladder resume {folder}`"

    async def play(log: ContestLog) -> Contest:
        nonlocal interrupted
        contest = await load(log)
        if is_new and contest.last:
            fail(f"{spec.name} has begun already; use `croupier ladder resume {folder}`")
        if not is_new and not contest.last:
            fail(f"{spec.name} has not begun; use `croupier ladder run {folder}`")
        if is_new:
            contest = await begin(spec, log, folder)
        task = asyncio.current_task()
        assert task is not None
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        progress = LadderProgress(contest, quiet=quiet)
        try:
            with progress:
                return await conduct(contest, log, place, limits, progress.update, executor)
        finally:
            interrupted = progress.line()

    try:
        with where.open(len(spec.servers)) as (executor, limits):
            contest = _with_log(folder, store, play, create=is_new)
    except BadSpec as error:
        fail(f"{folder / SPEC}: {error}")
    except (ContestFailed, ProcessFailed) as error:
        fail(f"{error}; {again}", exit_code=1)
    except (KeyboardInterrupt, asyncio.CancelledError):
        fail(f"stopped after {interrupted}; {again}", exit_code=130)
    if not quiet:
        print_standings(make_report(contest, is_brief=True))
    if html_file is not None:
        boards = _with_log(folder, store, lambda log: played_boards(contest, log))
        _write({html_file: html(make_report(contest, boards))})
    return 0


@group.command("standings")
def standings(folder: Folder, store: Store = "") -> None:
    """Print the standings."""
    from croupier_server.cli.standings import print_standings
    from croupier_server.contest.ladder.opening import load
    from croupier_server.contest.ladder.standings import make_report

    print_standings(make_report(_with_log(folder, store, load)))


@group.command("export")
def export(
    folder: Folder,
    store: Store = "",
    html_file: Annotated[
        Path | None, typer.Option("--html", help="Write a single-file HTML report.")
    ] = None,
    json_file: Annotated[
        Path | None,
        typer.Option("--json", help="Write all results that count as reproducible JSON."),
    ] = None,
    csv_folder: Annotated[
        Path | None, typer.Option("--csv", help="Write CSV tables to this folder.")
    ] = None,
) -> None:
    """Write the results of a contest to files, or JSON to standard output if you name no file."""
    from croupier_server.contest import report
    from croupier_server.contest.ladder.opening import load, played_boards
    from croupier_server.contest.ladder.standings import make_report, reproducible

    async def work(log: ContestLog) -> Report:
        contest = await load(log)
        return make_report(contest, await played_boards(contest, log))

    found = _with_log(folder, store, work)
    files: dict[Path, str] = {}
    if html_file is not None:
        files[html_file] = report.html(found)
    if json_file is not None:
        files[json_file] = report.as_json(reproducible(found))
    if csv_folder is not None:
        files |= {csv_folder / name: text for name, text in report.csv_files(found).items()}
    if not files:
        print(report.as_json(reproducible(found)), end="")
    _write(files)


def _write(files: dict[Path, str]) -> None:
    """Write texts to *files*."""
    try:
        for file, text in files.items():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="")
            say(f"wrote {file}")
    except OSError as error:
        fail(f"cannot write {error.filename}: {error.strerror}", exit_code=1)
