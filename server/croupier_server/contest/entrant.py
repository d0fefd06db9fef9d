"""Entrants: who takes part in a contest, as given on the command line, and how each is started.

Forms of spec: ``random``, ``greedy``, ``search`` with or without a budget
(`croupier_server.bots.spec`), ``path/to/bot.py:Class``, and ``cmd:program arguments`` for a program
in any language. Whatever it is, an entrant plays as a process of its own that reads invitations
from an inherited pipe.
"""

from __future__ import annotations

import ast
import re
import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from croupier.bots import HOUSE_BOTS
from croupier_server.bots.spec import FORMS, parse_spec

_COMMAND: Final = "cmd:"


class BadEntrant(ValueError):
    """A spec that names no bot which could be started; the text says why."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """One who takes part.

    Attributes:
        name: shown in results; no two entrants of a contest share one.
        spec: as given.
        program: program and arguments of its process, but for what `arguments` adds; empty for a
            bot that dials in.
        player_id: principal of a bot that dials in; else empty.
    """

    name: str
    spec: str
    program: tuple[str, ...]
    player_id: str = ""

    def arguments(self, invites_fd: int) -> list[str]:
        """The whole command line of its process; seeds come with invitations, since anybody on the
        machine can read a command line."""
        if self.spec.startswith(_COMMAND):
            return list(self.program)
        return [*self.program, "--invites-fd", str(invites_fd)]

    @property
    def file_name(self) -> str:
        """Its name with nothing in it that a file name should not have."""
        return re.sub(r"[^A-Za-z0-9_.-]+", "-", self.name)


def split_specs(values: Sequence[str]) -> list[str]:
    """Specs from the values of an option: one value is split at commas, several stand as they are.

    >>> split_specs(["greedy,random"]), split_specs(["greedy", "cmd:./bot --levels 1,2"])
    (['greedy', 'random'], ['greedy', 'cmd:./bot --levels 1,2'])
    """
    if len(values) == 1:
        return [spec.strip() for spec in values[0].split(",")]
    return [value.strip() for value in values]


def read_entrants(specs: Sequence[str]) -> list[Entrant]:
    """Entrants for *specs*, each with a name of its own.

    Raises:
        BadEntrant: one of them cannot be started, or there are fewer than two.
    """
    if len(specs) < 2:
        raise BadEntrant("a contest needs at least two bots, such as --bots greedy,random")
    entrants: list[Entrant] = []
    taken: dict[str, int] = {}
    for spec in specs:
        name, program = _read(spec)
        taken[name] = taken.get(name, 0) + 1
        if taken[name] > 1:
            name = f"{name}#{taken[name]}"
        entrants.append(Entrant(name, spec, program))
    return entrants


def read_entrant(name: str, spec: str) -> Entrant:
    """The entrant *name* that *spec* says how to start.

    Raises:
        BadEntrant: it cannot be started.
    """
    return Entrant(name, spec, _read(spec)[1])


def _read(spec: str) -> tuple[str, tuple[str, ...]]:
    """Name and program of one spec."""
    if spec.startswith(_COMMAND):
        return _read_command(spec.removeprefix(_COMMAND))
    search = parse_spec(spec)
    if search is not None:
        return search.short_name, (
            sys.executable,
            "-m",
            "croupier_server.bots.worker",
            "--bot",
            spec,
        )
    if spec not in HOUSE_BOTS:
        path, colon, name = spec.rpartition(":")
        if not colon or not path.endswith(".py") or not name.isidentifier():
            known = ", ".join((*HOUSE_BOTS, FORMS))
            raise BadEntrant(
                f"there is no bot {spec!r}; use {known}, path/to/bot.py:Class or cmd:program "
                "arguments"
            )
        if not Path(path).is_file():
            raise BadEntrant(f"there is no bot {spec!r}: file {path} does not exist")
        _check_class(Path(path), name)
        return name, (sys.executable, "-m", "croupier.worker", "--bot", spec)
    return spec, (sys.executable, "-m", "croupier.worker", "--bot", spec)


def _check_class(path: Path, name: str) -> None:
    """Refuse a *name* that nothing in the file at *path* binds; a worker says what else is wrong.

    The file is not run here: it may be slow, and it is somebody's program.
    """
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        return
    bound: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef(name=found) | ast.Name(id=found, ctx=ast.Store()):
                bound.add(found)
            case ast.alias(name="*"):
                return
            case ast.alias(name=found, asname=other):
                bound.add(other or found)
    if name not in bound:
        classes = [node.name for node in tree.body if isinstance(node, ast.ClassDef)]
        there = f"; it has {', '.join(classes)}" if classes else ""
        raise BadEntrant(f"{path} has no class {name}{there}")


def _read_command(line: str) -> tuple[str, tuple[str, ...]]:
    try:
        program = shlex.split(line)
    except ValueError as error:
        raise BadEntrant(f"cannot read the command {line!r}: {error}") from None
    if not program:
        raise BadEntrant("cmd: needs a program")
    found = shutil.which(program[0])
    if found is None:
        raise BadEntrant(f"there is no executable program {program[0]!r}")
    return Path(program[0]).name, (str(Path(found).absolute()), *program[1:])
