"""A table as everybody but its seats sees it, where that is some decisions or some time late.

A `Delayed` is told of all that the journal numbers and shows it when it is due. What it shows is
never the table as it is with something left out: seats, clocks and the state of the game are those
of the last event shown, the state made by the rules anew from the inputs up to there. All of it
follows from the rows of the log and the times in them, so it is the same after a restart.

The delay begins with the match. Before that there is nothing to hold back, and a table must be
seen to be joined.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from croupier_server.games.base import AnyGame, Move, Seat
from croupier_server.tables.clocks.accounts import Clocks
from croupier_server.tables.clocks.clock import FOREVER
from croupier_server.tables.match import codec, encode, updates
from croupier_server.tables.match.encode import Shown
from croupier_server.tables.match.journal import Journal
from croupier_server.tables.spec import SpectatorDelay, Status, TableSpec
from croupier_server.wire.game import GameWire
from croupier_server.wire.generated.table import EVENT

_WAITING_MAX: Final = 64
"""So many inputs wait for somebody to ask for a snapshot before they are carried out anyway."""


class _Step(NamedTuple):
    """Events that are shown together: what one input led to, or one of the table's own.

    Attributes:
        sequence: number of the last of them.
        time_ms: when it was.
        answered: decisions answered before and with it. A sealed window counts as one when it
            closes: how many were asked in it is nobody's business.
        is_held: the match had begun.
        inputs: the input, sealed answers before the window that they are for.
        clocks: as they stood afterwards.
        shown: seats and status afterwards, where they may have changed.
    """

    sequence: int
    time_ms: int
    answered: int
    is_held: bool
    inputs: tuple[bytes, ...]
    clocks: Clocks
    shown: Shown | None


class Delayed:
    """What everybody but the seats sees of one table.

    Args:
        spec: what the table is for life, how late it is shown among it.
        game, wire: the rules and their messages.
        show: seats and status as they are.
        clocks: the clocks as they are.

    Attributes:
        sequence: number of the last event shown.
        before: what that was before the last step forward, which may be a long one: whoever has
            read up to there is not slow.
        shown: seats and status as they were then.
        kept_from: number of the first event that may still be read: the start of the deal before
            the one of `before`.
        deadline: when `advance` will find something, if nothing is answered until then.
        is_over: all has been shown that ever will be.
    """

    __slots__ = (
        "_answered",
        "_answers",
        "_clocks",
        "_deals",
        "_delay",
        "_fault",
        "_game",
        "_get_clocks",
        "_has_begun",
        "_inputs",
        "_sealed",
        "_show",
        "_state",
        "_steps",
        "_views",
        "_wire",
        "before",
        "deadline",
        "is_over",
        "kept_from",
        "sequence",
        "shown",
    )

    def __init__(
        self,
        spec: TableSpec,
        game: AnyGame,
        wire: GameWire,
        *,
        show: Callable[[], Shown],
        clocks: Callable[[], Clocks],
    ) -> None:
        self._delay = spec.delay or SpectatorDelay()
        self._game = game
        self._wire = wire
        self._show = show
        self._get_clocks = clocks
        self._has_begun = False
        self._answered = 0
        self._steps: deque[_Step] = deque()
        self._deals: deque[tuple[int, int]] = deque()
        self._sealed: list[bytes] = []
        self._fault: Exception | None = None
        self._inputs: list[bytes] = []
        self._state = game.new(spec.options)
        self._answers: dict[Seat, Move] = {}
        self._views = wire.views()
        self._clocks = clocks()
        self.sequence = self.before = 0
        self.shown = show()
        self.kept_from = 1
        self.deadline = FOREVER
        self.is_over = False

    # What happens --------------------------------------------------------------------------------

    def announced(self, tag: bytes, sequence: int, now: int) -> None:
        """The table announced event *sequence*; *tag* is that of its arm in ``TableEvent``."""
        self._has_begun |= tag == EVENT["match_started"]
        shown = self._show()
        self._add((), sequence, now, shown)
        if shown.status is Status.ENDED:
            # Nothing changes any more. The table holds this, and would be held in turn until the
            # garbage collector looks at what is old, which takes hours.
            clocks = self._get_clocks()
            self._show, self._get_clocks = lambda: shown, lambda: clocks

    def happened(self, cause: bytes, sequence: int, now: int) -> None:
        """The input *cause* led to events up to *sequence*."""
        inputs = (*self._sealed, cause)
        self._sealed.clear()
        self._answered += not cause.startswith(encode.CHANCE_TAG)
        self._add(inputs, sequence, now, None)

    def sealed(self, cause: bytes) -> None:
        """The answer *cause* was sealed."""
        self._sealed.append(cause)

    def start_deal(self, first: int, kept_from: int) -> None:
        """A deal begins with event *first*: once that has been seen, those before *kept_from* may
        go."""
        self._deals.append((first, kept_from))

    def _add(self, inputs: tuple[bytes, ...], sequence: int, now: int, shown: Shown | None) -> None:
        answered, clocks = self._answered, self._get_clocks()
        self._steps.append(_Step(sequence, now, answered, self._has_begun, inputs, clocks, shown))

    # What is due ---------------------------------------------------------------------------------

    def advance(self, journal: Journal, now: int) -> bool:
        """Show what is due now; returns whether anything was. Only what is stored counts."""
        steps, before = self._steps, self.sequence
        stored = next((one for one in reversed(steps) if one.sequence <= journal.committed), None)
        if stored is not None:
            is_ended = stored.shown is not None and stored.shown.status is Status.ENDED
            while steps and steps[0].sequence <= stored.sequence:
                self.deadline = self._due_ms(steps[0], stored.answered, is_ended=is_ended)
                if self.deadline > now:
                    break
                self._advance_to(steps.popleft())
            else:
                self.deadline = FOREVER
                self.is_over = is_ended
        if self.sequence == before:
            return False
        self.before = before
        while self._deals and self._deals[0][0] <= before:
            self.kept_from = self._deals.popleft()[1]
        journal.let_go(self.kept_from)
        return True

    def _due_ms(self, step: _Step, answered: int, *, is_ended: bool) -> int:
        """When *step* is shown, if so many decisions have been answered by now."""
        if not step.is_held:
            return step.time_ms
        if not is_ended and answered < step.answered + self._delay.decisions:
            return FOREVER
        return step.time_ms + self._delay.time_ms

    def _advance_to(self, step: _Step) -> None:
        self.sequence = step.sequence
        self._clocks = step.clocks
        if step.shown is not None:
            self.shown = step.shown
        self._inputs += step.inputs
        if len(self._inputs) >= _WAITING_MAX and self._fault is None:
            try:
                self._carry_out()
            except Exception as fault:  # told to whoever asks for a snapshot
                self._fault = fault

    # What is shown -------------------------------------------------------------------------------

    def snapshot(self, resource: bytes) -> bytes:
        """Payload of ``Snapshot`` as of the last event shown; *resource* is that of the table."""
        self._catch_up()
        view = self._views.public(self._state)
        clocks = updates.clocks(*self._clocks)
        return updates.snapshot(resource, self.sequence, seat=None, public=view, clocks=clocks)

    def results(self) -> Sequence[object]:
        """Results of the deals that had ended with the last event shown."""
        self._catch_up()
        return self._game.results(self._state)

    def heartbeat(self, now: int) -> bytes:
        """``TableUpdate`` with a sign of life, as of the last event shown but for the time."""
        return updates.heartbeat(self.sequence, updates.clocks(*self._clocks), now)

    def _catch_up(self) -> None:
        """Bring the state up to the last event shown; raise the fault that prevents it."""
        if self._fault is not None:
            raise self._fault
        self._carry_out()

    def _carry_out(self) -> None:
        """Bring the state up to the last event shown."""
        inputs, self._inputs = self._inputs, []
        for data in inputs:
            match codec.read_input(data, self._wire):
                case codec.Chance(outcome):
                    self._game.apply_chance(self._state, outcome)
                case codec.Moved(seat, _, move, is_sealed=True):
                    self._answers[seat] = move
                case codec.Moved(seat, _, move):
                    self._game.apply_unchecked(self._state, seat, move)
                case codec.WindowClosed():
                    answers, self._answers = self._answers, {}
                    self._game.close_window(self._state, answers)
