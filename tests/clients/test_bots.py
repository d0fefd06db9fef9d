"""House bots and views of Tractor on real positions and several table sizes, and bots by name."""

from __future__ import annotations

import sys
from enum import IntEnum
from pathlib import Path

import pytest

import croupier
from croupier import Bot, Decision
from croupier.bots import HOUSE_BOTS, GreedyBot, RandomBot, load_bot
from croupier.cards import to_cards
from croupier.tractor import DecisionKind, Phase, Suit, TractorView
from croupier.views import View
from croupier_server.games.cards import unpack
from croupier_server.games.tractor.state import State
from tests.clients.arena import Arena

SIZES = [("4", "2"), ("4", "3"), ("6", "3"), ("8", "4"), ("10", "5"), ("12", "6")]


@pytest.mark.parametrize(("players", "packs"), SIZES)
@pytest.mark.parametrize("bot", [RandomBot, GreedyBot])
def test_house_bots_play_legally_at_every_size(players: str, packs: str, bot: type[Bot]) -> None:
    arena = Arena([bot() for _ in range(int(players))], 1, players=players, packs=packs)
    assert sum(arena.run()) == 0


def check_view(state: State, seat: int, view: TractorView, decision: Decision) -> None:
    """What a view says is what the state is."""
    public = state.public
    assert view.seat == decision.seat == seat
    assert view.hand == to_cards(unpack(state.hands[seat]))
    assert view.levels == tuple(public.levels)
    assert view.phase == Phase(int(public.phase))
    assert view.deal == public.deal
    assert str(seat) in repr(view)
    assert "hand" in str(view)
    if public.trumps is not None:
        order = view.order
        assert order is not None
        for card in range(1, 55):
            assert order.suit_of[card] - 1 == public.trumps.suit_of[card]
        strengths = [order.strength(card) for card in order.cards(Suit.TRUMPS)]
        assert strengths == sorted(strengths)
        assert (
            order.sort(view.hand)[-1:]
            == sorted(view.hand, key=lambda card: (order.suit(card), order.strength(card), card))[
                -1:
            ]
        )
    played = [0] * 55
    for trick in view.tricks:
        for play in trick.plays:
            for card in play.cards:
                played[card] += 1
    for play in view.show.plays if view.show is not None and view.show.winner is not None else ():
        played[play.cards[0]] += 1
    assert view.finished_plays == played
    check_voids(view)


def check_voids(view: TractorView) -> None:
    """A seat is void of what it did not follow to."""
    order = view.order
    expected: list[set[int]] = [set() for _ in range(12)]
    for trick in view.tricks if order is not None else ():
        assert order is not None
        led = order.suit(trick.plays[0].cards[0])
        for play in trick.plays:
            if any(order.suit(card) is not led for card in play.cards):
                expected[play.seat].add(led)
    assert view.voids == expected


@pytest.mark.parametrize("ruleset", ["standard", "document", "qq"])
def test_views_say_what_the_state_is(ruleset: str) -> None:
    seen: set[IntEnum] = set()

    def watch(state: State, seat: int, view: View, decision: Decision) -> None:
        seen.add(decision.kind)
        assert isinstance(view, TractorView)
        check_view(state, seat, view, decision)

    Arena([RandomBot() for _ in range(4)], 11, ruleset, watch, max_deals="3").run()
    assert {DecisionKind.BURY, DecisionKind.LEAD, DecisionKind.FOLLOW} < seen


def test_bots_are_loaded_by_name_and_by_path(tmp_path: Path) -> None:
    assert {name: load_bot(name) for name in HOUSE_BOTS} == HOUSE_BOTS
    (tmp_path / "helper.py").write_text("NAME = 'mine'\n")
    path = tmp_path / "random.py"
    path.write_text(
        "import croupier, helper\n"
        "class Mine(croupier.Bot):\n"
        "    name = helper.NAME\n"
        "    def decide(self, view, decision):\n"
        "        return decision.legal[0]\n"
    )
    try:
        bot = load_bot(f"{path}:Mine")()
    finally:
        sys.path.remove(str(tmp_path))
        sys.modules.pop("helper")
        sys.modules.pop("croupier_bot_random")
    assert bot.name == "mine"
    Arena([bot, RandomBot(), RandomBot(), RandomBot()], 1).run()


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("clever", "no bot 'clever'; use greedy, random or path"),
        ("none.py:Bot", "no file none.py"),
        ("bad.py:Bot", "bad.py cannot be run: ZeroDivisionError"),
        ("good.py:Missing", "no class Missing"),
        ("good.py:number", "no class number"),
    ],
)
def test_a_bot_that_cannot_be_loaded_is_told_in_one_sentence(
    spec: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bad.py").write_text("1 / 0\n")
    (tmp_path / "good.py").write_text("number = 1\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    with pytest.raises(croupier.UsageError, match=words):
        load_bot(spec)
