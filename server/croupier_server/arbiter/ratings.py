"""Live ratings: OpenSkill after each board, all who met on it at once. Pure.

The scale has mean 1500. A board is one observation, whatever its number of matches: entrants are
ordered by their mean score over its matches, so that what a seating is worth cancels out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from openskill.models import BradleyTerryFull

from croupier_server.contest.ladder.contest import Contest
from croupier_server.contest.ladder.events import TableResult
from croupier_server.contest.ladder.spec import Form
from croupier_server.contest.pairing import Match
from croupier_server.contest.results import Outcome

MEAN: Final = 1500.0
DEVIATION: Final = 500.0

_MODEL: Final = BradleyTerryFull(mu=MEAN, sigma=DEVIATION, beta=DEVIATION / 2, tau=DEVIATION / 100)
_VOID: Final = (Outcome.SERVER_FAULT, Outcome.VOID)


class Skill(NamedTuple):
    """A rating: its estimate, the standard deviation of that, and how many boards it is from."""

    rating: float = MEAN
    deviation: float = DEVIATION
    boards: int = 0


class Meeting(NamedTuple):
    """Sides that have met, and the score of each. A side is rated as the sum of its members."""

    sides: tuple[tuple[str, ...], ...]
    scores: tuple[float, ...]


def meetings(contest: Contest, board: int, results: Sequence[TableResult]) -> list[Meeting]:
    """Who met on *board*, and with what scores: one meeting for each group of entrants."""
    if any(result.outcome in _VOID for result in results):
        return []
    matches = contest.tables(board)
    found: list[Meeting] = []
    for group in contest.groups(board):
        scores: dict[int, list[float]] = {entrant: [] for entrant in group}
        for match, result in zip(matches, results, strict=True):
            if result.scores is not None:
                _add(scores, contest, match, result.scores)
        named: dict[str, list[float]] = {}
        for entrant, own in scores.items():  # entrants that are the same bot are rated as one
            named.setdefault(name_of(contest, entrant), []).extend(own)
        rated = {name: own for name, own in named.items() if own}
        if len(rated) > 1:
            means = tuple(sum(own) / len(own) for own in rated.values())
            found.append(Meeting(tuple((name,) for name in rated), means))
    return found


def name_of(contest: Contest, entrant: int) -> str:
    """Who *entrant* is beyond this contest: ``player/ID`` or ``house/NAME``."""
    one = contest.spec.entrants[entrant]
    return f"player/{one.player}" if one.player else f"house/{one.bot}"


def rate(meeting: Meeting, skill_of: Callable[[str], Skill]) -> Mapping[str, Skill]:
    """The ratings of all who met, after it."""
    before = {name: skill_of(name) for side in meeting.sides for name in side}
    teams = [
        [_MODEL.rating(mu=before[name].rating, sigma=before[name].deviation) for name in side]
        for side in meeting.sides
    ]
    rated = _MODEL.rate(teams, scores=list(meeting.scores))
    return {
        name: Skill(float(found.mu), float(found.sigma), before[name].boards + 1)
        for side, team in zip(meeting.sides, rated, strict=True)
        for name, found in zip(side, team, strict=True)
    }


def _add(
    scores: dict[int, list[float]], contest: Contest, match: Match, seats: Sequence[float]
) -> None:
    """Add the scores of the *seats* of a match to those of its entrants, if it is one of theirs."""
    entrants = [contest.entrant_of(bot) for bot in match.players]
    present = {entrant for entrant in entrants if entrant is not None}
    if not present <= scores.keys():
        return
    if contest.spec.form is not Form.FIELD and len(present) < 2:
        return
    for entrant in sorted(present):
        own = [score for who, score in zip(entrants, seats, strict=True) if who == entrant]
        scores[entrant].append(sum(own) / len(own))
