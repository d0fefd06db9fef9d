"""An arbiter as a process: a tournament between bots that dial in, over keys, through a crash."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import grpc
import pytest

from croupier.v1 import (
    game_pb2,
    pokex_pb2,
    rating_service_pb2,
    rating_service_pb2_grpc,
    table_pb2,
    tournament_service_pb2_grpc,
)
from croupier.v1 import tournament_service_pb2 as pb
from tests.e2e.serving import SECONDS, clean_environment, served
from tests.e2e.test_tls import new_key

COMMAND = (sys.executable, "-m", "croupier_server", "arbiter", "--listen", "127.0.0.1:0")
WORKER = (sys.executable, "-m", "croupier.worker", "--bot", "greedy", "--standby")
BOARDS = 6


class Arbiter(NamedTuple):
    """An arbiter under test."""

    process: subprocess.Popen[str]
    address: str


@contextmanager
def arbiter(key: str, *arguments: str) -> Iterator[Arbiter]:
    """An arbiter on a free port; killed at the end if it is still there."""
    reading, writing = os.pipe()
    process = subprocess.Popen(
        [*COMMAND, "--announce-fd", str(writing), *arguments],
        pass_fds=[writing],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=clean_environment(CROUPIER_KEY=key),
        text=True,
    )
    os.close(writing)
    try:
        with os.fdopen(reading) as announced:
            line = announced.readline()
        assert line, process.communicate(timeout=SECONDS)[1]
        yield Arbiter(process, json.loads(line)["address"])
    finally:
        process.kill()
        process.communicate(timeout=SECONDS)


def spec() -> pb.TournamentSpec:
    """A field of two bots that dial in and a house bot."""
    found = pb.TournamentSpec(
        name="cup", game=game_pb2.GAME_KIND_POKEX, boards=BOARDS, form=pb.BOARD_FORM_FIELD
    )
    found.options.pokex.CopyFrom(pokex_pb2.PokexOptions(max_deals=1))
    for name in ("ann", "bob"):
        found.entrants.add(name=name.title(), player_id=name)
    found.entrants.add(name="house", house_bot="greedy")
    return found


class Caller(NamedTuple):
    """Calls of an arbiter by the organiser and by a player."""

    service: tournament_service_pb2_grpc.TournamentServiceStub
    organiser: tuple[tuple[str, str], ...]
    player: tuple[tuple[str, str], ...]
    tournament: str

    def watch(self, after: int = 0) -> Iterator[pb.WatchTournamentResponse]:
        """The stream of the tournament."""
        request = pb.WatchTournamentRequest(tournament_id=self.tournament, after_sequence=after)
        found: Iterator[pb.WatchTournamentResponse] = self.service.WatchTournament(
            request, metadata=self.player
        )
        return found

    def get(self) -> pb.Tournament:
        """The tournament as it is now."""
        request = pb.GetTournamentRequest(tournament_id=self.tournament)
        return self.service.GetTournament(request, metadata=self.player).tournament

    def kill_at_a_board(self, arbiter: Arbiter, after: int) -> int:
        """Resume, and kill the arbiter when a board has ended; number of the last event seen."""
        watching = self.watch(after)
        assert next(watching).resumed.after_sequence == after
        request = pb.ResumeTournamentRequest(tournament_id=self.tournament)
        self.service.ResumeTournament(request, metadata=self.organiser)
        for update in watching:
            after = update.event.sequence or after
            if update.event.HasField("board_ended"):
                break
        arbiter.process.kill()
        arbiter.process.wait(SECONDS)
        return after


@pytest.mark.more
def test_a_tournament_survives_the_death_of_its_arbiter(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'croupier.db'}"
    keys = {name: new_key(store, name, "play") for name in ("ann", "bob")}
    keys["organiser"] = new_key(store, "organiser", "organise")
    own = new_key(store, "arbiter", "host", "play")
    organiser = (("authorization", f"Bearer {keys['organiser']}"),)
    player = (("authorization", f"Bearer {keys['ann']}"),)
    with ExitStack() as stack:
        server = stack.enter_context(served("--store", store, "--auth", "keys"))
        arguments = (
            "--server", server.address, "--folder", str(tmp_path / "arbiter"), "--keys", store,
            "--concurrency", "3",
        )  # fmt: skip
        with arbiter(own, *arguments) as first, grpc.insecure_channel(first.address) as channel:
            stub = tournament_service_pb2_grpc.TournamentServiceStub(channel)
            asked = pb.CreateTournamentRequest(request_id="one", spec=spec())
            made = stub.CreateTournament(asked, metadata=organiser).tournament
            again = stub.CreateTournament(asked, metadata=organiser).tournament
            assert again.tournament_id == made.tournament_id
            name = made.tournament_id
            caller = Caller(stub, organiser, player, name)
            watching = caller.watch()
            assert next(watching).snapshot.tournament.state == pb.TOURNAMENT_STATE_CREATED
            stub.StartTournament(pb.StartTournamentRequest(tournament_id=name), metadata=organiser)
            # No bot has dialled in, so its first board cannot end.
            paused = stub.PauseTournament(
                pb.PauseTournamentRequest(tournament_id=name, reason="lunch"), metadata=organiser
            ).tournament
            assert (paused.state, paused.detail) == (pb.TOURNAMENT_STATE_PAUSED, "lunch")
            position = next(
                one.event.sequence
                for one in watching
                if one.event.state_changed.state == pb.TOURNAMENT_STATE_PAUSED
            )
            first.process.kill()
            first.process.wait(SECONDS)
        for bot in ("ann", "bob"):
            process = subprocess.Popen(
                [*WORKER, server.address], env=clean_environment(CROUPIER_KEY=keys[bot])
            )
            stack.callback(process.wait, SECONDS)
            stack.callback(process.terminate)
        with arbiter(own, *arguments) as second, grpc.insecure_channel(second.address) as channel:
            stub = tournament_service_pb2_grpc.TournamentServiceStub(channel)
            caller = caller._replace(service=stub)
            assert caller.get().state == pb.TOURNAMENT_STATE_PAUSED
            position = caller.kill_at_a_board(second, position)
        with arbiter(own, *arguments) as third, grpc.insecure_channel(third.address) as channel:
            stub = tournament_service_pb2_grpc.TournamentServiceStub(channel)
            caller = caller._replace(service=stub)
            updates = list(caller.watch(position))
            assert updates[-1].end.reason == table_pb2.STREAM_END_REASON_TOURNAMENT_ENDED
            numbers = [one.event.sequence for one in updates if one.HasField("event")]
            assert numbers == list(range(position + 1, position + 1 + len(numbers)))
            standings = stub.GetStandings(
                pb.GetStandingsRequest(tournament_id=name), metadata=player
            )
            assert [one.boards for one in standings.standings] == [BOARDS] * 3
            assert not any(one.faults for one in standings.standings)
            pairings = stub.ListPairings(
                pb.ListPairingsRequest(tournament_id=name), metadata=player
            ).pairings
            assert [one.board for one in pairings] == list(range(1, BOARDS + 1))
            assert all(one.is_counted for one in pairings)
            cells = stub.GetCrossTable(
                pb.GetCrossTableRequest(tournament_id=name), metadata=player
            ).cells
            assert [(one.entrant, one.opponent) for one in cells] == [(0, 1), (0, 2), (1, 2)]
            ratings = rating_service_pb2_grpc.RatingServiceStub(channel)
            rated = rating_service_pb2.GetRatingRequest(game=game_pb2.GAME_KIND_POKEX)
            rated.player.player_id = "ann"
            assert ratings.GetRating(rated, metadata=player).rating.boards == BOARDS
            third.process.terminate()
            assert third.process.wait(SECONDS) == 0
