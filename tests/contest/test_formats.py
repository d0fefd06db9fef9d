"""Who meets whom, and what a contest makes of the results."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import pytest

from croupier_server.contest.ladder.contest import Contest
from croupier_server.contest.ladder.corrections import Corrections
from croupier_server.contest.ladder.events import Body, Event, Kind
from croupier_server.contest.ladder.formats import swiss_scores
from croupier_server.contest.ladder.spec import BadSpec, parse_spec
from croupier_server.contest.pairing import Match

PAIRS = (0, 1, 0, 1)
TRIOS = (0, 1, 2)

Play = Callable[[Match], list[Any]]
"""The result of a match, as the log has it."""


def created(entrants: Sequence[str | dict[str, Any]], teams: Sequence[int], **more: Any) -> Event:
    """The first event of a contest."""
    named = [{"name": one, "bot": "greedy"} if isinstance(one, str) else one for one in entrants]
    spec = parse_spec(
        {"name": "cup", "game": "pokex", "entrant": named, "boards": 2, "batch": 4} | more
    )
    bots = [
        {"name": bot, "build": ""}
        for one in spec.entrants
        for bot in one.members or (one.bot or one.player,)
    ]
    body = {
        "spec": spec.as_json(),
        "seed": 1,
        "ruleset": "standard",
        "teams": list(teams),
        "options": {},
        "server": "0",
        "rules": 1,
        "bots": bots,
    }
    return Event(1, Kind.CREATED, body)


class Runner:
    """Plays a contest without cards.

    Attributes:
        contest: as it is now.
        order: of every board that was played.
    """

    def __init__(self, first: Event, play: Play, chance: random.Random | None = None) -> None:
        self.contest = Contest(Corrections())
        self.order: list[int] = []
        self._play = play
        self._chance = chance
        self.contest.apply(first)

    def tell(self, kind: Kind, body: Body) -> None:
        """Log an event."""
        self.contest.apply(Event(self.contest.last + 1, kind, body))

    def schedule(self) -> None:
        """Log the batches that are due."""
        while self.contest.is_due:
            batch = [[list(group) for group in groups] for groups in self.contest.next_batch()]
            self.tell(Kind.BATCH, {"boards": batch})

    def step(self) -> bool:
        """Play a board, the next one or one by chance; returns whether there was any."""
        self.schedule()
        boards = list(self.contest.to_play())
        if not boards:
            return False
        board = boards[0] if self._chance is None else self._chance.choice(boards)
        tables = [self._play(match) for match in self.contest.tables(board)]
        self.order.append(board)
        self.tell(Kind.BOARD, {"board": board, "tables": tables})
        return True

    def run(self, boards_max: int = 10_000) -> Contest:
        """Play until nothing is left, or *boards_max*."""
        while boards_max and self.step():
            boards_max -= 1
        self.schedule()
        return self.contest


def result(match: Match, values: Sequence[float], at_fault: Sequence[int] = ()) -> list[Any]:
    """That of a match in which each bot is worth its value; of two teams, a score is a margin."""
    scores = [values[bot] for bot in match.players]
    if max(match.teams) == 1:
        ahead = [sum(s for s, t in zip(scores, match.teams, strict=True) if t == n) for n in (0, 1)]
        scores = [(ahead[t] - ahead[1 - t]) / 2 for t in match.teams]
    return [scores, "crashed" if at_fault else "played", list(at_fault), "", "", ""]


def by_strength(values: Sequence[float], spread: float = 0) -> Play:
    """Results by *values* of the bots, with noise that depends on the match alone."""

    def play(match: Match) -> list[Any]:
        noise = random.Random(f"{match.board} {match.number}")
        return result(match, [value + noise.gauss(0, spread) for value in values])

    return play


def meetings(contest: Contest) -> Counter[tuple[int, ...]]:
    """How often each group has met."""
    return Counter(
        tuple(sorted(group))
        for batch in contest.batches
        for groups in batch.boards
        for group in groups
    )


NAMES = [f"e{number}" for number in range(7)]


# Fixed formats ------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6, 7])
def test_everybody_meets_everybody_equally_often(count: int) -> None:
    runner = Runner(created(NAMES[:count], PAIRS), by_strength(range(count)))
    assert meetings(runner.run()) == dict.fromkeys(combinations(range(count), 2), 2)
    assert runner.contest.is_over


def test_nobody_sits_twice_on_a_board() -> None:
    contest = Runner(created(NAMES, PAIRS), by_strength(range(7))).run()
    for batch in contest.batches:
        for groups in batch.boards:
            everybody = [one for group in groups for one in group]
            assert len(everybody) == len(set(everybody))


def test_three_entrants_of_a_game_with_three_seats_sit_in_all_six_permutations() -> None:
    contest = Runner(created(NAMES[:4], TRIOS), by_strength(range(4))).run(1)
    tables = contest.tables(0)
    assert {match.players for match in tables} == {
        (a, b, c) for a in range(3) for b in range(3) for c in range(3) if len({a, b, c}) == 3
    }


def test_every_trio_meets_equally_often() -> None:
    contest = Runner(created(NAMES[:5], TRIOS), by_strength(range(5))).run()
    assert meetings(contest) == dict.fromkeys(combinations(range(5), 3), 2)


def test_the_first_entrant_of_a_gauntlet_meets_each_other() -> None:
    contest = Runner(created(NAMES[:4], PAIRS, format="gauntlet"), by_strength(range(4))).run()
    assert meetings(contest) == {(0, 1): 2, (0, 2): 2, (0, 3): 2}


def test_entrants_of_one_owner_do_not_meet() -> None:
    entrants: list[str | dict[str, Any]] = [
        {"name": "a", "bot": "greedy", "owner": "Ann"},
        {"name": "b", "bot": "random", "owner": "Ann"},
        {"name": "c", "bot": "greedy"},
    ]
    play = by_strength(range(3))
    assert (0, 1) not in meetings(Runner(created(entrants, PAIRS), play).run())
    assert (0, 1) in meetings(Runner(created(entrants, PAIRS, same_owner=True), play).run())


@pytest.mark.parametrize("name", ["round-robin", "gauntlet", "swiss", "ladder"])
@pytest.mark.parametrize("teams", [PAIRS, TRIOS])
@pytest.mark.parametrize("owners", ["AABC", "AABB", "AAAB", "ABABCC", "AAAABBB"])
def test_nobody_holds_seats_of_two_sides(name: str, teams: Any, owners: str) -> None:
    entrants: list[str | dict[str, Any]] = [
        {"name": f"{owner}{number}", "bot": "greedy", "owner": owner}
        for number, owner in enumerate(owners)
    ]
    more: dict[str, Any] = {"rounds": 4} if name == "swiss" else {}
    first = created(entrants, teams, format=name, boards=2 if name != "ladder" else 12, **more)
    contest = Runner(first, by_strength(range(len(owners)))).run()
    for group in meetings(contest):
        found = [owners[one] for one in group]
        assert len(set(found)) == len(found)


@pytest.mark.parametrize("name", ["sprt", "knockout"])
def test_a_contest_in_which_entrants_of_one_owner_may_have_to_meet_is_refused(name: str) -> None:
    entrants: list[str | dict[str, Any]] = [
        {"name": one, "bot": "greedy", "owner": "Ann"} for one in "ab"
    ]
    with pytest.raises(BadSpec, match="same_owner = true"):
        created(entrants, PAIRS, format=name)
    created(entrants, PAIRS, format=name, same_owner=True)


def test_two_entrants_do_not_dial_in_as_one_player() -> None:
    entrants: list[str | dict[str, Any]] = [{"name": one, "player": "ann"} for one in "ab"]
    with pytest.raises(BadSpec, match="players must differ"):
        created(entrants, PAIRS, form="field", server="localhost:1")


def test_in_a_field_each_entrant_plays_a_board_once_in_the_same_seat() -> None:
    contest = Runner(created(NAMES[:3], PAIRS, form="field"), by_strength([1, 2, 3, 0])).run()
    for board in range(contest.counted):
        tables = contest.tables(board)
        seats = {next(s for s, bot in enumerate(one.players) if bot != 3) for one in tables}
        assert len(seats) == 1
        assert sorted({*one.players} - {3} for one in tables) == [{0}, {1}, {2}]


def test_two_bots_of_a_team_share_its_side() -> None:
    team = {"name": "team", "members": ["greedy", "random"]}
    contest = Runner(created([team, "e1"], PAIRS), by_strength(range(3))).run(1)
    assert [one.players for one in contest.tables(0)] == [(0, 2, 1, 2), (2, 0, 2, 1)]


# Swiss --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [6, 7])
def test_nobody_meets_twice_or_has_two_byes_in_a_swiss(count: int) -> None:
    first = created(NAMES[:count], PAIRS, format="swiss", rounds=3, boards=1)
    contest = Runner(first, by_strength(range(count))).run()
    assert len(contest.rounds) == 3
    assert max(meetings(contest).values()) == 1


def test_entrants_with_equal_points_meet_in_a_swiss() -> None:
    first = created(NAMES[:4], PAIRS, format="swiss", rounds=2, boards=1)
    runner = Runner(first, by_strength([4, 3, 2, 1]))
    contest = runner.run()
    (first_round, second_round) = contest.rounds
    winners = tuple(min(pair) for pair in first_round.groups)
    assert tuple(sorted(winners)) in second_round.groups


def test_tie_breaks_of_a_swiss_are_sums_over_opponents() -> None:
    first = created(NAMES[:4], PAIRS, format="swiss", rounds=3, boards=1)
    contest = Runner(first, by_strength([4, 3, 2, 1])).run()
    best, second, third, last = swiss_scores(contest.spec, contest.rounds)
    assert [one.points for one in (best, second, third, last)] == [3, 2, 1, 0]
    assert best.buchholz == 3
    assert last.buchholz == 6
    assert second.sonneborn_berger == 1


# Knockout -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [2, 3, 5, 7])
def test_the_best_wins_a_knockout_and_meets_the_second_seed_at_the_end(count: int) -> None:
    strengths = [count - seed for seed in range(count)]
    first = created(NAMES[:count], PAIRS, format="knockout", boards=1)
    contest = Runner(first, by_strength(strengths)).run()
    assert contest.is_over
    assert contest.rounds[-1].groups == ((0, 1),)
    assert sum(len(one.groups) for one in contest.rounds) == count - 1


def test_level_entrants_of_a_knockout_meet_again_and_then_the_higher_seed_goes_on() -> None:
    first = created(NAMES[:2], PAIRS, format="knockout", boards=1)
    contest = Runner(first, by_strength([1, 1])).run()
    assert contest.is_over
    assert meetings(contest) == {(0, 1): 4}


# Ladder and sequential test -----------------------------------------------------------------------


def test_a_ladder_gives_boards_to_those_whose_order_is_uncertain() -> None:
    first = created(NAMES[:4], PAIRS, format="ladder", boards=200, batch=10)
    contest = Runner(first, by_strength([30, 20.2, 20, 0], spread=3)).run()
    met = meetings(contest)
    assert met[1, 2] == max(met.values())
    assert sum(contest.met(*pair) for pair in combinations(range(4), 2)) == sum(met.values())


def test_a_sequential_test_stops_and_counts_nothing_beyond() -> None:
    first = created(NAMES[:2], PAIRS, format="sprt", boards=1_000, batch=8)
    runner = Runner(first, by_strength([1, 0], spread=0.5))
    contest = runner.run()
    assert contest.verdict is not None
    assert "H1 accepted" in contest.verdict.text
    assert contest.is_over
    assert contest.counted == contest.verdict.boards < 200


# What counts --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "more",
    [
        {"boards": 6},
        {"format": "gauntlet", "boards": 5},
        {"format": "swiss", "rounds": 3, "boards": 3},
        {"format": "knockout", "boards": 3},
        {"format": "ladder", "boards": 40},
        {"form": "field", "boards": 20},
        {"form": "independent", "boards": 9},
    ],
)
def test_a_contest_does_not_depend_on_which_board_ends_first(more: dict[str, Any]) -> None:
    first = created(NAMES[:4], PAIRS, **more)
    play = by_strength([3, 2, 1, 0, 1], spread=4)
    quiet = Runner(first, play).run()
    for seed in range(3):
        runner = Runner(first, play, random.Random(seed))
        assert runner.run().values == quiet.values
        assert runner.contest.batches == quiet.batches
        assert runner.contest.tallies == quiet.tallies
        assert runner.order != sorted(runner.order)


def test_only_boards_without_a_gap_before_them_count() -> None:
    runner = Runner(created(NAMES[:2], PAIRS, boards=4), by_strength([1, 0]))
    runner.schedule()
    tables = [result(match, [1, 0]) for match in runner.contest.tables(1)]
    runner.tell(Kind.BOARD, {"board": 1, "tables": tables})
    assert (runner.contest.counted, runner.contest.beyond) == (0, [1])
    runner.tell(Kind.BOARD, {"board": 0, "tables": tables})
    assert (runner.contest.counted, runner.contest.beyond) == (2, [])


def test_who_is_at_fault_has_lost_whatever_the_score() -> None:
    def play(match: Match) -> list[Any]:
        return result(match, [9, 1], at_fault=[0])

    contest = Runner(created(NAMES[:2], PAIRS), play).run()
    assert list(contest.values[0, 1].wins) == [0, 0]
    assert contest.tallies[0].losses == contest.tallies[1].wins == 4


def test_an_entrant_with_faults_in_a_row_is_quarantined_at_the_same_board() -> None:
    def play(match: Match) -> list[Any]:
        at_fault = [2] if 2 in match.players else []
        return result(match, [1, 0, 0], at_fault)

    first = created(NAMES[:3], PAIRS, boards=20, quarantine=3)
    for chance in (None, random.Random(4)):
        contest = Runner(first, play, chance).run()
        assert "quarantined" in contest.withdrawn[2]
        later = contest.batches[4:]
        assert not any(2 in group for batch in later for gs in batch.boards for group in gs)


def test_a_withdrawn_entrant_is_scheduled_no_more() -> None:
    runner = Runner(created(NAMES[:3], PAIRS, boards=20), by_strength([1, 2, 3]))
    runner.run(3)
    runner.tell(Kind.WITHDRAWN, {"entrant": 1, "why": "asked for"})
    before = len(runner.contest.batches)
    contest = runner.run()
    later = [group for one in contest.batches[before:] for gs in one.boards for group in gs]
    assert later
    assert all(1 not in group for group in later)


# Specs --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"format": "swiss"}, "needs rounds"),
        ({"format": "gauntlet", "form": "field"}, "field cannot be used with gauntlet"),
        ({"format": "sprt", "entrant": [{"name": n, "bot": "greedy"} for n in "abc"]}, "compares"),
        ({"boards": 0}, "must be at least 1"),
        ({"entrant": [{"name": "a", "bot": "greedy"}] * 2}, "two entrants are named 'a'"),
        ({"game": "whist"}, "there is no game 'whist'"),
        ({"bords": 3}, "bords: there is no such setting"),
        ({"sprt": {"elo0": 5, "elo1": 5}}, "elo0 must be below elo1"),
        ({"entrant": [{"name": "a"}, {"name": "b", "bot": "greedy"}]}, "exactly one of"),
        ({"entrant": [{"name": n, "player": n} for n in "ab"]}, "swapped cannot be used"),
    ],
)
def test_a_bad_spec_names_what_is_wrong(more: dict[str, Any], words: str) -> None:
    good = {"name": "x", "game": "pokex", "entrant": [{"name": n, "bot": "random"} for n in "ab"]}
    parse_spec(good)
    with pytest.raises(BadSpec, match=words):
        parse_spec(good | more)
