"""Who meets whom, batch by batch. Pure.

A batch is a list of boards, each a list of groups (`schedule.Groups`). It follows from the spec and
from results of earlier batches alone, never from how many boards are played at a time: the schedule
of a batch sees the results of all batches but the last, so that boards of two batches can be in
progress; in a swiss and a knockout it sees all, because a round is paired by the round before.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Final, NamedTuple, Protocol, TypeAlias

from croupier_server.contest.ladder.schedule import Group, Groups
from croupier_server.contest.ladder.spec import Form, Format, Primary, Spec

OVERTIMES_MAX: Final = 3
"""Maximum number of further meetings of tied entrants in a knockout; then the higher seed wins."""

Pair: TypeAlias = tuple[int, int]
"""Two entrants, the lower number first."""

_STEPS_MAX: Final = 100_000
"""Steps of the search for a round without a second meeting; then some meet again."""


def pair_of(one: int, other: int) -> Pair:
    """The two, the lower number first."""
    return (one, other) if one < other else (other, one)


class Meeting(NamedTuple):
    """Results of the boards on which two entrants met, from the side of the first.

    Attributes:
        boards: number of boards with a result.
        wins: sum over boards of the share of matches that the first won; a draw is half a win.
        margin: sum over boards of the mean margin.
    """

    boards: int = 0
    wins: float = 0.0
    margin: float = 0.0

    def lead(self, primary: Primary) -> float:
        """Lead of the first, by the measure that decides; the other measure breaks a tie."""
        by_wins = self.wins - self.boards / 2
        first, second = by_wins, self.margin
        if primary is Primary.SCORE:
            first, second = second, first
        return first or second


class Round(NamedTuple):
    """A batch that has been played.

    Attributes:
        groups: who was to meet, on every board of a swiss or a knockout.
        meetings: results by pair of entrants, the lower number first.
    """

    groups: Groups
    meetings: Mapping[Pair, Meeting]

    def lead(self, one: int, other: int, primary: Primary) -> float:
        """Lead of *one* over *other*; negative if *other* leads."""
        sign = 1 if one < other else -1
        meeting = self.meetings.get(pair_of(one, other), Meeting())
        return sign * meeting.lead(primary)


class Played(Protocol):
    """The results of earlier batches that a schedule may use."""

    @property
    def active(self) -> Sequence[int]:
        """Entrants who have not been withdrawn or quarantined, in rising order."""
        ...

    @property
    def rounds(self) -> Sequence[Round]:
        """The batches that have been played, of a swiss or a knockout."""
        ...

    def doubt(self, one: int, other: int) -> float:
        """Probability that the order of two entrants is not what it seems, 0 to 0.5."""
        ...

    def met(self, one: int, other: int) -> int:
        """How many boards two entrants have been given."""
        ...


def needs_all(spec: Spec) -> bool:
    """Whether a batch waits for all before it."""
    return spec.format in (Format.SWISS, Format.KNOCKOUT)


def total_boards(spec: Spec, rounds: Sequence[Groups]) -> int | None:
    """Maximum number of boards, with the `cycle` *rounds*; None: unknown."""
    match spec.format:
        case Format.LADDER:
            return spec.boards or None
        case Format.SPRT:
            return spec.boards
        case Format.SWISS:
            return spec.boards * spec.rounds
        case Format.KNOCKOUT:
            return None
        case _:
            return spec.boards * len(rounds)


def next_batch(
    spec: Spec, sides: int, rounds: Sequence[Groups], start: int, played: Played
) -> list[Groups]:
    """The next batch; empty: there is none.

    Args:
        spec: spec of the contest.
        sides: number of sides of the game.
        rounds: its `cycle`.
        start: number of the first board of the batch.
        played: results that the batch may depend on.
    """
    match spec.format:
        case Format.SWISS:
            if len(played.rounds) >= spec.rounds:
                return []
            return [_swiss_round(spec, played)] * spec.boards
        case Format.KNOCKOUT:
            ties = _bracket(spec, played)[1]
            return [tuple(ties)] * spec.boards if ties else []
        case Format.LADDER:
            size = min(spec.batch, spec.boards - start) if spec.boards else spec.batch
            return _ladder_batch(spec, sides, size, played)
        case _:
            end = min(start + spec.batch, spec.boards * len(rounds))
            active = set(played.active)
            return [
                tuple(
                    found
                    for group in rounds[number % len(rounds)]
                    if (found := _left(spec, group, active))
                )
                for number in range(start, end)
            ]


def _left(spec: Spec, group: Group, active: set[int]) -> Group:
    """What is left of *group*; empty if they cannot meet."""
    if spec.form is Form.FIELD:
        return tuple(one for one in group if one in active)
    return group if active.issuperset(group) else ()


# Formats with a fixed cycle -----------------------------------------------------------------------


def cycle(spec: Spec, sides: int) -> tuple[Groups, ...]:
    """Rounds after which everybody has met everybody whom the format lets them meet."""
    everybody = range(len(spec.entrants))
    if spec.form is Form.FIELD:
        return ((tuple(everybody),),)
    size = 3 if sides == 3 and len(everybody) > 2 else 2
    groups: Iterable[Group] = combinations(everybody, size)
    if spec.format is Format.GAUNTLET:
        groups = (group for group in groups if group[0] == 0)
    elif size == 2:
        groups = circle(len(everybody))
    return tuple(_pack([group for group in groups if may_meet(spec, group)]))


def may_meet(spec: Spec, group: Group) -> bool:
    """Whether no two of *group* have the same owner, or that is allowed."""
    owners = [spec.entrants[one].owner for one in group if spec.entrants[one].owner]
    return spec.same_owner or len(set(owners)) == len(owners)


def circle(entrants: int) -> list[Group]:
    """All pairs of a round robin by the circle method, round after round.

    >>> circle(4)
    [(0, 3), (1, 2), (0, 2), (1, 3), (0, 1), (2, 3)]
    """
    seats: list[int | None] = list(range(entrants))
    if entrants % 2:
        seats.append(None)
    half, pairs = len(seats) // 2, list[Group]()
    for _ in range(len(seats) - 1):
        for one, other in zip(seats[:half], reversed(seats[half:]), strict=True):
            if one is not None and other is not None:
                pairs.append((min(one, other), max(one, other)))
        seats.insert(1, seats.pop())
    return pairs


def _pack(groups: Sequence[Group]) -> list[Groups]:
    """*groups* in rounds in which nobody sits twice, each group in the first that has room."""
    rounds: list[list[Group]] = []
    taken: list[set[int]] = []
    first = 0
    for group in groups:
        place = next(
            (n for n in range(first, len(rounds)) if taken[n].isdisjoint(group)), len(rounds)
        )
        if place == len(rounds):
            rounds.append([])
            taken.append(set())
        rounds[place].append(group)
        taken[place].update(group)
    return [tuple(one) for one in rounds]


# Swiss --------------------------------------------------------------------------------------------


class SwissScore(NamedTuple):
    """The place of an entrant in a swiss, best first when sorted in falling order.

    Attributes:
        points: 1 for a round won or a bye, a half for a draw.
        buchholz: sum of the points of all opponents (tie-break 1).
        sonneborn_berger: sum of the points of opponents beaten, and half of those drawn with
            (tie-break 2).
    """

    points: float
    buchholz: float
    sonneborn_berger: float


def swiss_scores(spec: Spec, rounds: Sequence[Round]) -> list[SwissScore]:
    """Points and tie-breaks of all entrants."""
    count = len(spec.entrants)
    points = [0.0] * count
    results: list[list[tuple[int, float]]] = [[] for _ in range(count)]
    for one in rounds:
        for group in one.groups:
            if len(group) == 1:
                points[group[0]] += 1
                continue
            first, second = group
            lead = one.lead(first, second, spec.primary)
            for entrant, other, ahead in ((first, second, lead), (second, first, -lead)):
                point = 0.5 + 0.5 * ((ahead > 0) - (ahead < 0))
                points[entrant] += point
                results[entrant].append((other, point))
    return [
        SwissScore(
            points[entrant],
            math.fsum(points[other] for other, _ in results[entrant]),
            math.fsum(points[other] * point for other, point in results[entrant]),
        )
        for entrant in range(count)
    ]


def _swiss_round(spec: Spec, played: Played) -> Groups:
    """The next round: neighbours by points who have not met, and a bye for one if the number is
    odd; a bye is a group of one."""
    scores = swiss_scores(spec, played.rounds)
    order = sorted(played.active, key=lambda one: (scores[one], -one), reverse=True)
    met = {group for one in played.rounds for group in one.groups}
    bye: Groups = ()
    if len(order) % 2:
        free = [one for one in reversed(order) if (one,) not in met] or order[::-1]
        bye = ((free[0],),)
        order.remove(free[0])
    budget = [_STEPS_MAX]

    def pair(rest: Sequence[int]) -> list[Group] | None:
        if not rest:
            return []
        if budget[0] < -_STEPS_MAX:
            return None
        for place in range(1, len(rest)):
            group = pair_of(rest[0], rest[place])
            budget[0] -= 1
            if not may_meet(spec, group) or (budget[0] > 0 and group in met):
                continue
            tail = pair((*rest[1:place], *rest[place + 1 :]))
            if tail is not None:
                return [group, *tail]
        return None

    pairs = pair(order)
    if pairs is None:  # everybody has met: begin anew
        met, budget = set(), [_STEPS_MAX]
        pairs = pair(order)
    if pairs is None:  # some are of one owner, and have nobody else to meet
        pairs = _pair_some(spec, order)
    return (*pairs, *bye)


def _pair_some(spec: Spec, order: Sequence[int]) -> list[Group]:
    """Pairs of those in *order* who may meet, and byes for the rest."""
    rest, pairs = list(order), list[Group]()
    while rest:
        one = rest.pop(0)
        other = next((two for two in rest if may_meet(spec, (one, two))), None)
        if other is None:
            pairs.append((one,))
        else:
            rest.remove(other)
            pairs.append(pair_of(one, other))
    return pairs


# Knockout -----------------------------------------------------------------------------------------


def _bracket(spec: Spec, played: Played) -> tuple[list[int], list[Pair]]:
    """Who is left in the order of the bracket, and those of them who have to meet again."""
    count = len(spec.entrants)
    size = 1 << (count - 1).bit_length()
    order = [0]
    while len(order) < size:  # seeds 1 and 2 can meet in the last round alone
        order = [seed for one in order for seed in (one, 2 * len(order) - 1 - one)]
    left: list[int | None] = [seed if seed < count else None for seed in order]
    active = set(played.active)
    rounds = list(played.rounds)
    while len(left) > 1:
        ties = list(zip(left[::2], left[1::2], strict=True))
        leads: dict[Pair, float] = {}
        open_ties = [
            (one, other)
            for one, other in ties
            if one is not None and other is not None and {one, other} <= active
        ]
        for attempt in range(OVERTIMES_MAX + 1):
            if not open_ties or not rounds:
                break
            found = rounds.pop(0)
            for group in open_ties:
                leads[group] = found.lead(*group, spec.primary)
            open_ties = [group for group in open_ties if not leads[group]]
            if attempt == OVERTIMES_MAX:
                leads |= {group: -1.0 if group[0] > group[1] else 1.0 for group in open_ties}
                open_ties = []
        if open_ties:
            return [one for one in left if one is not None], [pair_of(*tie) for tie in open_ties]
        left = [_winner(one, other, leads, active) for one, other in ties]
    return [one for one in left if one is not None], []


def _winner(
    one: int | None, other: int | None, leads: Mapping[Pair, float], active: set[int]
) -> int | None:
    """The winner of a tie; an entrant without an opponent wins."""
    if one is None or other is None:
        return other if one is None else one
    if one not in active or other not in active:
        return one if one in active else other
    return one if leads[one, other] > 0 else other


# Ladder -------------------------------------------------------------------------------------------


def _ladder_batch(spec: Spec, sides: int, size: int, played: Played) -> list[Groups]:
    """Boards for the entrants whose ranking is the least certain.

    The doubt of a pair falls with every board that it is given here, like the standard error of a
    mean, so that one pair does not get the whole batch.
    """
    active = list(played.active)
    if spec.form is Form.FIELD:
        return [(tuple(active),)] * size if len(active) > 1 else []
    length = 3 if sides == 3 and len(active) > 2 else 2
    pairs = [pair for pair in combinations(active, 2) if may_meet(spec, pair)]
    if not pairs:
        return []
    doubts = {pair: played.doubt(*pair) for pair in pairs}
    before = {pair: played.met(*pair) for pair in pairs}
    given = dict.fromkeys(pairs, 0)

    def weight(pair: Pair) -> float:
        boards = before[pair] + given[pair]
        return doubts[pair] / math.sqrt(1 + boards)

    batch: list[Groups] = []
    for _ in range(size):
        order = sorted(pairs, key=lambda pair: (-weight(pair), before[pair] + given[pair], pair))
        free, groups = set(active), list[Group]()
        for pair in order:
            if not free.issuperset(pair):
                continue
            group: Group = pair
            if length == 3:
                thirds = [one for one in sorted(free - set(pair)) if may_meet(spec, (*pair, one))]
                if not thirds:
                    continue
                third = max(
                    thirds,
                    key=lambda one: sum(weight(pair_of(one, two)) for two in pair),
                )
                group = tuple(sorted((*pair, third)))
            free.difference_update(group)
            groups.append(group)
            for met in combinations(group, 2):
                given[met] += 1
        batch.append(tuple(groups))
    return batch
