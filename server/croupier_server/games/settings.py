"""How options are told as text: rows of a catalogue, named rulesets, and the reading of values.

A game's ``rulesets`` holds the rows and sets as data; its ``options`` reads them with these
functions. An error always names the option.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from croupier_server.errors import InvalidRequest, Reason
from croupier_server.games.base import (
    Choice,
    Flag,
    Game,
    Levels,
    Needs,
    Number,
    OptionSpec,
    OptionType,
    WordSet,
)

_DIGITS_MAX = 9

_O = TypeVar("_O")


class Ruleset(NamedTuple):
    """A named set of option values; ``changes`` holds those that differ from the standard."""

    name: str
    version: int
    changes: Mapping[str, str]


def row(
    name: str,
    clause: str,
    values: str,
    meaning: str,
    type_: OptionType | None = None,
    *,
    needs: Needs | None = None,
    depends_on: tuple[str, ...] = (),
) -> OptionSpec:
    """One option; the first of *values* is the standard, and without *type_* they are all.

    The meaning ends with what *needs* says.
    """
    texts = tuple(values.split())
    if type_ is None:
        type_ = Flag() if set(texts) == {"true", "false"} else Choice(texts)
    if needs is not None:
        meaning += f" Only with {needs.option}={needs.value}: {', '.join(needs.values)}."
    return OptionSpec(name, clause, meaning, type_, texts[0], needs, depends_on)


def invalid(name: str, why: str) -> InvalidRequest:
    """The refusal of a value of the option *name*."""
    return InvalidRequest(Reason.INVALID_OPTION, f"{name}: {why}", field=f"options.{name}")


def new_options(game: Game[_O, Any, Any], ruleset: str, overrides: Mapping[str, str]) -> _O:
    """Options of a new table of *ruleset* with single values replaced.

    Refuses a value that has no effect because of another option (`OptionSpec.needs`), unless it
    is the ruleset's own value. The full options that a ``Table`` shows are therefore accepted
    again. `Game.options` refuses no contradiction, because stored tables, records and position
    files may hold one.

    Raises:
        InvalidRequest: as `Game.options`; INVALID_OPTION for a contradiction.
    """
    options = game.options(ruleset, overrides)
    own = game.option_text(game.options(ruleset, {}))
    texts = game.option_text(options)
    for name, needs in ((spec.name, spec.needs) for spec in game.option_specs()):
        if needs is None or texts[name] == own[name] or texts[needs.option] == needs.value:
            continue
        if not set(needs.values).isdisjoint(texts[name].split(",")):
            raise invalid(
                name,
                f"{name}={texts[name]} has no effect with {needs.option}={texts[needs.option]}; "
                f"set {needs.option}={needs.value} or leave {name} out",
            )
    return options


def option_text(options: object, specs: Sequence[OptionSpec]) -> dict[str, str]:
    """Every value as text, sorted by name; a `Reader` reads it back to equal values."""
    return {
        spec.name: _text(spec.type, getattr(options, spec.name))
        for spec in sorted(specs, key=lambda spec: spec.name)
    }


def _text(type_: OptionType, value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return ",".join(map(str, value)) or "none"
    if isinstance(type_, Number) and (value is None or value == 0 < type_.least):
        return type_.word
    return str(value)


class Reader:
    """The text of every option of one table, and what it says.

    Args:
        title: the game's name for people.
        specs: every option of the game.
        rulesets: its rulesets by name.
        ruleset: which of them is meant.
        overrides: options that differ from it.

    Raises:
        InvalidRequest: UNKNOWN_RULESET or UNKNOWN_OPTION; ``field`` names it. The methods raise
            INVALID_OPTION.
    """

    def __init__(
        self,
        title: str,
        specs: Sequence[OptionSpec],
        rulesets: Mapping[str, Ruleset],
        ruleset: str,
        overrides: Mapping[str, str],
    ) -> None:
        if ruleset not in rulesets:
            raise InvalidRequest(
                Reason.UNKNOWN_RULESET,
                f"{title} has no ruleset {ruleset!r}; the rulesets are {', '.join(rulesets)}",
                field="ruleset",
            )
        self._specs = {spec.name: spec for spec in specs}
        for name in overrides:
            if name not in self._specs:
                raise InvalidRequest(
                    Reason.UNKNOWN_OPTION,
                    f"{title} has no option {name!r}; the options are "
                    f"{', '.join(sorted(self._specs))}",
                    field=f"options.{name}",
                )
        self.texts = {spec.name: spec.standard for spec in specs}
        self.texts.update(rulesets[ruleset].changes)
        self.texts.update(overrides)

    def values(self) -> dict[str, Any]:
        """The value of every option by name: bool, str, and int or tuple, as `value` has it."""
        return {name: self.value(name) for name in self._specs}

    def value(self, name: str) -> Any:  # its type follows from that of the option
        """The value of an option: of a `Flag` true or false, of a `Choice` its text, of a `Number`
        the number, of a `WordSet` its words in documented order, of `Levels` their places.

        Where a number is told by its word it is 0, or None if 0 could be told by a number.
        """
        type_ = self._specs[name].type
        match type_:
            case Flag():
                return self._choice(name) == "true"
            case Choice():
                return self._choice(name)
            case Number():
                return self._number(name, type_)
            case WordSet():
                return self._subset(name, type_)
            case Levels():
                return self._levels(name, type_)

    def _choice(self, name: str) -> str:
        text, values = self.texts[name], self._specs[name].values
        if text not in values:
            raise self._refusal(name, f"one of {', '.join(values)}")
        return text

    def _number(self, name: str, bounds: Number) -> int | None:
        text = self.texts[name]
        if bounds.word and text == bounds.word:
            return 0 if bounds.least else None
        is_number = text.isascii() and text.isdecimal() and len(text) <= _DIGITS_MAX
        if not is_number or not bounds.least <= int(text) <= bounds.most:
            raise self._refusal(name, bounds.syntax())
        return int(text)

    def _subset(self, name: str, bounds: WordSet) -> tuple[str, ...]:
        """``none``, or some words separated by commas, in any order."""
        given = self._listed(name)
        if not set(given) <= set(bounds.words):
            raise self._refusal(name, bounds.syntax())
        self._expect_distinct(name, given)
        for word in bounds.alone:
            if word in given and len(given) > 1:
                raise invalid(name, f"{self.texts[name]!r}: {word} cannot be combined with others")
        return tuple(word for word in bounds.words if word in given)

    def _levels(self, name: str, bounds: Levels) -> tuple[int, ...]:
        given = self._listed(name)
        is_known = all(len(level) == 1 and level in bounds.levels for level in given)
        if not is_known or not bounds.least <= len(given):
            raise self._refusal(name, bounds.syntax())
        if bounds.distinct:
            self._expect_distinct(name, given)
        if len(given) > bounds.most:
            raise self._refusal(name, bounds.syntax())
        return tuple(bounds.levels.index(level) for level in given)

    def _listed(self, name: str) -> list[str]:
        text = self.texts[name]
        return [] if text == "none" else [word.strip() for word in text.split(",")]

    def _expect_distinct(self, name: str, given: Sequence[str]) -> None:
        twice = next((word for word in given if given.count(word) > 1), None)
        if twice is not None:
            raise invalid(name, f"{self.texts[name]!r} names {twice} twice; name each value once")

    def _refusal(self, name: str, allowed: str) -> InvalidRequest:
        return invalid(name, f"{self.texts[name]!r} is not allowed; must be {allowed}")
