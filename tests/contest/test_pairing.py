"""The schedule: who sits where on which board."""

from __future__ import annotations

import pytest

from croupier_server.contest.pairing import Pairing, round_robin, schedule


def test_both_seatings_play_a_board_twice() -> None:
    planned = schedule(2, 4, both_seatings=True)
    assert [(match.board, match.is_swapped) for match in planned] == [
        (0, False),
        (0, True),
        (1, False),
        (1, True),
    ]


def test_an_odd_number_leaves_one_board_half_played() -> None:
    planned = schedule(2, 3, both_seatings=True)
    assert [(match.board, match.is_swapped) for match in planned][-1] == (1, False)


def test_one_seating_takes_a_new_board_each_time_and_changes_sides() -> None:
    planned = schedule(2, 4, both_seatings=False)
    assert [(match.board, match.is_swapped) for match in planned] == [
        (0, False),
        (1, True),
        (2, False),
        (3, True),
    ]


@pytest.mark.parametrize(("entrants", "pairs"), [(2, 1), (3, 3), (5, 10)])
def test_everybody_meets_everybody_on_the_same_boards(entrants: int, pairs: int) -> None:
    assert len(round_robin(entrants)) == pairs
    planned = schedule(entrants, 6, both_seatings=True)
    assert [match.number for match in planned] == list(range(6 * pairs))
    for pairing in round_robin(entrants):
        own = [match for match in planned if match.pairing == pairing]
        assert sorted((m.board, m.is_swapped) for m in own) == [
            (board, side) for board in range(3) for side in (False, True)
        ]


def test_swapped_entrants_change_teams() -> None:
    plain, swapped = schedule(2, 2, both_seatings=True)
    assert plain.pairing == Pairing(0, 1)
    assert [plain.entrant_of_team(team) for team in (0, 1)] == [0, 1]
    assert [swapped.entrant_of_team(team) for team in (0, 1)] == [1, 0]
