"""Progress of a contest on standard error: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from croupier_server.contest.results import MatchResult, Outcome

_LINES = 10
"""Lines in all where there is no terminal."""


class MatchProgress:
    """Counts matches; a context manager."""

    def __init__(self, total: int, *, quiet: bool) -> None:
        self._total = total
        self._done = self._spoiled = 0
        self._is_plain = not sys.stderr.isatty()
        self._is_quiet = quiet
        self._bar = Progress(
            TextColumn("playing"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("matches{task.fields[spoiled]}"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            disable=quiet or self._is_plain,
        )
        self._task = self._bar.add_task("playing", total=total, spoiled="")

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()

    def count(self, result: MatchResult) -> None:
        """One more match has ended."""
        self._done += 1
        self._spoiled += result.outcome is not Outcome.PLAYED
        self._bar.update(self._task, advance=1, spoiled=self._spoiled_words())
        step = max(1, self._total // _LINES)
        is_due = self._done % step == 0 or self._done == self._total
        if self._is_plain and not self._is_quiet and is_due:
            print(self, file=sys.stderr)

    def __str__(self) -> str:
        """How far it has come, in words."""
        return f"played {self._done} of {self._total} matches{self._spoiled_words()}"

    def _spoiled_words(self) -> str:
        return f", {self._spoiled} of them not to the end" if self._spoiled else ""
