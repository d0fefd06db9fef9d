"""Tells the events of Tong-its in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar, Final

from croupier.cards import rank_text
from croupier.cards import text as card_text
from croupier.v1 import game_pb2, tongits_pb2
from croupier_server.games.telling import Table

_ENDINGS: Final = {
    tongits_pb2.TONGITS_ENDING_TONGITS: "by Tong-its",
    tongits_pb2.TONGITS_ENDING_DRAW_CALL: "by a draw call",
    tongits_pb2.TONGITS_ENDING_STOCK: "with the stock",
}
_FOUR: Final = (-1, 12, 25, 38)
"""What the rank of four cards is to be added to for their numbers."""


class TongitsTeller:
    """Tells one match of Tong-its, event by event."""

    score: ClassVar[str] = "chips that a seat is ahead of the other bot's seats"
    ends: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "t": (" discards ", " ends the turn ", "; next dealer "),
        "d": ("; next dealer ",),
    }

    def __init__(self, names: Mapping[int, str]) -> None:
        self._table = Table(names)

    def tell(
        self, event: game_pb2.GameEvent, private: Mapping[int, game_pb2.GamePrivateEvent]
    ) -> list[str]:
        """Lines for *event* with the private parts of it that may be seen."""
        tongits = event.tongits
        own = {seat: part.tongits for seat, part in private.items()}
        match tongits.WhichOneof("event"):
            case "deal_started":
                return self._deal_started(tongits.deal_started, own)
            case "stock_drawn":
                return self._stock_drawn(tongits.stock_drawn, own)
            case "discard_taken":
                return self._discard_taken(tongits.discard_taken)
            case "secret_four_laid":
                return self._secret_four(tongits.secret_four_laid, own)
            case "deal_scored":
                return self._scored(tongits.deal_scored)
            case kind:
                return self._plain(tongits, kind or "")

    def flush(self) -> list[str]:
        """Nothing is held back."""
        return []

    def position(self, view: game_pb2.PublicView) -> list[str]:
        """Lines for what everybody knows at this moment."""
        public = view.tongits
        phase = tongits_pb2.TongitsPhase.Name(public.phase).removeprefix("TONGITS_PHASE_")
        line = f"deal {public.deal}, {phase.lower().replace('_', ' ')}"
        line += f"; chips {_chips(public.chips)}, pot {public.pot}"
        if any(public.hand_sizes):
            sizes = " ".join(map(str, public.hand_sizes))
            line += f"; hands of {sizes}, stock of {public.stock_size}"
        lines = [line]
        lines += [
            f"  meld {meld.number} of {self._table.name(meld.seat)}: {card_text(meld.cards)}"
            for meld in public.melds
        ]
        lines += [
            f"  {self._table.name(seat)} has laid {_count(fours, 'secret four')}"
            for seat, fours in enumerate(public.secret_four_counts)
            if fours
        ]
        if public.discards:
            lines.append(f"  discards {card_text(public.discards)}")
        if public.HasField("caller"):
            lines.append(f"  {self._table.name(public.caller)} has called draw")
        lines += [f"  {self._answered(answer)}" for answer in public.answers]
        if public.HasField("to_act"):
            lines.append(f"  {self._table.name(public.to_act)} is asked")
        return lines

    # Turns -------------------------------------------------------------------------------------

    def _deal_started(
        self,
        event: tongits_pb2.TongitsDealStarted,
        own: Mapping[int, tongits_pb2.TongitsPrivateEvent],
    ) -> list[str]:
        self._table.new_deal()
        ante = f"each pays {event.ante} into the pot of {event.pot}"
        if not event.ante:
            ante = f"the pot has {event.pot}"
        line = f"deal {event.deal}: {self._table.name(event.dealer)} deals; {ante}"
        hands = {seat: part.dealt.cards for seat, part in own.items()}
        return [line, *self._table.dealt(hands)]

    def _stock_drawn(
        self,
        event: tongits_pb2.TongitsStockDrawn,
        own: Mapping[int, tongits_pb2.TongitsPrivateEvent],
    ) -> list[str]:
        drawn = "a card"
        if event.seat in own:
            cards = own[event.seat].drawn.cards
            self._table.gain(event.seat, cards)
            drawn = card_text(cards)
        left = _count(event.stock_size, "card")
        return [f"{self._table.name(event.seat)} draws {drawn}; the stock has {left}"]

    def _discard_taken(self, event: tongits_pb2.TongitsDiscardTaken) -> list[str]:
        meld, card = event.meld, card_text([event.card])
        cards = card_text(meld.cards)
        line = f"{self._table.name(event.seat)} takes {card}"
        if meld.lay_offs:
            return [f"{line} and lays it off on meld {meld.number}: {cards}"]
        left = self._table.lose(event.seat, [one for one in meld.cards if one != event.card])
        down = ", turned down" if meld.turned_down else ""
        return [f"{line} for meld {meld.number}: {cards}{down}{left}"]

    def _secret_four(
        self,
        event: tongits_pb2.TongitsSecretFourLaid,
        own: Mapping[int, tongits_pb2.TongitsPrivateEvent],
    ) -> list[str]:
        line = f"{self._table.name(event.seat)} lays a secret four"
        if event.seat not in own:
            return [line]
        rank = own[event.seat].laid.rank
        left = self._table.lose(event.seat, [rank + suit for suit in _FOUR])
        return [f"{line} of rank {rank_text(rank)}{left}"]

    def _plain(self, event: tongits_pb2.TongitsEvent, kind: str) -> list[str]:
        """Lines for an event that takes one."""
        table = self._table
        match kind:
            case "lot_drawn":
                return [f"the lot makes {table.name(event.lot_drawn.dealer)} the dealer"]
            case "meld_exposed":
                meld = event.meld_exposed.meld
                return [table.lay(meld.seat, meld.cards, f"exposes meld {meld.number}:")]
            case "cards_laid_off":
                laid = event.cards_laid_off.laid_off
                verb = f"lays off on meld {event.cards_laid_off.meld}:"
                return [table.lay(laid.seat, laid.cards, verb)]
            case "discarded":
                return [table.lay(event.discarded.seat, [event.discarded.card], "discards")]
            case "turn_ended":
                return [f"{table.name(event.turn_ended.seat)} ends the turn without a discard"]
            case "draw_called":
                return [f"{table.name(event.draw_called.seat)} calls draw"]
            case "answered":
                return [self._answered(event.answered)]
            case "pot_split":
                split = event.pot_split
                return [f"the pot is split, {split.share} for each; chips {_chips(split.chips)}"]
            case _:
                return ["something happened that this version does not know"]

    def _answered(self, answer: tongits_pb2.TongitsAnswered) -> str:
        word = "challenges" if answer.challenged else "folds"
        unasked = ", not being entitled to challenge" if answer.unasked else ""
        return f"{self._table.name(answer.seat)} {word}{unasked}"

    # Ends --------------------------------------------------------------------------------------

    def _scored(self, event: tongits_pb2.TongitsDealResult) -> list[str]:
        table = self._table
        won = (
            f"{table.name(event.winning_seat)} wins"
            if event.HasField("winning_seat")
            else "nobody wins"
        )
        lines = [f"deal {event.deal} ends {_ENDINGS.get(event.ending, '')}: {won}"]
        for seat in event.seats:
            burned = ", burned" if seat.burned else ""
            if seat.shown:
                fours = "".join(f", secret four of {rank_text(rank)}" for rank in seat.secret_fours)
                shown = f"shows {card_text(seat.hand) or 'no card'} ({seat.deadwood} points){fours}"
                lines.append(f"  {table.name(seat.seat)} {shown}{burned}")
            elif burned:
                lines.append(f"  {table.name(seat.seat)} is burned")
        lines += [f"  {table.name(paid.seat)} pays {_payment(paid)}" for paid in event.payments]
        if event.jackpot:
            lines.append(f"  {table.name(event.winning_seat)} takes the pot of {event.jackpot}")
        chips = _chips(seat.chips for seat in event.seats)
        pot = f"pot {event.pot}; next dealer {table.name(event.next_dealer)}"
        return [*lines, f"  chips {chips}, {pot}"]


def _payment(paid: tongits_pb2.TongitsPayment) -> str:
    """What a loser pays, and what for."""
    parts = {
        "win": paid.base,
        "aces": paid.aces,
        "special sets": paid.specials,
        "burned": paid.burned,
        "folded": paid.fold_penalty,
    }
    what = ", ".join(f"{name} {chips}" for name, chips in parts.items() if chips)
    return f"{sum(parts.values())}" + (f" ({what})" if what else "")


def _chips(chips: Iterable[int]) -> str:
    return " ".join(f"{one:+d}" for one in chips)


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"
