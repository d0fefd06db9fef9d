"""Tong-its in the SDK: moves, the view, and how `greedy` reckons melds and draw calls."""

from __future__ import annotations

import random
from typing import Any

import pytest

import croupier
from croupier import Card, Decision, LegalMoves, Move, TongitsView, parse_cards, tongits
from croupier.bots import RandomBot
from croupier.cards import to_cards
from croupier.moves import card_numbers
from croupier.options import options_message
from croupier.randomness import SeatRandom
from croupier.tongits import LayOff, Meld, MoveKind, Phase
from croupier.tongits import greedy as thumb
from croupier.tongits.greedy.melds import MeldFinder, bit, cards_of
from croupier.v1 import cards_pb2, game_pb2, table_pb2, tongits_pb2
from croupier.views import View, view_of
from croupier_server.games.cards import pack, unpack
from croupier_server.games.tongits.melds import meld_table
from tests.clients.arena import Arena

STANDARD = tongits_pb2.TongitsOptions()


# Moves -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("move", "words", "cards"),
    [
        (tongits.draw_stock(), "draw stock", ""),
        (tongits.take_discard("7C 7H"), "take discard with 7H 7C", "7H 7C"),
        (tongits.take_and_lay_off(3), "take discard on 3", ""),
        (tongits.call_draw(), "call draw", ""),
        (tongits.meld("9S 7S 8S"), "meld 7S 8S 9S", "7S 8S 9S"),
        (tongits.secret_four("T"), "secret four TS TH TD TC", "TS TH TD TC"),
        (tongits.lay_off(0, "4D"), "lay off 4D on meld 0", "4D"),
        (tongits.discard("AS"), "discard AS", "AS"),
        (tongits.end_turn(), "end turn", ""),
        (tongits.fold(), "fold", ""),
        (tongits.challenge(), "challenge", ""),
    ],
)
def test_moves_are_written_as_players_write_them(
    move: tongits.TongitsMove, words: str, cards: str
) -> None:
    assert str(move) == words
    assert list(move.cards) == parse_cards(cards)
    assert move.kind is None


def test_moves_tell_their_meld_their_rank_and_their_points() -> None:
    assert tongits.lay_off(0, "4D").meld == 0
    assert tongits.take_and_lay_off(2).meld == 2
    assert tongits.take_discard("7C 7H").meld is None
    assert tongits.secret_four(14).rank == 14
    assert tongits.meld("KS AS 2S").points == 13
    with pytest.raises(ValueError, match="is not a rank"):
        tongits.secret_four("1")


@pytest.mark.parametrize(
    ("name", "points"), [("AS", 1), ("2D", 2), ("9H", 9), ("TC", 10), ("KS", 10)]
)
def test_cards_count_as_g_1_1_says(name: str, points: int) -> None:
    assert tongits.card_points(Card.parse(name)) == points


def test_equal_cards_in_moves_of_other_kinds_differ() -> None:
    assert tongits.lay_off(1, "4D") != tongits.lay_off(2, "4D")
    assert tongits.discard("4D") != tongits.lay_off(1, "4D")
    assert tongits.discard("4D") == tongits.discard(Card.parse("4D"))


# Patterns ----------------------------------------------------------------------------------------


def pattern(kind: MoveKind, only: Move) -> game_pb2.MovePattern:
    return game_pb2.MovePattern(
        template=only.message,
        kind=game_pb2.MoveKind(tongits=int(kind)),  # type: ignore[arg-type]
        cards=game_pb2.CardChoice(),
    )


def test_patterns_of_one_member_each_stand_side_by_side() -> None:
    """A choice of no cards goes into any arm, whether it has a field for cards or not."""
    patterns = [
        pattern(MoveKind.MELD_RUN, tongits.meld("4S 5S 6S")),
        pattern(MoveKind.MELD_SET, tongits.meld("4S 4H 4D")),
        pattern(MoveKind.DISCARD, tongits.discard("4S")),
        pattern(MoveKind.DISCARD, tongits.discard("6S")),
        pattern(MoveKind.LAY_OFF, tongits.lay_off(1, "6S")),
        pattern(MoveKind.LAY_OFF, tongits.lay_off(2, "6S")),
    ]
    listed = game_pb2.LegalMove(
        move=tongits.meld("4S 4H 4D").message,
        kind=game_pb2.MoveKind(tongits=tongits_pb2.TONGITS_MOVE_KIND_MELD_SET),
    )
    legal = LegalMoves(game_pb2.LegalMoves(moves=[listed], patterns=patterns))
    assert {str(move) for move in legal} == {str(each.template) for each in legal.patterns}
    assert len(legal) == len(list(legal)) == 6
    assert tongits.discard("6S") in legal
    assert tongits.meld("4S 5S 6S") in legal
    assert tongits.lay_off(0, "6S") not in legal
    assert tongits.meld("6S") not in legal
    assert croupier.tractor.play("6S") not in legal
    chance = SeatRandom(1, "t", 0)
    drawn = {str(legal.sample(chance.at(str(number)))) for number in range(300)}
    assert drawn == set(map(str, legal))


def test_many_single_melds_are_counted() -> None:
    every = [
        pattern(MoveKind.MELD_SET, tongits.meld(f"{rank}S {rank}H {rank}D"))
        for rank in "23456789TJQKA"
    ]
    legal = LegalMoves(game_pb2.LegalMoves(patterns=[*every, every[0]]))
    assert len(legal) == 13
    assert len(list(legal)) == 13


def test_a_template_of_a_new_kind_of_move_is_an_error_of_the_client() -> None:
    new = game_pb2.MovePattern(cards=game_pb2.CardChoice())
    new.template.tongits.MergeFromString(b"\xaa\x06\x00")
    legal = LegalMoves(game_pb2.LegalMoves(patterns=[new]))
    with pytest.raises(croupier.Error, match="does not know"):
        legal[0]


# The view ----------------------------------------------------------------------------------------


def hand_made() -> tongits_pb2.TongitsView:
    """A view with everything in it."""
    public = tongits_pb2.TongitsPublicView(
        phase=tongits_pb2.TONGITS_PHASE_ANSWER,
        deal=2,
        dealer=1,
        hand_sizes=[9, 8, 7],
        stock_size=3,
        discards=card_numbers("6S AH"),
        secret_four_counts=[0, 1, 0],
        turns=[4, 4, 3],
        barred=[1],
        took_discard=True,
        caller=2,
        pot=12,
        chips=[5, -2, -3],
        streak_seat=0,
        streak=1,
    )
    meld = public.melds.add(number=0, seat=2, taken=cards_pb2.CARD_TWO_OF_HEARTS, turned_down=True)
    meld.cards.extend(card_numbers("2S 2H 2D 2C"))
    meld.lay_offs.add(seat=1, cards=card_numbers("2C"))
    public.melds.add(number=1, seat=1, cards=card_numbers("3S 4S 5S"))
    public.answers.add(seat=0, unasked=True)
    return tongits_pb2.TongitsView(
        public_view=public,
        seat=1,
        hand=card_numbers("TS JS"),
        secret_fours=[cards_pb2.RANK_KING],
        deadwood=20,
    )


def test_a_view_tells_what_its_message_says() -> None:
    view = view_of(game_pb2.SeatView(tongits=hand_made()))
    assert isinstance(view, TongitsView)
    assert (view.seat, view.deal, view.dealer, view.phase) == (1, 2, 1, Phase.ANSWER)
    assert view.hand == parse_cards("TS JS")
    assert (view.secret_fours, view.deadwood) == ([13], 20)
    assert (view.hand_sizes, view.stock_size, view.players) == ([9, 8, 7], 3, 3)
    assert (view.discards, view.top_discard) == (parse_cards("6S AH"), Card.parse("AH"))
    first, second = view.melds
    twos = tuple(parse_cards("2S 2H 2D 2C"))
    laid = (LayOff(1, (Card.parse("2C"),)),)
    assert first == Meld(0, 2, twos, Card.parse("2H"), is_turned_down=True, lay_offs=laid)
    assert (first.is_set, second.is_set, second.taken) == (True, False, None)
    assert (view.is_opened, view.is_barred, view.took_discard) == (True, True, True)
    assert (view.secret_four_counts, view.turns) == ([0, 1, 0], [4, 4, 3])
    assert (view.caller, [(one.seat, one.is_unasked) for one in view.answers]) == (2, [(0, True)])
    assert (view.chips, view.pot, view.streak_seat, view.streak) == ([5, -2, -3], 12, 0, 1)
    assert view.last_result is None
    shown = str(view)
    for words in ("0 of 2: 2♠ 2♥ 2♦ 2♣ (turned down)", "2 called draw", "deadwood 20", "fours  K"):
        assert words in shown


def test_an_empty_view_has_nothing_to_tell() -> None:
    view = TongitsView(tongits_pb2.TongitsView())
    assert (view.dealer, view.top_discard, view.caller, view.streak_seat) == (None,) * 4
    assert (view.hand, view.melds, view.answers) == ([], [], [])


@pytest.mark.parametrize("ruleset", ["standard", "document", "pay244"])
def test_views_say_what_the_state_is(ruleset: str) -> None:
    melds = 0

    def watch(state: Any, seat: int, view: View, decision: Decision) -> None:
        nonlocal melds
        assert isinstance(view, TongitsView)
        public = state.public
        assert view.hand == to_cards(unpack(state.hands[seat]))
        assert view.hand_sizes == list(public.hand_sizes)
        assert view.stock_size == public.stock_size
        assert view.discards == to_cards(public.discards)
        assert view.discarders == list(public.discarders)
        assert [bit(meld.cards) for meld in view.melds] == [
            bit(unpack(meld.cards)) for meld in public.melds
        ]
        assert view.is_opened == bool(public.opened >> seat & 1)
        assert (view.chips, view.pot) == (list(public.chips), public.pot)
        melds += len(view.melds)

    Arena([RandomBot() for _ in range(3)], 5, ruleset, watch, game="tongits", max_hands="4").run()
    assert melds


# Melds -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("runs", "ace_high"), [(True, False), (True, True), (False, False)])
def test_the_best_split_leaves_what_the_rules_call_deadwood(runs: bool, ace_high: bool) -> None:
    finder, rules, stream = MeldFinder(runs, ace_high), meld_table(runs, ace_high), random.Random(4)
    for _ in range(1500):
        # Few ranks and suits, so that there are melds, and choices between them.
        pack_of = stream.choice([range(1, 53), [*range(1, 8), *range(14, 21), 26, 13, 27, 28, 40]])
        hand = stream.sample(list(pack_of), 12)
        split = finder.split(bit(hand))
        assert split.points == rules.deadwood(pack(hand))
        assert sum(split.melds) + split.rest == bit(hand)
        assert split.points == sum(map(tongits.card_points, cards_of(split.rest)))


def test_triples_are_the_melds_of_three_that_hold_the_cards() -> None:
    finder = MeldFinder(has_runs=True, ace_high=False)
    found = {tuple(map(str, to_cards(cards_of(one)))) for one in finder.triples(bit([1, 2]))}
    assert found == {("2S", "3S", "AS"), ("2S", "3S", "4S")}


# Greedy ------------------------------------------------------------------------------------------


def choose(
    view: tongits_pb2.TongitsView,
    kind: tongits.DecisionKind,
    *moves: tuple[tongits.TongitsMove, MoveKind],
    options: tongits_pb2.TongitsOptions = STANDARD,
) -> str:
    """What `greedy` chooses among *moves*."""
    listed = [
        game_pb2.LegalMove(move=move.message, kind=game_pb2.MoveKind(tongits=int(kind)))  # type: ignore[arg-type]
        for move, kind in moves
    ]
    message = table_pb2.Decision(
        kind=game_pb2.DecisionKind(tongits=int(kind)),  # type: ignore[arg-type]
        legal=game_pb2.LegalMoves(moves=listed),
    )
    decision = Decision(message, "t", SeatRandom(1, "t", 0))
    return str(thumb.decide(TongitsView(view), decision, options))


def position(hand: str, **public: Any) -> tongits_pb2.TongitsView:
    cards = card_numbers(hand)
    facts: dict[str, Any] = {
        "hand_sizes": [len(cards), 9, 9],
        "secret_four_counts": [0, 0, 0],
        "turns": [3, 3, 3],
        "stock_size": 9,
    }
    finder = MeldFinder(has_runs=True, ace_high=False)
    return tongits_pb2.TongitsView(
        public_view=tongits_pb2.TongitsPublicView(**(facts | public)),
        hand=card_numbers(hand),
        deadwood=finder.split(bit(cards)).points,
    )


DRAW = (tongits.draw_stock(), MoveKind.DRAW_STOCK)
CALL = (tongits.call_draw(), MoveKind.CALL_DRAW)
START, PLAY = tongits.DecisionKind.START_TURN, tongits.DecisionKind.PLAY
ANSWER = tongits.DecisionKind.ANSWER


def meld_of(seat: int, cards: str, number: int = 0) -> tongits_pb2.TongitsMeld:
    return tongits_pb2.TongitsMeld(number=number, seat=seat, cards=card_numbers(cards))


def test_greedy_calls_draw_when_nobody_may_challenge() -> None:
    """G-5.2: who has not opened folds without being asked, so the caller wins."""
    own = meld_of(0, "2S 2H 2D")
    assert choose(position("KS QH JD 9C 7S", melds=[own]), START, DRAW, CALL) == "call draw"
    rivals = [own, meld_of(1, "3S 3H 3D", 1)]
    assert choose(position("KS QH JD 9C 7S", melds=rivals), START, DRAW, CALL) == "draw stock"


def test_a_secret_four_challenges_only_where_it_is_good_for_that() -> None:
    weak = position("KS QH JD 9C 7S", melds=[meld_of(0, "2S 2H 2D")], secret_four_counts=[0, 1, 0])
    assert choose(weak, START, DRAW, CALL) == "draw stock"
    mute = options_message("tongits", {"secret_open": ["burn"]}).tongits
    assert choose(weak, START, DRAW, CALL, options=mute) == "call draw"


def test_greedy_calls_draw_on_a_low_hand_and_answers_by_its_own() -> None:
    melds = [meld_of(0, "2S 2H 2D"), meld_of(1, "3S 3H 3D", 1)]
    assert choose(position("AS AH 4C", melds=melds), START, DRAW, CALL) == "call draw"
    answers = ((tongits.fold(), MoveKind.FOLD), (tongits.challenge(), MoveKind.CHALLENGE))
    assert choose(position("AS AH 4C", melds=melds, caller=1), ANSWER, *answers) == "challenge"
    assert choose(position("KS QH JD 9C", melds=melds, caller=1), ANSWER, *answers) == "fold"


def test_greedy_takes_a_discard_that_opens() -> None:
    take = (tongits.take_discard("7H 7D"), MoveKind.TAKE_DISCARD)
    view = position("7H 7D KS QC 2S 4H", discards=[Card.parse("7S")])
    assert choose(view, START, DRAW, take) == "take discard with 7H 7D"


def test_greedy_opens_with_a_meld_and_throws_the_card_that_goes_with_nothing() -> None:
    hand = "7H 7D 7C KS 2H 3H 5D"
    discards = [(tongits.discard(one), MoveKind.DISCARD) for one in hand.split()]
    meld = (tongits.meld("7H 7D 7C"), MoveKind.MELD_SET)
    assert choose(position(hand), PLAY, meld, *discards) == "meld 7H 7D 7C"
    opened = position(hand, melds=[meld_of(0, "9S 9H 9D")])
    assert choose(opened, PLAY, meld, *discards) == "discard KS"


def test_greedy_lays_four_of_a_kind_face_down() -> None:
    hand = "7S 7H 7D 7C KS 2H"
    four = (tongits.secret_four(7), MoveKind.SECRET_FOUR)
    meld = (tongits.meld("7S 7H 7D 7C"), MoveKind.MELD_SET)
    discard = (tongits.discard("KS"), MoveKind.DISCARD)
    assert choose(position(hand), PLAY, meld, four, discard) == "secret four 7S 7H 7D 7C"


def test_greedy_goes_out_when_it_can() -> None:
    """G-2.5: with all cards gone it wins, so it exposes even what it would keep hidden."""
    melds = [meld_of(0, "9S 9H 9D"), meld_of(1, "3S 3H 3D", 1)]
    hand = "7H 7D 7C 3C KS"
    lay_off = (tongits.lay_off(1, "3C"), MoveKind.LAY_OFF)
    meld = (tongits.meld("7H 7D 7C"), MoveKind.MELD_SET)
    discards = [(tongits.discard(one), MoveKind.DISCARD) for one in hand.split()]
    first = choose(position(hand, melds=melds), PLAY, meld, lay_off, *discards)
    assert first == "meld 7H 7D 7C"
    second = choose(position("3C KS", melds=melds), PLAY, lay_off, *discards[3:])
    assert second == "lay off 3C on meld 1"


def test_greedy_lays_off_on_others_but_spares_its_own_call() -> None:
    melds = [meld_of(0, "2S 2H 2D"), meld_of(1, "3S 3H 3D", 1)]
    discards = [(tongits.discard(one), MoveKind.DISCARD) for one in ("2C", "AS", "5D")]
    own = (tongits.lay_off(0, "2C"), MoveKind.LAY_OFF)
    assert choose(position("2C AS 5D", melds=melds), PLAY, own, *discards).startswith("discard")
    other = (tongits.lay_off(1, "3C"), MoveKind.LAY_OFF)
    hand = position("3C KS QH 5D", melds=melds)
    assert choose(hand, PLAY, other, *discards) == "lay off 3C on meld 1"
