"""Lies about a match, with all hashes made right again: what each is, and what has to find it."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from croupier.record.v1 import record_pb2
from croupier.v1 import cards_pb2, game_pb2, table_pb2
from croupier_server.tables.match import deals
from tests.verify.matches import Case, cases, record

Lie = Callable[[record_pb2.MatchRecord], None]


def sealed(message: record_pb2.MatchRecord) -> bytes:
    """*message* with all its hashes made right again, as a liar would."""
    hash_ = hashlib.sha256(
        b"croupier/record/v1" + message.table.SerializeToString(deterministic=True)
    ).digest()
    for row in message.rows:
        row.ClearField("hash")
        hash_ = hashlib.sha256(hash_ + row.SerializeToString(deterministic=True)).digest()
        row.hash = hash_
    message.ClearField("hash")
    content = message.SerializeToString()
    return content + b"\x3a\x20" + hashlib.sha256(content).digest()


def match_record(game: str = "pokex") -> record_pb2.MatchRecord:
    """A finished match with cards from secret and nonces."""
    return record_pb2.MatchRecord.FromString(record(Case(game, "standard")))


def retold(message: record_pb2.MatchRecord) -> None:
    """Let the first event tell of the table as the record does."""
    first = table_pb2.TableEvent.FromString(message.rows[0].public_part)
    first.table_created.table.CopyFrom(message.table)
    message.rows[0].public_part = first.SerializeToString(deterministic=True)


def recommitted(message: record_pb2.MatchRecord) -> None:
    """Commit the table to what it says and to the secret of the record, as a liar may who need not
    keep to a commitment that anybody knows."""
    message.table.ClearField("commitment")
    terms = message.table.SerializeToString(deterministic=True)
    message.table.commitment = deals.commitment(terms, message.reveal.secret)
    retold(message)


def withheld_record(game: str = "pokex") -> record_pb2.MatchRecord:
    """A match whose opening was restarted once."""
    case = next(case for case in cases() if case.game == game and case.end == "withheld")
    return record_pb2.MatchRecord.FromString(record(case))


def _legal_mode(message: record_pb2.MatchRecord) -> None:
    assert message.table.spec.legal_mode == table_pb2.LEGAL_MODE_FULL
    message.table.spec.legal_mode = table_pb2.LEGAL_MODE_SUMMARY
    retold(message)


def _on_absence(message: record_pb2.MatchRecord) -> None:
    message.table.spec.absence = table_pb2.ABSENCE_POLICY_FORFEIT
    retold(message)


def _title(message: record_pb2.MatchRecord) -> None:
    message.table.spec.title = "Another final"
    retold(message)


def _clock(message: record_pb2.MatchRecord) -> None:
    message.table.spec.clock.start_timeout.seconds += 1
    retold(message)


def without_asked_time(message: record_pb2.MatchRecord) -> None:
    """Delete the time at which one question was sent, where all have it."""
    for row in message.rows:
        for answer in (row.input.move, row.input.answer):
            if answer.HasField("answered_time"):
                answer.asked_time.CopyFrom(answer.answered_time)
    row = next(row for row in message.rows if row.input.HasField("move"))
    row.input.move.ClearField("asked_time")


def _created(message: record_pb2.MatchRecord) -> None:
    """The whole match, a second earlier."""
    message.table.create_time.seconds -= 1
    for row in message.rows:
        event = table_pb2.TableEvent.FromString(row.public_part)
        if event.sequence:
            event.time.seconds -= 1
            row.public_part = event.SerializeToString(deterministic=True)
        for answer in (row.input.move, row.input.answer):
            if answer.HasField("answered_time"):
                answer.answered_time.seconds -= 1
            if answer.HasField("asked_time"):
                answer.asked_time.seconds -= 1
    retold(message)


def _epoch(message: record_pb2.MatchRecord) -> None:
    message.table.table_epoch = 2
    recommitted(message)


def _seat_epoch(message: record_pb2.MatchRecord) -> None:
    """A seat that is said to have been taken before."""
    for row in message.rows:
        event = table_pb2.TableEvent.FromString(row.public_part)
        seats = [event.seat_joined.seat] if event.HasField("seat_joined") else []
        seats += event.seats_filled.seats
        for seat in seats:
            if seat.seat == 1:
                seat.seat_epoch += 1
                row.public_part = event.SerializeToString(deterministic=True)


def _answered(message: record_pb2.MatchRecord) -> None:
    row = next(row for row in message.rows if row.input.HasField("move"))
    row.input.move.answered_time.seconds += 1


def _asked(message: record_pb2.MatchRecord) -> None:
    row = next(row for row in message.rows if row.input.HasField("move"))
    row.input.move.asked_time.seconds = row.input.move.answered_time.seconds + 1


def _absent(message: record_pb2.MatchRecord) -> None:
    row = next(row for row in message.rows if row.input.HasField("move"))
    row.input.move.absent.seconds = 1


def ended(end: str, game: str = "pokex") -> record_pb2.MatchRecord:
    """A match that ended so."""
    case = next(case for case in cases() if (case.game, case.end) == (game, end))
    return record_pb2.MatchRecord.FromString(record(case))


def _ended_as(
    message: record_pb2.MatchRecord,
    reason: game_pb2.EndReason.ValueType | None = None,
    *,
    seat: int | None = None,
    detail: str | None = None,
    aborted_by: int = 0,
) -> None:
    """Tell of another end, in the result and in the last event alike.

    Args:
        message: the record.
        reason: of the end; None: as it was. With another one, the facts left out are cleared.
        seat: at fault.
        detail: of the end.
        aborted_by: who aborted it.
    """
    result = message.result
    if reason is not None:
        result.reason = reason
        result.ClearField("seat_at_fault")
        result.ClearField("detail")
        result.ClearField("aborted_by")
    if seat is not None:
        result.seat_at_fault = seat
    if detail is not None:
        result.detail = detail
    if aborted_by:
        result.aborted_by = game_pb2.AbortedBy.ValueType(aborted_by)
    last = table_pb2.TableEvent.FromString(message.rows[-1].public_part)
    last.match_ended.CopyFrom(result)
    message.rows[-1].public_part = last.SerializeToString(deterministic=True)


def _late_away(message: record_pb2.MatchRecord) -> None:
    """Absence instead of a clock that ran out, at a table that waits for who is away."""
    message.CopyFrom(ended("forfeit"))
    _ended_as(message, detail="away for too long")


def _late_conceded(message: record_pb2.MatchRecord) -> None:
    """A concession instead of a clock that ran out."""
    message.CopyFrom(ended("forfeit"))
    _ended_as(message, game_pb2.END_REASON_CONCEDED, seat=message.result.seat_at_fault)


def _late_adjudicated(message: record_pb2.MatchRecord) -> None:
    """An operator's decision instead of a clock that ran out."""
    message.CopyFrom(ended("forfeit"))
    _ended_as(message, game_pb2.END_REASON_ADJUDICATED, detail="a decision")


def _late_other(message: record_pb2.MatchRecord) -> None:
    """The forfeit of another seat than the one whose clock ran out."""
    message.CopyFrom(ended("forfeit"))
    teams = [seat.team for seat in message.table.seats]
    other = next(
        seat for seat, team in enumerate(teams) if team != teams[message.result.seat_at_fault]
    )
    lost = teams[other]
    for outcome, team in zip(message.result.seats, teams, strict=True):
        outcome.place = 2 if team == lost else 1
    _ended_as(message, seat=other)


def _late_fewer(message: record_pb2.MatchRecord) -> None:
    """A timeout that shows fewer strikes than there were timeouts."""
    message.CopyFrom(ended("forfeit"))
    for row in message.rows:
        event = table_pb2.TableEvent.FromString(row.public_part)
        if event.seat_timed_out.strikes == 2:
            event.seat_timed_out.strikes = 1
            row.public_part = event.SerializeToString(deterministic=True)


def _late_not(message: record_pb2.MatchRecord) -> None:
    """A move of a seat that is said to be the clock's, without a timeout."""
    row = next(row for row in message.rows if row.input.HasField("move"))
    row.input.move.timed_out = True


def _waited(message: record_pb2.MatchRecord) -> None:
    """A forfeit for absence at a table that is said to wait, with a detail that says nothing."""
    message.CopyFrom(ended("away"))
    message.table.spec.absence = table_pb2.ABSENCE_POLICY_WAIT
    recommitted(message)
    _ended_as(message, detail="lost")


def _conceded_forfeited(message: record_pb2.MatchRecord) -> None:
    """A forfeit instead of a concession, at a table where nothing makes a seat forfeit."""
    message.CopyFrom(ended("conceded"))
    seat = message.result.seat_at_fault
    _ended_as(message, game_pb2.END_REASON_FORFEIT, seat=seat, detail="out of time")


def _lost_scores(message: record_pb2.MatchRecord) -> None:
    """A match that was given away, with scores other than those of its finished deals."""
    message.CopyFrom(ended("conceded"))
    message.result.seats[0].score += 1
    _ended_as(message)


def _lost_places(message: record_pb2.MatchRecord) -> None:
    """A match that was given away, and won by those who did."""
    message.CopyFrom(ended("forfeit"))
    for outcome in message.result.seats:
        outcome.place = 3 - outcome.place
    _ended_as(message)


def _finished_conceded(message: record_pb2.MatchRecord) -> None:
    """A concession after the last deal."""
    _ended_as(message, game_pb2.END_REASON_CONCEDED, seat=0)


def _conceded_because(message: record_pb2.MatchRecord) -> None:
    """A concession for a reason that no server gives."""
    message.CopyFrom(ended("conceded"))
    _ended_as(message, detail="bored")


def _finished_aborted(message: record_pb2.MatchRecord) -> None:
    """A match that was played to its end, and is said not to count."""
    del message.result.seats[:]
    _ended_as(message, game_pb2.END_REASON_ABORTED, aborted_by=1)


def _aborted_unknown(message: record_pb2.MatchRecord) -> None:
    message.CopyFrom(ended("aborted"))
    _ended_as(message, game_pb2.EndReason.ValueType(6))


def _aborted_by_seat(message: record_pb2.MatchRecord) -> None:
    message.CopyFrom(ended("aborted"))
    _ended_as(message, seat=1)


def _adjudicated_apart(message: record_pb2.MatchRecord) -> None:
    """Partners who are said to have other places than each other, by decision of an operator."""
    message.CopyFrom(ended("conceded"))
    message.result.seats[1].place = 3 - message.result.seats[1].place
    _ended_as(message, game_pb2.END_REASON_ADJUDICATED)


def _missing_other(message: record_pb2.MatchRecord) -> None:
    """A no-show of a seat that was there."""
    message.CopyFrom(ended("no show"))
    _ended_as(message, seat=message.result.seat_at_fault + 1)


def _missing_conceded(message: record_pb2.MatchRecord) -> None:
    """A concession of a match that never began."""
    message.CopyFrom(ended("no show"))
    _ended_as(message, game_pb2.END_REASON_CONCEDED, seat=message.result.seat_at_fault)


def _left_empty(message: record_pb2.MatchRecord) -> None:
    """Somebody leaves a seat in which nobody sits."""
    message.CopyFrom(ended("left"))
    for row in message.rows:
        event = table_pb2.TableEvent.FromString(row.public_part)
        if event.HasField("seat_left"):
            event.seat_left.seat = 1
            row.public_part = event.SerializeToString(deterministic=True)


def _secret_of_none(message: record_pb2.MatchRecord) -> None:
    """A secret of a table whose cards come from a seed."""
    case = next(case for case in cases() if case.deal == "fixed")
    message.CopyFrom(record_pb2.MatchRecord.FromString(record(case)))
    message.reveal.secret = bytes(32)


def _nanos(message: record_pb2.MatchRecord) -> None:
    """A time that is finer than those of a server."""
    event = table_pb2.TableEvent.FromString(message.rows[1].public_part)
    event.time.nanos += 1
    message.rows[1].public_part = event.SerializeToString(deterministic=True)


def _ignorable(message: record_pb2.MatchRecord) -> None:
    row = next(row for row in message.rows if row.input.HasField("move"))
    event = table_pb2.TableEvent.FromString(row.public_part)
    event.ignorable = True
    row.public_part = event.SerializeToString(deterministic=True)


def _no_choice(message: record_pb2.MatchRecord) -> None:
    message.table.spec.absence = table_pb2.ABSENCE_POLICY_UNSPECIFIED
    recommitted(message)


def _abandoned_secret(message: record_pb2.MatchRecord) -> None:
    message.CopyFrom(withheld_record())
    message.reveal.abandoned[0].secret = bytes(32)


def _abandoned_nonce(message: record_pb2.MatchRecord) -> None:
    message.CopyFrom(withheld_record())
    nonces = message.reveal.abandoned[0].nonces
    nonces[next(seat for seat, nonce in enumerate(nonces) if nonce)] = bytes(32)


def _abandoned_hidden(message: record_pb2.MatchRecord) -> None:
    message.CopyFrom(withheld_record())
    del message.reveal.abandoned[:]


def _abandoned_twice(message: record_pb2.MatchRecord) -> None:
    message.CopyFrom(withheld_record())
    message.reveal.abandoned.append(message.reveal.abandoned[0])


def _older(message: record_pb2.MatchRecord) -> None:
    """A record of a format that was never released."""
    message.format = 2


def _secret(message: record_pb2.MatchRecord) -> None:
    message.reveal.secret = bytes(32)


def _root(message: record_pb2.MatchRecord) -> None:
    message.reveal.root = bytes(32)


def _nonce(message: record_pb2.MatchRecord) -> None:
    message.reveal.nonces[0] = bytes(32)


def _other_deck(message: record_pb2.MatchRecord) -> None:
    """A secret that gives other cards, with everything that follows from it but the log."""
    message.reveal.secret = bytes(32)
    table = message.table
    recommitted(message)
    message.reveal.root = deals.match_root(
        message.reveal.secret, table.table_id, list(message.reveal.nonces)
    )


def _option(message: record_pb2.MatchRecord) -> None:
    next(option for option in message.options if option.name == "max_deals").value = "3"


def _score(message: record_pb2.MatchRecord) -> None:
    """Other scores, in the result and in the last event alike."""
    message.result.seats[0].score += 1
    last = table_pb2.TableEvent.FromString(message.rows[-1].public_part)
    last.match_ended.CopyFrom(message.result)
    message.rows[-1].public_part = last.SerializeToString(deterministic=True)


def _told_otherwise(message: record_pb2.MatchRecord) -> None:
    message.result.seats[0].score += 1


def _move(message: record_pb2.MatchRecord) -> None:
    """Another card in the first play."""
    row = next(row for row in message.rows if row.input.move.move.pokex.HasField("play"))
    play = row.input.move.move.pokex.play
    play.cards[0] = (
        cards_pb2.CARD_TWO_OF_SPADES if play.cards[0] != 1 else cards_pb2.CARD_THREE_OF_SPADES
    )


def _event(message: record_pb2.MatchRecord) -> None:
    row = next(row for row in message.rows if row.input.move.move.pokex.HasField("bid"))
    event = table_pb2.TableEvent.FromString(row.public_part)
    event.game.pokex.called.tricks += 1
    row.public_part = event.SerializeToString(deterministic=True)


def _private(message: record_pb2.MatchRecord) -> None:
    row = next(row for row in message.rows if row.private_parts)
    row.private_parts[0].part, row.private_parts[1].part = (
        row.private_parts[1].part,
        row.private_parts[0].part,
    )


def _deal_score(message: record_pb2.MatchRecord) -> None:
    for row in message.rows:
        event = table_pb2.TableEvent.FromString(row.public_part)
        if event.game.pokex.HasField("deal_scored"):
            event.game.pokex.deal_scored.points[0] += 1
            row.public_part = event.SerializeToString(deterministic=True)


def _shown_clock(message: record_pb2.MatchRecord) -> None:
    """A move after which a clock is shown to run, at a table without one."""
    row = next(row for row in message.rows if row.input.HasField("move"))
    event = table_pb2.TableEvent.FromString(row.public_part)
    event.clocks.add(seat=1, running=True)
    row.public_part = event.SerializeToString(deterministic=True)


def _time(message: record_pb2.MatchRecord) -> None:
    """A move that is said to have cost time at a table without a clock."""
    row = next(row for row in message.rows if row.input.HasField("move"))
    row.input.move.charged.seconds = 5


def _cut(message: record_pb2.MatchRecord) -> None:
    del message.rows[-3:]


def _number(message: record_pb2.MatchRecord) -> None:
    del message.rows[4]


LIES: dict[Lie, set[str]] = {
    _legal_mode: {"commitment"},
    _on_absence: {"commitment"},
    _title: {"commitment"},
    _clock: {"commitment"},
    _created: {"commitment"},
    _epoch: {"table"},
    _seat_epoch: {"table", "replay"},
    _answered: {"times"},
    _asked: {"times"},
    _absent: {"times"},
    _late_away: {"result"},
    _late_conceded: {"result"},
    _late_adjudicated: {"result"},
    _late_other: {"result"},
    _late_fewer: {"result"},
    _late_not: {"result"},
    _waited: {"result"},
    _conceded_forfeited: {"result"},
    _lost_scores: {"result"},
    _lost_places: {"result"},
    _finished_conceded: {"result"},
    _conceded_because: {"result"},
    _finished_aborted: {"result"},
    _aborted_unknown: {"result"},
    _aborted_by_seat: {"result"},
    _adjudicated_apart: {"result"},
    _missing_other: {"result"},
    _missing_conceded: {"result"},
    _left_empty: {"table"},
    _secret_of_none: {"commitment"},
    _nanos: {"times", "replay"},
    _ignorable: {"chain", "moves"},
    _no_choice: {"table"},
    _abandoned_secret: {"restarts"},
    _abandoned_nonce: {"restarts"},
    _abandoned_hidden: {"restarts"},
    _abandoned_twice: {"restarts"},
    _older: {"file"},
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
    _shown_clock: {"replay"},
    _time: {"times"},
    _cut: {"moves", "result"},
    _number: {"chain"},
}
"""By lie: checks of which at least one must fail."""


def other_facts(game: str, number: int) -> list[bytes]:
    """Records in which one fact of one event is another one, in what all see, in what a seat sees
    or in a move; all hashes are right."""
    rng = random.Random(game)
    true = match_record(game).SerializeToString()
    found: list[bytes] = []
    while len(found) < number:
        message = record_pb2.MatchRecord.FromString(true)
        row = rng.choice(message.rows)
        part = rng.choice(("public", "private", "input"))
        if part == "private" and row.private_parts:
            own = rng.choice(row.private_parts)
            event = table_pb2.TableEvent.FromString(own.part)
            is_changed = _change(getattr(event.private_part, game), rng)
            own.part = event.SerializeToString(deterministic=True)
        elif part == "public":
            event = table_pb2.TableEvent.FromString(row.public_part)
            is_changed = event.HasField("game") and _change(getattr(event.game, game), rng)
            row.public_part = event.SerializeToString(deterministic=True)
        else:
            kind = row.input.WhichOneof("input")
            if kind == "chance":
                is_changed = _change(row.input.chance, rng)
            else:
                is_changed = kind == "move" and _change(getattr(row.input.move.move, game), rng)
        data = sealed(message)
        if is_changed and data != true:
            found.append(data)
    return found


def _change(message: Message, rng: random.Random) -> bool:
    """Change one number somewhere in *message*; False: it has none that can be told."""
    places: list[tuple[Message, FieldDescriptor]] = []
    seen = [message]
    for one in seen:
        if one.DESCRIPTOR.name == "TractorSuitOrder":
            continue  # numbers of another ladder may mean the same order
        for field, value in one.ListFields():
            if field.type == field.TYPE_MESSAGE:
                seen += value if field.is_repeated else [value]
            else:
                places.append((one, field))
    if not places:
        return False
    owner, field = rng.choice(places)
    value = getattr(owner, field.name)
    if field.is_repeated:
        place = rng.randrange(len(value))
        value[place] = value[place] - 1 if value[place] > 1 else value[place] + 1
    elif field.type == field.TYPE_BOOL:
        setattr(owner, field.name, not value)
    else:
        setattr(owner, field.name, value + 1)
    return True


def other_value(case: Case, seed: int) -> tuple[str, bytes]:
    """The record of a match in which one value is another one, and its path; hashes are right.

    Any value: of the table, the reveal, the result, a row, an event or a private part.
    """
    rng = random.Random(seed)
    true = record(case)
    while True:
        message = record_pb2.MatchRecord.FromString(true)
        part = rng.choice(("table", "reveal", "result", "row", "public", "private"))
        row = rng.choice(message.rows)
        where = ""
        if part == "public" and row.public_part:
            event = table_pb2.TableEvent.FromString(row.public_part)
            where = _change_any(event, rng)
            row.public_part = event.SerializeToString(deterministic=True)
        elif part == "private" and row.private_parts:
            own = rng.choice(row.private_parts)
            event = table_pb2.TableEvent.FromString(own.part)
            where = _change_any(event, rng)
            own.part = event.SerializeToString(deterministic=True)
        elif part == "row" and not row.public_part:
            where = _change_any(row.input, rng)
        elif part in ("table", "reveal", "result"):
            where = _change_any(getattr(message, part), rng)
        data = sealed(message)
        if where and data != true:
            return where, data


def _change_any(message: Message, rng: random.Random) -> str:
    """Change one value somewhere in *message*; its path, or nothing where there is none."""
    places: list[tuple[Message, FieldDescriptor, str]] = []
    seen = [(message, "")]
    for one, path in seen:
        for field, value in one.ListFields():
            if field.type == field.TYPE_MESSAGE:
                values = value if field.is_repeated else [value]
                seen += [(part, f"{path}{field.name}.") for part in values]
            else:
                places.append((one, field, f"{path}{field.name}"))
    if not places:
        return ""
    owner, field, path = rng.choice(places)
    value = getattr(owner, field.name)
    if field.is_repeated:
        place = rng.randrange(len(value))
        value[place] = _other(value[place])
    else:
        setattr(owner, field.name, _other(value))
    return path


def _other(value: object) -> object:
    """Another value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value - 1 if value > 0 else value + 1
    if isinstance(value, str):
        return value + "x"
    assert isinstance(value, bytes)
    return value[:-1] + bytes((value[-1] ^ 1,)) if value else b"x"
