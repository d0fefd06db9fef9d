"""``croupier new-bot``: writes a bot that runs as it is, to be filled with thought."""

from __future__ import annotations

import re
from pathlib import Path
from string import Template
from typing import Annotated, Final

import typer

from croupier_server.cli.common import fail, find_game
from croupier_server.games import NAMES

_BOT: Final = Template('''\
"""$title: a bot that plays $game_title on Croupier.

    python $file                                     one match against house bots
    croupier play $game --bots $file:$title,random --boards 10
"""

import croupier
from croupier.$game import $view


class $title(croupier.Bot):
    """Says how it plays; results show its name."""

    def decide(self, view: $view, decision: croupier.Decision) -> croupier.Move:
        """Answer one decision with one of its legal moves.

        `view` is all that this seat knows: $knows. `decision.kind` says
        what is asked, as a `croupier.$game.DecisionKind`, and `decision.legal` holds every
        legal move. `decision.random` gives chance that is the same when a match is played again
        with the same seed.
        """
        return decision.legal.sample(decision.random)


if __name__ == "__main__":
    print(
        croupier.run(
            $title(),
            "127.0.0.1:7421",  # `croupier serve` listens here
            game="$game",
            against="greedy",
            options={"$short": 1},
        )
    )
''')


def command(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Name of the bot, such as MyBot or my_bot.")
    ],
    game: Annotated[str, typer.Option(help="Game that the bot plays.")] = NAMES[0],
    folder: Annotated[Path, typer.Option("--dir", help="Folder to write to.")] = Path(),
) -> None:
    """Write a template for a bot, ready to run."""
    from croupier.games import GAMES
    from croupier_server.games.modules import MODULES

    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+", name)
    file, title = "_".join(words).lower() + ".py", "".join(w[:1].upper() + w[1:] for w in words)
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", name) or not title.isidentifier():
        fail(
            f"{name!r} is not a valid name for a bot: use letters, digits, - and _, starting with "
            "a letter"
        )
    game = find_game(game).name
    module = MODULES[game]
    text = _BOT.substitute(
        title=title,
        file=file,
        game=game,
        game_title=module.wire.title,
        view=GAMES[game].view.__name__,
        knows=module.knows,
        short=module.short,
    )
    path = folder / file
    try:
        with path.open("x", encoding="utf-8") as written:
            written.write(text)
    except FileExistsError:
        fail(f"{path} already exists")
    except OSError as error:
        fail(f"cannot write {path}: {error.strerror}")
    print(f"{path} written. Try it:")
    print(
        f"  croupier play {game} --bots {path}:{title},random --boards 5 --option {module.short}=1"
    )
