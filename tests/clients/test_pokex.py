"""Pokex in the SDK: moves, the view, and how `greedy` reckons hands, bids and plays."""

from __future__ import annotations

import random
from itertools import combinations, product
from typing import Any

import pytest

from croupier import Card, Decision, LegalMoves, PokexView, parse_cards, pokex
from croupier.bots import GreedyBot, RandomBot
from croupier.cards import to_cards
from croupier.moves import card_number, card_numbers
from croupier.pokex import Category, MoveKind, Phase, Play, PokerHand
from croupier.pokex import greedy as thumb
from croupier.pokex.greedy.hands import Evaluator, category_of
from croupier.randomness import SeatRandom
from croupier.v1 import cards_pb2, game_pb2, pokex_pb2, table_pb2
from croupier.views import View, view_of
from croupier_server.games.cards import pack, unpack
from croupier_server.games.pokex.pokerhands import hand_rules
from tests.clients.arena import Arena

STANDARD = pokex_pb2.PokexOptions()


# Moves -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("move", "words"),
    [
        (pokex.decline(), "pass"),
        (pokex.bid(3), "bid 3"),
        (pokex.name_rank("t"), "wild T"),
        (pokex.play("KH 7S"), "play 7S KH"),
        (pokex.play([54, 7], "2D"), "play 8S RJ with 2D"),
    ],
)
def test_moves_are_written_as_players_write_them(move: pokex.PokexMove, words: str) -> None:
    assert str(move) == words
    assert move.kind is None


def test_moves_tell_tricks_rank_and_centre() -> None:
    assert (pokex.bid(3).tricks, pokex.decline().tricks) == (3, None)
    assert (pokex.name_rank(11).rank, pokex.bid(2).rank) == (11, None)
    lead = pokex.play("7S 8S", 40)
    assert (lead.center, lead.cards) == (Card.parse("2C"), tuple(parse_cards("7S 8S")))
    assert pokex.play("7S 8S").center is None
    assert lead != pokex.play("7S 8S")
    for rank in ("1", "15", "x", 0, ""):
        with pytest.raises(ValueError, match="is not a rank"):
            pokex.name_rank(rank)


def pattern(pool: str, center: str = "") -> game_pb2.MovePattern:
    return game_pb2.MovePattern(
        template=pokex.play("", center or None).message,
        kind=game_pb2.MoveKind(pokex=pokex_pb2.POKEX_MOVE_KIND_PLAY),
        cards=game_pb2.CardChoice(pool=card_numbers(pool), min=2, max=2),
    )


def test_patterns_of_several_centre_cards_are_walked_counted_and_sampled() -> None:
    """P-4.1: one pattern for each centre card that the leader may name."""
    pool, centers = "2S 3S 4S 5S 6S", ("2D", "9C")
    legal = LegalMoves(game_pb2.LegalMoves(patterns=[pattern(pool, one) for one in centers]))
    expected = {
        pokex.play(pair, center)
        for pair, center in product(combinations(card_numbers(pool), 2), centers)
    }
    assert set(legal) == expected
    assert len(legal) == len(list(legal)) == 20
    assert pokex.play("2S 3S") not in legal
    assert pokex.play("2S 3S", "9D") not in legal
    assert pokex.play("2S", "9C") not in legal
    assert {move.kind for move in legal} == {MoveKind.PLAY}
    named = {move.center for move in legal if isinstance(move, pokex.PokexMove)}
    assert named == set(parse_cards("2D 9C"))
    chance = SeatRandom(1, "t", 0)
    assert {legal.sample(chance.at(str(number))) for number in range(400)} == expected
    assert repr(legal.patterns[0]) == f"<PLAY: play with 2D and 2 to 2 of [{pool}]>"


def test_plays_without_a_centre_card_name_none() -> None:
    legal = LegalMoves(game_pb2.LegalMoves(patterns=[pattern("2S 3S 4S")]))
    assert {str(move) for move in legal} == {"play 2S 3S", "play 2S 4S", "play 3S 4S"}
    assert pokex.play("2S 3S", "2D") not in legal


# The view ----------------------------------------------------------------------------------------


def hand_made() -> pokex_pb2.PokexView:
    """A view with everything in it."""
    public = pokex_pb2.PokexPublicView(
        phase=pokex_pb2.POKEX_PHASE_PLAY,
        deal=4,
        dealer=2,
        center=card_numbers("2S 3S 4S 5S 6S 7S"),
        center_left=card_numbers("4S 5S 6S 7S"),
        declarer=3,
        bid=2,
        wild_rank=cards_pb2.RANK_NINE,
        hand_sizes=[10, 10, 8, 10],
        taken=[1, 0],
        carried=1,
        totals=[12, -3],
        consecutive_passed_out=1,
        leader=2,
    )
    public.calls.add(seat=3, tricks=2)
    public.calls.add(seat=0)
    public.trick.center = card_number("3S")
    public.trick.plays.add(seat=2, cards=card_numbers("KH KD"))
    done = public.tricks.add(center=card_number("2S"), winning_team=0, counted=2)
    done.hands.add(category=pokex_pb2.POKEX_CATEGORY_FULL_HOUSE, ranks=[14, 9], wilds_used=1)
    done.hands.add(category=pokex_pb2.POKEX_CATEGORY_PAIR, ranks=[15, 14, 9, 3])
    return pokex_pb2.PokexView(public_view=public, seat=1, hand=card_numbers("AS BJ"))


def test_a_view_tells_what_its_message_says() -> None:
    view = view_of(game_pb2.SeatView(pokex=hand_made()))
    assert isinstance(view, PokexView)
    assert (view.seat, view.team, view.deal, view.dealer) == (1, 1, 4, 2)
    assert (view.phase, view.hand) == (Phase.PLAY, parse_cards("AS BJ"))
    assert (view.center, view.center_left) == (
        parse_cards("2S 3S 4S 5S 6S 7S"),
        parse_cards("4S 5S 6S 7S"),
    )
    assert view.calls == [(3, 2), (0, 0)]
    assert (view.declarer, view.is_declarer, view.bid, view.wild_rank) == (3, True, 2, 9)
    assert (view.leader, view.taken, view.carried, view.totals) == (2, [1, 0], 1, [12, -3])
    assert (view.consecutive_passed_out, view.last_result) == (1, None)
    assert view.trick is not None
    assert view.trick.plays == (Play(2, tuple(parse_cards("KH KD"))),)
    assert (view.trick.center, view.trick.winner, view.trick.hands) == (Card.parse("3S"), None, ())
    (done,) = view.tricks
    assert (done.winner, done.counted) == (0, 2)
    assert done.hands[0] == PokerHand(Category.FULL_HOUSE, (14, 9), 1)
    assert list(map(str, done.hands)) == ["full house A 9 (1 wild)", "pair joker A 9 3"]
    shown = str(view)
    for words in ("calls 3:2 0:pass", "declarer 3 at 2; wild rank 9", "[3♠]  2: K♥ K♦"):
        assert words in shown
    assert "team 0 takes it: full house A 9 (1 wild) and pair joker A 9 3" in shown


def test_an_empty_view_has_nothing_to_tell() -> None:
    view = PokexView(pokex_pb2.PokexView())
    assert (view.dealer, view.declarer, view.wild_rank, view.leader, view.trick) == (None,) * 5
    assert not view.is_declarer


@pytest.mark.parametrize("ruleset", ["standard", "document"])
def test_views_say_what_the_state_is(ruleset: str) -> None:
    def watch(state: Any, seat: int, view: View, decision: Decision) -> None:
        assert isinstance(view, PokexView)
        public = state.public
        assert view.hand == to_cards(unpack(state.hands[seat]))
        assert view.center == to_cards(public.center)
        assert view.center_left == to_cards(public.center_left)
        assert len(view.tricks) == len(public.tricks)
        assert view.totals == list(public.totals)
        assert view.wild_rank == (public.wild_rank or None)
        assert [call.tricks for call in public.calls] == [tricks for _, tricks in view.calls]

    bots = [RandomBot() for _ in range(4)]
    Arena(bots, 6, ruleset, watch, game="pokex", max_deals="3").run()


# Hands -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("joker", ["wild", "top_card"])
@pytest.mark.parametrize("duplicates", [False, True])
@pytest.mark.parametrize("wild_rank", [0, 2, 9, 14])
def test_hands_are_reckoned_as_the_rules_have_them(
    joker: str, duplicates: bool, wild_rank: int
) -> None:
    kind = {"wild": pokex_pb2.POKEX_JOKER_WILD, "top_card": pokex_pb2.POKEX_JOKER_TOP_CARD}[joker]
    options = pokex_pb2.PokexOptions(joker=kind, flush_duplicates=duplicates)
    ours = Evaluator(options, wild_rank)
    theirs = hand_rules(wild_rank, joker, duplicates, False, True)
    stream = random.Random(wild_rank)
    # One suit and a half, wild cards and jokers, so that every category comes up.
    rich = [*range(1, 14), *range(14, 20), 53, 54]
    if wild_rank:
        rich += [wild_rank - 1 + suit for suit in (13, 26, 39)]
    for number in range(1500):
        hand = stream.sample(sorted(set(rich)) if number % 2 else range(1, 55), 5)
        found, best = ours.strength(hand), theirs.best(pack(hand)).hand
        assert category_of(found) == best.category, to_cards(hand)
        shown = [found >> 3 >> 4 * (4 - place) & 15 for place in range(5)]
        assert tuple(rank for rank in shown if rank) == tuple(best.ranks), to_cards(hand)


# Greedy ------------------------------------------------------------------------------------------


def choose(view: pokex_pb2.PokexView, kind: pokex.DecisionKind, legal: game_pb2.LegalMoves) -> str:
    """What `greedy` chooses."""
    message = table_pb2.Decision(
        kind=game_pb2.DecisionKind(pokex=int(kind)),  # type: ignore[arg-type]
        legal=legal,
    )
    decision = Decision(message, "t", SeatRandom(1, "t", 0))
    return str(thumb.decide(PokexView(view), decision, STANDARD))


def listed(*moves: pokex.PokexMove) -> game_pb2.LegalMoves:
    return game_pb2.LegalMoves(moves=[game_pb2.LegalMove(move=move.message) for move in moves])


def position(hand: str, center: str = "2D 4H 6S 8C TD QH", **public: Any) -> pokex_pb2.PokexView:
    facts: dict[str, Any] = {
        "center": card_numbers(center),
        "center_left": card_numbers(center),
        "hand_sizes": [12] * 4,
    }
    return pokex_pb2.PokexView(
        public_view=pokex_pb2.PokexPublicView(**(facts | public)),
        hand=card_numbers(hand),
    )


BIDS = (pokex.decline(), *(pokex.bid(tricks) for tricks in range(1, 7)))


def bid_on(hand: str, *calls: pokex_pb2.PokexCalled) -> int:
    legal = [BIDS[0], *BIDS[1 + max((call.tricks for call in calls), default=0) :]]
    view = position(hand, calls=list(calls))
    return int(choose(view, pokex.DecisionKind.BID, listed(*legal)).replace("pass", "bid 0")[4:])


RICH = "BJ RJ AS AH AD KS KH QS QD 9S 9H 3C"
POOR = "2S 3H 4D 5C 7S 8H 9D TC JS QD KH 6D"


def test_greedy_bids_more_with_wild_cards() -> None:
    assert bid_on(RICH) > bid_on(POOR) > 0


def test_greedy_leaves_a_high_bid_of_its_partner_alone() -> None:
    assert bid_on(POOR, pokex_pb2.PokexCalled(seat=2, tricks=4)) == 0


def test_greedy_names_the_rank_that_it_holds_most() -> None:
    ranks = [pokex.name_rank(rank) for rank in range(2, 15)]
    chosen = choose(position(RICH), pokex.DecisionKind.NAME_RANK, listed(*ranks))
    assert chosen == "wild A"


def last_to_play(hand: str, theirs: str, partner: str) -> pokex_pb2.PokexView:
    """The position of seat 0, last in a trick that seat 1 led."""
    first, second = card_numbers(theirs)[:2], card_numbers(theirs)[2:]
    plays = [
        pokex_pb2.PokexPlayed(seat=1, cards=first),
        pokex_pb2.PokexPlayed(seat=3, cards=second),
        pokex_pb2.PokexPlayed(seat=2, cards=card_numbers(partner)),
    ]
    trick = pokex_pb2.PokexTrick(center=card_number("2D"), plays=plays)
    return position(hand, trick=trick, leader=1)


def follow(hand: str, theirs: str, partner: str) -> str:
    view = last_to_play(hand, theirs, partner)
    legal = game_pb2.LegalMoves(patterns=[pattern(hand)])
    return choose(view, pokex.DecisionKind.FOLLOW, legal)


def test_the_last_player_spends_no_more_than_takes_the_trick() -> None:
    # A pair of kings and a third one beat a pair of aces; the jokers are kept.
    played = follow("KS 3H 9D BJ RJ 6C", "AS AH 5C 7D", "KH KD")
    assert "KS" in played
    assert "J" not in played


def test_the_last_player_throws_its_worst_where_the_trick_is_lost() -> None:
    assert follow("KS KH 3H 4D BJ RJ", "AS AH AD AC", "5H 9D") == "play 3H 4D"


@pytest.mark.parametrize("center", ["fixed", "leader_picks"])
@pytest.mark.parametrize("order", ["pair_first", "clockwise"])
def test_greedy_plays_every_form_of_trick(center: str, order: str) -> None:
    options = {"center": center, "play_order": order, "max_deals": "2"}
    Arena([GreedyBot() for _ in range(4)], 3, "standard", None, game="pokex", **options).run()
