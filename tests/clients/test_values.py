"""Cards, moves, options, random numbers, errors and results, each by itself."""

from __future__ import annotations

import statistics

import grpc
import pytest
from google.protobuf import any_pb2, duration_pb2
from google.rpc import error_details_pb2, status_pb2

import croupier
from croupier import Card, errors
from croupier import tractor as moves
from croupier.cards import CARDS, parse_cards, pretty, text
from croupier.options import OptionValue, options_message
from croupier.randomness import DecisionRandom, SeatRandom
from croupier.results import EndReason, Results, make_result
from croupier.v1 import cards_pb2, errors_pb2, game_pb2, tractor_pb2


# Cards -------------------------------------------------------------------------------------------
def test_cards_are_the_numbers_of_the_contract() -> None:
    ranks = [name.removeprefix("RANK_") for name in cards_pb2.Rank.keys()[1:]]
    suits = [name.removeprefix("SUIT_") for name in cards_pb2.Suit.keys()[1:]]
    names = [f"CARD_{rank}_OF_{suit}" for suit in suits for rank in ranks]
    names += ["CARD_BLACK_JOKER", "CARD_RED_JOKER"]
    texts = [f"{rank}{suit[0]}" for suit in suits for rank in "23456789TJQKA"] + ["BJ", "RJ"]
    for name, written in zip(names, texts, strict=True):
        assert Card.parse(written) is CARDS[cards_pb2.Card.Value(name)]
    assert len(cards_pb2.Card.keys()) == len(names) + 1


@pytest.mark.parametrize(
    ("name", "suit", "rank", "points"),
    [
        ("7S", "S", 7, 0),
        ("5H", "H", 5, 5),
        ("TC", "C", 10, 10),
        ("KD", "D", 13, 10),
        ("RJ", "", 0, 0),
    ],
)
def test_a_card_knows_itself(name: str, suit: str, rank: int, points: int) -> None:
    card = Card.parse(name.lower())
    assert (card.text, card.suit, card.rank, card.points) == (name, suit, rank, points)
    assert card.is_joker == (rank == 0)


def test_cards_as_text() -> None:
    assert text(parse_cards("RJ 7S 7S")) == "RJ 7S 7S"
    assert pretty(parse_cards("TH AS BJ")) == "10♥ A♠ BJ"
    with pytest.raises(ValueError, match="'1S' is not a card"):
        parse_cards("7S 1S")


# Moves -------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("move", "words"),
    [
        (moves.decline(), "pass"),
        (moves.declare("7S 7S"), "declare 7S 7S"),
        (moves.call(80), "call 80"),
        (moves.show("RJ"), "show RJ"),
        (moves.name_trumps("h"), "trumps H"),
        (moves.name_trumps(None), "trumps NT"),
        (moves.bury("AS 2S"), "bury 2S AS"),
        (moves.play([6, 5]), "play 6S 7S"),
    ],
)
def test_moves_are_written_as_players_write_them(move: croupier.Move, words: str) -> None:
    assert str(move) == words
    assert move.type == move.message.tractor.WhichOneof("move")


def test_moves_are_equal_when_they_say_the_same() -> None:
    mixed = game_pb2.Move(tractor=tractor_pb2.TractorMove())
    mixed.tractor.play.cards.extend([cards_pb2.CARD_SEVEN_OF_SPADES, cards_pb2.CARD_SIX_OF_SPADES])
    assert moves.TractorMove(mixed) == moves.play("6S 7S")
    assert len({moves.TractorMove(mixed), moves.play("7S 6S")}) == 1
    assert moves.play("6S") != moves.bury("6S")
    with pytest.raises(ValueError, match="is not a suit"):
        moves.name_trumps("X")


# Options -----------------------------------------------------------------------------------------
def test_options_are_taken_as_text_and_typed() -> None:
    as_text = {
        "players": "6",
        "max_deals": "none",
        "kitty_size": "auto",
        "self_override": "true",
        "tractor_follow": "pairs",
        "level_cap": "3",
        "mandatory_levels": "A, J",
        "start_levels": "10",
        "kitty_multiplier": "2x_flat",
        "starter": "2",
    }
    typed = {
        "players": 6,
        "max_deals": None,
        "kitty_size": None,
        "self_override": True,
        "tractor_follow": tractor_pb2.TRACTOR_TRACTOR_FOLLOW_PAIRS,
        "level_cap": 3,
        "mandatory_levels": ["A", 11],
        "start_levels": ["T"],
        "kitty_multiplier": "2X_FLAT",
        "starter": 2,
    }
    message = options_message("tractor", as_text)
    assert message == options_message("tractor", typed)  # type: ignore[arg-type]
    assert list(message.tractor.mandatory_levels.ranks) == [14, 11]
    assert message.tractor.max_deals == 0
    assert message.tractor.HasField("max_deals")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"protekt": "none"}, "has no option 'protekt', perhaps you mean 'protect'; it has"),
        ({"zzz": "none"}, "has no option 'zzz'; it has"),
        ({"protect": "all"}, "one of none, tractors, tuples"),
        ({"protect": "unspecified"}, "one of none"),
        ({"players": "many"}, "a number"),
        (
            {"max_deals": 0},
            "max_deals of tractor cannot be 0; it must be none or a number of at least 1",
        ),
        ({"max_deals": "0"}, "cannot be '0'; it must be none or a number of at least 1"),
        ({"max_deals": "-1"}, "cannot be '-1'; it must be none or a number of at least 1"),
        ({"kitty_size": 0}, "cannot be 0; it must be auto or a number of at least 1"),
        ({"players": True}, "a number"),
        ({"players": "auto"}, "players of tractor cannot be 'auto'; it must be a number"),
        ({"max_deals": "auto"}, "cannot be 'auto'; it must be none or a number of at least 1"),
        ({"starter": "auto"}, "starter of tractor cannot be 'auto'; it must be none or a number"),
        ({"self_override": "yes"}, "true or false"),
        ({"mandatory_levels": "A, X"}, "levels separated by commas"),
    ],
)
def test_a_wrong_option_is_named(options: dict[str, OptionValue], words: str) -> None:
    with pytest.raises(croupier.UsageError, match=words):
        options_message("tractor", options)


def test_the_bound_of_another_game_leads_to_the_own_one() -> None:
    with pytest.raises(croupier.UsageError, match="perhaps you mean 'max_hands'"):
        options_message("tongits", {"max_deals": 1})


def test_sets_are_taken_as_text_and_as_lists() -> None:
    as_text = {"secret_open": "burn, call", "special_pays": "none", "draw_call": "anyone"}
    listed: dict[str, OptionValue] = {
        "secret_open": ["burn", 3],
        "special_pays": [],
        "draw_call": "ANYONE",
    }
    message = options_message("tongits", as_text).tongits
    assert message == options_message("tongits", listed).tongits
    assert list(message.secret_open.values) == [1, 3]
    assert message.HasField("special_pays")
    assert not options_message("tongits", {}).tongits.HasField("special_pays")
    with pytest.raises(croupier.UsageError, match="none, or some of burn, challenge, call"):
        options_message("tongits", {"secret_open": "burn, fly"})


def test_an_options_message_of_another_game_is_refused() -> None:
    with pytest.raises(
        croupier.UsageError, match="TractorOptions is not an options message of pokex"
    ):
        options_message("pokex", tractor_pb2.TractorOptions())


def test_a_word_for_a_number_is_sent() -> None:
    tractor = options_message("tractor", {"starter": "none", "packs": "auto"}).tractor
    assert tractor.HasField("starter")
    assert not tractor.starter.HasField("seat")
    assert (tractor.HasField("packs"), tractor.packs) == (True, 0)


def test_an_unknown_game_is_named() -> None:
    with pytest.raises(croupier.UsageError, match="no game 'whist'; this client knows tractor, to"):
        options_message("whist", {})


def test_messages_pass_as_they_are() -> None:
    own = tractor_pb2.TractorOptions(players=8)
    assert options_message("tractor", own).tractor == own
    assert options_message("tractor", game_pb2.GameOptions(tractor=own)).tractor == own


# Random numbers ----------------------------------------------------------------------------------
def at(
    seed: int | str = 1, table: str = "t", seat: int = 0, decision: str = "5-0"
) -> DecisionRandom:
    return SeatRandom(seed, table, seat).at(decision)


def test_random_numbers_depend_on_seed_table_seat_and_decision_alone() -> None:
    def numbers(chance: DecisionRandom) -> list[int]:
        return [chance.randrange(1000) for _ in range(20)]

    assert numbers(at()) == numbers(at(seed="1"))
    others = [at(seed=2), at(table="u"), at(seat=1), at(decision="6-0"), at(seed="1t", table="")]
    assert all(numbers(at()) != numbers(other) for other in others)


def test_random_numbers_are_even() -> None:
    chance = at()
    assert 0.48 < statistics.mean(chance.random() for _ in range(5000)) < 0.52
    drawn = [chance.randrange(6) for _ in range(6000)]
    assert all(900 < drawn.count(side) < 1100 for side in range(6))
    deck = list(range(20))
    chance.shuffle(deck)
    assert sorted(deck) == list(range(20))
    assert deck != list(range(20))
    assert len(set(chance.sample(range(20), 20))) == 20
    assert chance.choice("a") == "a"


def test_random_numbers_refuse_nonsense() -> None:
    for stop in (0, -1, 2**64 + 1):
        with pytest.raises(ValueError, match="no number below"):
            at().randrange(stop)
    with pytest.raises(IndexError):
        at().choice([])
    with pytest.raises(ValueError, match="cannot take"):
        at().sample([1], 2)


# Errors ------------------------------------------------------------------------------------------
def test_a_status_becomes_an_error_with_its_details() -> None:
    status = status_pb2.Status(code=grpc.StatusCode.INVALID_ARGUMENT.value[0], message="no")
    bad = error_details_pb2.BadRequest()
    bad.field_violations.add(field="options.tractor.packs", description="2 to 6")
    retry = error_details_pb2.RetryInfo(
        retry_delay=duration_pb2.Duration(seconds=1, nanos=500_000_000)
    )
    info = error_details_pb2.ErrorInfo(reason="INVALID_OPTION", domain="croupier")
    for detail in (info, bad, retry):
        packed = any_pb2.Any()
        packed.Pack(detail)
        status.details.append(packed)
    error = errors.from_status(status)
    assert isinstance(error, croupier.InvalidRequest)
    assert (error.reason, error.field, error.retry_after) == (
        "INVALID_OPTION",
        "options.tractor.packs",
        1.5,
    )
    assert str(error) == "INVALID_OPTION: no; options.tractor.packs: 2 to 6"


def test_a_field_that_says_what_the_message_says_is_only_named() -> None:
    error = croupier.NotFound(
        grpc.StatusCode.NOT_FOUND,
        "NOT_FOUND",
        "no such table",
        fields={"table_id": "no such table"},
    )
    assert str(error) == "NOT_FOUND: no such table (table_id)"


def test_what_the_message_says_of_fields_is_not_said_twice() -> None:
    fields = {"spec.game": "not set", "spec.title": "too long"}
    message = "spec.game: not set; spec.title: too long"
    error = croupier.InvalidRequest(
        grpc.StatusCode.INVALID_ARGUMENT, "MALFORMED_REQUEST", message, fields=fields
    )
    assert str(error) == f"MALFORMED_REQUEST: {message}"


def test_every_code_has_a_class_under_one_root() -> None:
    for code in grpc.StatusCode:
        error = errors.from_status(status_pb2.Status(code=code.value[0], message="m"))
        assert isinstance(error, croupier.Refused)
        assert isinstance(error, croupier.Error)
        assert error.reason == code.name
    unknown = errors.from_status(status_pb2.Status(code=99, message="m"))
    assert isinstance(unknown, croupier.ServerFault)


@pytest.mark.parametrize(
    ("wait", "kind"), [(None, croupier.ServerFault), (2, croupier.Unavailable)]
)
def test_a_reason_of_a_newer_server_is_waited_for_if_it_says_so(
    wait: int | None, kind: type[croupier.Refused]
) -> None:
    after = None if wait is None else duration_pb2.Duration(seconds=wait)
    told = errors_pb2.Refusal(detail="later", retry_after=after)
    told.reason = 999  # type: ignore[assignment]
    error = errors.from_refusal(told)
    assert type(error) is kind
    assert (error.reason, error.retry_after) == ("REASON_999", wait)


# Results -----------------------------------------------------------------------------------------
def test_results_print_as_a_table() -> None:
    message = game_pb2.MatchResult(reason=game_pb2.END_REASON_FINISHED)
    message.seats.add(seat=2, score=-1, place=2)
    one = make_result(message, "t1", 2, "MyBot", 30, b"n")
    aborted = make_result(
        game_pb2.MatchResult(reason=game_pb2.END_REASON_ABORTED, detail="rain"),
        "t2",
        0,
        "B",
        1,
        b"",
    )
    assert (one.score, one.place, one.reason) == (-1, 2, EndReason.FINISHED)
    assert aborted.score is None
    lines = str(Results([one, aborted, one])).splitlines()
    assert lines[1].split() == ["t1", "2", "-1", "2", "MyBot,", "finished"]
    assert lines[2].endswith("B, aborted: rain")
    assert lines[-1] == "mean score -1.00 of 2"


def test_an_end_reason_of_a_newer_server_is_bearable() -> None:
    newer = game_pb2.MatchResult()
    newer.reason = 99  # type: ignore[assignment]
    assert make_result(newer, "t", 0, "B", 0, b"").reason is EndReason.UNSPECIFIED
