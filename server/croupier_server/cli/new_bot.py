"""``croupier new-bot``: writes a bot that runs as it is, to be filled with thought.

Must not be put here: bots of our own; those are in the SDK.
"""

from __future__ import annotations

import re
from pathlib import Path
from string import Template
from typing import Annotated

import typer

from croupier_server.cli.common import fail

_BOT = Template('''\
"""$title: a bot for Croupier.

    python $file                                     one match against house bots
    croupier play tractor --bots $file:$title,random --matches 20
"""

import croupier


class $title(croupier.Bot):
    """Says how it plays; results show its name."""

    def decide(self, view, decision):
        """Answer one decision with one of its legal moves.

        `view` is all that this seat knows: hand, trumps, tricks, points. `decision.legal` holds
        every legal move. `decision.random` gives chance that is the same when a match is played
        again with the same seed.
        """
        return decision.legal.sample(decision.random)


if __name__ == "__main__":
    print(
        croupier.run(
            $title(),
            "127.0.0.1:7421",  # `croupier serve` listens here
            game="tractor",
            against="greedy",
            options={"max_deals": "1"},
        )
    )
''')


def command(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Name of the bot, such as MyBot or my_bot.")
    ],
    folder: Annotated[Path, typer.Option("--dir", help="Folder to write to.")] = Path(),
) -> None:
    """Write a runnable bot file and say how to run it."""
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+", name)
    file, title = "_".join(words).lower() + ".py", "".join(w[:1].upper() + w[1:] for w in words)
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", name) or not title.isidentifier():
        fail(f"{name!r} cannot name a bot: use letters, digits, - and _, a letter first")
    path = folder / file
    try:
        with path.open("x", encoding="utf-8") as written:
            written.write(_BOT.substitute(title=title, file=file))
    except FileExistsError:
        fail(f"{path} is there already")
    except OSError as error:
        fail(f"cannot write {path}: {error.strerror}")
    print(f"{path} written. Try it:")
    print(f"  croupier play tractor --bots {path}:{title},random --matches 10 --option max_deals=1")
