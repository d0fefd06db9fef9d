"""Texts of the values of an option, as the rules and ``ruleset_hash`` write them.

A text is the name of the enum value without its prefix, in lower case. Names never begin with a
digit, because code generators of some languages strip the prefix. So the texts of ranks are listed
here, and texts that begin with a digit in the folders of the games.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from google.protobuf.descriptor import EnumDescriptor

from croupier.cards import rank_text
from croupier.games import GAMES

__all__ = ["option_texts"]

if TYPE_CHECKING:
    # The runtime's two implementations; the types of the stubs name both.
    from google._upb._message import EnumDescriptor as FastEnumDescriptor

    _Enum: TypeAlias = EnumDescriptor | FastEnumDescriptor

_RANK: Final = "croupier.v1.Rank"

_TEXTS: Final = {
    value: text for words in GAMES.values() for value, text in words.option_texts.items()
}


def option_texts(enum: _Enum) -> dict[int, str]:
    """The text of every value of *enum* by its number, without the zero value."""
    prefix = enum.values_by_number[0].name.removesuffix("UNSPECIFIED")
    if enum.full_name == _RANK:
        return {value.number: rank_text(value.number) for value in enum.values if value.number}
    return {
        value.number: _TEXTS.get(value.name) or value.name.removeprefix(prefix).lower()
        for value in enum.values
        if value.number
    }
