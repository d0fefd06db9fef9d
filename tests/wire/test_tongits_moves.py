"""Moves of Tong-its from messages: what is read, and what is refused with which path."""

from __future__ import annotations

from functools import partial

import pytest

from croupier.v1 import game_pb2
from croupier_server.errors import MalformedMove
from croupier_server.games.base import Legal, Move, Pattern
from croupier_server.games.cards import parse
from croupier_server.games.modules import WIRES_BY_NAME
from croupier_server.games.tongits import moves
from croupier_server.games.tongits.moves import TongitsMoveKind
from croupier_server.wire.moves import LegalMode
from tests.wire import messages
from tests.wire.oracle_tongits import TongitsOracle

WIRE = WIRES_BY_NAME["tongits"]
ORACLE = TongitsOracle()


move_of = partial(messages.move_of, "tongits")
refusal = partial(messages.refusal, "tongits")


@pytest.mark.parametrize(
    "code",
    [
        *sorted(moves.BARE),
        moves.take_for_meld(parse("7H 7C")),
        moves.take_for_meld(parse("2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS")),
        moves.take_for_lay_off(0),
        moves.take_for_lay_off(51),
        parse("7S 7H 7D") | moves.MELD,
        parse("AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS") | moves.MELD,
        parse("2S 2H 2D 2C") | moves.SECRET_FOUR,
        parse("AS AH AD AC") | moves.SECRET_FOUR,
        moves.lay_off(0, parse("AC")),
        moves.lay_off(51, parse("4S 5S 6S")),
        moves.discard(1),
        moves.discard(52),
    ],
    ids=moves.move_text,
)
def test_a_move_comes_back(code: int) -> None:
    messages.check_comes_back("tongits", ORACLE.move(code), code)


def test_the_order_of_cards_means_nothing() -> None:
    assert WIRE.move_code(move_of("meld", cards=[27, 1, 14])) == parse("2S 2H 2D") | moves.MELD
    assert WIRE.move_code(move_of("lay_off", meld=3, cards=[2, 1])) == moves.lay_off(
        3, parse("2S 3S")
    )


@pytest.mark.parametrize(
    "code",
    [
        0,
        15,
        moves.MELD,
        moves.DISCARD,
        moves.SECRET_FOUR,
        moves.TAKE_DISCARD,
        moves.FOLD | 16,
        parse("2S 3S") | moves.DISCARD,
        parse("2S 2S") | moves.DISCARD,
        parse("2S 2H 2D 3C") | moves.SECRET_FOUR,
        parse("2S 2H 2D") | moves.SECRET_FOUR,
        parse("4S") | moves.LAY_OFF,
        moves.lay_off(52, parse("4S")),
        moves.lay_off(1, 0),
        moves.take_for_lay_off(52),
        moves.take_for_lay_off(2) | parse("4S"),
        moves.lay_off(0, parse("4S 5S 6S")) ^ moves.LAY_OFF ^ moves.MELD,
    ],
)
def test_what_is_no_move_is_not_encoded(code: int) -> None:
    with pytest.raises(MalformedMove):
        WIRE.move_bytes(code)


@pytest.mark.parametrize(
    ("arm", "fields", "least", "most"),
    [
        ("take_discard", {}, 1, 12),
        ("meld", {}, 3, 14),
        ("lay_off", {"meld": 2}, 1, 13),
    ],
)
def test_the_number_of_cards(arm: str, fields: dict[str, int], least: int, most: int) -> None:
    deck = list(range(1, 53))
    for number in (least, most):
        assert WIRE.move_code(move_of(arm, cards=deck[:number], **fields)) > 0
    for number in (least - 1, most + 1):
        error = refusal(arm, cards=deck[:number], **fields)
        assert error.field == f"move.tongits.{arm}.cards"


@pytest.mark.parametrize(
    ("arm", "fields"), [("take_discard", {}), ("meld", {}), ("lay_off", {"meld": 0})]
)
@pytest.mark.parametrize("number", [0, -1, 55, 2**31 - 1])
def test_an_unknown_card(arm: str, fields: dict[str, int], number: int) -> None:
    for before in (2, 8):
        cards = [*range(1, 1 + before), number]
        error = refusal(arm, cards=cards, **fields)
        assert error.field == f"move.tongits.{arm}.cards[{before}]"


@pytest.mark.parametrize("arm", ["meld", "lay_off", "take_discard"])
@pytest.mark.parametrize("before", [[1, 2], [1, 2, 3, 4, 5, 6, 7]])
def test_cards_that_one_pack_does_not_have(arm: str, before: list[int]) -> None:
    """G-1.1: one pack of 52."""
    fields = {"meld": 1} if arm == "lay_off" else {}
    for extra in (1, 53, 54):
        error = refusal(arm, cards=[*before, extra], **fields)
        assert error.field == f"move.tongits.{arm}.cards[{len(before)}]"


@pytest.mark.parametrize("number", [52, 2**32 - 1])
def test_a_meld_that_no_deal_has(number: int) -> None:
    assert refusal("lay_off", meld=number, cards=[1]).field == "move.tongits.lay_off.meld"
    assert refusal("take_discard", meld=number).field == "move.tongits.take_discard.meld"


def test_the_discard_is_taken_either_with_cards_or_for_a_meld() -> None:
    """G-2.2: exactly one of the two says what it is taken for; meld 0 is one."""
    assert refusal("take_discard").field == "move.tongits.take_discard.cards"
    assert refusal("take_discard", cards=[1, 2], meld=0).field == "move.tongits.take_discard.meld"
    assert WIRE.move_code(move_of("take_discard", meld=0)) == moves.take_for_lay_off(0)


@pytest.mark.parametrize("number", [0, 53, 54, 55, -1])
def test_discarding_no_card(number: int) -> None:
    assert refusal("discard", card=number).field == "move.tongits.discard.card"


@pytest.mark.parametrize("number", [0, 1, 15, -3])
def test_a_secret_four_of_no_rank(number: int) -> None:
    assert refusal("secret_four", rank=number).field == "move.tongits.secret_four.rank"


# Legal answers -----------------------------------------------------------------------------------


def check(legal: Legal) -> game_pb2.LegalMoves:
    found = WIRE.legal_bytes(legal, LegalMode.FULL)
    assert found == ORACLE.legal_moves(legal).SerializeToString(deterministic=True)
    return game_pb2.LegalMoves.FromString(found)


def test_an_answer_of_moves_of_several_kinds() -> None:
    """A meld of the same cards is listed with the kind that it is given."""
    run, four = parse("4S 5S 6S") | moves.MELD, parse("4S 4H 4D 4C")
    listed = (run, four | moves.MELD, four | moves.SECRET_FOUR, moves.discard(3), moves.discard(52))
    kinds = (
        TongitsMoveKind.MELD_RUN,
        TongitsMoveKind.MELD_SET,
        TongitsMoveKind.SECRET_FOUR,
        TongitsMoveKind.DISCARD,
        TongitsMoveKind.DISCARD,
    )
    message = check(Legal(listed, kinds))
    assert [move.kind.tongits for move in message.moves] == list(map(int, kinds))
    check(Legal(listed[:2], (kinds[1], kinds[0])))


def test_a_meld_that_is_not_listed_is_a_pattern_without_a_choice() -> None:
    one = Pattern(TongitsMoveKind.MELD_RUN, parse("2S 3S 4S"), 0, 0, 0)
    (found,) = check(Legal((), (), (one,))).patterns
    assert list(found.template.tongits.meld.cards) == [1, 2, 3]
    assert found.HasField("cards")
    assert (list(found.cards.pool), found.cards.min, found.cards.max) == ([], 0, 0)


@pytest.mark.parametrize(
    ("move", "kind"),
    [
        (moves.lay_off(2, parse("4S")), TongitsMoveKind.LAY_OFF),
        (moves.discard(3), TongitsMoveKind.DISCARD),
        (parse("4S 4H 4D 4C") | moves.SECRET_FOUR, TongitsMoveKind.SECRET_FOUR),
        (moves.END_TURN, TongitsMoveKind.END_TURN),
    ],
)
def test_any_move_of_a_turn_can_be_a_pattern(move: Move, kind: TongitsMoveKind) -> None:
    one = Pattern(kind, move & ~moves.TYPE_MASK, 0, 0, 0)
    assert moves.pattern_move(one) == move
    message = game_pb2.LegalMoves.FromString(
        WIRE.legal_bytes(Legal((), (), (one,)), LegalMode.FULL)
    )
    assert message.patterns[0].template == ORACLE.move(move)
