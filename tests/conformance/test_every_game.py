"""Every game describes itself, comes to an end, loses no card and scores what it says.

Random playouts of every ruleset, of every number of seats, and of tables with any options; ten
thousand more under the marker ``slow``.
"""

from __future__ import annotations

from collections import Counter
from math import inf
from operator import sub
from random import Random

import pytest

from croupier_server.errors import NotFound, Reason
from croupier_server.games.base import PUBLIC, AnyGame, Event, Turn
from croupier_server.games.cards import unpack
from croupier_server.games.registry import find
from tests.conformance.playouts import apply_entry, is_bold, make_entry, words
from tests.conformance.subjects import (
    CASES,
    NAMES,
    Hook,
    hook_of,
    random_texts,
    short,
    sizes,
    wire_of,
)

STEPS_MAX = 20_000
"""More steps than any match of a deal or two can have, redeals included."""


def test_unknown_game() -> None:
    with pytest.raises(NotFound) as caught:
        find("whist")
    assert caught.value.reason is Reason.UNKNOWN_GAME


@pytest.mark.parametrize("name", NAMES)
def test_every_game_describes_itself(name: str) -> None:
    game = find(name)
    clauses = game.clauses()
    assert game.name == wire_of(game).name == name
    assert game.rules_version >= 1
    assert game.rulesets()
    for spec in game.option_specs():
        assert spec.clause in clauses
        assert spec.meaning
        assert spec.syntax or spec.standard in spec.values
    for ruleset in game.rulesets():
        options = game.options(ruleset, {})
        texts = game.option_text(options)
        assert list(texts) == sorted(spec.name for spec in game.option_specs())
        assert game.options(game.rulesets()[0], texts) == options


@pytest.mark.parametrize(("name", "ruleset"), CASES)
def test_seats_and_teams(name: str, ruleset: str) -> None:
    """Teams are numbered from 0 without a gap, and are of one size."""
    game, wire = find(name), wire_of(find(name))
    for size in sizes(game, ruleset):
        options = game.options(ruleset, size)
        players = game.players(options)
        assert wire.seats_min <= players <= wire.seats_max
        teams = Counter(game.team(options, seat) for seat in range(players))
        assert sorted(teams) == list(range(len(teams)))
        assert len(set(teams.values())) == 1


# Playouts ----------------------------------------------------------------------------------------


def assert_hands(game: AnyGame, state: object, players: int, deck: Counter[int]) -> None:
    """No card is in two hands, or in a hand and not in the deck."""
    held: Counter[int] = Counter()
    for seat in range(players):
        # By our words every view of a seat has its hand; a game without hands has none to check.
        held.update(unpack(getattr(game.view(state, seat), "hand", 0)))
    assert held <= deck, "a hand holds a card that was not dealt to it"
    if hasattr(game.view(state, PUBLIC), "hand"):
        assert not game.view(state, PUBLIC).hand, "a spectator holds cards"


def assert_events(events: list[Event], players: int) -> None:
    """Every event has a public part, and private parts of seats alone."""
    for event in events:
        assert event.public is not None
        assert set(event.private) <= set(range(players))


def assert_outcome(game: AnyGame, options: object, state: object, hook: Hook) -> None:
    """A score and a place for every seat; partners share them, and no better place has less."""
    players = game.players(options)
    outcome = game.outcome(state)
    assert outcome is not None
    assert len(outcome.seats) == players
    assert not hook.is_zero_sum or sum(seat.score for seat in outcome.seats) == 0
    teams: dict[int, tuple[int, int]] = {}
    for seat, (score, place) in enumerate(outcome.seats):
        assert teams.setdefault(game.team(options, seat), (score, place)) == (score, place)
    for score, place in teams.values():
        assert place == 1 + sum(other < place for _, other in teams.values())
        assert all(score >= less for less, other in teams.values() if other > place)


def assert_match(game: AnyGame, options: object, seed: int) -> None:
    """One match from its first lot to its outcome."""
    hook, players = hook_of(game.name), game.players(options)
    deals = game.deals_max(options) or inf
    worst = game.worst_deal(options)
    rng, draw = Random(seed), words(seed)
    state = game.new(options)
    deck: Counter[int] = Counter()
    for _ in range(STEPS_MAX):
        turn = game.turn(state)
        assert (game.outcome(state) is not None) == (turn is Turn.OVER)
        if turn is not Turn.WINDOW:  # which may be open to nobody
            assert len(game.to_act(state)) == (turn is Turn.MOVE)
        if turn is Turn.OVER:
            break
        entry = make_entry(game, state, rng, draw, is_bold=is_bold(seed))
        if len(entry.chance) > 1:
            deck = Counter(entry.chance)
            assert game.chance(state).deal <= deals, "the match goes on after its last deal"
        standing = game.standing(state)
        events = apply_entry(game, state, entry)
        assert_standing(standing, game.standing(state), worst)
        assert events, "something happened that nobody is told"
        assert_events(events, players)
        assert_hands(game, state, players, deck)
        hook.check_state(state)
    else:
        pytest.fail("the match does not end")
    assert_outcome(game, options, state, hook)
    outcome = game.outcome(state)
    assert outcome is not None
    assert game.standing(state) == tuple(seat.score for seat in outcome.seats)
    assert_nothing_goes_on(game, state, players)


def assert_standing(before: tuple[int, ...], after: tuple[int, ...], worst: int) -> None:
    """What one seat has lost others have won, and one deal costs nobody more than the bound."""
    assert sum(after) == 0, "points were lost or found"
    assert max(map(sub, before, after)) <= worst, "one deal cost more than the worst deal"


def assert_nothing_goes_on(game: AnyGame, state: object, players: int) -> None:
    assert game.to_act(state) == ()
    for seat in range(players):
        game.view(state, seat)


@pytest.mark.parametrize(("name", "ruleset"), CASES)
def test_matches_end_and_lose_nothing(name: str, ruleset: str) -> None:
    """Bounded length, cards in one hand at most, an outcome for every seat."""
    game = find(name)
    for seed in range(4):
        assert_match(game, short(game, ruleset, deals=1), seed)
    assert_match(game, short(game, ruleset, deals=4), 4)


@pytest.mark.more
@pytest.mark.parametrize(("name", "ruleset"), CASES)
def test_matches_of_every_size(name: str, ruleset: str) -> None:
    game = find(name)
    for size in sizes(game, ruleset):
        assert_match(game, short(game, ruleset, 1, size), 5)


@pytest.mark.more
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("block", range(2))
def test_matches_with_any_options(name: str, block: int) -> None:
    game = find(name)
    for seed in range(6 * block, 6 * block + 6):
        texts = random_texts(game, Random(seed))
        assert_match(game, short(game, game.rulesets()[0], 1 + seed % 3, texts), seed)


@pytest.mark.slow
@pytest.mark.timeout(0)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("block", range(100))
def test_ten_thousand_matches(name: str, block: int) -> None:
    """100 matches of each of 100 blocks, three of four with a ruleset as it is."""
    game = find(name)
    for seed in range(100 * block, 100 * block + 100):
        ruleset = game.rulesets()[seed % len(game.rulesets())]
        texts = random_texts(game, Random(seed)) if seed % 4 == 3 else {}
        assert_match(game, short(game, ruleset, 1, texts), seed)
