"""Moves in steps: a fixed, small set of actions a game, of which some make a move.

A move is its type, then what else it names, such as a rank or the digits of a number, then its
cards one by one, in any order. `Building` says at each point which steps can still be completed to
a legal move. It reads the moves and patterns of the contract as they are, so that every legal move
can be built, however many there are. What a game's moves consist of is read from their messages.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, takewhile
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from croupier.cards import CARDS
from croupier.errors import UsageError
from croupier.games import GAMES
from croupier.moves import Move
from croupier.v1 import cards_pb2, game_pb2

Mask: TypeAlias = np.ndarray[tuple[int], np.dtype[np.int8]]
"""For each action 1 if it is possible, else 0."""

Counts: TypeAlias = np.ndarray[tuple[int], np.dtype[np.int64]]
"""Copies of each card, by its number."""

END: Final = 0
"""The action that ends a choice of cards or digits which could go on."""

_Field: TypeAlias = Any
"""A field's descriptor, for which protobuf has two types."""

_CARD: Final = cards_pb2.Card.DESCRIPTOR


class _Family(NamedTuple):
    """Legal moves that differ in their cards alone.

    Attributes:
        head: the steps before the cards.
        template: the move without its cards.
        fixed: cards that every member holds.
        whole: these and all that can be chosen.
        least, most: how many cards a member has.
    """

    head: tuple[int, ...]
    template: game_pb2.Move
    fixed: Counts
    whole: Counts
    least: int
    most: int


class Actions:
    """The actions of a game, by number.

    Attributes:
        game: its name.
        names: what each action says, such as ``play``, ``card 7S``, ``digit 3`` or ``end``.
    """

    def __init__(self, game: str) -> None:
        self.game = game
        self._numbers: dict[str, int] = {"end": END}
        arms = _arms(game)
        for name in arms:
            self._add(name)
        if any(map(_cards_field, arms.values())):
            self._first_card = len(self._numbers) - 1  # there is no card 0
            for card in CARDS[1:]:
                self._add(f"card {card}")
        for arm in arms.values():
            for field in arm.DESCRIPTOR.fields:
                if field != _cards_field(arm):
                    for name in _values(field):
                        self._add(name)
        self.names = tuple(self._numbers)

    def _add(self, name: str) -> None:
        self._numbers.setdefault(name, len(self._numbers))

    def __len__(self) -> int:
        return len(self.names)

    def card(self, card: int) -> int:
        """The action that chooses *card*."""
        return self._first_card + card

    def card_of(self, action: int) -> int:
        """The card that *action* chooses; 0: none."""
        card = action - self._first_card
        return card if 0 < card < len(CARDS) else 0

    def split(self, move: game_pb2.Move, number: int | None = None) -> _Family:
        """*move* alone as a family; *number*, if given, takes the place of its number."""
        template = game_pb2.Move()
        template.CopyFrom(move)
        arm, own = _arm(template)
        head = [self._numbers[arm]]
        cards = np.zeros(len(CARDS), np.int64)
        for field in own.DESCRIPTOR.fields:
            value = getattr(own, field.name)
            if field == _cards_field(own):
                np.add.at(cards, list(value) if field.is_repeated else value, 1)
                own.ClearField(field.name)
            elif field.cpp_type == FieldDescriptor.CPPTYPE_UINT32 and number is not None:
                setattr(own, field.name, number)
                head += self._digits(number)
            elif field.has_presence and not own.HasField(field.name):
                continue
            elif field.enum_type:
                head.append(self._numbers[_value(field, value)])
            else:
                head += self._digits(value)
        size = int(cards.sum())
        return _Family(tuple(head), template, cards, cards, size, size)

    def _digits(self, number: int) -> list[int]:
        return [self._numbers[f"digit {digit}"] for digit in str(number)]

    def families(self, legal: game_pb2.LegalMoves) -> Iterator[_Family]:
        """All of *legal*, of which nothing may be left out."""
        assert not legal.truncated
        for listed in legal.moves:
            yield self.split(listed.move)
        for pattern in legal.patterns:
            if pattern.HasField("number"):
                span = pattern.number
                for number in range(span.min, span.max + 1, span.step):
                    yield self.split(pattern.template, number)
                continue
            base = self.split(pattern.template)
            whole = base.fixed.copy()
            np.add.at(whole, list(pattern.cards.pool), 1)
            yield base._replace(
                whole=whole,
                least=base.least + pattern.cards.min,
                most=base.most + pattern.cards.max,
            )

    def move(self, template: game_pb2.Move, cards: Counts) -> Move:
        """The move *template* with *cards*."""
        message = game_pb2.Move()
        message.CopyFrom(template)
        _, own = _arm(message)
        numbers = np.repeat(np.arange(len(CARDS)), cards).tolist()
        field = _cards_field(own)
        if field is not None and field.is_repeated:
            getattr(own, field.name).extend(numbers)
        elif field is not None:
            setattr(own, field.name, *numbers)
        return GAMES[self.game].move(message)


class Building:
    """One move, as far as it has been built.

    What all legal moves begin with is taken for granted, unless nothing would be left to choose.

    Attributes:
        taken: the steps before the cards, also those taken for granted.
        chosen: copies of each card chosen, by card number.
        mask: the steps that can be completed to a legal move.
    """

    def __init__(self, actions: Actions, legal: game_pb2.LegalMoves) -> None:
        self._actions = actions
        families = list(actions.families(legal))
        self._heads = [family.head for family in families]
        self._templates = [family.template for family in families]
        self._fixed = np.array([family.fixed for family in families])
        self._whole = np.array([family.whole for family in families])
        self._least = np.array([family.least for family in families])
        self._most = np.array([family.most for family in families])
        self._begin()

    def _begin(self) -> None:
        self.chosen: Counts = np.zeros(len(CARDS), np.int64)
        self._rows = np.arange(len(self._heads))
        columns = zip(*self._heads, strict=False)
        shared = takewhile(lambda column: len(set(column)) == 1, columns)
        self.taken = [column[0] for column in shared]
        self._look()
        if not self.mask.any():
            self.taken.pop()
            self._look()

    def _look(self) -> None:
        """Find out what is possible now, and whether the steps so far are a move."""
        depth = len(self.taken)
        self.mask: Mask = np.zeros(len(self._actions), np.int8)
        rows = np.array([row for row in self._rows if len(self._heads[row]) == depth], np.intp)
        if not self.chosen.any():
            self.mask[[h[depth] for r in self._rows if len(h := self._heads[r]) > depth]] = 1
        fixed, whole, most = self._fixed[rows], self._whole[rows], self._most[rows]
        # With the cards that every member has, the choice must not be too large.
        size = np.maximum(fixed, self.chosen).sum(axis=1)
        fits = (self.chosen <= whole).all(axis=1) & (size <= most)
        more = (self.chosen < whole) & ((self.chosen < fixed) | (size < most)[:, None])
        for card in np.flatnonzero(more[fits].any(axis=0)):
            self.mask[self._actions.card(int(card))] = 1
        total = self.chosen.sum()
        is_move = fits & (self.chosen >= fixed).all(axis=1) & (self._least[rows] <= total)
        self._row = int(rows[is_move][0]) if is_move.any() else None
        if self._row is not None and self.mask.any():
            self.mask[END] = 1

    def take(self, step: int) -> Move | None:
        """Take *step*; returns the move if it is complete.

        Raises:
            UsageError: it leads to no legal move.
        """
        if not (0 <= step < len(self.mask) and self.mask[step]):
            names = self._actions.names
            name = names[step] if 0 <= step < len(names) else "no action"
            possible = ", ".join(f"{one} ({names[one]})" for one in np.flatnonzero(self.mask))
            raise UsageError(f"step {step} ({name}) leads to no legal move; take {possible}")
        if step != END:
            if card := self._actions.card_of(step):
                self.chosen[card] += 1
            else:
                depth = len(self.taken)
                self._rows = np.array(
                    [r for r in self._rows if self._heads[r][depth : depth + 1] == (step,)], np.intp
                )
                self.taken.append(step)
            self._look()
            if self.mask.any():
                return None
        assert self._row is not None
        return self._actions.move(self._templates[self._row], self.chosen)

    def path(self, move: Move) -> list[int]:
        """The steps that build *move* from the beginning, its cards in canonical order.

        Raises:
            UsageError: it is not legal.
        """
        self._begin()
        own = self._actions.split(move.message)
        cards = np.repeat(np.arange(len(CARDS)), own.fixed)
        ways = chain(own.head[len(self.taken) :], map(self._actions.card, cards.tolist()), [END])
        steps = []
        for step in ways:
            steps.append(step)
            if self.take(step) is not None:
                break
        self._begin()
        return steps


def _arms(game: str) -> dict[str, Message]:
    """The types of moves of *game*, by name."""
    move = getattr(game_pb2.Move(), game)
    return {field.name: getattr(move, field.name) for field in move.DESCRIPTOR.fields}


def _arm(move: game_pb2.Move) -> tuple[str, Message]:
    """The type of *move*, and what it says."""
    of_game: Any = getattr(move, move.WhichOneof("game") or "")
    arm: str = of_game.WhichOneof("move")
    return arm, getattr(of_game, arm)


def _cards_field(arm: Message) -> _Field | None:
    """The field of *arm* that is chosen card by card: its list of cards, or else its card."""
    cards = [field for field in arm.DESCRIPTOR.fields if field.enum_type == _CARD]
    lists = [field for field in cards if field.is_repeated]
    return next(iter(lists + cards), None)


def _values(field: _Field) -> list[str]:
    """Names of the steps that make up values of *field*."""
    if field.enum_type:
        return [_value(field, one.number) for one in field.enum_type.values if one.number]
    return [f"digit {digit}" for digit in range(10)]


def _value(field: _Field, number: int) -> str:
    """Name of the step that gives *field* the value *number* of its enum."""
    if field.enum_type == _CARD:
        return f"{field.name} {CARDS[number]}"
    names = field.enum_type.values_by_number
    return f"{field.name} {names[number].name[len(names[0].name) - len('UNSPECIFIED') :].lower()}"
