"""The schedule: who sits where on which board."""

from __future__ import annotations

from collections import Counter

import pytest

from croupier_server.contest.pairing import Match, Pairing, round_robin, schedule, seatings

TWO_TEAMS = (0, 1, 0, 1)
THREE_TEAMS = (0, 1, 2)


def letters(seating: tuple[int, ...]) -> str:
    return "".join("AB"[who] for who in seating)


def sides(match: Match) -> tuple[int, ...]:
    """Which entrant of the pairing, 0 or 1, plays each team."""
    return tuple(match.pairing.index(side) for side in match.sides)


# Seatings --------------------------------------------------------------------------------------


@pytest.mark.parametrize("teams", [(0, 1, 0, 1), (0, 1) * 6, (0, 1)])
def test_two_teams_have_two_seatings(teams: tuple[int, ...]) -> None:
    assert seatings(teams) == ((0, 1), (1, 0))


def test_three_teams_have_the_six_seatings_in_which_both_take_part() -> None:
    assert [letters(one) for one in seatings(THREE_TEAMS)] == [
        "AAB",
        "ABA",
        "BAA",
        "ABB",
        "BAB",
        "BBA",
    ]


@pytest.mark.parametrize("teams", [(0, 1, 0, 1), (0, 1, 2), (0, 1, 2, 3)])
def test_both_entrants_hold_every_team_equally_often(teams: tuple[int, ...]) -> None:
    ways = seatings(teams)
    for team in set(teams):
        assert Counter(way[team] for way in ways) == {0: len(ways) / 2, 1: len(ways) / 2}
    mirrored = {tuple(1 - who for who in way) for way in ways}
    assert mirrored == set(ways)


# Schedules -------------------------------------------------------------------------------------


def test_both_seatings_play_a_board_twice() -> None:
    planned = schedule(2, 4, TWO_TEAMS, every_seating=True)
    assert [(match.board, sides(match)) for match in planned] == [
        (0, (0, 1)),
        (0, (1, 0)),
        (1, (0, 1)),
        (1, (1, 0)),
    ]


def test_three_teams_play_a_board_six_times() -> None:
    planned = schedule(2, 12, THREE_TEAMS, every_seating=True)
    assert [match.board for match in planned] == [0] * 6 + [1] * 6
    assert [sides(match) for match in planned] == [*seatings(THREE_TEAMS)] * 2
    assert [match.seating for match in planned] == [*range(6), *range(6)]


def test_an_odd_number_leaves_one_board_half_played() -> None:
    planned = schedule(2, 3, TWO_TEAMS, every_seating=True)
    assert [(match.board, sides(match)) for match in planned][-1] == (1, (0, 1))


@pytest.mark.parametrize("teams", [TWO_TEAMS, THREE_TEAMS])
def test_one_seating_takes_a_new_board_each_time_and_the_next_seating(
    teams: tuple[int, ...],
) -> None:
    ways = seatings(teams)
    planned = schedule(2, 2 * len(ways), teams, every_seating=False)
    assert [match.board for match in planned] == list(range(2 * len(ways)))
    assert [sides(match) for match in planned] == [*ways, *ways]


@pytest.mark.parametrize("teams", [TWO_TEAMS, THREE_TEAMS])
@pytest.mark.parametrize(("entrants", "pairs"), [(2, 1), (3, 3), (5, 10)])
def test_everybody_meets_everybody_on_the_same_boards(
    entrants: int, pairs: int, teams: tuple[int, ...]
) -> None:
    ways = seatings(teams)
    assert len(round_robin(entrants)) == pairs
    planned = schedule(entrants, 3 * len(ways), teams, every_seating=True)
    assert [match.number for match in planned] == list(range(3 * len(ways) * pairs))
    for pairing in round_robin(entrants):
        own = [match for match in planned if match.pairing == pairing]
        assert [(m.board, sides(m)) for m in own] == [
            (board, way) for board in range(3) for way in ways
        ]


def test_an_entrant_plays_the_teams_that_the_seating_gives_it() -> None:
    plain, swapped = schedule(2, 2, TWO_TEAMS, every_seating=True)
    assert plain.pairing == Pairing(0, 1)
    assert plain.players == (0, 1, 0, 1)
    assert swapped.players == (1, 0, 1, 0)
    lone = schedule(3, 6, THREE_TEAMS, every_seating=True)[1]
    assert lone.pairing == Pairing(0, 2)
    assert lone.players == (0, 0, 2)
