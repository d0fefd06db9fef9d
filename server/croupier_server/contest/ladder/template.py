"""The file that `croupier ladder new` writes: every setting with its meaning."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final

_TEMPLATE: Final = """\
# Settings of a Croupier contest.
#
#   croupier ladder run {folder}        start it
#   croupier ladder resume {folder}     resume it after it was stopped or killed
#
# Edit this file before `run`; later changes to it have no effect. Settings that are commented out
# show defaults and examples.

game = {game}
# ruleset = "standard"              # see `croupier rules {game_name}`
options = {options}
#   Game options that override the ruleset.

# Who meets whom: round-robin, gauntlet (the first entrant against each of the others), swiss,
# knockout, sprt (the first entrant against the second, until a sequential test decides which is
# better) or ladder (runs until stopped and pairs the entrants whose ranking is least certain).
format = {format}

# How the cards of a board are used. swapped: the entrants who meet play it in all seatings. field:
# every entrant plays it once in the same seat, with house bots in the others. independent: every
# match has its own cards. With bots that dial in, use field or independent.
form = "swapped"

# Number of boards: for each pair (round-robin, gauntlet), in each round (swiss, knockout), or at
# most in total (sprt, ladder; 0: no limit, only for a ladder).
boards = {boards}
{rounds}rounds = 7                        # number of rounds, only for swiss

# The measure that decides the contest: score (mean margin of a match) or win-rate.
primary = "score"

# seed = 1                          # for cards and bots; default: random
# batch = 64                        # boards that are scheduled together
# quarantine = 5                    # exclude an entrant after faults on this many boards in a row
# isolation = "off"                 # or "bwrap": a sandbox for each seat of each match
# memory_mb = 4096                  # a bot that uses more memory is killed (0: no limit)
# same_owner = false                # whether entrants of one owner may meet
# records = "all"                   # match records to store: "all", "faults" or "none"
# stall_seconds = 60                # without a clock, maximum time for one decision
# start_seconds = 60                # maximum time to take the seats of a match
# confidence = 0.95                 # confidence level of intervals
# simultaneous = false              # true: all intervals hold jointly, so they are wider
# server = "127.0.0.1:7421"         # running server to use, or several: ["...", "..."];
#                                     default: the contest starts its own

# [clock]                           # seconds; a bot that runs out of time loses the match
# per_move = 10.0
# base = 0.0
# increment = 0.0

# [sprt]                            # in normalised Elo: 347 = 1 standard deviation of a match score
# elo0 = 0.0
# elo1 = 20.0
# alpha = 0.05
# beta = 0.05

# Entrants. `bot` is a house bot (random, greedy, search), path/to/bot.py:Class (relative paths are
# resolved from this folder) or "cmd:program arguments". Instead of `bot`, use `members` to list the
# bots of a team, which take the seats of a side in turn, or `player` to name the principal of a bot
# that dials in.
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
    """Return the text of a new `contest.toml`.

    Args:
        folder: path of the contest, for the commands in the comments.
        game: name of the game.
        options: game options that override the ruleset.
        contest_format: value of `format`.
        boards: value of `boards`.
        entrants: name and bot of each entrant.
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
