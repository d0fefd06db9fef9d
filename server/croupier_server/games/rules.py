"""What the rules of all games have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from croupier_server.games import clauses, settings
from croupier_server.games.base import Event, Move, OptionSpec, Seat, Turn


class PhaseRow(NamedTuple):
    """What a phase waits for, which types of move it takes, and what a seat is asked in it."""

    turn: Turn
    wanted: tuple[int, ...]
    decision: int


class BaseRules:
    """The part of a `Game` that says nothing about cards. Its folder has its clauses.

    Args:
        specs: see `Game.option_specs`.
        rulesets: see `Game.rulesets`.
    """

    def __init__(self, specs: tuple[OptionSpec, ...], rulesets: Mapping[str, object]) -> None:
        self._package = type(self).__module__.rpartition(".")[0]
        self._specs = specs
        self._rulesets = tuple(rulesets)

    def rulesets(self) -> tuple[str, ...]:
        """See `Game.rulesets`."""
        return self._rulesets

    def option_specs(self) -> tuple[OptionSpec, ...]:
        """See `Game.option_specs`."""
        return self._specs

    def option_text(self, options: Any) -> dict[str, str]:
        """See `Game.option_text`."""
        return settings.option_text(options, self._specs)

    def copy(self, state: Any) -> Any:
        """See `Game.copy`."""
        return state.copy()

    def results(self, state: Any) -> Sequence[object]:
        """See `Game.results`."""
        found: Sequence[object] = state.results
        return found

    def close_window(self, state: Any, answers: Mapping[Seat, Move]) -> list[Event]:
        """See `Game.close_window`. Most games have no windows."""
        raise AssertionError("this game has no sealed windows")

    def clauses(self) -> Mapping[str, str]:
        """See `Game.clauses`."""
        return clauses.texts(self._package)

    def refusals(self) -> Mapping[str, str]:
        """See `Game.refusals`."""
        return clauses.refusals(self._package)
