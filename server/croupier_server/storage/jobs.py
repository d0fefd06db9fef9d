"""What a writer is given to do, in order."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol

from croupier_server.storage.base import Done, FilesReplaced, FinishedMatch, Superseded
from croupier_server.storage.packing import Piece


class Append(NamedTuple):
    """Store pieces."""

    pieces: Sequence[Piece]
    done: Done


class Finish(NamedTuple):
    """Make a record and let go of the rows."""

    match: FinishedMatch
    done: Done


Job = Append | Finish


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


GONE: Final = (Superseded, FilesReplaced)
"""Errors after which nothing can ever be stored again."""


class StoreClosed(Exception):
    """It never will be stored: the store was closed before it could be."""


class Gaps:
    """Tables with rows that never will be stored. Nothing that comes behind those is, as a log has
    no gaps: after a restart such a table goes on from where the gap would have been."""

    def __init__(self) -> None:
        self._errors: dict[str, Exception] = {}

    def __bool__(self) -> bool:
        return bool(self._errors)

    def open(self, job: Job, error: Exception) -> None:
        """*job* was refused for ever."""
        if isinstance(job, Append):
            for piece in job.pieces:
                self._errors.setdefault(piece.table_id, error)

    def behind(self, job: Job) -> Job:
        """What is left to be done of *job*; who waits for it hears why nothing is, in turn."""
        if isinstance(job, Append):
            left = [piece for piece in job.pieces if piece.table_id not in self._errors]
            if len(left) == len(job.pieces):
                return job
            if left:
                return Append(left, job.done)
            table_id = job.pieces[0].table_id
        else:
            table_id = job.match.table_id
        error = self._errors.get(table_id)
        if error is None:
            return job
        return Append((), lambda fault: job.done(fault or error))


def reason_gone(error: Exception) -> str:
    """Why a log is gone, as its trouble; what a mistake of ours says may name cards."""
    return (
        str(error)
        if isinstance(error, GONE)
        else f"the store's writer has failed: {type(error).__name__}"
    )


class Core(Protocol):
    """A database that is written to by one thread at a time."""

    def commit(self, jobs: Sequence[Job]) -> Committed:
        """Do all of *jobs* in their order in one transaction.

        Raises:
            StoreTrouble: try the same jobs again, and no others before them; those that were done
                after all are not done twice.
            Superseded, FilesReplaced: nothing can ever be stored again.
            Exception: nothing was done, and one of the jobs is to blame.
        """
        ...

    def check(self) -> None:
        """Raise if nothing could be stored now, though nothing waits to be.

        Raises:
            StoreTrouble: not now, but perhaps later.
            Superseded: another server has taken the store over.
            FilesReplaced: what is written no longer reaches the files that a restart would open.
        """
        ...

    def sweep(self) -> bool:
        """Delete some of what is not needed any more; returns whether there is more of it.

        Raises:
            StoreTrouble: later, perhaps.
        """
        ...


class LoopCore(ABC):
    """A `Core` whose writer is a task of the event loop, not a thread."""

    @abstractmethod
    async def commit(self, jobs: Sequence[Job]) -> Committed:
        """See `Core.commit`."""

    @abstractmethod
    async def check(self) -> None:
        """See `Core.check`."""

    @abstractmethod
    async def sweep(self) -> bool:
        """See `Core.sweep`."""
