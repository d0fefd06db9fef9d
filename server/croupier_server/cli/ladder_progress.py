"""How far a ladder is, on standard error: live on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from collections import Counter
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from croupier_server.cli.standings import standings_table
from croupier_server.printable import printable

if TYPE_CHECKING:
    from croupier_server.contest.ladder.contest import Contest

_REFRESH_S: Final = 1.0
_LINE_S: Final = 10.0


class LadderProgress:
    """Shows a contest while it is played; a context manager."""

    def __init__(self, contest: Contest, *, quiet: bool) -> None:
        self._contest = contest
        self._is_quiet = quiet
        self._is_live = sys.stderr.isatty() and not quiet
        self._started = time.monotonic()
        self._before = contest.matches
        self._shown = self._started
        self._live = Live(console=Console(stderr=True, highlight=False), auto_refresh=False)

    def __enter__(self) -> Self:
        if self._is_live:
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._is_live:
            self._live.update(Text(""), refresh=True)
            self._live.stop()

    def update(self, contest: Contest) -> None:
        """Something has happened; *contest* is as it is now."""
        self._contest = contest
        now = time.monotonic()
        if now - self._shown < (_REFRESH_S if self._is_live else _LINE_S):
            return
        self._shown = now
        if self._is_live:
            from croupier_server.contest.ladder.standings import make_report

            table = standings_table(make_report(self._contest, is_brief=True))
            self._live.update(Group(table, Text(self.line())), refresh=True)
        elif not self._is_quiet:
            print(self.line(), file=sys.stderr)

    def line(self) -> str:
        """How far it has come, in words."""
        contest = self._contest
        total = contest.total
        of = f" of at most {total}" if total and contest.sprt else f" of {total}" if total else ""
        words = [f"{contest.counted}{of} boards", f"{contest.matches} matches"]
        seconds = time.monotonic() - self._started
        rate = (contest.matches - self._before) / seconds if seconds else 0.0
        if rate:
            words.append(f"{rate:.1f} matches a second")
            if total and contest.counted and contest.matches:
                left = (total - contest.counted) * contest.matches / contest.counted / rate
                words.append(f"{_duration(left)} left")
        if contest.sprt is not None:
            state = contest.sprt.state
            words.append(f"LLR {state.llr:+.2f} ({state.lower:+.2f} to {state.upper:+.2f})")
        from croupier_server.contest.ladder.standings import FAULTS

        faults = Counter[str]()
        for tally in contest.tallies:
            for kind, count in tally.faults.items():
                faults[FAULTS[kind].value] += count
        words += [f"{count} {kind}" for kind, count in sorted(faults.items())]
        return printable(", ".join(words))


def _duration(seconds: float) -> str:
    """Hours, minutes and seconds."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
