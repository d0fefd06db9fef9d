"""Options of Tractor: ``TractorOptions`` to and from the texts of the rules.

Driven by the descriptor: a field has the name of its option, an enum value is its option's text in
capitals behind a prefix. A new option needs nothing here.

Must not be put here: which values go together; `games.tractor.options` judges that.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from google.protobuf.descriptor import EnumDescriptor, FieldDescriptor

from croupier.v1 import cards_pb2, tractor_pb2
from croupier_server.errors import InvalidRequest, Reason
from croupier_server.games.cards import RANKS

_PATH: Final = "options.tractor"
_RANK_LOWEST: Final = 2
_FIELDS: Final = tuple(tractor_pb2.TractorOptions.DESCRIPTOR.fields)

_ZERO_WORDS: Final[Mapping[str, str]] = {"kitty_size": "auto", "max_deals": "none"}
"""Numbers whose zero is a word in text."""

_EMPTY_WORDS: Final[Mapping[str, str]] = {"mandatory_levels": "none"}
"""Lists of levels that may be empty, and the word for it."""


def _enum_texts(enum: EnumDescriptor) -> dict[int, str]:
    """Text of every value but UNSPECIFIED, whose name tells the prefix of the others."""
    prefix = enum.values_by_number[0].name.removesuffix("UNSPECIFIED")
    return {
        value.number: value.name.removeprefix(prefix).lower()
        for value in enum.values
        if value.number
    }


_TEXTS: Final[Mapping[str, dict[int, str]]] = {
    field.name: _enum_texts(field.enum_type) for field in _FIELDS if field.enum_type is not None
}
_NUMBERS: Final[Mapping[str, dict[str, int]]] = {
    name: {text: number for number, text in texts.items()} for name, texts in _TEXTS.items()
}


def overrides(message: tractor_pb2.TractorOptions) -> dict[str, str]:
    """The options set in *message* as text.

    Raises:
        InvalidRequest: INVALID_OPTION; ``field`` is the path of a number that no enum value has.
    """
    return {field.name: _text(field, value) for field, value in message.ListFields()}


def message(texts: Mapping[str, str]) -> tractor_pb2.TractorOptions:
    """The options whose values are *texts*; ``starter`` alone stays unset, when it is ``none``."""
    found = tractor_pb2.TractorOptions()
    for field in _FIELDS:
        text = texts[field.name]
        if field.name in _NUMBERS:
            setattr(found, field.name, _NUMBERS[field.name][text])
        elif field.message_type is not None:
            levels = getattr(found, field.name)
            levels.SetInParent()
            if text != _EMPTY_WORDS.get(field.name):
                levels.ranks.extend(
                    RANKS.index(letter) + _RANK_LOWEST for letter in text.split(",")
                )
        elif field.type == FieldDescriptor.TYPE_BOOL:
            setattr(found, field.name, text == "true")
        elif text == _ZERO_WORDS.get(field.name):
            setattr(found, field.name, 0)
        elif text != "none":
            setattr(found, field.name, int(text))
    return found


def _text(field: FieldDescriptor, value: object) -> str:
    """The text of one value that is set."""
    if isinstance(value, tractor_pb2.TractorLevels):
        letters = [_letter(field.name, place, rank) for place, rank in enumerate(value.ranks)]
        return ",".join(letters) or _EMPTY_WORDS.get(field.name, "")
    if isinstance(value, bool):
        return "true" if value else "false"
    assert isinstance(value, int)
    if field.name in _TEXTS:
        text = _TEXTS[field.name].get(value)
        if text is None:
            raise InvalidRequest(
                Reason.INVALID_OPTION,
                f"{field.name}: {value} is no value of its enum",
                field=f"{_PATH}.{field.name}",
            )
        return text
    return _ZERO_WORDS.get(field.name, "0") if value == 0 else str(value)


def _letter(name: str, place: int, rank: int) -> str:
    if not cards_pb2.RANK_2 <= rank <= cards_pb2.RANK_A:
        raise InvalidRequest(
            Reason.INVALID_OPTION,
            f"{name}: {rank} is no rank",
            field=f"{_PATH}.{name}.ranks[{place}]",
        )
    return RANKS[rank - _RANK_LOWEST]
