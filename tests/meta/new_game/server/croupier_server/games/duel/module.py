"""The messages and the words of Duel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from croupier.v1 import duel_pb2 as pb
from croupier.v1 import game_pb2
from croupier_server.games.base import Event, Move, Seat
from croupier_server.games.cards import CARD_NAMES, parse_card, single, unpack
from croupier_server.games.duel import rules
from croupier_server.games.duel.rules import DOUBLE, KEEP, PLAY, RULES
from croupier_server.games.module import GameModule
from croupier_server.wire.game import GameWire
from croupier_server.wire.generated import game
from croupier_server.wire.moves import LegalBytes, kind_bytes, no_kind
from croupier_server.wire.views import Views

_MOVES: Final = {
    KEEP: pb.DuelMove(keep=pb.DuelStake()),
    DOUBLE: pb.DuelMove(double=pb.DuelStake()),
    **{move: pb.DuelMove(play=pb.DuelPlay(card=card)) for move, card in rules.CARD_OF.items()},
}
_PARTS: Final = {"deal_started": rules.DealStarted, "staked": rules.Staked, "played": rules.Played}


def _result(result: rules.DealScored) -> pb.DuelDealResult:
    return pb.DuelDealResult(**result._asdict())


def _public(public: rules.Public) -> pb.DuelPublicView:
    found = pb.DuelPublicView(
        deal=public.deal,
        stake=public.stake,
        hand_sizes=rules.sizes(public),
        to_act=None if public.to_act < 0 else public.to_act,
        played=public.played,
    )
    if public.last is not None:
        found.last_result.CopyFrom(_result(public.last))
    return found


class _Views(Views[rules.Public, rules.View]):
    def __init__(self) -> None:
        super().__init__("duel", RULES.view)

    def of_all(self, public: rules.Public) -> bytes:
        return _public(public).SerializeToString()

    def of_seat(self, view: rules.View, public: bytes) -> bytes:
        found = pb.DuelView(seat=view.seat, hand=unpack(view.hand))
        found.public_view.ParseFromString(public)
        return found.SerializeToString()


def _move_bytes(move: Move) -> bytes:
    return game_pb2.Move(duel=_MOVES[move]).SerializeToString()


def _move_code(message: game_pb2.Move) -> Move:
    kind = message.duel.WhichOneof("move")
    if kind is None:
        raise no_kind(message, "duel")
    if kind != "play":
        return KEEP if kind == "keep" else DOUBLE
    return PLAY | single(message.duel.play.card)


def _event_bytes(event: Event) -> tuple[bytes, dict[Seat, bytes]]:
    arms = {kind: arm for arm, kind in _PARTS.items()} | {rules.DealScored: "deal_scored"}
    public = pb.DuelEvent()
    arm = getattr(public, arms[type(event.public)])
    arm.SetInParent()
    for name, value in event.public._asdict().items():  # type: ignore[union-attr]
        setattr(arm, name, value)
    private = {
        seat: game_pb2.GamePrivateEvent(duel=pb.DuelPrivateEvent(dealt=cards))
        for seat, cards in event.private.items()
    }
    whole = game_pb2.GameEvent(duel=public).SerializeToString()
    return whole, {seat: part.SerializeToString() for seat, part in private.items()}


def _result_bytes(result: rules.DealScored) -> bytes:
    return _result(result).SerializeToString()


def _read_view(message: Any, options: Any) -> Any:
    raise NotImplementedError


_WIRE: Final = GameWire(
    RULES,
    "Duel",
    seats_min=2,
    seats_max=2,
    decision_kinds=kind_bytes(game.DECISION_KIND["duel"], 2),
    legal=LegalBytes(kind_bytes(game.MOVE_KIND["duel"], PLAY), _move_bytes, 100, lambda _: b""),
    move_code=_move_code,
    move_bytes=_move_bytes,
    event_bytes=_event_bytes,
    result_bytes=_result_bytes,
    views=_Views,
    read_view=_read_view,
)


class DuelWords:
    """See `Words`."""

    def parse_move(self, text: str) -> Move:
        known = {"keep": KEEP, "double": DOUBLE}
        return known[text] if text in known else PLAY | single(parse_card(text[5:]))

    def dealt(self, started: Any, deck: Sequence[int], options: Any) -> list[str]:
        hands = [sorted(deck[seat : 2 * rules.HAND : 2]) for seat in (0, 1)]
        return [f"{seat} holds {' '.join(CARD_NAMES[c] for c in hands[seat])}" for seat in (0, 1)]

    def remark(self, event: Event) -> str:
        return ""

    def ends_line(self, public: object) -> bool:
        return isinstance(public, rules.Staked)

    def scored(self, public: Any) -> list[str]:
        return [f"total {public.total:+d}"] if isinstance(public, rules.DealScored) else []


class DuelTeller:
    """See `Teller`."""

    score = "points ahead"
    ends: Mapping[str, tuple[str, ...]] = {"t": ("played",), "d": ("deal_scored",)}

    def __init__(self, names: Mapping[int, str]) -> None:
        pass

    def tell(self, event: game_pb2.GameEvent, private: Any) -> list[str]:
        return [str(event.duel).replace("\n", " ")]

    def flush(self) -> list[str]:
        return []

    def position(self, view: game_pb2.PublicView) -> list[str]:
        return [f"deal {view.duel.deal}"]


MODULE: Final = GameModule(
    wire=_WIRE,
    words=DuelWords(),
    teller=DuelTeller,
    scores=lambda result, _: (result.total, -result.total),
    knows="hand, played",
)
