"""Words of Tong-its for notations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from croupier_server.games.base import Event, Move
from croupier_server.games.cards import card_text, parse
from croupier_server.games.notation import hands, no_move, signed
from croupier_server.games.tongits import events, moves
from croupier_server.games.tongits.state import HAND, PLAYERS

_BARE: Final = {moves.move_text(move): move for move in sorted(moves.BARE)}
_CARDS: Final = {
    "meld": moves.MELD,
    "secret four": moves.SECRET_FOUR,
    "discard": moves.DISCARD,
}
_WITH_CARDS: Final = re.compile(r"(meld|secret four|discard) (.+)")
_LAY_OFF: Final = re.compile(r"lay off (.+) on meld (\d+)")
_TAKE: Final = re.compile(r"take discard (?:with (.+)|on (\d+))")
_ENDINGS: Final = {
    events.Ending.TONGITS: "Tong-its",
    events.Ending.DRAW_CALL: "draw called",
    events.Ending.STOCK: "stock exhausted",
}


class TongitsWords:
    """See `words.Words`."""

    def parse_move(self, text: str) -> Move:
        if text in _BARE:
            return _BARE[text]
        if found := _WITH_CARDS.fullmatch(text):
            return parse(found[2]) | _CARDS[found[1]]
        if found := _LAY_OFF.fullmatch(text):
            return moves.lay_off(int(found[2]), parse(found[1]))
        if found := _TAKE.fullmatch(text):
            if found[1]:
                return moves.take_for_meld(parse(found[1]))
            return moves.take_for_lay_off(int(found[2]))
        raise no_move(text, "Tong-its")

    def dealt(self, started: events.DealStarted, deck: Sequence[int], options: object) -> list[str]:
        return [
            f"dealer {started.dealer}, pot {started.pot}",
            *hands(deck, started.dealer, PLAYERS, PLAYERS * HAND + 1, "stock"),
        ]

    def remark(self, event: Event) -> str:
        public = event.public
        if isinstance(public, events.StockDrawn):
            own = event.private[public.seat]
            assert isinstance(own, events.OwnCard)
            return f"draws {card_text(own.card)}"
        if isinstance(public, events.Answered) and public.is_unasked:
            return f"{public.seat} folds unasked"
        return ""

    def ends_line(self, public: object) -> bool:
        return isinstance(public, events.Discarded | events.TurnEnded)

    def scored(self, public: object) -> list[str]:
        if isinstance(public, events.PotSplit):
            return [f"the pot is split: {public.share} each, chips {signed(public.chips)}"]
        if not isinstance(public, events.DealResult):
            return []
        winner = "nobody wins" if public.winner is None else f"{public.winner} wins"
        lines = [
            f"deal {public.deal}: {_ENDINGS[public.ending]}, {winner}, "
            f"chips {signed(seat.chips for seat in public.seats)}, pot {public.pot}"
        ]
        if public.jackpot:
            lines.append(f"{public.winner} takes {public.jackpot} from the pot")
        lines += [f"{paid.seat} pays {paid.total}" for paid in public.payments]
        return lines
