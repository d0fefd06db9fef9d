"""T-11: calls, the show, naming trumps, and the show as trick 1."""

from __future__ import annotations

import pytest

from croupier_server.errors import IllegalMove
from croupier_server.games.base import Turn
from croupier_server.games.cards import parse, single
from croupier_server.games.tractor import events, moves
from croupier_server.games.tractor.moves import PASS, TractorDecisionKind
from croupier_server.games.tractor.state import Phase, State
from tests.games.tractor.strategies import (
    GAME,
    make_options,
    new_deal,
    parse_one,
    play_out,
    rigged_deck,
    sampler,
    steps,
)


def auction(lot: int = 0, wishes: dict[int, str] | None = None, **overrides: str | int) -> State:
    """A deal whose auction begins; each seat holds what is wished."""
    options = make_options("document", **overrides)
    first = lot if options.starter is None else options.starter
    state, _ = new_deal(options, rigged_deck(options, first, wishes or {}), lot)
    assert GAME.turn(state) is Turn.MOVE
    return state


def calls(state: State, told: str) -> list[object]:
    """``40 - 45`` called in turn, ``-`` a pass; the public parts of the last call."""
    happened: list[object] = []
    for word in told.split():
        (seat,) = GAME.to_act(state)
        assert GAME.decision_kind(state, seat) == TractorDecisionKind.CALL
        move = PASS if word == "-" else moves.call(int(word))
        happened = [event.public for event in GAME.apply(state, seat, move)]
    return happened


@pytest.mark.parametrize(
    ("told", "declarers", "bid"),
    [
        ("- -", 0, 0),
        ("- 5", 1, 5),
        ("5 -", 0, 5),
        ("5 10 -", 1, 10),
        ("5 10 15 20 25 -", 0, 25),
        ("200", 0, 200),
        ("195 200", 1, 200),
    ],
)
def test_how_an_auction_ends(told: str, declarers: int, bid: int) -> None:
    """T-11.1: one team has bid and the other is out, both are out, or the highest bid."""
    state = auction()
    happened = calls(state, told)
    assert happened[-1] == events.AuctionEnded(declarers, bid, 2)
    assert state.public.phase is Phase.SHOW
    assert GAME.to_act(state) == (0,)


def test_calls_go_round_and_are_public() -> None:
    state = auction(lot=3, players=6)
    calls(state, "5 10 15")
    assert state.public.calls == ((3, 5), (4, 10), (5, 15))
    assert GAME.to_act(state) == (0,)


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        (40, "CALL_TOO_LOW T-11.1"),
        (35, "CALL_TOO_LOW T-11.1"),
        (42, "CALL_OUT_OF_RANGE T-11.1"),
        (0, "CALL_OUT_OF_RANGE T-11.1"),
        (205, "CALL_OUT_OF_RANGE T-11.1"),
    ],
)
def test_refused_calls(points: int, expected: str) -> None:
    """T-11.1."""
    state = auction()
    calls(state, "40")
    with pytest.raises(IllegalMove) as caught:
        GAME.apply(state, 1, moves.call(points))
    assert f"{caught.value.rule} {caught.value.clause}" == expected


@pytest.mark.parametrize("packs", [2, 3, 4, 6])
def test_calls_are_listed_or_spanned(packs: int) -> None:
    """Up to 64 answers are listed; beyond, a span of points and the pass."""
    state = auction(packs=packs)
    legal = GAME.legal_moves(state, 0)
    members = list(GAME.members(legal))
    assert members == [PASS, *(moves.call(points) for points in range(5, 100 * packs + 1, 5))]
    assert bool(legal.patterns) == (packs > 3)
    for points in range(100 * packs + 20):
        is_member = moves.call(points) in members
        try:
            GAME.check(state, 0, moves.call(points))
        except IllegalMove:
            assert not is_member
        else:
            assert is_member


def test_without_a_bid_the_named_team_declares() -> None:
    """T-11.1: the team of the seat that T-9.4 named, in deal 1 that of the dealer."""
    state = auction(lot=3)
    assert calls(state, "- -")[-1] == events.AuctionEnded(1, 0, 2)
    state = auction(starter=2, start_levels="5,3")
    assert state.public.first_drawer == 2
    assert calls(state, "- -")[-1] == events.AuctionEnded(0, 0, 5)
    state = auction(starter=2, start_levels="5,3")
    assert calls(state, "- 20")[-1] == events.AuctionEnded(1, 20, 3)


@pytest.mark.parametrize("first_drawer", ["starter", "rotating"])
def test_without_a_bid_the_seat_that_the_last_deal_named_decides_who_declares(
    first_drawer: str,
) -> None:
    """T-11.1: it draws first, and so deals, only with `first_drawer` starter."""
    options = make_options("document", first_drawer=first_drawer, max_deals=4)
    choose = sampler(7)

    def nobody_bids(state: State, seat: int) -> int:
        is_asked = GAME.decision_kind(state, seat) == TractorDecisionKind.CALL
        return PASS if is_asked else choose(state, seat)

    state = GAME.new(options)
    publics = [event.public for event in play_out(state, nobody_bids, 3)]
    begun = [public for public in publics if isinstance(public, events.DealStarted)]
    ended = [public for public in publics if isinstance(public, events.AuctionEnded)]
    scored = [public for public in publics if isinstance(public, events.DealScored)]
    assert len(begun) == len(ended) == len(scored) == 4
    for deal in range(1, 4):
        named = scored[deal - 1].next_starter
        assert ended[deal].declarers == named % 2
        assert ended[deal].bid == 0
        drawer = named if first_drawer == "starter" else (begun[deal - 1].first_drawer + 1) % 4
        assert begun[deal].first_drawer == drawer


def show(state: State, told: str) -> list[object]:
    """Lay the cards *told* in turn; the public parts of the last one."""
    happened: list[object] = []
    for name in told.split():
        (seat,) = GAME.to_act(state)
        move = single(parse_one(name)) | moves.SHOW
        assert move in GAME.legal_moves(state, seat).moves
        happened = [event.public for event in GAME.apply(state, seat, move)]
    return happened


def test_the_show_makes_the_starter_and_is_trick_1() -> None:
    """T-11.2, T-11.3: highest of the declarers; the highest of all wins the points."""
    state = auction(wishes={0: "KS", 1: "RJ", 2: "AH", 3: "TD"})
    calls(state, "50 -")
    assert show(state, "KS RJ AH TD")[-1] == events.ShowEnded(2, 1, 20, 20)
    assert state.public.opponents_points == 20
    assert state.public.hand_sizes() == (24, 24, 24, 24)
    assert GAME.to_act(state) == (2,)
    assert GAME.decision_kind(state, 2) == TractorDecisionKind.NAME_TRUMPS


def test_points_of_a_show_won_by_the_declarers_count_nothing() -> None:
    """T-11.3."""
    state = auction(wishes={0: "RJ", 1: "KS", 2: "AH", 3: "TD"})
    calls(state, "50 -")
    assert show(state, "RJ KS AH TD")[-1] == events.ShowEnded(0, 0, 20, 0)


def test_trump_rank_cards_are_high_and_equal_in_the_show() -> None:
    """T-11.2: of equals the first laid is highest."""
    state = auction(wishes={0: "AS", 1: "2H", 2: "2D", 3: "2C"})
    calls(state, "- 50")
    assert show(state, "AS 2H 2D 2C")[-1] == events.ShowEnded(1, 1, 0, 0)


@pytest.mark.parametrize("suit", [0, 1, 2, 3, None])
def test_the_starter_names_trumps_then_takes_the_kitty(suit: int | None) -> None:
    """T-11.3."""
    state = auction(wishes={0: "RJ", 1: "3S", 2: "3H", 3: "3D"})
    calls(state, "50 -")
    show(state, "RJ 3S 3H 3D")
    assert len(GAME.legal_moves(state, 0).moves) == 5
    fixed, taken = [event.public for event in GAME.apply(state, 0, moves.name_trumps(suit))]
    assert isinstance(fixed, events.TrumpsFixed)
    assert fixed[:4] == (suit, 2, 0, 0)
    assert taken == events.KittyTaken(0, 8)
    assert state.public.hand_sizes() == (32, 24, 24, 24)
    assert GAME.decision_kind(state, 0) == TractorDecisionKind.BURY


def test_naming_what_is_no_suit() -> None:
    state = auction(wishes={0: "RJ", 1: "3S", 2: "3H", 3: "3D"})
    calls(state, "50 -")
    show(state, "RJ 3S 3H 3D")
    with pytest.raises(IllegalMove) as caught:
        GAME.apply(state, 0, moves.name_trumps(None) + 16)
    assert f"{caught.value.rule} {caught.value.clause}" == "UNKNOWN_TRUMP_SUIT T-11.3"


def test_show_refusals() -> None:
    state = auction(wishes={0: "RJ", 1: "3S 3S"})
    calls(state, "50 -")
    with pytest.raises(IllegalMove) as caught:
        GAME.apply(state, 0, parse("3S") | moves.SHOW)
    assert f"{caught.value.rule} {caught.value.clause}" == "CARDS_NOT_IN_HAND T-11.2"
    with pytest.raises(IllegalMove) as caught:
        GAME.apply(state, 0, parse("RJ 2S") | moves.SHOW)
    assert f"{caught.value.rule} {caught.value.clause}" == "WRONG_CARD_COUNT T-11.2"


@pytest.mark.parametrize(("players", "packs"), [(4, 2), (6, 3), (8, 2), (12, 6), (4, 5)])
def test_one_card_less_than_the_hand_is_played(players: int, packs: int) -> None:
    """T-11.5: 24 cards in tricks at a table of four with two packs, and so on."""
    options = make_options("document", players=players, packs=packs, max_deals=1)
    state = GAME.new(options)
    kinds: list[type] = []
    for happened in steps(state, sampler(1)):
        kinds += [type(event.public) for event in happened]
        if state.public.phase is Phase.PLAY and not state.public.tricks:
            assert set(state.public.hand_sizes()) <= {options.hand - 1, *range(options.hand)}
    assert kinds.count(events.CardShown) == players
    assert kinds.index(events.ShowEnded) > kinds.index(events.AuctionEnded)
    assert kinds[-1] is events.DealScored


def test_auction_is_held_in_every_deal() -> None:
    """T-11.5: also in later deals, where T-9.4 only names the team without a bid."""
    state = GAME.new(make_options("document", max_deals=4))
    ended = [
        event.public
        for happened in steps(state, sampler(8))
        for event in happened
        if isinstance(event.public, events.AuctionEnded)
    ]
    assert len(ended) == len(state.results)
    for auctioned, result in zip(ended, state.results, strict=True):
        assert (auctioned.declarers, auctioned.bid) == (result.declarers, result.bid)
