"""Game options as people write them, turned into the contract's message.

Texts are those of the catalogue (`croupier rules tractor --ruleset standard`); see
`croupier.option_texts`. Everything is read from the message's own descriptor, so a new option
needs no line here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final, TypeAlias

from google.protobuf.descriptor import EnumDescriptor, FieldDescriptor
from google.protobuf.message import Message

from croupier.cards import parse_rank
from croupier.errors import UsageError
from croupier.option_texts import option_texts
from croupier.v1 import game_pb2

__all__ = ["OptionValue", "game_kind", "game_names", "options_message"]

OptionValue: TypeAlias = str | int | bool | Sequence[str | int] | None
"""A value of an option: its text, a number, a truth, a list of words or levels, or None for
``none``."""

if TYPE_CHECKING:
    # The runtime's two implementations; the types of the stubs name both.
    from google._upb._message import EnumDescriptor as FastEnumDescriptor
    from google._upb._message import FieldDescriptor as FastFieldDescriptor

    _Enum: TypeAlias = EnumDescriptor | FastEnumDescriptor
    _Field: TypeAlias = FieldDescriptor | FastFieldDescriptor

_TRUTHS: Final = {"true": True, "false": False}
_RANK: Final = "croupier.v1.Rank"


def game_names() -> list[str]:
    """Names of the games that this client knows, such as ``tractor``."""
    return [field.name for field in game_pb2.GameOptions.DESCRIPTOR.fields]


def game_kind(game: str) -> game_pb2.GameKind.ValueType:
    """The number of the game called *game*.

    Raises:
        UsageError: this client does not know it.
    """
    if game not in game_names():
        known = ", ".join(game_names())
        raise UsageError(f"there is no game {game!r}; this client knows {known}")
    return game_pb2.GameKind.Value(f"GAME_KIND_{game.upper()}")


def options_message(
    game: str, options: Mapping[str, OptionValue] | Message | None
) -> game_pb2.GameOptions:
    """The options message of *game* with single values set.

    >>> options_message("tractor", {"max_deals": 1, "tractor_follow": "pairs"}).tractor.max_deals
    1

    Args:
        game: its name.
        options: values by name as text or typed, or a message: `GameOptions` or the game's own.

    Raises:
        UsageError: no such game or option, or a value that the option cannot have.
    """
    game_kind(game)
    if isinstance(options, game_pb2.GameOptions):
        return options
    whole = game_pb2.GameOptions()
    message: Message = getattr(whole, game)
    message.SetInParent()
    if isinstance(options, Message):
        if options.DESCRIPTOR is not message.DESCRIPTOR:
            raise UsageError(f"{options.DESCRIPTOR.name} is not an options message of {game}")
        message.CopyFrom(options)
        return whole
    fields = message.DESCRIPTOR.fields_by_name
    for name, value in (options or {}).items():
        field = fields.get(name)
        if field is None:
            like = get_close_matches(name, fields, 1)
            hint = f", perhaps you mean {like[0]!r}" if like else ""
            raise UsageError(
                f"{game} has no option {name!r}{hint}; it has {', '.join(sorted(fields))}"
            )
        try:
            _set(message, field, value)
        except (ValueError, TypeError, KeyError):
            raise UsageError(
                f"option {name} of {game} cannot be {value!r}; it must be {_allowed(field)}"
            ) from None
    return whole


def _set(message: Message, field: _Field, value: OptionValue) -> None:
    """Set one field from a text or a typed value; raises ValueError, TypeError or KeyError."""
    if field.enum_type is not None:
        setattr(message, field.name, _enum_number(field.enum_type, value))
    elif field.message_type is not None:
        # A message with one field, so that an empty one can be told from one that is not set.
        (inner,) = field.message_type.fields
        wrapper = getattr(message, field.name)
        wrapper.SetInParent()
        if inner.enum_type is not None:
            getattr(wrapper, inner.name).extend(_numbers(inner, value))
        elif value not in (_WORDS[field.name], None):
            setattr(wrapper, inner.name, _number(value))
    elif field.type == FieldDescriptor.TYPE_BOOL:
        setattr(message, field.name, value if isinstance(value, bool) else _TRUTHS[str(value)])
    elif field.name in _WORDS and value in (_WORDS[field.name], None):
        setattr(message, field.name, 0)  # the word means "no bound" or "the standard number"
    else:
        number = _number(value)
        if not number and field.name in _WORDS:
            raise ValueError  # a word stands for it, and no catalog has the number
        setattr(message, field.name, number)


def _number(value: OptionValue) -> int:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise TypeError
    if isinstance(value, str) and not (value.isascii() and value.isdecimal()):
        raise ValueError
    return int(value)


_WORDS: Final = {"kitty_size": "auto", "max_deals": "none", "packs": "auto", "starter": "none"}
"""Number options that may be a word, with that word: 0 in the contract, or an empty message."""


def _enum_number(enum: _Enum, value: OptionValue) -> int:
    """The number of the value whose text is *value*; a number stands for itself if it is one."""
    if isinstance(value, bool):
        raise TypeError
    word = "none" if value is None else str(value)
    texts = option_texts(enum)
    for number, text in texts.items():
        if text == word.lower():
            return number
    if isinstance(value, int) and value in texts:
        return value
    raise ValueError


def _numbers(field: _Field, value: OptionValue) -> list[int]:
    """The numbers of a list of enum values written ``A, J`` or ``burn,call``, given as a list, or
    ``none``."""
    if value is None or value == "none":
        return []
    parts = value.split(",") if isinstance(value, str) else value
    if isinstance(parts, int):
        parts = [parts]
    enum = field.enum_type
    assert enum is not None
    if enum.full_name == _RANK:
        return [parse_rank(part.strip() if isinstance(part, str) else part) for part in parts]
    return [_enum_number(enum, part.strip() if isinstance(part, str) else part) for part in parts]


def _allowed(field: _Field) -> str:
    """What an option can be, for people."""
    if field.enum_type is not None:
        return "one of " + ", ".join(option_texts(field.enum_type).values())
    enum = None if field.message_type is None else field.message_type.fields[0].enum_type
    if enum is not None:
        if enum.full_name == _RANK:
            return "levels separated by commas (2 to 9, T, J, Q, K, A)"
        return f"none, or some of {', '.join(option_texts(enum).values())}, separated by commas"
    if field.type == FieldDescriptor.TYPE_BOOL:
        return "true or false"
    word = _WORDS.get(field.name)
    least = " of at least 1" if field.message_type is None else ""
    return f"{word} or a number{least}" if word else "a number"
