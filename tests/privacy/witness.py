"""What the rules and the wire give to one audience at every step of a story, and what differs.

`Witness` writes down all bytes and refusals in order; `compare` tells two stories to it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice, zip_longest
from typing import Any, NamedTuple

from croupier_server.errors import CroupierError, IllegalMove
from croupier_server.games.base import PUBLIC, AnyGame, Event, Seat
from croupier_server.wire.game import GameWire
from croupier_server.wire.moves import LegalMode
from tests.privacy.stories import Case, Secrets, Story, tell

PAGE = 40
"""So many members of an answer's patterns are listed."""


class Seen(NamedTuple):
    """One thing that the audience was given: at which step, what it is, and its content."""

    step: int
    what: str
    content: object


class Leak(AssertionError):
    """The audience was given something else in another world that it cannot tell apart."""

    def __init__(self, first: Seen | None, second: Seen | None) -> None:
        super().__init__(f"{first} is {second} in another world")
        self.what = (first or second or Seen(0, "", None)).what


def compare(case: Case, secrets: Secrets, game: AnyGame, wire: GameWire) -> int:
    """Raise `Leak` where the two stories of *case* are not given alike; return how much is."""
    number = 0
    stories = (case.first, case.second)
    seen = [Witness(case.audience, secrets, game, wire).watch(story) for story in stories]
    for one, two in zip_longest(*seen):
        if one != two:
            raise Leak(one, two)
        number += 1
    return number


class Witness:
    """Everything that *audience* is given of a story."""

    def __init__(self, audience: Seat, secrets: Secrets, game: AnyGame, wire: GameWire) -> None:
        self.audience = audience
        self.secrets = secrets
        self.game = game
        self.wire = wire
        self.views = wire.views()

    def watch(self, story: Story) -> Iterator[Seen]:
        """All of it, in order."""
        for step, (state, events) in enumerate(tell(story, self.game)):
            for event in events:
                yield from self._event(step, event)
            yield Seen(step, "public view", self.views.public(state))
            yield Seen(step, "turn", self.game.turn(state))
            if self.audience != PUBLIC:
                yield Seen(step, "view", self.views.seat(state, self.audience))
                yield from self._asked(step, state)
                yield from self._probed(step, state)

    def _event(self, step: int, event: Event) -> Iterator[Seen]:
        public, private = self.wire.event_bytes(event)
        yield Seen(step, "event", public)
        if self.audience in private:
            yield Seen(step, "private event", private[self.audience])

    def _asked(self, step: int, state: Any) -> Iterator[Seen]:
        """The decision of the audience, with all that can be asked about it."""
        seat = self.audience
        if seat not in self.game.to_act(state):
            return
        kind = self.game.decision_kind(state, seat)
        yield Seen(step, "decision kind", self.wire.decision_kinds[kind])
        legal = self.game.legal_moves(state, seat)
        for mode in LegalMode:
            yield Seen(step, "legal moves", self.wire.legal_bytes(legal, mode))
        page = list(islice(self.game.members(legal), len(legal.moves) + PAGE))
        yield Seen(step, "further legal moves", page)
        yield Seen(step, "fallback", self.game.fallback(state, seat))

    def _probed(self, step: int, state: Any) -> Iterator[Seen]:
        """What is said to moves of all sorts, legal or not, asked for or not."""
        for move in self.secrets.probes(state.hands[self.audience], random.Random(step)):
            try:
                self.game.check(state, self.audience, move)
            except CroupierError as error:
                clause = error.clause if isinstance(error, IllegalMove) else ""
                metadata = sorted(error.metadata.items())
                words = (error.reason, error.message, error.field, clause, metadata)
                yield Seen(step, "refusal", (type(error), *words, error.retry_ms))
            else:
                yield Seen(step, "refusal", None)
