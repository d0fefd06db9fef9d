"""What a server holds its callers to.

Must not be put here: who holds whom to it.
"""

from __future__ import annotations

from typing import NamedTuple


class Limits(NamedTuple):
    """What a server holds its callers to.

    Attributes:
        tables_max: tables that have not ended.
        ended_max: ended tables that are still answered for; the oldest one goes.
        lag_max: events that a reader may be behind before it gets a snapshot instead.
        heartbeat_ms: time between heartbeats.
        nonce_ms: how long a table waits for nonces.
        channels_max: channels of one session.
        requests_max: answers that are kept by ``request_id``, of each call.
    """

    tables_max: int = 10_000
    ended_max: int = 64
    lag_max: int = 1_024
    heartbeat_ms: int = 10_000
    nonce_ms: int = 30_000
    channels_max: int = 4_096
    requests_max: int = 10_000
