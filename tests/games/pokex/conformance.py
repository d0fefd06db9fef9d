"""What the conformance suite cannot find out about Pokex."""

from __future__ import annotations

from croupier_server.games.cards import ONES, count, pack
from croupier_server.games.pokex.state import PLAYERS, Phase, State
from tests.conformance.subjects import Hook


def check_state(state: object) -> None:
    """P-1.1: every card is in one place. P-4.3: no trick counts twice. P-6: totals are sums."""
    assert isinstance(state, State)
    public = state.public
    sums = [sum(result.points[side] for result in state.results) for side in (0, 1)]
    assert list(public.totals) == sums, "points were lost or found"
    assert sum(public.taken) + public.carried <= len(public.tricks)
    if public.phase in (Phase.DEAL, Phase.OVER):
        return
    played = [play.cards for trick in public.tricks for play in trick.plays]
    played += [play.cards for play in public.plays]
    assert sum(state.hands) + sum(played) + pack(public.center) == ONES
    assert public.hand_sizes() == tuple(count(hand) for hand in state.hands)
    used = [trick.center for trick in public.tricks]
    used += [public.trick_center] if public.trick_center else []
    assert sorted([*used, *public.center_left]) == sorted(public.center)
    assert all(len(trick.plays) == PLAYERS for trick in public.tricks)


HOOK = Hook(
    check_state=check_state,
    # Level hands, deals that nobody bids in, and sides that come to the target together.
    rare=(
        {"target": "4", "both_over": "declarers_first", "tied_trick": "other"},
        {"tied_trick": "carry", "tie_break_fewer_wilds": "false", "all_pass": "redeal"},
        {"tied_trick": "carry", "wild_rank": "none", "joker": "top_card", "center": "leader_picks"},
    ),
)
