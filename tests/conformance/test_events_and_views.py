"""The tables of ``docs/protocol.md`` say which fields of a view each event of a game changes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from google.protobuf.message import Message

from croupier.v1 import game_pb2
from croupier_server.games.base import AnyGame, Turn
from croupier_server.games.registry import find
from tests.conformance.playouts import SILENCE, apply_entry, make_entry, words
from tests.conformance.subjects import NAMES, limits, random_texts, short, wire_of

SEEDS = 4
"""Matches of each ruleset, and as many of random options; in one of them nobody answers."""

DEALS = 2
CLEARS = "clears what the last deal left, except `last_result`"
NAME = re.compile(r"`(\w+)`")
ROW = re.compile(r"^\| (.+?) \| (.+) \|$", re.MULTILINE)


def table(page: str, title: str) -> dict[str, set[str]]:
    """By event of the game *title*, the names in the second column of its row.

    ``*`` stands for the fields that the start of a deal clears.
    """
    _, _, rest = page.partition(f"| {title} event | fields of the view |\n|---|---|\n")
    found: dict[str, set[str]] = {}
    for events, fields in ROW.findall(rest.partition("\n\n")[0]):
        names = set(NAME.findall(fields.replace(CLEARS, "")))
        if CLEARS in fields:
            names.add("*")
        for event in NAME.findall(events):
            found[event] = found.get(event, set()) | names
    return found


def derived(page: str) -> set[str]:
    """Fields that the page says follow from the rules."""
    _, _, rest = page.partition("Some fields follow from the rules")
    return set(NAME.findall(rest.partition("A client that needs them")[0]))


def fields_of(view: Message) -> dict[str, str]:
    """Every set field of a seat's view as text, those of the public part among them."""
    found = {field.name: str(value) for field, value in view.ListFields()}
    found.pop("public_view", None)
    public = view.public_view  # type: ignore[attr-defined]
    return found | {field.name: str(value) for field, value in public.ListFields()}


def changes(game: AnyGame, options: object, seed: int) -> Iterator[tuple[set[str], set[str]]]:
    """The events of each step of a match, and the fields that it changes in any seat's view."""
    wire = wire_of(game)
    encoder, seats = wire.views(), range(game.players(options))

    def views(state: object) -> list[dict[str, str]]:
        messages = (game_pb2.SeatView.FromString(encoder.seat(state, seat)) for seat in seats)
        return [fields_of(getattr(message, game.name)) for message in messages]

    chance, rng = Random(seed), words(seed)
    silence = 1.0 if seed % SEEDS == 0 else SILENCE
    state = game.new(options)
    before = views(state)
    while game.turn(state) is not Turn.OVER:
        events = apply_entry(game, state, make_entry(game, state, chance, rng, silence))
        parts = [game_pb2.GameEvent.FromString(wire.event_bytes(event)[0]) for event in events]
        kinds = {getattr(part, game.name).WhichOneof("event") for part in parts}
        after = views(state)
        pairs = zip(before, after, strict=True)
        yield kinds, {name for old, new in pairs for name, _ in old.items() ^ new.items()}
        before = after


@pytest.mark.parametrize("name", NAMES)
def test_every_event_has_a_row(name: str, root: Path) -> None:
    page = (root / "docs/protocol.md").read_text(encoding="utf-8")
    events = game_pb2.GameEvent.DESCRIPTOR.fields_by_name[name].message_type
    assert events is not None
    arms = {field.name for field in events.oneofs_by_name["event"].fields}
    assert set(table(page, wire_of(find(name)).title)) == arms


@pytest.mark.more
@pytest.mark.parametrize("name", NAMES)
def test_a_view_changes_as_the_rows_of_its_events_say(name: str, root: Path) -> None:
    page = (root / "docs/protocol.md").read_text(encoding="utf-8")
    game = find(name)
    rows, silent = table(page, wire_of(game).title), derived(page)
    tables = [short(game, ruleset, DEALS) for ruleset in game.rulesets() for _ in range(SEEDS)]
    for seed in range(SEEDS):
        texts = random_texts(game, Random(seed)) | dict.fromkeys(limits(game), str(DEALS))
        tables.append(game.options(game.rulesets()[0], texts))
    for seed, options in enumerate(tables):
        for events, changed in changes(game, options, seed):
            said = set[str]().union(*(rows[event] for event in events))
            cleared = changed - {"last_result"} if "*" in said else set[str]()
            assert changed - silent - cleared <= said, events
