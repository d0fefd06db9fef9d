"""Words of Tractor for notations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from croupier_server.games.base import Event, Move
from croupier_server.games.cards import SUITS, parse, text
from croupier_server.games.notation import hands, in_order, no_move, rank_text
from croupier_server.games.tractor import events, moves
from croupier_server.games.tractor.options import TractorOptions

_TRUMPS: Final = {
    moves.move_text(moves.name_trumps(suit)): moves.name_trumps(suit) for suit in (0, 1, 2, 3, None)
}
_CARDS: Final = {
    "declare": moves.DECLARE,
    "show": moves.SHOW,
    "bury": moves.BURY,
    "play": moves.PLAY,
}


class TractorWords:
    """See `words.Words`."""

    def parse_move(self, text: str) -> Move:
        word, _, rest = text.partition(" ")
        if text == "pass":
            return moves.PASS
        if text in _TRUMPS:
            return _TRUMPS[text]
        if word == "call" and rest.isdecimal():
            return moves.call(int(rest))
        if word in _CARDS and rest:
            return parse(rest) | _CARDS[word]
        raise no_move(text, "Tractor")

    def dealt(
        self, started: events.DealStarted, deck: Sequence[int], options: TractorOptions
    ) -> list[str]:
        first, players = started.first_drawer, options.players
        levels = " and ".join(map(rank_text, started.levels))
        starter = "" if started.starter is None else f", {started.starter} starts"
        return [
            f"levels {levels}, {first} draws first{starter}",
            *hands(deck, first, players, players * options.hand, "kitty"),
        ]

    def remark(self, event: Event) -> str:
        public = event.public
        if isinstance(public, events.WindowClosed) and public.declaration is not None:
            made = public.declaration
            return f"{made.seat} stands with {text(made.cards)}"
        if isinstance(public, events.KittyTurned):
            return f"the kitty shows {in_order(public.cards)}"
        if isinstance(public, events.AuctionEnded):
            rank = rank_text(public.trump_rank)
            return f"team {public.declarers} declares at {public.bid}, rank {rank}"
        if isinstance(public, events.ShowEnded):
            return f"{public.starter} starts, {public.winner} takes {public.points}"
        if isinstance(public, events.TrumpsFixed):
            suit = "NT" if public.suit is None else SUITS[public.suit]
            return f"trumps {suit} {rank_text(public.rank)}, {public.starter} takes the kitty"
        return _of_play(public) if isinstance(public, events.CardsPlayed) else ""

    def ends_line(self, public: object) -> bool:
        if isinstance(public, events.CardsPlayed):
            return public.trick is not None
        return isinstance(
            public,
            events.AuctionEnded | events.ShowEnded | events.TrumpsFixed | events.KittyBuried,
        )

    def scored(self, public: object) -> list[str]:
        if not isinstance(public, events.DealScored):
            return []
        levels = " and ".join(map(rank_text, public.levels))
        kitty = f" with {public.bonus} of the kitty" if public.multiplier else ""
        return [
            f"deal {public.deal}: opponents {public.opponents_points}{kitty}, "
            f"team {public.winners} gains {public.levels_gained}, levels {levels}"
        ]


def _of_play(public: events.CardsPlayed) -> str:
    words = []
    if public.failed_throw is not None:
        fine = f", which costs {public.failed_throw.penalty}" if public.failed_throw.penalty else ""
        words.append(f"of the throw {text(public.cards)} stays{fine}")
    if public.trick is not None:
        won = public.trick
        words.append(f"{won.winner} takes {won.points}, opponents {won.opponents_points}")
    return ", ".join(words)
