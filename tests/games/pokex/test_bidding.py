"""P-2: the auction, at a table."""

from __future__ import annotations

import pytest

from croupier_server.errors import IllegalMove, MalformedMove, Reason
from croupier_server.games.base import NO_SEAT, Turn
from croupier_server.games.pokex import bidding, events, moves
from croupier_server.games.pokex.events import Called
from croupier_server.games.pokex.moves import PokexDecisionKind, PokexMoveKind
from croupier_server.games.pokex.refusals import Rule
from croupier_server.games.pokex.state import Phase
from tests.games.pokex.table import (
    GAME,
    call,
    finish_deal,
    make_options,
    name,
    new_deal,
    rigged_deck,
)


@pytest.mark.parametrize("dealer", range(4))
def test_the_dealers_left_bids_first(dealer: int) -> None:
    """P-2.1: and is asked for a bid of 1 to 6 or a pass."""
    state = new_deal(make_options(), dealer)
    seat = (dealer + 1) % 4
    assert GAME.to_act(state) == (seat,)
    assert GAME.decision_kind(state, seat) == PokexDecisionKind.BID
    legal = GAME.legal_moves(state, seat)
    assert [GAME.move_text(move) for move in legal.moves] == [
        "pass",
        *[f"bid {tricks}" for tricks in range(1, 7)],
    ]
    assert list(legal.kinds) == [PokexMoveKind.PASS] + [PokexMoveKind.BID] * 6


def test_only_higher_bids_are_legal() -> None:
    """P-2.1: the partner's too."""
    state = new_deal(make_options())
    call(state, 2, "pass")
    legal = GAME.legal_moves(state, 2)
    assert [moves.number_of(move) for move in legal.moves[1:]] == [3, 4, 5, 6]
    for tricks in (1, 2):
        with pytest.raises(IllegalMove) as caught:
            GAME.check(state, 2, moves.bid(tricks))
        assert (caught.value.rule, caught.value.clause) == (Rule.BID_TOO_LOW, "P-2.1")


@pytest.mark.parametrize("tricks", [0, 7, 15, 10**9])
def test_a_bid_is_one_to_six_tricks(tricks: int) -> None:
    """P-2.1."""
    state = new_deal(make_options())
    with pytest.raises(IllegalMove) as caught:
        GAME.apply(state, 0, moves.bid(tricks))
    assert (caught.value.rule, caught.value.clause) == (Rule.BID_OUT_OF_RANGE, "P-2.1")


def test_a_pass_is_final() -> None:
    """P-2.2: who has passed is passed over, and the last one in declares."""
    state = new_deal(make_options())
    call(state, 1, "pass", 2, "pass")
    assert state.public.to_act == 0
    happened = call(state, "pass")
    assert [event.public for event in happened] == [Called(0, 0), events.AuctionEnded(2, 2)]
    assert (state.public.declarer, state.public.bid) == (2, 2)


def test_a_pass_is_not_final() -> None:
    """P-2.2: `pass_is_out` false: three passes after a bid end it."""
    state = new_deal(make_options(pass_is_out=False))
    call(state, 1, "pass", "pass", 2, "pass", 3, "pass", "pass")
    assert state.public.to_act == 0
    assert state.public.phase is Phase.BIDDING
    call(state, "pass")
    assert (state.public.declarer, state.public.bid) == (1, 3)


def test_a_bid_of_six_ends_it() -> None:
    """P-2.3: the declarer names the wild rank next."""
    state = new_deal(make_options())
    happened = call(state, "pass", 6)
    assert [event.public for event in happened] == [Called(1, 6), events.AuctionEnded(1, 6)]
    assert GAME.to_act(state) == (1,)
    assert GAME.decision_kind(state, 1) == PokexDecisionKind.NAME_RANK


def test_all_pass_and_play() -> None:
    """P-2.4: no rank is named, the dealer's left leads, both sides score as opponents."""
    state = new_deal(make_options())
    happened = call(state, *["pass"] * 4)
    assert happened[-1].public == events.AuctionEnded(None, 0)
    public = state.public
    assert public.phase is Phase.PLAY
    assert (public.declarer, public.bid, public.wild_rank) == (NO_SEAT, 0, 0)
    assert (public.leader, public.to_act) == (0, 0)
    result = finish_deal(state)[-1].public
    assert isinstance(result, events.DealResult)
    assert (result.declarer, result.bid, result.is_passed_out) == (None, 0, False)
    assert result.points == result.tricks
    assert sum(result.tricks) > 0


def test_all_pass_and_redeal() -> None:
    """P-2.4: the next dealer; it counts as a deal; the fourth in a row is played, and the count
    starts again."""
    state = new_deal(make_options(all_pass="redeal"), dealer=2)
    for number in range(1, 4):
        happened = call(state, *["pass"] * 4)
        result = happened[-1].public
        assert isinstance(result, events.DealResult)
        assert (result.deal, result.dealer) == (number, (number + 1) % 4)
        assert result.is_passed_out
        assert result.points == result.tricks == (0, 0)
        assert state.public.passed_out == number
        assert state.hands == [0] * 4
        assert GAME.turn(state) is Turn.CHANCE
        GAME.apply_chance(state, rigged_deck((number + 2) % 4, {}))
    happened = call(state, *["pass"] * 4)
    assert happened[-1].public == events.AuctionEnded(None, 0)
    assert state.public.phase is Phase.PLAY
    finish_deal(state)
    assert state.public.passed_out == 0
    GAME.apply_chance(state, rigged_deck(0, {}))
    call(state, *["pass"] * 4)
    assert state.public.passed_out == 1


def test_a_declared_deal_starts_the_count_again() -> None:
    """P-2.4."""
    state = new_deal(make_options(all_pass="redeal"))
    for _ in range(2):
        call(state, *["pass"] * 4)
        GAME.apply_chance(state, rigged_deck(0, {}))
    call(state, 1, "pass", "pass", "pass")
    name(state, 9)
    assert state.public.passed_out == 2
    finish_deal(state)
    assert state.public.passed_out == 0


def test_passed_out_deals_count_for_max_deals() -> None:
    """P-2.4, P-6.5."""
    state = new_deal(make_options(all_pass="redeal", max_deals=1))
    call(state, *["pass"] * 4)
    assert GAME.turn(state) is Turn.OVER
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert [seat.place for seat in outcome.seats] == [1] * 4


def test_a_deal_of_nobody_scores_nothing_without_opponents_score() -> None:
    """P-2.4: `opponents_score` none."""
    state = new_deal(make_options(opponents_score="none"))
    call(state, *["pass"] * 4)
    result = finish_deal(state)[-1].public
    assert isinstance(result, events.DealResult)
    assert result.points == (0, 0)
    assert not result.is_passed_out


@pytest.mark.parametrize("rank", range(2, 15))
def test_the_declarer_names_a_rank(rank: int) -> None:
    """P-3.2: any one, held or not; it is public at once and the declarer leads."""
    state = new_deal(make_options(), hands={0: "2S 2H 2D 2C"})
    call(state, 1, "pass", "pass", "pass")
    legal = GAME.legal_moves(state, 0)
    assert [moves.number_of(move) for move in legal.moves] == list(range(2, 15))
    assert set(legal.kinds) == {PokexMoveKind.NAME_RANK}
    (event,) = name(state, rank)
    assert event.public == events.RankNamed(0, rank)
    assert state.public.wild_rank == rank
    assert (state.public.phase, state.public.to_act) == (Phase.PLAY, 0)


@pytest.mark.parametrize("number", [0, 1, 15, 16, 1 << 40])
def test_there_are_thirteen_ranks(number: int) -> None:
    """P-3.2."""
    state = new_deal(make_options())
    call(state, 6)
    with pytest.raises(MalformedMove) as caught:
        GAME.check(state, 0, moves.name_rank(number))
    assert caught.value.reason is Reason.MALFORMED_MOVE


def test_no_rank_is_named_with_none() -> None:
    """P-3.2: `wild_rank` none."""
    state = new_deal(make_options(wild_rank="none"))
    call(state, 6)
    assert (state.public.phase, state.public.to_act) == (Phase.PLAY, 0)
    assert state.public.wild_rank == 0


def test_the_auction_is_a_function_of_its_calls() -> None:
    """P-2.1 to P-2.3: who is asked, and who declared."""
    calls = [Called(0, 1), Called(1, 0), Called(2, 0), Called(3, 2)]
    assert bidding.next_bidder(calls, 3, pass_is_out=True) == 0
    assert bidding.next_bidder(calls[:3], 3, pass_is_out=True) == 3
    assert bidding.declarer(calls) == 3
    assert bidding.declarer(calls[1:3]) is None
