"""False throws (rule T-8).

Must not be put here: penalties in points (`scoring`); and nothing here may be called for a list
or a check of moves, which never tell whether a throw would stand.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from croupier_server.games.cards import Cards
from croupier_server.games.tractor.cards import Trumps
from croupier_server.games.tractor.components import Component, Lead


class ThrowJudgement(NamedTuple):
    """What becomes of a lead.

    Attributes:
        stays: cards that stay on the table as the lead; all of them if the throw is good.
        withdrawn: cards that go back to the hand; 0 if the throw is good.
        beatable: every beatable component, largest first; empty if the throw is good.
    """

    stays: Cards
    withdrawn: Cards
    beatable: tuple[Component, ...]


def judge_throw(lead: Lead, other_hands: Iterable[Cards], trumps: Trumps) -> ThrowJudgement:
    """Whether *lead* stands against the hands of all other seats, partner included.

    A lead that is no throw always stands.
    """
    raise NotImplementedError
