"""The command line: one module a command, imported when it is wanted.

A command module has a function ``command`` whose signature is its arguments and whose docstring is
its help, or a ``group`` of such functions. What it needs beyond typer it imports inside functions,
so that ``--help`` stays quick.
Wrong input ends with one line on standard error and status 2, other failures with status 1.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import Annotated

import typer

from croupier_server.errors import CroupierError
from croupier_server.printable import printable

COMMANDS = (
    "serve",
    "config",
    "backup",
    "restore",
    "purge",
    "keys",
    "admin",
    "server-info",
    "play",
    "ladder",
    "arbiter",
    "watch",
    "replay",
    "notation",
    "record",
    "verify",
    "rules",
    "vectors",
    "new-bot",
    "bench",
)
"""Commands in the order in which the help lists them; `new-bot` lives in ``new_bot.py``."""

INTERRUPTED = 130
_WRITES_NO_MORE = 1


def build(names: Sequence[str] = COMMANDS) -> typer.Typer:
    """The application with the commands of *names*."""
    app = typer.Typer(
        help="Croupier runs card tables for programs.",
        rich_markup_mode="markdown",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )

    @app.callback(invoke_without_command=True)
    def root(
        version: Annotated[
            bool,
            typer.Option(
                "--version", help="Print the version of the server, and whether it is compiled."
            ),
        ] = False,
    ) -> None:
        """Croupier runs card tables for programs."""
        if version:
            from croupier_server.wire import encode

            build = "pure Python" if str(encode.__file__).endswith(".py") else "compiled"
            print(f"{installed_version('croupier-server')} ({build})")
            raise typer.Exit

    for name in names:
        module = import_module(f"croupier_server.cli.{name.replace('-', '_')}")
        if hasattr(module, "group"):
            app.add_typer(module.group, name=name)
        else:
            app.command(name)(module.command)
    return app


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit status."""
    arguments = list(arguments) or ["--help"]
    wanted = [arguments[0]] if arguments[0] in COMMANDS else COMMANDS
    try:
        returned = build(wanted)(arguments, prog_name="croupier", standalone_mode=False)
    except typer.TyperException as error:
        message, status = _explained(error), error.exit_code
    except CroupierError as error:
        message, status = error.message, 2
    except UnicodeEncodeError as error:  # an argument that was no text
        message, status = f"{error.object!r} is not UTF-8", 2
    except typer.Abort:
        message, status = "interrupted", INTERRUPTED
    else:
        status = returned if isinstance(returned, int) else 0
        if status != INTERRUPTED:
            return status
        message = "interrupted"  # typer has made a status of Ctrl-C
    print("croupier:", printable(" ".join(message.split())), file=sys.stderr)
    return status


def _explained(error: typer.TyperException) -> str:
    """What *error* says, and the option that takes the address, which people give without it."""
    message = error.format_message()
    command = getattr(error, "cmd", None)
    options = {parameter.name for parameter in command.params} if command is not None else set()
    if message.startswith("Got unexpected extra argument") and "server" in options:
        return f"{message}; give the address of a server as --server HOST:PORT"
    return message


def _open_standard_streams() -> None:
    """Put the null device where a standard stream is closed: else the next file that is opened, a
    database perhaps, has its number, and is written to by whoever means that stream."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            null = Path(os.devnull).open(mode, encoding="utf-8")  # noqa: SIM115 - stays open
            setattr(sys, name, null)


def main() -> None:
    """Entry point of the ``croupier`` program."""
    # gRPC's core writes lines of its own, of a port that is taken, say; we write better ones.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    _open_standard_streams()
    try:
        status = run(sys.argv[1:])
        sys.stdout.flush()
    except OSError as error:
        if error.filename is not None or error.errno not in (errno.EPIPE, errno.ENOSPC):
            raise
        status = _WRITES_NO_MORE
        if error.errno == errno.ENOSPC:
            print(f"croupier: standard output: {error.strerror}", file=sys.stderr)
        # What is left has nowhere to go, and Python would try once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(status)
