"""A server small enough to script: tables that ask a number of questions, then end.

It speaks the contract over real gRPC, so that the SDK's transports are tested as they run. What it
does wrong on purpose is set by `Script`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import grpc
from google.protobuf import any_pb2
from google.rpc import error_details_pb2, status_pb2

from croupier.v1 import (
    cards_pb2,
    catalog_service_pb2,
    catalog_service_pb2_grpc,
    errors_pb2,
    game_pb2,
    play_service_pb2,
    play_service_pb2_grpc,
    session_service_pb2,
    session_service_pb2_grpc,
    system_service_pb2,
    system_service_pb2_grpc,
    table_pb2,
    table_service_pb2,
    table_service_pb2_grpc,
    tractor_pb2,
)

Updates = list[table_pb2.TableUpdate]
Context = grpc.aio.ServicerContext[object, object]
End = table_pb2.StreamEnd


def status(reason: str, code: grpc.StatusCode, **metadata: str) -> status_pb2.Status:
    """A status with the details that the contract promises."""
    detail = any_pb2.Any()
    detail.Pack(error_details_pb2.ErrorInfo(reason=reason, domain="croupier", metadata=metadata))
    return status_pb2.Status(code=code.value[0], message=f"{reason} it is", details=[detail])


def refused(word: str) -> errors_pb2.Refusal:
    """A refusal as streams have it; *word* is a reason, or a rule of a game."""
    told = errors_pb2.Refusal(detail=f"{word} it is")
    if f"ERROR_REASON_{word}" in errors_pb2.ErrorReason.keys():  # noqa: SIM118 - no mapping
        told.reason = errors_pb2.ErrorReason.Value(f"ERROR_REASON_{word}")
    else:
        told.reason = errors_pb2.ERROR_REASON_ILLEGAL_MOVE
        told.rule, told.clause = word, "T-6.2"
    return told


async def refuse(context: Context, reason: str, code: grpc.StatusCode) -> None:
    """End a call with a reason."""
    details = status(reason, code).SerializeToString()
    await context.abort(code, reason, (("grpc-status-details-bin", details),))


def with_newer(
    update: table_pb2.TableUpdate, newer: bytes
) -> Iterator[play_service_pb2.WatchTableResponse]:
    """*update* as a newer server sends it: with *newer* in it, and behind messages of its own."""
    response = play_service_pb2.WatchTableResponse
    if newer:
        yield response.FromString(newer)
        yield response(update=table_pb2.TableUpdate.FromString(newer))
        update.MergeFromString(newer)
        if update.HasField("decision"):
            update.decision.MergeFromString(newer)
            update.decision.kind.Clear()
            update.decision.kind.MergeFromString(newer)
            for listed in update.decision.legal.moves:
                listed.MergeFromString(newer)
                listed.kind.Clear()
                listed.kind.MergeFromString(newer)
    yield response(update=update)


@dataclass
class Script:
    """What a table of the fake server does.

    Attributes:
        questions: how many decisions it asks.
        cut_after: stream messages after which the stream breaks, once for each entry.
        wants_nonce: whether it asks for the nonce before it starts.
        refusals: by number of the question, reasons with which its first answers are refused.
        drain_after: question at which the server says that it is going down, once.
        ends: reason with which the channel ends at question 2, in place of going on.
        endpoint: where the table is then, for MOVED.
        silent_result: whether the match ends without a result update.
        newer: bytes of a field or an arm that no stub of today has, which the stream of a table
            sends wherever it can.
    """

    questions: int = 5
    cut_after: list[int] = field(default_factory=list)
    wants_nonce: bool = False
    refusals: dict[int, list[str]] = field(default_factory=dict)
    drain_after: int = -1
    ends: table_pb2.StreamEndReason.ValueType = table_pb2.STREAM_END_REASON_UNSPECIFIED
    endpoint: str = ""
    silent_result: bool = False
    newer: bytes = b""


class FakeTable:
    """One table with one seat of ours."""

    def __init__(self, table_id: str, script: Script) -> None:
        self.table_id = table_id
        self.script = script
        self.asked = 0
        self.answers: list[str] = []
        self.repeats = 0
        self.nonce = b""
        self.nonce_hash = b""
        self.opens: list[int] = []
        self.change = asyncio.Event()
        self.message = table_pb2.Table(
            table_id=table_id,
            table_epoch=1,
            spec=table_pb2.TableSpec(game=game_pb2.GAME_KIND_TRACTOR),
        )
        self.result = game_pb2.MatchResult(
            reason=game_pb2.END_REASON_FINISHED,
            seats=[game_pb2.SeatOutcome(seat=seat, score=2 - seat, place=1) for seat in range(2)],
        )

    @property
    def is_over(self) -> bool:
        return len(self.answers) >= self.script.questions

    def question(self) -> table_pb2.TableUpdate:
        """The open decision."""
        number = len(self.answers)
        moves = [
            game_pb2.LegalMove(
                move=game_pb2.Move(
                    tractor=tractor_pb2.TractorMove(play=tractor_pb2.TractorPlay(cards=[card]))
                ),
                kind=game_pb2.MoveKind(tractor=tractor_pb2.TRACTOR_MOVE_KIND_LEAD_SINGLE),
            )
            for card in (cards_pb2.CARD_TWO_OF_SPADES, cards_pb2.CARD_THREE_OF_SPADES)
        ]
        view = tractor_pb2.TractorView(public_view=tractor_pb2.TractorPublicView(deal=1), seat=0)
        return table_pb2.TableUpdate(
            decision=table_pb2.Decision(
                decision_id=f"{number + 1}-0",
                kind=game_pb2.DecisionKind(tractor=tractor_pb2.TRACTOR_DECISION_KIND_LEAD),
                sequence=number + 1,
                legal=game_pb2.LegalMoves(moves=moves),
                view=game_pb2.SeatView(tractor=view),
            )
        )

    def beginning(self, after_sequence: int) -> Updates:
        """What a fresh stream says first, and what is open."""
        self.opens.append(after_sequence)
        first = table_pb2.TableUpdate(
            snapshot=table_pb2.Snapshot(table=self.message, sequence=len(self.answers))
        )
        if after_sequence:
            first = table_pb2.TableUpdate(resumed=table_pb2.Resumed(table_epoch=1))
        return [first, *self.next_updates()]

    def next_updates(self) -> Updates:
        """What comes next: the nonce, a question, or the end."""
        if self.script.wants_nonce and not self.nonce:
            return [table_pb2.TableUpdate(nonce_wanted=table_pb2.NonceWanted())]
        if len(self.answers) == 2 and self.script.ends:
            ended = End(reason=self.script.ends, detail="scripted", endpoint=self.script.endpoint)
            return [table_pb2.TableUpdate(end=ended)]
        if not self.is_over:
            return [self.question()]
        self.message.result.CopyFrom(self.result)
        end = table_pb2.TableUpdate(end=End(reason=table_pb2.STREAM_END_REASON_MATCH_ENDED))
        if self.script.silent_result:
            return [end]
        return [table_pb2.TableUpdate(result=self.result), end]

    def take(self, decision_id: str, move: game_pb2.Move) -> str | None:
        """An answer; returns the reason if it is refused."""
        number = int(decision_id.partition("-")[0]) - 1
        card = str(move.tractor.play.cards[0])
        if number < len(self.answers):
            self.repeats += 1
            return None if self.answers[number] == card else "DECISION_ANSWERED"
        if pending := self.script.refusals.get(number):
            return pending.pop(0)
        self.answers.append(card)
        return None


if TYPE_CHECKING:

    class _Services:
        """To the type checker the servicers are abstract; not every call is scripted."""

else:

    class _Services(
        system_service_pb2_grpc.SystemServiceServicer,
        catalog_service_pb2_grpc.CatalogServiceServicer,
        table_service_pb2_grpc.TableServiceServicer,
        play_service_pb2_grpc.PlayServiceServicer,
        session_service_pb2_grpc.SessionServiceServicer,
    ):
        """Calls that are not scripted answer UNIMPLEMENTED."""


class FakeServer(_Services):
    """Every service that the SDK uses, over tables made by `Script`."""

    def __init__(self, *scripts: Script) -> None:
        self.scripts = list(scripts)
        self.tables: dict[str, FakeTable] = {}
        self.created: list[table_service_pb2.CreateTableRequest] = []
        self.aborted: list[str] = []
        self.acknowledged: list[int] = []
        self.on_acknowledged: Callable[[], None] = lambda: None
        self.echoes: list[int] = []
        self.sessions = 0
        self.drained = False
        self.address = ""
        self._server = grpc.aio.server()

    async def __aenter__(self) -> FakeServer:
        services, server = cast("Any", self), self._server
        system_service_pb2_grpc.add_SystemServiceServicer_to_server(services, server)
        catalog_service_pb2_grpc.add_CatalogServiceServicer_to_server(services, server)
        table_service_pb2_grpc.add_TableServiceServicer_to_server(services, server)
        play_service_pb2_grpc.add_PlayServiceServicer_to_server(services, server)
        session_service_pb2_grpc.add_SessionServiceServicer_to_server(services, server)
        port = self._server.add_insecure_port("127.0.0.1:0")
        self.address = f"127.0.0.1:{port}"
        await self._server.start()
        for number, script in enumerate(self.scripts):
            self.tables[f"t{number}"] = FakeTable(f"t{number}", script)
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._server.stop(None)

    # Unary ---------------------------------------------------------------------------------------
    async def GetServerInfo(self, request: object, context: object) -> object:  # noqa: N802
        return system_service_pb2.GetServerInfoResponse(version="fake")

    async def GetRuleset(self, request: object, context: object) -> object:  # noqa: N802
        values = game_pb2.GameOptions(tractor=tractor_pb2.TractorOptions(players=4))
        return catalog_service_pb2.GetRulesetResponse(values=values)

    async def ListGames(  # noqa: N802
        self, request: catalog_service_pb2.ListGamesRequest, context: object
    ) -> object:
        """One game a page, as a server with many games might."""
        tractor = catalog_service_pb2.GameInfo(game=game_pb2.GAME_KIND_TRACTOR, seats_max=12)
        tongits = catalog_service_pb2.GameInfo(game=game_pb2.GAME_KIND_TONGITS, seats_max=3)
        if request.page_token:
            return catalog_service_pb2.ListGamesResponse(games=[tongits])
        return catalog_service_pb2.ListGamesResponse(games=[tractor], next_page_token="more")

    async def CreateTable(  # noqa: N802
        self, request: table_service_pb2.CreateTableRequest, context: object
    ) -> object:
        self.created.append(request)
        table = self.tables[f"t{len(self.created) - 1}"]
        invites = [
            table_service_pb2.SeatInvite(seat=seat, code=f"code{seat}")
            for seat in range(len(request.seats))
        ]
        return table_service_pb2.CreateTableResponse(
            table=table.message, host_ticket="host", invites=invites
        )

    async def JoinTable(  # noqa: N802
        self, request: table_service_pb2.JoinTableRequest, context: Context
    ) -> object:
        table = self.tables.get(request.table_id)
        if table is None:
            await refuse(context, "NOT_FOUND", grpc.StatusCode.NOT_FOUND)
            raise AssertionError
        table.nonce_hash = request.nonce_hash
        return table_service_pb2.JoinTableResponse(
            seat=request.seat, ticket=f"ticket-{table.table_id}", seat_epoch=1, table=table.message
        )

    async def GetTable(  # noqa: N802
        self, request: table_service_pb2.GetTableRequest, context: object
    ) -> object:
        return table_service_pb2.GetTableResponse(table=self.tables[request.table_id].message)

    async def AbortTable(  # noqa: N802
        self, request: table_service_pb2.AbortTableRequest, context: object
    ) -> object:
        self.aborted.append(request.table_id)
        return table_service_pb2.AbortTableResponse()

    async def OpenNonce(  # noqa: N802
        self, request: play_service_pb2.OpenNonceRequest, context: object
    ) -> object:
        table = self.tables[request.table_id]
        table.nonce = request.nonce
        table.change.set()
        return play_service_pb2.OpenNonceResponse()

    async def SubmitMove(  # noqa: N802
        self, request: play_service_pb2.SubmitMoveRequest, context: Context
    ) -> object:
        table = self.tables[request.table_id]
        reason = table.take(request.decision_id, request.move)
        if reason is not None:
            code = grpc.StatusCode.FAILED_PRECONDITION
            told = refused(reason)
            word = errors_pb2.ErrorReason.Name(told.reason).removeprefix("ERROR_REASON_")
            details = status(word, code, rule=told.rule, clause=told.clause).SerializeToString()
            await context.abort(code, reason, (("grpc-status-details-bin", details),))
        table.change.set()
        return play_service_pb2.SubmitMoveResponse(
            accepted=table_pb2.MoveAccepted(decision_id=request.decision_id)
        )

    # Streams -------------------------------------------------------------------------------------
    async def WatchTable(  # noqa: N802
        self, request: play_service_pb2.WatchTableRequest, context: Context
    ) -> AsyncIterator[object]:
        table = self.tables[request.table_id]
        assert dict(context.invocation_metadata() or ())["croupier-ticket"] == (
            f"ticket-{table.table_id}"
        )
        table.change = asyncio.Event()
        sent = 0
        updates = table.beginning(request.after_sequence)
        last = ""
        while True:
            for update in updates:
                if table.script.cut_after and sent == table.script.cut_after[0]:
                    table.script.cut_after.pop(0)
                    await context.abort(grpc.StatusCode.UNAVAILABLE, "Connection reset by peer")
                sent += 1
                for response in with_newer(update, table.script.newer):
                    yield response
                if update.HasField("end"):
                    return
                last = update.decision.decision_id
            await table.change.wait()
            table.change.clear()
            updates = table.next_updates()
            if updates[0].HasField("decision") and updates[0].decision.decision_id == last:
                updates = []

    async def Session(  # noqa: N802
        self, request_iterator: AsyncIterator[session_service_pb2.SessionRequest], context: Context
    ) -> AsyncIterator[object]:
        self.sessions += 1
        channels: dict[int, FakeTable] = {}
        frame = 0
        async for request in request_iterator:
            if request.acknowledged:
                self.acknowledged.append(request.acknowledged)
                self.on_acknowledged()
            if request.heartbeat_echo:
                self.echoes.append(request.heartbeat_echo)
            answer = session_service_pb2.SessionResponse(frame=frame + 1)
            if request.HasField("hello"):
                answer.welcome.SetInParent()
                answer.heartbeat.heartbeat_id = 77
            self._take(request, channels, answer)
            if not answer.items and not answer.HasField("welcome"):
                continue
            frame += 1
            for table in set(channels.values()):
                if table.script.cut_after and frame == table.script.cut_after[0] + 1:
                    table.script.cut_after.pop(0)
                    await context.abort(grpc.StatusCode.UNAVAILABLE, "Connection reset by peer")
                if len(table.answers) == table.script.drain_after and not self.drained:
                    self.drained = True
                    answer.end.reason = table_pb2.STREAM_END_REASON_SERVER_DRAINING
                    answer.end.retry_after.FromMilliseconds(1)
                    yield answer
                    return
            yield answer

    def _take(
        self,
        request: session_service_pb2.SessionRequest,
        channels: dict[int, FakeTable],
        answer: session_service_pb2.SessionResponse,
    ) -> None:
        """Carry out a frame of the client."""

        def send(channel: int, updates: Updates) -> None:
            for update in updates:
                answer.items.add(channel=channel, update=update)

        for opened in request.opens:
            found = self.tables.get(opened.table_id)
            if found is None or opened.ticket != f"ticket-{found.table_id}":
                answer.items.add(
                    channel=opened.channel,
                    refusal=refused("TICKET_INVALID"),
                )
                continue
            assert opened.channel not in channels
            channels[opened.channel] = found
            send(opened.channel, found.beginning(opened.after_sequence))
        for nonce in request.nonces:
            channels[nonce.channel].nonce = nonce.nonce
            send(nonce.channel, channels[nonce.channel].next_updates())
        for move in request.moves:
            table = channels[move.channel]
            reason = table.take(move.decision_id, move.move)
            update = table_pb2.TableUpdate()
            if reason is None:
                update.move_accepted.decision_id = move.decision_id
                send(move.channel, [update, *table.next_updates()])
            else:
                update.move_refused.decision_id = move.decision_id
                update.move_refused.refusal.CopyFrom(refused(reason))
                send(move.channel, [update])
