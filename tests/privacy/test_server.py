"""Private (design promise 4), on a real server: every gRPC message, metadata and status that a
seat receives is the same in any two worlds that it cannot tell apart.

Second half: leaks planted in view, refusal, listed move, event, id and log are all caught.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count, islice

import pytest
import structlog

from croupier_server.games.base import Move, Seat
from croupier_server.games.registry import AnyGame
from croupier_server.tables import match, table, timing
from croupier_server.wire.base import GameWire
from croupier_server.wire.encode import field_number
from tests.privacy import leaks
from tests.privacy.served import WIRE, Times, Way, compare
from tests.privacy.stories import GAME, Case, case, tell
from tests.privacy.witness import Leak
from tests.wire import playouts

UNTIL_ALL_ANSWERED = Times()
TIMED = Times(window=1_000)
CLOCKED = Times(base=60_000, sealed=9_000, move=2_500)


def case_of(number: int) -> Case:
    """A case at a table of four, every ruleset and seat in turn."""
    options = playouts.options(GAME, GAME.rulesets()[number % 5])
    return case(number, options, audience=number % 4)


@pytest.mark.parametrize("way", Way)
@pytest.mark.parametrize("times", [UNTIL_ALL_ANSWERED, TIMED])
async def test_private(way: Way, times: Times) -> None:
    one = case_of(list(Way).index(way) + (4 if times.window else 0))
    assert await compare(one, way, times) > 100


async def test_time_used_in_sealed_windows_shows_in_no_clock() -> None:
    """It goes to a hidden account: nobody's time runs out earlier for it before the deal ends."""
    for one in played_cases():
        assert await compare(one, Way.WATCH_EVENTS, CLOCKED) > 100


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("way", Way)
async def test_private_at_length(way: Way) -> None:
    for number in range(100, 130):
        one = case(number, audience=number % 4)
        is_timed = number % 2 or one.ends_in_a_window
        await compare(one, way, TIMED if is_timed else UNTIL_ALL_ANSWERED)


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
    """Both stories come to the tricks of a deal, and end there."""
    *_, (state, _) = tell(one.first)
    return len(state.public.tricks) > 10


def played_cases() -> list[Case]:
    """Cases in which windows asked other seats, and then tricks were played."""
    return list(
        islice((one for one in map(case_of, count()) if asks_others(one) and is_played(one)), 3)
    )


async def caught(
    way: Way,
    game: AnyGame = GAME,
    wire: GameWire = WIRE,
    is_wanted: Callable[[Case], bool] = any_case,
) -> str:
    """In what the first leak was found; nothing in ten cases is a failure."""
    wanted = (one for one in map(case_of, count()) if is_wanted(one))
    for one in islice(wanted, 10):
        try:
            await compare(one, way, TIMED, game, wire)
        except Leak as leak:
            return leak.what
    raise AssertionError("no leak was found")


async def test_a_planted_leak_in_a_view_is_caught() -> None:
    what = await caught(Way.WATCH_FULL, wire=leaks.ShowsThePartner())
    assert what in ("GetSeatView answer", "WatchTable message")


async def test_a_planted_leak_in_a_private_event_is_caught() -> None:
    assert await caught(Way.SESSION_EVENTS, wire=leaks.SendsToThePartnerToo()) == "Session message"


async def test_a_planted_leak_in_a_refusal_is_caught() -> None:
    what = await caught(Way.SESSION_FULL, leaks.RefusesWithACard())
    assert what in ("CheckMove answer", "Session message")


async def test_a_planted_leak_in_a_status_is_caught() -> None:
    what = await caught(Way.WATCH_EVENTS, leaks.RefusesByAnothersHand())
    assert what in ("CheckMove answer", "SubmitMove trailing metadata")


async def test_a_planted_leak_in_a_listed_move_is_caught() -> None:
    what = await caught(Way.SESSION_FULL, leaks.SortsByAnothersHand())
    assert what in ("GetSeatView answer", "ListLegalMoves answer", "Session message")


async def test_a_planted_leak_in_the_number_of_events_is_caught() -> None:
    what = await caught(Way.WATCH_EVENTS, leaks.CountsWhoWasAsked(), is_wanted=asks_others)
    assert what in ("GetSeatView answer", "SpectateTable beats", "SpectateTable message")


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


async def test_a_planted_leak_in_a_clock_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time used in windows is taken from the clock at once."""
    budget_ms = timing.Timing.budget_ms

    def shortened(self: timing.Timing, seat: Seat, *, sealed: bool) -> int:
        return budget_ms(self, seat, sealed=True)

    monkeypatch.setattr(timing.Timing, "budget_ms", shortened)
    found = set()
    for one in played_cases():
        try:
            await compare(one, Way.WATCH_EVENTS, CLOCKED)
        except Leak as leak:
            found.add(leak.what)
    assert found


async def test_a_planted_leak_in_a_sign_of_life_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Heartbeats in a window tell how many seats have answered."""
    heartbeat = table.Table.heartbeat

    def telling(self: table.Table, now: int) -> bytes:
        answered = sum(one is not None and one.answer is not None for one in self.match.decisions)
        return heartbeat(self, now) + field_number(15, answered)

    monkeypatch.setattr(table.Table, "heartbeat", telling)
    assert "beats" in await caught(Way.WATCH_FULL, is_wanted=asks_others)


async def test_a_planted_leak_in_the_log_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line of the log names the cards of a hand."""
    submit = table.Table.submit

    def logged(self: table.Table, seat: Seat, decision_id: str, move: Move, now: int) -> int:
        structlog.get_logger().debug("move", cards=self.game.move_text(move))
        return submit(self, seat, decision_id, move, now)

    monkeypatch.setattr(table.Table, "submit", logged)
    assert await caught(Way.WATCH_FULL) == "log"
