"""The file that `croupier ladder new` writes: every setting with its meaning."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final

_TEMPLATE: Final = """\
# A contest of Croupier: what is played, and who takes part.
#
#   croupier ladder run {folder}        play it
#   croupier ladder resume {folder}     go on after it was stopped or killed
#
# Lines that begin with # show defaults and examples.

game = {game}
# ruleset = "standard"              # see `croupier rules {game_name}`
options = {options}
#   Options that differ from the ruleset.

# Who meets whom: round-robin, gauntlet (the first against each other), swiss, knockout, sprt (the
# first against the second, until it is clear which is better) or ladder (runs until stopped; those
# whose order is the least certain meet).
format = {format}

# How the cards of a board are used. swapped: under all seatings of those who meet. field: everybody
# plays the board once in the same seat, with house bots in the others. independent: every match has
# cards of its own. Bots that dial in take field or independent.
form = "swapped"

# Boards on which each pair meets; in a swiss or knockout, of each round; for sprt and ladder the
# maximum of all (0: a ladder without a limit).
boards = {boards}
{rounds}rounds = 7                        # of a swiss

# What decides: score (mean margin of a match) or win-rate.
primary = "score"

# seed = 1                          # of cards and bots; drawn when the contest begins
# batch = 64                        # boards that are scheduled together
# quarantine = 5                    # boards in a row with a fault: the entrant is left out
# isolation = "off"                 # or bwrap: a sandbox for each seat of each match
# memory_mb = 4096                  # a bot that uses more memory is ended (0: no limit)
# same_owner = false                # whether entrants of one owner may meet
# records = "all"                   # or faults, or none
# stall_seconds = 60                # without a clock, a bot that takes longer has stalled
# start_seconds = 60                # to take the seats of a match
# confidence = 0.95                 # of intervals
# simultaneous = false              # true: all intervals hold together, so they are wider
# server = "127.0.0.1:7421"         # play at a server that runs, or at several: ["...", "..."];
#                                     default: servers of its own

# [clock]                           # seconds; a bot that runs out of time loses the match
# per_move = 10.0
# base = 0.0
# increment = 0.0

# [sprt]                            # normalised Elo: 347 points are a standard deviation of a match
# elo0 = 0.0
# elo1 = 20.0
# alpha = 0.05
# beta = 0.05

# Entrants. `bot` is a house bot (random, greedy, search), path/to/bot.py:Class (a relative path
# starts in this folder) or "cmd:program arguments". Instead, `members` names the bots of a team,
# one for each seat of a side, and `player` the principal of a bot that dials in.
{entrants}"""


def template(
    *,
    folder: str,
    game: str,
    options: Mapping[str, str],
    contest_format: str,
    boards: int,
    entrants: Sequence[tuple[str, str]],
) -> str:
    """The file of a contest.

    Args:
        folder: as the commands in its comments name it.
        game: its name.
        options: that differ from the ruleset.
        contest_format: who meets whom.
        boards: how many.
        entrants: name and bot of each.
    """
    quoted = json.dumps  # a JSON string is a TOML string
    inline = ", ".join(f"{name} = {quoted(value)}" for name, value in options.items())
    return _TEMPLATE.format(
        folder=folder,
        game=quoted(game),
        game_name=game,
        options=f"{{ {inline} }}" if inline else "{}",
        format=quoted(contest_format),
        rounds="" if contest_format == "swiss" else "# ",
        boards=boards,
        entrants="\n".join(
            f"[[entrant]]\nname = {quoted(name)}\nbot = {quoted(bot)}\n"
            '# version = "1.0"\n# owner = ""\n'
            for name, bot in entrants
        ),
    )
