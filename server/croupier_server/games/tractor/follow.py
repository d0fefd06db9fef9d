"""What a follower may play: number, suit and structure (rule T-6)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from croupier_server.errors import IllegalMove
from croupier_server.games.base import Legal, Pattern
from croupier_server.games.cards import CARD_MAX, ONES, Cards, at_least, contains, count, text
from croupier_server.games.patterns import LazyPatterns, listing
from croupier_server.games.tractor.cards import TRUMP, Trumps
from croupier_server.games.tractor.components import Lead
from croupier_server.games.tractor.duties import (
    Claim,
    FollowRules,
    Level,
    best_levels,
    owed_runs,
    satisfying_runs,
)
from croupier_server.games.tractor.leads import check_lead, legal_leads, tuple_moves
from croupier_server.games.tractor.moves import LEGAL_LIST_MAX, PLAY, TractorMoveKind
from croupier_server.games.tractor.packing import Run, fits, selections
from croupier_server.games.tractor.refusals import Rule

__all__ = ["FollowRules", "check_follow", "check_lead", "legal_follows", "legal_leads"]

_FOLLOW: Final = int(TractorMoveKind.FOLLOW)
_RUFF: Final = int(TractorMoveKind.RUFF)
_DISCARD: Final = int(TractorMoveKind.DISCARD)


def check_follow(hand: Cards, lead: Lead, cards: Cards, trumps: Trumps, rules: FollowRules) -> None:
    """Check that *cards* from *hand* is a legal answer to *lead*.

    Raises:
        IllegalMove: WRONG_CARD_COUNT or CARDS_NOT_IN_HAND (T-6.1), MUST_FOLLOW_SUIT (T-6.2),
            MUST_FOLLOW_PAIR or MUST_FOLLOW_TRACTOR (T-6.4).
    """
    if count(cards) != lead.count:
        raise IllegalMove(
            Rule.WRONG_CARD_COUNT,
            "T-6.1",
            f"{count(cards)} cards given; exactly {lead.count} needed",
        )
    if not contains(hand, cards):
        raise IllegalMove(
            Rule.CARDS_NOT_IN_HAND, "T-6.1", f"the hand does not hold all of {text(cards)}"
        )
    mask = trumps.mask[lead.suit]
    part = hand & mask
    given = cards & mask
    if given == part or not part:
        return
    if given != cards:
        raise IllegalMove(
            Rule.MUST_FOLLOW_SUIT,
            "T-6.2",
            f"the hand still holds cards of the suit led: {text(part - given)}",
        )
    if not lead.claims:
        return  # singles claim nothing
    answers = _answers(part, lead, trumps, rules)
    if answers.legal.moves:
        if cards | PLAY not in answers.legal.moves:
            raise _missing(part, cards, lead, trumps, rules, answers.levels)
    elif answers.duties and not any(
        fits(cards, runs, lead.suit, trumps) for runs in answers.duties
    ):
        raise _missing(part, cards, lead, trumps, rules, answers.levels)


class _Answers(NamedTuple):
    """The answers from more cards of the suit led than were led.

    Attributes:
        legal: all of them.
        duties: lists of runs one of which an answer has to hold; none if any cards will do.
        levels: what is owed, or none where the answers were found without it.
    """

    legal: Legal
    duties: Sequence[Sequence[Run]]
    levels: Sequence[Level] = ()


def _answers(part: Cards, lead: Lead, trumps: Trumps, rules: FollowRules) -> _Answers:
    claims = lead.claims if at_least(part, 2) else ()
    return _find_answers(part, claims, lead.count, lead.suit, trumps, rules)


@lru_cache(maxsize=64)
def _find_answers(
    part: Cards, claims: tuple[Claim, ...], led: int, suit: int, trumps: Trumps, rules: FollowRules
) -> _Answers:
    """The answers of *part* where so many cards of *suit* were led. Few are kept, as the search
    for answers given as patterns may have kept much."""
    if claims == ((1, led),) and rules in _TUPLE_FOR_TUPLE:
        plane = at_least(part, led)
        if plane:  # a tuple is led and held
            moves = tuple_moves(plane, led)
            return _Answers(Legal(moves, (_FOLLOW,) * len(moves)), ())
    levels = best_levels(part, claims, suit, trumps, rules, is_owed=True)
    # Only what T-6.5 protects can give more than is owed.
    duties = [owed_runs(levels)] if rules.protect == "none" else satisfying_runs(levels)
    if duties[0]:
        patterns = LazyPatterns(_structure_patterns(part, led, suit, trumps, duties))
        return _Answers(_listed(patterns), duties, levels)
    return _Answers(_listed((Pattern(_FOLLOW, 0, part, led, led),)), ())


_TUPLE_FOR_TUPLE: Final = frozenset(
    FollowRules(tractor_follow, "none") for tractor_follow in ("longest", "full", "pairs")
)
"""Rules under which a tuple is answered by every tuple of its width, if one is held."""


def _missing(
    part: Cards,
    cards: Cards,
    lead: Lead,
    trumps: Trumps,
    rules: FollowRules,
    levels: Sequence[Level],
) -> IllegalMove:
    """Why *cards* fall short of the structure that *part* owes: the first level they miss.

    *levels* are what is owed, if that has been found already."""
    owed: list[Run] = []
    if not levels:
        levels = best_levels(part, lead.claims, lead.suit, trumps, rules, is_owed=True)
    for level in levels:
        number = sum(level.lengths)
        lone = [Run(level.width, 1)] * number
        if not fits(cards, [*owed, *lone], lead.suit, trumps):
            message = f"{number} of {level.width} equal cards are owed"
            return IllegalMove(Rule.MUST_FOLLOW_PAIR, "T-6.4", message)
        owed += level.runs()
        if not fits(cards, owed, lead.suit, trumps):
            message = f"tuples of {level.width} in runs of {_words(level.lengths)} are owed"
            return IllegalMove(Rule.MUST_FOLLOW_TRACTOR, "T-6.4", message)
    raise AssertionError("the cards give all that is owed")


def _words(lengths: Sequence[int]) -> str:
    return " and ".join(map(str, lengths))


def legal_follows(hand: Cards, lead: Lead, trumps: Trumps, rules: FollowRules) -> Legal:
    """Every legal answer from *hand* to *lead*: exactly what `check_follow` accepts.

    All are listed while there are at most `LEGAL_LIST_MAX`, otherwise there are patterns alone,
    which may be produced as they are asked for. A move's kind is that of the first pattern which
    holds it. *hand* has at least as many cards as were led.

    Listed in the order of their patterns, ruffs before discards, then ascending.
    """
    part = hand & trumps.mask[lead.suit]
    if lead.count == 1:
        plane = (part | part >> 1 | part >> 2) & ONES  # as `at_least`, on the hottest path
        if not plane:
            return _single_discards(hand, trumps)
        moves = tuple_moves(plane, 1)
        return Legal(moves, _FOLLOWS[len(moves)])
    if not part:
        return _void_answers(hand, lead, trumps)
    held = count(part)
    if held == lead.count:
        return Legal((part | PLAY,), (_FOLLOW,))
    if held < lead.count:
        rest = lead.count - held
        return _listed((Pattern(_FOLLOW, part, hand - part, rest, rest),))
    return _answers(part, lead, trumps, rules).legal


_FOLLOWS: Final = tuple((_FOLLOW,) * number for number in range(CARD_MAX + 1))
"""The kinds of so many follows."""


def _single_discards(hand: Cards, trumps: Trumps) -> Legal:
    """Every card of *hand*, which is void in the suit led: first trumps, then the others."""
    plane = at_least(hand, 1)
    ruffs = tuple_moves(plane & trumps.mask[TRUMP], 1)
    moves = ruffs + tuple_moves(plane & ~trumps.mask[TRUMP], 1)
    return Legal(moves, (_RUFF,) * len(ruffs) + (_DISCARD,) * (len(moves) - len(ruffs)))


def _listed(patterns: Sequence[Pattern]) -> Legal:
    """*patterns* as they are, or their members if these are few."""
    listed = listing(patterns, LEGAL_LIST_MAX)
    if listed is None:
        return Legal((), (), patterns)
    return Legal(tuple([cards | PLAY for cards in listed]), tuple(listed.values()))


def _void_answers(hand: Cards, lead: Lead, trumps: Trumps) -> Legal:
    """Any cards (T-6.3): first the ruffs, then everything."""
    spans = [Pattern(_DISCARD, 0, hand, lead.count, lead.count)]
    ruffing = hand & trumps.mask[TRUMP] if lead.suit != TRUMP else 0
    if count(ruffing) >= lead.count:
        ruffs = Pattern(_RUFF, 0, ruffing, lead.count, lead.count)
        spans = [ruffs] if ruffing == hand else [ruffs, *spans]
    return _listed(spans)


def _structure_patterns(
    part: Cards, led: int, suit: int, trumps: Trumps, duties: Sequence[Sequence[Run]]
) -> Iterator[Pattern]:
    """What is owed, with any other cards of the suit, for every choice of what is owed."""
    seen: set[Cards] = set()
    for runs in duties:
        for owed in selections(part, runs, suit, trumps):
            if owed not in seen:
                seen.add(owed)
                rest = led - count(owed)
                yield Pattern(_FOLLOW, owed, part - owed, rest, rest)
