"""Private (design promise 4), in rules and wire: events, views, listed moves, fallbacks and
refusals of an audience are the same in any two worlds that it cannot tell apart.

Second half: planted leaks are caught, each of them.
"""

from __future__ import annotations

import pytest

from croupier.v1 import game_pb2
from croupier_server.games.base import PUBLIC
from croupier_server.games.registry import AnyGame
from croupier_server.games.tractor.state import Phase
from croupier_server.wire.base import GameWire
from croupier_server.wire.registry import WIRES
from tests.privacy import leaks
from tests.privacy.stories import GAME, case, knowledge, tell
from tests.privacy.witness import Leak, compare
from tests.wire import playouts

WIRE = WIRES[game_pb2.GAME_KIND_TRACTOR]
CASES = 40


def check(seed: int) -> None:
    found = case(seed)
    assert found.moved > 0
    assert compare(found.first, found.second, found.audience, GAME, WIRE) > 0


@pytest.mark.parametrize("seed", range(CASES))
def test_private(seed: int) -> None:
    check(seed)


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("block", range(20))
def test_private_at_length(block: int) -> None:
    for seed in range(1000 + 100 * block, 1100 + 100 * block):
        check(seed)


# The harness itself -------------------------------------------------------------------------------


def test_the_cases_reach_every_phase_and_audience() -> None:
    """Both stories come to windows, auctions, shows, tricks and second deals, for all audiences."""
    cases = [case(seed) for seed in range(CASES)]
    ends = []
    for one in cases:
        *_, (state, _) = tell(one.second)
        ends.append(state.public)
    assert {one.audience for one in cases} >= {PUBLIC, 0, 1, 2, 3}
    assert {end.phase for end in ends} >= {Phase.DRAW, Phase.PLAY}
    assert any(end.calls and end.shown for end in ends)
    assert any(end.results for end in ends)
    assert any(end.attempt for end in ends)
    assert any(trick.failed_throw for end in ends for trick in end.tricks)
    assert any(end.standing for end in ends)
    assert {end.options.players for end in ends} >= {4, 6, 8}
    # Seats were asked in windows of one world that were not asked in the other.
    assert any(
        set(here) != set(there)
        for one in cases
        for here, there in zip(one.first.answers, one.second.answers, strict=True)
    )


def test_the_second_story_differs_in_what_is_hidden_alone() -> None:
    for seed in range(10):
        one = case(seed)
        for (here, _), (there, _) in zip(tell(one.first), tell(one.second), strict=True):
            assert knowledge(here, one.audience) == knowledge(there, one.audience)
        assert one.moved > 20


def name_of(part: object) -> str:
    return part if isinstance(part, str) else type(part).__name__


def caught(game: AnyGame, wire: GameWire, what: str, cases: int = 40) -> bool:
    """Whether the harness finds a leak in *what*, over so many cases of a table of four."""
    for seed in range(cases):
        one = case(seed, playouts.options(GAME, GAME.rulesets()[seed % 5]), audience=seed % 4)
        try:
            compare(one.first, one.second, one.audience, game, wire)
        except Leak as leak:
            if leak.what == what:
                return True
    return False


@pytest.mark.parametrize(("game", "what"), leaks.GAMES, ids=name_of)
def test_a_planted_leak_of_the_rules_is_caught(game: AnyGame, what: str) -> None:
    assert caught(game, WIRE, what)


@pytest.mark.parametrize(("wire", "what"), leaks.WIRES, ids=name_of)
def test_a_planted_leak_of_the_wire_is_caught(wire: GameWire, what: str) -> None:
    assert caught(GAME, wire, what)
