"""Options of a game: its message to and from the texts of the rules.

Driven by the descriptor: a field has the name of its option, an enum value has the text that
`option_texts` gives it. A list of values, and a number that may be ``none`` or 0, are in a message
of their own, so that an empty one can be told from one not set. A new option needs nothing here.

Must not be put here: any option by name, and which values go together; the rules judge that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from croupier.option_texts import option_texts
from croupier.v1 import game_pb2
from croupier_server.errors import InvalidRequest, Reason
from croupier_server.games.base import Number, OptionSpec

_NONE: Final = "none"
"""Text of a message that is empty: a list without values, or no number."""


def _wrapped(field: FieldDescriptor) -> FieldDescriptor | None:
    """The only field in the message of *field*, or None if it is no message."""
    return None if field.message_type is None else field.message_type.fields[0]


class OptionFields:
    """The options of one game.

    Args:
        game: its name, which is that of its arm in ``GameOptions``.
        title: its name for people.
        specs: its options.
    """

    __slots__ = ("_fields", "_game", "_numbers", "_texts", "_title", "_zero_words")

    def __init__(self, game: str, title: str, specs: Iterable[OptionSpec]) -> None:
        arm = game_pb2.GameOptions.DESCRIPTOR.fields_by_name[game]
        self._game = game
        self._title = title
        self._zero_words = {
            spec.name: spec.type.word
            for spec in specs
            if isinstance(spec.type, Number) and spec.type.word and spec.type.least > 0
        }
        """By option: the text of a number that is 0 in the message."""
        assert arm.message_type is not None
        self._fields = tuple(arm.message_type.fields)
        enums = {field.name: (_wrapped(field) or field).enum_type for field in self._fields}
        self._texts = {name: option_texts(enum) for name, enum in enums.items() if enum is not None}
        self._numbers = {
            name: {text: number for number, text in texts.items()}
            for name, texts in self._texts.items()
        }

    def overrides(self, message: game_pb2.GameOptions) -> dict[str, str]:
        """See `GameWire.options_overrides`."""
        arm = message.WhichOneof("game")
        if arm not in (None, self._game):
            raise InvalidRequest(
                Reason.MALFORMED_REQUEST, f"not options of {self._title}", field=f"options.{arm}"
            )
        fields = getattr(message, self._game).ListFields()
        return {field.name: self._text(field, value) for field, value in fields}

    def message(self, texts: Mapping[str, str]) -> game_pb2.GameOptions:
        """The options whose values are *texts*."""
        found = game_pb2.GameOptions()
        options = getattr(found, self._game)
        options.SetInParent()
        for field in self._fields:
            name, text = field.name, texts[field.name]
            inner = _wrapped(field)
            if inner is not None:
                values = getattr(options, name)
                values.SetInParent()
                words = [] if text == _NONE else text.split(",")
                if name in self._numbers:
                    getattr(values, inner.name).extend(self._numbers[name][word] for word in words)
                elif words:
                    setattr(values, inner.name, int(text))
            elif name in self._numbers:
                setattr(options, name, self._numbers[name][text])
            elif field.type == FieldDescriptor.TYPE_BOOL:
                setattr(options, name, text == "true")
            elif text == self._zero_words.get(name):
                setattr(options, name, 0)
            else:
                setattr(options, name, int(text))
        return found

    def number(self, name: str, text: str) -> int:
        """What the field of the option *name* holds for a value that is listed."""
        numbers = self._numbers.get(name)
        return int(text) if numbers is None else numbers[text]

    def _text(self, field: FieldDescriptor, value: object) -> str:
        """The text of one value that is set."""
        name = field.name
        inner = _wrapped(field)
        if inner is not None:
            assert isinstance(value, Message)
            if inner.enum_type is None:
                return str(getattr(value, inner.name)) if value.HasField(inner.name) else _NONE
            words = [
                self._word(name, number, f"{name}.{inner.name}[{place}]")
                for place, number in enumerate(getattr(value, inner.name))
            ]
            return ",".join(words) or _NONE
        if isinstance(value, bool):
            return "true" if value else "false"
        assert isinstance(value, int)
        if name in self._texts:
            return self._word(name, value, name)
        return self._zero_words.get(name, "0") if value == 0 else str(value)

    def _word(self, name: str, number: int, path: str) -> str:
        """The text of the enum value *number* of the option *name*."""
        text = self._texts[name].get(number)
        if text is None:
            raise InvalidRequest(
                Reason.INVALID_OPTION,
                f"{name}: {number} is not a value of its enum",
                field=f"options.{self._game}.{path}",
            )
        return text
