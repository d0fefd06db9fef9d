"""How files of worked positions are written, for the ``vectors`` module of every game: values,
choices of options, and the reading of single values.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from croupier_server.games.cards import RANKS, Card, card_text, parse_card

if TYPE_CHECKING:
    from _collections_abc import dict_items

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
Facts = Mapping[str, Json]

_P = TypeVar("_P")


def run(
    vector: Facts,
    expected: Facts,
    kinds: Mapping[str, Callable[[_P], Facts]],
    make: Callable[[Facts, Mapping[str, str]], _P],
    *,
    options: Json = None,
    sets: Collection[str] = (),
) -> Iterator[tuple[str, Facts, Facts]]:
    """Run one position under every combination of its option values.

    Args:
        vector: as it stands in the file.
        expected: what it expects, by name.
        kinds: what computes the answer to each kind of position.
        make: the position with one value for every option.
        options: in place of those of the position.
        sets: names of options of which a list is one value.

    Yields:
        The options as text, what is expected, and what the rules say, cut down to the same keys.

    Raises:
        LookupError: the kind is unknown, or something is missing or asked for that no rule says.
        TypeError, ValueError: something is written wrongly.
        InvalidRequest: an option is unknown or has no such value.
    """
    solve = kinds[str(vector["kind"])]
    for texts in option_choices(options or vector.get("options") or {}, sets):
        actual = solve(make(vector, texts))
        answer = {key: _as_asked(actual[key], value) for key, value in expected.items()}
        yield told(texts), expected, answer


def _as_asked(value: Json, expected: Json) -> Json:
    """*value* as it is asked for: as true or false, or as the number of items of a list."""
    if isinstance(expected, bool):
        return value if value is None else bool(value)
    return len(value) if isinstance(expected, int) and isinstance(value, list) else value


class CardNames:
    """How a file writes cards.

    Args:
        jokers: names of the jokers.
        is_suit_first: whether other cards are written suit then rank, as in ``S7``.
    """

    def __init__(self, jokers: Mapping[str, Card], *, is_suit_first: bool = False) -> None:
        self._jokers = jokers
        self._joker_names = {card: name for name, card in jokers.items()}
        self._step = -1 if is_suit_first else 1

    def card(self, written: Json) -> Card:
        """The card written so.

        Raises:
            ValueError: it is no card.
        """
        name = str(written)
        return self._jokers[name] if name in self._jokers else parse_card(name[:: self._step])

    def cards(self, value: Json) -> list[Card]:
        """The cards of a list."""
        return [self.card(item) for item in items(value)]

    def text(self, card: Card) -> str:
        """How *card* is written."""
        return self._joker_names.get(card) or card_text(card)[:: self._step]


def rank_of(value: Json) -> int:
    """A rank, 2 to 14, written as its letter or as 10.

    Raises:
        ValueError: it is none.
    """
    letter = "T" if str(value) == "10" else str(value)
    if len(letter) != 1 or letter not in RANKS:
        raise ValueError(f"{value!r} is no rank")
    return RANKS.index(letter) + 2


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
