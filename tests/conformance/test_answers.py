"""What a seat is told that it may do is exactly what is accepted from it.

`Game.check`, `legal_moves`, `members`, `sample` and `fallback` of every game agree with each other
in random playouts, for legal moves, for near misses, and for what nobody would send.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from random import Random

import pytest

from croupier_server.errors import CroupierError, NotYourTurn, Reason
from croupier_server.games.base import PUBLIC, AnyGame, Legal, Move, Seat, Turn
from croupier_server.games.registry import find
from croupier_server.wire.moves import LISTED_MAX
from tests.conformance.garbage import moves_like
from tests.conformance.playouts import steps, words
from tests.conformance.subjects import CASES, NAMES, random_texts, short, sizes

WALKED = 200
"""Members of an answer are looked at up to this many."""


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


def is_member(game: AnyGame, legal: Legal, move: Move) -> bool:
    """Whether *move* is listed or belongs to a pattern: only behind such a move goes a page on."""
    try:
        next(game.members(legal, move), None)
    except ValueError:
        return False
    return move != 0


def walk(game: AnyGame, legal: Legal) -> tuple[list[Move], bool]:
    """The first members of *legal*, and whether they are all there are."""
    assert len(legal.moves) == len(legal.kinds) == len(set(legal.moves))
    assert len(legal.moves) <= LISTED_MAX, "too many to be listed: the rest belongs to patterns"
    walked = list(islice(game.members(legal), WALKED))
    assert walked, "a seat that is asked can answer"
    assert len(walked) == len(set(walked))
    assert list(legal.moves) == walked[: len(legal.moves)]
    is_whole = len(walked) < WALKED
    if not legal.patterns:
        assert is_whole
        assert len(walked) == len(legal.moves)
    return walked, is_whole


def assert_pages(game: AnyGame, legal: Legal, walked: Sequence[Move], rng: Random) -> None:
    """A page goes on behind any move where the last one ended."""
    place = rng.randrange(len(walked))
    page = list(islice(game.members(legal, walked[place]), 10))
    assert page[: len(walked) - place - 1] == walked[place + 1 : place + 11]


def assert_answer(
    game: AnyGame, state: object, seat: Seat, rng: Random, others: Sequence[Move]
) -> None:
    """Lists, patterns, samples and checks of one decision agree."""
    legal = game.legal_moves(state, seat)
    walked, is_whole = walk(game, legal)
    assert_pages(game, legal, walked, rng)
    for move in rng.sample(walked, min(6, len(walked))):
        assert is_legal(game, state, seat, move), f"{game.move_text(move)} is listed"
        assert game.move_text(move)
    drawn = game.sample(legal, words(rng.getrandbits(64)))
    assert is_legal(game, state, seat, drawn)
    assert is_member(game, legal, drawn)
    known = set(walked)
    hand = getattr(game.view(state, seat), "hand", 0)
    for move in moves_like([drawn, rng.choice(walked)], hand, others, rng):
        is_known = move in known if is_whole else is_member(game, legal, move)
        assert is_legal(game, state, seat, move) == is_known, f"{move:#x}: listed is {is_known}"


def assert_fallback(game: AnyGame, state: object, seat: Seat) -> None:
    fallback = game.fallback(state, seat)
    assert is_legal(game, state, seat, fallback)
    assert is_member(game, game.legal_moves(state, seat), fallback)


def assert_outsiders(game: AnyGame, state: object, players: int, move: Move) -> None:
    """Who is not to act is refused as such, whatever the move."""
    insiders = game.to_act(state)
    for seat in {*range(players), players, PUBLIC} - set(insiders):
        with pytest.raises(NotYourTurn) as caught:
            game.check(state, seat, move)
        assert caught.value.reason is Reason.NOT_YOUR_TURN


def assert_answers(game: AnyGame, options: object, seed: int, most: int = 400) -> int:
    """A playout in which every third decision is looked at closely, and the first of a kind; how
    many were."""
    looked_at = 0
    seen_kinds: set[int] = set()
    rng = Random(seed)
    seen: list[Move] = [1]
    for step in steps(game, options, seed, most):
        asked = game.to_act(step.state)
        kinds = {game.decision_kind(step.state, seat) for seat in asked}
        if step.number % 3 == 0 or not kinds <= seen_kinds:
            assert_outsiders(game, step.state, game.players(options), rng.choice(seen))
            for seat in asked:
                assert_answer(game, step.state, seat, rng, seen)
                looked_at += 1
        seen_kinds |= kinds
        seen += step.entry.by_seat().values()
    return looked_at


@pytest.mark.more
@pytest.mark.parametrize(("name", "ruleset"), CASES)
def test_lists_and_checks_agree(name: str, ruleset: str) -> None:
    game = find(name)
    looked_at = 0
    for seed in range(20):
        looked_at += assert_answers(game, short(game, ruleset), seed)
        if looked_at > 120:
            break


@pytest.mark.more
@pytest.mark.parametrize("name", NAMES)
def test_lists_and_checks_agree_at_every_size(name: str) -> None:
    game = find(name)
    ruleset = game.rulesets()[-1]
    for size in sizes(game, ruleset):
        assert_answers(game, short(game, ruleset, 1, size), 3)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(6))
def test_lists_and_checks_agree_with_any_options(name: str, seed: int) -> None:
    game = find(name)
    texts = random_texts(game, Random(seed))
    assert_answers(game, short(game, game.rulesets()[0], 1, texts), seed)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("block", range(20))
def test_lists_and_checks_agree_at_length(name: str, block: int) -> None:
    game = find(name)
    for seed in range(100 + 20 * block, 120 + 20 * block):
        texts = random_texts(game, Random(seed))
        assert_answers(game, short(game, game.rulesets()[0], 1, texts), seed)


@pytest.mark.parametrize(("name", "ruleset"), CASES)
def test_the_fallback_is_always_legal(name: str, ruleset: str) -> None:
    """At every decision of a playout; and a match of nothing else comes to its end."""
    game = find(name)
    looked_at = 0
    for seed in range(20):
        for step in steps(game, short(game, ruleset, deals=2), seed):
            for seat in game.to_act(step.state):
                assert_fallback(game, step.state, seat)
                looked_at += 1
        if looked_at > 300:
            return


@pytest.mark.parametrize(("name", "ruleset"), CASES)
def test_a_match_of_fallbacks_ends(name: str, ruleset: str) -> None:
    """Seats that never answer do not keep a table for ever."""
    game = find(name)
    state = game.new(short(game, ruleset))
    rng = Random(8)
    for _ in range(5_000):
        turn = game.turn(state)
        if turn is Turn.OVER:
            return
        if turn is Turn.CHANCE:
            chance = game.chance(state)
            cards = rng.sample(chance.cards, len(chance.cards))
            game.apply_chance(state, cards or [rng.randrange(chance.sides)])
            continue
        answers = {seat: game.fallback(state, seat) for seat in game.to_act(state)}
        if turn is Turn.WINDOW:
            game.close_window(state, answers)
        else:
            ((seat, move),) = answers.items()
            game.apply(state, seat, move)
    pytest.fail("the match does not end")
