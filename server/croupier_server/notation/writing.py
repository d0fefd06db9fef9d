"""Writes a match: its inputs, and in comments what follows from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from croupier_server.games.base import AnyGame
from croupier_server.games.cards import CARD_NAMES
from croupier_server.games.modules import MODULES
from croupier_server.games.notation import Words
from croupier_server.notation.match import Answer, Chance, Ending, MatchText, Moment, Window, play
from croupier_server.printable import quoted

HEAD: Final = "croupier notation 1"
"""The first line."""

COMMENT: Final = ";"
BETWEEN: Final = " | "
BY_CLOCK: Final = " !"
"""Behind a move that the clock made."""

_CARDS_A_LINE: Final = 18


def write(match: MatchText) -> str:
    """*match* as text.

    Raises:
        NotationError: the rules do not allow one of its steps.
    """
    return "\n".join([*_header(match), *_Pages(match).lines(), "", _result(match.ending), ""])


def _header(match: MatchText) -> Iterator[str]:
    yield HEAD
    yield f"game {match.game}"
    yield f"ruleset {match.ruleset}"
    yield from (f"option {name}={text}" for name, text in match.options.items())
    yield f"table {quoted(match.table_id)}"
    for seat, player in enumerate(match.players):
        yield f"seat {seat} {quoted(player)}"


def _result(ending: Ending) -> str:
    parts = [f"result {ending.reason}"]
    if ending.seat is not None:
        parts[0] += f" by {ending.seat}"
    if ending.detail:
        parts[0] += f" {quoted(ending.detail)}"
    parts += [f"{seat}: {one.score:+d} place {one.place}" for seat, one in enumerate(ending.seats)]
    return BETWEEN.join(parts)


class _Pages:
    """The lines of the deals."""

    def __init__(self, match: MatchText) -> None:
        self._match = match
        self._game: AnyGame = match.rules
        self._words: Words = MODULES[match.game].words
        self._moves: list[str] = []
        self._remarks: list[str] = []
        self._empty = 0

    def lines(self) -> Iterator[str]:
        for moment in play(self._match):
            step = moment.step
            if isinstance(step, Window) and not step.answers:
                yield from self._flush()
                self._empty += 1
                yield from self._tell(moment)
                continue
            yield from self._windows()
            if isinstance(step, Chance):
                yield from self._flush()
                yield from self._chance(moment, step)
            elif isinstance(step, Window):
                yield from self._flush()
                word = "window" if step.is_closed else "sealed"
                self._moves = [f"{word} {self._said(step.answers)}"]
            else:
                self._moves.append(self._said([step]))
            yield from self._tell(moment)
        yield from self._windows()
        yield from self._flush()

    def _said(self, answers: Sequence[Answer]) -> str:
        return BETWEEN.join(
            f"{seat}: {self._game.move_text(move)}{BY_CLOCK if by_clock else ''}"
            for seat, move, by_clock in answers
        )

    def _windows(self) -> Iterator[str]:
        """A line for the windows in which nobody was asked."""
        if self._empty:
            yield f"windows {self._empty}"
            self._empty = 0

    def _flush(self) -> Iterator[str]:
        """The line of moves begun."""
        if self._moves or self._remarks:
            remark = f"  {COMMENT} {', '.join(self._remarks)}" if self._remarks else ""
            yield f"{BETWEEN.join(self._moves)}{remark}".strip()
        self._moves, self._remarks = [], []

    def _chance(self, moment: Moment, step: Chance) -> Iterator[str]:
        if len(step.outcome) == 1:
            yield ""
            yield f"lot {step.outcome[0]}"
            return
        yield ""
        yield f"deal {moment.deal}" + (f" redeal {moment.attempt}" if moment.attempt else "")
        names = [CARD_NAMES[card] for card in step.outcome]
        for start in range(0, len(names), _CARDS_A_LINE):
            yield f"deck {' '.join(names[start : start + _CARDS_A_LINE])}"
        options = self._game.options(self._match.ruleset, self._match.options)
        for line in self._words.dealt(moment.events[0].public, step.outcome, options):
            yield f"{COMMENT} {line}"

    def _tell(self, moment: Moment) -> Iterator[str]:
        """What followed: short remarks behind the line, a deal's end on lines of its own."""
        for event in moment.events:
            scored = self._words.scored(event.public)
            remark = self._words.remark(event)
            if remark:
                self._remarks.append(remark)
            if scored or self._words.ends_line(event.public):
                if self._empty:
                    yield from self._windows()
                yield from self._flush()
            for line in scored:
                yield f"{COMMENT} {line}"
