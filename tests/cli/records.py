"""Records of random matches, made in this process from rules and wire alone."""

from __future__ import annotations

import random
from collections.abc import Iterator

from croupier.record.v1 import record_pb2
from croupier.v1 import game_pb2, table_pb2
from croupier_server.games.base import Event, Turn
from croupier_server.games.modules import WIRES_BY_NAME
from croupier_server.games.registry import GAMES
from croupier_server.storage.base import RECORD_FORMAT


def play(name: str, ruleset: str, overrides: dict[str, str], seed: int) -> Iterator[Event]:
    """Events of a match in which every seat plays at random."""
    game, stream = GAMES[name], random.Random(seed)
    words = iter(lambda: stream.getrandbits(64), None)
    state = game.new(game.options(ruleset, overrides))
    while (turn := game.turn(state)) is not Turn.OVER:
        if turn is Turn.CHANCE:
            chance = game.chance(state)
            deck = list(chance.cards)
            stream.shuffle(deck)
            yield from game.apply_chance(state, deck or (stream.randrange(chance.sides),))
        elif turn is Turn.WINDOW:
            seats = game.to_act(state)
            legal = {seat: game.legal_moves(state, seat) for seat in seats}
            answers = {seat: game.sample(legal[seat], words) for seat in seats}
            yield from game.close_window(state, answers)
        else:
            (seat,) = game.to_act(state)
            move = game.sample(game.legal_moves(state, seat), words)
            yield from game.apply(state, seat, move)


def random_record(
    ruleset: str = "standard", seed: int = 1, game: str = "tractor", **overrides: str
) -> record_pb2.MatchRecord:
    """The record of a random match, with two events of the table before it and its end after it."""
    rules = GAMES[game]
    options = rules.options(ruleset, overrides)
    seats = [
        table_pb2.SeatInfo(
            seat=seat,
            player=table_pb2.Player(display_name=f"bot{seat}"),
            team=rules.team(options, seat),
        )
        for seat in range(rules.players(options))
    ]
    kind = game_pb2.GameKind.Value(f"GAME_KIND_{game.upper()}")
    table = table_pb2.Table(
        table_id="t1", spec=table_pb2.TableSpec(game=kind, ruleset=ruleset), seats=seats
    )
    record = record_pb2.MatchRecord(format=RECORD_FORMAT, table=table)

    def add(event: table_pb2.TableEvent, private: dict[int, bytes] | None = None) -> None:
        event.sequence = len(record.rows) + 1
        row = record.rows.add(sequence=event.sequence, public_part=event.SerializeToString())
        for seat, part in (private or {}).items():
            own = game_pb2.GamePrivateEvent.FromString(part)
            row.private_parts.add(
                seat=seat, part=table_pb2.TableEvent(private_part=own).SerializeToString()
            )

    add(table_pb2.TableEvent(table_created=table_pb2.TableCreated(table=table)))
    add(table_pb2.TableEvent(match_started=table_pb2.MatchStarted()))
    for event in play(game, ruleset, overrides, seed):
        public, private = WIRES_BY_NAME[game].event_bytes(event)
        add(table_pb2.TableEvent(game=game_pb2.GameEvent.FromString(public)), private)
    result = game_pb2.MatchResult(reason=game_pb2.END_REASON_FINISHED)
    for seat in range(len(seats)):
        score = 2 if seat % 2 else -2
        result.seats.add(seat=seat, score=score, place=1 if seat % 2 else 2)
    add(table_pb2.TableEvent(match_ended=result))
    record.result.CopyFrom(result)
    return record
