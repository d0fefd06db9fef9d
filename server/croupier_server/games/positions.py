"""How files of worked positions are written, for the ``vectors`` module of every game: values,
choices of options, and the reading of single values.

Must not be put here: what a kind of position means, and how a game writes its cards.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product
from typing import TypeAlias

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
Facts = Mapping[str, Json]


def option_choices(options: Json, sets: Collection[str] = ()) -> Iterator[dict[str, str]]:
    """Every choice of one value for each option, as text; a list means any of its values, but for
    the options in *sets*, where it is the value.

    Raises:
        TypeError: *options* are no named values.
    """
    named = facts(options)
    values = [
        items(value) if isinstance(value, (list, tuple)) and name not in sets else [value]
        for name, value in named.items()
    ]
    for choice in product(*values):
        yield {name: option_text(value) for name, value in zip(named, choice, strict=True)}


def option_text(value: Json) -> str:
    """The value of an option as it is told as text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(str(item) for item in value) or "none"
    return "none" if value is None else str(value)


def told(texts: Mapping[str, str]) -> str:
    """A choice of options on one line."""
    return " ".join(f"{name}={value}" for name, value in sorted(texts.items()))


def facts(value: Json) -> Facts:
    """*value* as named values.

    Raises:
        TypeError: it is something else.
    """
    if not isinstance(value, Mapping):
        raise TypeError(f"{value!r} are no named values")
    return value


def items(value: Json) -> Sequence[Json]:
    """*value* as a list.

    Raises:
        TypeError: it is something else.
    """
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"{value!r} is no list")
    return value


def number(value: Json) -> int:
    """*value* as a whole number.

    Raises:
        TypeError: it is something else.
    """
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{value!r} is no number")
    return value
