"""Tells the events of Tractor in words.

Draws and windows that change nothing come by the dozen; they are held back and told in one line
when something else happens.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar, Final

from croupier.cards import text as card_text
from croupier.v1 import cards_pb2, game_pb2, tractor_pb2
from croupier_server.games.cards import RANKS
from croupier_server.games.telling import Table

_SUITS: Final = {
    tractor_pb2.TRACTOR_TRUMP_SUIT_SPADES: "spades",
    tractor_pb2.TRACTOR_TRUMP_SUIT_HEARTS: "hearts",
    tractor_pb2.TRACTOR_TRUMP_SUIT_DIAMONDS: "diamonds",
    tractor_pb2.TRACTOR_TRUMP_SUIT_CLUBS: "clubs",
    tractor_pb2.TRACTOR_TRUMP_SUIT_NO_TRUMP: "no trump",
}


class TractorTeller:
    """Tells one match of Tractor, event by event."""

    score: ClassVar[str] = "levels ahead of the other team"
    ends: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "t": ("wins the trick", "; levels "),
        "d": ("; levels ",),
    }

    def __init__(self, names: Mapping[int, str]) -> None:
        self._table = Table(names)
        self._name = self._table.name
        self._drawn: dict[int, list[int]] = {}
        self._sizes: Sequence[int] = ()
        self._leads = True

    def tell(
        self, event: game_pb2.GameEvent, private: Mapping[int, game_pb2.GamePrivateEvent]
    ) -> list[str]:
        """Lines for *event* with the private parts of it that may be seen."""
        tractor = event.tractor
        kind = tractor.WhichOneof("event")
        own = {seat: part.tractor for seat, part in private.items()}
        if kind == "cards_drawn":
            self._draw(tractor.cards_drawn, own)
            return []
        if kind == "window_closed":
            return self._window(tractor.window_closed, own)
        lines = self.flush()
        if kind == "cards_played":
            return lines + self._played(tractor.cards_played)
        if kind == "deal_scored":
            return lines + self._scored(tractor.deal_scored)
        if kind == "kitty_taken":
            return lines + self._taken(tractor.kitty_taken, own)
        if kind == "kitty_buried":
            return lines + self._buried(tractor.kitty_buried, own)
        return lines + self._made(tractor, kind or "")

    def flush(self) -> list[str]:
        """The line for the cards drawn since the last one."""
        lines = []
        if self._sizes:
            lines.append(f"cards are drawn; hands of {' '.join(map(str, self._sizes))}")
        lines += [
            f"  {self._name(seat)} draws {card_text(cards)}"
            for seat, cards in sorted(self._drawn.items())
        ]
        self._sizes, self._drawn = (), {}
        return lines

    def position(self, view: game_pb2.PublicView) -> list[str]:
        """Lines for what everybody knows at this moment."""
        public = view.tractor
        phase = tractor_pb2.TractorPhase.Name(public.phase).removeprefix("TRACTOR_PHASE_")
        lines = [f"deal {public.deal}, {phase.lower()}; levels {_levels(public.levels)}"]
        if public.HasField("trumps"):
            lines.append(
                f"trumps {_trumps(public.trumps)}; starter {self._name(public.starter)}; opponents"
                f" have {public.opponents_points} points after {len(public.tricks)} tricks"
            )
        self._leads = not public.trick.plays
        lines += [
            f"  {self._name(play.seat)} has played {card_text(play.cards)}"
            for play in public.trick.plays
        ]
        return lines

    # Making trumps -----------------------------------------------------------------------------

    def _draw(
        self,
        event: tractor_pb2.TractorCardsDrawn,
        own: Mapping[int, tractor_pb2.TractorPrivateEvent],
    ) -> None:
        self._sizes = event.hand_sizes
        for seat, part in own.items():
            self._drawn.setdefault(seat, []).extend(part.drawn.cards)
            self._table.gain(seat, part.drawn.cards)

    def _window(
        self,
        event: tractor_pb2.TractorWindowClosed,
        own: Mapping[int, tractor_pb2.TractorPrivateEvent],
    ) -> list[str]:
        lines = [
            f"  {self._name(seat)} answers: {_answer(part.answer)}"
            for seat, part in sorted(own.items())
            if part.WhichOneof("event") == "answer"
        ]
        if event.HasField("declaration"):
            made = event.declaration
            suit = _SUITS[made.suit]
            name = self._name(made.seat)
            lines.append(f"{name} declares {suit} with {card_text(made.cards)}")
        return self.flush() + lines if lines else []

    def _made(self, event: tractor_pb2.TractorEvent, kind: str) -> list[str]:
        """Lines for an event between the deal's start and the kitty."""
        if kind == "lot_drawn":
            return [f"the lot falls on {self._name(event.lot_drawn.first_drawer)}"]
        if kind == "deal_started":
            return self._deal_started(event.deal_started)
        if kind == "kitty_turned":
            turned = event.kitty_turned
            suit = _SUITS[turned.suit]
            return [f"the kitty is turned: {card_text(turned.cards)}, which names {suit}"]
        if kind == "called":
            call = event.called
            return [
                f"{self._name(call.seat)} {f'calls {call.points}' if call.points else 'passes'}"
            ]
        if kind == "auction_ended":
            ended = event.auction_ended
            rank = _rank(ended.trump_rank)
            return [f"team {ended.declaring_team} declares at {ended.bid}; trump rank {rank}"]
        if kind == "card_shown":
            shown = event.card_shown
            return [self._table.lay(shown.seat, shown.cards, "shows")]
        if kind == "show_ended":
            show = event.show_ended
            return [
                f"{self._name(show.starter)} is the starter; {self._name(show.winning_seat)} wins "
                f"the show ({show.points} points, opponents {show.opponents_points})"
            ]
        if kind == "trumps_fixed":
            fixed = event.trumps_fixed
            return [
                f"trumps {_trumps(fixed.trumps)}; starter {self._name(fixed.starter)}, "
                f"team {fixed.declaring_team} declares"
            ]
        return ["something happened that this version does not know"]

    def _deal_started(self, event: tractor_pb2.TractorDealStarted) -> list[str]:
        self._table.new_deal()
        self._leads = True
        again = f", redeal {event.redeals}" if event.redeals else ""
        rank = f", trump rank {_rank(event.trump_rank)}" if event.trump_rank else ""
        return [
            f"deal {event.deal}{again}: levels {_levels(event.levels)}{rank}, "
            f"{self._name(event.first_drawer)} draws first"
        ]

    # Kitty and play ----------------------------------------------------------------------------

    def _taken(
        self,
        event: tractor_pb2.TractorKittyTaken,
        own: Mapping[int, tractor_pb2.TractorPrivateEvent],
    ) -> list[str]:
        line = f"{self._name(event.seat)} takes the kitty of {event.count}"
        part = own.get(event.seat)
        if part is None:
            return [line]
        self._table.gain(event.seat, part.taken.cards)
        return [f"{line}: {card_text(part.taken.cards)}"]

    def _buried(
        self,
        event: tractor_pb2.TractorKittyBuried,
        own: Mapping[int, tractor_pb2.TractorPrivateEvent],
    ) -> list[str]:
        line = f"{self._name(event.seat)} buries {event.count}"
        part = own.get(event.seat)
        return (
            [line] if part is None else [self._table.lay(event.seat, part.buried.cards, "buries")]
        )

    def _played(self, event: tractor_pb2.TractorCardsPlayed) -> list[str]:
        play = event.play
        lines = []
        if play.HasField("failed_throw"):
            failed = play.failed_throw
            cost = f", which costs {failed.penalty} points" if failed.penalty else ""
            lines.append(
                f"{self._name(play.seat)} tries to throw {card_text(failed.tried)} and fails{cost}"
            )
        lines.append(
            self._table.lay(play.seat, play.cards, "leads" if self._leads else "follows with")
        )
        self._leads = event.HasField("trick_won")
        if self._leads:
            won = event.trick_won
            lines.append(
                f"  {self._name(won.winning_seat)} wins the trick of {won.points} points; "
                f"opponents {won.opponents_points}"
            )
        return lines

    def _scored(self, event: tractor_pb2.TractorDealResult) -> list[str]:
        bonus = f" times {event.kitty_multiplier} = {event.kitty_bonus}"
        lines = [
            f"the kitty was {card_text(event.kitty)}"
            + (f", its points{bonus}" if event.kitty_multiplier else ""),
            f"deal {event.deal} ends: opponents have {event.total} points",
        ]
        if event.HasField("winning_team"):
            lines[-1] += f"; team {event.winning_team} wins {event.levels_gained} levels"
        else:
            lines[-1] += "; nobody wins, the opponents take over"
        lines[-1] += f"; levels {_levels(event.levels)}; next {self._name(event.next_starter)}"
        return lines


def _rank(rank: int) -> str:
    return RANKS[rank - cards_pb2.RANK_TWO]


def _levels(levels: Iterable[int]) -> str:
    return " and ".join(_rank(level) for level in levels)


def _trumps(trumps: tractor_pb2.TractorTrumps) -> str:
    suit = _SUITS[trumps.suit]
    return f"{suit}, rank {_rank(trumps.rank)}"


def _answer(move: tractor_pb2.TractorMove) -> str:
    if move.WhichOneof("move") == "declare":
        return f"declare {card_text(move.declare.cards)}"
    return "pass"
