"""What the conformance suite cannot find out about Tractor."""

from __future__ import annotations

from croupier_server.games.tractor.cards import points
from croupier_server.games.tractor.state import Phase, State
from tests.conformance.subjects import Hook


def check_state(state: object) -> None:
    """T-1.1: cards and points neither come nor go."""
    assert isinstance(state, State)
    public = state.public
    if public.deal == 0 or not any(state.hands):
        return
    options = public.options
    shown = sum(1 << 4 * card for _, card in public.shown)
    stock = sum(1 << 4 * card for card in state.stock)
    tricks = [sum(trick.plays) for trick in public.tricks]
    cards = sum(state.hands) + sum(tricks) + sum(public.plays) + state.buried + shown + stock
    assert cards == options.packs * sum(1 << 4 * card for card in range(1, 55))
    if public.phase is not Phase.PLAY:
        return
    worth = [trick.points for trick in public.tricks]
    assert worth == [points(trick) for trick in tricks]
    in_play = sum(map(points, state.hands)) + points(sum(public.plays)) + points(state.buried)
    assert sum(worth) + public.show_points + in_play == options.points
    won = sum(trick.points for trick in public.tricks if trick.winner % 2 != public.declarers)
    total = won + penalties(state)
    if public.shown:
        assert public.opponents_points in (total, total + public.show_points)
    else:
        assert public.opponents_points == total


def penalties(state: State) -> int:
    """T-8: what false throws of the deal have cost the declarers, less what they cost the
    opponents."""
    public = state.public
    throws = [(trick.leader, trick.failed_throw) for trick in public.tricks]
    throws.append((public.leader, public.failed_throw))
    return sum(
        throw.penalty if leader % 2 == public.declarers else -throw.penalty
        for leader, throw in throws
        if throw is not None
    )


HOOK = Hook(
    # T-8: a false throw shows that somebody can beat it. T-3.7: kitty cards are turned.
    reveals=frozenset({"CardsPlayed", "KittyTurned"}),
    samples={
        "kitty_size": ("1", "2", "14", "24"),
        "start_levels": ("2,3", "Q,A"),
        "mandatory_levels": ("2,5,T,A",),
    },
    check_state=check_state,
    # Ranks and shows with points in an auction, redeals, false throws that cost, hands full of
    # equal cards.
    rare=(
        {
            "trump_making": "auction",
            "starter": "1",
            "start_levels": "T,K",
            "throw_penalty": "ten_per_throw",
        },
        {"packs": "5", "no_declaration": "redeal_then_kitty"},
        {"kitty_size": "20", "kitty_multiplier": "2x_trick_size"},  # levels beyond the caps
    ),
)
