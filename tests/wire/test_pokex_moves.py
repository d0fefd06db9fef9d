"""Moves of Pokex from messages: what is read, and what is refused with which path."""

from __future__ import annotations

from functools import partial
from itertools import combinations

import pytest

from croupier.v1 import game_pb2
from croupier_server.errors import IllegalMove, MalformedMove, Reason
from croupier_server.games.base import Legal, Pattern
from croupier_server.games.cards import parse
from croupier_server.games.modules import WIRES_BY_NAME
from croupier_server.games.pokex import moves
from croupier_server.games.pokex.moves import PokexMoveKind
from croupier_server.games.pokex.refusals import Rule
from croupier_server.wire.moves import LegalMode
from tests.wire import messages
from tests.wire.oracle_pokex import PokexOracle

WIRE = WIRES_BY_NAME["pokex"]
ORACLE = PokexOracle()
PLAY = int(PokexMoveKind.PLAY)


move_of = partial(messages.move_of, "pokex")
refusal = partial(messages.refusal, "pokex")


@pytest.mark.parametrize(
    "code",
    [
        moves.PASS,
        moves.bid(1),
        moves.bid(6),
        moves.name_rank(2),
        moves.name_rank(14),
        moves.play(parse("2S 3S")),
        moves.play(parse("BJ RJ")),
        moves.play(parse("AC RJ"), 1),
        moves.play(parse("2S AC"), 54),
    ],
    ids=moves.move_text,
)
def test_a_move_comes_back(code: int) -> None:
    messages.check_comes_back("pokex", ORACLE.move(code), code)


def test_the_order_of_cards_means_nothing() -> None:
    assert WIRE.move_code(move_of("play", cards=[54, 3])) == moves.play(parse("4S RJ"))
    assert WIRE.move_code(move_of("play", cards=[54, 3], center=7)) == moves.play(parse("4S RJ"), 7)


@pytest.mark.parametrize(
    "code",
    [
        0,
        15,
        moves.PASS | 16,
        moves.bid(0),
        moves.bid(7),
        moves.name_rank(1),
        moves.name_rank(15),
        moves.PLAY,
        moves.play(parse("2S")),
        moves.play(parse("2S 3S 4S")),
        moves.play(parse("2S 3S"), 55),
    ],
)
def test_what_is_no_move_is_not_encoded(code: int) -> None:
    with pytest.raises(MalformedMove):
        WIRE.move_bytes(code)


@pytest.mark.parametrize("tricks", [0, 7, 2**32 - 1])
def test_a_bid_out_of_range(tricks: int) -> None:
    """P-2.1: one to six tricks."""
    error = refusal("bid", tricks=tricks)
    assert isinstance(error, IllegalMove)
    assert (error.rule, error.field) == (Rule.BID_OUT_OF_RANGE, "move.pokex.bid.tricks")


@pytest.mark.parametrize("number", [0, 1, 15, -3])
def test_naming_no_rank(number: int) -> None:
    error = refusal("name_rank", rank=number)
    assert (error.reason, error.field) == (Reason.MALFORMED_MOVE, "move.pokex.name_rank.rank")


@pytest.mark.parametrize("cards", [[], [1], [1, 2, 3], [1] * 54])
def test_a_play_has_two_cards(cards: list[int]) -> None:
    error = refusal("play", cards=cards)
    assert (error.reason, error.field) == (Reason.MALFORMED_MOVE, "move.pokex.play.cards")


@pytest.mark.parametrize("number", [0, -1, 55, 2**31 - 1])
def test_an_unknown_card(number: int) -> None:
    assert refusal("play", cards=[number, 1]).field == "move.pokex.play.cards[0]"
    assert refusal("play", cards=[1, number]).field == "move.pokex.play.cards[1]"
    assert refusal("play", cards=[1, 2], center=number).field == "move.pokex.play.center"


def test_a_card_that_is_there_once() -> None:
    """P-1.1."""
    assert refusal("play", cards=[9, 9]).field == "move.pokex.play.cards[1]"


# Legal answers -----------------------------------------------------------------------------------


def check(legal: Legal) -> game_pb2.LegalMoves:
    found = WIRE.legal_bytes(legal, LegalMode.FULL)
    assert found == ORACLE.legal_moves(legal).SerializeToString(deterministic=True)
    return game_pb2.LegalMoves.FromString(found)


def test_a_pattern_names_its_centre_card() -> None:
    """P-4.1: under `leader_picks` there is a pattern for each centre card that may be named."""
    hand = parse("2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS")
    spans = [Pattern(PLAY, center << moves.CENTER_SHIFT, hand, 2, 2) for center in (7, 54)]
    found = check(Legal((), (), spans)).patterns
    plays = [span.template.pokex.play for span in found]
    assert [play.center for play in plays] == [7, 54]
    assert all(play.HasField("center") and not play.cards for play in plays)
    (plain,) = check(Legal((), (), [Pattern(PLAY, 0, hand, 2, 2)])).patterns
    assert not plain.template.pokex.play.HasField("center")


def test_every_pair_with_every_centre_card() -> None:
    """More moves than are kept come out the same, seen before or not."""
    hand = [1 << 4 * card for card in (1, 15, 29, 43, 5, 19, 33, 47, 9, 23, 53)]
    pairs = [one | two for one, two in combinations(hand, 2)]
    for _ in range(2):
        for center in range(1, 55):
            listed = [moves.play(pair, center) for pair in pairs]
            check(Legal(listed, [PLAY] * len(listed)))
