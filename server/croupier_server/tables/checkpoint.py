"""Where a table stands, as bytes, so that not all of its log has to be replayed after a start.

A checkpoint is worth something to the very program that made it: it begins with a tag that changes
with every source file of games and tables, and one with another tag is passed over, as the log
tells the same. It is taken while a match is on, behind an event, with no sealed answer and no note
behind that, so that every row is either in it or still to be replayed.

What every object holds is put down slot by slot, but for what is made anew with the table: a slot
that is added is put down too. Reading admits nothing but plain values and the classes of the game's
own state. Must not be put here: when checkpoints are taken.
"""

from __future__ import annotations

import hashlib
import io
import pickle
from collections.abc import Collection, Hashable, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final, cast

import structlog

import croupier_server
from croupier_server.games.registry import AnyGame
from croupier_server.storage.base import Checkpoint, LogRow
from croupier_server.tables.deals import MakeDealer
from croupier_server.tables.decisions import Decision
from croupier_server.tables.spec import Status
from croupier_server.tables.table import Table

_log = structlog.get_logger(__name__)

_FORMAT: Final = 1
_TAG_BYTES: Final = 32
_SOURCES: Final = ("games", "tables", "wire", "errors.py")
_ADMITTED: Final = frozenset(
    {
        ("croupier_server.tables.kept", "Sitting"),
        ("croupier_server.tables.accounts", "Forfeit"),
        ("croupier_server.storage.base", "AbandonedSecret"),
        ("croupier_server.storage.base", "Player"),
    }
)

_MATCH: Final = frozenset(
    {"answered", "_dealer", "_game", "_journal", "_spec", "_wire", "decisions", "fresh", "timing"}
    | {"views"}
)
_ANSWERED: Final = frozenset({"_game", "_move_bytes"})
_ACCOUNTS: Final = frozenset({"_spec"})
_DECISION: Final = frozenset({"head"})
_OPENING: Final = frozenset({"_journal", "_spec", "creation", "seats"})
_JOURNAL: Final = frozenset(
    {
        "_event_bytes",
        "committed",
        "delayed",
        "epoch",
        "is_awaited",
        "kept",
        "outbox",
        "table_id",
    }
)
"""What is made anew with the table, by the object that holds it."""


class Stale(Exception):
    """A checkpoint that another program made."""


@cache
def tag() -> bytes:
    """Names this very program."""
    root = Path(croupier_server.__file__).parent
    sha256 = hashlib.sha256(f"croupier checkpoint {_FORMAT}\n".encode())
    for source in _SOURCES:
        place = root / source
        files = sorted(place.rglob("*")) if place.is_dir() else [place]
        for file in files:
            if file.suffix in (".py", ".so", ".pyd"):
                data = file.read_bytes()
                sha256.update(f"{file.relative_to(root).as_posix()} {len(data)}\n".encode() + data)
    return sha256.digest()


# Writing ----------------------------------------------------------------------------------------


def can_save(table: Table) -> bool:
    """Whether this is a moment for a checkpoint of *table*.

    A table that is shown late has none: what its spectators see follows from the whole log.
    """
    return (
        table.status is Status.PLAYING
        and table.journal.is_even
        and not table.is_touched
        and table.delayed is None
    )


def save(table: Table) -> Checkpoint | None:
    """A checkpoint of *table* as it is, of which `can_save` is true; None where this build of its
    game cannot be put down."""
    if not _can_put_down(table):
        return None
    journal, match = table.journal, table.match
    facts = (
        match.state,
        _slots(match, _MATCH),
        _slots(match.answered, _ANSWERED),
        _slots(match.timing.accounts, _ACCOUNTS),
        [_slots(one, _DECISION) if one is not None else None for one in match.decisions],
        _slots(table.opening, _OPENING),
        [_slots(seat, ()) for seat in table.seats],
        _slots(journal, _JOURNAL),
    )
    data = tag() + _dump(table.game, table.spec.options, facts)
    return Checkpoint(journal.sequence, journal.kept_from, data)


def _slots(thing: object, anew: Collection[str]) -> dict[str, Any]:
    names: Sequence[str] = type(thing).__slots__  # type: ignore[attr-defined]
    return {name: getattr(thing, name) for name in names if name not in anew}


def _dump(game: AnyGame, options: object, facts: object) -> bytes:
    file = io.BytesIO()
    _Pickler(game, options, file).dump(facts)
    return file.getvalue()


def _shared(game: AnyGame, options: object) -> dict[str, object]:
    """What every state of a game under these options has in common, by name."""
    return {"options": options, **_tables(cast("Hashable", game), options)}


@lru_cache(maxsize=256)
def _tables(game: Hashable, options: Hashable) -> dict[str, object]:
    """Tables of a game that its states hold and nobody changes."""
    rules = cast("AnyGame", game)
    first, second = rules.new(options), rules.new(options)
    found = {name: getattr(first, name) for name in type(first).__slots__}
    return {
        name: value
        for name, value in found.items()
        if value is getattr(second, name) and not isinstance(value, _PLAIN)
    }


_PLAIN: Final = (int, str, bytes, tuple, type(None))
"""Values that are shared by chance, or because they are small."""


class Shared:
    """Stands in a checkpoint for what is shared; it is never made."""


class _Pickler(pickle.Pickler):
    """Puts down what is shared by name."""

    def __init__(self, game: AnyGame, options: object, file: io.BytesIO) -> None:
        super().__init__(file, protocol=5)
        self._names = {id(value): name for name, value in _shared(game, options).items()}

    def reducer_override(self, value: object) -> Any:
        """Asked for all that is no plain value: how it is put down."""
        name = self._names.get(id(value))
        return NotImplemented if name is None else (Shared, (name,))


_coming_back: Final[dict[str, bool]] = {}
"""Whether states come back, by name of the game; see `_can_put_down`."""


def _can_put_down(table: Table) -> bool:
    """Whether states of this game come back, tried once: classes that were compiled may not."""
    game, options = table.game, table.spec.options
    if game.name not in _coming_back:
        state = table.match.state
        try:
            again = _load(game, options, _dump(game, options, state))
            is_back = bool(again == state)
        except Exception as error:  # whatever it is, the log will do
            _log.warning("no checkpoints", game=game.name, error=type(error).__name__)
            is_back = False
        _coming_back[game.name] = is_back
    return _coming_back[game.name]


# Reading ----------------------------------------------------------------------------------------


def load(
    table: Table, checkpoint: Checkpoint, rows: Sequence[LogRow], make_dealer: MakeDealer
) -> None:
    """Put a new *table* to where it stood.

    Args:
        table: as it was made.
        checkpoint: where it stood.
        rows: from event `Checkpoint.kept_from` up to `Checkpoint.after`.
        make_dealer: makes its dealer from then on.

    Raises:
        Stale: another program made the checkpoint.
    """
    if checkpoint.data[:_TAG_BYTES] != tag():
        raise Stale
    facts = _load(table.game, table.spec.options, checkpoint.data[_TAG_BYTES:])
    state, match, answered, accounts, decisions, opening, seats, journal = facts
    table.status = Status.PLAYING
    table.match.state = state
    _set(table.match, match)
    _set(table.match.answered, answered)
    _set(table.match.timing.accounts, accounts)
    for seat, found in enumerate(decisions):
        if found is not None:
            decision = Decision(0, 0, 0, 0, sealed=False)
            _set(decision, found)
            table.match.decisions[seat] = decision
    _set(table.opening, opening)
    for one, held in zip(table.seats, seats, strict=True):
        _set(one, held)
    _set(table.journal, journal)
    table.journal.kept = [row for row in rows if row.sequence]
    table.journal.outbox = []
    table.match.go_on(make_dealer(table.spec, table.opening.reveal.root))


def _set(thing: object, slots: dict[str, Any]) -> None:
    for name, value in slots.items():
        setattr(thing, name, value)


def _load(game: AnyGame, options: object, data: bytes) -> Any:
    return _Unpickler(game, options, io.BytesIO(data)).load()


class _Unpickler(pickle.Unpickler):
    """Admits the classes of a game's state, and nothing that could do anything."""

    def __init__(self, game: AnyGame, options: object, file: io.BytesIO) -> None:
        super().__init__(file)
        self._shared = _shared(game, options)
        own = type(game).__module__.rpartition(".")[0]
        self._packages = (f"{own}.", "croupier_server.games.")

    def find_class(self, module: str, name: str) -> Any:
        """A class that may be in a checkpoint.

        Raises:
            UnpicklingError: it may not.
        """
        if (module, name) == (__name__, Shared.__name__):
            return self._shared.__getitem__
        is_admitted = module.startswith(self._packages) or (module, name) in _ADMITTED
        found = super().find_class(module, name) if is_admitted else None
        if not isinstance(found, type):
            raise pickle.UnpicklingError(f"{module}.{name} is not for checkpoints")
        return found
