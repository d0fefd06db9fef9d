"""What a server holds its callers to."""

from __future__ import annotations

from typing import NamedTuple


class Limits(NamedTuple):
    """What a server holds its callers to.

    Attributes:
        tables_max: tables that have not ended.
        own_tables_max: those of one principal with keys; 0: there is no limit.
        house_seats_max: seats of house bots at live tables of one principal with keys; 0: no
            limit.
        house_tables_max: live tables of it at which only house bots sit; 0: no limit.
        rows_per_day: bytes of rows that one principal may write a day for tables at which no match
            is played; 0: there is no limit. See ``allowance.py``.
        joins_max: how often one seat is taken, house bots aside; each time adds rows to its table.
        ended_max: ended tables that are still answered for; the oldest one goes.
        lag_max: events that a reader may be behind before it gets a snapshot instead.
        watchers_max: streams of the lobby, and of each table without a seat, of one principal; 0:
            there is no limit.
        heartbeat_ms: time between heartbeats.
        nonce_ms: how long a table waits for nonces.
        reconnect_grace_ms: after a restart no clock runs for so long, unless its question was sent.
        away_ms: after so long a seat without stream or call is away, and so is one that lets its
            turn wait where there is no clock; what follows is the table's `AbsencePolicy`.
        idle_ms: a table at which nothing has happened for so long is stopped.
        relief_bot: name of the house bot that takes over from a player who is away.
        network_grace_ms: most that is not charged of a decision's time for a slow network, as a
            session's heartbeats measure it.
        unary_grace_ms: so much is not charged where nothing measures the network.
        channels_max: channels of one session.
        requests_max: answers that are kept by ``request_id``, of each call, of tables that are not
            gone.
    """

    tables_max: int = 10_000
    own_tables_max: int = 0
    house_seats_max: int = 0
    house_tables_max: int = 0
    rows_per_day: int = 0
    joins_max: int = 1_000
    ended_max: int = 64
    lag_max: int = 1_024
    watchers_max: int = 1_000
    heartbeat_ms: int = 10_000
    nonce_ms: int = 30_000
    reconnect_grace_ms: int = 10_000
    away_ms: int = 60_000
    idle_ms: int = 86_400_000
    relief_bot: str = "greedy"
    network_grace_ms: int = 500
    unary_grace_ms: int = 100
    channels_max: int = 4_096
    requests_max: int = 10_000
