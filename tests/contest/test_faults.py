"""The score of a match that an entrant did not play to its end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

import pytest

from croupier.record.v1 import record_pb2
from croupier.v1 import game_pb2, table_pb2
from croupier_server.contest.faults import (
    DEALS_MAX,
    Stakes,
    Standing,
    fault_scores,
    stakes,
    standing,
)
from croupier_server.contest.pairing import Match, seated, seatings
from croupier_server.contest.results import margin
from croupier_server.games.base import AnyGame, Event
from croupier_server.games.registry import find
from tests.conformance.playouts import playout
from tests.conformance.subjects import CASES, NAMES, random_texts, short, wire_of
from tests.more import first_of
from tests.verify import matches

GIVEN_AWAY = ("conceded", "forfeit", "away")


def record_of(game: AnyGame, options: object, events: Sequence[Event]) -> record_pb2.MatchRecord:
    """A record with the public parts of *events* as its rows."""
    wire = wire_of(game)
    rows = []
    for number, event in enumerate(events, 1):
        told = game_pb2.GameEvent.FromString(wire.event_bytes(event)[0])
        row = table_pb2.TableEvent(sequence=number, game=told)
        rows.append(record_pb2.Row(sequence=number, public_part=row.SerializeToString()))
    seats = [table_pb2.SeatInfo(seat=seat) for seat in range(game.players(options))]
    return record_pb2.MatchRecord(table=table_pb2.Table(seats=seats), rows=rows)


def moments(record: record_pb2.MatchRecord, stakes: Stakes) -> Iterator[Standing]:
    """The standing at every moment of a match, without repeats."""
    told = record_pb2.MatchRecord(table=record.table)
    last = standing(told, stakes)
    yield last
    for row in record.rows:
        told.rows.append(row)
        reached = standing(told, stakes)
        if reached != last:
            last = reached
            yield last


def assert_no_fault_pays(game: AnyGame, options: object, seed: int) -> None:
    """Whoever is at fault, at whatever moment and under whatever seating, does not score better
    than by playing on."""
    state, _, events = playout(game, options, seed)
    assert game.outcome(state) is not None
    played = game.standing(state)
    terms = stakes(game, options)
    teams = tuple(game.team(options, seat) for seat in range(len(played)))
    for reached in moments(record_of(game, options, events), terms):
        if reached.deals == terms.deals:
            assert reached.scores == played
            continue
        for seating in seatings(teams):
            for side in (0, 1):
                at_fault = [seat for seat, team in enumerate(teams) if seating[team] == side]
                spoiled = fault_scores(reached, at_fault, terms)
                assert sum(spoiled) == pytest.approx(0)
                match = Match(0, 0, teams, seated((0, 1), seating, teams))
                own = [margin(match, scores, side, 1 - side) for scores in (spoiled, played)]
                assert own[0] <= own[1], "a fault scores better than playing on"


@pytest.mark.attack
@pytest.mark.parametrize(("name", "ruleset"), CASES)
@pytest.mark.parametrize("deals", first_of([1, 2, 4]))
def test_no_fault_scores_better_than_playing_on(name: str, ruleset: str, deals: int) -> None:
    game = find(name)
    for seed in range(3):
        assert_no_fault_pays(game, short(game, ruleset, deals), seed)


@pytest.mark.more
@pytest.mark.attack
@pytest.mark.parametrize("name", NAMES)
def test_no_fault_pays_under_any_options(name: str) -> None:
    game = find(name)
    for seed in range(8):
        texts = random_texts(game, Random(seed))
        assert_no_fault_pays(game, short(game, game.rulesets()[0], 1 + seed % 3, texts), seed)


@pytest.mark.more
@pytest.mark.attack
@pytest.mark.parametrize("name", NAMES)
def test_no_fault_pays_in_a_match_of_many_deals(name: str) -> None:
    game = find(name)
    assert_no_fault_pays(game, short(game, game.rulesets()[0], 2 * DEALS_MAX), 2)


def test_a_fault_costs_the_worst_of_every_deal_to_come() -> None:
    terms = Stakes(start=(0,) * 4, worst_deal=12, deals=3)
    assert [terms.cost(finished) for finished in range(4)] == [36, 24, 12, 0]


@pytest.mark.parametrize("deals", [None, 200])
def test_no_more_than_ten_deals_are_counted(deals: int | None) -> None:
    assert Stakes((0, 0), 12, deals).cost(0) == 120
    assert Stakes((0, 0), 12, deals).cost(50) == 120


def test_partners_share_a_fault_and_the_other_side_receives_it() -> None:
    terms = Stakes((0,) * 4, 12, 2)
    assert fault_scores(Standing((3, -3, 3, -3), 1), [0, 2], terms) == [-9, 9, -9, 9]


def test_in_a_game_of_three_both_others_receive_it_in_equal_parts() -> None:
    terms = Stakes((0,) * 3, 30, 9)
    assert fault_scores(Standing((8, -5, -3), 8), [0], terms) == [-22, 10, 12]
    assert fault_scores(Standing((8, -5, -3), 8), [0, 2], terms) == [-22, 55, -33]


@pytest.mark.parametrize("name", NAMES)
def test_a_match_given_away_has_the_scores_that_its_fault_is_counted_from(name: str) -> None:
    """The result names the same scores, without what the contest takes for the fault."""
    found = [case for case in matches.cases() if case.game == name and case.end in GIVEN_AWAY]
    assert found
    for case in found:
        told = record_pb2.MatchRecord.FromString(matches.record(case))
        game = find(name)
        start = stakes(game, game.options(case.ruleset, {}))
        assert tuple(one.score for one in told.result.seats) == standing(told, start).scores
