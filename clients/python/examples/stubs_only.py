"""A whole match with nothing but gRPC and the generated stubs: what the SDK does for you.

It makes a table with house bots in the other seats, sits down, watches it, and answers each
decision with its fallback, a move that is always legal. A bot in any other language does the same.

    croupier serve                                  # in one terminal
    python stubs_only.py --game pokex               # in another; HOST:PORT may follow
"""

from __future__ import annotations

import argparse
import hashlib
import secrets

import grpc

from croupier.v1 import (
    game_pb2,
    play_service_pb2,
    play_service_pb2_grpc,
    pokex_pb2,
    table_pb2,
    table_service_pb2,
    table_service_pb2_grpc,
    tongits_pb2,
    tractor_pb2,
)

ONE_DEAL = {
    "tractor": game_pb2.GameOptions(tractor=tractor_pb2.TractorOptions(max_deals=1)),
    "tongits": game_pb2.GameOptions(tongits=tongits_pb2.TongitsOptions(max_hands=1)),
    "pokex": game_pb2.GameOptions(pokex=pokex_pb2.PokexOptions(max_deals=1)),
}
SEATS = {"tractor": 4, "tongits": 3, "pokex": 4}


def make_table(channel: grpc.Channel, game: str) -> table_service_pb2.CreateTableResponse:
    """A table for one deal: seat 0 for whoever has the code, house bots elsewhere."""
    house = table_service_pb2.SeatSpec(access=table_pb2.SEAT_ACCESS_HOUSE, house_bot="greedy")
    ours = table_service_pb2.SeatSpec(access=table_pb2.SEAT_ACCESS_RESERVED)
    request = table_service_pb2.CreateTableRequest(
        request_id=secrets.token_hex(16),
        spec=table_pb2.TableSpec(
            game=game_pb2.GameKind.Value(f"GAME_KIND_{game.upper()}"), options=ONE_DEAL[game]
        ),
        seats=[ours, *[house] * (SEATS[game] - 1)],
    )
    return table_service_pb2_grpc.TableServiceStub(channel).CreateTable(request)


def play(address: str, game: str) -> game_pb2.MatchResult:
    """Play one match and return its result."""
    nonce = secrets.token_bytes(32)
    with grpc.insecure_channel(address) as channel:
        made = make_table(channel, game)
        table_id = made.table.table_id
        seat = table_service_pb2_grpc.TableServiceStub(channel).JoinTable(
            table_service_pb2.JoinTableRequest(
                table_id=table_id,
                invite_code=made.invites[0].code,
                player=table_pb2.Player(display_name="stubs only", kind=table_pb2.PLAYER_KIND_BOT),
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
                            move=update.decision.fallback,
                        ),
                        metadata=metadata,
                    )
                case "result":
                    result = update.result
        return result


if __name__ == "__main__":
    arguments = argparse.ArgumentParser()
    arguments.add_argument("address", nargs="?", default="127.0.0.1:7421")
    arguments.add_argument("--game", choices=SEATS, default="tractor")
    given = arguments.parse_args()
    print(play(given.address, given.game))
