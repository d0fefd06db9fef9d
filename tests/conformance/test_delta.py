"""The view mode DELTA: what the SDK makes of it is what the mode FULL sends, in every game."""

from __future__ import annotations

from random import Random

import pytest

from croupier.v1 import game_pb2, table_pb2
from croupier.v1 import session_service_pb2 as pb
from croupier.views import WholeViews
from croupier_server.games.registry import GAMES
from croupier_server.tables.match.table import Table
from croupier_server.tables.spec import Status
from tests.conformance.subjects import CASES, limits
from tests.tables.answering import submit
from tests.tables.test_durable import REAL, RealWorld
from tests.tables.test_session import Client, openings
from tests.tables.world import asked

KINDS = {entry.game.name: kind for kind, entry in REAL.items()}
DELTA = table_pb2.VIEW_MODE_DELTA


class Player:
    """Plays all seats of a table on a session whose connection is cut now and then.

    Attributes:
        sizes: bytes of all views, as they were sent and whole.
        compared: decisions that were compared with those of the mode FULL.
    """

    def __init__(self, game: str, cuts: float, ruleset: str, options: dict[str, str]) -> None:
        self.world = RealWorld()
        self.table, self.tickets = self.world.start(
            kind=KINDS[game], ruleset=ruleset, options=options
        )
        self.rng = Random(ruleset)
        self.cuts = cuts
        self.whole = [WholeViews() for _ in self.tickets]
        self.encoder = REAL[KINDS[game]].wire.views()
        self.client = self.connect()
        self.sizes = [0, 0]
        self.compared = 0

    def connect(self) -> Client:
        """A client that resumes all seats, or asks for snapshots of them."""
        client = Client(self.world)
        opens = openings(self.table, self.tickets, DELTA)
        for opened in opens:
            opened.table_epoch = 1
            opened.after_sequence = self.rng.choice((0, self.table.journal.committed))
        client.say(hello={"client": "test"}, opens=opens)
        return client

    def play(self) -> None:
        """Play the match to its end."""
        table, client = self.table, self.client
        while table.status is Status.PLAYING:
            if self.rng.random() < self.cuts:
                client.session.close()
                client = self.connect()
            client.say(acknowledged=client.last)
            frame = client.hear()
            for item in frame.items if frame is not None else ():
                if item.update.HasField("decision"):
                    self.compare(table, item)
            decision = self.rng.choice(asked(table))
            legal = table.legal(decision.seat, decision.id)
            move = table.game.sample(legal, iter(lambda: self.rng.getrandbits(64), None))
            submit(self.world.shard, table, decision.seat, decision.id, move)

    def compare(self, table: Table, item: pb.ChannelItem) -> None:
        """Check that a decision, made whole, is that of the mode FULL, byte for byte."""
        decision, seat = item.update.decision, item.channel - 1
        self.sizes[0] += decision.ByteSize()
        check_parts(decision)
        self.whole[seat].restore(decision)
        self.sizes[1] += decision.ByteSize()
        asked_now = table.match.decisions[seat]
        assert asked_now is not None
        view = self.encoder.seat(table.match.state, seat)
        full = table.match.decision_payload(asked_now, self.world.clock.now_ms(), view)
        assert decision == table_pb2.Decision.FromString(full)
        assert decision.SerializeToString(deterministic=True) == full
        self.compared += 1


def public_fields(view: game_pb2.SeatView) -> set[str]:
    """Names of the fields of the public part of *view* that are set."""
    return {field.name for _, arm in view.ListFields() for field, _ in arm.public_view.ListFields()}


def check_parts(decision: table_pb2.Decision) -> None:
    """Check that the kept parts are public, and that no field is in them and in the view.

    A game that keeps nothing has parts without an arm."""
    for name in ("view_base", "view_added"):
        if decision.HasField(name):
            part = getattr(decision, name)
            fields = {field.name for _, arm in part.ListFields() for field, _ in arm.ListFields()}
            assert fields <= {"public_view"}
            assert not public_fields(part) & public_fields(decision.view)


@pytest.mark.parametrize("cuts", [0.0, 0.2, 1.0])
@pytest.mark.parametrize(("game", "ruleset"), CASES)
def test_views_are_whole_again(game: str, ruleset: str, cuts: float) -> None:
    player = Player(game, cuts, ruleset, dict.fromkeys(limits(GAMES[game]), "2"))
    player.play()
    assert player.compared
    if not cuts:
        assert player.sizes[0] < player.sizes[1] + 16 * len(player.tickets)
