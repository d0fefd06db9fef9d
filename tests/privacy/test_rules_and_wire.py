"""Private (design promise 4), in rules and wire: events, views, listed moves, fallbacks and
refusals of an audience are the same in any two worlds that it cannot tell apart.

Second half: planted leaks are caught, each of them.
"""

from __future__ import annotations

from typing import Any

import pytest

from croupier_server.games.base import PUBLIC, AnyGame, Turn
from croupier_server.games.modules import WIRES_BY_NAME
from croupier_server.games.registry import GAMES
from croupier_server.games.tongits.state import Phase as TongitsPhase
from croupier_server.games.tractor.state import Phase as TractorPhase
from croupier_server.wire.game import GameWire
from tests.more import first_of
from tests.privacy import leaks_any, leaks_pokex, leaks_tongits, leaks_tractor
from tests.privacy.leaks_any import Leaky, spoiled_game, spoiled_wire
from tests.privacy.stories import Case, case, tell
from tests.privacy.subjects import SECRETS
from tests.privacy.witness import Leak, compare
from tests.wire import playouts

CASES = 40
NAMES = list(GAMES)


def check(name: str, seed: int) -> None:
    found = case(SECRETS[name], seed)
    assert found.moved > 0
    assert compare(found, SECRETS[name], GAMES[name], WIRES_BY_NAME[name]) > 0


def test_every_game_says_what_is_hidden() -> None:
    assert set(SECRETS) == set(GAMES)


@pytest.mark.parametrize("seed", first_of(range(CASES), 10))
@pytest.mark.parametrize("name", NAMES)
def test_private(name: str, seed: int) -> None:
    check(name, seed)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(20))
@pytest.mark.parametrize("name", NAMES)
def test_private_at_length(name: str, block: int) -> None:
    for seed in range(1000 + 100 * block, 1100 + 100 * block):
        check(name, seed)


# The harness itself -------------------------------------------------------------------------------


def cases(name: str) -> list[Case]:
    return [case(SECRETS[name], seed) for seed in range(CASES)]


def ends(found: list[Case]) -> list[Any]:
    """The ends of the second stories."""
    states = []
    for one in found:
        *_, (state, _) = tell(one.second)
        states.append(state)
    return states


@pytest.mark.parametrize("name", NAMES)
def test_the_cases_are_for_every_audience_and_reach_results(name: str) -> None:
    found = cases(name)
    assert {one.audience for one in found} >= {PUBLIC, 0, 1, 2}
    assert any(end.results for end in ends(found))
    assert any(
        GAMES[name].turn(state) is Turn.MOVE for one in found for state, _ in tell(one.first)
    )


def test_the_cases_reach_every_phase_of_tractor() -> None:
    """Both stories come to windows, auctions, shows, tricks and second deals."""
    found = cases("tractor")
    last = [end.public for end in ends(found)]
    assert {end.phase for end in last} >= {TractorPhase.DRAW, TractorPhase.PLAY}
    assert any(end.calls and end.shown for end in last)
    assert any(end.attempt for end in last)
    assert any(trick.failed_throw for end in last for trick in end.tricks)
    assert any(end.standing for end in last)
    assert {end.options.players for end in last} >= {4, 6, 8}
    # Seats were asked in windows of one world that were not asked in the other.
    assert any(
        set(here) != set(there)
        for one in found
        for here, there in zip(one.first.answers, one.second.answers, strict=True)
    )


def test_the_cases_reach_every_phase_of_tongits() -> None:
    """Both stories come to secret fours of other ranks, lay-offs, draw calls and every end."""
    found = cases("tongits")
    seen = {public.phase for one in found for public, _ in moments(one)}
    assert seen >= set(TongitsPhase) - {TongitsPhase.OVER}
    kinds = {type(part).__name__ for one in found for _, part in moments(one)}
    assert kinds >= {
        "Answered",
        "CardsLaidOff",
        "DiscardTaken",
        "DrawCalled",
        "MeldExposed",
        "SecretFourLaid",
        "TurnEnded",
    }
    results = [result for end in ends(found) for result in end.results]
    assert {result.ending.name for result in results} == {"TONGITS", "DRAW_CALL", "STOCK"}
    assert any(not seat.is_shown for result in results for seat in result.seats)
    # Others laid fours of a rank that was another one in the other world.
    assert any(
        here != there
        for one in found
        for here, there in zip(one.first.answers, one.second.answers, strict=True)
    )


def test_the_cases_reach_every_phase_of_pokex() -> None:
    """Both stories come to auctions that end with and without a bid, and to whole deals."""
    found = cases("pokex")
    kinds = {type(part).__name__ for one in found for _, part in moments(one)}
    assert kinds >= {"Called", "AuctionEnded", "RankNamed", "CardsPlayed", "DealResult"}
    results = [result for end in ends(found) for result in end.results]
    assert {result.is_passed_out for result in results} == {True, False}
    assert {result.declarer is None for result in results} == {True, False}


def moments(one: Case) -> list[tuple[Any, object]]:
    """Public states of the second story, with the public parts of the events that led there."""
    return [
        (state.public.copy(), event.public)
        for state, happened in tell(one.second)
        for event in happened
    ]


@pytest.mark.parametrize("name", NAMES)
def test_the_second_story_differs_in_what_is_hidden_alone(name: str) -> None:
    secrets = SECRETS[name]
    for seed in range(10):
        one = case(secrets, seed)
        for (here, _), (there, _) in zip(tell(one.first), tell(one.second), strict=True):
            assert secrets.knowledge(here, one.audience) == secrets.knowledge(there, one.audience)
        assert one.moved > 10


# Planted leaks ------------------------------------------------------------------------------------


def caught(name: str, game: AnyGame, wire: GameWire, what: str, cases: int = 60) -> bool:
    """Whether the harness finds a leak in *what*, over so many cases."""
    rulesets = GAMES[name].rulesets()
    for seed in range(cases):
        options = playouts.options(GAMES[name], rulesets[seed % len(rulesets)])
        audience = seed % GAMES[name].players(options)
        try:
            compare(case(SECRETS[name], seed, options, audience), SECRETS[name], game, wire)
        except Leak as leak:
            if leak.what == what:
                return True
    return False


def name_of(part: object) -> str:
    return part if isinstance(part, str) else getattr(part, "__name__", type(part).__name__)


@pytest.mark.more
@pytest.mark.parametrize(("game", "what"), leaks_tractor.GAMES, ids=name_of)
def test_a_planted_leak_of_the_rules_of_tractor_is_caught(game: AnyGame, what: str) -> None:
    assert caught("tractor", game, WIRES_BY_NAME["tractor"], what)


@pytest.mark.parametrize(("leak", "what"), leaks_tractor.WIRES, ids=name_of)
def test_a_planted_leak_of_the_wire_of_tractor_is_caught(leak: type[Leaky], what: str) -> None:
    wire = spoiled_wire(leak, WIRES_BY_NAME["tractor"])
    assert caught("tractor", GAMES["tractor"], wire, what)


OF_RULES = [
    *((name, leak, what) for name in NAMES for leak, what in leaks_any.GAMES),
    *(("tongits", leak, what) for leak, what in leaks_tongits.GAMES),
    *(("pokex", leak, what) for leak, what in leaks_pokex.GAMES),
]
OF_WIRES = [
    *((name, leak, what) for name in NAMES for leak, what in leaks_any.WIRES),
    *(("tongits", leak, what) for leak, what in leaks_tongits.WIRES),
    *(("pokex", leak, what) for leak, what in leaks_pokex.WIRES),
]


@pytest.mark.more
@pytest.mark.parametrize(("name", "leak", "what"), OF_RULES, ids=name_of)
def test_a_planted_leak_of_the_rules_is_caught(name: str, leak: type[Leaky], what: str) -> None:
    assert caught(name, spoiled_game(leak, GAMES[name]), WIRES_BY_NAME[name], what)


@pytest.mark.more
@pytest.mark.parametrize(("name", "leak", "what"), OF_WIRES, ids=name_of)
def test_a_planted_leak_of_the_wire_is_caught(name: str, leak: type[Leaky], what: str) -> None:
    assert caught(name, GAMES[name], spoiled_wire(leak, WIRES_BY_NAME[name]), what)
