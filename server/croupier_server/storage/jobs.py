"""What a writer is given to do, in order.

Must not be put here: a writer; a database.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from croupier_server.storage.base import Checkpoint, Done, FinishedMatch
from croupier_server.storage.packing import Piece


class Append(NamedTuple):
    """Store pieces."""

    pieces: Sequence[Piece]
    done: Done


class KeepCheckpoint(NamedTuple):
    """Store a checkpoint in place of the one before."""

    table_id: str
    checkpoint: Checkpoint


class Finish(NamedTuple):
    """Make a record and let go of the rows."""

    match: FinishedMatch
    done: Done


class Forget(NamedTuple):
    """Let go of the rows."""

    table_id: str


Job = Append | KeepCheckpoint | Finish | Forget


class Committed(NamedTuple):
    """What came of jobs that were committed together.

    Attributes:
        errors: of each job: why it alone was left out; None: it was done.
        has_shown: records have come to be shown.
    """

    errors: Sequence[Exception | None]
    has_shown: bool = False


class StoreTrouble(Exception):
    """Nothing can be stored now, but perhaps later; the text is one line."""


class StoreClosed(Exception):
    """It never will be stored: the store was closed before it could be."""


class Core(Protocol):
    """A database that is written to by one thread at a time."""

    def commit(self, jobs: Sequence[Job]) -> Committed:
        """Do all of *jobs* in their order in one transaction.

        Raises:
            StoreTrouble: nothing was done; the same jobs may be tried again.
            Exception: nothing was done, and one of the jobs is to blame.
        """
        ...

    def sweep(self) -> bool:
        """Delete some of what is not needed any more; returns whether there is more of it.

        Raises:
            StoreTrouble: later, perhaps.
        """
        ...
