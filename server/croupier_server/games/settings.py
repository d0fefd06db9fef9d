"""How options are told as text: rows of a catalogue, named rulesets, and the reading of values.

A game's ``rulesets`` holds the rows and sets as data; its ``options`` reads them with these
functions. An error always names the option.

Must not be put here: any option of any game.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from croupier_server.errors import InvalidRequest, Reason
from croupier_server.games.base import Game, Needs, OptionSpec

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
    syntax: str = "",
    *,
    needs: Needs | None = None,
) -> OptionSpec:
    """One option; the first of *values* is the standard, and with *syntax* the only one shown.

    The meaning ends with what *needs* says.
    """
    texts = tuple(values.split())
    if needs is not None:
        meaning += f" Only with {needs.option}={needs.value}: {', '.join(needs.values)}."
    return OptionSpec(name, clause, meaning, () if syntax else texts, syntax, texts[0], needs)


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
                f"no ruleset of {title} is named {ruleset!r}; there are {', '.join(rulesets)}",
                field="ruleset",
            )
        self._specs = {spec.name: spec for spec in specs}
        for name in overrides:
            if name not in self._specs:
                raise InvalidRequest(
                    Reason.UNKNOWN_OPTION,
                    f"{title} has no option {name!r}; there are {', '.join(sorted(self._specs))}",
                    field=f"options.{name}",
                )
        self.texts = {spec.name: spec.standard for spec in specs}
        self.texts.update(rulesets[ruleset].changes)
        self.texts.update(overrides)

    def choice(self, name: str) -> str:
        """The value of an option with a fixed list of them."""
        text, values = self.texts[name], self._specs[name].values
        if text not in values:
            raise invalid(name, f"{text!r} is not one of {', '.join(values)}")
        return text

    def truth(self, name: str) -> bool:
        """The value of an option that is true or false."""
        return self.choice(name) == "true"

    def number(self, name: str, word: str = "") -> int | None:
        """The number of an option, or None if its text is *word*."""
        text = self.texts[name]
        if word and text == word:
            return None
        if not (text.isascii() and text.isdecimal()) or len(text) > _DIGITS_MAX:
            raise invalid(name, f"{text!r} is not {self._specs[name].syntax}")
        return int(text)

    def bounded(self, name: str, least: int, most: int) -> int:
        """The number of an option that has no word and lies from *least* to *most*."""
        value = self.number(name)
        assert value is not None
        if not least <= value <= most:
            raise invalid(name, f"{value} is not from {least} to {most}")
        return value

    def subset(self, name: str, words: Sequence[str]) -> tuple[str, ...]:
        """The words of an option that is a set, in the order of *words*: ``none``, or some of them
        separated by commas, in any order."""
        text = self.texts[name]
        if text == "none":
            return ()
        given = [word.strip() for word in text.split(",")]
        for word in given:
            if word not in words:
                raise invalid(name, f"{word!r} is not one of {', '.join(words)}")
        if len(set(given)) < len(given):
            raise invalid(name, f"{text!r} names a value twice")
        return tuple(word for word in words if word in given)
