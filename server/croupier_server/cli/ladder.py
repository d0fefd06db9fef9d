"""``croupier ladder``: tournaments and ladders that can be stopped at any moment."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypeVar

import typer

from croupier_server.cli.common import fail, say

if TYPE_CHECKING:
    from croupier_server.contest.ladder.conductor import Limits
    from croupier_server.contest.ladder.contest import Contest
    from croupier_server.contest.ladder.log import ContestLog
    from croupier_server.contest.ladder.spec import Spec
    from croupier_server.contest.report.data import Report

T = TypeVar("T")

SPEC: Final = "contest.toml"
LOG: Final = "contest.sqlite"

group = typer.Typer(help="Run tournaments and ladders that can be stopped at any moment.")


@group.callback()
def _group() -> None:
    """Run tournaments and ladders that can be stopped, killed and resumed at any moment.

    `new` writes a folder with a commented `contest.toml`; `run` plays it. Everything is kept in an
    event log in that folder, or in a PostgreSQL database.
    """


Folder = Annotated[
    Path, typer.Argument(metavar="FOLDER", help="Folder of the contest, with contest.toml.")
]
Store = Annotated[
    str,
    typer.Option(
        envvar="CROUPIER_LADDER_STORE",
        help="Where the event log is: sqlite:PATH or postgresql://....  [FOLDER/contest.sqlite]",
        show_default=False,
    ),
]
Tables = Annotated[
    int,
    typer.Option("--concurrency", min=1, max=1000, help="Tables at a time; one board at least."),
]
Servers = Annotated[int, typer.Option(min=1, max=64, help="Server processes to play on.")]


@group.command("run")
def run(folder: Folder, store: Store = "", concurrency: Tables = 32, servers: Servers = 1) -> int:
    """Begin the contest of FOLDER and play it."""
    return _play(folder, store, _limits(concurrency, servers), is_new=True)


@group.command("resume")
def resume(
    folder: Folder, store: Store = "", concurrency: Tables = 32, servers: Servers = 1
) -> int:
    """Go on with a contest that was stopped or killed."""
    return _play(folder, store, _limits(concurrency, servers), is_new=False)


def _limits(concurrency: int, servers: int) -> Limits:
    from croupier_server.contest.ladder.conductor import Limits

    return Limits(concurrency, servers)


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
    """Do *work* on the log of the contest in *folder*."""
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


def _play(folder: Path, store: str, limits: Limits, *, is_new: bool) -> int:
    """Play the contest in *folder* to its end; the status of the command."""
    import asyncio
    import signal

    from croupier_server.cli.standings import print_standings
    from croupier_server.contest.arena import ContestFailed
    from croupier_server.contest.ladder.conductor import conduct
    from croupier_server.contest.ladder.opening import begin, load
    from croupier_server.contest.ladder.spec import BadSpec
    from croupier_server.contest.ladder.standings import make_report
    from croupier_server.contest.processes import ProcessFailed

    spec = _read_spec(folder)

    async def play(log: ContestLog) -> Contest:
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
        await conduct(contest, log, folder, limits)
        return contest

    try:
        contest = _with_log(folder, store, play, create=is_new)
    except BadSpec as error:
        fail(f"{folder / SPEC}: {error}")
    except (ContestFailed, ProcessFailed) as error:
        fail(f"{error}; `croupier ladder resume {folder}` goes on", exit_code=1)
    except (KeyboardInterrupt, asyncio.CancelledError):
        fail(f"stopped; `croupier ladder resume {folder}` goes on", exit_code=130)
    print_standings(make_report(contest))
    return 0


@group.command("standings")
def standings(folder: Folder, store: Store = "") -> None:
    """Print who is ahead of whom."""
    from croupier_server.cli.standings import print_standings
    from croupier_server.contest.ladder.opening import load
    from croupier_server.contest.ladder.standings import make_report

    print_standings(make_report(_with_log(folder, store, load)))


@group.command("export")
def export(
    folder: Folder,
    store: Store = "",
    html_file: Annotated[
        Path | None, typer.Option("--html", help="Write a report for people: one file.")
    ] = None,
    json_file: Annotated[
        Path | None,
        typer.Option("--json", help="Write everything that counts; the same for the same contest."),
    ] = None,
    csv_folder: Annotated[
        Path | None, typer.Option("--csv", help="Write tables for spreadsheets to this folder.")
    ] = None,
) -> None:
    """Write the results of a contest to files; JSON to standard output if no option is given."""
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
    try:
        for file, text in files.items():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="")
            say(f"wrote {file}")
    except OSError as error:
        fail(f"cannot write {error.filename}: {error.strerror}", exit_code=1)
