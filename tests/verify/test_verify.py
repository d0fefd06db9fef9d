"""`croupier_server.verify`: true records pass every check, and each lie fails the one that is
about it, even where all hashes have been made right again."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable

import pytest

from croupier.record.v1 import record_pb2
from croupier.records import record_bytes
from croupier.v1 import cards_pb2, game_pb2, table_pb2
from croupier_server.tables import deals
from croupier_server.verify import Report, verify
from tests.conformance.subjects import CASES
from tests.verify.matches import Case, cases, record

ALL = cases()
NAMES = (
    "file",
    "chain",
    "table",
    "commitment",
    "nonces",
    "root",
    "moves",
    "decks",
    "result",
    "replay",
)
FLIPS = 1_000


def failed(report: Report) -> set[str]:
    """Names of the checks that do not hold."""
    return {check.name for check in report.checks if not check.holds}


@pytest.mark.parametrize("case", ALL, ids=lambda case: case.name)
def test_a_true_record_is_verified(case: Case) -> None:
    report = verify(record(case))
    assert report.verified, report
    assert tuple(check.name for check in report.checks) == NAMES


def test_the_cases_are_what_they_are_meant_to_be() -> None:
    """At least 100 records, every source and end, redeals and deals that were passed out."""
    found = [record_pb2.Record.FromString(record(case)) for case in ALL]
    assert len(found) >= 100
    assert len({bytes(one.hash) for one in found}) == len(found)
    reasons = {game_pb2.EndReason.Name(one.result.reason) for one in found}
    assert reasons >= {
        f"END_REASON_{word}" for word in ("FINISHED", "FORFEIT", "CONCEDED", "ABORTED")
    }
    assert {one.table.deal_source.WhichOneof("source") for one in found} == {
        "match",
        "board",
        "fixed",
    }
    kinds = {one.table.game: game_pb2.GameKind.Name(one.table.game) for one in found}
    rulesets = {(kinds[one.table.game][10:].lower(), one.table.ruleset) for one in found}
    assert rulesets == set(CASES)
    events = [table_pb2.TableEvent.FromString(row.public).game for one in found for row in one.rows]
    assert any(event.tractor.deal_started.redeals for event in events)
    assert any(event.pokex.deal_scored.is_passed_out for event in events)
    assert any(event.tractor.cards_played.play.HasField("failed_throw") for event in events)


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


def sealed(message: record_pb2.Record) -> bytes:
    """*message* with all its hashes made right again, as a liar would."""
    hash_ = hashlib.sha256(
        b"croupier/record/v1" + message.table.SerializeToString(deterministic=True)
    ).digest()
    for row in message.rows:
        row.ClearField("hash")
        hash_ = hashlib.sha256(hash_ + row.SerializeToString(deterministic=True)).digest()
        row.hash = hash_
    message.ClearField("hash")
    content = record_bytes(message)
    return content + b"\x3a\x20" + hashlib.sha256(content).digest()


def match_record(game: str = "pokex") -> record_pb2.Record:
    """A finished match with cards from secret and nonces."""
    case = next(case for case in ALL if case.game == game and case.deal == "match")
    return record_pb2.Record.FromString(record(case))


def test_a_record_that_is_sealed_anew_is_the_same() -> None:
    message = match_record()
    data = record_bytes(message)
    assert sealed(message) == data
    assert verify(data).verified


def _secret(message: record_pb2.Record) -> None:
    message.reveal.secret = bytes(32)


def _root(message: record_pb2.Record) -> None:
    message.reveal.root = bytes(32)


def _nonce(message: record_pb2.Record) -> None:
    message.reveal.nonces[0] = bytes(32)


def _other_deck(message: record_pb2.Record) -> None:
    """A secret that gives other cards, with everything that follows from it but the log."""
    message.reveal.secret = bytes(32)
    table = message.table
    table.commitment = deals.commitment(
        table.table_id, table.ruleset_hash, len(table.seats), message.reveal.secret
    )
    message.reveal.root = deals.match_root(
        message.reveal.secret, table.table_id, list(message.reveal.nonces)
    )
    first = table_pb2.TableEvent.FromString(message.rows[0].public)
    first.table_created.table.CopyFrom(table)
    message.rows[0].public = first.SerializeToString(deterministic=True)


def _option(message: record_pb2.Record) -> None:
    message.options["max_deals"] = "3"


def _score(message: record_pb2.Record) -> None:
    """Other scores, in the result and in the last event alike."""
    message.result.seats[0].score += 1
    last = table_pb2.TableEvent.FromString(message.rows[-1].public)
    last.match_ended.CopyFrom(message.result)
    message.rows[-1].public = last.SerializeToString(deterministic=True)


def _told_otherwise(message: record_pb2.Record) -> None:
    message.result.seats[0].score += 1


def _move(message: record_pb2.Record) -> None:
    """Another card in the first play."""
    row = next(row for row in message.rows if row.input.move.move.pokex.HasField("play"))
    play = row.input.move.move.pokex.play
    play.cards[0] = cards_pb2.CARD_2S if play.cards[0] != 1 else cards_pb2.CARD_3S


def _event(message: record_pb2.Record) -> None:
    row = next(row for row in message.rows if row.input.move.move.pokex.HasField("bid"))
    event = table_pb2.TableEvent.FromString(row.public)
    event.game.pokex.called.tricks += 1
    row.public = event.SerializeToString(deterministic=True)


def _private(message: record_pb2.Record) -> None:
    row = next(row for row in message.rows if row.private)
    row.private[0].part, row.private[1].part = row.private[1].part, row.private[0].part


def _deal_score(message: record_pb2.Record) -> None:
    for row in message.rows:
        event = table_pb2.TableEvent.FromString(row.public)
        if event.game.pokex.HasField("deal_scored"):
            event.game.pokex.deal_scored.points[0] += 1
            row.public = event.SerializeToString(deterministic=True)


def _time(message: record_pb2.Record) -> None:
    """A move that is said to have cost time at a table without a clock."""
    row = next(row for row in message.rows if row.input.HasField("move"))
    row.input.move.charged.seconds = 5


def _cut(message: record_pb2.Record) -> None:
    del message.rows[-3:]


def _number(message: record_pb2.Record) -> None:
    del message.rows[4]


LIES: dict[Callable[[record_pb2.Record], None], set[str]] = {
    _secret: {"commitment", "root"},
    _root: {"root"},
    _nonce: {"nonces", "root"},
    _other_deck: {"decks"},
    _option: {"table"},
    _score: {"result"},
    _told_otherwise: {"result", "replay"},
    _move: {"moves"},
    _event: {"moves"},
    _private: {"moves"},
    _deal_score: {"moves"},
    _time: {"replay"},
    _cut: {"moves", "result"},
    _number: {"chain"},
}


@pytest.mark.parametrize("lie", LIES, ids=lambda lie: lie.__name__)
def test_each_lie_fails_the_check_that_is_about_it(
    lie: Callable[[record_pb2.Record], None],
) -> None:
    message = match_record()
    lie(message)
    found = failed(verify(sealed(message)))
    assert found, "the lie passes"
    assert found & LIES[lie], found


@pytest.mark.parametrize("deal", ["board", "fixed"])
def test_other_cards_than_promised_are_found(deal: str) -> None:
    case = next(case for case in ALL if case.deal == deal)
    message = record_pb2.Record.FromString(record(case))
    message.reveal.root = bytes(32)
    found = failed(verify(sealed(message)))
    assert {"board": "commitment", "fixed": "root"}[deal] in found


def test_verifiable_garbage_is_refused_and_never_raised() -> None:
    rng = random.Random(1)
    for size in (0, 1, 2, 33, 34, 35, 1_000):
        for _ in range(50):
            report = verify(rng.randbytes(size))
            assert failed(report) == {"file"}
