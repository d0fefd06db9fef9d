"""What `make crash` judges by: a real match passes, and each thing that could go wrong does not."""

from __future__ import annotations

import pickle
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from croupier.clock import Clock
from croupier.record.v1 import record_pb2
from scripts.live.judging import Span, Verdict, judge, open_ms
from scripts.live.notes import Note, merged, packed
from scripts.live.players import Players
from scripts.live.process import Server
from scripts.live.records import record_of
from tests.sim.promises.observed import Acknowledged, Observation, Told
from tests.sim.promises.retold import Step


class Match(NamedTuple):
    """A match that was played on a real server, as its clients noted it."""

    table_id: str
    notes: list[Note]
    record: record_pb2.MatchRecord

    def judged(self, folder: Path, spans: list[Span] | None = None) -> Verdict:
        """What the judge says of it."""
        path = folder / "notes"
        with path.open("wb") as file:
            for note in self.notes:
                pickle.dump(packed(note), file)
        data = self.record.SerializeToString()
        return judge(self.table_id, "tongits", [path], data, spans or [])

    def with_notes(self, change: Callable[[Observation], list[Observation]]) -> Match:
        """The same with other notes."""
        return self._replace(notes=[(at, new) for at, seen in self.notes for new in change(seen)])


@pytest.fixture(params=["session", "watch"])
async def match(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Match]:
    """A match of Tong-its with a clock, one seat of which sees events."""
    server = Server("memory:", tmp_path / "log")
    server.spawn()
    server.listen()
    players = Players(server.address, 1, tmp_path, request.param)
    try:
        async with players.client as client:
            made = await client.create_table(
                "tongits",
                options={"max_hands": 4},
                seats=["reserved"] * 3,
                shared_seats=True,
                clock=Clock(per_move=20, base=60),
            )
            codes = made.invites.items()
            seats = [
                {"seat": seat, "invite": code, "events": seat == 1, "think_s": 0.01}
                for seat, code in codes
            ]
            await players.take({"table": made.table_id, "seats": seats, "spectators": 1})
            record = await record_of(client, made.table_id)
        await players.close()
        yield Match(made.table_id, list(merged([tmp_path / f"{made.table_id}-1"])), record)
    finally:
        server.close()


def drop_an_event(seen: Observation) -> list[Observation]:
    is_it = isinstance(seen, Told) and seen.update.event.sequence == 9
    return [] if is_it else [seen]


def tell_it_twice(seen: Observation) -> list[Observation]:
    return [seen, seen] if isinstance(seen, Told) and seen.update.event.sequence == 9 else [seen]


def acknowledge_another(seen: Observation) -> list[Observation]:
    if isinstance(seen, Acknowledged):
        return [seen._replace(sequence=seen.sequence + 1)]
    return [seen]


@pytest.mark.more
async def test_durable_a_real_match_is_judged_by_all_that_its_clients_saw(
    match: Match, tmp_path: Path
) -> None:
    verdict = match.judged(tmp_path)
    assert verdict.fault == ""
    last = max(row.sequence for row in match.record.rows)
    assert last - 6 <= verdict.counts["distinct events"] <= last  # the first are in snapshots
    assert verdict.counts["acknowledgements"] == verdict.counts["answers sent"] > 10
    for change, words in (
        (drop_an_event, "Gapless is broken"),
        (tell_it_twice, "Unique is broken"),
        (acknowledge_another, "Durable is broken"),
    ):
        assert words in match.with_notes(change).judged(tmp_path).fault, words


@pytest.mark.more
async def test_durable_a_record_that_is_not_what_was_seen_is_caught(
    match: Match, tmp_path: Path
) -> None:
    del match.record.rows[-1]
    assert "Durable is broken" in match.judged(tmp_path).fault


@pytest.mark.more
async def test_fair_a_seat_that_is_charged_for_more_than_it_took_is_caught(
    match: Match, tmp_path: Path
) -> None:
    row = next(row for row in match.record.rows if row.input.HasField("move") and row.sequence > 8)
    row.input.move.charged.FromMilliseconds(3_000)
    fault = match.judged(tmp_path).fault
    assert "Fair is broken" in fault
    assert "3000 ms were charged" in fault


def test_fair_behind_an_outage_a_question_counts_from_when_it_is_asked_again() -> None:
    """It was due at 1,000, the server was down from 2,000 to 9,000, and it was asked again at
    10,000 and answered at 10,400: that is 400 and not 9,400."""
    step = Step(8, 10_400, 0, "7-0", b"", False, 400, 0, 1)
    spans = [Span(2_000, 9_000)]
    asked = {"7-0": [1_010, 10_000]}
    assert open_ms(1_000, step, asked, {}, spans) == 400
    assert open_ms(1_000, step, {"7-0": [1_010]}, {}, spans) is None
    assert open_ms(1_000, step, asked, {}, [Span(11_000, 12_000)]) is None
    sealed = replace(step, sequence=0)
    assert open_ms(1_000, sealed, asked, {"7-0": [10_100]}, spans) == 100
