"""``croupier replay``: steps through the record of a finished match as one audience saw it.

Only the public parts of the rows and the private parts of the chosen seats are read, so what is
told is what these seats were sent.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from croupier_server.cli.common import fail, read_record_file, say

if TYPE_CHECKING:
    from croupier.bot import Bot
    from croupier.record.v1 import record_pb2
    from croupier_server.local.recorded import Answer

Ends = Mapping[str, tuple[str, ...]]
"""See `narrator.Teller`."""

STUDY_KEYS = "enter: next decision   b: the one before   q: quit"
KEYS = "enter: next   t: to the end of this trick or turn   d: to that of this deal   q: quit"


def command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A record.")],
    seat: Annotated[
        int | None,
        typer.Option(min=0, help="Show what this seat saw; default: what a spectator saw."),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Show all hands.")] = False,
    at: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Show the decision that led to this event, or the next one: the seat's view, its "
            "legal moves and its answer.",
        ),
    ] = None,
    ask: Annotated[
        str | None,
        typer.Option(
            metavar="BOT",
            help="With --at: show also what this bot would answer, such as greedy or "
            "my_bot.py:MyBot. It runs in this process and has not seen earlier decisions.",
        ),
    ] = None,
) -> None:
    """Step through a finished match, or print it if there is no terminal."""
    record = read(file)
    seats = range(len(record.table.seats))
    if seat is not None and everything:
        fail("pass either --seat or --all, not both")
    if seat is not None and seat not in seats:
        fail(f"the table of {file} has seats 0 to {seats[-1]}, but no seat {seat}")
    if at is not None or ask is not None:
        if everything:
            fail("--at shows what the seat saw; leave out --all")
        _study(record, str(file), at or 1, seat, ask)
        return
    shown = seats if everything else [] if seat is None else [seat]
    from croupier_server.cli.narrator import Untellable

    steps = tell(record, frozenset(shown))
    try:
        if sys.stdin.isatty() and sys.stdout.isatty():
            _step(steps, typer.getchar, ends_of(record))
        else:
            for lines in steps:
                for line in lines:
                    say(line)
    except Untellable as error:
        fail(f"{file}: {error}; `croupier verify` says more")


def read(file: Path) -> record_pb2.MatchRecord:
    """The record in *file*, or one line that says why there is none."""
    from google.protobuf.message import DecodeError

    from croupier.record.v1 import record_pb2
    from croupier_server.storage.base import RECORD_FORMAT
    from croupier_server.storage.codec import RecordError, read_record

    data = read_record_file(file)
    try:
        record = record_pb2.MatchRecord.FromString(data)
        if record.hash:
            read_record(data)
    except DecodeError:
        fail(f"{file} is not a record")
    except RecordError as error:
        fail(f"{file}: {error}; `croupier verify` says more")
    if record.format != RECORD_FORMAT or not record.rows or not record.table.seats:
        fail(f"{file} is not a record of a finished match")
    return record


def tell(record: record_pb2.MatchRecord, seats: frozenset[int]) -> Iterator[list[str]]:
    """The lines of each step, as the *seats* saw it together."""
    from google.protobuf.message import DecodeError

    from croupier.v1 import table_pb2
    from croupier_server.cli.narrator import Narrator, Untellable

    narrator = Narrator(record.table)
    for row in record.rows:
        if row.sequence:
            try:
                event = table_pb2.TableEvent.FromString(row.public_part)
                private = {
                    part.seat: table_pb2.TableEvent.FromString(part.part).private_part
                    for part in row.private_parts
                    if part.seat in seats
                }
            except DecodeError:
                raise Untellable(f"row of event {row.sequence} holds no event") from None
            lines = narrator.tell(event, private)
            if lines:
                yield lines


def ends_of(record: record_pb2.MatchRecord) -> Ends:
    """How the ends of tricks, turns and deals are told in the game of *record*."""
    from croupier_server.cli.narrator import Untellable, game_name
    from croupier_server.games.modules import MODULES

    try:
        return MODULES[game_name(record.table.spec.game)].teller.ends
    except KeyError:
        raise Untellable(f"no game {record.table.spec.game} is known here") from None


def _step(steps: Iterable[list[str]], key: Callable[[], str], ends: Ends) -> None:
    """Print one step at a time; *key* waits for a key and returns it, *ends* says how far some
    keys go on."""
    print(KEYS)
    until: tuple[str, ...] = ()
    for lines in steps:
        for line in lines:
            say(line)
        if until and not any(words in lines[-1] for words in until):
            continue
        pressed = key()
        if pressed in ("q", "\x03", "\x04"):
            return
        until = ends.get(pressed, ())


# Decisions ---------------------------------------------------------------------------------------


def _study(
    record: record_pb2.MatchRecord, file: str, at: int, seat: int | None, ask: str | None
) -> None:
    """Show the decision at event *at*, and on a terminal those before and after it."""
    from croupier.errors import UsageError
    from croupier_server.local.match import read_bot
    from croupier_server.local.recorded import answers_of

    answers = answers_of(record)
    shown = [place for place, one in enumerate(answers) if seat in (None, one.seat)]
    if not shown:
        fail(f"{file}: nobody was asked anything")
    here = next((n for n, place in enumerate(shown) if answers[place].number >= at), None)
    if here is None:
        fail(f"{file}: the last decision led to event {answers[shown[-1]].number}")
    try:
        bot = None if ask is None else read_bot(ask)
        is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
        if is_terminal:
            print(STUDY_KEYS)
        while True:
            for line in decision_lines(record, answers, shown[here], bot, ask or ""):
                say(line)
            pressed = typer.getchar() if is_terminal else "q"
            if pressed in ("q", "\x03", "\x04"):
                return
            here = max(here - 1, 0) if pressed == "b" else min(here + 1, len(shown) - 1)
    except UsageError as error:
        fail(f"{file}: {error}")


def decision_lines(
    record: record_pb2.MatchRecord,
    answers: Sequence[Answer],
    place: int,
    bot: Bot | Callable[[], Bot] | None,
    name: str,
) -> list[str]:
    """What there is to say of the answer at *place* of *answers*; *bot*, if any, is called *name*.

    Raises:
        UsageError: the record does not fit the rules.
    """
    from croupier_server.local.match import BotFailed
    from croupier_server.local.recorded import RecordedMatch

    answer = answers[place]
    match = RecordedMatch(record, answers[:place])
    decision = match.decision(answer.seat)
    legal = decision.legal
    kind = decision.kind.name.lower()
    lines = [f"event {answer.number}: seat {answer.seat} is asked: {kind}"]
    lines += [f"  {line}" for line in str(match.view(answer.seat)).splitlines()]
    listed = [str(move) for move in legal.moves]
    if legal.patterns:
        listed += [f"moves of {len(legal.patterns)} patterns"]
    lines += [f"  legal: {'; '.join(listed)}"]
    how = "the time was up, and the rules played" if answer.timed_out else "played"
    lines.append(f"  {how} {answer.move}, charged {answer.seconds:.3f} s")
    if bot is not None:
        try:
            lines.append(f"  {name} plays {match.ask(bot, answer.seat)}")
        except BotFailed as failed:
            lines.append(f"  {name} fails: {failed}")
    return lines
