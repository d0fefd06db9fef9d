"""``croupier rules``: the rules of a game, a clause of them, and the options of a ruleset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from croupier_server.cli.common import GAME_NAMES, fail, find_game

if TYPE_CHECKING:
    from croupier_server.games.base import AnyGame


def command(
    game: Annotated[
        str,
        typer.Argument(metavar="GAME", help=f"{GAME_NAMES}; without it, list the games."),
    ] = "",
    clause: Annotated[
        str,
        typer.Argument(metavar="CLAUSE", help="A clause (T-6.4, G-5.2) or a section (P-4)."),
    ] = "",
    ruleset: Annotated[
        str | None,
        typer.Option(help="Print the options of this ruleset instead."),
    ] = None,
) -> None:
    """Print the rules of a game.

    Without a game, list the games. With a game, print all its rules, one section or one clause;
    with --ruleset, its options and their values.
    """
    if not game:
        _print_games()
        return
    found = find_game(game)
    if ruleset is not None and clause:
        fail("pass either a clause or --ruleset, not both")
    if ruleset is not None:
        _print_options(found, ruleset)
    else:
        _print_clauses(found, clause)


def _print_games() -> None:
    from croupier_server.games.registry import GAMES

    for name, game in sorted(GAMES.items()):
        print(f"{name}: rulesets {', '.join(game.rulesets())}")


def _print_clauses(game: AnyGame, wanted: str) -> None:
    """All clauses, one section, or one clause; an unknown id ends the command."""
    from shutil import get_terminal_size
    from textwrap import fill

    texts = game.clauses()
    wanted = wanted.upper()
    chosen = [
        clause
        for clause in texts
        if not wanted or clause == wanted or clause.startswith(f"{wanted}.")
    ]
    if not chosen:
        sections = list(dict.fromkeys(clause.partition(".")[0] for clause in texts))
        fail(
            f"{game.name} has no clause {wanted}; the sections are {sections[0]} to {sections[-1]}"
        )
    width = min(get_terminal_size().columns, 100)
    indent = " " * (max(len(clause) for clause in chosen) + 2)
    for clause in chosen:
        head = clause.ljust(len(indent))
        print(fill(texts[clause], width, initial_indent=head, subsequent_indent=indent))


def _print_options(game: AnyGame, ruleset: str) -> None:
    """Every option with its value in *ruleset*, marked where it differs from the first ruleset."""
    from rich.console import Console
    from rich.table import Table

    values = game.option_text(game.options(ruleset, {}))
    usual = game.option_text(game.options(game.rulesets()[0], {}))
    table = Table(
        title=f"{game.name}, ruleset {ruleset} (* differs from {game.rulesets()[0]})",
        title_justify="left",
        box=None,
        padding=(0, 2, 0, 0),
    )
    for heading in ("option", "value", "clause", "meaning"):
        table.add_column(heading, overflow="fold")
    for spec in game.option_specs():
        value = values[spec.name]
        mark = "" if value == usual[spec.name] else " *"
        allowed = " | ".join(spec.values) or spec.syntax
        table.add_row(spec.name, value + mark, spec.clause, f"{spec.meaning} ({allowed})")
    Console(highlight=False).print(table)
