"""A deal of any game as a page that a card player can read: `playthrough`.

Everything is told by the messages of the contract, so that the page shows what clients see, and a
change of rules, views, events or legal moves shows in its difference.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from random import Random
from textwrap import wrap
from typing import Any, TypeAlias

from google.protobuf.message import Message

from croupier.cards import rank_text
from croupier.v1 import game_pb2
from croupier_server.games.base import AnyGame, ChanceKind, Event, Legal, Seat, Turn
from croupier_server.games.cards import CARD_NAMES
from croupier_server.wire.game import GameWire
from tests.conformance.playouts import apply_entry, make_entry, words
from tests.conformance.subjects import limits, wire_of

FieldDescriptor: TypeAlias = Any
"""Of either implementation of the library, whose types have no name in common."""

WIDTH = 120
SHOWN_MAX = 4
"""So many legal moves of a decision are written out."""

VIEWS_EVERY = 40
"""A view is shown before every so many-th decision."""


SEATS = {
    "seat",
    "winning_seat",
    "winning_team",
    "leader",
    "starter",
    "dealer",
    "next_dealer",
    "declarer",
    "first_drawer",
}
"""Names of fields that hold a seat, so that seat 0 is told too."""


def playthrough(game: AnyGame, ruleset: str, seed: int) -> str:
    """One whole deal of a match under *ruleset*, redeals included."""
    options = game.options(ruleset, dict.fromkeys(limits(game), "1"))
    lines = [f"# {game.name}, ruleset {ruleset}, rules version {game.rules_version}", "#"]
    standard = game.option_text(game.options(game.rulesets()[0], {}))
    changed = [
        f"{name}={text}"
        for name, text in game.option_text(options).items()
        if text != standard[name]
    ]
    lines += wrap("# Options: " + (", ".join(changed) or "all standard"), WIDTH)
    lines.append("# Written by scripts/golden.py --update; seats answer at random.")
    return "\n".join([*lines, *_deal(game, options, seed)]) + "\n"


def _deal(game: AnyGame, options: object, seed: int) -> Iterator[str]:
    wire = wire_of(game)
    views = wire.views()
    rng, draw = Random(seed), words(seed)
    state = game.new(options)
    decisions = 0
    while game.turn(state) is not Turn.OVER:
        entry = make_entry(game, state, rng, draw)
        if entry.chance:
            chance = game.chance(state)
            if chance.deal > 1:
                break
            yield ""
            yield from _chance(chance.kind, entry.chance)
        else:
            for seat, move in sorted(entry.by_seat().items()):
                if decisions % VIEWS_EVERY == 0:
                    yield from _view(game, views.seat(state, seat), seat)
                decisions += 1
                legal = _legal(game, game.legal_moves(state, seat))
                kind = _kind(wire.decision_kinds[game.decision_kind(state, seat)], game.name)
                yield f"{decisions:3}. seat {seat} {kind}, {legal}: {game.move_text(move)}"
        for event in apply_entry(game, state, entry):
            yield from _event(wire, game.name, event)
    yield ""
    public = game_pb2.PublicView.FromString(views.public(state))
    yield from _wrapped(f"public view {_text(getattr(public, game.name))}")
    outcome = game.outcome(state)
    for seat, (score, place) in enumerate(outcome.seats if outcome is not None else ()):
        yield f"result of seat {seat}: score {score}, place {place}"


def _chance(kind: ChanceKind, outcome: Sequence[int]) -> list[str]:
    if kind is ChanceKind.LOT:
        return [f"lot {outcome[0]}"]
    names = " ".join(CARD_NAMES[card] for card in outcome)
    return wrap(f"deck {names}", WIDTH, subsequent_indent="     ")


def _legal(game: AnyGame, legal: Legal) -> str:
    """How many legal moves there are, and the first of them."""
    members = list(islice(game.members(legal), 1001))
    number = f"{len(members)}" if len(members) < 1001 else "over 1000"
    texts = [game.move_text(move) for move in members[:SHOWN_MAX]]
    more = ", ..." if len(members) > SHOWN_MAX else ""
    return f"{number} legal ({', '.join(texts)}{more})"


def _kind(data: bytes, name: str) -> str:
    message = game_pb2.DecisionKind.FromString(data)
    enum = message.DESCRIPTOR.fields_by_name[name].enum_type
    assert enum is not None
    return _word(enum.values_by_number[getattr(message, name)].name, enum.name)


def _event(wire: GameWire, name: str, event: Event) -> list[str]:
    """An event, and what of it one seat alone is told."""
    public, private = wire.event_bytes(event)
    told = [_text(getattr(game_pb2.GameEvent.FromString(public), name))]
    for seat, part in sorted(private.items()):
        own = _text(getattr(game_pb2.GamePrivateEvent.FromString(part), name))
        told.append(f"to seat {seat} {own}")
    return _wrapped(f"  -> {'; '.join(told)}")


def _view(game: AnyGame, data: bytes, seat: Seat) -> list[str]:
    own = _text(getattr(game_pb2.SeatView.FromString(data), game.name))
    return _wrapped(f"view of seat {seat} {own}")


def _wrapped(line: str) -> list[str]:
    return wrap(
        line, WIDTH, subsequent_indent="       ", break_long_words=False, break_on_hyphens=False
    )


def _text(message: Message) -> str:
    """The fields of *message* that say something; the only arm of a oneof by its name alone."""
    said = []
    for field in message.DESCRIPTOR.fields:
        value = getattr(message, field.name)
        if not _is_said(message, field):
            continue
        if _is_repeated(value):
            said.append(f"{field.name}={_list(field, value)}")
        elif field.containing_oneof is not None and field.message_type is not None:
            inner = _text(value)
            said.append(f"{field.name} {inner}".rstrip())
        else:
            said.append(f"{field.name}={_one(field, value)}")
    return " ".join(said)


def _is_said(message: Message, field: FieldDescriptor) -> bool:
    if field.has_presence:
        return message.HasField(field.name)
    return bool(getattr(message, field.name)) or field.name in SEATS


def _is_repeated(value: object) -> bool:
    return hasattr(value, "append")


def _list(field: FieldDescriptor, values: Sequence[object]) -> str:
    texts = [_one(field, value) for value in values]
    return f"[{(', ' if field.message_type is not None else ' ').join(texts)}]"


def _one(field: FieldDescriptor, value: object) -> str:
    if isinstance(value, Message):
        return f"({_text(value)})"
    enum = field.enum_type
    if enum is None:
        return str(value)
    assert isinstance(value, int)
    if enum.name == "Card":
        return CARD_NAMES[value]
    if enum.name == "Rank":
        return rank_text(value)
    return _word(enum.values_by_number[value].name, enum.name)


def _word(value: str, enum: str) -> str:
    """The name of an enum value less the prefix that repeats the name of its enum."""
    prefix = "".join("_" + letter if letter.isupper() else letter for letter in enum).upper()[1:]
    return value.removeprefix(prefix + "_").lower()
