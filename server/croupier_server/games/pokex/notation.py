"""Words of Pokex for notations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from croupier_server.games.base import Event, Move
from croupier_server.games.cards import parse, parse_card
from croupier_server.games.notation import hands, no_move, parse_rank, signed
from croupier_server.games.pokex import events, moves
from croupier_server.games.pokex.pokerhands import PokerHand, PokexCategory
from croupier_server.games.pokex.state import HAND, PLAYERS

_PLAY: Final = re.compile(r"play (\S+ \S+)(?: with (\S+))?")


class PokexWords:
    """See `words.Words`."""

    def parse_move(self, text: str) -> Move:
        word, _, rest = text.partition(" ")
        if text == "pass":
            return moves.PASS
        if word == "bid" and rest.isdecimal():
            return moves.bid(int(rest))
        if word == "wild":
            return moves.name_rank(parse_rank(rest))
        found = _PLAY.fullmatch(text)
        if found is None:
            raise no_move(text, "Pokex")
        return moves.play(parse(found[1]), parse_card(found[2]) if found[2] else 0)

    def dealt(self, started: events.DealStarted, deck: Sequence[int], options: object) -> list[str]:
        first = (started.dealer + 1) % PLAYERS
        return [
            f"dealer {started.dealer}, points {_both(started.totals)}",
            *hands(deck, first, PLAYERS, PLAYERS * HAND, "centre"),
        ]

    def remark(self, event: Event) -> str:
        public = event.public
        if isinstance(public, events.AuctionEnded):
            if public.declarer is None:
                return "all pass"
            return f"{public.declarer} declares at {public.bid}"
        if isinstance(public, events.CardsPlayed) and public.trick_ended is not None:
            ended = public.trick_ended
            hands_of = " and ".join(_hand(hand) for hand in ended.hands)
            if ended.winner is None:
                return f"nobody takes it: {hands_of}"
            counts = f", counted {ended.counted} times" if ended.counted > 1 else ""
            return f"team {ended.winner} takes it{counts}: {hands_of}"
        return ""

    def ends_line(self, public: object) -> bool:
        if isinstance(public, events.CardsPlayed):
            return public.trick_ended is not None
        return isinstance(public, events.AuctionEnded | events.RankNamed)

    def scored(self, public: object) -> list[str]:
        if not isinstance(public, events.DealResult):
            return []
        tricks = "nothing is played" if public.is_passed_out else f"tricks {_both(public.tricks)}"
        return [
            f"deal {public.deal}: {tricks}, points {signed(public.points)}, "
            f"totals {_both(public.totals)}"
        ]


def _both(numbers: Sequence[int]) -> str:
    return f"{numbers[0]} and {numbers[1]}"


def _hand(hand: PokerHand) -> str:
    return PokexCategory(hand.category).name.replace("_", " ").lower()
