"""How files of worked positions are written, for the ``vectors`` module of every game: values,
choices of options, and the reading of single values.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from _collections_abc import dict_items

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
Facts = Mapping[str, Json]


class Noted(dict[str, Json]):
    """Named values of a position that note which of them are read, those inside them too."""

    def __init__(self, values: Mapping[str, Json]) -> None:
        super().__init__({name: _noted(value) for name, value in values.items()})
        self._read: set[str] = set()

    def __getitem__(self, name: str) -> Json:
        self._read.add(name)
        return super().__getitem__(name)

    def __contains__(self, name: object) -> bool:
        self._read.add(str(name))
        return super().__contains__(name)

    def get(self, name: str, default: Any = None, /) -> Any:
        self._read.add(name)
        return super().get(name, default)

    def items(self) -> dict_items[str, Json]:
        self._read.update(self)
        return super().items()

    def unread(self, known: Collection[str], meta: Collection[str] = ()) -> list[str]:
        """Names of the values that were not read, as paths such as ``players[0].chips``.

        Args:
            known: names that mean something even where nothing depends on them.
            meta: names whose values are not looked at.
        """
        found = []
        for name in self:
            if name in self._read and name not in meta:
                found += _unread(name, super().__getitem__(name), known)
            elif name not in self._read and name not in known and name not in meta:
                found.append(name)
        return found


def _noted(value: Json) -> Json:
    if isinstance(value, Mapping):
        return Noted(value)
    return [_noted(item) for item in value] if isinstance(value, list) else value


def _unread(path: str, value: Json, known: Collection[str]) -> list[str]:
    if isinstance(value, Noted):
        return [f"{path}.{name}" for name in value.unread(known)]
    if isinstance(value, list):
        places = enumerate(value)
        return [name for at, item in places for name in _unread(f"{path}[{at}]", item, known)]
    return []


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
