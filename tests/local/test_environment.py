"""Environments of PettingZoo: moves in steps, observations, rewards."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from itertools import islice
from math import comb
from random import Random
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

import croupier
from croupier import Move, UsageError
from croupier.cards import CARDS
from croupier.games import GAMES
from croupier.legal import LegalMoves
from croupier.pettingzoo import Environment, env
from croupier_server.games.modules import MODULES
from croupier_server.local.steps import END, Actions, Building
from tests.conformance.playouts import words
from tests.meta.sources import ROOT

NAMES = [name for name in GAMES if MODULES[name].features]
CASES = [(name, ruleset) for name in NAMES for ruleset in MODULES[name].rules.rulesets()]
FEW = 60
"""Up to this many moves, those that steps can build are all built."""
MANY = 1500
"""From this many moves on, they are not compared one by one."""


def choose(environment: Environment, rng: Random) -> int:
    """A step that the mask allows."""
    mask = environment.observe(environment.agent_selection)["action_mask"]
    return rng.choice(np.flatnonzero(mask).tolist())


def play(environment: Environment, seed: int) -> Iterator[str]:
    """Play a match by random steps; yields who is asked, before each step."""
    environment.reset(seed)
    rng = Random(seed)
    while not environment.match.is_over:
        yield environment.agent_selection
        environment.step(choose(environment, rng))


def decisions(environment: Environment, seeds: range) -> Iterator[None]:
    """Play matches by random steps, and stop at each decision."""
    for seed in seeds:
        matched = (-1, "")
        for agent in play(environment, seed):
            decided = environment.match.sequence, agent
            if decided != matched:
                yield
            matched = decided


def built(actions: Actions, legal: LegalMoves, steps: tuple[int, ...] = ()) -> Iterator[Move]:
    """Every move that steps can build, once for each order of its cards."""
    building = Building(actions, legal.message)
    for step in steps:
        assert building.take(step) is None
    assert building.mask.any()
    for step in np.flatnonzero(building.mask).tolist():
        again = Building(actions, legal.message)
        for earlier in steps:
            again.take(earlier)
        move = again.take(step)
        if move is not None:
            yield move
        else:
            yield from built(actions, legal, (*steps, step))


# What PettingZoo asks of environments ------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array")
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be")
def test_it_passes_the_tests_of_pettingzoo(name: str) -> None:
    """The two warnings come for every environment with an action mask in its observations."""
    api_test(env(name), num_cycles=100)
    api_test(Environment(name), num_cycles=100)
    seed_test(lambda: env(name), num_cycles=100)


# Steps -------------------------------------------------------------------------------------------


@pytest.mark.more
@pytest.mark.parametrize(("name", "ruleset"), CASES)
def test_steps_build_exactly_the_legal_moves(name: str, ruleset: str) -> None:
    environment = Environment(name, ruleset=ruleset)
    compared = 0
    for _ in decisions(environment, range(2)):
        legal = environment.match.legal(environment._seats[environment.agent_selection])
        try:
            few = len(legal) <= FEW and max(len(move.cards) for move in legal) <= 3
        except TypeError:
            few = False
        if few:
            assert set(built(environment._actions, legal)) == set(legal)
            compared += 1
    assert compared > 10


def next_steps(building: Building, actions: Actions, moves: list[Move]) -> set[int]:
    """The steps that lead from where *building* is to some of *moves*, found one by one."""
    found, is_move = set(), False
    depth = len(building.taken)
    for own in (actions.split(move.message) for move in moves):
        rest = own.fixed - building.chosen
        if list(own.head[:depth]) != building.taken or rest.min() < 0:
            continue
        if len(own.head) > depth:
            if not building.chosen.any():
                found.add(own.head[depth])
        elif rest.any():
            found |= {actions.card(int(card)) for card in np.flatnonzero(rest)}
        else:
            is_move = True
    return found | {END} if found and is_move else found


@pytest.mark.more
@pytest.mark.parametrize(("name", "ruleset"), CASES)
def test_a_mask_has_what_some_legal_move_has_next(name: str, ruleset: str) -> None:
    """On random ways to random legal moves, patterns among them."""
    environment = Environment(name, ruleset=ruleset)
    actions, rng = environment._actions, Random(1)
    families = 0
    for _ in decisions(environment, range(1)):
        legal = environment.match.legal(environment._seats[environment.agent_selection])
        moves = list(islice(legal, MANY))
        if len(moves) == MANY:
            continue
        building = Building(actions, legal.message)
        while True:
            possible = np.flatnonzero(building.mask).tolist()
            assert set(possible) == next_steps(building, actions, moves)
            if building.take(rng.choice(possible)) is not None:
                break
        families += not legal.is_listed
    assert families or name == "tongits"


@pytest.mark.more
@pytest.mark.parametrize(("name", "ruleset"), CASES)
def test_every_legal_move_has_its_steps_however_many_there_are(name: str, ruleset: str) -> None:
    environment, rng = Environment(name, ruleset=ruleset), Random(5)
    most = 0
    for _ in decisions(environment, range(2)):
        legal = environment.match.legal(environment._seats[environment.agent_selection])
        most = max(most, *(comb(len(one.pool), one.max) for one in legal.patterns), 0)
        move = legal.sample(rng)
        building = Building(environment._actions, legal.message)
        steps = building.path(move)
        assert [building.take(step) for step in steps] == [None] * (len(steps) - 1) + [move]
    assert most > 1_000_000 or name != "tractor"


def test_a_move_has_no_steps_where_it_is_not_legal() -> None:
    environment = Environment("pokex")
    environment.reset(1)
    with pytest.raises(UsageError, match=r"leads to no legal move; take .*\(bid\)"):
        environment.path(croupier.pokex.play("7S 8S"))
    assert environment.path(croupier.pokex.bid(1))  # nothing has happened


@pytest.mark.parametrize("step", [0, -1, 10_000])
def test_a_step_that_leads_nowhere_changes_nothing(step: int) -> None:
    environment = Environment("pokex")
    environment.reset(1)
    before = environment.observe(environment.agent_selection)
    with pytest.raises(UsageError, match=f"step {step} .* leads to no legal move; take 1 "):
        environment.step(step)
    after = environment.observe(environment.agent_selection)
    assert all(np.array_equal(before[part], after[part]) for part in before)


# Observations ------------------------------------------------------------------------------------


@pytest.mark.more
@pytest.mark.parametrize(("name", "ruleset"), CASES)
def test_an_observation_tells_nothing_that_is_hidden(name: str, ruleset: str) -> None:
    """Nothing of it changes when what the seat does not know is dealt anew, or when another agent
    takes steps of its move."""
    environment = Environment(name, ruleset=ruleset)
    other = Environment(name, ruleset=ruleset)
    other.reset(0)
    rules = environment.match.rules.game
    compared = 0
    for number, asked in enumerate(play(environment, 3)):
        if number % 5:
            continue
        for agent, seat in environment._seats.items():
            state = environment.match._state
            other.match = environment.match.clone()
            other.match._state = rules.worlds(rules.view(state, seat), words(number))
            other.agent_selection, other._building = asked, environment._building
            other._known = {}
            here, there = environment.observe(agent), other.observe(agent)
            if agent != asked:
                assert not here["action_mask"].any()
                assert not here["observation"][environment.layout["chosen"]].any()
                assert not here["observation"][environment.layout["steps"]].any()
            assert np.array_equal(here["observation"], there["observation"])
            assert np.array_equal(here["action_mask"], there["action_mask"])
            compared += other.match._state != state
    assert compared > 10


@pytest.mark.more
@pytest.mark.parametrize(
    ("name", "ruleset", "options"),
    [*((*case, {}) for case in CASES), ("tractor", "standard", {"players": 12, "max_deals": 1})],
)
def test_observations_have_one_shape(name: str, ruleset: str, options: dict[str, Any]) -> None:
    environment = Environment(name, ruleset=ruleset, options=options or None)
    space = environment.observation_space("seat_0")
    size = sum(place.stop - place.start for place in environment.layout.values())
    assert space["observation"].shape == (size,)
    held = np.zeros(size, bool)
    for agent in play(environment, 1):
        seen = environment.observe(agent)
        assert space.contains(seen)
        own = environment.match.view(environment._seats[agent]).hand
        hand = seen["observation"][environment.layout["hand"]]
        assert [own.count(card) for card in CARDS[1:]] == hand.tolist()
        held |= seen["observation"] != 0
    assert all(space.contains(environment.observe(agent)) for agent in environment.agents)
    parts = {part for part, place in environment.layout.items() if held[place].any()}
    assert {"hand", "hand_sizes", "phase", "steps"} <= parts


@pytest.mark.parametrize("name", NAMES)
def test_the_page_describes_every_part(name: str) -> None:
    page = (ROOT / "docs/environments.md").read_text(encoding="utf-8")
    title = MODULES[name].wire.title
    environment = Environment(name)
    assert f"| {title} | {len(environment.actions)} |" in page
    shared = page.partition("In all games:")[2].partition("###")[0]
    own = page.partition(f"### {title}\n")[2].partition("###")[0]
    first = re.findall(r"^\| (`.+?) \|", shared + own, re.MULTILINE)
    assert set(re.findall(r"`(\w+)`", " ".join(first))) == set(environment.layout)


def test_the_program_of_the_page_runs() -> None:
    page = (ROOT / "docs/environments.md").read_text(encoding="utf-8")
    (program,) = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    exec(program, {})


# Matches -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_rewards_are_scores_and_bots_can_be_learned_from(name: str) -> None:
    """Driven by `greedy`, an environment plays the match that `Match` plays."""
    bound = MODULES[name].short
    environment = Environment(name, options={bound: 2})
    environment.reset(4)
    rewards = dict.fromkeys(environment.agents, 0)
    while not environment.match.is_over:
        seat = environment._seats[environment.agent_selection]
        for step in environment.path(environment.match.ask("greedy", seat)):
            environment.step(step)
            for agent, reward in environment.rewards.items():
                rewards[agent] += reward
    scores = croupier.Match(name, "greedy", options={bound: 2}, seed=4).run()
    assert tuple(rewards.values()) == scores
    assert any(scores)


def test_each_reset_goes_on_to_the_next_board_of_the_seed() -> None:
    environment = env("pokex").unwrapped
    hands = []
    for seed in (7, None, 7, None):
        environment.reset(seed)
        hands.append(environment.view("seat_0").hand)
    assert hands[0] == hands[2] != hands[1] == hands[3]


def test_it_renders_what_the_agent_knows() -> None:
    environment = Environment("pokex", render_mode="ansi")
    environment.reset(1)
    assert environment.render() == str(environment.view(environment.agent_selection))
    assert Environment("pokex").render() is None


def test_what_is_missing_is_said_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="chess"):
        env("chess")
    monkeypatch.setitem(sys.modules, "croupier_server.local.environment", None)
    monkeypatch.delitem(sys.modules, "croupier.pettingzoo")
    with pytest.raises(ImportError, match=r"pip install 'croupier\[pettingzoo\]'"):
        import croupier.pettingzoo  # noqa: F401
