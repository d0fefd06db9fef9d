"""The bots of a contest: how each is started, and how its build is identified."""

from __future__ import annotations

import hashlib
import shlex
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from croupier_server.contest.entrant import BadEntrant, Entrant, read_entrant
from croupier_server.contest.ladder.spec import BadSpec, Form, Spec

_COMMAND: Final = "cmd:"


def programs(spec: Spec, folder: Path) -> list[Entrant]:
    """All bots of a contest that begins, by number: those of every entrant in turn, then the
    house's, if it plays.

    Args:
        spec: spec of the contest.
        folder: folder of its file; relative paths are resolved from there.

    Raises:
        BadSpec: one of them cannot be started.
    """
    found: list[Entrant] = []
    for place, one in enumerate(spec.entrants):
        if one.player:
            found.append(Entrant(one.name, f"player {one.player}", (), one.player))
            continue
        members = one.members or (one.bot,)
        for number, bot in enumerate(members, 1):
            name = f"{one.name}/{number}" if one.members else one.name
            found.append(_read(name, bot, folder, f"entrant.{place}"))
    if spec.form is Form.FIELD:
        found.append(_read(f"house ({spec.field_bot})", spec.field_bot, folder, "field_bot"))
    return found


def substitute(name: str, bot: str, folder: Path) -> Entrant:
    """The *bot* that takes the place of another; raises `BadSpec` if it cannot be started."""
    return _read(name, bot, folder, "bot")


def _read(name: str, bot: str, folder: Path, where: str) -> Entrant:
    try:
        return read_entrant(name, _from(folder, bot))
    except BadEntrant as error:
        raise BadSpec(f"{where}: {error}") from None


def _from(folder: Path, bot: str) -> str:
    """*bot* with its relative path, if it has one, as one from *folder*."""
    if bot.startswith(_COMMAND):
        try:
            program, *arguments = shlex.split(bot.removeprefix(_COMMAND))
        except ValueError:
            return bot
        if "/" in program:
            program = str(folder / program)
        return _COMMAND + shlex.join([program, *arguments])
    path, colon, name = bot.rpartition(":")
    if colon and path.endswith(".py"):
        return f"{folder / path}:{name}"
    return bot


def identities(bots: list[Entrant]) -> list[dict[str, Any]]:
    """What each of *bots* is: its name and spec, and the SHA-256 of its file or program."""
    return [{"name": bot.name, "build": build(bot)} for bot in bots]


def build(bot: Entrant) -> str:
    """What tells this build of a bot from another: the hash of its file, or our version."""
    if bot.player_id:
        return ""
    path = bot.spec.removeprefix(_COMMAND)
    if bot.spec.startswith(_COMMAND):
        path = bot.program[0]
    elif ".py:" in bot.spec:
        path = bot.spec.rpartition(":")[0]
    else:
        return f"croupier-server {version('croupier-server')}"
    return f"sha256 {hashlib.sha256(Path(path).read_bytes()).hexdigest()}"
