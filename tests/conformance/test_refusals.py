"""Every refusal of every game can happen, is one that the contract documents, and names its clause.

Moves of all sorts are tried at tables of all options until every reason has been given. Which
reasons belong to a game the comments of ``errors.proto`` say: those that name it, and those that
name no game.
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
from croupier_server.games.base import Move, Seat
from croupier_server.games.registry import AnyGame, find
from croupier_server.wire.registry import WIRES_BY_NAME
from scripts.gen_docs import reasons
from tests.conformance.garbage import moves_like
from tests.conformance.playouts import steps
from tests.conformance.subjects import NAMES, tables

TABLES = 600
"""So many tables are played before a reason counts as one that is never given."""

EVERY_GAME = {Reason.NOT_YOUR_TURN, Reason.MALFORMED_MOVE, Reason.MOVE_NOT_EXPECTED}
"""What any game has to say to some move."""

Refusal = tuple[type[CroupierError], Reason, str]
"""Class, reason, and clause or nothing."""


@cache
def documented(root: Path) -> dict[Reason, str]:
    """What ``errors.proto`` says of each reason."""
    proto = (root / "protos/croupier/v1/errors.proto").read_text(encoding="utf-8")
    return {Reason(name): meaning for name, _, meaning in reasons(proto)}


def own_reasons(root: Path, name: str) -> set[Reason]:
    """The reasons whose comment names the game."""
    title = WIRES_BY_NAME[name].title
    return {reason for reason, text in documented(root).items() if text.startswith(title)}


def shared_reasons(root: Path) -> set[Reason]:
    """The reasons of rules whose comment names no game: those that games give beside their own."""
    all_own = set().union(*(own_reasons(root, name) for name in NAMES))
    words = ("The seat does not hold", "Too many or too few cards", "The options of this table")
    return {
        reason
        for reason, text in documented(root).items()
        if reason not in all_own and text.startswith(words)
    }


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
                        clause = error.clause if isinstance(error, IllegalMove) else ""
                        yield type(error), error.reason, clause
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
def given(name: str, root: Path) -> frozenset[Refusal]:
    """Every refusal that the game gave until it had given all that it should, or longer."""
    game = find(name)
    wanted = own_reasons(root, name) | EVERY_GAME
    found: set[Refusal] = set()
    for refusal in refusals(game, TABLES):
        found.add(refusal)
        wanted.discard(refusal[1])
        if not wanted:
            break
    # A while longer, as a clause that does not exist may hide behind a reason that was given.
    found.update(islice(refusals(game, 5), 20_000))
    return frozenset(found)


@pytest.mark.parametrize("name", NAMES)
def test_every_reason_of_a_game_is_given(name: str, root: Path) -> None:
    """What the contract threatens with can happen."""
    found = {reason for _, reason, _ in given(name, root)}
    assert own_reasons(root, name) | EVERY_GAME <= found


@pytest.mark.parametrize("name", NAMES)
def test_no_game_gives_a_reason_of_another(name: str, root: Path) -> None:
    found = {reason for _, reason, _ in given(name, root)}
    assert found <= own_reasons(root, name) | EVERY_GAME | shared_reasons(root)


def test_every_shared_reason_is_given_by_some_game(root: Path) -> None:
    found = {reason for name in NAMES for _, reason, _ in given(name, root)}
    assert shared_reasons(root) <= found


@pytest.mark.parametrize("name", NAMES)
def test_refusals_are_of_the_right_class_and_name_a_clause(name: str, root: Path) -> None:
    """An illegal move is told the clause that forbids it, and that clause exists."""
    clauses = find(name).clauses()
    for kind, reason, clause in given(name, root):
        if reason is Reason.NOT_YOUR_TURN:
            assert kind is NotYourTurn
        elif reason in (Reason.MALFORMED_MOVE, Reason.MOVE_NOT_EXPECTED):
            assert kind is MalformedMove
        else:
            assert kind is IllegalMove, reason
            assert clause in clauses, f"{reason} cites {clause!r}"


def test_every_reason_is_documented(root: Path) -> None:
    """The enum of the server, the contract, and the page for bot authors hold the same."""
    page = (root / "docs/protocol.md").read_text(encoding="utf-8")
    assert set(documented(root)) == set(Reason)
    for reason, meaning in documented(root).items():
        assert f"| `{reason}` |" in page
        assert meaning in page
