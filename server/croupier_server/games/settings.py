"""How options are told as text: rows of a catalogue, named rulesets, and the reading of values.

A game's ``rulesets`` holds the rows and sets as data; its ``options`` reads them with these
functions. An error always names the option.

Must not be put here: any option of any game.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from croupier_server.errors import InvalidRequest, Reason
from croupier_server.games.base import OptionSpec

_DIGITS_MAX = 9


class Ruleset(NamedTuple):
    """A named set of option values; ``changes`` holds those that differ from the standard."""

    name: str
    version: int
    changes: Mapping[str, str]


def row(name: str, clause: str, values: str, meaning: str, syntax: str = "") -> OptionSpec:
    """One option; the first of *values* is the standard, and with *syntax* the only one shown."""
    texts = tuple(values.split())
    return OptionSpec(name, clause, meaning, () if syntax else texts, syntax, texts[0])


def invalid(name: str, why: str) -> InvalidRequest:
    """The refusal of a value of the option *name*."""
    return InvalidRequest(Reason.INVALID_OPTION, f"{name}: {why}", field=f"options.{name}")


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
