"""Begins a contest, and reads it back from its log."""

from __future__ import annotations

import secrets
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from croupier_server.contest.ladder.contest import Contest
from croupier_server.contest.ladder.corrections import CORRECTIONS, Corrections
from croupier_server.contest.ladder.events import Event, Kind, TableResult
from croupier_server.contest.ladder.formats import cycle
from croupier_server.contest.ladder.log import ContestLog
from croupier_server.contest.ladder.programs import identities, programs
from croupier_server.contest.ladder.spec import SEED_MAX, BadSpec, Format, Spec
from croupier_server.contest.pairing import Match
from croupier_server.errors import CroupierError
from croupier_server.games.registry import GAMES
from croupier_server.games.settings import new_options


async def begin(spec: Spec, log: ContestLog, folder: Path) -> Contest:
    """Start the contest of *spec*, whose file is in *folder*, by writing its first event.

    Raises:
        BadSpec: the game rejects the options, or a bot cannot be started.
        LogError: the log has a contest of this name, or cannot be written.
    """
    event = _created(spec, folder)
    await log.append([event])
    return _begun(event)


def draft(spec: Spec, folder: Path) -> Contest:
    """The contest of *spec* as it would begin; raises `BadSpec` as `begin`."""
    return _begun(_created(spec, folder))


def _begun(event: Event) -> Contest:
    contest = Contest()
    contest.apply(event)
    return contest


def _created(spec: Spec, folder: Path) -> Event:
    """The first event."""
    game = GAMES[spec.game]
    ruleset = spec.ruleset or game.rulesets()[0]
    try:
        options = new_options(game, ruleset, spec.options)
    except CroupierError as error:
        raise BadSpec(f"options: {error.message}") from None
    teams = [game.team(options, seat) for seat in range(game.players(options))]
    for place, entrant in enumerate(spec.entrants):
        if len(entrant.members) > teams.count(0):
            raise BadSpec(
                f"entrant.{place}.members: {len(entrant.members)} bots given; a side has at most "
                f"{teams.count(0)} seats"
            )
    is_fixed = spec.format in (Format.ROUND_ROBIN, Format.GAUNTLET)
    if is_fixed and not cycle(spec, max(teams) + 1):
        raise BadSpec(
            "owner: entrants of one owner do not meet, so nobody may meet anybody; set "
            "same_owner = true to allow that"
        )
    body = {
        "spec": spec.as_json(),
        "seed": secrets.randbelow(SEED_MAX) if spec.seed is None else spec.seed,
        "ruleset": ruleset,
        "teams": teams,
        "options": game.option_text(options),
        "server": version("croupier-server"),
        "rules": game.rules_version,
        "bots": identities(programs(spec, folder)),
    }
    return Event(1, Kind.CREATED, body)


class PlayedBoard(NamedTuple):
    """A board with its results, table by table. It ``counts`` unless it follows a stop or gap."""

    number: int
    matches: list[Match]
    results: list[TableResult]
    counts: bool


async def played_boards(contest: Contest, log: ContestLog) -> list[PlayedBoard]:
    """The boards of *contest* that have results, in rising order."""
    found = {}
    async for event in log.read(kinds=(Kind.BOARD,)):
        number = event.body["board"]
        results = contest.corrections.results(event)
        if results is not None:
            counts = number < contest.counted
            found[number] = PlayedBoard(number, contest.tables(number), results, counts)
    return [found[number] for number in sorted(found)]


async def load(log: ContestLog) -> Contest:
    """Load the contest from *log*; its `Contest.last` is 0 if there is none."""
    contest = Contest(Corrections([event async for event in log.read(kinds=CORRECTIONS)]))
    async for event in log.read():
        contest.apply(event)
    return contest
