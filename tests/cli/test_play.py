"""`croupier play` against a real server with bots in processes of their own."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from croupier.record.v1 import record_pb2
from croupier.v1 import game_pb2
from croupier_server.bench.served import server
from croupier_server.cli import run
from croupier_server.config import Settings
from croupier_server.contest import arena
from croupier_server.contest.players import RESTARTS_MAX
from croupier_server.games.registry import GAMES
from tests.cli.contests import ONE_DEAL, play, scores
from tests.clients.arena import SHORT
from tests.e2e.serving import served

WORST_DEAL = 12
"""Levels that one deal of Tractor can cost."""

PROGRAM = Path(sys.executable).parent / "croupier"

BOTS = """
import os
import shutil

import croupier


class Careful(croupier.Bot):
    def decide(self, view, decision):
        return decision.legal[0]


class Lost(croupier.Bot):
    def decide(self, view, decision):
        raise ValueError("I am lost")


class NoBot:
    pass


class Unmade(croupier.Bot):
    def __init__(self):
        raise ValueError("I am not made")


class Unready(croupier.Bot):
    def on_start(self, table, seat):
        raise ValueError("I am not ready")

    def decide(self, view, decision):
        return decision.legal[0]


class Cheat(croupier.Bot):
    def decide(self, view, decision):
        return croupier.tractor.play("RJ RJ RJ")


class Quitter(croupier.Bot):
    def decide(self, view, decision):
        raise SystemExit("I quit")


class Vandal(croupier.Bot):
    def decide(self, view, decision):
        shutil.rmtree(os.environ["VANDALISED"], ignore_errors=True)
        return decision.legal[0]


class Moody(croupier.Bot):
    def decide(self, view, decision):
        if view.seat == 0 and view.deal == 2:
            raise ValueError("not again")
        return decision.legal[0]


class Dead(croupier.Bot):
    def decide(self, view, decision):
        os.write(2, b"farewell\\n")
        os._exit(7)


class Starter(croupier.Bot):
    started = []

    async def decide(self, view, decision):
        import asyncio
        import subprocess

        if not self.started:
            self.started.append(subprocess.Popen(["sleep", "3600"], start_new_session=True))
            os.write(2, b"zzz\\n")
        await asyncio.sleep(3600)


class Tired(croupier.Bot):
    tables = set()

    async def decide(self, view, decision):
        import asyncio

        self.tables.add(decision.table_id)
        if len(self.tables) > 2:
            os.write(2, b"zzz\\n")
            await asyncio.sleep(3600)
        return decision.legal[0]


class Asleep(croupier.Bot):
    async def decide(self, view, decision):
        import asyncio

        os.write(2, b"zzz\\n")
        await asyncio.sleep(3600)
"""


@pytest.fixture
def bots(tmp_path: Path) -> Path:
    file = tmp_path / "bots.py"
    file.write_text(BOTS)
    return file


@pytest.mark.more
def test_a_contest_writes_results_and_records(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    status, data = play(out, "--bots", "greedy,random", "--matches", "4", "--seed", "5", *ONE_DEAL)
    assert status == 0
    shown = capsys.readouterr()
    assert f"records: {out}" in shown.out
    assert "greedy" in shown.out
    assert "played 4 of 4 matches" in shown.err
    assert [match["reason"] for match in data["matches"]] == ["FINISHED"] * 4
    assert [match["board"] for match in data["matches"]] == [1, 1, 2, 2]
    seats = [match["seats"] for match in data["matches"]]
    assert seats == [["greedy", "random"] * 2, ["random", "greedy"] * 2] * 2
    ours, theirs = data["entrants"]
    assert ours["won"] == theirs["lost"]
    assert ours["score"] == sum(match["score"] for match in data["matches"]) / 4
    for match in data["matches"]:
        record = record_pb2.MatchRecord.FromString((out / match["record"]).read_bytes())
        assert record.table.table_id == match["table_id"]
        first = match["seats"].index("greedy")
        assert record.result.seats[first].score == match["score"]
    # Both tables of a board have the same cards, and the first record can be replayed.
    roots = [
        record_pb2.MatchRecord.FromString((out / match["record"]).read_bytes()).reveal.root
        for match in data["matches"]
    ]
    assert roots[0] == roots[1] != roots[2] == roots[3]
    # What bots read of a board does not tell the seed, from which its cards follow.
    tables = [
        record_pb2.MatchRecord.FromString((out / match["record"]).read_bytes()).table
        for match in data["matches"]
    ]
    ids = [table.spec.deal_source.board.board_id for table in tables]
    assert ids[0] == ids[1] != ids[2] == ids[3]
    assert not any(part == "5" for name in ids for part in name.split("/"))
    assert run(["replay", str(out / data["matches"][0]["record"]), "--seat", "2"]) == 0
    told = capsys.readouterr().out
    assert "2 greedy draws" in told
    assert "3 random draws " not in told.replace("draws first", "")


@pytest.mark.more
def test_the_same_seed_gives_the_same_results(tmp_path: Path) -> None:
    arguments = ["--bots", "random,greedy,random", "--matches", "2", "--seed", "8", *ONE_DEAL]
    _, first = play(tmp_path / "a", *arguments, "--in-flight", "1")
    _, again = play(tmp_path / "b", *arguments, "--in-flight", "6")
    assert scores(first) == scores(again)
    played = [
        [moves((tmp_path / folder / match["record"]).read_bytes()) for match in data["matches"]]
        for folder, data in (("a", first), ("b", again))
    ]
    assert played[0] == played[1]
    assert len({tuple(own) for own in played[0]}) == len(played[0])


def moves(record: bytes) -> list[bytes]:
    """What was played: the moves of a record in order."""
    rows = record_pb2.MatchRecord.FromString(record).rows
    return [row.input.move.move.SerializeToString() for row in rows if row.input.HasField("move")]


@pytest.mark.more
@pytest.mark.parametrize("ruleset", ["document", "qq"])
def test_other_rulesets_sizes_and_one_seating(tmp_path: Path, ruleset: str) -> None:
    arguments = ["--bots", "random,random", "--matches", "2", "--one-seating", *ONE_DEAL]
    sizes = ["--players", "6", "--packs", "3", "--ruleset", ruleset]
    status, data = play(tmp_path / "out", *arguments, *sizes)
    assert status == 0
    assert [match["board"] for match in data["matches"]] == [1, 2]
    seats = [match["seats"] for match in data["matches"]]
    assert seats == [["random", "random#2"] * 3, ["random#2", "random"] * 3]


def test_any_program_can_play(tmp_path: Path, bots: Path) -> None:
    script = tmp_path / "any-program"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -m croupier.worker --bot "$1"\n')
    script.chmod(0o755)
    entrants = ["--bots", f"cmd:{script} {bots}:Careful", "--bots", "random"]
    status, data = play(tmp_path / "out", *entrants, "--matches", "2", *ONE_DEAL)
    assert status == 0
    assert [entrant["name"] for entrant in data["entrants"]] == ["any-program", "random"]
    assert data["entrants"][0]["matches"] == 2


# Plays one seat after the other, so no match ever begins.
ONE_BY_ONE = """
import json, os, sys
import croupier
from croupier.bots import RandomBot

for line in os.fdopen(int(os.environ["CROUPIER_INVITES_FD"])):
    seat = json.loads(line)
    croupier.run(RandomBot, seat["address"], table=seat["table_id"], invite=seat["invite_code"])
"""


# Takes every seat and leaves it again.
LEAVING = """
import asyncio, json, os
import croupier

async def main():
    for line in os.fdopen(int(os.environ["CROUPIER_INVITES_FD"])):
        seat = json.loads(line)
        async with croupier.connect(seat["address"]) as client:
            ticket = await client.join(seat["table_id"], invite=seat["invite_code"])
            await client.leave(ticket)

asyncio.run(main())
"""


@pytest.mark.more
@pytest.mark.attack
@pytest.mark.parametrize("text", [ONE_BY_ONE, LEAVING], ids=["one by one", "leaving"])
def test_a_match_whose_seats_are_not_taken_is_given_up(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arena, "SEATS_S", 3.0)
    script = tmp_path / "absentee"
    script.write_text(f"#!{sys.executable}\n{text}")
    script.chmod(0o755)
    entrants = ["--bots", f"cmd:{script}", "--bots", "random", "--matches", "2"]
    status, data = play(tmp_path / "out", *entrants, *ONE_DEAL)
    assert status == 1
    assert [match["reason"] for match in data["matches"]] == ["FAILED"] * 2
    assert [match["outcome"] for match in data["matches"]] == ["absent"] * 2
    assert [match["score"] for match in data["matches"]] == [-WORST_DEAL] * 2
    assert data["entrants"][0]["faults"] == {"absent": 2}
    assert "absentee did not take every seat within 3 s" in capsys.readouterr().err


# Plays every seat of the first table that it is invited to, and no other table.
CHOOSY = """
import asyncio, json, os
import croupier
from croupier.bots import RandomBot

async def main():
    playing, first = [], None
    for line in os.fdopen(int(os.environ["CROUPIER_INVITES_FD"])):
        seat = json.loads(line)
        first = first or seat["table_id"]
        if seat["table_id"] == first:
            asked = dict(table=first, invite=seat["invite_code"])
            play = asyncio.to_thread(croupier.run, RandomBot, seat["address"], **asked)
            playing.append(asyncio.create_task(play))
            await asyncio.sleep(0)
    await asyncio.gather(*playing)

asyncio.run(main())
"""


# As before, and takes a seat of the other table so often that nobody may take it again; then it
# leaves the seat, so that the match cannot begin.
WEARING = CHOOSY.replace(
    "            await asyncio.sleep(0)\n",
    "            await asyncio.sleep(0)\n        else:\n            await wear(seat)\n",
).replace(
    "async def main",
    """
async def wear(seat):
    async with croupier.connect(seat["address"]) as client:
        try:
            while True:
                ticket = await client.join(seat["table_id"], invite=seat["invite_code"])
        except croupier.Refused as error:
            assert error.reason == "TOO_MANY_JOINS", error
        await client.leave(ticket)

async def main""",
    1,
)


@pytest.mark.more
@pytest.mark.attack
@pytest.mark.parametrize("text", [CHOOSY, WEARING], ids=["choosy", "wearing"])
def test_a_table_that_never_begins_does_not_hold_up_its_board(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arena, "SEATS_S", 3.0)
    script = tmp_path / "choosy"
    script.write_text(f"#!{sys.executable}\n{text}")
    script.chmod(0o755)
    entrants = ["--bots", f"cmd:{script}", "--bots", "random", "--boards", "1"]
    _, data = play(tmp_path / "out", *entrants, *ONE_DEAL)
    assert [match["outcome"] for match in data["matches"]] == ["played", "absent"]
    assert data["matches"][1]["score"] == -WORST_DEAL


# Lets the server forget the first match that ends, among tables of its own, and dies.
FORGETTING = """
import asyncio, os
import croupier, grpc
from croupier.bots import RandomBot
from croupier.invites import play_invites
from croupier.v1 import game_pb2, table_pb2, table_service_pb2, table_service_pb2_grpc

class Forgetting(croupier.Bot):
    tables = []

    def __init__(self, invite):
        self.address, self.table, self.random = invite.address, invite.table_id, RandomBot()
        self.tables.append(self.table)
        with open(__file__ + ".log", "a") as log:
            print(self.table, file=log)

    async def decide(self, view, decision):
        if self.table != self.tables[0]:
            await asyncio.Event().wait()
        return self.random.decide(view, decision)

    def on_end(self, result):
        with grpc.insecure_channel(self.address) as channel:
            tables = table_service_pb2_grpc.TableServiceStub(channel)
            for _ in range(ENDED_MAX + 1):
                spec = table_pb2.TableSpec(game=game_pb2.GAME_KIND_POKEX)
                request = table_service_pb2.CreateTableRequest(spec=spec)
                made = tables.CreateTable(request)
                request = table_service_pb2.AbortTableRequest(table_id=made.table.table_id)
                ticket = (("croupier-host-ticket", made.host_ticket),)
                tables.AbortTable(request, metadata=ticket)
        os._exit(1)

asyncio.run(play_invites(Forgetting, int(os.environ["CROUPIER_INVITES_FD"])))
"""


@pytest.mark.more
@pytest.mark.attack
def test_a_match_that_the_server_has_forgotten_counts_by_its_record(tmp_path: Path) -> None:
    script = tmp_path / "forgetting"
    ended_max = Settings.model_fields["ended_max"].default
    text = FORGETTING.replace("ENDED_MAX", str(ended_max))
    script.write_text(f"#!{sys.executable}\n{text}")
    script.chmod(0o755)
    entrants = ["--bots", f"cmd:{script}", "--bots", "random", "--boards", "1"]
    _, data = play(tmp_path / "out", *entrants, *ONE_DEAL, game="pokex")
    assert sorted(match["outcome"] for match in data["matches"]) == ["crashed", "played"]
    tables = set(script.with_suffix(".log").read_text().split())
    assert len(tables) == len(data["matches"]), "a match was played again"


# The server ---------------------------------------------------------------------------------------


def halt(monkeypatch: pytest.MonkeyPatch, times: int) -> list[str]:
    """Let the first records of a contest say that the server halted the table; the tables."""
    take, halted = arena.Arena._take, list[str]()

    def spoil(self: arena.Arena, record: record_pb2.MatchRecord) -> None:
        if len(halted) < times:
            halted.append(record.table.table_id)
            record.result.Clear()
            record.result.reason = game_pb2.END_REASON_HALTED
        take(self, record)

    monkeypatch.setattr(arena.Arena, "_take", spoil)
    return halted


@pytest.mark.more
def test_what_the_server_spoils_is_played_again_on_the_same_cards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ["--bots", "greedy,random", "--boards", "2", "--seed", "3", *ONE_DEAL]
    _, undisturbed = play(tmp_path / "before", *arguments)
    halted = halt(monkeypatch, 3)
    status, data = play(tmp_path / "after", *arguments)
    assert len(halted) == 3
    assert status == 0
    assert scores(data) == scores(undisturbed)
    assert not set(halted) & {match["table_id"] for match in data["matches"]}


@pytest.mark.more
def test_what_the_server_spoils_again_and_again_counts_for_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    halted = halt(monkeypatch, 1000)
    status, data = play(tmp_path / "out", "--bots", "greedy,random", "--boards", "1", *ONE_DEAL)
    assert status == 1
    assert arena.TRIES <= len(halted) <= 2 * arena.TRIES
    assert [match["outcome"] for match in data["matches"]] == ["server_fault"] * 2
    for entrant in data["entrants"]:
        assert (entrant["matches"], entrant["failed"], entrant["score"]) == (0, 2, None)
    assert "a match ended as HALTED (2 matches)" in capsys.readouterr().err


@pytest.mark.more
@pytest.mark.attack
@pytest.mark.parametrize(
    ("bot", "outcome", "words"),
    [
        ("Dead", "crashed", "Dead ended with status 7: farewell"),
        ("NoBot", "crashed", "has no class NoBot that is a croupier.Bot"),
        ("Lost", "conceded", "by Lost, see "),
        ("Unmade", "conceded", "by Unmade, see "),
        ("Unready", "conceded", "by Unready, see "),
        ("Cheat", "struck_out", "by Cheat, see "),
        ("Quitter", "conceded", "by Quitter, see "),
    ],
)
def test_a_bot_that_fails_loses(
    tmp_path: Path,
    bots: Path,
    bot: str,
    outcome: str,
    words: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    arguments = ["--bots", f"{bots}:{bot},random", "--matches", "3", "--in-flight", "2"]
    status, data = play(tmp_path / "out", *arguments, *ONE_DEAL)
    assert status == 1
    shown = capsys.readouterr()
    assert words in shown.err
    assert outcome.replace("_", " ") in shown.out
    assert [match["outcome"] for match in data["matches"]] == [outcome] * 3
    assert [match["at_fault"] for match in data["matches"]] == [[bot]] * 3
    assert [match["score"] for match in data["matches"]] == [-WORST_DEAL] * 3
    loser, winner = data["entrants"]
    assert (loser["won"], loser["lost"], loser["failed"]) == (0, 3, 0)
    assert (winner["won"], winner["lost"], winner["failed"]) == (3, 0, 0)
    assert (loser["faults"], winner["faults"]) == ({outcome: 3}, {})
    told = {
        "Lost": "I am lost",
        "Unmade": "I am not made",
        "Unready": "I am not ready",
        "Cheat": "MOVE_NOT_EXPECTED: ",
        "Quitter": "I quit",
    }
    if bot in told:
        assert told[bot] in (tmp_path / "out" / f"{bot}.log").read_text()


@pytest.mark.more
@pytest.mark.attack
def test_a_bot_that_sleeps_forfeits_where_moves_have_a_time(
    tmp_path: Path, bots: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--bots", f"{bots}:Asleep,random", "--matches", "1", "--move-time", "0.02"]
    status, data = play(tmp_path / "out", *arguments, *ONE_DEAL)
    assert status == 1
    assert data["matches"][0]["reason"] == "FORFEIT"
    assert data["matches"][0]["outcome"] == "timed_out"
    assert "by Asleep, see " in capsys.readouterr().err


@pytest.mark.more
@pytest.mark.attack
def test_an_entrant_that_dies_again_and_again_is_benched(
    tmp_path: Path, bots: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--bots", f"{bots}:Dead,random", "--boards", "4", "--in-flight", "1"]
    _, data = play(tmp_path / "out", *arguments, *ONE_DEAL)
    assert (data["entrants"][0]["lost"], data["entrants"][1]["won"]) == (8, 8)
    assert data["entrants"][0]["faults"].keys() == {"crashed"}
    _, data = play(tmp_path / "more", *[*arguments[:3], "6", *arguments[4:]], *ONE_DEAL)
    faults = data["entrants"][0]["faults"]
    assert faults == {"crashed": 2 * (RESTARTS_MAX + 1), "benched": 12 - 2 * (RESTARTS_MAX + 1)}
    assert data["entrants"][0]["lost"] == 12
    assert f"Dead ended {RESTARTS_MAX + 1} times, the last: " in capsys.readouterr().err


@pytest.mark.more
@pytest.mark.attack
def test_a_fault_at_one_table_leaves_the_others_of_its_board(tmp_path: Path, bots: Path) -> None:
    arguments = ["--bots", f"{bots}:Moody,random", "--boards", "1", "--option", "max_hands=2"]
    _, data = play(tmp_path / "out", *arguments, "--seed", "1", game="tongits")
    outcomes = [match["outcome"] for match in data["matches"]]
    assert sorted(set(outcomes)) == ["conceded", "played"]
    for match in data["matches"]:
        assert (match["at_fault"] == ["Moody"]) == (match["outcome"] == "conceded")
        assert (tmp_path / "out" / match["record"]).exists()


def children_of(pid: int) -> list[int]:
    """Processes whose parent is *pid*."""
    listed = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(pid)], check=False, capture_output=True, text=True
    )
    return [int(word) for word in listed.stdout.split()]


def descendants_of(pid: int) -> list[int]:
    """Processes that *pid* has started, and those that they have."""
    own = children_of(pid)
    return own + [one for child in own for one in descendants_of(child)]


TWO_BOARDS = ("--boards", "2")


@pytest.mark.more
@pytest.mark.attack
@pytest.mark.parametrize(
    ("sent", "status", "words"),
    [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "stopped")],
)
def test_a_signal_stops_everything(
    tmp_path: Path, bots: Path, sent: signal.Signals, status: int, words: str
) -> None:
    out = tmp_path / "out"
    entrants = ["--bots", f"{bots}:Tired,{bots}:Tired", "--option", "max_deals=1"]
    # Tests that a shell runs in the background ignore interrupts, and so would their children.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        process = subprocess.Popen(
            [PROGRAM, "play", "tractor", "--out", out, *entrants, *TWO_BOARDS, "--in-flight", "1"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
    finally:
        signal.signal(signal.SIGINT, before)
    try:
        log = out / "Tired.log"
        while not (log.exists() and "zzz" in log.read_text()):
            assert process.poll() is None, process.communicate()
        started = descendants_of(process.pid)
        assert len(started) == 5
        process.send_signal(sent)
        shown, complaint = process.communicate()
    finally:
        process.kill()
    assert process.returncode == status
    assert complaint.endswith(f"\ncroupier: {words}; played 2 of 4 matches\n")
    assert f"records: {out}" in shown
    data = json.loads((out / "results.json").read_text())
    assert (data["planned"], len(data["matches"])) == (4, 2)
    assert data["entrants"][0]["matches"] == 2
    assert [pid for pid in started if Path(f"/proc/{pid}").exists()] == []


def server_of(pid: int) -> int:
    """The server that the contest *pid* has started."""
    (server,) = [
        child
        for child in children_of(pid)
        if b"\0serve\0" in Path(f"/proc/{child}/cmdline").read_bytes()
    ]
    return server


@pytest.mark.more
@pytest.mark.attack
def test_a_contest_that_is_killed_leaves_nothing(tmp_path: Path, bots: Path) -> None:
    """Neither its server nor a bot, nor what a bot has started in a session of its own."""
    out = tmp_path / "out"
    process = subprocess.Popen(
        [PROGRAM, "play", "tractor", "--out", out, "--bots", f"{bots}:Starter,{bots}:Asleep"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    watched: list[int] = []
    try:
        for log in (out / "Starter.log", out / "Asleep.log"):
            while not (log.exists() and "zzz" in log.read_text()):
                assert process.poll() is None
        started = descendants_of(process.pid)
        assert len(started) == 6
        watched = [os.pidfd_open(pid) for pid in started]
        process.kill()
        for one in watched:
            assert select.select([one], [], [], 10)[0], "a process outlived the contest"
    finally:
        process.kill()
        process.wait()
        for one in watched:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(one, signal.SIGKILL)
            os.close(one)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "--bots"),
        (["--bots", "greedy"], "at least two bots"),
        (["--bots", "greedy,gredy"], "no bot 'gredy'"),
        (["--bots", "greedy,no/such/bot.py:Bot"], "file no/such/bot.py does not exist"),
        (
            ["--bots", "greedy,cmd:no-such-program"],
            "there is no executable program 'no-such-program'",
        ),
        (["--bots", "greedy,random", "--ruleset", "house"], "'house'"),
        (["--bots", "greedy,random", "--option", "colour=red"], "no option 'colour'"),
        (["--bots", "greedy,random", "--option", "protect=all"], "one of none, tractors, tuples"),
        (["--bots", "greedy,random", "--option", "max_deals=0"], "max_deals of tractor"),
        (["--bots", "greedy,random", "--option", "max_deals=1_0"], "max_deals of tractor"),
        (["--bots", "greedy,random", "--option", "contract=must_make"], "set trump_making=auction"),
        (["--bots", "greedy,random", "--option", "protect"], "must have the form name=value"),
        (["--bots", "greedy,random", "--option", "packs=2", "--option", "packs=3"], "given twice"),
        (["--bots", "greedy,random", "--option", "packs=2", "--packs", "3"], "differ"),
        (["--bots", "greedy,random", "--players", "5"], "players"),
        (["--bots", "greedy,random", "--matches", "0"], "--matches"),
        (["--bots", "greedy,random", "--boards", "0"], "--boards"),
        (["--bots", "greedy,random", "--boards", "2", "--matches", "4"], "not both"),
        (["--bots", "greedy,random", "--seed", "x"], "--seed"),
        (["--bots", "greedy,random", "--out", "pyproject.toml"], "cannot create pyproject.toml"),
    ],
)
def test_wrong_input_is_one_line_and_status_2(
    arguments: list[str],
    words: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["play", "tractor", *arguments]) == 2
    shown = capsys.readouterr()
    assert shown.err.startswith("croupier: ")
    assert words in shown.err
    assert shown.err.count("\n") == 1


def test_records_are_not_mixed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "old.croupier").write_text("")
    assert run(["play", "tractor", "--bots", "greedy,random", "--out", str(tmp_path)]) == 2
    assert "already contains records" in capsys.readouterr().err


def test_no_server_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--bots", "greedy,random", "--out", str(tmp_path), "--server", "127.0.0.1:1"]
    assert run(["play", "tractor", *arguments]) == 1
    complaint = capsys.readouterr().err
    assert complaint.startswith("croupier: no Croupier server answers at 127.0.0.1:1")
    assert complaint.count("\n") == 1


@pytest.mark.more
def test_a_server_that_wants_a_key_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before any bot is started."""
    store = f"sqlite:{tmp_path / 'croupier.db'}"
    with served("--auth", "keys", "--store", store) as wanted:
        arguments = ["--bots", "greedy,random", "--out", str(tmp_path / "out")]
        assert run(["play", "tractor", *arguments, "--server", wanted.address]) == 1
    complaint = capsys.readouterr().err
    assert "set CROUPIER_KEY_FILE to a file with a key of the scopes host and play" in complaint
    assert complaint.count("\n") == 1


@pytest.mark.more
@pytest.mark.parametrize("game", GAMES)
def test_a_new_bot_runs_as_it_is(game: str, tmp_path: Path) -> None:
    assert run(["new-bot", "Newcomer", "--game", game, "--dir", str(tmp_path)]) == 0
    file = tmp_path / "newcomer.py"
    short = ["--boards", "1", "--option", f"{SHORT[game]}=1"]
    status, data = play(tmp_path / "out", "--bots", f"{file}:Newcomer,random", *short, game=game)
    assert status == 0
    assert data["entrants"][0]["name"] == "Newcomer"
    with server() as (address, _):
        text = file.read_text().replace("127.0.0.1:7421", address)
        assert address in text
        file.write_text(text)
        done = subprocess.run([sys.executable, file], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "finished" in done.stdout.lower()


@pytest.mark.more
def test_a_given_server_is_used_and_left_alone(tmp_path: Path) -> None:
    with server() as (address, pid):
        arguments = ["--bots", "random,random", "--matches", "2", "--seed", "4", *ONE_DEAL]
        status, here = play(tmp_path / "here", *arguments, "--server", address)
        assert status == 0
        assert Path(f"/proc/{pid}").exists()
        assert not (tmp_path / "here" / "server.log").exists()
    _, own = play(tmp_path / "own", *arguments)
    assert scores(here) == scores(own)


@pytest.mark.more
def test_a_server_that_dies_fails_what_is_left(
    tmp_path: Path, bots: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    entrants = ["--bots", f"{bots}:Asleep,random"]
    process = subprocess.Popen(
        [PROGRAM, "play", "tractor", "--out", out, *entrants, "--matches", "3", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        log = out / "Asleep.log"
        while not (log.exists() and "zzz" in log.read_text()):
            assert process.poll() is None, process.communicate()
        os.kill(server_of(process.pid), signal.SIGKILL)
        shown, complaint = process.communicate()
    finally:
        process.kill()
    assert process.returncode == 1
    assert [match["reason"] for match in json.loads(shown)["matches"]] == ["FAILED"] * 3
    assert "the server was ended by signal 9" in complaint


def test_a_folder_that_takes_no_files_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # A folder in the place of a file refuses it to root too, which a mode would not.
    (tmp_path / "server.log").mkdir()
    entrants = ["--bots", "random,random", "--matches", "1", *ONE_DEAL]
    assert run(["play", "tractor", *entrants, "--out", str(tmp_path)]) == 1
    complaint = capsys.readouterr().err
    assert complaint == f"croupier: cannot write {tmp_path / 'server.log'}: Is a directory\n"


@pytest.mark.more
def test_results_that_cannot_be_kept_are_printed_all_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "results.json").mkdir()
    entrants = ["--bots", "greedy,random", "--matches", "1", *ONE_DEAL]
    assert run(["play", "tractor", *entrants, "--out", str(tmp_path)]) == 1
    shown = capsys.readouterr()
    assert "greedy" in shown.out
    assert f"cannot write {tmp_path / 'results.json'}: Is a directory\n" in shown.err


@pytest.mark.more
def test_results_are_kept_where_nobody_reads_them(tmp_path: Path) -> None:
    out = tmp_path / "out"
    entrants = ["--bots", "greedy,random", "--matches", "1", "--out", str(out), *ONE_DEAL]
    process = subprocess.Popen(
        [PROGRAM, "play", "tractor", *entrants], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    assert b"Traceback" not in process.stderr.read()
    process.stderr.close()
    assert process.wait() == 1
    assert len(json.loads((out / "results.json").read_text())["matches"]) == 1


@pytest.mark.more
def test_a_match_whose_record_cannot_be_kept_has_failed(
    tmp_path: Path, bots: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    monkeypatch.setenv("VANDALISED", str(out))
    entrants = ["--bots", f"{bots}:Vandal,random", "--matches", "2", *ONE_DEAL]
    assert run(["play", "tractor", *entrants, "--out", str(out)]) == 1
    complaints = capsys.readouterr().err.splitlines()
    assert f"croupier: cannot write {out / 'results.json'}: No such file or directory" in complaints
    kept = [line for line in complaints if ".croupier: No such file or directory" in line]
    assert len(kept) == 2
