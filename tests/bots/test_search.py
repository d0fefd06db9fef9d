"""The bot `search`: what it finds, what it may know, and what it spends."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import nullcontext
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest

from croupier.bots import GreedyBot, RandomBot
from croupier.errors import UsageError
from croupier_server.bots import trials
from croupier_server.bots.search import SearchBot
from croupier_server.bots.spec import MS_DEFAULT, SearchSpec, parse_spec
from croupier_server.bots.trials import Budget, best_move
from croupier_server.bots.worker import load_any
from croupier_server.contest.entrant import read_entrants
from croupier_server.games import cards
from croupier_server.games.base import AnyGame, Move, Seat, Turn
from croupier_server.games.modules import MODULES
from croupier_server.games.pokex import moves as pokex_moves
from croupier_server.games.registry import GAMES
from croupier_server.games.searching import Guide
from croupier_server.house import BOTS
from croupier_server.wire.moves import LegalMode
from tests.bots.kit import answer, question, sit
from tests.conformance.playouts import apply_entry, make_entry, words
from tests.games.pokex import table as pokex
from tests.games.tongits import kit as tongits

SHORT = {"tractor": {"max_deals": "1"}, "tongits": {"max_hands": "2"}, "pokex": {"max_deals": "2"}}


def guide_of(name: str) -> Guide:
    found = MODULES[name].guide
    assert found is not None
    return found


def options_of(name: str, ruleset: str = "") -> Any:
    game = GAMES[name]
    return game.options(ruleset or game.rulesets()[0], SHORT[name])


def play_match(game: AnyGame, options: Any, iterations: int, seed: int) -> list[Move]:
    """Every answer of a bot that plays all seats of a match; each of them is checked."""
    rng, draw, names = random.Random(seed), words(seed), count(1)
    bot = SearchBot(iterations=iterations)
    sit(bot, game, options, *range(game.players(options)))
    state = game.new(options)
    given: list[Move] = []
    while (turn := game.turn(state)) is not Turn.OVER:
        if turn is Turn.CHANCE:
            apply_entry(game, state, make_entry(game, state, rng, draw))
            continue
        answers: dict[Seat, Move] = {}
        for seat in game.to_act(state):
            asked = question(game, state, seat, str(next(names)), seed=seed)
            answers[seat] = answer(bot, asked)
            game.check(state, seat, answers[seat])
        given += answers.values()
        if turn is Turn.WINDOW:
            game.close_window(state, answers)
        else:
            ((seat, move),) = answers.items()
            game.apply(state, seat, move)
    return given


def some_states(game: AnyGame, options: Any, seed: int, every: int) -> Iterator[tuple[Any, Seat]]:
    """Every so many states of a random match in which one seat has a choice."""
    rng, draw, number = random.Random(seed), words(seed), count(1)
    state = game.new(options)
    while game.turn(state) is not Turn.OVER:
        if game.turn(state) is Turn.MOVE:
            (seat,) = game.to_act(state)
            if len(game.legal_moves(state, seat).moves) != 1 and next(number) % every == 0:
                yield state, seat
        apply_entry(game, state, make_entry(game, state, rng, draw))


# Whole matches -------------------------------------------------------------------------------


@pytest.mark.more
@pytest.mark.parametrize(
    ("name", "ruleset"), [(name, ruleset) for name in GAMES for ruleset in GAMES[name].rulesets()]
)
def test_it_plays_whole_matches_by_the_rules(name: str, ruleset: str) -> None:
    assert play_match(GAMES[name], options_of(name, ruleset), 4, seed=3)


@pytest.mark.more
@pytest.mark.parametrize("name", GAMES)
def test_the_same_seed_and_iterations_make_the_same_moves(name: str) -> None:
    game, options = GAMES[name], options_of(name)
    first = play_match(game, options, 12, seed=5)
    assert play_match(game, options, 12, seed=5) == first


@pytest.mark.more
@pytest.mark.parametrize("name", GAMES)
def test_it_knows_its_view_alone(name: str) -> None:
    """Two worlds that the seat cannot tell apart get the same answer."""
    game, options = GAMES[name], options_of(name)
    bot, draw = SearchBot(iterations=20), words(9)
    sit(bot, game, options, *range(game.players(options)))
    for state, seat in some_states(game, options, seed=2, every=7):
        other = game.worlds(game.view(state, seat), draw)
        assert other != state
        found = answer(bot, question(game, state, seat))
        assert answer(bot, question(game, other, seat)) == found


@pytest.mark.parametrize("name", GAMES)
def test_it_needs_no_list_of_legal_moves(name: str) -> None:
    """A table may leave legal moves out of its questions; then quick play says what to expect."""
    game, options = GAMES[name], options_of(name)
    bot = SearchBot(iterations=12)
    sit(bot, game, options, *range(game.players(options)))
    for state, seat in some_states(game, options, seed=4, every=5):
        game.check(state, seat, answer(bot, question(game, state, seat, mode=LegalMode.OFF)))


# What it finds -------------------------------------------------------------------------------


def search(game: AnyGame, state: Any, seat: Seat, expected: Move, playouts: int = 150) -> Move:
    """The move found where *expected* seems best."""
    view = game.view(state, seat)
    return best_move(guide_of(game.name), view, seat, expected, Budget(playouts), words(1))


def test_it_goes_out_where_it_can() -> None:
    """G-5.1: a set and one card are left; whoever throws a card of the set away does not win."""
    state = tongits.in_play(tongits.table("7H 7D 7C KS", melds=[(0, "2S 3S 4S")]))
    game = tongits.GAME
    expected = tongits.move_of("discard 7C")
    assert game.move_text(search(game, state, 0, expected)) == "meld 7H 7D 7C"


def test_it_beats_a_trick_that_it_can_beat() -> None:
    """P-4.3: the last to play to a trick completes five aces, or leaves it to five nines."""
    hands = {
        0: "9S 9C 5D 6C 7S 8S 3S TS JS QS KS 3H",
        1: "AS AH 4C 4D 5C 5H 6D 6H 7D 7H 8D 8H",
        2: "9H 9D TH TD JH JD QH QD 3D 3C 4S 5S",
        3: "AD AC 6S 7C 8C 4H TC JC QC KC KH KD",
    }
    state = pokex.playing(pokex.make_options(), hands, "2S", bid=1, wild_rank=2)
    pokex.play_trick(state, "9S 9C", "9H 9D", "AS AH")
    assert state.public.to_act == 3
    found = search(pokex.GAME, state, 3, pokex_moves.play(cards.parse("6S 7C")))
    assert pokex.GAME.move_text(found) == "play AD AC"


def test_it_makes_the_best_of_the_last_tricks() -> None:
    """T-7, T-9: two cards are left, and the last to play keeps the one that may win the end.

    Every such position of some deals is tried, with the worse card as the expected one. What is
    better is reckoned from many worlds, in which nobody has a choice any more.
    """
    game, guide, options = GAMES["tractor"], guide_of("tractor"), options_of("tractor")
    tried = 0
    for seed in range(5, 12):
        for state, seat in some_states(game, options, seed, every=1):
            public, hand = state.public, state.hands[seat]
            if len(public.plays) < 3 or public.lead.count > 1 or cards.count(hand) > 2:
                continue
            draw, worlds = words(seed), []
            for _ in range(40):
                worlds.append(game.worlds(game.view(state, seat), draw))
                guide.touch_up(worlds[-1], seat)
            worth = {
                move: sum(trials.play_out(guide, game.copy(w), seat, move) for w in worlds)
                for move in game.legal_moves(state, seat).moves
            }
            best, worst = max(worth, key=worth.__getitem__), min(worth, key=worth.__getitem__)
            if worth[best] - worth[worst] > 8 * len(worlds):
                assert search(game, state, seat, worst) == best
                tried += 1
    assert tried


# What it spends ------------------------------------------------------------------------------


def test_iterations_bound_the_playouts(monkeypatch: pytest.MonkeyPatch) -> None:
    state = tongits.in_play(tongits.table("7H 7D 7C KS 5S 9D", melds=[(0, "2S 3S 4S")]))
    played = _count_playouts(monkeypatch)
    search(tongits.GAME, state, 0, tongits.move_of("discard 7C"), playouts=40)
    most = len(guide_of("tongits").worth_trying(state, 0)) + 1
    assert 40 <= len(played) < 40 + most


def test_milliseconds_bound_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock is looked at after every playout; here each look takes ten milliseconds."""
    ticks = count()
    monkeypatch.setattr(trials, "perf_counter", lambda: next(ticks) * 0.01)
    state = tongits.in_play(tongits.table("7H 7D 7C KS 5S 9D", melds=[(0, "2S 3S 4S")]))
    seen = guide_of("tongits").worth_trying(state, 0)
    played = _count_playouts(monkeypatch)
    view = tongits.GAME.view(state, 0)
    best_move(guide_of("tongits"), view, 0, seen[0], Budget(seconds=0.05), words(1))
    assert len(played) == 5


def _count_playouts(monkeypatch: pytest.MonkeyPatch) -> list[Move]:
    """Playouts from now on, by the move that each tried."""
    played: list[Move] = []
    real = trials.play_out

    def counted(guide: Guide, state: Any, seat: Seat, move: Move) -> float:
        played.append(move)
        return real(guide, state, seat, move)

    monkeypatch.setattr(trials, "play_out", counted)
    return played


def test_a_clock_that_runs_out_cuts_the_search_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """With no time left one move is looked at, whatever was asked for."""
    state = tongits.in_play(tongits.table("7H 7D 7C KS 5S 9D", melds=[(0, "2S 3S 4S")]))
    bot = SearchBot(iterations=1000)
    sit(bot, tongits.GAME, state.public.options, 0)
    view, decision = question(tongits.GAME, state, 0)
    decision.message.time_left.nanos = 1
    played = _count_playouts(monkeypatch)
    tongits.GAME.check(state, 0, answer(bot, (view, decision)))
    assert len(played) == 1


def test_a_search_leaves_time_for_the_searches_that_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """One clock runs out no sooner because another bot of the process thinks first."""
    state = tongits.in_play(tongits.table("7H 7D 7C KS 5S 9D", melds=[(0, "2S 3S 4S")]))
    bot = SearchBot(iterations=1000)
    sit(bot, tongits.GAME, state.public.options, 0)
    view, decision = question(tongits.GAME, state, 0)
    decision.message.time_left.seconds = 10
    spent: list[float] = []

    def note(_playouts: int, seconds: float) -> Budget:
        spent.append(seconds)
        return Budget(1)

    monkeypatch.setattr("croupier_server.bots.search.Budget", note)
    monkeypatch.setattr("croupier_server.bots.search.perf_counter", lambda: 0.0)
    for waiting in (0, 4):
        turns = SimpleNamespace(turn=lambda _, number=waiting: nullcontext(number))
        monkeypatch.setattr("croupier_server.bots.search._TURNS", turns)
        answer(bot, (view, decision))
    assert spent == [2.5, 0.5]


def test_forced_moves_are_played_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    state = tongits.table("7H 8D KC")
    played = _count_playouts(monkeypatch)
    bot = SearchBot(iterations=1000)
    sit(bot, tongits.GAME, state.public.options, 0)
    assert answer(bot, question(tongits.GAME, state, 0)) == tongits.move_of("draw")
    assert not played


# Its name ------------------------------------------------------------------------------------


def test_its_name_says_what_it_spends() -> None:
    assert parse_spec("search") == SearchSpec(MS_DEFAULT, 0)
    assert parse_spec("search:ms=20") == SearchSpec(20, 0)
    assert parse_spec("search:iterations=300") == SearchSpec(0, 300)


@pytest.mark.parametrize(
    "spec", ["searching", "search:", "search:ms=0", "search:ms=-1", "search:depth=3", "greedy"]
)
def test_no_other_name_means_it(spec: str) -> None:
    assert parse_spec(spec) is None


def test_contests_and_house_seats_know_it() -> None:
    first, second = read_entrants(["search:iterations=9", "search"])
    assert (first.name, second.name) == ("search@9", "search")
    assert first.program[-4:] == (
        "-m",
        "croupier_server.bots.worker",
        "--bot",
        "search:iterations=9",
    )
    assert {"search", "greedy", "random"} == BOTS


def test_the_worker_makes_every_bot() -> None:
    assert isinstance(load_any("search:ms=5")(), SearchBot)
    assert isinstance(load_any("greedy")(), GreedyBot)
    assert isinstance(load_any("random")(), RandomBot)
    with pytest.raises(UsageError):
        load_any("search:ms=0")
