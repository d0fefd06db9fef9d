"""Every refusal of every game can happen, is one that the game documents, and names its clause.

Moves of all sorts are tried at tables of all options until every rule of the game has been named.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from croupier_server.errors import (
    CroupierError,
    IllegalMove,
    MalformedMove,
    NotYourTurn,
    Reason,
)
from croupier_server.games.base import AnyGame, Move, Seat
from croupier_server.games.modules import WIRES_BY_NAME
from croupier_server.games.registry import find
from scripts.gen_docs import reasons
from tests.conformance.garbage import moves_like
from tests.conformance.playouts import steps
from tests.conformance.subjects import NAMES, tables

TABLES = 600
"""So many tables are played before a reason counts as one that is never given."""


def due(name: str) -> set[str]:
    """What the game has to say to some move. Where all decisions are of one kind, no move can be
    of a kind that is not expected."""
    kinds = len(WIRES_BY_NAME[name].decision_kinds) - 1  # 0 is not a kind
    other_kind = {Reason.MOVE_NOT_EXPECTED} if kinds > 1 else set()
    return {*find(name).refusals(), Reason.NOT_YOUR_TURN, Reason.MALFORMED_MOVE, *other_kind}


Refusal = tuple[type[CroupierError], str, str]
"""Class, rule or reason, and clause or nothing."""


def refusals(game: AnyGame, tried: int) -> Iterator[Refusal]:
    """What moves of all sorts are told at so many tables."""
    for seed, options in enumerate(islice(tables(game), tried)):
        rng = Random(seed)
        seen: list[Move] = []
        for step in steps(game, options, seed, most=300, silence=(0.1, 0.5)[seed % 2]):
            asked = game.to_act(step.state)
            for seat in asked or (0,):
                for move in tried_moves(game, step.state, seat, seen, rng):
                    try:
                        game.check(step.state, seat, move)
                    except CroupierError as error:
                        if isinstance(error, IllegalMove):
                            yield type(error), str(error.rule), error.clause
                        else:
                            yield type(error), error.reason, ""
            seen = [*seen[-100:], *step.entry.by_seat().values()]


def tried_moves(
    game: AnyGame, state: object, seat: Seat, seen: list[Move], rng: Random
) -> Iterator[Move]:
    hand = getattr(game.view(state, seat), "hand", 0)
    legal = [1]
    if seat in game.to_act(state):
        legal = list(islice(game.members(game.legal_moves(state, seat)), 70))
    yield from moves_like(rng.sample(legal, min(2, len(legal))), hand, seen, rng)


@cache
def given(name: str) -> frozenset[Refusal]:
    """Every refusal that the game gave until it had given all that it should, or longer."""
    game = find(name)
    wanted = due(name)
    found: set[Refusal] = set()
    for refusal in refusals(game, TABLES):
        found.add(refusal)
        wanted.discard(refusal[1])
        if not wanted:
            break
    # A while longer, as a clause that does not exist may hide behind a rule that was named.
    found.update(islice(refusals(game, 5), 20_000))
    return frozenset(found)


@pytest.mark.parametrize("name", NAMES)
def test_a_game_refuses_by_its_own_words_and_by_all_of_them(name: str) -> None:
    found = {word for _, word, _ in given(name)}
    assert found == due(name)


@pytest.mark.more
@pytest.mark.parametrize("name", NAMES)
def test_refusals_are_of_the_right_class_and_name_a_clause(name: str) -> None:
    """An illegal move is told the clause that forbids it, and that clause exists."""
    clauses = find(name).clauses()
    for kind, word, clause in given(name):
        if word == Reason.NOT_YOUR_TURN:
            assert kind is NotYourTurn
        elif word in (Reason.MALFORMED_MOVE, Reason.MOVE_NOT_EXPECTED):
            assert kind is MalformedMove
        else:
            assert kind is IllegalMove, word
            assert clause in clauses, f"{word} cites {clause!r}"


@pytest.mark.parametrize("name", NAMES)
def test_every_refusal_is_documented(name: str, root: Path) -> None:
    """The words are distinct from the engine's reasons, and the page of the rules has them all."""
    page = (root / f"docs/rules/{name}.md").read_text(encoding="utf-8")
    for word, meaning in find(name).refusals().items():
        assert word not in Reason.__members__
        assert f"| `{word}` | {meaning} |" in page


def test_every_reason_is_documented(root: Path) -> None:
    """The enum of the server, the contract, and the page for bot authors hold the same."""
    proto = (root / "protos/croupier/v1/errors.proto").read_text(encoding="utf-8")
    page = (root / "docs/protocol.md").read_text(encoding="utf-8")
    documented = {name: meaning for name, _, meaning in reasons(proto)}
    assert set(documented) == set(Reason)
    for reason, meaning in documented.items():
        assert f"| `{reason}` |" in page
        assert meaning in page
