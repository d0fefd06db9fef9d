"""Moves of Tractor from messages: what is read, and what is refused with which path."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from croupier.v1 import game_pb2
from croupier_server.errors import CroupierError, IllegalMove, MalformedMove, Reason
from croupier_server.games.base import Legal, Pattern
from croupier_server.games.cards import parse
from croupier_server.games.modules import WIRES
from croupier_server.games.patterns import LazyPatterns
from croupier_server.games.tractor import moves
from croupier_server.games.tractor.refusals import Rule
from croupier_server.wire.moves import LISTED_MAX, SUMMARY_MAX, LegalMode
from tests.wire import messages
from tests.wire.oracle_tractor import TractorOracle

WIRE = WIRES[game_pb2.GAME_KIND_TRACTOR]
ORACLE = TractorOracle()
LISTS = ("declare", "bury", "play")
CARD_MOVES = {"declare": moves.DECLARE, "bury": moves.BURY, "play": moves.PLAY}


def with_cards(arm: str, cards: list[int]) -> game_pb2.Move:
    """The move *arm* with *cards*; the arm is set even without cards."""
    message = game_pb2.Move()
    inner = getattr(message.tractor, arm)
    inner.SetInParent()
    inner.cards.extend(cards)
    return message


def refusal(message: game_pb2.Move) -> CroupierError:
    with pytest.raises((MalformedMove, IllegalMove)) as caught:
        WIRE.move_code(message)
    return caught.value


# Good moves --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "code",
    [
        moves.PASS,
        parse("7S 7S") | moves.DECLARE,
        moves.call(5),
        moves.call(600),
        parse("RJ") | moves.SHOW,
        parse("2S") | moves.SHOW,
        *(moves.name_trumps(suit) for suit in (0, 1, 2, 3, None)),
        parse("2S 2S 3S 5H TH KD AC RJ") | moves.BURY,
        parse("2S 2S 2S 2S 2S 2S") | moves.PLAY,
        parse("AS") | moves.PLAY,
    ],
    ids=moves.move_text,
)
def test_a_move_comes_back(code: int) -> None:
    messages.check_comes_back("tractor", ORACLE.move(code), code)


@pytest.mark.parametrize("arm", LISTS)
def test_the_order_of_cards_means_nothing(arm: str) -> None:
    assert WIRE.move_code(with_cards(arm, [54, 3, 3, 1])) == (
        parse("2S 4S 4S RJ") | CARD_MOVES[arm]
    )


@pytest.mark.parametrize("code", [0, 15, moves.PASS | 16, moves.name_trumps(None) + 16])
def test_what_is_no_move_is_not_encoded(code: int) -> None:
    with pytest.raises(MalformedMove):
        WIRE.move_bytes(code)


# Bad moves ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("arm", LISTS)
@pytest.mark.parametrize("number", [0, -1, 55, 2**31 - 1, -(2**31)])
@pytest.mark.parametrize("before", [0, 3, 30])
def test_an_unknown_card(arm: str, number: int, before: int) -> None:
    if arm == "declare":
        before = min(before, 5)
    known = [1 + place % 54 for place in range(before)]
    error = refusal(with_cards(arm, [*known, number]))
    assert error.field == f"move.tractor.{arm}.cards[{before}]"
    assert error.reason is Reason.MALFORMED_MOVE


@pytest.mark.parametrize("arm", LISTS)
def test_no_cards(arm: str) -> None:
    assert refusal(with_cards(arm, [])).field == f"move.tractor.{arm}.cards"


@pytest.mark.parametrize(("arm", "most"), [("declare", 6), ("bury", 200), ("play", 200)])
def test_too_many_cards(arm: str, most: int) -> None:
    deck = [1 + place % 54 for place in range(most)]
    assert WIRE.move_code(with_cards(arm, deck)) > 0
    assert refusal(with_cards(arm, [*deck, 1])).field == f"move.tractor.{arm}.cards"


@pytest.mark.parametrize("arm", ["bury", "play"])
@pytest.mark.parametrize("copies", [7, 8, 15, 16, 17, 200])
def test_more_copies_than_any_pack_has(arm: str, copies: int) -> None:
    error = refusal(with_cards(arm, [9] * copies))
    assert error.field == f"move.tractor.{arm}.cards[6]"


@pytest.mark.parametrize("number", [0, 601, 2**32 - 1])
def test_calls_out_of_bounds(number: int) -> None:
    message = game_pb2.Move()
    message.tractor.call.SetInParent()
    message.tractor.call.points = number
    assert refusal(message).field == "move.tractor.call.points"


@pytest.mark.parametrize("number", [0, 55, -1])
def test_showing_no_card(number: int) -> None:
    message = game_pb2.Move.FromString(b"\x0a\x02\x22\x00")
    message.tractor.show.card = number  # type: ignore[assignment]
    assert refusal(message).field == "move.tractor.show.card"


def test_naming_nothing() -> None:
    message = game_pb2.Move()
    message.tractor.name_trumps.SetInParent()
    error = refusal(message)
    assert (error.reason, error.field) == (Reason.MALFORMED_MOVE, "move.tractor.name_trumps.suit")


@pytest.mark.parametrize("number", [6, -1])
def test_naming_no_suit(number: int) -> None:
    message = game_pb2.Move()
    message.tractor.name_trumps.suit = number  # type: ignore[assignment]
    error = refusal(message)
    assert error.field == "move.tractor.name_trumps.suit"
    assert isinstance(error, IllegalMove)
    assert (error.rule, error.clause) == (Rule.UNKNOWN_TRUMP_SUIT, "T-11.3")


# Legal answers -----------------------------------------------------------------------------------

SINGLES = [1 << 4 * card | moves.PLAY for card in range(1, 55)]
KIND = int(moves.TractorMoveKind.FOLLOW)


def listed(number: int) -> Legal:
    return Legal(SINGLES[:number], [KIND] * number)


def patterns(number: int) -> tuple[Pattern, ...]:
    return tuple(Pattern(KIND, 1 << 4, 1 << 4 * (2 + one % 50), 0, 1) for one in range(number))


def legal_message(legal: Legal, mode: LegalMode) -> game_pb2.LegalMoves:
    return game_pb2.LegalMoves.FromString(WIRE.legal_bytes(legal, mode))


@pytest.mark.parametrize("legal", [listed(0), listed(1), listed(54), Legal([], [], patterns(64))])
def test_full_answers(legal: Legal) -> None:
    assert legal_message(legal, LegalMode.FULL) == ORACLE.legal_moves(legal)
    assert not legal_message(legal, LegalMode.FULL).truncated


def test_more_patterns_than_fit() -> None:
    message = legal_message(Legal([], [], patterns(65)), LegalMode.FULL)
    assert message == ORACLE.legal_moves(Legal([], [], patterns(65)))
    assert len(message.patterns) == LISTED_MAX
    assert message.truncated


def test_no_more_patterns_are_made_than_are_sent() -> None:
    made = []

    def endless() -> Iterator[Pattern]:
        while True:
            made.append(1)
            yield patterns(1)[0]

    lazy = LazyPatterns(endless())
    assert legal_message(Legal([], [], lazy), LegalMode.FULL).truncated
    assert len(made) == LISTED_MAX + 1


@pytest.mark.parametrize(
    ("legal", "is_sent"),
    [
        (listed(SUMMARY_MAX), True),
        (listed(SUMMARY_MAX + 1), False),
        (Legal([], [], patterns(SUMMARY_MAX)), True),
        (Legal([], [], patterns(SUMMARY_MAX + 1)), False),
        (Legal(SINGLES[:10], [KIND] * 10, patterns(6)), True),
        (Legal(SINGLES[:10], [KIND] * 10, patterns(7)), False),
    ],
)
def test_a_summary_is_whole_or_nothing(legal: Legal, is_sent: bool) -> None:
    message = legal_message(legal, LegalMode.SUMMARY)
    if is_sent:
        assert message == ORACLE.legal_moves(legal)
    else:
        assert message == game_pb2.LegalMoves(truncated=True)


def test_off_sends_nothing_and_says_so() -> None:
    assert legal_message(listed(3), LegalMode.OFF) == game_pb2.LegalMoves(truncated=True)


def test_calls_are_a_range_with_a_step() -> None:
    span = Pattern(int(moves.TractorMoveKind.CALL), 0, 0, 5, 600)
    (found,) = legal_message(Legal([moves.PASS], [1], (span,)), LegalMode.FULL).patterns
    assert found.template.tractor.HasField("call")
    assert found.number == game_pb2.NumberRange(min=5, max=600, step=5)


def test_a_legal_move_and_a_decision_kind() -> None:
    wanted = ORACLE.legal_move(SINGLES[3], KIND)
    assert WIRE.legal_move_bytes(SINGLES[3], KIND) == wanted.SerializeToString()
    for kind in moves.TractorDecisionKind:
        message = game_pb2.DecisionKind(tractor=int(kind))  # type: ignore[arg-type]
        assert WIRE.decision_kinds[kind] == message.SerializeToString()


@pytest.mark.more
def test_answers_do_not_depend_on_what_was_encoded_before() -> None:
    """Encoded moves are kept; more than are kept come out the same, for every kind."""
    rng = random.Random(1)
    seen: set[int] = set()
    while len(seen) < 5000:
        seen.add(sum(1 << 4 * rng.randrange(1, 55) for _ in range(4)) | moves.PLAY)
    for start in range(0, 5000, 50):
        some = sorted(seen)[start : start + 50]
        for kind in (KIND, int(moves.TractorMoveKind.DISCARD)):
            legal = Legal(some, [kind] * len(some))
            for _ in range(2):
                assert legal_message(legal, LegalMode.FULL) == ORACLE.legal_moves(legal)
