"""Fitting runs of tuples into cards: against every way of taking them."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from types import FrameType

import pytest
from hypothesis import given

from croupier_server.games.cards import Cards, parse
from croupier_server.games.tractor.packing import Run, fits, selections
from tests.games.tractor import giant_throws
from tests.games.tractor.kit import (
    dense_cards,
    order_by,
    packed,
    random_deal,
    random_suit,
    randoms,
    trumps_of,
)
from tests.games.tractor.slow_packing import slow_fits
from tests.more import first_of
from tests.oracles.tractor_cards import Deal, Names, effective_suit, less, order, runs, strength

GIANTS = (Path(__file__).parent / "cases" / "giant_throws.txt").read_text().splitlines()

WORK_MAX = 40_000

Shape = tuple[int, int, int, Names]
"""Width, length, least strength of the top, barred cards."""


def takings(cards: Names, shapes: list[Shape], of: Deal) -> Iterator[Names]:
    """The cards taken by every way to take *shapes*, with repeats."""
    if not shapes:
        yield ()
        return
    (width, length, least, barred), *others = shapes
    for run in runs(cards, width, length, of):
        if strength(run[-1], of) >= least and not set(run) & set(barred):
            for more in takings(less(cards, run * width), others, of):
                yield run * width + more


def random_shape(random: Random, cards: Names, of: Deal) -> tuple[Shape, Run]:
    """A run to take, for the oracle and for the product."""
    width, length = random.choice([1, 2, 2, 3]), random.choice([1, 1, 2, 3])
    barred = tuple(random.sample(sorted(set(cards)), 1)) if random.random() < 0.2 else ()
    least, top_min = -100, 0
    if random.random() < 0.3:
        card = random.choice(cards)
        least = strength(card, of)
        (id_,) = (index for index in range(1, 55) if packed((card,)) >> 4 * index & 1)
        top_min = trumps_of(of).height[id_]
    return (width, length, least, barred), Run(width, length, top_min, 15 * packed(barred))


@given(randoms())
def test_selections_are_all_takings_once(random: Random) -> None:
    for _ in range(5):
        of = random_deal(random)
        letter = random_suit(random, of)
        if not order(letter, of):
            continue
        cards = dense_cards(random, of, letter, random.randint(1, 9), random.randint(2, 6))
        suit = "SHDCT".index(effective_suit(cards[0], of))
        shapes = [random_shape(random, cards, of) for _ in range(random.randint(0, 4))]
        expected: set[Cards] = {
            packed(taking) for taking in takings(cards, [shape for shape, _ in shapes], of)
        }
        wanted = [run for _, run in shapes]
        found = list(selections(packed(cards), wanted, suit, trumps_of(of)))
        assert len(found) == len(set(found))
        assert set(found) == expected
        assert fits(packed(cards), wanted, suit, trumps_of(of)) == bool(found)


def test_the_first_selections_of_a_huge_number_are_there_at_once() -> None:
    cards = parse(" ".join(f"{rank}S " * 6 for rank in "3456789TJQKA"))
    found = selections(cards, [Run(2, 2)] * 6 + [Run(3, 1)] * 3, 0, order_by("2H"))
    assert len({next(found) for _ in range(50)}) == 50


def large_cards(random: Random, of: Deal, letter: str, packs: int) -> Names:
    """Up to half of an effective suit, some of it dense."""
    cards = [card for step in order(letter, of) for card in step] * packs
    random.shuffle(cards)
    some = cards[: random.randint(1, len(cards))]
    return tuple(sorted(some[:14] + list(dense_cards(random, of, letter, 12, packs))))


@pytest.mark.more
@given(randoms())
def test_large_questions_are_answered_as_the_slow_search_does(random: Random) -> None:
    """The searches remember different things; hands are asked about several times, as a duty is
    found by growing a list of runs (T-6.4)."""
    of = random_deal(random)
    letter = random_suit(random, of)
    if not order(letter, of):
        return
    packs = random.randint(2, 6)
    names = large_cards(random, of, letter, packs)
    cards = tuple(name for place, name in enumerate(names) if names[:place].count(name) < packs)
    suit = "SHDCT".index(effective_suit(cards[0], of))
    wanted: list[Run] = []
    for _ in range(6):
        run = random_shape(random, cards, of)[1]
        if random.random() < 0.5:
            run = run._replace(top_min=0, barred=0)
        found = fits(packed(cards), [*wanted, run], suit, trumps_of(of))
        assert found == slow_fits(packed(cards), [*wanted, run], suit, trumps_of(of))
        if found:
            wanted.append(run)


def calls(step: Callable[[], object]) -> int:
    """How many functions *step* calls: its work, whatever the machine."""
    found = 0

    def count_call(frame: FrameType, event: str, argument: object) -> None:
        nonlocal found
        found += event == "call"

    before = sys.getprofile()
    sys.setprofile(count_call)
    try:
        step()
    finally:
        sys.setprofile(before)
    return found


@pytest.mark.attack
@pytest.mark.parametrize("line", first_of(GIANTS), ids=lambda line: line.split("|")[0])
def test_no_giant_throw_takes_long(line: str) -> None:
    """The worst hands that `giant_throws.py` found. The slow search made up to 145,000 calls."""
    what, _, position = line.split("|", 2)
    kind = what.split(":")[0]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(giant_throws, "timed", lambda step: float(calls(step)))
        found = giant_throws.MEASURES[kind](giant_throws.Position(**json.loads(position)))
    found.pop("page", None)  # of 1,000 moves, which an iterator gives one by one
    assert max(found.values()) < WORK_MAX, found
