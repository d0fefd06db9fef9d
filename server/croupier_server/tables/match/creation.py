"""From a request to what a table is for life."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from croupier_server.games.base import AnyGame, ChanceKind
from croupier_server.games.settings import new_options
from croupier_server.tables.clocks.decisions import FIRST_EPOCH
from croupier_server.tables.kept import Creation
from croupier_server.tables.match import deals, encode
from croupier_server.tables.match.encode import Shown
from croupier_server.tables.match.seats import SeatState
from croupier_server.tables.spec import (
    CreateTable,
    DealKind,
    SeatSpec,
    Status,
    TableSpec,
    check_create,
    check_decks,
    ruleset_hash,
)
from croupier_server.wire.game import GameWire


class GameEntry(NamedTuple):
    """A game and its messages."""

    game: AnyGame
    wire: GameWire


def make_spec(
    entry: GameEntry,
    request: CreateTable,
    *,
    table_id: str,
    secret: bytes,
    now: int,
    endpoint: str = "",
) -> TableSpec:
    """What the table of *request* is for life.

    Args:
        entry: its game.
        request: what is asked for.
        table_id: its id.
        secret: 32 random bytes, for the deal source MATCH.
        now: the time.
        endpoint: address of its server.

    Raises:
        InvalidRequest: ``field`` says where.
    """
    game = entry.game
    ruleset = request.ruleset or game.rulesets()[0]
    options = new_options(game, ruleset, request.overrides)
    players = game.players(options)
    deal = request.deal
    root_hash = hashlib.sha256(deal.root).digest()
    check_create(request, players, root_hash)
    if deal.decks:
        check_decks(deal.decks, pack_of(game, options))
    if deal.kind is DealKind.BOARD:
        deal = replace(deal, commitment=root_hash)
    text = game.option_text(options)
    rules = ruleset_hash(text)
    spec = TableSpec(
        table_id=table_id,
        epoch=FIRST_EPOCH,
        kind=request.kind,
        ruleset=ruleset,
        options=options,
        option_text=text,
        options_message=entry.wire.options_message(options).SerializeToString(deterministic=True),
        ruleset_hash=rules,
        rules_version=game.rules_version,
        seats=(*request.seats, *[SeatSpec()] * (players - len(request.seats))),
        teams=tuple(game.team(options, seat) for seat in range(players)),
        deal=deal,
        commitment=b"",
        clock=request.clock,
        legal_mode=request.legal_mode,
        absence=request.absence,
        rated=request.rated,
        shared_seats=request.shared_seats,
        start_mode=request.start_mode,
        visibility=request.visibility,
        title=request.title,
        created_ms=now,
        endpoint=endpoint,
        delay=request.delay,
    )
    if deal.kind is not DealKind.MATCH:
        return spec
    return replace(spec, commitment=deals.commitment(terms(spec), secret))


def pack_of(game: AnyGame, options: object) -> Sequence[int]:
    """The cards of a deck of *game*."""
    state = game.new(options)
    while (chance := game.chance(state)).kind is not ChanceKind.DECK:
        game.apply_chance(state, (0,))
    return chance.cards


def terms(spec: TableSpec) -> bytes:
    """The serialised ``Table`` of *spec* as it was created, without its commitment."""
    seats = tuple(
        encode.seat_info(spec, seat, SeatState(), show_nonce_hash=False)
        for seat in range(len(spec.seats))
    )
    return encode.table(encode.fixed_fields(spec), Shown(Status.OPEN, seats, b"", None), 0)


def creation(spec: TableSpec, secret: bytes) -> Creation:
    """What is kept of *spec* beside what its ``Table`` tells; secrets and callers are for the
    caller to add."""
    return Creation(
        options=tuple(spec.option_text.items()),
        secret=secret,
        root=spec.deal.root,
        seed=spec.deal.seed,
        decks=spec.deal.decks,
        players=tuple(seat.player for seat in spec.seats),
        player_ids=tuple(seat.player_id for seat in spec.seats),
        house_bots=tuple(seat.house_bot for seat in spec.seats),
    )
