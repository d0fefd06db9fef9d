"""Private (design promise 4), on a real server: every gRPC message, metadata and status that a
seat receives is the same in any two worlds that it cannot tell apart.

Second half: leaks planted in view, refusal, listed move, event, id and log are all caught.
"""

from __future__ import annotations

import contextlib
import random
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count, islice
from typing import Any

import pytest
import structlog

from croupier_server.errors import InvalidRequest
from croupier_server.games.base import AnyGame, Move, Seat, Turn
from croupier_server.games.modules import WIRES_BY_NAME
from croupier_server.games.registry import GAMES
from croupier_server.games.settings import new_options
from croupier_server.tables.clocks import accounts
from croupier_server.tables.feeds import snapshots
from croupier_server.tables.match import match, table
from croupier_server.wire.encode import field_number
from croupier_server.wire.game import GameWire
from tests.privacy import leaks_any, leaks_tongits, leaks_tractor
from tests.privacy.leaks_any import spoiled_game, spoiled_wire
from tests.privacy.served import Times, Way, compare
from tests.privacy.stories import Case, Telling, case, tell
from tests.privacy.subjects import SECRETS
from tests.privacy.witness import Leak
from tests.wire import playouts

UNTIL_ALL_ANSWERED = Times()
TIMED = Times(window=1_000)
DECISIONS_MAX = {"tractor": 1_000, "tongits": 45, "pokex": 45}
"""Longer stories would take long, as every decision is probed through a dozen calls."""

MOVING = Times(base=60_000, move=2_500)


def case_of(number: int, name: str = "tractor") -> Case:
    """A case at the game's smallest table, every ruleset and seat in turn."""
    game = GAMES[name]
    options = playouts.options(game, game.rulesets()[number % len(game.rulesets())])
    audience = number % game.players(options)
    return case(SECRETS[name], number, options, audience, decisions_max=DECISIONS_MAX[name])


@pytest.mark.more
@pytest.mark.parametrize("way", Way)
@pytest.mark.parametrize("times", [UNTIL_ALL_ANSWERED, TIMED])
async def test_private(way: Way, times: Times) -> None:
    one = case_of(list(Way).index(way) + (4 if times.window else 0))
    assert await compare(one, way, times) > 100


@pytest.mark.more
@pytest.mark.parametrize("way", Way)
@pytest.mark.parametrize("times", [UNTIL_ALL_ANSWERED, MOVING])
@pytest.mark.parametrize("name", sorted(set(GAMES) - {"tractor"}))
async def test_private_in_games_without_windows(name: str, way: Way, times: Times) -> None:
    number = 2 * list(Way).index(way) + bool(times.move)
    assert await compare(case_of(number, name), way, times) > 50


@pytest.mark.more
@pytest.mark.parametrize(("name", "bound"), [("tongits", "max_hands"), ("pokex", "max_deals")])
async def test_private_to_the_end_of_a_match(name: str, bound: str) -> None:
    """Up to the last message of every stream: what the rules do not show stays hidden then too."""
    secrets, game = SECRETS[name], GAMES[name]
    options = game.options(game.rulesets()[0], {bound: "1"})
    one = next(one for one in (case(secrets, n, options, n % 3) for n in count()) if is_over(one))
    assert await compare(one, Way.WATCH_EVENTS, UNTIL_ALL_ANSWERED) > 50


def is_over(one: Case) -> bool:
    *_, (state, _) = tell(one.first)
    return one.first.rules.turn(state) is Turn.OVER


@pytest.mark.more
async def test_time_used_in_sealed_windows_shows_in_no_clock() -> None:
    """It goes to a hidden account: nobody's time runs out earlier for it before the deal ends."""
    for one, times in timed_cases(3):
        assert await compare(one, Way.WATCH_EVENTS, times) > 100


@pytest.mark.slow
@pytest.mark.parametrize("way", Way)
@pytest.mark.parametrize("name", GAMES)
async def test_private_at_length(name: str, way: Way) -> None:
    for number in range(100, 130):
        audience = number % WIRES_BY_NAME[name].seats_min
        options = options_of_a_table(name, number) if number % 2 else None
        one = case(SECRETS[name], number, options, audience, decisions_max=DECISIONS_MAX[name])
        is_timed = number % 2 or one.ends_in_a_window
        await compare(one, way, TIMED if is_timed else UNTIL_ALL_ANSWERED)


def options_of_a_table(name: str, number: int) -> Any:
    """Any options that a server accepts for a new table."""
    game, rng = GAMES[name], random.Random(number)
    while True:
        texts = game.option_text(playouts.random_options(game, rng))
        with contextlib.suppress(InvalidRequest):
            return new_options(game, game.rulesets()[0], texts)


# The harness itself -------------------------------------------------------------------------------


def any_case(one: Case) -> bool:
    return True


def asks_others(one: Case) -> bool:
    """A window asked other seats in the second story than in the first."""
    return any(
        set(here) != set(there)
        for here, there in zip(one.first.answers, one.second.answers, strict=True)
    )


def is_played(one: Case) -> bool:
    """Both stories come to the tricks of a deal, and end there: when the deal has ended, everybody
    may see what its windows cost."""
    *_, (state, _) = tell(one.first)
    return len(state.public.tricks) > 10 and one.first.rules.turn(state) is Turn.MOVE


def timed_cases(number: int) -> Iterator[tuple[Case, Times]]:
    """So many cases in which tricks were played after windows that took their time: the audience
    was asked in five or more together with other seats than in the other world. And times by which
    nobody runs out of time unless that of the windows is taken from the clock.
    """
    wanted = (one for one in map(case_of, count()) if takes_time(one))
    return ((one, clocked(one)) for one in islice(wanted, number))


def takes_time(one: Case) -> bool:
    both = zip(one.first.answers, one.second.answers, strict=True)
    apart = [here for here, there in both if one.audience in here and set(here) != set(there)]
    return len(apart) >= 5 and is_played(one) and len(one.first.decks) == 1


def clocked(one: Case) -> Times:
    """The moves take nearly the whole base, and five windows more than what is left of it."""
    telling = Telling(one.first)
    telling.put_chance()
    moves: Counter[Seat] = Counter()
    for answers in one.first.answers:
        if one.first.rules.turn(telling.state) is Turn.MOVE:
            moves.update(answers.keys())
        telling.answer(answers)
    base, windows = 60_000, one.first.options.hand
    each = base // (max(moves.values()) + 1)
    sealed = base // (windows + 1)
    assert 5 * sealed > each
    return Times(base=base, sealed=sealed, move=each)


async def caught(
    way: Way,
    game: AnyGame | None = None,
    wire: GameWire | None = None,
    is_wanted: Callable[[Case], bool] = any_case,
    name: str = "tractor",
) -> str:
    """In what the first leak was found; nothing in ten cases is a failure."""
    wanted = (one for one in (case_of(number, name) for number in count()) if is_wanted(one))
    for one in islice(wanted, 10):
        try:
            await compare(one, way, TIMED, game, wire)
        except Leak as leak:
            return leak.what
    raise AssertionError("no leak was found")


@pytest.mark.more
async def test_a_planted_leak_in_a_view_is_caught() -> None:
    wire = spoiled_wire(leaks_tractor.ShowsThePartner, WIRES_BY_NAME["tractor"])
    what = await caught(Way.WATCH_FULL, wire=wire)
    assert what in ("GetSeatView answer", "WatchTable message")


@pytest.mark.more
async def test_a_planted_leak_in_a_private_event_is_caught() -> None:
    wire = spoiled_wire(leaks_tractor.SendsToThePartnerToo, WIRES_BY_NAME["tractor"])
    assert await caught(Way.SESSION_EVENTS, wire=wire) == "Session message"


@pytest.mark.more
async def test_a_planted_leak_in_a_refusal_is_caught() -> None:
    what = await caught(Way.SESSION_FULL, leaks_tractor.RefusesWithACard())
    assert what in ("CheckMove answer", "Session message")


@pytest.mark.more
async def test_a_planted_leak_in_a_status_is_caught() -> None:
    what = await caught(Way.WATCH_EVENTS, leaks_tractor.RefusesByAnothersHand())
    assert what in ("CheckMove answer", "SubmitMove trailing metadata")


@pytest.mark.more
async def test_a_planted_leak_in_a_listed_move_is_caught() -> None:
    what = await caught(Way.SESSION_FULL, leaks_tractor.SortsByAnothersHand())
    assert what in ("GetSeatView answer", "ListLegalMoves answer", "Session message")


@pytest.mark.more
async def test_a_planted_leak_in_the_number_of_events_is_caught() -> None:
    what = await caught(Way.WATCH_EVENTS, leaks_tractor.CountsWhoWasAsked(), is_wanted=asks_others)
    assert what in ("GetSeatView answer", "SpectateTable beats", "SpectateTable message")


@pytest.mark.more
async def test_a_planted_leak_in_an_id_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Decisions are counted, so that their ids tell how many seats were asked."""
    ask = match.Match._ask
    asked: dict[match.Match, int] = {}

    def numbered(self: match.Match, seat: Seat, now: int, *, sealed: bool) -> None:
        ask(self, seat, now, sealed=sealed)
        asked[self] = asked.get(self, 0) + 1
        decision = self.decisions[seat]
        assert decision is not None
        decision.id = f"{asked[self]}-{seat}"

    monkeypatch.setattr(match.Match, "_ask", numbered)
    what = await caught(Way.SESSION_FULL, is_wanted=asks_others)
    assert what in ("GetSeatView answer", "Session message")


@pytest.mark.more
async def test_a_planted_leak_in_a_clock_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time used in windows is taken from the clock at once."""
    budget_ms = accounts.Accounts.budget_ms

    def shortened(self: accounts.Accounts, seat: Seat, *, sealed: bool) -> int:
        return budget_ms(self, seat, sealed=True)

    monkeypatch.setattr(accounts.Accounts, "budget_ms", shortened)
    for one, times in timed_cases(3):
        try:
            await compare(one, Way.WATCH_EVENTS, times)
        except Leak:
            return
    raise AssertionError("no leak was found")


@pytest.mark.more
async def test_a_planted_leak_in_a_sign_of_life_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Heartbeats in a window tell how many seats have answered."""
    heartbeat = snapshots.seat_heartbeat

    def telling(one: table.Table, now: int) -> bytes:
        answered = sum(made is not None and made.answer is not None for made in one.match.decisions)
        return heartbeat(one, now) + field_number(15, answered)

    monkeypatch.setattr(snapshots, "seat_heartbeat", telling)
    assert "beats" in await caught(Way.WATCH_FULL, is_wanted=asks_others)


@pytest.mark.more
async def test_a_planted_leak_in_the_log_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line of the log names the cards of a hand."""
    submit = table.Table.submit

    def logged(self: table.Table, seat: Seat, decision_id: str, move: Move, now: int) -> int:
        structlog.get_logger().debug("move", cards=self.game.move_text(move))
        return submit(self, seat, decision_id, move, now)

    monkeypatch.setattr(table.Table, "submit", logged)
    assert await caught(Way.WATCH_FULL) == "log"


OTHERS = sorted(set(GAMES) - {"tractor"})


@pytest.mark.more
@pytest.mark.parametrize("name", OTHERS)
async def test_a_planted_leak_in_a_view_of_any_game_is_caught(name: str) -> None:
    wire = spoiled_wire(leaks_any.ShowsAnothersHand, WIRES_BY_NAME[name])
    what = await caught(Way.WATCH_FULL, wire=wire, name=name)
    assert what in ("GetSeatView answer", "WatchTable message")


@pytest.mark.more
@pytest.mark.parametrize("name", OTHERS)
async def test_a_planted_leak_in_a_private_event_of_any_game_is_caught(name: str) -> None:
    wire = spoiled_wire(leaks_any.SendsToTheNextSeatInstead, WIRES_BY_NAME[name])
    assert await caught(Way.SESSION_EVENTS, wire=wire, name=name) == "Session message"


@pytest.mark.more
@pytest.mark.parametrize("name", OTHERS)
async def test_a_planted_leak_in_a_refusal_of_any_game_is_caught(name: str) -> None:
    game = spoiled_game(leaks_any.RefusesWithACard, GAMES[name])
    what = await caught(Way.SESSION_FULL, game, name=name)
    assert what in ("CheckMove answer", "Session message")


@pytest.mark.more
@pytest.mark.parametrize("name", OTHERS)
async def test_a_planted_leak_in_a_status_of_any_game_is_caught(name: str) -> None:
    game = spoiled_game(leaks_any.RefusesByAnothersHand, GAMES[name])
    what = await caught(Way.WATCH_EVENTS, game, name=name)
    assert what in ("CheckMove answer", "SubmitMove trailing metadata", "SubmitMove status")


@pytest.mark.more
@pytest.mark.parametrize("name", OTHERS)
async def test_a_planted_leak_in_the_number_of_events_of_any_game_is_caught(name: str) -> None:
    game = spoiled_game(leaks_any.CountsByAHiddenCard, GAMES[name])
    what = await caught(Way.WATCH_EVENTS, game, name=name)
    assert what in (
        "GetSeatView answer",
        "SpectateTable beats",
        "SpectateTable message",
        "WatchTable message",
    )


@pytest.mark.more
async def test_a_card_drawn_that_everybody_is_told_is_caught() -> None:
    game = spoiled_game(leaks_tongits.TellsTheCardDrawn, GAMES["tongits"])
    what = await caught(Way.WATCH_EVENTS, game, name="tongits")
    assert what in ("SpectateTable message", "WatchTable message")
