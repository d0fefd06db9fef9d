"""What the conformance suite cannot find out about Tong-its."""

from __future__ import annotations

from croupier_server.games.cards import count, pack
from croupier_server.games.tongits.melds import PACK_CARDS, RANK_CARDS
from croupier_server.games.tongits.state import Phase, State
from tests.conformance.subjects import Hook


def check_state(state: object) -> None:
    """G-1.1: every card is in one place. G-6.4, G-7: chips are conserved, pot and payments."""
    assert isinstance(state, State)
    public = state.public
    assert sum(public.chips) + public.pot == 0, "chips were lost or found"
    if public.phase is Phase.OVER:
        assert public.pot == 0, "the pot is split at the end"
    for result in state.results:
        assert sum(seat.settlement for seat in result.seats) == 0
    assert all(size >= 0 for size in public.hand_sizes)
    if public.phase in (Phase.DEAL, Phase.OVER):
        return
    assert public.hand_sizes == [count(hand) for hand in state.hands]
    assert public.stock_size == len(state.stock)
    assert public.secret_fours == [len(fours) for fours in state.secret_fours]
    places = [*state.hands, pack(state.stock), pack(public.discards)]
    places += [meld.cards for meld in public.melds]
    places += [RANK_CARDS[four] for fours in state.secret_fours for four in fours]
    assert sum(places) == PACK_CARDS, "a card is in no place, or in two"


HOOK = Hook(
    check_state=check_state,
    # Discards that are laid off at once, turns that end without one, and all bars of draw calls.
    rare=(
        {
            "discard_after_take": "false",
            "discard_take": "meld_or_layoff_any",
            "draw_block_discard_taken": "true",
            "draw_block_scope": "whole_hand",
        },
        {"discard_after_take": "false", "discard_melds": "turned_down", "draw_call": "anyone"},
    ),
)
