"""A whole match with nothing but gRPC and the generated stubs: what the SDK does for you.

It makes a table with house bots in the other seats, sits down, watches it, and answers each
decision with the first listed move. A bot in any other language does the same.

    croupier serve                                  # in one terminal
    python stubs_only.py                            # in another; HOST:PORT may follow
"""

from __future__ import annotations

import hashlib
import secrets
import sys

import grpc

from croupier.v1 import (
    game_pb2,
    play_service_pb2,
    play_service_pb2_grpc,
    table_pb2,
    table_service_pb2,
    table_service_pb2_grpc,
    tractor_pb2,
)


def make_table(channel: grpc.Channel) -> table_service_pb2.CreateTableResponse:
    """A table of Tractor for one deal: seat 0 for whoever has the code, house bots elsewhere."""
    house = table_service_pb2.SeatSpec(access=table_pb2.SEAT_ACCESS_HOUSE, house_bot="greedy")
    ours = table_service_pb2.SeatSpec(access=table_pb2.SEAT_ACCESS_INVITED)
    request = table_service_pb2.CreateTableRequest(
        request_id=secrets.token_hex(8),
        game=game_pb2.GAME_KIND_TRACTOR,
        options=game_pb2.GameOptions(tractor=tractor_pb2.TractorOptions(max_deals=1)),
        seats=[ours, house, house, house],
    )
    return table_service_pb2_grpc.TableServiceStub(channel).CreateTable(request)


def choose(decision: table_pb2.Decision) -> game_pb2.Move:
    """The first listed move; where there are only patterns, the first member of the first one."""
    if decision.legal.moves:
        return decision.legal.moves[0].move
    pattern = decision.legal.patterns[0]
    cards = [*pattern.fixed, *pattern.pool[: pattern.least]]
    if pattern.kind.tractor == tractor_pb2.TRACTOR_MOVE_KIND_BURY:
        move = tractor_pb2.TractorMove(bury=tractor_pb2.TractorBury(cards=cards))
    else:
        move = tractor_pb2.TractorMove(play=tractor_pb2.TractorPlay(cards=cards))
    return game_pb2.Move(tractor=move)


def play(address: str) -> game_pb2.MatchResult:
    """Play one match and return its result."""
    nonce = secrets.token_bytes(32)
    with grpc.insecure_channel(address) as channel:
        made = make_table(channel)
        table_id = made.table.table_id
        seat = table_service_pb2_grpc.TableServiceStub(channel).JoinTable(
            table_service_pb2.JoinTableRequest(
                table_id=table_id,
                invite_code=made.invite_codes[0],
                player="stubs only",
                nonce_hash=hashlib.sha256(nonce).digest(),
            )
        )
        metadata = (("croupier-ticket", seat.ticket),)
        stub = play_service_pb2_grpc.PlayServiceStub(channel)
        watch = stub.WatchTable(
            play_service_pb2.WatchTableRequest(table_id=table_id), metadata=metadata
        )
        result = game_pb2.MatchResult()
        for response in watch:
            update = response.update
            match update.WhichOneof("update"):
                case "nonce_wanted":
                    stub.OpenNonce(
                        play_service_pb2.OpenNonceRequest(table_id=table_id, nonce=nonce),
                        metadata=metadata,
                    )
                case "decision":
                    stub.SubmitMove(
                        play_service_pb2.SubmitMoveRequest(
                            table_id=table_id,
                            decision_id=update.decision.decision_id,
                            move=choose(update.decision),
                        ),
                        metadata=metadata,
                    )
                case "result":
                    result = update.result
        return result


if __name__ == "__main__":
    print(play(sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:7421"))
