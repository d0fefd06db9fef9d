"""Time that counts for nobody: late loops, a store in trouble, restarts, play that an operator has
stopped.
"""

from __future__ import annotations

from collections.abc import Mapping

from croupier_server.tables.kept import Quarantined
from croupier_server.tables.match.table import Table


def give_back(table: Table, since: int, now: int) -> None:
    """The server could do nothing at *table* from *since* to *now*: everything there that waits
    or runs out does so later by that time."""
    table.match.timing.give_back(since, now)
    table.presence.give_back(since, now)
    table.opening.give_back(since, now)


def stand_still(table: Table, now: int) -> None:
    """Nothing can happen at *table* from *now* until `go_on`: its clocks stand, and are seen to."""
    table.match.timing.stand(now)


def go_on(table: Table, since: int, now: int, retry_ms: int = 0) -> None:
    """Resume *table*, paused since *since*, unless an operator has stopped it.

    Args:
        table: the table.
        since: when the outage began.
        now: the time.
        retry_ms: what calls refused during the outage were told to wait, at most. Every clock of
            the table stays paused for as long, whoever was refused: a pause of one seat alone
            would show who was asked in a sealed window, and could be had by calling.
    """
    until = now + retry_ms
    table.match.timing.run_from(until)
    if table.match.quarantined_ms is None:
        table.match.timing.go_on(now)
    table.presence.give_back(since, until)
    table.opening.give_back(since, until)


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
    if table.match.quarantined_ms is not None:
        _stop(table, now)


def quarantine(table: Table, now: int) -> None:
    """An operator stops play at *table*, also beyond a restart."""
    table.match.quarantined_ms = now
    table.journal.note(Quarantined(now))
    _stop(table, now)


def release(table: Table, now: int) -> None:
    """The operator lets play at *table* go on."""
    since = table.match.quarantined_ms
    assert since is not None
    table.match.quarantined_ms = None
    table.presence.stand(still=False)
    table.journal.note(Quarantined(None))
    go_on(table, since, now)


def _stop(table: Table, now: int) -> None:
    table.presence.stand(still=True)
    stand_still(table, now)
