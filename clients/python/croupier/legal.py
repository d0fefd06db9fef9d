"""`decision.legal`: the legal moves of a decision as one lazy sequence.

The server lists moves while they are few and otherwise gives patterns: a template into which some
cards of a pool go, or a number. Everything here is exact from the message alone: walking, counting,
membership and sampling need no rules of any game and never build the whole list.

Inside, a multiset of cards is one integer with four bits a card, so that comparing two of them is
a subtraction.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from functools import cached_property
from itertools import islice
from typing import Final, Protocol, overload

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from croupier.arms import game_of, move_of
from croupier.cards import Card, to_cards
from croupier.errors import Error
from croupier.moves import Move
from croupier.v1 import cards_pb2, game_pb2

__all__ = ["Chooser", "LegalMoves", "Pattern"]

_GUARD: Final = sum(8 << (4 * card) for card in range(55))
_COUNTED_PATTERNS_MAX: Final = 12
_CARD: Final = cards_pb2.Card.DESCRIPTOR


class Chooser(Protocol):
    """What a sampler needs of a random generator: `DecisionRandom` or ``random.Random``."""

    def randrange(self, stop: int, /) -> int:
        """A whole number from 0 up to, not including, *stop*."""
        ...


def _pack(cards: Iterable[int]) -> int:
    packed = 0
    for card in cards:
        packed += 1 << (4 * card)
    return packed


def _unpack(packed: int) -> Iterator[int]:
    card = 0
    while packed:
        for _ in range(packed & 15):
            yield card
        packed >>= 4
        card += 1


def _holds(whole: int, part: int) -> bool:
    """Whether the multiset *whole* holds all of *part*."""
    return ((whole | _GUARD) - part) & _GUARD == _GUARD


def _either(first: int, second: int, larger: bool) -> int:
    """Per card, the larger or the smaller of two counts."""
    merged, shift = 0, 0
    while first >> shift or second >> shift:
        a, b = first >> shift & 15, second >> shift & 15
        merged |= (max(a, b) if larger else min(a, b)) << shift
        shift += 4
    return merged


def _size(packed: int) -> int:
    total = 0
    while packed:
        total += packed & 15
        packed >>= 4
    return total


class _Family:
    """The multisets that hold ``fixed``, lie within ``whole`` and have ``least`` to ``most`` cards.

    Two families meet in a family, so the size of a union follows by inclusion and exclusion.
    """

    __slots__ = ("fixed", "least", "most", "whole")

    def __init__(self, fixed: int, whole: int, least: int, most: int) -> None:
        self.fixed = fixed
        self.whole = whole
        self.least = least
        self.most = most

    @property
    def is_lone(self) -> bool:
        """Whether it has one member, its ``fixed`` cards, and no other."""
        return self.fixed == self.whole and self.least == self.most == _size(self.fixed)

    def has(self, cards: int, size: int) -> bool:
        return (
            self.least <= size <= self.most
            and _holds(cards, self.fixed)
            and _holds(self.whole, cards)
        )

    def meet(self, other: _Family) -> _Family | None:
        """The members of both, or None if there are none."""
        fixed = _either(self.fixed, other.fixed, larger=True)
        whole = _either(self.whole, other.whole, larger=False)
        least, most = max(self.least, other.least), min(self.most, other.most)
        if not _holds(whole, fixed) or max(least, _size(fixed)) > min(most, _size(whole)):
            return None
        return _Family(fixed, whole, least, most)

    def count(self) -> int:
        """How many members there are."""
        ways = [1]
        for copies in _copies(self.whole - self.fixed):
            grown = [0] * (len(ways) + copies)
            for size, number in enumerate(ways):
                for more in range(copies + 1):
                    grown[size + more] += number
            ways = grown
        base = _size(self.fixed)
        return sum(ways[max(self.least - base, 0) : max(self.most - base + 1, 0)])

    def walk(self) -> Iterator[int]:
        """Every member once, low cards first, without recursion."""
        base = _size(self.fixed)
        least, most = self.least - base, self.most - base
        digits = [(card, n) for card, n in _digits(self.whole - self.fixed)]
        after = [0] * (len(digits) + 1)
        for place in range(len(digits) - 1, -1, -1):
            after[place] = after[place + 1] + digits[place][1]
        stack = [(0, self.fixed, 0)]
        while stack:
            place, packed, size = stack.pop()
            if place == len(digits):
                if least <= size <= most:
                    yield packed
                continue
            card, copies = digits[place]
            for taken in range(min(copies, most - size) + 1):
                if size + taken + after[place + 1] >= least:
                    stack.append((place + 1, packed + (taken << (4 * card)), size + taken))


def _digits(packed: int) -> Iterator[tuple[int, int]]:
    """Each card that is there, with its copies."""
    card = 0
    while packed:
        if packed & 15:
            yield card, packed & 15
        packed >>= 4
        card += 1


def _copies(packed: int) -> Iterator[int]:
    return (copies for _, copies in _digits(packed))


def _union(families: Sequence[_Family]) -> int:
    """How many multisets are members of at least one of *families*.

    Raises:
        TypeError: too many of them may overlap.
    """
    lone = {family.fixed for family in families if family.is_lone}
    wide = [family for family in families if not family.is_lone]
    if len(wide) > _COUNTED_PATTERNS_MAX:
        raise TypeError(
            "the number of legal moves is not known, as many patterns overlap; use sample()"
        )
    total = sum(not any(family.has(cards, _size(cards)) for family in wide) for cards in lone)
    terms: list[tuple[int, _Family]] = []
    for family in wide:
        met = [(-sign, both) for sign, term in terms if (both := term.meet(family))]
        terms += [(1, family), *met]
    return total + sum(sign * term.count() for sign, term in terms)


def _arm(move: game_pb2.Move) -> Message:
    """The part of *move* that says what it does, such as a ``TractorPlay``.

    Raises:
        Error: this client does not know it.
    """
    game: Message = getattr(move, game_of(move).move.game)
    name = game.WhichOneof("move")
    if name is None:
        raise Error("the server sent a kind of move that this SDK does not know; upgrade the SDK")
    arm: Message = getattr(game, name)
    return arm


def _card_field(arm: Message) -> str | None:
    """Name of the only repeated ``Card`` field of *arm*."""
    for field in arm.DESCRIPTOR.fields:
        if field.enum_type is _CARD and not isinstance(getattr(arm, field.name), int):
            return field.name
    return None


def _number_field(arm: Message) -> str | None:
    """Name of the only number field of *arm*."""
    for field in arm.DESCRIPTOR.fields:
        if field.cpp_type == FieldDescriptor.CPPTYPE_UINT32:
            return field.name
    return None


def _is_known(pattern: game_pb2.MovePattern) -> bool:
    """Whether this client knows how to choose from *pattern*."""
    return pattern.WhichOneof("choice") is not None


class Pattern:
    """A family of legal moves: a template with some cards of a pool, or with a number, put in.

    Attributes:
        message: the pattern as the contract writes it.
        min: fewest cards of `pool` to choose, or the smallest number.
        max: most cards of `pool` to choose, or the greatest number.
        step: distance between two numbers; 0 for a pattern of cards.
    """

    def __init__(self, message: game_pb2.MovePattern) -> None:
        self.message = message
        choice = message.number if message.HasField("number") else message.cards
        self.min = choice.min
        self.max = choice.max
        self.step = message.number.step
        self._game = game_of(message.template)
        self._field = (_number_field if self.step else _card_field)(_arm(message.template))

    @property
    def kind(self) -> IntEnum:
        """Kind of every member, a ``MoveKind`` of the game, as far as it is the same for all."""
        return self._game.move_kind(getattr(self.message.kind, self._game.move.game))

    @cached_property
    def template(self) -> Move:
        """The move with everything that all members share."""
        return self._game.move(self.message.template, self.message)

    @property
    def fixed(self) -> tuple[Card, ...]:
        """Cards that every member holds."""
        return self.template.cards

    @cached_property
    def pool(self) -> tuple[Card, ...]:
        """Cards to choose from, repeats counted."""
        return tuple(to_cards(self.message.cards.pool))

    @cached_property
    def said(self) -> bytes:
        """What every member says but for its choice; patterns of which this differs are
        disjoint."""
        return self._split(self.message.template)[0]

    def _split(self, move: game_pb2.Move) -> tuple[bytes, list[int]]:
        """What *move* says but for its choice, and its choice, fixed cards included."""
        rest = game_pb2.Move()
        rest.CopyFrom(move)
        if self._field is None:
            return rest.SerializeToString(deterministic=True), []
        arm = _arm(rest)
        value = getattr(arm, self._field)
        chosen = [value] if self.step else list(value)
        arm.ClearField(self._field)
        return rest.SerializeToString(deterministic=True), chosen

    @cached_property
    def family(self) -> _Family:
        """Its members as packed cards; of no use where `step` is set."""
        held = self._split(self.message.template)[1]
        fixed, base = _pack(held), len(held)
        whole = fixed + _pack(self.message.cards.pool)
        return _Family(fixed, whole, base + self.min, base + self.max)

    def move(self, cards: Iterable[int]) -> Move:
        """The member with these cards of `pool` beside those in the template; not checked."""
        message = game_pb2.Move()
        message.CopyFrom(self.message.template)
        if self._field is not None:
            held = getattr(_arm(message), self._field)
            held.extend(cards)
            held.sort()
        return self._game.move(message, self.message)

    def number_move(self, number: int) -> Move:
        """The member with this number; not checked."""
        message = game_pb2.Move()
        message.CopyFrom(self.message.template)
        setattr(_arm(message), self._field or "", number)
        return self._game.move(message, self.message)

    def numbers(self) -> range:
        """The numbers to choose from; of no use where `step` is 0."""
        return range(self.min, self.max + 1, self.step)

    def sample(self, chooser: Chooser) -> Move:
        """A member by chance: first how many cards of the pool, each number as likely as the
        others, then that many of them, each card as likely as the others. Every member has a
        chance; members are not equally likely."""
        if self.step:
            numbers = self.numbers()
            return self.number_move(numbers[chooser.randrange(len(numbers))])
        rest: list[int] = list(self.message.cards.pool)
        take = self.min + chooser.randrange(self.max - self.min + 1)
        chosen: list[int] = []
        for _ in range(take):
            at = chooser.randrange(len(rest))
            chosen.append(rest[at])
            rest[at] = rest[-1]
            rest.pop()
        return self.move(chosen)

    def __contains__(self, move: object) -> bool:
        if not isinstance(move, self._game.move) or move.type != self.template.type:
            return False
        said, chosen = self._split(move.message)
        if said != self.said:
            return False
        if self.step:
            return chosen[0] in self.numbers()
        return self.family.has(_pack(chosen), len(chosen))

    def __repr__(self) -> str:
        if self.step:
            return f"<{self.kind.name}: {self.min} to {self.max} by {self.step}>"
        template = " ".join(str(self.template).split())
        pool = " ".join(card.text for card in self.pool)
        return f"<{self.kind.name}: {template} and {self.min} to {self.max} of [{pool}]>"


class LegalMoves(Sequence[Move]):
    """The legal moves of a decision: listed ones first, then every member of the patterns, once.

    Attributes:
        message: the moves as the contract writes them.
    """

    __slots__ = ("_counted", "_moves", "_patterns", "message")

    def __init__(self, message: game_pb2.LegalMoves) -> None:
        self.message = message
        self._moves: tuple[Move, ...] | None = None
        self._patterns: tuple[Pattern, ...] | None = None
        self._counted: int | None = None

    @property
    def moves(self) -> tuple[Move, ...]:
        """The listed moves, each with its kind."""
        if self._moves is None:
            self._moves = tuple(map(move_of, self.message.moves))
        return self._moves

    @property
    def patterns(self) -> tuple[Pattern, ...]:
        """Families of further moves; they may overlap each other and the list. Those with a kind of
        choice that is new to this client are left out."""
        if self._patterns is None:
            known = filter(_is_known, self.message.patterns)
            self._patterns = tuple(map(Pattern, known))
        return self._patterns

    @property
    def is_listed(self) -> bool:
        """Whether `moves` is the whole answer."""
        return not self.message.patterns and not self.message.truncated

    @property
    def is_truncated(self) -> bool:
        """Whether there are legal moves beyond these; `croupier.Client.legal_moves` pages them."""
        return self.message.truncated

    @property
    def only(self) -> Move | None:
        """The one legal move, or None if there is a choice."""
        return self[0] if self.is_listed and len(self.message.moves) == 1 else None

    def __iter__(self) -> Iterator[Move]:
        yield from self.moves
        if not self.message.patterns:
            return
        listed = frozenset(self.moves)
        walked: dict[bytes, list[_Family]] = {}
        for pattern in self.patterns:
            if pattern.step:
                moves: Iterator[Move] = map(pattern.number_move, pattern.numbers())
                yield from (move for move in moves if move not in listed)
                continue
            families = walked.setdefault(pattern.said, [])
            fixed = pattern.family.fixed
            for cards in pattern.family.walk():
                size = _size(cards)
                if any(family.has(cards, size) for family in families):
                    continue
                move = pattern.move(_unpack(cards - fixed))
                if move not in listed:
                    yield move
            families.append(pattern.family)

    def __len__(self) -> int:
        """How many there are.

        Raises:
            TypeError: that is not known: the message is truncated, or many patterns overlap.
        """
        if not self.message.patterns and not self.message.truncated:
            return len(self.message.moves)
        if self._counted is None:
            self._counted = self._count()
        return self._counted

    def _count(self) -> int:
        if self.message.truncated:
            raise TypeError(
                "the number of legal moves is not known, as the list is truncated; use sample()"
            )
        total = sum(not any(move in p for p in self.patterns) for move in self.moves)
        total += sum(len(pattern.numbers()) for pattern in self.patterns if pattern.step)
        said = {pattern.said for pattern in self.patterns if not pattern.step}
        for one in said:
            families = [p.family for p in self.patterns if not p.step and p.said == one]
            total += _union(families)
        return total

    def __bool__(self) -> bool:
        return bool(self.message.moves or self.patterns)

    def __contains__(self, move: object) -> bool:
        if not isinstance(move, Move):
            return False
        return move in self.moves or any(move in pattern for pattern in self.patterns)

    def contains(self, move: Move) -> bool:
        """Whether *move* is legal, as far as this message says; the same as ``in``."""
        return move in self

    @overload
    def __getitem__(self, index: int) -> Move: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Move]: ...
    def __getitem__(self, index: int | slice) -> Move | Sequence[Move]:
        if isinstance(index, slice):
            if self.is_listed:
                return self.moves[index]
            return list(islice(self, index.start, index.stop, index.step))
        listed = self.message.moves
        if -len(listed) <= index < len(listed) and (index >= 0 or self.is_listed):
            return move_of(listed[index])
        if index < 0:
            index += len(self)
        for move in islice(self, index, None) if index >= 0 else ():
            return move
        if not self:
            raise IndexError("this table lists no legal moves; see its legal_mode")
        raise IndexError(f"there is no legal move {index}")

    def sample(self, chooser: Chooser) -> Move:
        """A legal move by chance; each one in this message has a chance.

        Where all moves are listed each is equally likely. Otherwise every listed move and every
        pattern is equally likely, and `Pattern.sample` says how a pattern's member is chosen.

        Raises:
            IndexError: the table lists no legal moves.
        """
        listed, patterns = self.message.moves, self.patterns
        total = len(listed) + len(patterns)
        if not total:
            raise IndexError("this table lists no legal moves; see its legal_mode")
        chosen = chooser.randrange(total) if total > 1 else 0
        if chosen < len(listed):
            return move_of(listed[chosen])
        return patterns[chosen - len(listed)].sample(chooser)

    def __repr__(self) -> str:
        more = f" and {len(self.patterns)} patterns" if self.patterns else ""
        return f"<{len(self.message.moves)} legal moves{more}>"
