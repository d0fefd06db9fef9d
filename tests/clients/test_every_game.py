"""What the SDK promises of every game: house bots, moves, legal moves and options. Written once.

A game that is registered and known to the client is tested here without a line of its own.
"""

from __future__ import annotations

import statistics
from enum import IntEnum
from importlib import import_module
from typing import Any

import pytest

from croupier import Bot, Decision, Move
from croupier.arms import move_of
from croupier.bots import GreedyBot, RandomBot
from croupier.games import GAMES
from croupier.options import game_names, options_message
from croupier.views import View
from croupier_server.contest.pairing import Match, Seating, seated, seatings
from croupier_server.contest.results import margin
from croupier_server.contest.statistics.intervals import t_interval
from croupier_server.games import registry
from croupier_server.games.base import OptionSpec
from croupier_server.games.modules import WIRES_BY_NAME
from tests.clients.arena import Arena

RULESETS = [(name, one) for name, game in registry.GAMES.items() for one in game.rulesets()]
VALUES = [
    (name, spec, value)
    for name, game in registry.GAMES.items()
    for spec in game.option_specs()
    for value in spec.values
]


def seats_of(game: str, ruleset: str = "standard") -> int:
    rules = registry.GAMES[game]
    return rules.players(rules.options(ruleset, {}))


def test_the_client_knows_every_game_of_the_server() -> None:
    assert list(GAMES) == game_names()
    assert set(GAMES) == set(registry.GAMES)


@pytest.mark.parametrize("game", GAMES)
def test_kinds_have_the_numbers_and_names_of_the_contract(game: str) -> None:
    module = import_module(f"croupier.v1.{game}_pb2")
    title, words = game.capitalize(), GAMES[game]
    for name, enum in (("MoveKind", words.move_kind), ("DecisionKind", words.decision_kind)):
        found = getattr(module, f"{title}{name}").DESCRIPTOR
        prefix = found.values[0].name.removesuffix("UNSPECIFIED")
        theirs = {one.name.removeprefix(prefix): one.number for one in found.values if one.number}
        assert {one.name: int(one) for one in enum} == theirs


# House bots --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "ruleset"), RULESETS)
@pytest.mark.parametrize("bot", [RandomBot, GreedyBot])
def test_house_bots_play_legally_under_every_ruleset(
    game: str, ruleset: str, bot: type[Bot]
) -> None:
    for seed in range(3):
        bots = [bot() for _ in range(seats_of(game, ruleset))]
        assert len(Arena(bots, seed, ruleset, game=game).run()) == len(bots)


@pytest.mark.parametrize(
    ("game", "spec", "value"), [pytest.param(*v, id=f"{v[0]}-{v[1].name}-{v[2]}") for v in VALUES]
)
def test_greedy_plays_legally_whatever_an_option_is(
    game: str, spec: OptionSpec, value: str
) -> None:
    rules = registry.GAMES[game]
    seats = rules.players(rules.options("standard", {spec.name: value}))
    options = {spec.name: value} if spec.name != "players" else {}
    if spec.needs is not None and value in spec.needs.values:
        options[spec.needs.option] = spec.needs.value
    Arena([GreedyBot() for _ in range(seats)], 1, "standard", None, game=game, **options).run()


def board(game: str, ruleset: str, seed: int) -> float:
    """The score of `greedy` over `random` on a board, under every seating."""
    rules = registry.GAMES[game]
    options = rules.options(ruleset, {})
    teams = tuple(rules.team(options, seat) for seat in range(rules.players(options)))

    def score(way: Seating) -> float:
        bots = [(GreedyBot, RandomBot)[way[team]]() for team in teams]
        scores = Arena(bots, seed, ruleset, game=game).run()
        return margin(Match(0, 0, teams, seated((0, 1), way, teams)), scores, 0, 1)

    return statistics.mean(map(score, seatings(teams)))


@pytest.mark.more
@pytest.mark.parametrize(
    ("game", "ruleset"),
    [
        ("tractor", "standard"),
        ("tractor", "document"),
        ("tongits", "standard"),
        ("tongits", "document"),
        ("tongits", "pay244"),
        ("pokex", "standard"),
        ("pokex", "document"),
    ],
)
def test_greedy_is_clearly_ahead_of_random(game: str, ruleset: str) -> None:
    boards = 12 if game == "tractor" else 25
    found = t_interval([board(game, ruleset, seed) for seed in range(boards)])
    assert found is not None
    assert found.low is not None
    assert found.low > 0


@pytest.mark.parametrize("game", GAMES)
def test_greedy_draws_no_random_numbers(game: str) -> None:
    class Checked(GreedyBot):
        def decide(self, view: View, decision: Decision) -> Move:
            first = super().decide(view, decision)
            assert decision._random is None
            assert super().decide(view, decision) == first
            return first

    Arena([Checked() for _ in range(seats_of(game))], 7, game=game).run()


@pytest.mark.parametrize("game", GAMES)
def test_random_plays_the_same_match_again_with_the_same_seed(game: str) -> None:
    def notes(seed: int) -> list[str]:
        found: list[str] = []

        class Noting(RandomBot):
            def decide(self, view: View, decision: Decision) -> Move:
                found.append(str(super().decide(view, decision)))
                return super().decide(view, decision)

        Arena([Noting() for _ in range(seats_of(game))], seed, game=game).run()
        return found

    assert notes(1) == notes(1)
    assert notes(1) != notes(2)


def test_greedy_forgets_a_table_when_its_match_ends() -> None:
    from croupier.results import make_result
    from croupier.v1 import game_pb2, table_pb2

    bot = GreedyBot()
    for seat in (0, 1):
        bot.on_start(table_pb2.Table(table_id="t"), seat)
    ended = game_pb2.MatchResult(reason=game_pb2.END_REASON_FINISHED)
    for seat in (0, 1):
        bot.on_end(make_result(ended, "t", seat, "greedy", 1, b""))
    assert bot._options == {}


# Legal moves and their text ----------------------------------------------------------------------


@pytest.mark.more
@pytest.mark.parametrize(("game", "ruleset"), RULESETS)
def test_legal_moves_walk_count_and_sample_exactly_what_the_rules_accept(
    game: str, ruleset: str
) -> None:
    seen: set[IntEnum | None] = set()

    def watch(state: Any, seat: int, view: View, decision: Decision) -> None:
        legal = decision.legal
        if legal.is_truncated:
            return
        try:
            count = len(legal)
        except TypeError:
            return
        if count > 100:
            count = 0
        moves = list(legal) if count else [legal.sample(decision.random) for _ in range(3)]
        assert len(moves) == count or not count
        for move in moves:
            seen.add(move.kind)
            arena.rules.game.check(state, seat, arena.rules.wire.move_code(move.message))
            assert move in legal

    for seed in range(2):
        bots = [RandomBot() for _ in range(seats_of(game, ruleset))]
        arena = Arena(bots, seed, ruleset, watch, game=game)
        arena.run()
    assert len(seen) > 2


@pytest.mark.parametrize(("game", "ruleset"), RULESETS)
def test_moves_are_written_as_the_rules_write_them(game: str, ruleset: str) -> None:
    rules, wire = registry.GAMES[game], WIRES_BY_NAME[game]

    def watch(state: Any, seat: int, view: View, decision: Decision) -> None:
        for listed in decision.legal.message.moves:
            move = move_of(listed)
            assert str(move) == rules.move_text(wire.move_code(listed.move))
            assert move.type == getattr(listed.move, game).WhichOneof("move")
            assert repr(move) == f"<{move}>"

    bots = [RandomBot() for _ in range(seats_of(game, ruleset))]
    Arena(bots, 3, ruleset, watch, game=game).run()


@pytest.mark.parametrize(("game", "ruleset"), RULESETS)
def test_views_print_and_name_their_seat(game: str, ruleset: str) -> None:
    def watch(state: Any, seat: int, view: View, decision: Decision) -> None:
        assert view.seat == seat
        assert f"seat {seat}" in repr(view)
        assert f"deal {view.deal}" in str(view)
        assert "hand " in str(view)
        assert decision.kind.name in repr(decision)

    bots = [RandomBot() for _ in range(seats_of(game, ruleset))]
    Arena(bots, 4, ruleset, watch, game=game).run()


# Options -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_every_text_of_the_catalogue_is_an_option(game: str) -> None:
    rules = registry.GAMES[game]
    for spec in rules.option_specs():
        for value in spec.values or (spec.standard,):
            options_message(game, {spec.name: value})


@pytest.mark.parametrize(("game", "ruleset"), RULESETS)
def test_the_text_of_every_ruleset_gives_its_message(game: str, ruleset: str) -> None:
    rules = registry.GAMES[game]
    options = rules.options(ruleset, {})
    text = {name: value for name, value in rules.option_text(options).items() if value != "auto"}
    made = options_message(game, dict(text))
    whole = WIRES_BY_NAME[game].options_message(options)
    for field, value in getattr(made, game).ListFields():
        assert getattr(getattr(whole, game), field.name) == value, field.name
