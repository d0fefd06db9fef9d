"""Time that is lost by a fault of the server, and counts for nobody: late loops, a store in
trouble, restarts.

Must not be put here: how such a fault is noticed.
"""

from __future__ import annotations

from collections.abc import Mapping

from croupier_server.tables.table import Table


def give_back(table: Table, since: int, now: int) -> None:
    """The server could do nothing at *table* from *since* to *now*: everything there that waits
    or runs out does so later by that time."""
    table.match.timing.give_back(since, now)
    table.presence.give_back(since, now)
    table.opening.give_back(since, now)


def stand_still(table: Table, now: int) -> None:
    """Nothing can happen at *table* from *now* until `go_on`: its clocks stand, and are seen to."""
    table.match.timing.stand(now)


def go_on(table: Table, since: int, now: int) -> None:
    """*table* has stood still since *since*, and goes on."""
    table.match.timing.go_on(now)
    table.presence.give_back(since, now)
    table.opening.give_back(since, now)


def reopen(
    table: Table, since: int, now: int, *, grace_ms: int, nonce_ms: int, used: Mapping[str, int]
) -> None:
    """The server stopped at *since* and takes *table* up again *now*; nobody has a stream yet.

    Args:
        table: the table.
        since: when the server was last known to run.
        now: the time.
        grace_ms: how long seats are given to come back before clocks run.
        nonce_ms: how long nonces are waited for.
        used: by decision id, time of open decisions that is known to have been used; see
            `Timing.used_before_stop`.
    """
    table.match.timing.reopen(now, grace_ms, used)
    table.presence.seen_all(now + grace_ms)
    table.opening.reopen(since, now + grace_ms, nonce_ms)
