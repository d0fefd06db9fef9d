"""Every game is told in words: all of it, and to each audience what it saw and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from croupier.moves import card_number, card_numbers
from croupier.record.v1 import record_pb2
from croupier.v1 import cards_pb2, game_pb2, pokex_pb2, table_pb2, tongits_pb2
from croupier_server.cli.narrator import Narrator
from croupier_server.cli.replay import _step, ends_of, tell
from croupier_server.games.modules import MODULES
from croupier_server.games.registry import GAMES
from tests.cli.records import random_record
from tests.clients.arena import SHORT

SPECTATOR: frozenset[int] = frozenset()
RULESETS = [(name, one) for name, game in GAMES.items() for one in game.rulesets()]
DEALS = 3


def lines(record: record_pb2.MatchRecord, seats: frozenset[int] = SPECTATOR) -> list[str]:
    return [line for step in tell(record, seats) for line in step]


def record_of(
    game: str, ruleset: str = "standard", seed: int = 1, **options: str
) -> record_pb2.MatchRecord:
    return random_record(ruleset, seed, game, **({SHORT[game]: str(DEALS)} | options))


@pytest.mark.parametrize(("game", "ruleset"), RULESETS)
@pytest.mark.parametrize("seed", range(3))
def test_every_ruleset_can_be_told(game: str, ruleset: str, seed: int) -> None:
    record = record_of(game, ruleset, seed)
    for audience in (SPECTATOR, frozenset({2}), frozenset(range(len(record.table.seats)))):
        told = "\n".join(lines(record, audience))
        assert told.count(" ends") >= DEALS
        assert "does not know" not in told


@pytest.mark.parametrize("game", GAMES)
def test_a_spectator_sees_no_hand_and_a_seat_its_own_alone(game: str) -> None:
    record = record_of(game)
    public = "\n".join(lines(record))
    assert "[left:" not in public
    assert "is dealt" not in public
    own = lines(record, frozenset({1}))
    holding = {re.sub(r" .*", "", line.split(None, 1)[1]) for line in own if "[left:" in line}
    assert holding == {"1"}
    dealt = {line.split()[1] for line in own if " is dealt " in line}
    assert dealt <= {"1"}


@pytest.mark.parametrize("game", GAMES)
def test_what_a_seat_is_told_does_not_depend_on_other_private_parts(game: str) -> None:
    record = record_of(game)
    poorer = record_pb2.MatchRecord()
    poorer.CopyFrom(record)
    for row in poorer.rows:
        own = [part for part in row.private_parts if part.seat == 1]
        del row.private_parts[:]
        row.private_parts.extend(own)
    assert lines(poorer, frozenset({1})) == lines(record, frozenset({1}))
    assert lines(poorer) == lines(record)


@pytest.mark.parametrize("game", GAMES)
def test_t_and_d_run_to_the_end_of_trick_or_turn_and_of_deal(
    game: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def shown(pressed: str) -> list[str]:
        waiting: Iterator[str] = iter(pressed)
        _step(tell(record, SPECTATOR), lambda: next(waiting), ends_of(record))
        return capsys.readouterr().out.splitlines()

    record, ends = record_of(game), MODULES[game].teller.ends
    for key in "td":
        last = shown(f"{key}q")[-1]
        assert any(words in last for words in ends[key])
    assert len(shown("tq")) < len(shown("ttq")) < len(shown("dq")) < len(shown("ddq"))


# Tong-its ----------------------------------------------------------------------------------------


def told_tongits(**options: str) -> str:
    """Many deals of Tong-its as all seats saw them together."""
    records = [record_of("tongits", "standard", seed, **options) for seed in range(25)]
    return "\n".join(line for one in records for line in lines(one, frozenset({0, 1, 2})))


def test_turns_of_tongits_are_told_with_cards_and_melds() -> None:
    """G-2, G-3, G-4: what happens to cards can be read from the lines."""
    told = told_tongits()
    for pattern in (
        r"\d bot\d is dealt( \w\w){12,13}$",
        r"draws \w\w; the stock has \d+ cards?$",
        r"takes (\w\w) for meld \d: .*\1.*   \[left: ",
        r"exposes meld \d:( \w\w){3,}   \[left: ",
        r"lays off on meld \d:( \w\w)+   \[left: ",
        r"discards \w\w   \[left: ",
        r"calls draw$",
        r"folds, not being entitled to challenge$",
        r"deal \d ends by a draw call: \d bot\d wins$",
        r"shows .* \(\d+ points\)",
        r"pays \d+ \(win \d",
        r"chips [+-]\d+ [+-]\d+ [+-]\d+, pot \d+; next dealer \d bot\d$",
        r"the pot is split, \d+ for each; chips ",
    ):
        assert re.search(pattern, told, re.MULTILINE), pattern


def test_a_taken_discard_that_is_laid_off_and_a_meld_turned_down_are_told() -> None:
    taken = told_tongits(discard_take="meld_or_layoff_any")
    assert re.search(r"takes (\w\w) and lays it off on meld \d:.*\1", taken)
    assert re.search(
        r"takes .* for meld .*, turned down", told_tongits(discard_melds="turned_down")
    )
    assert "ends the turn without a discard" in told_tongits(discard_after_take="false")


def event(**arm: object) -> game_pb2.GameEvent:
    return game_pb2.GameEvent(tongits=tongits_pb2.TongitsEvent(**arm))  # type: ignore[arg-type]


def test_a_secret_four_is_told_with_its_rank_to_its_owner_only() -> None:
    """G-3.4: the others see that a four lies there, not its rank."""
    laid = event(secret_four_laid=tongits_pb2.TongitsSecretFourLaid(seat=1))
    rank = tongits_pb2.TongitsPrivateFour(rank=cards_pb2.RANK_QUEEN)
    own = game_pb2.GamePrivateEvent(tongits=tongits_pb2.TongitsPrivateEvent(laid=rank))
    teller = MODULES["tongits"].teller({1: "1 ann"})
    assert teller.tell(laid, {}) == ["1 ann lays a secret four"]
    assert teller.tell(laid, {1: own}) == ["1 ann lays a secret four of rank Q"]


# Pokex -------------------------------------------------------------------------------------------


def test_tricks_of_pokex_are_told_with_their_hands() -> None:
    """P-4, P-5: what each side made of its five cards can be read from the lines."""
    records = [record_of("pokex", "standard", seed) for seed in range(4)]
    told = "\n".join(line for one in records for line in lines(one, frozenset({0, 1, 2, 3})))
    hand = r"[a-z ]+(?: [2-9TJQKA])+(?: \(\d wild\))?"
    for pattern in (
        r"deal \d: points -?\d+ and -?\d+, \d bot\d deals; centre( \w\w){6}$",
        r"\d bot\d is dealt( \w\w){12}$",
        r"bids \d$",
        r"passes$",
        r"is the declarer at \d$",
        r"makes rank [2-9TJQKA] wild$",
        r"leads to the centre card \w\w: \w\w \w\w   \[left: ",
        r"plays \w\w \w\w   \[left: ",
        rf"team [01] takes the trick: {hand} against {hand}$",
        r"deal \d ends: tricks \d and \d, \d bot\d had bid \d; points [+-]\d+ and [+-]\d+; totals ",
    ):
        assert re.search(pattern, told, re.MULTILINE), pattern
    emptied = [line for line in told.splitlines() if line.endswith("[left: no card]")]
    assert len(emptied) == 4 * 4 * DEALS


def test_carried_tricks_and_deals_passed_out_are_told() -> None:
    """P-4.3, P-2.4."""
    pair = pokex_pb2.PokexPokerHand(category=pokex_pb2.POKEX_CATEGORY_PAIR, ranks=[9, 8, 7, 2])
    flush = pokex_pb2.PokexPokerHand(
        category=pokex_pb2.POKEX_CATEGORY_FLUSH, ranks=[14, 13, 9, 4, 2], wilds_used=1
    )
    ended = pokex_pb2.PokexTrickEnded(winning_team=1, counted=2, hands=[pair, flush])
    play = pokex_pb2.PokexPlayed(seat=0, cards=card_numbers("2S 3S"))
    played = pokex_pb2.PokexCardsPlayed(play=play, trick_ended=ended)
    passed = pokex_pb2.PokexDealResult(
        deal=4, passed_out=True, tricks=[0, 0], points=[0, 0], totals=[3, 5]
    )

    def told(**arm: object) -> list[str]:
        event = pokex_pb2.PokexEvent(**arm)  # type: ignore[arg-type]
        return MODULES["pokex"].teller({}).tell(game_pb2.GameEvent(pokex=event), {})

    counted = told(cards_played=played)
    assert counted[1] == (
        "  team 1 takes the trick, which counts for 2: "
        "flush A K 9 4 2 (1 wild) against pair 9 8 7 2"
    )
    assert told(auction_ended=pokex_pb2.PokexAuctionEnded()) == ["all have passed"]
    assert told(deal_scored=passed) == [
        "deal 4 ends: nothing is played; points +0 and +0; totals 3 and 5"
    ]


# Positions ---------------------------------------------------------------------------------------


def test_a_position_of_tongits_is_told() -> None:
    public = tongits_pb2.TongitsPublicView(
        phase=tongits_pb2.TONGITS_PHASE_START_TURN,
        deal=2,
        hand_sizes=[9, 12, 8],
        stock_size=4,
        discards=card_numbers("2S AS"),
        secret_four_counts=[0, 1, 0],
        chips=[2, 0, -2],
        pot=12,
    )
    public.melds.add(number=0, seat=2, cards=card_numbers("2S 3S 4S"))
    assert position("tongits", game_pb2.PublicView(tongits=public)) == [
        "deal 2, start turn; chips +2 +0 -2, pot 12; hands of 9 12 8, stock of 4",
        "  meld 0 of 2 cat: 2S 3S 4S",
        "  1 ann has laid 1 secret four",
        "  discards 2S AS",
    ]


def test_a_position_between_deals_tells_no_hands() -> None:
    """Hands and stock are taken in then; the view says 0 of them."""
    public = tongits_pb2.TongitsPublicView(
        phase=tongits_pb2.TONGITS_PHASE_OVER, deal=9, hand_sizes=[0, 0, 0], chips=[3, -1, -2]
    )
    assert position("tongits", game_pb2.PublicView(tongits=public)) == [
        "deal 9, over; chips +3 -1 -2, pot 0"
    ]


def test_a_position_in_the_middle_of_a_draw_call_is_told() -> None:
    """G-5.2: who joins now learns who called, who has answered how, and who is asked."""
    public = tongits_pb2.TongitsPublicView(
        phase=tongits_pb2.TONGITS_PHASE_ANSWER, deal=1, caller=0, to_act=2
    )
    public.answers.add(seat=1, challenged=True)
    assert position("tongits", game_pb2.PublicView(tongits=public))[1:] == [
        "  0 bob has called draw",
        "  1 ann challenges",
        "  2 cat is asked",
    ]


def test_a_position_of_pokex_is_told() -> None:
    public = pokex_pb2.PokexPublicView(
        phase=pokex_pb2.POKEX_PHASE_PLAY,
        deal=3,
        center_left=card_numbers("6S 7S"),
        declarer=1,
        bid=4,
        wild_rank=cards_pb2.RANK_NINE,
        taken=[1, 3],
        totals=[10, 12],
    )
    public.trick.center = card_number("5S")
    public.trick.plays.add(seat=2, cards=card_numbers("BJ RJ"))
    public.to_act = 0
    assert position("pokex", game_pb2.PublicView(pokex=public)) == [
        "deal 3, play; points 10 and 12; centre 6S 7S",
        "1 ann is the declarer at 4, rank 9 is wild; tricks 1 and 3",
        "  the trick has the centre card 5S",
        "  2 cat has played BJ RJ",
        "  0 bob is asked",
    ]


def test_a_position_of_a_deal_without_declarers_is_told() -> None:
    """P-2.4: all have passed, and tricks are played for."""
    public = pokex_pb2.PokexPublicView(
        phase=pokex_pb2.POKEX_PHASE_PLAY, deal=1, taken=[2, 0], totals=[0, 0], leader=1, to_act=1
    )
    assert position("pokex", game_pb2.PublicView(pokex=public)) == [
        "deal 1, play; points 0 and 0",
        "all have passed; tricks 2 and 0",
        "  1 ann is asked",
    ]


def position(game: str, view: game_pb2.PublicView) -> list[str]:
    """How a snapshot of that view is told, less the line on the table."""
    kind = game_pb2.GameKind.Value(f"GAME_KIND_{game.upper()}")
    names = ["bob", "ann", "cat"]
    seats = [
        table_pb2.SeatInfo(seat=seat, player=table_pb2.Player(display_name=name))
        for seat, name in enumerate(names)
    ]
    table = table_pb2.Table(table_id="t", spec=table_pb2.TableSpec(game=kind), seats=seats)
    snapshot = table_pb2.Snapshot(table=table, public_view=view)
    return Narrator(table).snapshot(snapshot)[1:]


def narrator() -> Narrator:
    """The narrator of a table with three players."""
    seats = [
        table_pb2.SeatInfo(seat=seat, player=table_pb2.Player(display_name=name))
        for seat, name in enumerate(["bob", "ann"])
    ]
    return Narrator(
        table_pb2.Table(spec=table_pb2.TableSpec(game=game_pb2.GAME_KIND_POKEX), seats=seats)
    )


def clock(seat: int, seconds: int, strikes: int = 0) -> table_pb2.SeatClock:
    """A clock as a heartbeat has it."""
    found = table_pb2.SeatClock(seat=seat, strikes=strikes)
    found.remaining.FromMilliseconds(seconds * 1000 + 900)
    return found


def test_clocks_are_told_when_they_have_changed() -> None:
    tell = narrator().clocks
    assert tell([]) == []
    both = [clock(0, 298), clock(1, 7, strikes=2)]
    assert tell(both) == ["       clocks: 0 bob 4:58, 1 ann 0:07 (2 strikes)"]
    assert tell(both) == []
    assert tell([clock(0, 298), clock(1, 3700, strikes=1)]) == [
        "       clocks: 0 bob 4:58, 1 ann 61:40 (1 strike)"
    ]


def test_a_nonce_that_was_withheld_and_time_that_ran_out_are_told() -> None:
    told = narrator()
    no_show = table_pb2.TableEvent(sequence=9, seat_no_show=table_pb2.SeatNoShow(seat=1))
    assert told.tell(no_show, {}) == ["    9  1 ann withholds its nonce; the seat is free"]
    out = table_pb2.SeatTimedOut(seat=0, strikes=2)
    timed_out = table_pb2.TableEvent(sequence=10, seat_timed_out=out)
    assert told.tell(timed_out, {}) == ["   10  0 bob runs out of time (2 strikes so far)"]
