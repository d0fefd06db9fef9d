"""`GameModule`: all that the server has of a game, in one value that its folder gives."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from croupier_server.games.base import AnyGame
from croupier_server.games.features import MakeFeatures
from croupier_server.games.notation import Words
from croupier_server.games.positions import Facts, Json
from croupier_server.games.searching import Guide
from croupier_server.games.telling import Teller
from croupier_server.wire.game import GameWire


class Positions(NamedTuple):
    """How worked positions of a game are run.

    Attributes:
        run: for each choice of options its name, what is expected, and what the rules say.
        context: facts that any of them may have.
    """

    run: Callable[[Facts], Iterator[tuple[str, Json, Json]]]
    context: Collection[str]


class Bench(NamedTuple):
    """What `croupier bench` measures of a game alone.

    Attributes:
        what: what is counted, in words.
        measure: measures a new process, from a seed and for at least so many seconds of CPU time:
            numbers a CPU second, by name.
    """

    what: str
    measure: Callable[[int, float], Mapping[str, float]]


@dataclass(frozen=True, kw_only=True, slots=True)
class GameModule:
    """One game.

    Attributes:
        wire: its messages, which also give its rules.
        words: its notation.
        teller: tells its events in words.
        scores: the scores of all seats after a deal, from the message of the deal's result and the
            number of seats.
        knows: what a seat's view holds, in words for the author of a bot.
        guide: what `search` needs; None: `search` plays it as `greedy` does.
        features: a seat's view as numbers, for environments; None: there are none.
        positions: None if nobody has worked any out.
        bench: what is measured of this game alone, if anything.
    """

    wire: GameWire
    words: Words
    teller: type[Teller]
    scores: Callable[[Any, int], tuple[int, ...]]
    knows: str
    guide: Guide | None = None
    features: MakeFeatures | None = None
    positions: Positions | None = None
    bench: Bench | None = None

    @property
    def name(self) -> str:
        """Its name, see `croupier_server.games.NAMES`."""
        return self.wire.name

    @property
    def rules(self) -> AnyGame:
        """Its rules."""
        return self.wire.rules

    @property
    def short(self) -> str:
        """Its option that bounds a match."""
        return next(spec.name for spec in self.rules.option_specs() if spec.name.startswith("max_"))
