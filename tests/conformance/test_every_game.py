"""What every game of the registry keeps to, in random playouts over rulesets and sizes.

200 deals in the default run, 10,000 under the marker ``slow``.
"""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from itertools import islice

import pytest

from croupier_server.errors import CroupierError, NotFound, Reason
from croupier_server.games.base import PUBLIC, Move, Seat, Turn
from croupier_server.games.registry import GAMES, AnyGame, find
from croupier_server.games.tractor import events
from croupier_server.games.tractor.cards import points
from croupier_server.games.tractor.state import State
from tests.conformance.playouts import apply_entry, make_entry, playout, replay, words

STEPS_MAX = 20_000
"""More steps than any match of one deal can have, redeals included."""

SIZES = {
    "tractor": [
        {"players": str(players), "packs": str(packs)}
        for players in (4, 6, 8, 10, 12)
        for packs in (2, 3, 4, 5, 6)
    ],
}
ONE_DEAL = {"tractor": {"max_deals": "1"}}
CASES = [
    (name, ruleset, size)
    for name, game in GAMES.items()
    for ruleset in game.rulesets()
    for size in range(len(SIZES[name]))
]


def options_of(game: AnyGame, ruleset: str, size: int) -> object:
    return game.options(ruleset, SIZES[game.name][size] | ONE_DEAL[game.name])


def test_unknown_game() -> None:
    with pytest.raises(NotFound) as caught:
        find("whist")
    assert caught.value.reason is Reason.UNKNOWN_GAME


@pytest.mark.parametrize("name", GAMES)
def test_every_game_describes_itself(name: str) -> None:
    game = find(name)
    clauses = game.clauses()
    assert game.name == name
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


def is_legal(game: AnyGame, state: object, seat: Seat, move: Move) -> bool:
    """Whether `check` takes *move*; `apply` then leaves the state alone when it does not."""
    before = game.copy(state)
    try:
        game.check(state, seat, move)
    except CroupierError:
        if game.turn(state) is Turn.MOVE:
            with pytest.raises(CroupierError):
                game.apply(state, seat, move)
        assert state == before, "an illegal move changed something"
        return False
    assert state == before, "a check changed something"
    return True


def near_misses(move: Move, rng: random.Random) -> Iterator[Move]:
    """Moves like *move*, one card off, of other types, or nonsense."""
    cards = [place for place in range(1, 55) if move >> 4 * place & 15]
    for _ in range(4):
        if cards:
            yield move - (1 << 4 * rng.choice(cards)) + (1 << 4 * rng.randint(1, 54))
        yield move + (1 << 4 * rng.randint(1, 54))
    if cards:
        yield move - (1 << 4 * rng.choice(cards))
    yield move & ~15 | rng.randint(0, 15)
    yield rng.getrandbits(rng.choice((8, 16, 64)))


def assert_answer(game: AnyGame, state: object, seat: Seat, rng: random.Random) -> None:
    """Lists and checks agree; patterns too, as far as they are walked."""
    legal = game.legal_moves(state, seat)
    assert len(legal.moves) == len(legal.kinds) == len(set(legal.moves))
    walked = list(islice(game.members(legal), 200))
    is_whole = len(walked) < 200
    assert len(walked) == len(set(walked))
    assert list(legal.moves) == walked[: len(legal.moves)]
    assert walked, "a seat that is asked can answer"
    if not legal.patterns:
        assert is_whole
        assert len(walked) <= 64
    for move in rng.sample(walked, min(6, len(walked))):
        assert is_legal(game, state, seat, move)
    drawn = game.sample(legal, words(rng.getrandbits(64)))
    assert is_legal(game, state, seat, drawn)
    assert not is_whole or drawn in walked
    fallback = game.fallback(state, seat)
    assert is_legal(game, state, seat, fallback)
    if is_whole:
        known = set(walked)
        assert fallback in known
        for move in near_misses(drawn, rng):
            assert is_legal(game, state, seat, move) == (move in known)
    after = rng.choice(walked)
    place = walked.index(after)
    assert list(islice(game.members(legal, after), 10)) == walked[place + 1 :][:10] or not is_whole


def assert_deal(game: AnyGame, ruleset: str, size: int, seed: int) -> None:
    """One deal with every promise looked at on the way."""
    options = options_of(game, ruleset, size)
    rng, draw = random.Random(seed), words(seed)
    state = game.new(options)
    players = game.players(options)
    log = []
    for step in range(STEPS_MAX):
        turn = game.turn(state)
        assert (game.outcome(state) is not None) == (turn is Turn.OVER)
        if turn is Turn.OVER:
            break
        if step % 5 == 0:
            for seat in game.to_act(state):
                assert_answer(game, state, seat, rng)
            outsider = (set(range(players)) - set(game.to_act(state))) | {players, PUBLIC}
            assert not is_legal(game, state, rng.choice(sorted(outsider)), 1)
        twin = game.copy(state)
        entry = make_entry(game, state, rng, draw)
        log.append(entry)
        happened = apply_entry(game, state, entry)
        assert twin != state, "a copy changed with its original"
        if step % 7 == 0:
            assert apply_entry(game, twin, entry) == happened
            assert twin == state
        CONSERVED[game.name](state)
    else:
        pytest.fail("the deal does not end")
    again, _ = replay(game, options, log)
    assert again == state
    for audience in (PUBLIC, *range(players)):
        assert game.view(again, audience) == game.view(state, audience)
    outcome = game.outcome(state)
    assert outcome is not None
    assert len(outcome.seats) == players
    assert sum(seat.score for seat in outcome.seats) == 0
    assert min(seat.place for seat in outcome.seats) == 1


def tractor_is_conserved(state: object) -> None:
    """T-1.1: cards and points neither come nor go."""
    assert isinstance(state, State)
    public = state.public
    if public.deal == 0 or not any(state.hands):
        return
    options = public.options
    shown = sum(1 << 4 * card for _, card in public.shown)
    stock = sum(1 << 4 * card for card in state.stock)
    tricks = [sum(trick.plays) for trick in public.tricks]
    cards = sum(state.hands) + sum(tricks) + sum(public.plays) + state.buried + shown + stock
    assert cards == options.packs * sum(1 << 4 * card for card in range(1, 55))
    if public.phase.name != "PLAY":
        return
    worth = [trick.points for trick in public.tricks]
    assert worth == [points(trick) for trick in tricks]
    in_play = sum(map(points, state.hands)) + points(sum(public.plays)) + points(state.buried)
    assert sum(worth) + public.show_points + in_play == options.points
    penalties = sum(
        trick.failed_throw.penalty * (1 if trick.leader % 2 == public.declarers else -1)
        for trick in public.tricks
        if trick.failed_throw is not None
    )
    if public.failed_throw is not None:
        side = 1 if public.leader % 2 == public.declarers else -1
        penalties += side * public.failed_throw.penalty
    won = sum(t.points for t in public.tricks if t.winner % 2 != public.declarers)
    if public.shown:
        assert public.opponents_points in (
            won + penalties,
            won + penalties + public.show_points,
        )
    else:
        assert public.opponents_points == won + penalties


CONSERVED = {"tractor": tractor_is_conserved}


@pytest.mark.parametrize(("name", "ruleset", "size"), CASES)
def test_a_deal_keeps_every_promise(name: str, ruleset: str, size: int) -> None:
    """Every ruleset at every size: 125 deals of Tractor."""
    assert_deal(find(name), ruleset, size, seed=size)


@pytest.mark.parametrize(
    ("name", "ruleset"),
    [(name, ruleset) for name, game in GAMES.items() for ruleset in game.rulesets()],
)
def test_deals_at_the_usual_table(name: str, ruleset: str) -> None:
    """The rest of the 200 deals, at the first size."""
    for seed in range(100, 115):
        assert_deal(find(name), ruleset, 0, seed)


@pytest.mark.slow
@pytest.mark.timeout(0)
@pytest.mark.parametrize(("name", "ruleset", "size"), CASES)
def test_ten_thousand_deals(name: str, ruleset: str, size: int) -> None:
    """80 deals of each of 125 cases of Tractor."""
    for seed in range(1_000, 1_080):
        assert_deal(find(name), ruleset, size, seed)


@pytest.mark.parametrize("name", GAMES)
def test_results_and_events_of_a_deal_agree(name: str) -> None:
    """The last event of a deal is its result, and replaying a log gives the same events."""
    game = find(name)
    for ruleset in game.rulesets():
        options = options_of(game, ruleset, 0)
        state, log, happened = playout(game, options, seed=9)
        assert replay(game, options, log) == (state, happened)
        if name == "tractor":
            assert isinstance(state, State)
            assert happened[-1].public == state.public.results[-1]
            assert isinstance(happened[-1].public, events.DealScored)


DIGEST = """
from tests.conformance.test_every_game import digest
print(digest())
"""


def digest() -> str:
    """A hash of the events of one deal of every ruleset, in the order in which things come out."""
    told = hashlib.sha256()
    for name, game in GAMES.items():
        for ruleset in game.rulesets():
            for size in (0, len(SIZES[name]) // 2):
                _, log, happened = playout(game, options_of(game, ruleset, size), seed=3)
                told.update(repr((log, happened)).encode())
    return told.hexdigest()


def test_nothing_depends_on_the_hash_seed() -> None:
    """PYTHONHASHSEED changes the order of sets; no output may show it."""
    digests = set()
    for seed in ("0", "1", "12345"):
        environment = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run(
            [sys.executable, "-c", DIGEST],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=50,
        )
        assert done.returncode == 0, done.stderr
        digests.add(done.stdout)
    assert digests == {digest() + "\n"}
