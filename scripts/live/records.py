"""Records of matches that have ended, as a client gets them."""

from __future__ import annotations

import asyncio
import time
from functools import partial
from typing import Any, Final

from croupier import Client
from croupier.errors import NotFound
from croupier.record.v1 import record_pb2, record_service_pb2
from croupier.records import fetch_record

_PATIENCE_S: Final = 60
_PAUSE_S: Final = 0.2


async def record_of(client: Client, table_id: str) -> record_pb2.MatchRecord:
    """The record of a match that has ended, which is made a moment later.

    Raises:
        NotFound: there still is none after a minute.
    """
    connection = client._main  # noqa: SLF001 - the SDK has no call for it
    wanted = record_service_pb2.GetRecordRequest(table_id=table_id)
    get: Any = partial(fetch_record, connection.records)
    ends = time.monotonic() + _PATIENCE_S
    while True:
        try:
            return record_pb2.MatchRecord.FromString(await connection.call(get, wanted))
        except NotFound:
            if time.monotonic() > ends:
                raise
        await asyncio.sleep(_PAUSE_S)
