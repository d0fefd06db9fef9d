"""SpectateService on a real server: what everybody may see, and nothing else."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest

from croupier.v1 import spectate_service_pb2 as pb
from croupier.v1 import table_pb2
from tests.rpc.calls import Caller
from tests.rpc.players import Seats, make_full

SPECTATE = "croupier.v1.SpectateService/SpectateTable"


def spectate(
    call: Caller, seats: Seats, **fields: int
) -> AsyncGenerator[pb.SpectateTableResponse, None]:
    request = pb.SpectateTableRequest(table_id=seats.id, **fields)
    return call.stream(SPECTATE, request, pb.SpectateTableResponse)


@pytest.mark.more
async def test_a_spectator_sees_every_event_and_no_private_part(call: Caller) -> None:
    seats = await make_full(call)
    stream = spectate(call, seats)
    first = (await anext(stream)).update.snapshot
    assert first.HasField("public_view")
    assert not first.HasField("seat_view")
    await seats.finish()
    found = [message.update async for message in stream]
    events = [one.event for one in found if one.HasField("event")]
    numbers = [one.sequence for one in events]
    assert numbers == list(range(first.sequence + 1, first.sequence + 1 + len(events)))
    assert not any(one.HasField("private_part") for one in events)
    assert events[-1].HasField("match_ended")
    kinds = {one.WhichOneof("update") for one in found}
    assert kinds - {"heartbeat"} == {"event", "result", "end"}
    assert found[-1].end.reason == table_pb2.STREAM_END_REASON_MATCH_ENDED


async def test_a_spectator_resumes(call: Caller) -> None:
    seats = await make_full(call)
    head = (await seats.table()).sequence
    stream = spectate(call, seats, table_epoch=1, after_sequence=3)
    assert (await anext(stream)).update.resumed.sequence == head
    assert (await anext(stream)).update.event.sequence == 4
    await stream.aclose()


async def test_unknown_tables_and_numbers_ahead(call: Caller) -> None:
    seats = await make_full(call)
    unknown = await call.refused(SPECTATE, pb.SpectateTableRequest(table_id="nowhere"))
    assert (unknown.reason, unknown.fields) == ("NOT_FOUND", ("table_id",))
    ahead = pb.SpectateTableRequest(table_id=seats.id, table_epoch=1, after_sequence=9_999)
    refused = await call.refused(SPECTATE, ahead)
    assert (refused.reason, refused.fields) == ("SEQUENCE_AHEAD", ("after_sequence",))
