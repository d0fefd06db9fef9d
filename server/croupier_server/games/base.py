"""What a game is to a table: the whole contract, one page. Read this first.

A game is a pure state machine. A table asks it who may act, lists and checks moves, applies them
and publishes the events that come back. Chance (the deck, a lot) is asked for and put in from
outside, so that a log of moves and chance replays for ever.

Moves are integers inside (each game's ``moves.py`` documents its code), so that a log row, a
comparison and a dictionary key cost nothing. Typed values exist at the edges only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from types import MappingProxyType
from typing import Any, Final, Generic, NamedTuple, Protocol, TypeVar

from croupier_server.errors import MalformedMove, Reason

Seat = int
"""Position 0..n-1, turn order rising."""

Move = int
"""A move as its game encodes it. Never negative."""

NO_SEAT: Final[Seat] = -1
"""No seat, where one may be unknown."""

PUBLIC: Final[Seat] = -1
"""The audience that sees only what everybody sees: spectators, lists, metrics."""


class Turn(IntEnum):
    """What a state waits for."""

    CHANCE = 1
    """A chance outcome from outside (`Game.chance` says which)."""
    MOVE = 2
    """One move of one seat."""
    WINDOW = 3
    """Sealed answers of the seats in `Game.to_act`; who they are is private."""
    OVER = 4
    """Nothing: the match has ended."""


class ChanceKind(IntEnum):
    """Kinds of chance event."""

    DECK = 1
    """A permutation of `Chance.cards`, front first."""
    LOT = 2
    """One number in ``range(Chance.sides)``."""


class Chance(NamedTuple):
    """A chance event that the state waits for.

    ``cards`` is the pack in the documented card order, to be permuted (DECK), else empty.
    ``sides`` is the number of equally likely outcomes (LOT), else 0.
    ``deal`` is the number of the deal it belongs to, from 1, and ``attempt`` counts redeals from 0.
    """

    kind: ChanceKind
    deal: int
    attempt: int
    cards: tuple[int, ...] = ()
    sides: int = 0

    def check(self, outcome: Sequence[int]) -> None:
        """Check that *outcome* is one of this event: a deck, or a lot as a sequence of one number.

        Raises:
            MalformedMove: it is none.
        """
        if self.kind is ChanceKind.LOT:
            if len(outcome) != 1 or not 0 <= outcome[0] < self.sides:
                raise MalformedMove(
                    Reason.MALFORMED_MOVE, f"a lot must be from 0 to {self.sides - 1}"
                )
        elif sorted(outcome) != list(self.cards):
            raise MalformedMove(Reason.MALFORMED_MOVE, "not a permutation of the pack")


class Pattern(NamedTuple):
    """A family of moves, exact without rules code.

    A multiset of cards belongs to it when it holds ``fixed``, what is left of it lies within
    ``pool``, and that rest has at least ``least`` and at most ``most`` cards. ``fixed`` and
    ``pool`` are disjoint parts of the hand, in packed counts (`croupier_server.games.cards`).
    ``kind`` is the game's move kind of every member, as far as it is the same for all.
    """

    kind: int
    fixed: int
    pool: int
    least: int
    most: int


class Legal:
    """The legal moves of one seat: ``moves`` and every member of every one of ``patterns``.

    Attributes:
        moves: listed moves, without repeats, in canonical order.
        kinds: the game's move kind of each listed move, parallel to ``moves``.
        patterns: families of further moves; empty when ``moves`` is the whole answer. They may
            overlap each other and the listed moves.
    """

    __slots__ = ("kinds", "moves", "patterns")

    def __init__(
        self,
        moves: Sequence[Move],
        kinds: Sequence[int],
        patterns: Sequence[Pattern] = (),
    ) -> None:
        self.moves = moves
        self.kinds = kinds
        self.patterns = patterns


class EndReason(IntEnum):
    """Why a match ended; the numbers are those of ``croupier.v1.EndReason``."""

    FINISHED = 1
    FORFEIT = 2
    CONCEDED = 3
    ABORTED = 4
    NO_SHOW = 5
    HALTED = 7
    ADJUDICATED = 8


class SeatOutcome(NamedTuple):
    """How a match ended for one seat: its score and its place (1 is best, ties share)."""

    score: int
    place: int


class Outcome(NamedTuple):
    """The end of a match: one `SeatOutcome` a seat, in seat order."""

    seats: tuple[SeatOutcome, ...]


Part = object | None
"""One part of an event, a value of its game. Written as a union because the name `object` alone
cannot be looked up by compiled code when it makes the class."""


class Event(NamedTuple):
    """Something that happened, in three parts, each of the game's own types.

    ``public`` is seen by everybody; ``private`` maps a seat to what it alone sees; ``server`` is
    stored and never sent before the reveal. The number of events is a function of public facts.
    """

    public: Part
    private: Mapping[Seat, object]
    server: Part = None


NOBODY: Final[Mapping[Seat, object]] = MappingProxyType({})
"""The private parts of an event that has none."""


O = TypeVar("O")
S = TypeVar("S")
V = TypeVar("V")


class Needs(NamedTuple):
    """Values of an option that have an effect only together with one value of another option.

    Attributes:
        values: these values, or words of a value that is a set.
        option: name of the other option.
        value: the value of it that they need, as text.
    """

    values: tuple[str, ...]
    option: str
    value: str


class Flag(NamedTuple):
    """An option that is ``true`` or ``false``."""

    def syntax(self) -> str:
        """What is allowed, in words."""
        return "true or false"


class Choice(NamedTuple):
    """An option that is one of *values*."""

    values: tuple[str, ...]

    def syntax(self) -> str:
        """What is allowed, in words."""
        return f"one of {', '.join(self.values)}"


class Number(NamedTuple):
    """An option that is a number from *least* to *most*, or *word* if there is one."""

    least: int
    most: int
    word: str = ""

    def syntax(self) -> str:
        """What is allowed, in words."""
        number = f"a number from {self.least} to {self.most}"
        return f"{self.word} or {number}" if self.word else number


class WordSet(NamedTuple):
    """An option that is a set of *words*, maybe empty; those *alone* are in no set with others."""

    words: tuple[str, ...]
    alone: tuple[str, ...] = ()

    def syntax(self) -> str:
        """What is allowed, in words."""
        some = [word for word in self.words if word not in self.alone]
        single = ", ".join(("none", *self.alone))
        return f"{single}, or some of {', '.join(some)} separated by commas"


class Levels(NamedTuple):
    """An option that is a list of *least* to *most* of the letters *levels*, each at most once if
    they are *distinct*. Its text is ``none`` when it is empty."""

    levels: str
    least: int
    most: int
    distinct: bool

    def syntax(self) -> str:
        """What is allowed, in words."""
        none = "" if self.least else "none, or "
        each = " different" if self.distinct else ""
        number = f"{max(self.least, 1)} to {self.most}"
        return f"{none}{number}{each} levels separated by commas, each of {' '.join(self.levels)}"


OptionType = Flag | Choice | Number | WordSet | Levels
"""What an option can be."""


class OptionSpec(NamedTuple):
    """One option of one game, for catalogues.

    Attributes:
        name: its name.
        clause: that defines it.
        meaning: for people.
        type: what it can be.
        standard: the standard value as text.
        needs: what its values need to have an effect.
        depends_on: names of options whose values narrow what is accepted.
    """

    name: str
    clause: str
    meaning: str
    type: OptionType
    standard: str
    needs: Needs | None = None
    depends_on: tuple[str, ...] = ()

    @property
    def values(self) -> tuple[str, ...]:
        """The texts that it can have, the standard first, where they can be listed."""
        if isinstance(self.type, Flag):
            return ("true", "false") if self.standard == "true" else ("false", "true")
        return self.type.values if isinstance(self.type, Choice) else ()

    @property
    def syntax(self) -> str:
        """What is allowed, in words, where the texts cannot be listed."""
        return "" if self.values else self.type.syntax()


class Game(Protocol, Generic[O, S, V]):
    """One game. ``O`` is its options type, ``S`` its state, ``V`` its view.

    Every method is pure but for ``apply*``, which change the state in place and return the events.
    An error leaves the state as it was.
    """

    name: str
    rules_version: int

    # Options -----------------------------------------------------------------------------------
    def rulesets(self) -> tuple[str, ...]:
        """Names of the rulesets, the default first."""
        ...

    def option_specs(self) -> tuple[OptionSpec, ...]:
        """Every option, in documented order."""
        ...

    def options(self, ruleset: str, overrides: Mapping[str, str]) -> O:
        """Options of *ruleset* with single values replaced, both as text.

        For options that are stored or were accepted before; those of a new table are read by
        `settings.new_options`, which also refuses contradictions.

        Raises:
            InvalidRequest: UNKNOWN_RULESET, UNKNOWN_OPTION or INVALID_OPTION; ``field`` names it.
        """
        ...

    def option_text(self, options: O) -> dict[str, str]:
        """All option values as text, sorted by name; its hash pins a table's rules."""
        ...

    def players(self, options: O) -> int:
        """Number of seats."""
        ...

    def team(self, options: O, seat: Seat) -> int:
        """Number of the team that *seat* plays for, from 0."""
        ...

    def deals_max(self, options: O) -> int | None:
        """Number of deals after which a match ends at the latest; None: there is no bound."""
        ...

    def worst_deal(self, options: O) -> int:
        """Bound on the fall of any seat's `standing` in one deal, in the units of a score."""
        ...

    # Life --------------------------------------------------------------------------------------
    def new(self, options: O) -> S:
        """A match before its first chance event."""
        ...

    def copy(self, state: S) -> S:
        """An independent copy, cheap enough for a search bot."""
        ...

    def turn(self, state: S) -> Turn:
        """What the state waits for."""
        ...

    def chance(self, state: S) -> Chance:
        """The chance event waited for; only when `turn` is CHANCE."""
        ...

    def apply_chance(self, state: S, outcome: Sequence[int]) -> list[Event]:
        """Put in a chance outcome: a deck, or a lot as a sequence of one number.

        Raises:
            MalformedMove: it is no outcome of the chance event waited for.
        """
        ...

    def to_act(self, state: S) -> tuple[Seat, ...]:
        """Seats that may answer now. Private while `turn` is WINDOW."""
        ...

    def decision_kind(self, state: S, seat: Seat) -> int:
        """What *seat* is asked: a number of the game's decision kinds."""
        ...

    def legal_moves(self, state: S, seat: Seat) -> Legal:
        """Exactly what `check` accepts from *seat* now."""
        ...

    def members(self, legal: Legal, after: Move = 0) -> Iterator[Move]:
        """Every move of *legal* once: the listed ones, then those of the patterns, in a fixed
        order and lazily. *after* starts behind that move, so that a page goes on where the last
        one ended; 0 starts at the beginning.

        Raises:
            ValueError: *after* is neither 0 nor a move of *legal*.
        """
        ...

    def sample(self, legal: Legal, draw: Iterator[int]) -> Move:
        """A move of *legal* by the 64-bit words of *draw*: uniform when all are listed, otherwise
        listed or of one of the first patterns, with even chances."""
        ...

    def check(self, state: S, seat: Seat, move: Move) -> None:
        """Raise what is wrong with *move*, or return.

        Raises:
            NotYourTurn: *seat* is not to act.
            MalformedMove: not a move of this game, or not of the kind that is asked for.
            IllegalMove: with reason and clause.
        """
        ...

    def apply(self, state: S, seat: Seat, move: Move) -> list[Event]:
        """`check`, then `apply_unchecked`."""
        ...

    def apply_unchecked(self, state: S, seat: Seat, move: Move) -> list[Event]:
        """Carry out a move known to be legal, while `turn` is MOVE."""
        ...

    def close_window(self, state: S, answers: Mapping[Seat, Move]) -> list[Event]:
        """End a sealed window with one checked answer of every seat in `to_act`."""
        ...

    def fallback(self, state: S, seat: Seat) -> Move:
        """The legal move played for a seat that does not answer."""
        ...

    def results(self, state: S) -> Sequence[object]:
        """Results of the finished deals in order, each as its event has told it. Public."""
        ...

    def read_result(self, values: Sequence[Any]) -> object:
        """One of `results` from its fields, where tuples and enums of the game are plain ones.

        New fields come last and have a default, so that stored results stay readable.
        """
        ...

    def carry(self, state: S) -> tuple[int, ...]:
        """What *state*, which waits for the first chance event of a deal, takes into that deal
        beside the results: numbers in a fixed order. New ones are appended."""
        ...

    def resume(self, options: O, carried: Sequence[int], results: Sequence[object]) -> S:
        """The state that `carry` was asked of, without what the last deal left on the table.

        Once the first deck is put in, it equals the original in every respect.

        Args:
            options: of the match.
            carried: from `carry`.
            results: of all finished deals, from `results`.
        """
        ...

    def standing(self, state: S) -> tuple[int, ...]:
        """Score of each seat if the match ended with the last finished deal. They sum to zero."""
        ...

    def outcome(self, state: S) -> Outcome | None:
        """The result once `turn` is OVER, else None. Its scores are those of `standing`."""
        ...

    # Knowledge ---------------------------------------------------------------------------------
    def view(self, state: S, audience: Seat) -> V:
        """What *audience* (a seat or `PUBLIC`) knows, built up from what it has been shown. It
        holds until *state* changes. All that is sent to an audience is made from it."""
        ...

    def worlds(self, view: V, draw: Iterator[int]) -> S:
        """A state consistent with *view*: hidden cards dealt anew by the 64-bit words of *draw*."""
        ...

    # Text --------------------------------------------------------------------------------------
    def move_text(self, move: Move) -> str:
        """The move as a card player writes it, such as ``play 7S 7S``."""
        ...

    def clauses(self) -> Mapping[str, str]:
        """Text of every rule clause by its id."""
        ...

    def refusals(self) -> Mapping[str, str]:
        """Meaning of every `Refusal.rule` of this game, by the word."""
        ...


AnyGame = Game[Any, Any, Any]
"""A game whose options, states and views are passed back to it and not looked into."""
