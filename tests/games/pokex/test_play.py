"""P-4: tricks, at a table."""

from __future__ import annotations

import pytest

from croupier_server.errors import IllegalMove, MalformedMove, NotYourTurn, Reason
from croupier_server.games.cards import parse, parse_card, text
from croupier_server.games.pokex import events, moves
from croupier_server.games.pokex.moves import CENTER_SHIFT, PokexDecisionKind, PokexMoveKind
from croupier_server.games.pokex.pokerhands import PokexCategory
from croupier_server.games.pokex.refusals import Rule
from croupier_server.games.pokex.state import Phase, State
from croupier_server.games.pokex.tricks import award
from tests.games.pokex.table import (
    GAME,
    call,
    finish_deal,
    make_options,
    new_deal,
    play,
    play_trick,
    playing,
    two_cards,
)

CENTER = "9C 9D KD QD JD TD"
LEVEL = {0: "2S 3S AS AD", 1: "4H 6H KS KC", 2: "4S 6S QS QC", 3: "2H 3H AH AC"}
"""With 9C in the centre and twos not wild, sides 0 and 1 make 9 6 4 3 2 with their low cards."""
FIRST_TRICK = ("2S 3S", "4S 6S", "4H 6H", "2H 3H")


def level_table(**options: object) -> State:
    """The first lead of a deal in which `FIRST_TRICK` is level; jokers are out of the way."""
    given = {"wild_rank": "none", **options}
    return playing(make_options(**given), LEVEL, CENTER)


def trick_of(happened: list[events.Event]) -> events.TrickEnded:  # type: ignore[name-defined]
    played = happened[0].public
    assert isinstance(played, events.CardsPlayed)
    assert played.trick_ended is not None
    return played.trick_ended


def refusal(state: State, seat: int, move: int) -> tuple[str, str]:
    """Rule and clause of a refused move, which changes nothing."""
    before = state.copy()
    with pytest.raises(IllegalMove) as caught:
        GAME.apply(state, seat, move)
    assert state == before
    return caught.value.rule, caught.value.clause


def test_the_leftmost_centre_card_belongs_to_the_trick() -> None:
    """P-4.1: `center` fixed; it is known before the lead and told with it."""
    state = level_table()
    assert state.public.trick_center == parse_card("9C")
    assert text(sum(1 << 4 * c for c in state.public.center_left)) == "9D TD JD QD KD"
    (event,) = play(state, "2S 3S")
    assert event.public == events.CardsPlayed(
        events.Played(0, parse("2S 3S")), parse_card("9C"), None
    )
    (event,) = play(state, "4S 6S")
    assert event.public == events.CardsPlayed(events.Played(2, parse("4S 6S")), 0, None)
    play_trick(state, "4H 6H", "2H 3H")
    assert state.public.tricks[0].center == parse_card("9C")
    assert state.public.trick_center == parse_card("9D")


def test_the_leader_names_a_centre_card() -> None:
    """P-4.1: `center` leader_picks; together with the two cards."""
    state = level_table(center="leader_picks")
    assert (state.public.trick_center, len(state.public.center_left)) == (0, 6)
    (event,) = play(state, "2S 3S", "KD")
    assert event.public == events.CardsPlayed(
        events.Played(0, parse("2S 3S")), parse_card("KD"), None
    )
    assert state.public.trick_center == parse_card("KD")
    assert bytes(parse_card(c) for c in ["9C", "9D", "QD", "JD", "TD"]) == state.public.center_left
    play_trick(state, "4S 6S", "4H 6H", "2H 3H")
    assert state.public.trick_center == 0
    used = moves.play(parse("4C 5C"), parse_card("KD"))
    own = moves.cards_of(GAME.fallback(state, 1))
    assert refusal(state, 1, moves.play(own, parse_card("KD"))) == (
        Rule.CENTER_NOT_AVAILABLE,
        "P-4.1",
    )
    assert moves.center_of(used) == parse_card("KD")


def test_what_may_not_be_named() -> None:
    """P-4.1: every refusal about centre cards."""
    state = level_table(center="leader_picks")
    cards = parse("2S 3S")
    assert refusal(state, 0, moves.play(cards)) == (Rule.CENTER_NOT_NAMED, "P-4.1")
    elsewhere = moves.play(cards, parse_card("AS"))
    assert refusal(state, 0, elsewhere) == (Rule.CENTER_NOT_AVAILABLE, "P-4.1")
    play(state, "2S 3S", "KD")
    follow = moves.play(parse("4S 6S"), parse_card("9C"))
    assert refusal(state, 2, follow) == (Rule.CENTER_NOT_YOURS, "P-4.1")
    fixed = level_table()
    lead = moves.play(cards, parse_card("9C"))
    assert refusal(fixed, 0, lead) == (Rule.CENTER_NOT_YOURS, "P-4.1")


@pytest.mark.parametrize("cards", ["", "2S", "2S 3S AS", "2S 3S AS AD"])
def test_two_cards_are_played(cards: str) -> None:
    """P-4.2."""
    state = level_table()
    assert refusal(state, 0, moves.play(parse(cards))) == (Rule.WRONG_CARD_COUNT, "P-4.2")


@pytest.mark.parametrize("cards", ["2S 4H", "2S 2S", "BJ RJ", "9C 2S"])
def test_the_cards_are_in_the_hand(cards: str) -> None:
    """P-4.2: not another's, not one twice, not the centre's."""
    state = playing(make_options(), LEVEL | {1: "4H 6H BJ RJ"}, CENTER)
    assert refusal(state, 0, moves.play(parse(cards))) == (Rule.CARDS_NOT_IN_HAND, "P-4.2")


def test_who_is_not_to_act() -> None:
    """P-4.2: nobody else may play, bid or ask."""
    state = level_table()
    for seat in (1, 2, 3, -1, 4):
        for ask in (
            lambda who: GAME.check(state, who, moves.PASS),
            lambda who: GAME.apply(state, who, moves.play(parse("4H 6H"))),
            lambda who: GAME.legal_moves(state, who),
            lambda who: GAME.decision_kind(state, who),
            lambda who: GAME.fallback(state, who),
        ):
            with pytest.raises(NotYourTurn) as caught:
                ask(seat)
            assert caught.value.reason is Reason.NOT_YOUR_TURN


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        (moves.PASS, Reason.MOVE_NOT_EXPECTED),
        (moves.bid(3), Reason.MOVE_NOT_EXPECTED),
        (moves.bid(9), Reason.MOVE_NOT_EXPECTED),
        (moves.name_rank(9), Reason.MOVE_NOT_EXPECTED),
        (0, Reason.MALFORMED_MOVE),
        (5, Reason.MALFORMED_MOVE),
        (15, Reason.MALFORMED_MOVE),
        (moves.PASS | 1 << 8, Reason.MALFORMED_MOVE),
        (moves.play(7 << 8), Reason.MALFORMED_MOVE),
        (moves.play(8 << 8), Reason.MALFORMED_MOVE),
        (moves.play(1 << 4, 55), Reason.MALFORMED_MOVE),
        (moves.play(1 << 4, 1 << 30), Reason.MALFORMED_MOVE),
    ],
)
def test_what_is_no_play(move: int, reason: Reason) -> None:
    """P-4.2: moves of other phases, and numbers that are no move."""
    state = level_table()
    with pytest.raises(MalformedMove) as caught:
        GAME.apply(state, 0, move)
    assert caught.value.reason is reason


@pytest.mark.parametrize("move", [moves.name_rank(9), moves.play(parse("2S 3S"))])
def test_what_is_no_call(move: int) -> None:
    """P-2.1: moves of other phases in the auction."""
    with pytest.raises(MalformedMove) as caught:
        GAME.apply(new_deal(make_options(), hands=LEVEL), 0, move)
    assert caught.value.reason is Reason.MOVE_NOT_EXPECTED


@pytest.mark.parametrize(
    ("play_order", "seats"), [("pair_first", [0, 2, 1, 3]), ("clockwise", [0, 1, 2, 3])]
)
def test_the_order_of_a_trick(play_order: str, seats: list[int]) -> None:
    """P-4.2: `play_order`; the leader is asked for a lead, the others follow."""
    state = level_table(play_order=play_order)
    for place, seat in enumerate(seats):
        assert GAME.to_act(state) == (seat,)
        kind = PokexDecisionKind.FOLLOW if place else PokexDecisionKind.LEAD
        assert GAME.decision_kind(state, seat) == kind
        play(state, two_cards(state))
    assert [played.seat for played in state.public.tricks[0].plays] == seats


def test_the_lead_moves_clockwise() -> None:
    """P-4.4: the declarer leads first, then each seat in turn, whoever won."""
    state = new_deal(make_options(), dealer=1)
    call(state, "pass", 2, "pass", "pass")
    GAME.apply(state, 3, moves.name_rank(5))
    finish_deal(state)
    assert [trick.plays[0].seat for trick in state.public.tricks] == [3, 0, 1, 2, 3, 0]


def test_the_better_hand_takes_the_trick() -> None:
    """P-4.3: four cards a side and the centre card."""
    state = level_table()
    ended = trick_of(play_trick(state, "AS AD", "QS QC", "KS KC", "AH AC"))
    assert ended.winner == 1
    assert ended.counted == 1
    assert [hand.category for hand in ended.hands] == [PokexCategory.TWO_PAIR] * 2
    assert [hand.ranks for hand in ended.hands] == [(14, 12, 9), (14, 13, 9)]
    assert state.public.taken == (0, 1)
    assert state.public.tricks[0].winner == 1


def test_the_wild_rank_is_wild_in_tricks() -> None:
    """P-3.2, P-4.3: with aces wild the same cards are four kings against four queens."""
    state = playing(make_options(), LEVEL, CENTER, wild_rank=14)
    ended = trick_of(play_trick(state, "AS AD", "QS QC", "KS KC", "AH AC"))
    assert [hand.ranks for hand in ended.hands] == [(12, 9), (13, 9)]
    assert [hand.wilds_used for hand in ended.hands] == [2, 2]
    assert ended.winner == 1


@pytest.mark.parametrize(
    ("tied_trick", "winner", "taken", "carried"),
    [
        ("nobody", None, (0, 0), 0),
        ("leader", 0, (1, 0), 0),
        ("other", 1, (0, 1), 0),
        ("carry", None, (0, 0), 1),
    ],
)
def test_level_hands(
    tied_trick: str, winner: int | None, taken: tuple[int, int], carried: int
) -> None:
    """P-4.3: `tied_trick`."""
    state = level_table(tied_trick=tied_trick)
    ended = trick_of(play_trick(state, *FIRST_TRICK))
    assert ended.hands[0] == ended.hands[1]
    assert ended.winner == winner
    assert ended.counted == sum(taken)
    assert (state.public.taken, state.public.carried) == (taken, carried)


def test_a_carried_trick_goes_with_the_next_one() -> None:
    """P-4.3: `tied_trick` carry."""
    state = level_table(tied_trick="carry")
    play_trick(state, *FIRST_TRICK)
    ended = trick_of(play_trick(state, "KS KC", "AH AC", "QS QC", "AS AD"))
    assert (ended.winner, ended.counted) == (1, 2)
    assert (state.public.taken, state.public.carried) == ((0, 2), 0)


def test_tricks_carried_to_the_end_are_nobodys() -> None:
    """P-4.3: and forgotten in the next deal."""
    state = level_table(tied_trick="carry")
    assert award(None, 0, 2, "carry") == (None, 0, 3)
    assert award(1, 0, 3, "carry") == (1, 4, 0)
    state.public.carried = 2
    while len(state.public.tricks) < 5:
        GAME.apply(state, state.public.to_act, GAME.fallback(state, state.public.to_act))
    state.public.carried = 1
    state.public.taken = (2, 2)
    finish_deal(state)
    result = state.results[-1]
    assert state.public.carried == 0
    assert sum(result.tricks) in (4, 6)


def test_fewer_wild_cards_decide_a_trick() -> None:
    """P-5.3: the same three kings, once with a joker."""
    hands = {0: "KS KH", 1: "KC BJ", 2: "8S 5D", 3: "8H 5H"}
    for fewer_wins, winner in ((True, 0), (False, None)):
        options = make_options(wild_rank="none", tie_break_fewer_wilds=fewer_wins)
        state = playing(options, hands, "KD")
        ended = trick_of(play_trick(state, "KS KH", "8S 5D", "KC BJ", "8H 5H"))
        assert ended.winner == winner
        assert [hand.wilds_used for hand in ended.hands] == [0, 1]


def test_plays_are_listed_or_given_by_a_pattern() -> None:
    """P-4.2: 66 pairs of twelve cards are one pattern, fewer are listed, ascending."""
    state = level_table()
    for size, number in ((12, 66), (10, 45), (8, 28), (6, 15), (4, 6), (2, 1)):
        legal = GAME.legal_moves(state, state.public.to_act)
        walked = list(GAME.members(legal))
        assert len(walked) == number
        assert walked == sorted(walked)
        hand = state.hands[state.public.to_act]
        assert hand.bit_count() == size
        if number > 64:
            assert not legal.moves
            assert list(legal.patterns) == [(PokexMoveKind.PLAY, 0, hand, 2, 2)]
        else:
            assert list(legal.moves) == walked
            assert list(legal.kinds) == [PokexMoveKind.PLAY] * number
            assert not legal.patterns
        for _ in range(4):
            play(state, two_cards(state))


def test_leads_that_name_centre_cards_are_listed_or_given_by_patterns() -> None:
    """P-4.1: a pattern for each centre card, ascending; 15 pairs with three cards are listed."""
    state = level_table(center="leader_picks")
    for centers, number in ((6, 66), (5, 45), (4, 28), (3, 15), (2, 6), (1, 1)):
        seat = state.public.to_act
        legal = GAME.legal_moves(state, seat)
        walked = list(GAME.members(legal))
        assert len(walked) == len(set(walked)) == centers * number
        assert walked == sorted(walked)
        assert bool(legal.patterns) == (centers * number > 64)
        named = sorted({moves.center_of(move) for move in walked})
        assert named == sorted(state.public.center_left)
        if legal.patterns:
            assert [pattern.fixed >> CENTER_SHIFT for pattern in legal.patterns] == named
        for move in walked[:: max(1, len(walked) // 20)]:
            GAME.check(state, seat, move)
        after = walked[len(walked) // 2]
        assert list(GAME.members(legal, after)) == walked[len(walked) // 2 + 1 :]
        with pytest.raises(ValueError, match="no legal move"):
            GAME.members(legal, moves.play(parse("BJ RJ")) | 1 << 300)
        GAME.apply(state, seat, GAME.fallback(state, seat))
        for _ in range(3):
            play(state, two_cards(state))
    assert state.public.phase is Phase.DEAL
