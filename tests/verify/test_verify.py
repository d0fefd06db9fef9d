"""`croupier_server.verify`: true records pass every check, and each lie fails the one that is
about it, even where all hashes have been made right again."""

from __future__ import annotations

import random

import pytest

from croupier.record.v1 import record_pb2
from croupier.v1 import game_pb2, table_pb2
from croupier_server.verify import Report, verify
from tests.conformance.subjects import CASES
from tests.verify.lies import (
    LIES,
    Lie,
    match_record,
    other_facts,
    other_value,
    recommitted,
    sealed,
    without_asked_time,
)
from tests.verify.matches import Case, cases, record

ALL = cases()
NAMES = (
    "file",
    "chain",
    "table",
    "commitment",
    "nonces",
    "restarts",
    "times",
    "root",
    "moves",
    "decks",
    "result",
    "replay",
)
FLIPS = 1_000
UNCHECKED = {"time.seconds", "time.nanos", "seat_timed_out.strikes"}
"""What stands in the log and follows from nothing in it: times, and strikes that refusals added."""


def failed(report: Report) -> set[str]:
    """Names of the checks that do not hold."""
    return {check.name for check in report.checks if not check.holds}


@pytest.mark.parametrize("case", ALL, ids=lambda case: case.name)
def test_a_true_record_is_verified(case: Case) -> None:
    report = verify(record(case))
    assert report.verified, report
    assert tuple(check.name for check in report.checks) == NAMES


def test_decks_of_the_host_are_dealt_checked_and_told() -> None:
    data = record(next(case for case in ALL if case.deal == "decks" and case.game == "tongits"))
    message = record_pb2.MatchRecord.FromString(data)
    given = list(message.reveal.decks[0].cards)
    dealt = [list(row.input.chance.outcome) for row in message.rows if row.input.HasField("chance")]
    assert given == list(range(52, 0, -1))
    assert given in dealt
    root = next(one for one in verify(sealed(message)).checks if one.name == "root")
    assert "THE HOST CHOSE the decks of deals 1 to 1" in root.detail
    cards = message.reveal.decks[0].cards
    cards[0], cards[1] = cards[1], cards[0]
    assert "decks" in failed(verify(sealed(message)))


@pytest.mark.more
def test_the_cases_are_what_they_are_meant_to_be() -> None:
    """At least 100 records, every source and end, redeals and deals that were passed out."""
    found = [record_pb2.MatchRecord.FromString(record(case)) for case in ALL]
    assert len(found) >= 100
    assert len({bytes(one.hash) for one in found}) == len(found)
    reasons = {game_pb2.EndReason.Name(one.result.reason) for one in found}
    assert reasons >= {
        f"END_REASON_{word}" for word in ("FINISHED", "FORFEIT", "CONCEDED", "ABORTED")
    }
    assert {one.table.spec.deal_source.WhichOneof("source") for one in found} == {
        "match",
        "board",
        "fixed",
    }
    kinds = {one.table.spec.game: game_pb2.GameKind.Name(one.table.spec.game) for one in found}
    rulesets = {(kinds[one.table.spec.game][10:].lower(), one.table.spec.ruleset) for one in found}
    assert rulesets == set(CASES)
    events = [
        table_pb2.TableEvent.FromString(row.public_part).game for one in found for row in one.rows
    ]
    assert any(event.tractor.deal_started.redeals for event in events)
    assert any(event.pokex.deal_scored.passed_out for event in events)
    assert any(event.tractor.cards_played.play.HasField("failed_throw") for event in events)
    rows = [table_pb2.TableEvent.FromString(row.public_part) for one in found for row in one.rows]
    assert any(event.HasField("seat_no_show") for event in rows)


# Restarts ----------------------------------------------------------------------------------------


@pytest.mark.attack
@pytest.mark.parametrize("end", ["withheld", "no show", "withheld thrice"])
@pytest.mark.parametrize("game", ["tractor", "tongits", "pokex"])
def test_a_restart_of_the_opening_is_a_warning_that_names_the_seat(game: str, end: str) -> None:
    """An operator with a seat may look at the deck, withhold its nonce, and get another deck."""
    case = next(case for case in ALL if case.game == game and case.end == end)
    report = verify(record(case))
    assert report.verified
    (check,) = [check for check in report.checks if check.warning]
    assert check.name == "restarts"
    assert check.detail.startswith("OPENING RESTARTED (event ")
    assert "seat 0 and the operator together could have known every card" in check.detail
    assert check.detail.count("OPENING RESTARTED") == (2 if end == "withheld thrice" else 1)
    assert check.detail.count("OPENING ENDED") == (1 if end == "withheld thrice" else 0)


@pytest.mark.more
def test_what_was_not_restarted_is_no_warning() -> None:
    for case in ALL:
        if case.end not in ("withheld", "no show", "withheld thrice"):
            assert not verify(record(case)).warnings, case.name


def test_a_record_of_another_format_is_refused_in_one_sentence() -> None:
    message = match_record()
    message.format = 2
    (check,) = verify(sealed(message)).checks
    assert (check.name, check.holds) == ("file", False)
    assert check.detail == "a record of format 2; this version reads format 3"


def test_a_step_back_in_time_is_a_warning() -> None:
    """A server's clock may be set back while it is down, so it is no proof of a lie."""
    message = match_record()
    for row in message.rows[:2]:
        event = table_pb2.TableEvent.FromString(row.public_part)
        event.time.seconds += 9
        row.public_part = event.SerializeToString(deterministic=True)
    message.table.create_time.seconds += 9
    recommitted(message)
    report = verify(sealed(message))
    assert report.verified, report
    (check,) = [check for check in report.checks if check.warning]
    assert (check.name, check.detail.partition(":")[0]) == ("times", "TIME GOES BACK")


@pytest.mark.attack
def test_a_deleted_asked_time_is_a_warning() -> None:
    """An answer may come after a restart, before its question is sent again."""
    message = match_record()
    without_asked_time(message)
    report = verify(sealed(message))
    assert report.verified, report
    (check,) = [check for check in report.checks if check.warning]
    assert (check.name, check.detail.partition(":")[0]) == ("times", "ASKED_TIME IS MISSING")


@pytest.mark.parametrize("end", ["conceded", "aborted", "no show", "away"])
def test_a_reason_that_the_log_does_not_show_is_told_as_such(end: str) -> None:
    (check,) = [one for one in verify(record(case_of(end))).checks if one.name == "result"]
    assert check.detail.endswith("; only the server says so")


@pytest.mark.parametrize("end", ["finished", "forfeit"])
def test_a_reason_that_the_log_shows_is_told_without_reserve(end: str) -> None:
    (check,) = [one for one in verify(record(case_of(end))).checks if one.name == "result"]
    assert "only the server" not in check.detail


def case_of(end: str) -> Case:
    """A match that ends so."""
    return next(case for case in ALL if case.end == end)


def test_a_choice_that_a_table_leaves_open_is_told_in_words() -> None:
    message = match_record()
    message.table.spec.absence = table_pb2.ABSENCE_POLICY_UNSPECIFIED
    recommitted(message)
    (check,) = [check for check in verify(sealed(message)).checks if not check.holds]
    assert check.detail == "absence of the table is 0; it must be one of 1, 2, 3"


# Bytes --------------------------------------------------------------------------------------------


def small() -> bytes:
    """A small record: of a match that was stopped before it began."""
    return record(next(case for case in ALL if case.game == "tongits" and case.end == "no show"))


def test_every_byte_of_a_record_counts() -> None:
    data = small()
    for place in range(len(data)):
        for change in (0x01, 0x80, 0xFF):
            changed = bytearray(data)
            changed[place] ^= change
            assert not verify(bytes(changed)).verified, (place, change)


@pytest.mark.more
@pytest.mark.parametrize("game", ["tractor", "tongits", "pokex"])
def test_random_changes_of_a_byte_are_found(game: str) -> None:
    rng = random.Random(game)
    data = record(next(case for case in ALL if case.game == game))
    for _ in range(FLIPS):
        changed = bytearray(data)
        place = rng.randrange(len(data))
        changed[place] ^= rng.randrange(1, 256)
        assert not verify(bytes(changed)).verified, (place, changed[place])


# Lies with hashes that are right ------------------------------------------------------------------


def test_a_record_that_is_sealed_anew_is_the_same() -> None:
    message = match_record()
    data = message.SerializeToString()
    assert sealed(message) == data
    assert verify(data).verified


@pytest.mark.parametrize("lie", LIES, ids=lambda lie: lie.__name__)
def test_each_lie_fails_the_check_that_is_about_it(
    lie: Lie,
) -> None:
    message = match_record()
    lie(message)
    found = failed(verify(sealed(message)))
    assert found, "the lie passes"
    assert found & LIES[lie], found


@pytest.mark.more
@pytest.mark.parametrize("game", ["tractor", "tongits", "pokex"])
def test_verifiable_no_fact_of_an_event_can_be_another_one(game: str) -> None:
    for data in other_facts(game, 60):
        assert failed(verify(data)) & {"decks", "moves"}


def test_verifiable_a_time_that_is_none_is_refused() -> None:
    for place in (0, 3, -1):
        message = match_record()
        event = table_pb2.TableEvent.FromString(message.rows[place].public_part)
        event.time.seconds = 1 << 62
        message.rows[place].public_part = event.SerializeToString(deterministic=True)
        assert failed(verify(sealed(message)))


@pytest.mark.parametrize("number", range(120))
def test_verifiable_no_value_anywhere_can_be_another_one(number: int) -> None:
    """But for the times of events, which nobody can check from a file."""
    where, data = other_value(ALL[number % len(ALL)], number)
    report = verify(data)
    if where not in UNCHECKED:
        assert not report.verified, where


@pytest.mark.parametrize("deal", ["board", "fixed"])
def test_other_cards_than_promised_are_found(deal: str) -> None:
    case = next(case for case in ALL if case.deal == deal)
    message = record_pb2.MatchRecord.FromString(record(case))
    message.reveal.root = bytes(32)
    found = failed(verify(sealed(message)))
    assert {"board": "commitment", "fixed": "root"}[deal] in found


def test_verifiable_garbage_is_refused_and_never_raised() -> None:
    rng = random.Random(1)
    for size in (0, 1, 2, 33, 34, 35, 1_000):
        for _ in range(50):
            report = verify(rng.randbytes(size))
            assert failed(report) == {"file"}
