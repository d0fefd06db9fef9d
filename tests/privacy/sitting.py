"""A story at a table of a real server, and the streams of one audience of it.

The other seats are played through the contract by a client of their own. In sealed windows the
audience answers last: when others answered there is a matter of time, which the promise does not
cover. An audience without a seat watches and asks.
"""

from __future__ import annotations

import hashlib
import random
from itertools import islice
from typing import Final

import grpc

from croupier.v1 import (
    play_service_pb2,
    session_service_pb2,
    spectate_service_pb2,
    table_pb2,
    table_service_pb2,
)
from croupier_server.errors import CroupierError
from croupier_server.games.base import PUBLIC, Move, Seat, Turn
from croupier_server.games.modules import WIRES_BY_NAME
from croupier_server.tables.match.table import Table
from tests.privacy.asking import PLAY, TABLES, glance, knock, look_around, look_once
from tests.privacy.serving import SEED, Manner, Served, Times, Way
from tests.privacy.stories import Answers, Story, Telling
from tests.privacy.subjects import SECRETS
from tests.privacy.tap import CHANNEL, SessionStream, Stream, Tap, Watch, WatchSeats

PROBES_MAX: Final = 20
"""So many moves are tried with each decision."""

LOOK_EVERY: Final = 40
"""After so many answers all is asked that can be."""


def nonce(seat: Seat) -> bytes:
    """The nonce of *seat*, the same in every world."""
    return hashlib.sha256(f"nonce of seat {seat}".encode()).digest()


class Sitting:
    """A story at a table of a server, and the audience's streams."""

    def __init__(
        self, served: Served, game: str, audience: Seat, way: Way, times: Times, manner: Manner
    ) -> None:
        self.served = served
        self.secrets = SECRETS[game]
        self.wire = WIRES_BY_NAME[game]
        self.audience = audience
        self.way = way
        self.times = times
        self.manner = manner
        self.table: Table | None = None
        self.seats: list[Tap] = []
        self.session: SessionStream | None = None
        self.streams: list[Stream] = []
        self.lobby: Watch | None = None

    async def open(self, story: Story, own: grpc.aio.Channel, others: grpc.aio.Channel) -> None:
        """Make the table, sit everybody down, open the audience's streams, start the match."""
        self.tap = Tap(own)
        self.host = Tap(others)
        made = table_service_pb2.CreateTableResponse.FromString(
            await self.host.call(f"{TABLES}/CreateTable", self._request(story))
        )
        self.table = self.served.shard.table(made.table.table_id)
        self.host.metadata = (("croupier-host-ticket", made.host_ticket),)
        for seat in range(story.players):
            self.seats.append(self.tap if seat == self.audience else Tap(others))
            await self._join(seat)
        await self._open_streams()
        if self.times.window:
            # Otherwise a message here tells how soon windows closed, which is time.
            watching = table_service_pb2.WatchLobbyRequest(follow=True)
            self.lobby = Watch(self.tap, f"{TABLES}/WatchLobby", watching)
            # The table, then the mark that all are there, which has another field number.
            await self.lobby.take()
            await self.lobby.take()
        start = table_service_pb2.StartTableRequest(table_id=self.name)
        await self.host.call(f"{TABLES}/StartTable", start)
        if self.manner.is_match:
            for seat, tap in enumerate(self.seats):
                opening = play_service_pb2.OpenNonceRequest(table_id=self.name, nonce=nonce(seat))
                await tap.call(f"{PLAY}/OpenNonce", opening)
        await look_once(self.tap, self.wire.kind)
        await knock(self.tap, self.name)

    def _request(self, story: Story) -> table_service_pb2.CreateTableRequest:
        spec = table_pb2.TableSpec(
            game=self.wire.kind,  # type: ignore[arg-type]  # a number of GameKind
            ruleset="standard",
            options=self.wire.options_message(story.options),
            shared_seats=True,
            start_mode=table_pb2.START_MODE_MANUAL,
        )
        if not self.manner.is_match:
            spec.deal_source.fixed.seed = SEED
        spec.clock.window_time.FromMilliseconds(self.times.window)
        spec.clock.base.FromMilliseconds(self.times.base)
        spec.spectator_delay.decisions = self.manner.delay
        spec.spectator_delay.time.FromMilliseconds(self.manner.delay_ms)
        return table_service_pb2.CreateTableRequest(spec=spec)

    @property
    def name(self) -> str:
        """The table's id."""
        assert self.table is not None
        return self.table.spec.table_id

    async def _join(self, seat: Seat) -> None:
        tap = self.seats[seat]
        joining = table_service_pb2.JoinTableRequest(table_id=self.name, seat=seat)
        if self.manner.is_match:
            joining.nonce_hash = hashlib.sha256(nonce(seat)).digest()
        joined = table_service_pb2.JoinTableResponse.FromString(
            await tap.call(f"{TABLES}/JoinTable", joining)
        )
        tap.hold(joined.ticket)

    # Streams ---------------------------------------------------------------------------------

    async def _open_streams(self, epoch: int = 0, after: tuple[int, ...] = (0, 0)) -> None:
        """Open the audience's streams, each behind what it has seen."""
        first, last = after[0], after[-1]
        if self.audience != PUBLIC:
            await self._open_seat(epoch, first)
        spectating = spectate_service_pb2.SpectateTableRequest(
            table_id=self.name, table_epoch=epoch, after_sequence=last
        )
        method = "croupier.v1.SpectateService/SpectateTable"
        self.streams.append(Watch(self.tap, method, spectating))
        for stream in self.streams:
            await stream.until(_is_start)

    async def _open_seat(self, epoch: int, after: int) -> None:
        transport, view_mode = self.way.value
        if transport == "session":
            ticket = dict(self.tap.metadata)["croupier-ticket"]
            self.session = SessionStream(self.tap, self.name, ticket, view_mode, epoch, after)
            await self.session.open()
            self.streams.insert(0, self.session)
        elif transport == "seats":
            ticket = dict(self.tap.metadata)["croupier-ticket"]
            opening = session_service_pb2.ChannelOpen(
                channel=CHANNEL,
                table_id=self.name,
                ticket=ticket,
                view_mode=view_mode,
                table_epoch=epoch,
                after_sequence=after,
            )
            seats = play_service_pb2.WatchTablesRequest(opens=[opening])
            self.streams.insert(0, WatchSeats(self.tap, f"{PLAY}/WatchTables", seats))
        else:
            watching = play_service_pb2.WatchTableRequest(
                table_id=self.name, view_mode=view_mode, table_epoch=epoch, after_sequence=after
            )
            self.streams.insert(0, Watch(self.tap, f"{PLAY}/WatchTable", watching))

    async def _break_off(self) -> None:
        """Now and then: lose the streams and take them up where they were, or with what another
        life of the table had, or from the start; or join again, which ends the seat's stream."""
        seen = tuple(stream.sequence for stream in self.streams)
        turn = self.tap.step // 3 % 4
        if turn == 0 and self.audience != PUBLIC:
            older = self.streams.pop(0)
            await self._join(self.audience)
            await older.close()
            await self._open_seat(0, 0)
            await self.streams[0].until(_is_start)
            return
        for stream in self.streams:
            stream.cut()
        self.streams.clear()
        epoch, after = ((1, seen), (9, seen), (1, (1, 1)))[turn - 1]
        await self._open_streams(epoch, after)

    async def settle(self) -> None:
        """Read all that is due to the audience, up to a heartbeat."""
        self.served.shard.heartbeat()
        for stream in self.streams:
            await stream.until(lambda update: update.HasField("heartbeat"))

    # Play ------------------------------------------------------------------------------------

    async def play(self, story: Story) -> None:
        """Give every answer of the story, the audience's last."""
        telling = Telling(story)
        telling.put_chance()
        for answers in story.answers:
            self.tap.step += 1
            if not await self._answer(telling, answers):
                return
            telling.answer(answers)
            telling.put_chance()
            if story.rules.turn(telling.state) is Turn.OVER:
                return  # no heartbeats come any more, and the record tells everything
            if self.times.window or story.rules.turn(telling.state) is Turn.MOVE:
                await self.settle()
                if self.manner.is_rough and self.tap.step % 3 == 0:
                    await self._break_off()
                await self._look_around(telling)

    async def _answer(self, telling: Telling, answers: Answers) -> bool:
        """The answers of one decision or window; False if the story cannot go on.

        The audience's answer was refused, or a clock has run out: in both worlds, or it shows.
        """
        is_asked = self.audience in answers
        is_window = telling.story.rules.turn(telling.state) is Turn.WINDOW
        if is_asked:
            await self._wait_for_decision()
        if not is_window:
            await self._pass_time(self.times.move)
        elif is_asked:
            await self._pass_time(self.times.sealed)
        assert self.table is not None
        if any(self.table.match.decisions[seat] is None for seat in answers):
            return False
        for seat in sorted(answers):
            if seat != self.audience:
                await self._submit(self.seats[seat], self._decision_id(seat), answers[seat])
        if is_window and (is_asked or self.times.window):
            await self.settle()
        if is_asked:
            decision_id = self._decision_id(self.audience)
            await self._probe(telling, decision_id)
            if not await self._submit_own(decision_id, answers[self.audience]):
                return False
            # Once more, and another one.
            await self._submit(self.tap, decision_id, answers[self.audience])
            await self._submit(self.tap, decision_id, self.secrets.other_move)
        if is_window:
            await self._pass_time(self.times.window)
        return True

    async def _pass_time(self, milliseconds: int) -> None:
        if milliseconds:
            self.served.clock.advance(milliseconds)
            self.served.shard.tick()
            await self.served.shard.committed()

    def _decision_id(self, seat: Seat) -> str:
        assert self.table is not None
        decision = self.table.match.decisions[seat]
        assert decision is not None
        return decision.id

    async def _wait_for_decision(self) -> None:
        decision_id = self._decision_id(self.audience)
        stream = self.streams[0]
        while decision_id not in stream.decisions:
            await stream.until(lambda update: update.HasField("decision"))

    async def _submit(self, tap: Tap, decision_id: str, move: Move) -> bool:
        request = play_service_pb2.SubmitMoveRequest(
            table_id=self.name, decision_id=decision_id, move=self.wire.move_message(move)
        )
        return bool(await tap.call(f"{PLAY}/SubmitMove", request))

    async def _submit_own(self, decision_id: str, move: Move) -> bool:
        """The audience's answer, as it plays; whether it was accepted."""
        if self.session is None:
            return await self._submit(self.tap, decision_id, move)
        replies: list[bool] = []

        def is_reply(update: table_pb2.TableUpdate) -> bool:
            is_accepted = update.HasField("move_accepted")
            if is_accepted or update.HasField("move_refused"):
                replies.append(is_accepted)
                return True
            return False

        await self.session.submit(decision_id, self.wire.move_message(move))
        await self.session.until(is_reply)
        return replies[0]

    # Asking ----------------------------------------------------------------------------------

    async def _look_around(self, telling: Telling) -> None:
        """What anybody may ask at any time, now and then."""
        if self.tap.step % 5:
            return
        assert self.table is not None
        sequence = self.table.journal.sequence
        await glance(self.tap, self.name)
        if self.tap.step % LOOK_EVERY == 5:
            await look_around(self.tap, self.name, sequence)
        if self.audience not in telling.story.rules.to_act(telling.state):
            for other in range(telling.story.players):
                await self._submit(self.tap, f"{sequence}-{other}", 1)

    async def _probe(self, telling: Telling, decision_id: str) -> None:
        """Moves of all sorts, and what is legal, for the open decision."""
        name = self.name
        state, seat = telling.state, self.audience
        rng = random.Random(self.tap.step)
        moves = list(self.secrets.probes(state.hands[seat], rng))
        moves = rng.sample(moves, min(PROBES_MAX, len(moves)))
        for move in moves:
            request = play_service_pb2.CheckMoveRequest(
                table_id=name, decision_id=decision_id, move=self.wire.move_message(move)
            )
            await self.tap.call(f"{PLAY}/CheckMove", request)
        for move in islice((one for one in moves if is_illegal(telling, seat, one)), 3):
            await self._submit_own(decision_id, move)
        token = ""
        for _ in range(2):
            listing = play_service_pb2.ListLegalMovesRequest(
                table_id=name, decision_id=decision_id, page_size=30, page_token=token
            )
            answer = await self.tap.call(f"{PLAY}/ListLegalMoves", listing)
            token = play_service_pb2.ListLegalMovesResponse.FromString(answer).next_page_token
            if not token:
                break
        viewing = play_service_pb2.GetSeatViewRequest(table_id=name)
        await self.tap.call(f"{PLAY}/GetSeatView", viewing)

    # The end ---------------------------------------------------------------------------------

    async def close(self) -> None:
        """Stop the table, then the server; all streams end."""
        if self.manner.is_rough:
            self.served.shard.drain()
            await look_once(self.tap, self.wire.kind)
            await look_around(self.tap, self.name, 1)
        elif self.manner.is_match and self.audience != PUBLIC:
            conceding = play_service_pb2.ConcedeRequest(table_id=self.name)
            await self.tap.call(f"{PLAY}/Concede", conceding)
        else:
            stopping = table_service_pb2.AbortTableRequest(table_id=self.name)
            await self.host.call(f"{TABLES}/AbortTable", stopping)
        if self.manner.delay_ms:
            await self._pass_time(self.manner.delay_ms)
        for stream in self.streams:
            await stream.close()
        if self.lobby is not None:
            self.served.shard.drain()
            await self.lobby.close()


def _is_start(update: table_pb2.TableUpdate) -> bool:
    return update.HasField("snapshot") or update.HasField("resumed")


def is_illegal(telling: Telling, seat: Seat, move: Move) -> bool:
    """Whether the rules refuse *move*."""
    try:
        telling.story.rules.check(telling.state, seat, move)
    except CroupierError:
        return True
    return False
