"""What an arbiter accepts and shows, without a server of tables."""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
import pytest_asyncio
from google.protobuf import text_format

from croupier.v1 import game_pb2, rating_service_pb2, table_pb2
from croupier.v1 import tournament_service_pb2 as pb
from croupier_server.arbiter import tournaments
from croupier_server.arbiter.rating_service import RatingService
from croupier_server.arbiter.ratings import MEAN, Meeting, Skill, rate
from croupier_server.arbiter.specs import read_spec, write_spec
from croupier_server.arbiter.store import ArbiterStore, Listed
from croupier_server.arbiter.tournament_service import TournamentService
from croupier_server.arbiter.tournaments import Ratings, Tournaments
from croupier_server.contest.ladder.events import Event, Kind, State
from croupier_server.contest.ladder.opening import load
from croupier_server.contest.ladder.spec import Form, Format
from croupier_server.errors import CroupierError, Reason
from croupier_server.identity.keyring import LiveKey
from croupier_server.rpc.pages import PageTokens
from croupier_server.storage.base import StoredKey
from croupier_server.tables.caller import Caller

SERVER = "127.0.0.1:1"
SPEC = """
name: 'cup' game: GAME_KIND_POKEX boards: 4
entrants { name: 'Ann' player_id: 'ann' }
entrants { name: 'house' house_bot: 'greedy' }
"""
BOTS = """
name: 'cup' game: GAME_KIND_POKEX boards: 4
entrants { name: 'one' house_bot: 'greedy' }
entrants { name: 'two' house_bot: 'search:ms=20' }
"""


def spec(more: str = "", text: str = SPEC) -> pb.TournamentSpec:
    return text_format.Parse(text + more, pb.TournamentSpec())


def knows(name: str) -> bool:
    return name in ("ann", "bob")


# Specs --------------------------------------------------------------------------------------------


def test_a_spec_gets_the_form_that_its_entrants_allow() -> None:
    assert read_spec(spec(), SERVER, knows).form is Form.FIELD
    swiss = read_spec(spec("format: TOURNAMENT_FORMAT_SWISS rounds: 3"), SERVER, knows)
    assert (swiss.format, swiss.form) == (Format.SWISS, Form.INDEPENDENT)
    assert read_spec(spec(text=BOTS), SERVER, knows).form is Form.SWAPPED


def test_what_is_shown_of_a_spec_may_be_sent_again() -> None:
    more = "clock { per_move { seconds: 2 } max_strikes: 4 } format: TOURNAMENT_FORMAT_KNOCKOUT"
    found = read_spec(spec(more), SERVER, knows)
    shown = write_spec(found.model_copy(update={"seed": 7}))
    assert read_spec(shown, SERVER, knows) == found.model_copy(
        update={"options": read_spec(shown, SERVER, knows).options}
    )
    assert "seed" not in shown.DESCRIPTOR.fields_by_name


@pytest.mark.parametrize(
    ("more", "reason", "field"),
    [
        ("entrants { name: 'x' house_bot: 'cmd:rm -rf /' }", "PROGRAM_NOT_ALLOWED", "2].house_bot"),
        ("entrants { name: 'x' house_bot: 'bot.py:Bot' }", "PROGRAM_NOT_ALLOWED", "2].house_bot"),
        ("entrants { name: 'x' house_bot: '/bin/sh' }", "PROGRAM_NOT_ALLOWED", "2].house_bot"),
        ("field_bot: 'cmd:sh'", "PROGRAM_NOT_ALLOWED", "spec.field_bot"),
        ("entrants { name: 'x' house_bot: 'nobody' }", "UNKNOWN_ENTRANT", "2].house_bot"),
        ("entrants { name: 'x' player_id: 'eve' }", "UNKNOWN_ENTRANT", "2].player_id"),
        ("entrants { name: 'Ann' player_id: 'bob' }", "MALFORMED_REQUEST", "spec.entrants"),
        ("form: BOARD_FORM_SWAPPED", "MALFORMED_REQUEST", "spec.form"),
        ("rounds: 3", "MALFORMED_REQUEST", "spec.rounds"),
        ("clock { window_time { seconds: 1 } }", "MALFORMED_REQUEST", "spec.clock.window_time"),
        ("options { tractor {} }", "MALFORMED_REQUEST", "spec.options.tractor"),
        ("ruleset: 'none'", "UNKNOWN_RULESET", "spec."),
        (r"entrants { name: 'a\nb' house_bot: 'greedy' }", "MALFORMED_REQUEST", "2].name"),
    ],
)
def test_a_bad_spec_names_the_field(more: str, reason: str, field: str) -> None:
    with pytest.raises(CroupierError) as caught:
        read_spec(spec(more), SERVER, knows)
    assert caught.value.reason == reason
    assert field in caught.value.field


def test_a_principal_may_take_part_once() -> None:
    more = "entrants { name: 'Ann again' player_id: 'ann' }"
    with pytest.raises(CroupierError) as caught:
        read_spec(spec(more), SERVER, knows)
    assert caught.value.field == "spec.entrants[2].player_id"


# Tournaments --------------------------------------------------------------------------------------


@dataclasses.dataclass
class Desk:
    """An arbiter without a port."""

    folder: Path
    store: ArbiterStore
    tournaments: Tournaments
    service: TournamentService
    ratings: RatingService

    async def create(self, organiser: str = "org", request_id: str = "") -> pb.Tournament:
        request = pb.CreateTournamentRequest(request_id=request_id, spec=spec())
        return (await self.service.create_tournament(caller(organiser), request)).tournament

    async def cancel(self, tournament: str, organiser: str = "org") -> pb.Tournament:
        request = pb.CancelTournamentRequest(tournament_id=tournament, reason="rain")
        return (await self.service.cancel_tournament(caller(organiser), request)).tournament

    async def watch(self, tournament: str, after: int = 0) -> list[pb.WatchTournamentResponse]:
        """A stream to its end."""
        request = pb.WatchTournamentRequest(tournament_id=tournament, after_sequence=after)
        return [one async for one in self.service.watch_tournament(caller("eve"), request)]


def caller(name: str) -> Caller:
    return Caller(name, key=LiveKey(StoredKey(name, name, frozenset(), bytes(32), 0)))


async def opened(folder: Path) -> Desk:
    store = ArbiterStore(folder / "arbiter.sqlite")
    found = Tournaments(store, folder, SERVER, 4, knows, lambda: 1_700_000_000_000)
    await found.open()
    pages = PageTokens(bytes(32))
    service = TournamentService(found, pages, 10_000, lambda: 0, missed_max=2)
    return Desk(folder, store, found, service, RatingService(store, pages))


@pytest_asyncio.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    found = await opened(tmp_path)
    yield found
    await found.tournaments.close()
    found.store.close()


async def refused(work: object) -> CroupierError:
    with pytest.raises(CroupierError) as caught:
        await work  # type: ignore[misc]  # whatever may be awaited
    return caught.value


async def test_a_request_that_is_repeated_makes_one_tournament(desk: Desk) -> None:
    one = await desk.create(request_id="r")
    assert (await desk.create(request_id="r")).tournament_id == one.tournament_id
    assert (await desk.create("other", "r")).tournament_id != one.tournament_id
    request = pb.CreateTournamentRequest(request_id="r", spec=spec("field_bot: 'random'"))
    error = await refused(desk.service.create_tournament(caller("org"), request))
    assert error.reason is Reason.REQUEST_ID_REUSED


async def test_a_stream_begins_resumes_and_ends(desk: Desk) -> None:
    made = await desk.create()
    assert (made.state, made.sequence) == (pb.TOURNAMENT_STATE_CREATED, 2)
    name = made.tournament_id
    request = pb.WatchTournamentRequest(tournament_id=name)
    stream = desk.service.watch_tournament(caller("eve"), request)
    assert (await anext(stream)).snapshot.tournament == made
    await desk.cancel(name)
    rest = [one async for one in stream]
    assert [one.event.sequence for one in rest[:-1]] == [3]
    assert rest[0].event.state_changed.state == pb.TOURNAMENT_STATE_CANCELLED
    assert rest[0].event.state_changed.detail == "rain"
    assert rest[-1].end.reason == table_pb2.STREAM_END_REASON_TOURNAMENT_ENDED

    resumed = await desk.watch(name, 2)
    assert (resumed[0].resumed.after_sequence, resumed[0].resumed.sequence) == (2, 3)
    assert [one.WhichOneof("update") for one in resumed[1:]] == ["event", "end"]
    assert [one.WhichOneof("update") for one in await desk.watch(name, 3)] == ["resumed", "end"]


async def test_a_stream_that_is_too_old_is_reset(desk: Desk) -> None:
    name = (await desk.create()).tournament_id
    for state in (State.RUNNING, State.PAUSED):  # nobody plays it: there is no server
        await desk.tournaments._order(await desk.tournaments.get(name), state, "")
    await desk.cancel(name)
    found = await desk.watch(name, 1)
    assert [one.WhichOneof("update") for one in found] == ["reset", "snapshot", "end"]
    assert found[0].reset.reason == table_pb2.RESET_REASON_TOO_OLD
    assert found[1].snapshot.tournament.sequence == 5


async def test_a_stream_ahead_of_the_last_event_is_refused(desk: Desk) -> None:
    name = (await desk.create()).tournament_id
    error = await refused(desk.watch(name, 3))
    assert (error.reason, error.field) == (Reason.SEQUENCE_AHEAD, "after_sequence")


async def test_streams_end_when_the_key_does_or_the_arbiter_stops(desk: Desk) -> None:
    name = (await desk.create()).tournament_id
    request = pb.WatchTournamentRequest(tournament_id=name)
    eve = caller("eve")
    assert eve.key is not None
    stream = desk.service.watch_tournament(eve, request)
    await anext(stream)
    eve.key.end("the key was revoked")
    assert (await anext(stream)).end.reason == table_pb2.STREAM_END_REASON_KEY_REVOKED
    stream = desk.service.watch_tournament(caller("bob"), request)
    await anext(stream)
    desk.service.drain()
    end = (await anext(stream)).end
    assert end.reason == table_pb2.STREAM_END_REASON_SERVER_DRAINING
    assert end.HasField("retry_after")


async def test_only_the_organiser_changes_a_tournament_and_only_in_its_state(desk: Desk) -> None:
    name = (await desk.create()).tournament_id
    assert (await refused(desk.cancel(name, "mal"))).reason is Reason.PERMISSION_DENIED
    paused = pb.PauseTournamentRequest(tournament_id=name)
    error = await refused(desk.service.pause_tournament(caller("org"), paused))
    assert (error.reason, error.metadata["state"]) == (Reason.TOURNAMENT_STATE, "CREATED")
    await desk.cancel(name)
    start = pb.StartTournamentRequest(tournament_id=name)
    error = await refused(desk.service.start_tournament(caller("org"), start))
    assert (error.reason, error.metadata["state"]) == (Reason.TOURNAMENT_STATE, "CANCELLED")
    assert (await refused(desk.cancel("no-such"))).reason is Reason.NOT_FOUND


async def test_an_organiser_has_a_limit_of_tournaments(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tournaments, "OWN_MAX", 2)
    names = [(await desk.create()).tournament_id for _ in range(2)]
    assert (await refused(desk.create())).reason is Reason.TOO_MANY_TOURNAMENTS
    await desk.create("other")
    await desk.cancel(names[0])
    await desk.watch(names[0])  # it has ended when its stream has
    await desk.create()


async def test_tournaments_are_listed_in_pages_and_outlive_the_arbiter(desk: Desk) -> None:
    names = [(await desk.create()).tournament_id for _ in range(3)]
    await desk.cancel(names[1])
    await desk.watch(names[1])
    await desk.tournaments.close()
    again = await opened(desk.folder)
    found: list[str] = []
    request = pb.ListTournamentsRequest(page_size=2)
    for _ in range(2):
        page = await again.service.list_tournaments(caller("eve"), request)
        found += [one.tournament_id for one in page.tournaments]
        request.page_token = page.next_page_token
    assert found == names[::-1]
    assert not request.page_token
    ended = pb.ListTournamentsRequest(state=pb.TOURNAMENT_STATE_CANCELLED)
    page = await again.service.list_tournaments(caller("eve"), ended)
    assert [one.tournament_id for one in page.tournaments] == [names[1]]
    get = pb.GetTournamentRequest(tournament_id=names[1])
    assert (await again.service.get_tournament(caller("eve"), get)).tournament.detail == "rain"
    await again.tournaments.close()
    again.store.close()


# Ratings ------------------------------------------------------------------------------------------


def test_who_wins_gains_and_who_is_level_does_not() -> None:
    found = rate(Meeting((("a",), ("b",)), (1.0, -1.0)), lambda _: Skill())
    assert found["a"].rating > MEAN > found["b"].rating
    assert found["a"].deviation < Skill().deviation
    level = rate(Meeting((("a",), ("b",)), (2.0, 2.0)), lambda _: Skill())
    assert level["a"].rating == pytest.approx(MEAN)
    three = rate(Meeting((("a",), ("b",), ("c",)), (3.0, 2.0, 1.0)), lambda _: Skill())
    assert three["a"].rating > three["b"].rating > three["c"].rating


PLAYED: tuple[object, ...] = ("played", [], "FINISHED", "", "")


async def rated(folder: Path, order: Sequence[int], *, restart: bool) -> dict[str, Skill]:
    """Ratings after four boards that ended in *order*; perhaps the arbiter was restarted between
    them."""
    desk = await opened(folder)
    asked = pb.CreateTournamentRequest(spec=spec(text=BOTS))
    name = (await desk.service.create_tournament(caller("org"), asked)).tournament.tournament_id
    # Two batches are scheduled ahead, of which the second is empty.
    for step, board in enumerate((None, None, *order)):
        live = await desk.tournaments.get(name)
        contest = live.contest
        if board is None:
            boards = [[list(group) for group in groups] for groups in contest.next_batch()]
            event = Event(contest.last + 1, Kind.BATCH, {"boards": boards})
        else:
            ahead = {0: board - 1, 1: 1 - board}
            tables = [
                [[ahead[contest.entrant_of(bot) or 0] for bot in match.players], *PLAYED]
                for match in contest.tables(board)
            ]
            event = Event(contest.last + 1, Kind.BOARD, {"board": board, "tables": tables})
        await live.log.append([event])
        live.took(await load(live.log))
        await live.rate(Ratings(desk.store), 0)
        if restart and step == 3:
            await desk.tournaments.close()
            desk.store.close()
            desk = await opened(folder)
    skills = await desk.store.skills("pokex/standard")
    await desk.tournaments.close()
    desk.store.close()
    return skills


@pytest.mark.more
async def test_ratings_depend_neither_on_the_order_of_ends_nor_on_restarts(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    usual = await rated(tmp_path / "a", (0, 1, 2, 3), restart=False)
    assert [one.boards for one in usual.values()] == [4, 4]
    assert usual["house/greedy"].rating > MEAN
    for number, order in enumerate(((3, 2, 1, 0), (1, 0, 3, 2))):
        for restart in (False, True):
            folder = tmp_path / f"{number}-{restart}"
            folder.mkdir()
            assert await rated(folder, order, restart=restart) == usual


async def test_ratings_are_listed_and_remembered(desk: Desk) -> None:
    await desk.store.add(Listed(0, "t", "org", "", "", 0))
    boards = [
        (board, {"player/ann": Skill(1500 + board, 100, board + 1), "house/greedy": Skill()})
        for board in range(3)
    ]
    await desk.store.rated("pokex/standard", "t", boards, rated=3, now_ms=5_000)
    assert (await desk.store.tournaments())[0].rated == 3
    ruleset = "standard"
    asked = rating_service_pb2.ListRatingsRequest(game=game_pb2.GAME_KIND_POKEX, page_size=1)
    asked.ruleset = ruleset
    page = await desk.ratings.list_ratings(caller("eve"), asked)
    assert [(one.player.player_id, one.rating) for one in page.ratings] == [("ann", 1502)]
    asked.page_token = page.next_page_token
    page = await desk.ratings.list_ratings(caller("eve"), asked)
    assert [one.player.house_bot for one in page.ratings] == ["greedy"]
    history = rating_service_pb2.ListRatingHistoryRequest(
        game=game_pb2.GAME_KIND_POKEX, ruleset=ruleset, page_size=2
    )
    history.player.player_id = "ann"
    first = await desk.ratings.list_rating_history(caller("eve"), history)
    history.page_token = first.next_page_token
    second = await desk.ratings.list_rating_history(caller("eve"), history)
    assert [one.board for one in (*first.ratings, *second.ratings)] == [3, 2, 1]
    one = rating_service_pb2.GetRatingRequest(game=game_pb2.GAME_KIND_POKEX, ruleset=ruleset)
    one.player.player_id = "bob"
    assert (await refused(desk.ratings.get_rating(caller("eve"), one))).reason is Reason.NOT_FOUND
