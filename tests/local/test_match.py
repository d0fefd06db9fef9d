"""`croupier.Match`: one match in this process, decision by decision."""

from __future__ import annotations

from typing import Any

import pytest

import croupier
from croupier import Bot, Decision, IllegalMove, Move, Refused, Result, UsageError
from croupier.bots import GreedyBot
from croupier.games import GAMES
from croupier.views import View
from croupier_server.local import BotFailed

NAMES = list(GAMES)


class Keeper(GreedyBot):
    """Keeps every question; reads it at once if it is *eager*, else when the match is over."""

    def __init__(self, eager: bool, read: list[tuple[Any, ...]]) -> None:
        super().__init__()
        self.eager = eager
        self.read = read
        self.kept: list[tuple[View, Decision]] = []

    def decide(self, view: View, decision: Decision) -> Move:
        move = super().decide(view, decision)
        if self.eager:
            self.look(view, decision)
        else:
            self.kept.append((view, decision))
        return move

    def look(self, view: View, decision: Decision) -> None:
        self.read.append((str(view), repr(decision), view.message, decision.message))

    def on_end(self, result: Result) -> None:
        super().on_end(result)
        while self.kept:
            self.look(*self.kept.pop(0))


@pytest.mark.parametrize("game", NAMES)
def test_what_a_bot_keeps_stays_as_it_was(game: str) -> None:
    told: dict[bool, list[tuple[Any, ...]]] = {True: [], False: []}
    for eager, read in told.items():
        one = Keeper(eager, read)
        match = croupier.Match(game, lambda one=one: one, seed=3)
        match.begin()
        match.run()
        match.end()
    assert len(told[True]) > 5
    assert told[True] == told[False]


@pytest.mark.parametrize("game", NAMES)
def test_a_question_is_the_same_whether_it_is_read_in_parts_or_as_a_message(game: str) -> None:
    class Checker(GreedyBot):
        def decide(self, view: View, decision: Decision) -> Move:
            seat, kind, legal, id_ = decision.seat, decision.kind, decision.legal, decision.id
            left = decision.time_left
            whole = Decision(decision.message, decision.table_id, match.sources[seat])
            assert (seat, kind, id_, left) == (whole.seat, whole.kind, whole.id, whole.time_left)
            assert legal.message == whole.legal.message
            assert decision.random.randrange(1 << 60) == whole.random.randrange(1 << 60)
            assert decision.fallback in legal
            assert decision.message.view == type(decision.message.view).FromString(
                decision.message.view.SerializeToString()
            )
            assert str(view) == str(match.view(seat))
            return super().decide(view, decision)

    match = croupier.Match(game, Checker, seed=1)
    assert sum(match.run()) == 0


def test_a_match_is_played_by_hand() -> None:
    match = croupier.Match("pokex", seed=1)
    while not match.is_over:
        decision = match.decision()
        assert match.to_act == (decision.seat,)
        assert match.view(decision.seat).seat == decision.seat
        match.play(match.legal()[0])
    assert match.to_act == ()
    assert match.deals == 1
    with pytest.raises(UsageError, match="the match is over"):
        match.decision()
    with pytest.raises(UsageError, match="the match is over"):
        match.ask("greedy")


def test_a_move_that_is_refused_changes_nothing() -> None:
    match = croupier.Match("pokex", seed=1)
    seat, before = match.to_act[0], str(match.view(match.to_act[0]))
    with pytest.raises(IllegalMove) as caught:
        match.play(croupier.pokex.bid(12))
    assert caught.value.rule
    assert caught.value.clause.startswith("P-")
    with pytest.raises(Refused) as other:
        match.play(croupier.tongits.draw_stock())
    assert other.value.reason == "MALFORMED_MOVE"
    with pytest.raises(UsageError, match=f"name a seat that is asked: {seat}"):
        match.play(match.legal()[0], (seat + 1) % 4)
    assert str(match.view(seat)) == before


@pytest.mark.parametrize("game", NAMES)
def test_a_clone_goes_its_own_way(game: str) -> None:
    match = croupier.Match(game, "greedy", seed=2)
    for _ in range(8):
        match.step()
    other = match.clone()
    seat = match.to_act[0]
    before = match.decision(seat).message
    other.run()
    assert match.decision(seat).message == before
    assert match.run() == other.scores


@pytest.mark.parametrize("game", NAMES)
def test_bots_are_asked_without_a_move_being_made(game: str) -> None:
    match = croupier.Match(game, ["greedy", "greedy", "greedy"][: 3 if game == "tongits" else 2])
    while not match.is_over:
        for seat in match.to_act:
            before = match.decision(seat).message
            assert match.ask("greedy", seat) == match.ask(GreedyBot, seat)
            assert match.decision(seat).message == before
        match.step()


class Stubborn(Bot):
    """Gives a move that is refused, *times* times; what it is told then is in *told*."""

    def __init__(self, times: int) -> None:
        self.times = times
        self.told: list[Refused] = []

    def decide(self, view: View, decision: Decision) -> Move:
        return croupier.pokex.bid(12)

    def on_refused(self, view: View, decision: Decision, move: Move, error: Refused) -> Move:
        self.told.append(error)
        return move if len(self.told) < self.times else decision.fallback


def test_a_bot_is_told_of_a_refusal_and_may_give_another_move() -> None:
    match, bot = croupier.Match("pokex", seed=1), Stubborn(3)
    assert match.ask(bot) == match.decision().fallback
    assert [error.reason for error in bot.told] == ["ILLEGAL_MOVE"] * 3
    with pytest.raises(BotFailed, match="seat 2: "):
        match.ask(Stubborn(1_000))


def test_what_is_asked_of_whom_is_checked() -> None:
    with pytest.raises(UsageError, match="5 bots do not fit 4 seats"):
        croupier.Match("pokex", ["greedy"] * 5)
    with pytest.raises(UsageError, match="there is no bot 'nobody'"):
        croupier.Match("pokex", "nobody")
    with pytest.raises(UsageError, match="nobody sits"):
        croupier.Match("pokex").step()
    with pytest.raises(UsageError, match="ruleset"):
        croupier.Match("pokex", ruleset="house")
    with pytest.raises(UsageError, match="chess"):
        croupier.Match("chess")
