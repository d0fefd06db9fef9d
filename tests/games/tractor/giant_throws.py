"""Search for the hands that cost the rules of Tractor most CPU time.

A hill climb over leads, follows and ruffs at tables of every size: a position that takes longer is
kept and mutated further. Prints the worst position of every operation with its CPU time in
milliseconds. `--again` measures the positions of such a list, on this build or another one.

    .venv/bin/python -m tests.games.tractor.giant_throws SECONDS SEED > worst.txt
    .venv/bin/python -m tests.games.tractor.giant_throws --again worst.txt
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from random import Random
from time import process_time
from typing import Any

from croupier_server.errors import IllegalMove
from croupier_server.games.cards import Cards, count, parse, single, text, unpack
from croupier_server.games.patterns import draw_one, members
from croupier_server.games.tractor import components, follow, leads, packing
from croupier_server.games.tractor.cards import TRUMP, Trumps, trumps
from croupier_server.games.tractor.components import read_lead
from croupier_server.games.tractor.follow import FollowRules, check_follow, legal_follows
from croupier_server.games.tractor.leads import check_lead, legal_leads
from croupier_server.games.tractor.throws import judge_throw
from croupier_server.games.tractor.tricks import challenge, new_standing

PAGE = 1_000
FOLLOWS = ("longest", "longest", "longest", "full", "pairs")
PROTECTS = ("none", "none", "tractors", "tuples")


@dataclass(frozen=True)
class Position:
    """A lead, the hand of the seat that answers, and the options that matter."""

    seats: int
    packs: int
    trump_suit: int | None
    trump_rank: int
    rank_gap: str
    trump_ladder: str
    nt_rank_cards: str
    tractor_follow: str
    protect: str
    compare: str
    led: str
    hand: str
    second: str

    @property
    def trumps(self) -> Trumps:
        return trumps(
            self.trump_suit, self.trump_rank, self.rank_gap, self.trump_ladder, self.nt_rank_cards
        )

    @property
    def rules(self) -> FollowRules:
        return FollowRules(self.tractor_follow, self.protect)

    @property
    def hand_max(self) -> int:
        """Cards of a hand when the kitty is as small as can be."""
        total = 54 * self.packs
        return (total - 1) // self.seats


def forget() -> None:
    """Empty everything that is kept from one question to the next."""
    for kept in (
        follow._find_answers,
        components.read_lead,
        packing._room,
        leads._suit_tractors,
        leads._every_set,
        leads._mixed_sets,
    ):
        kept.cache_clear()


def words(seed: int = 1) -> Iterator[int]:
    random = Random(seed)
    while True:
        yield random.getrandbits(64)


Step = Callable[[], object]
Free = dict[int, int]
"""How many copies of each card are not used yet."""


def timed(step: Step) -> float:
    started = process_time()
    step()
    return 1000 * (process_time() - started)


def measure_lead(position: Position) -> dict[str, float]:
    order, cards = position.trumps, parse(position.led)
    forget()
    found = {"read": timed(lambda: check_lead(cards, cards, order))}
    lead = read_lead(cards, order)
    hand = parse(position.hand) & order.mask[lead.suit]
    found["throw"] = timed(lambda: judge_throw(lead, [hand] * (position.seats - 1), order))
    forget()
    found["leads"] = timed(lambda: legal_leads(cards, order))
    return found


def refusal(hand: Cards, position: Position) -> None:
    lead = read_lead(parse(position.led), position.trumps)
    part = hand & position.trumps.mask[lead.suit]
    low = sorted(unpack(part), key=lambda card: (part >> 4 * card & 15, card))[: lead.count]
    with suppress(IllegalMove):
        check_follow(hand, lead, sum(map(single, low)), position.trumps, position.rules)


def measure_follow(position: Position) -> dict[str, float]:
    order, rules, hand = position.trumps, position.rules, parse(position.hand)
    lead = read_lead(parse(position.led), order)
    found: dict[str, float] = {}
    forget()
    lead = read_lead(parse(position.led), order)
    found["check"] = timed(lambda: refusal(hand, position))
    found["check again"] = timed(lambda: refusal(hand, position))
    forget()
    found["list"] = timed(lambda: legal_follows(hand, lead, order, rules))
    legal = legal_follows(hand, lead, order, rules)
    if legal.patterns:
        found["fallback"] = timed(lambda: next(members(legal.patterns)))
        found["wire"] = timed(lambda: list(islice(iter(legal.patterns), 65)))
        found["page"] = timed(lambda: list(islice(members(legal.patterns), PAGE)))
        move = draw_one(next(islice(legal.patterns, 64, None), legal.patterns[0]), words(2))
        forget()
        found["check good"] = timed(lambda: check_follow(hand, lead, move, order, rules))
    return found


def measure_ruff(position: Position) -> dict[str, float]:
    order = position.trumps
    lead = read_lead(parse(position.led), order)
    found: dict[str, float] = {}
    forget()
    standing = new_standing(lead, order, position.compare)
    first, second = parse(position.hand), parse(position.second)
    found["ruff"] = timed(lambda: challenge(standing, first))
    then = challenge(standing, first)
    if then is not None:
        found["overruff"] = timed(lambda: challenge(then, second))
    return found


def draw_cards(
    random: Random, order: Trumps, pool: list[int], number: int, free: dict[int, int]
) -> Cards:
    cards = 0
    if random.random() < 0.5:
        draw = random.choice((draw_runs, draw_block))
        cards = draw(random, order, pool, number, free)
    shape = random.random()
    for _ in range(400):
        if count(cards) >= number:
            break
        card = random.choice(pool)
        most = min(free[card], number - count(cards))
        if most <= 0:
            continue
        some = random.randint(1, most) if shape < 0.7 else most
        free[card] -= some
        cards += some * single(card)
    return cards


def draw_runs(
    random: Random, order: Trumps, pool: list[int], number: int, free: dict[int, int]
) -> Cards:
    """Up to *number* cards in runs of many shapes."""
    cards = 0
    for _ in range(40):
        width, length = random.choice((2, 2, 2, 3, 3, 4)), random.randint(1, 6)
        start = random.randrange(len(pool))
        run = sorted(pool, key=lambda card: (order.height[card], card))[start : start + length]
        if len(run) * width > number - count(cards) or any(free[card] < width for card in run):
            continue
        for card in run:
            free[card] -= width
            cards += width * single(card)
    return cards


def draw_block(
    random: Random, order: Trumps, pool: list[int], number: int, free: dict[int, int]
) -> Cards:
    """*number* cards of neighbours, nearly all that there are."""
    cards = 0
    start = random.randrange(len(pool))
    ladder = sorted(pool, key=lambda card: (order.height[card], card))
    for card in ladder[start:] + ladder[:start][::-1]:
        some = min(free[card], number - count(cards))
        if some > 2 and random.random() < 0.3:
            some -= random.randint(0, 2)
        if some > 0:
            free[card] -= some
            cards += some * single(card)
    return cards


def pool_of(order: Trumps, suit: int) -> list[int]:
    return [card for card in range(1, 55) if order.suit_of[card] == suit]


def random_position(random: Random, kind: str) -> Position | None:
    packs = random.choice((2, 3, 4, 5, 6, 6, 6))
    seats = random.choice((4, 4, 4, 6, 8, 10, 12))
    order_options = (
        random.choice((None, 0, 0, 0)),
        random.randint(2, 14),
        random.choice(("bridge", "natural")),
        random.choice(("full", "full", "full", "jokers", "none")),
        random.choice(("plain", "trump")),
    )
    position = Position(
        seats,
        packs,
        *order_options,
        random.choice(FOLLOWS),
        random.choice(PROTECTS),
        random.choice(("largest", "all", "all", "highest")),
        "",
        "",
        "",
    )
    order = position.trumps
    suit = 1 if kind == "ruff" else random.choice((TRUMP, TRUMP, 1))
    pool = pool_of(order, suit)
    free = dict.fromkeys(range(1, 55), packs)
    if kind == "lead":
        led = draw_cards(random, order, pool, position.hand_max, free)
        hand = draw_cards(random, order, pool, position.hand_max, free)
        return replace(position, led=text(led), hand=text(hand)) if led and hand else None
    number = random.randint(2, min(position.hand_max, packs * len(pool) // 2))
    led = draw_cards(random, order, pool, number, free)
    if count(led) != number:
        return None
    if kind == "follow":
        hand = draw_cards(random, order, pool, random.randint(number, position.hand_max), free)
        if count(hand) <= number:
            return None
        return replace(position, led=text(led), hand=text(hand))
    ruffs = pool_of(order, TRUMP)
    hand = draw_cards(random, order, ruffs, number, free)
    second = draw_cards(random, order, ruffs, number, free)
    if count(hand) != number or count(second) != number:
        return None
    return replace(position, led=text(led), hand=text(hand), second=text(second))


def with_texts(position: Position, texts: dict[str, str]) -> Position:
    """*position* with other values of its texts."""
    changes: dict[str, Any] = {**texts}
    return replace(position, **changes)


def change(random: Random, position: Position, kind: str) -> Position | None:
    """*position* with a few cards changed."""
    order = position.trumps
    sets = {name: parse(getattr(position, name)) for name in ("led", "hand", "second")}
    for _ in range(random.choice((1, 1, 2, 3, 6))):
        if random.random() < 0.1:
            option, values = random.choice(
                (
                    ("tractor_follow", FOLLOWS),
                    ("protect", PROTECTS),
                    ("compare", ("largest", "all", "highest")),
                )
            )
            position = with_texts(position, {option: random.choice(values)})
            continue
        name = random.choice([key for key, cards in sets.items() if cards])
        cards = sets[name]
        pool = pool_of(order, order.suit_of[unpack(cards)[0]])
        used = sum(sets.values())
        some = [card for card in pool if (used >> 4 * card & 15) < position.packs]
        held = unpack(cards)
        way = random.random()
        if way < 0.6 and some:
            cards += single(random.choice(some)) - single(random.choice(held))
        elif kind == "ruff":
            continue
        elif way < 0.85 and some and count(cards) < position.hand_max:
            cards += single(random.choice(some))
        elif count(cards) > 2:
            cards -= single(random.choice(held))
        sets[name] = cards
    if kind == "follow" and count(sets["hand"]) <= count(sets["led"]):
        return None
    return with_texts(position, {name: text(cards) for name, cards in sets.items()})


MEASURES = {"lead": measure_lead, "follow": measure_follow, "ruff": measure_ruff}


def search(seconds: float, seed: int) -> dict[str, tuple[float, Position]]:
    random = Random(seed)
    worst: dict[str, tuple[float, Position]] = {}
    for kind, share in (("lead", 0.1), ("follow", 0.65), ("ruff", 0.25)):
        ends = process_time() + seconds * share
        best: dict[str, list[tuple[float, Position]]] = {}
        while process_time() < ends:
            if best and random.random() < 0.75:
                name = random.choice(sorted(best))
                position = change(random, random.choice(best[name])[1], kind)
            else:
                position = random_position(random, kind)
            if position is None:
                continue
            for name, took in MEASURES[kind](position).items():
                kept = best.setdefault(name, [])
                if len(kept) < 5 or took > kept[-1][0]:
                    least = min(took, MEASURES[kind](position).get(name, 0.0))
                    kept.append((least, position))
                    kept.sort(key=lambda item: -item[0])
                    del kept[5:]
        for name, kept in best.items():
            worst[f"{kind}: {name}"] = kept[0]
    return worst


def again(path: str) -> None:
    """Measure the positions of a list once more; the least of three runs."""
    for line in Path(path).read_text().splitlines():
        what, before, told = line.split("|", 2)
        kind, name = what.split(": ")
        position = Position(**json.loads(told))
        took = min(MEASURES[kind](position).get(name, 0.0) for _ in range(3))
        print(f"{what:22} {float(before):9.2f} ms then {took:9.2f} ms now")


def main() -> None:
    if sys.argv[1:2] == ["--again"]:
        again(sys.argv[2])
        return
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    for what, (took, position) in search(seconds, seed).items():
        print(f"{what}|{took:.2f}|{json.dumps(asdict(position))}")


if __name__ == "__main__":
    main()
