"""Deals played by SDK bots without a server: the rules and the wire code make every message.

For tests of bots, views and legal moves on real positions.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from croupier.bot import Bot, Decision
from croupier.randomness import SeatRandom
from croupier.v1 import game_pb2, table_pb2
from croupier.views import Memory, View, view_of
from croupier_server.games.base import Turn
from croupier_server.games.modules import WIRES_BY_NAME
from croupier_server.games.registry import GAMES, find
from croupier_server.wire.moves import LegalMode

Watcher = Callable[[Any, int, View, Decision], None]
"""Sees each question: the state of the game, the seat, and what its bot gets."""

SHORT = {
    name: next(spec.name for spec in game.option_specs() if spec.name.startswith("max_"))
    for name, game in GAMES.items()
}
"""The option that bounds a match, by game."""


class Arena:
    """One match, of one deal unless *options* say otherwise: `play` runs it to its end and gives
    the scores by seat."""

    def __init__(
        self,
        bots: Sequence[Bot],
        seed: int,
        ruleset: str = "standard",
        watcher: Watcher | None = None,
        *,
        game: str = "tractor",
        **options: str,
    ) -> None:
        self.game = find(game)
        self.wire = WIRES_BY_NAME[game]
        overrides = {SHORT[game]: "1", **options}
        if game == "tractor":
            overrides["players"] = str(len(bots))
        self.options = self.game.options(ruleset, overrides)
        self.state = self.game.new(self.options)
        table = table_pb2.Table(
            table_id="arena",
            spec=table_pb2.TableSpec(options=self.wire.options_message(self.options)),
        )
        for seat, bot in enumerate(bots):
            bot.on_start(table, seat)
        self.bots = bots
        self.watcher = watcher
        self.views = self.wire.views()
        self.chance = random.Random(seed)
        self.sources = [SeatRandom(seed, "arena", seat) for seat in range(len(bots))]
        self.memories: list[Memory] = [{} for _ in bots]
        self.count = 0

    def question(self, seat: int) -> tuple[View, Decision]:
        """What *seat* is asked now, as its bot gets it."""
        legal = self.game.legal_moves(self.state, seat)
        self.count += 1
        message = table_pb2.Decision(
            decision_id=f"{self.count}-{seat}",
            seat=seat,
            kind=game_pb2.DecisionKind.FromString(
                self.wire.decision_kinds[self.game.decision_kind(self.state, seat)]
            ),
            sequence=self.count,
            legal=game_pb2.LegalMoves.FromString(self.wire.legal_bytes(legal, LegalMode.FULL)),
            view=game_pb2.SeatView.FromString(self.views.seat(self.state, seat)),
            fallback=self.wire.move_message(self.game.fallback(self.state, seat)),
        )
        decision = Decision(message, "arena", self.sources[seat])
        return view_of(message.view, self.memories[seat]), decision

    def ask(self, seat: int) -> int:
        """The answer of the bot at *seat*, checked by the rules."""
        view, decision = self.question(seat)
        if self.watcher is not None:
            self.watcher(self.state, seat, view, decision)
        move = self.bots[seat].decide(view, decision)
        code = self.wire.move_code(move.message)  # type: ignore[union-attr]
        self.game.check(self.state, seat, code)
        return code

    def play(self) -> list[int]:
        """Run the match to its end."""
        game, state = self.game, self.state
        while (turn := game.turn(state)) is not Turn.OVER:
            if turn is Turn.CHANCE:
                wanted = game.chance(state)
                outcome = list(wanted.cards)
                self.chance.shuffle(outcome)
                game.apply_chance(state, outcome or [self.chance.randrange(wanted.sides)])
            elif turn is Turn.WINDOW:
                game.close_window(state, {seat: self.ask(seat) for seat in game.to_act(state)})
            else:
                (seat,) = game.to_act(state)
                game.apply_unchecked(state, seat, self.ask(seat))
        ended = game.outcome(state)
        assert ended is not None
        return [seat.score for seat in ended.seats]
