"""What several commands need: failing in one line, reading games and options."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

import typer

from croupier_server.games import NAMES
from croupier_server.printable import printable

if TYPE_CHECKING:
    from croupier_server.games.base import AnyGame


DEFAULT_SERVER = "127.0.0.1:7421"
"""Where `croupier serve` listens unless told otherwise."""


RECORD_BYTES_MAX: Final = 64 << 20
"""More than a hundred times what records have."""


class Failure(typer.TyperException):
    """Ends the command with one line on standard error.

    Attributes:
        exit_code: 2 for wrong input, 1 for anything else.
    """

    def __init__(self, message: str, exit_code: int = 2) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def fail(message: str, exit_code: int = 2) -> NoReturn:
    """Raise `Failure`."""
    raise Failure(message, exit_code)


def say(line: str, *, keep: str = "") -> None:
    """Print a line in which text of others may stand: names, titles, facts of a file.

    Args:
        line: the line.
        keep: characters that stay although they are unsafe; see `printable`.
    """
    print(printable(line, keep=keep))


def read_record_file(name: str | Path) -> bytes:
    """The bytes of a record or a notation; ``-`` is standard input. Fails if there are too many."""
    try:
        if str(name) == "-":
            data = sys.stdin.buffer.read(RECORD_BYTES_MAX + 1)
        else:
            with Path(name).open("rb") as file:
                data = file.read(RECORD_BYTES_MAX + 1)
    except OSError as error:
        fail(f"cannot read {name}: {error.strerror}")
    if len(data) > RECORD_BYTES_MAX:
        fail(f"cannot read {name}: larger than {RECORD_BYTES_MAX >> 20} MiB, the maximum")
    return data


GAME_NAMES: Final = " or ".join((", ".join(NAMES[:-1]), NAMES[-1]))
"""Every game, for help texts."""


def find_game(name: str) -> AnyGame:
    """The game called *name*, or one line that names those there are."""
    from croupier_server.games.registry import GAMES

    if name not in GAMES:
        fail(f"there is no game {name!r}; the games are {', '.join(sorted(GAMES))}")
    return GAMES[name]


def read_options(pairs: Iterable[str]) -> dict[str, str]:
    """Options given as ``name=value``, each at most once."""
    options: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        name, value = name.strip(), value.strip()
        if not equals or not name:
            fail(f"option {pair!r} must have the form name=value")
        if name in options:
            fail(f"option {name!r} is given twice")
        options[name] = value
    return options
