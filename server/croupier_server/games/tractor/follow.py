"""What a follower may play: number, suit and structure (rule T-6).

Must not be put here: what structure is owed (`duties`), and who wins (`tricks`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from croupier_server.errors import IllegalMove, Reason
from croupier_server.games.base import Legal, Pattern
from croupier_server.games.cards import Cards, at_least, contains, count, text
from croupier_server.games.patterns import LazyPatterns, Words, below, members, owner
from croupier_server.games.tractor.cards import TRUMP, Trumps
from croupier_server.games.tractor.components import Lead
from croupier_server.games.tractor.duties import FollowRules, best_levels, satisfying_runs
from croupier_server.games.tractor.leads import check_lead, legal_leads
from croupier_server.games.tractor.moves import LEGAL_LIST_MAX, PLAY, TractorMoveKind
from croupier_server.games.tractor.packing import Packing, Run, fits

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
            Reason.WRONG_CARD_COUNT, "T-6.1", f"{lead.count} cards were led, {count(cards)} played"
        )
    if not contains(hand, cards):
        raise IllegalMove(Reason.CARDS_NOT_IN_HAND, "T-6.1", f"not all of {text(cards)} are held")
    mask = trumps.mask[lead.suit]
    part = hand & mask
    given = cards & mask
    if given == part or not part:
        return
    if given != cards:
        raise IllegalMove(
            Reason.MUST_FOLLOW_SUIT, "T-6.2", f"the suit led is still held: {text(part - given)}"
        )
    duties = _duties(part, lead, trumps, rules)
    if duties and not any(fits(cards, runs, lead.suit, trumps) for runs in duties):
        raise _missing(part, cards, lead, trumps, rules)


def _duties(part: Cards, lead: Lead, trumps: Trumps, rules: FollowRules) -> list[list[Run]]:
    """Lists of runs one of which an answer has to hold; none if any cards of the suit will do."""
    if lead.components[0].width == 1 or not at_least(part, 2):
        return []
    duties = satisfying_runs(best_levels(part, lead, trumps, rules, is_owed=True))
    return duties if duties[0] else []


def _missing(
    part: Cards, cards: Cards, lead: Lead, trumps: Trumps, rules: FollowRules
) -> IllegalMove:
    """Why *cards* fall short of the structure that *part* owes."""
    owed = best_levels(part, lead, trumps, rules, is_owed=True)
    given = best_levels(cards, lead, trumps, rules, is_owed=False)
    for best, level in zip(owed, given, strict=False):
        number, held = sum(level.lengths), sum(best.lengths)
        if number < held:
            return IllegalMove(
                Reason.MUST_FOLLOW_PAIR,
                "T-6.4",
                f"{held} of {best.width} equal cards are owed, {number} given",
            )
        if level.value < best.value:
            return IllegalMove(
                Reason.MUST_FOLLOW_TRACTOR,
                "T-6.4",
                f"runs of {_words(best.lengths)} are owed, {_words(level.lengths)} given",
            )
    raise AssertionError("the cards give all that is owed")


def _words(lengths: Sequence[int]) -> str:
    return " and ".join(map(str, lengths))


def legal_follows(hand: Cards, lead: Lead, trumps: Trumps, rules: FollowRules) -> Legal:
    """Every legal answer from *hand* to *lead*: exactly what `check_follow` accepts.

    All are listed while there are at most `LEGAL_LIST_MAX`, otherwise there are patterns alone,
    which may be produced as they are asked for. A move's kind is that of the first pattern which
    holds it. *hand* has at least as many cards as were led.

    Listed by kind, ruffs before discards, then ascending.
    """
    patterns = _patterns(hand, lead, trumps, rules)
    listed = list(islice(members(patterns), LEGAL_LIST_MAX + 1))
    if len(listed) > LEGAL_LIST_MAX:
        return Legal((), (), patterns)
    kinds = {cards: patterns[owner(patterns, cards)].kind for cards in listed}
    listed.sort(key=lambda cards: (kinds[cards], cards))
    return Legal(tuple(cards | PLAY for cards in listed), tuple(kinds[cards] for cards in listed))


def _patterns(hand: Cards, lead: Lead, trumps: Trumps, rules: FollowRules) -> Sequence[Pattern]:
    """The legal answers as patterns."""
    part = hand & trumps.mask[lead.suit]
    held = count(part)
    if not held:
        return _void_patterns(hand, lead, trumps)
    if held <= lead.count:
        rest = lead.count - held
        return (Pattern(_FOLLOW, part, hand - part, rest, rest),)
    duties = _duties(part, lead, trumps, rules)
    if not duties:
        return (Pattern(_FOLLOW, 0, part, lead.count, lead.count),)
    return _structure_patterns(part, lead, trumps, duties)


def _void_patterns(hand: Cards, lead: Lead, trumps: Trumps) -> Sequence[Pattern]:
    """Any cards (T-6.3): first the ruffs, then everything."""
    everything = Pattern(_DISCARD, 0, hand, lead.count, lead.count)
    trumps_held = hand & trumps.mask[TRUMP]
    if lead.suit == TRUMP or count(trumps_held) < lead.count:
        return (everything,)
    ruffs = Pattern(_RUFF, 0, trumps_held, lead.count, lead.count)
    return (ruffs,) if trumps_held == hand else (ruffs, everything)


def _structure_patterns(
    part: Cards, lead: Lead, trumps: Trumps, duties: Sequence[Sequence[Run]]
) -> LazyPatterns:
    """What is owed, with any other cards of the suit, for every choice of what is owed."""
    packings = [Packing(part, runs, lead.suit, trumps) for runs in duties]
    packings = [packing for packing in packings if packing.exists()]

    def pattern(owed: Cards) -> Pattern:
        rest = lead.count - count(owed)
        return Pattern(_FOLLOW, owed, part - owed, rest, rest)

    def every() -> Iterator[Pattern]:
        seen: set[Cards] = set()
        for packing in packings:
            for owed in packing.selections():
                if owed not in seen:
                    seen.add(owed)
                    yield pattern(owed)

    def draw(words: Words) -> Pattern:
        return pattern(packings[below(len(packings), words)].draw(words))

    return LazyPatterns(every(), draw)
