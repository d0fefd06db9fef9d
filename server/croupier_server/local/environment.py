"""`Environment`: a game as an AEC environment of PettingZoo.

It stands on `Match`, so that cards, legal moves and what a seat sees are those of a server.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

import numpy as np
from google.protobuf.message import Message
from gymnasium.spaces import Box, Dict, Discrete
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from croupier.errors import UsageError
from croupier.games import FIRST
from croupier.moves import Move
from croupier.options import OptionValue
from croupier.views import View
from croupier_server.games.base import Seat
from croupier_server.games.modules import MODULES
from croupier_server.local.match import Match, read_rules
from croupier_server.local.steps import Actions, Building

_SAFE: Final = 2**53 - 1

Observation = dict[str, np.ndarray[Any, Any]]
"""``observation``, a vector, and ``action_mask``."""


def env(game: str = FIRST, **more: Any) -> Any:
    """An `Environment`, which takes the same arguments, in PettingZoo's wrapper that refuses calls
    in a wrong order. `Environment` itself is its attribute ``unwrapped``."""
    return OrderEnforcingWrapper(Environment(game, **more))


class Environment(AECEnv):  # type: ignore[misc]
    """A match of a game, in which a move is made in steps.

    An agent is asked until its steps are a move. A reward is what a seat scored in a deal, given
    when the deal ends, so that an agent's rewards add up to the score of the match. The agents of
    a window with sealed answers are asked one after the other.

    Args:
        game: its name.
        ruleset: name of the ruleset; empty: the first of the game.
        options: as `croupier.run` takes them; None: those of the ruleset, with one deal.
        render_mode: ``ansi``, or None.

    Attributes:
        actions: what each action says.
        layout: where in an observation each of its parts is, by name.
        match: the match under way.

    Raises:
        UsageError: there is no such game, ruleset or option, or the game has no features.
    """

    metadata: Final = {
        "name": "croupier_v0",
        "render_modes": ["ansi"],
        "is_parallelizable": False,
    }

    def __init__(
        self,
        game: str = FIRST,
        *,
        ruleset: str = "",
        options: Mapping[str, OptionValue] | Message | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        rules = read_rules(game, ruleset, options)
        features = MODULES[game].features
        if features is None:
            raise UsageError(f"{game} has no features yet, so there is no environment of it")
        self.render_mode = render_mode
        self._features = features
        self._new_match = partial(Match, game, ruleset=ruleset, options=options)
        self._players = rules.players
        self._actions = Actions(game)
        self.actions = self._actions.names
        self._seed = secrets.randbits(53)
        self._number = -1
        self.possible_agents = [f"seat_{seat}" for seat in range(rules.players)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.reset()
        self._number = -1
        parts = [(name, len(part)) for name, part in features(self.match.view(0), self._players)]
        self.layout: dict[str, slice] = {}
        self._size = 0
        for name, length in [*parts, ("chosen", 54), ("steps", len(self.actions))]:
            self.layout[name] = slice(self._size, self._size + length)
            self._size += length
        every = len(self.actions)
        self.action_spaces = {agent: Discrete(every) for agent in self.possible_agents}
        self.observation_spaces = {
            agent: Dict(
                {
                    "observation": Box(-_SAFE, _SAFE, (self._size,), np.int64),
                    "action_mask": Box(0, 1, (every,), np.int8),
                }
            )
            for agent in self.possible_agents
        }

    def observation_space(self, agent: str) -> Dict:
        """What *agent* observes."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        """The steps of which moves are made, the same for all agents."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a match: the first board of *seed*, or without one the next board of the seed that
        was given last, at first of one chosen by chance."""
        if seed is not None:
            self._seed, self._number = seed, -1
        self._number += 1
        self.match = self._new_match(seed=self._seed, number=self._number)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._ask()

    def _ask(self) -> None:
        """Go on to the decision that is open now."""
        seat = self.match.to_act[0]
        self.agent_selection = self.possible_agents[seat]
        self._building = Building(self._actions, self.match.listed(seat))
        self._known: dict[Seat, np.ndarray[Any, Any]] = {}

    def step(self, action: int | None) -> None:
        """Take a step of the agent that is selected.

        Raises:
            UsageError: the step leads to no legal move; nothing has happened.
        """
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise UsageError(f"{agent} is asked for a step, and None is none")
        move = self._building.take(int(action))
        self._cumulative_rewards[agent] = 0
        self._clear_rewards()
        if move is None:
            return
        before = self.match.scores
        self.match.play(move, self._seats[agent])
        for one, seat in self._seats.items():
            self.rewards[one] = self.match.scores[seat] - before[seat]
        self._accumulate_rewards()
        if not self.match.is_over:
            self._ask()
            return
        self._known = {}
        self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = self.agents[0]

    def observe(self, agent: str) -> Observation:
        """What *agent* knows, and its own steps towards a move; the mask is all zeros for an agent
        that is not asked."""
        seat = self._seats[agent]
        if seat not in self._known:
            parts = self._features(self.match.view(seat), self._players)
            self._known[seat] = np.array([number for _, part in parts for number in part])
        observation = np.zeros(self._size, np.int64)
        mask = np.zeros(len(self.actions), np.int8)
        known = self._known[seat]
        observation[: len(known)] = known
        if agent == self.agent_selection and not self.match.is_over:
            mask[:] = self._building.mask
            observation[self.layout["chosen"]] = self._building.chosen[1:]
            for place, action in enumerate(self._building.taken):
                observation[self.layout["steps"].start + action] += 1 << place
        return {"observation": observation, "action_mask": mask}

    def view(self, agent: str) -> View:
        """What *agent* knows, as a bot reads it; for features of your own."""
        return self.match.view(self._seats[agent])

    def path(self, move: Move) -> list[int]:
        """The steps that make *move*, which is legal for the agent that is selected and has not
        taken a step yet; to learn from bots.

        Raises:
            UsageError: the move is not legal.
        """
        return self._building.path(move)

    def render(self) -> str | None:
        """What the agent that is selected knows, as text."""
        return str(self.view(self.agent_selection)) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Nothing is held."""
