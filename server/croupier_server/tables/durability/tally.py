"""What has happened at the tables of a server, in numbers for its operator.

Nothing here runs ahead of what everybody may see: a sealed window counts as one answer when it
closes, and a table that is shown late counts when it has been shown to its end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from croupier_server.tables.match.table import Table
from croupier_server.tables.spec import Status


class Tally:
    """Numbers that only rise, by number of ``GameKind``.

    Attributes:
        ended: tables that have ended.
        halted: those of them that a fault stopped.
    """

    __slots__ = ("_answered", "_timed_out", "ended", "halted")

    def __init__(self) -> None:
        self._answered: Counter[int] = Counter()
        self._timed_out: Counter[int] = Counter()
        self.ended: Counter[int] = Counter()
        self.halted: Counter[int] = Counter()

    def end(self, table: Table) -> None:
        """*table* has ended, and everybody may know it."""
        kind, journal = table.spec.kind, table.journal
        self._answered[kind] += journal.answered
        self._timed_out[kind] += journal.timed_out
        journal.answered = journal.timed_out = 0
        self.ended[kind] += 1
        self.halted[kind] += table.is_halted

    def answered(self, tables: Iterable[Table]) -> Counter[int]:
        """Decisions answered, at *tables* that are live among them."""
        found = Counter(self._answered)
        for table in tables:
            if table.delayed is None:
                found[table.spec.kind] += table.journal.answered
        return found

    def timed_out(self, tables: Iterable[Table]) -> Counter[int]:
        """Decisions whose time ran out, at *tables* that are live among them."""
        found = Counter(self._timed_out)
        for table in tables:
            if table.delayed is None:
                found[table.spec.kind] += table.journal.timed_out
        return found


def standing(tables: Iterable[Table]) -> Counter[tuple[int, Status]]:
    """Tables that have not ended, as everybody sees them, by kind and status."""
    return Counter(
        (table.spec.kind, table.seen.status)
        for table in tables
        if table.seen.status is not Status.ENDED
    )
