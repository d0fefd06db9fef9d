"""Tells the events of Pokex in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from croupier.cards import rank_text
from croupier.cards import text as card_text
from croupier.pokex import PokerHand
from croupier.v1 import game_pb2, pokex_pb2
from croupier_server.games.telling import Table


class PokexTeller:
    """Tells one match of Pokex, event by event."""

    score: ClassVar[str] = "points ahead of the other team"
    ends: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "t": ("the trick", "; totals "),
        "d": ("; totals ",),
    }

    def __init__(self, names: Mapping[int, str]) -> None:
        self._table = Table(names)

    def tell(
        self, event: game_pb2.GameEvent, private: Mapping[int, game_pb2.GamePrivateEvent]
    ) -> list[str]:
        """Lines for *event* with the private parts of it that may be seen."""
        pokex, table = event.pokex, self._table
        match pokex.WhichOneof("event"):
            case "lot_drawn":
                return [f"the lot makes {table.name(pokex.lot_drawn.dealer)} the dealer"]
            case "deal_started":
                hands = {seat: part.pokex.dealt.cards for seat, part in private.items()}
                return self._deal_started(pokex.deal_started, hands)
            case "called":
                call = pokex.called
                word = f"bids {call.tricks}" if call.tricks else "passes"
                return [f"{table.name(call.seat)} {word}"]
            case "auction_ended":
                ended = pokex.auction_ended
                if not ended.HasField("declarer"):
                    return ["all have passed"]
                return [f"{table.name(ended.declarer)} is the declarer at {ended.bid}"]
            case "rank_named":
                named = pokex.rank_named
                return [f"{table.name(named.seat)} makes rank {rank_text(named.rank)} wild"]
            case "cards_played":
                return self._played(pokex.cards_played)
            case "deal_scored":
                return self._scored(pokex.deal_scored)
            case _:
                return ["something happened that this version does not know"]

    def flush(self) -> list[str]:
        """Nothing is held back."""
        return []

    def position(self, view: game_pb2.PublicView) -> list[str]:
        """Lines for what everybody knows at this moment."""
        public, table = view.pokex, self._table
        phase = pokex_pb2.PokexPhase.Name(public.phase).removeprefix("POKEX_PHASE_")
        lines = [
            f"deal {public.deal}, {phase.lower().replace('_', ' ')}; points {_both(public.totals)}"
        ]
        if public.center_left:
            lines[0] += f"; centre {card_text(public.center_left)}"
        if public.HasField("declarer"):
            wild = ""
            if public.HasField("wild_rank"):
                wild = f", rank {rank_text(public.wild_rank)} is wild"
            lines.append(
                f"{table.name(public.declarer)} is the declarer at {public.bid}{wild}; "
                f"tricks {_both(public.taken)}"
            )
        elif public.phase == pokex_pb2.POKEX_PHASE_PLAY:
            lines.append(f"all have passed; tricks {_both(public.taken)}")
        if public.trick.HasField("center"):
            lines.append(f"  the trick has the centre card {card_text([public.trick.center])}")
        lines += [
            f"  {table.name(play.seat)} has played {card_text(play.cards)}"
            for play in public.trick.plays
        ]
        if public.HasField("to_act"):
            lines.append(f"  {table.name(public.to_act)} is asked")
        return lines

    def _deal_started(
        self, event: pokex_pb2.PokexDealStarted, hands: Mapping[int, Sequence[int]]
    ) -> list[str]:
        self._table.new_deal()
        line = (
            f"deal {event.deal}: points {_both(event.totals)}, "
            f"{self._table.name(event.dealer)} deals; centre {card_text(event.center)}"
        )
        return [line, *self._table.dealt(hands)]

    def _played(self, event: pokex_pb2.PokexCardsPlayed) -> list[str]:
        play, verb = event.play, "plays"
        if event.HasField("center"):
            verb = f"leads to the centre card {card_text([event.center])}:"
        lines = [self._table.lay(play.seat, play.cards, verb)]
        if event.HasField("trick_ended"):
            ended = event.trick_ended
            shown = [str(PokerHand.of(hand)) for hand in ended.hands]
            # The hand that took the trick comes first.
            hands = " against ".join(reversed(shown) if ended.winning_team else shown)
            won = (
                f"team {ended.winning_team} takes"
                if ended.HasField("winning_team")
                else "nobody takes"
            )
            counts = f", which counts for {ended.counted}" if ended.counted > 1 else ""
            lines.append(f"  {won} the trick{counts}: {hands}")
        return lines

    def _scored(self, event: pokex_pb2.PokexDealResult) -> list[str]:
        tricks = f"tricks {_both(event.tricks)}"
        if event.HasField("declarer"):
            tricks += f", {self._table.name(event.declarer)} had bid {event.bid}"
        if event.passed_out:
            tricks = "nothing is played"
        points = " and ".join(f"{points:+d}" for points in event.points)
        return [f"deal {event.deal} ends: {tricks}; points {points}; totals {_both(event.totals)}"]


def _both(numbers: Sequence[int]) -> str:
    return " and ".join(map(str, numbers))
