"""What anybody may ask of a server at any time, every call of the contract among it.

Whatever is refused here is refused in every world with the same bytes.
"""

from __future__ import annotations

from typing import Final

from google.protobuf.message import Message
from grpc_health.v1 import health_pb2

from croupier.record.v1 import record_service_pb2 as records
from croupier.v1 import (
    catalog_service_pb2,
    play_service_pb2,
    seat_service_pb2,
    session_service_pb2,
    spectate_service_pb2,
    system_service_pb2,
    table_pb2,
    table_service_pb2,
)
from tests.privacy.tap import CHANNEL, SessionStream, Tap

TABLES: Final = "croupier.v1.TableService"
PLAY: Final = "croupier.v1.PlayService"
SEATS: Final = "croupier.v1.SeatService"
SPECTATE: Final = "croupier.v1.SpectateService"
RECORDS: Final = "croupier.record.v1.RecordService"
CATALOG: Final = "croupier.v1.CatalogService"
UNKNOWN: Final = "no-such-table"

Asked = tuple[str, Message]


async def glance(tap: Tap, table_id: str) -> None:
    """What is shown of a table without being sent."""
    viewing = play_service_pb2.GetSeatViewRequest(table_id=table_id)
    await tap.call(f"{PLAY}/GetSeatView", viewing)
    for method, request in (
        *_lists(table_id)[::2],
        *_results(table_id),
        *_records(table_id)[:2],
    ):
        await tap.call(method, request)


async def look_around(tap: Tap, table_id: str, sequence: int) -> None:
    """All that a caller may look at, and all that it may try in vain.

    Args:
        tap: the caller, with a seat or without.
        table_id: the table.
        sequence: number of an event, after which a question may have been asked.
    """
    for method, request in (
        *_lists(table_id),
        *_results(table_id),
        *_results(UNKNOWN),
        *_seat_calls(table_id, sequence),
        *_records(table_id),
        *_about_the_server(),
    ):
        await tap.call(method, request)
    for method, request in _refused_to_outsiders(table_id):
        await tap.call(method, request, metadata=())
    await tap.stream(f"{SEATS}/WatchSeats", seat_service_pb2.WatchSeatsRequest())
    finished = records.StreamRecordsRequest()
    finished.since.FromSeconds(1)
    await tap.stream(f"{RECORDS}/StreamRecords", finished)
    await tap.stream(f"{RECORDS}/GetRecord", records.GetRecordRequest(table_id=table_id))
    for name in (table_id, UNKNOWN):
        ahead = spectate_service_pb2.SpectateTableRequest(table_id=name, after_sequence=1 << 30)
        await tap.stream(f"{SPECTATE}/SpectateTable", ahead)
        watching = play_service_pb2.WatchTableRequest(table_id=name, after_sequence=1 << 30)
        await tap.stream(f"{PLAY}/WatchTable", watching)
        await tap.stream(f"{PLAY}/WatchTables", _seats_ahead(tap, name))


def _seats_ahead(tap: Tap, table_id: str) -> play_service_pb2.WatchTablesRequest:
    """The same for the stream of several seats, on which the refusal is an item."""
    ticket = dict(tap.metadata).get("croupier-ticket", "")
    opening = session_service_pb2.ChannelOpen(
        channel=1, table_id=table_id, ticket=ticket, after_sequence=1 << 30
    )
    return play_service_pb2.WatchTablesRequest(opens=[opening])


async def look_once(tap: Tap, kind: int) -> None:
    """What never changes."""
    game = {"game": kind}
    for method, request in (
        ("ListGames", catalog_service_pb2.ListGamesRequest()),
        ("ListRulesets", catalog_service_pb2.ListRulesetsRequest(**game)),  # type: ignore[arg-type]
        ("GetRuleset", catalog_service_pb2.GetRulesetRequest(**game)),  # type: ignore[arg-type]
        ("ExplainRule", catalog_service_pb2.ExplainRuleRequest(**game)),  # type: ignore[arg-type]
    ):
        await tap.call(f"{CATALOG}/{method}", request)
    again = table_service_pb2.CreateTableRequest(
        request_id="mine, of 128 bits that are known",
        spec=table_pb2.TableSpec(
            game=kind,  # type: ignore[arg-type]
            visibility=table_pb2.VISIBILITY_UNLISTED,
        ),
    )
    for _ in range(2):
        await tap.call(f"{TABLES}/CreateTable", again)


async def knock(tap: Tap, table_id: str) -> None:
    """A session with a channel that is refused."""
    session = SessionStream(tap, table_id, "no ticket", table_pb2.VIEW_MODE_EVENTS)
    await session.open()
    await session.refused()
    move = session_service_pb2.ChannelMove(channel=CHANNEL, decision_id="1-1")
    await session.submit(move.decision_id, move.move)
    await session.refused()
    await session.close()


def _lists(table_id: str) -> tuple[Asked, ...]:
    playing = table_pb2.TABLE_STATUS_PLAYING
    return (
        (f"{TABLES}/GetTable", table_service_pb2.GetTableRequest(table_id=table_id)),
        (f"{TABLES}/GetTable", table_service_pb2.GetTableRequest(table_id=UNKNOWN)),
        (f"{TABLES}/ListTables", table_service_pb2.ListTablesRequest(page_size=1)),
        (f"{TABLES}/ListTables", table_service_pb2.ListTablesRequest(status=playing)),
    )


def _results(table_id: str) -> tuple[Asked, ...]:
    """Results of the finished deals, as a seat and as a spectator."""
    return (
        (f"{PLAY}/ListDealResults", play_service_pb2.ListDealResultsRequest(table_id=table_id)),
        (
            f"{SPECTATE}/ListPublicDealResults",
            spectate_service_pb2.ListPublicDealResultsRequest(table_id=table_id),
        ),
    )


def _seat_calls(table_id: str, sequence: int) -> tuple[Asked, ...]:
    """What seats do, about questions that may have been asked of others."""
    calls: list[Asked] = []
    for name in (table_id, UNKNOWN):
        calls.append((f"{PLAY}/GetSeatView", play_service_pb2.GetSeatViewRequest(table_id=name)))
        calls.append(
            (f"{PLAY}/OpenNonce", play_service_pb2.OpenNonceRequest(table_id=name, nonce=bytes(32)))
        )
        calls.append((f"{TABLES}/LeaveTable", table_service_pb2.LeaveTableRequest(table_id=name)))
    for decision_id in (*(f"{sequence}-{seat}" for seat in range(5)), "2-0"):
        about = {"table_id": table_id, "decision_id": decision_id}
        calls.append((f"{PLAY}/CheckMove", play_service_pb2.CheckMoveRequest(**about)))  # type: ignore[arg-type]
        getting = play_service_pb2.GetLegalMovesRequest(**about)
        calls.append((f"{PLAY}/GetLegalMoves", getting))
        listing = play_service_pb2.ListLegalMovesRequest(**about, page_size=3)
        calls.append((f"{PLAY}/ListLegalMoves", listing))
    return tuple(calls)


def _refused_to_outsiders(table_id: str) -> tuple[Asked, ...]:
    calls: list[Asked] = []
    for name in (table_id, UNKNOWN):
        calls += [
            (f"{TABLES}/JoinTable", table_service_pb2.JoinTableRequest(table_id=name)),
            (f"{TABLES}/JoinTable", table_service_pb2.JoinTableRequest(table_id=name, seat=1)),
            (
                f"{TABLES}/JoinTable",
                table_service_pb2.JoinTableRequest(table_id=name, seat=1, replace_ticket=True),
            ),
            (f"{TABLES}/StartTable", table_service_pb2.StartTableRequest(table_id=name)),
            (f"{TABLES}/AbortTable", table_service_pb2.AbortTableRequest(table_id=name)),
            (f"{PLAY}/Concede", play_service_pb2.ConcedeRequest(table_id=name)),
            (f"{PLAY}/SubmitMove", play_service_pb2.SubmitMoveRequest(table_id=name)),
        ]
    return (*calls, (f"{SEATS}/ListSeats", seat_service_pb2.ListSeatsRequest()))


def _records(table_id: str) -> tuple[Asked, ...]:
    return (
        (f"{RECORDS}/ListRecords", records.ListRecordsRequest()),
        (f"{RECORDS}/VerifyRecord", records.VerifyRecordRequest(table_id=table_id)),
    )


def _about_the_server() -> tuple[Asked, ...]:
    return (
        ("croupier.v1.SystemService/GetServerInfo", system_service_pb2.GetServerInfoRequest()),
        ("grpc.health.v1.Health/Check", health_pb2.HealthCheckRequest()),
    )
