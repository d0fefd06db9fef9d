"""Reads a match that was written as text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Final

from croupier_server.games.base import EndReason, SeatOutcome
from croupier_server.games.cards import parse_card
from croupier_server.games.modules import MODULES
from croupier_server.games.notation import Words
from croupier_server.notation.match import (
    Answer,
    Chance,
    Ending,
    MatchText,
    NotationError,
    Step,
    Window,
)
from croupier_server.notation.writing import BETWEEN, BY_CLOCK, COMMENT, HEAD

_MOVE: Final = re.compile(r"(\d+): (.+)")
_RESULT: Final = re.compile(r"([A-Z_]+)(?: by (\d+))?(?: (\".*\"))?")
_OUTCOME: Final = re.compile(r"(\d+): ([+-]\d+) place (\d+)")
_DEAL: Final = re.compile(r"\d+(?: redeal \d+)?")
_WINDOWS_MAX: Final = 1_000
_STEPS_MAX: Final = 1_000_000
"""Steps of one match. The longest have some ten thousand."""


def read(text: str) -> MatchText:
    """The match in *text*; comments are passed over.

    Raises:
        NotationError: it is no notation; the message names the line.
    """
    lines = text.splitlines()
    if not lines or lines[0].strip() != HEAD:
        raise NotationError(f"line 1: a notation must begin with {HEAD!r}")
    reader = _Reader()
    for number, line in enumerate(lines[1:], 2):
        if not line.strip() or line.lstrip().startswith(COMMENT):
            continue
        try:
            reader.take(line.strip())
        except (ValueError, KeyError, IndexError, NotationError) as error:
            raise NotationError(f"line {number}: {error}") from error
    return reader.match()


class _Reader:
    """Takes one line after the other."""

    def __init__(self) -> None:
        self._facts: dict[str, str] = {}
        self._options: dict[str, str] = {}
        self._players: list[str] = []
        self._deck: list[int] = []
        self._steps: list[Step] = []
        self._ending: Ending | None = None
        self._words: Words | None = None

    def take(self, line: str) -> None:
        """Take in a line that is neither empty nor a comment."""
        word, _, rest = line.partition(" ")
        if self._ending is not None:
            raise NotationError("nothing may follow the result")
        if word != "deck":
            self._end_deck()
        match word:
            case "game" | "ruleset" | "table" | "option" | "seat":
                self._head(word, rest)
            case "deal":
                if not _DEAL.fullmatch(_uncommented(rest)):
                    raise NotationError(f"{rest!r} is not the number of a deal")
            case "deck":
                self._deck += map(parse_card, rest.split())
            case "lot":
                self._steps.append(Chance((int(rest),)))
            case "windows":
                number = int(_uncommented(rest))
                if not 1 <= number <= _WINDOWS_MAX:
                    raise NotationError(f"{number} windows")
                self._steps += [Window(())] * number
            case "window" | "sealed":
                answers = tuple(self._answers(rest))
                self._steps.append(Window(answers, is_closed=word == "window"))
            case "result":
                self._ending = _ending(rest)
            case _:
                self._steps += self._answers(line)
        if len(self._steps) > _STEPS_MAX:
            raise NotationError(f"more than {_STEPS_MAX} steps")

    def _head(self, word: str, rest: str) -> None:
        if word == "option":
            name, equals, text = rest.partition("=")
            if not equals or name in self._options:
                raise NotationError(f"{rest!r} is not an option, or is given twice")
            self._options[name] = text
        elif word == "seat":
            seat, _, name = rest.partition(" ")
            if int(seat) != len(self._players):
                raise NotationError("the seats must be in order")
            self._players.append(_string(name))
        elif word in self._facts:
            raise NotationError(f"{word} is given twice")
        else:
            self._facts[word] = _string(rest) if word == "table" else rest
        if word == "game":
            if rest not in MODULES:
                raise NotationError(f"there is no game {rest!r}")
            self._words = MODULES[rest].words

    def _end_deck(self) -> None:
        """The cards of the lines before are a deck."""
        if self._deck:
            self._steps.append(Chance(tuple(self._deck)))
            self._deck = []

    def _answers(self, text: str) -> Iterator[Answer]:
        """Moves on one line."""
        if self._words is None:
            raise NotationError("the line `game` is missing")
        for part in _uncommented(text).split(BETWEEN):
            found = _MOVE.fullmatch(part.strip())
            if found is None:
                raise NotationError(f"{part.strip()!r} is not a move of a seat")
            said = found[2].removesuffix(BY_CLOCK)
            yield Answer(int(found[1]), self._words.parse_move(said), said != found[2])

    def match(self) -> MatchText:
        """All that was read."""
        self._end_deck()
        facts: Mapping[str, str] = self._facts
        missing = [word for word in ("game", "ruleset", "table") if word not in facts]
        if self._ending is None:
            missing.append("result")
        if missing or self._ending is None:
            raise NotationError(f"missing: {', '.join(missing)}")
        return MatchText(
            facts["game"],
            facts["ruleset"],
            self._options,
            facts["table"],
            tuple(self._players),
            tuple(self._steps),
            self._ending,
        )


def _uncommented(text: str) -> str:
    return text.partition(COMMENT)[0].rstrip()


def _string(text: str) -> str:
    # What begins otherwise may be nested too deeply to be read at all.
    found = json.loads(text) if text.startswith('"') else None
    if not isinstance(found, str):
        raise NotationError(f"{text[:80]!r} is not a text in double quotes")
    return found


def _ending(text: str) -> Ending:
    head, *seats = text.split(BETWEEN)
    # A detail may hold what stands between seats.
    while seats and not _OUTCOME.fullmatch(seats[0]):
        head += BETWEEN + seats.pop(0)
    found = _RESULT.fullmatch(head)
    outcomes = [_OUTCOME.fullmatch(seat) for seat in seats]
    if found is None:
        raise NotationError(f"{head!r} is not a result")
    if found[1] not in EndReason.__members__:
        known = ", ".join(EndReason.__members__)
        raise NotationError(f"{found[1]!r} is not a known reason; known reasons: {known}")
    scores = []
    for place, outcome in enumerate(outcomes):
        if outcome is None or int(outcome[1]) != place:
            raise NotationError(f"{seats[place]!r} is not an outcome of seat {place}")
        scores.append(SeatOutcome(int(outcome[2]), int(outcome[3])))
    return Ending(
        found[1],
        int(found[2]) if found[2] else None,
        _string(found[3]) if found[3] else "",
        tuple(scores),
    )
