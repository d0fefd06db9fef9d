"""Records of matches of every game: all rulesets, sources of cards, ends, and rare things.

Each is played at a real table by seats that move at random, on a clock that does not run by itself,
so the same case gives the same bytes.
"""

from __future__ import annotations

import contextlib
import hashlib
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from croupier_server.errors import CroupierError, InvalidRequest
from croupier_server.games.base import Move, Turn
from croupier_server.games.registry import GAMES
from croupier_server.games.settings import new_options
from croupier_server.storage.base import Player
from croupier_server.storage.memory import MemoryLog
from croupier_server.tables.caller import Caller
from croupier_server.tables.clocks.clock import ManualClock
from croupier_server.tables.clocks.decisions import Decision
from croupier_server.tables.match.creation import GameEntry, pack_of
from croupier_server.tables.match.table import Table
from croupier_server.tables.shard.shard import Limits, Shard
from croupier_server.tables.spec import (
    AbsencePolicy,
    Access,
    ClockSpec,
    CreateTable,
    DealKind,
    DealSource,
    JoinTable,
    SeatSpec,
    SpectatorDelay,
    Status,
    TimeoutPolicy,
)
from tests.conformance.playouts import choose, words
from tests.conformance.subjects import CASES, limits, random_texts, wire_of
from tests.tables.answering import submit
from tests.tables.world import START_MS, asked, known_secrets, now

DEALS = {
    "match": DealSource(),
    "board": DealSource(DealKind.BOARD, board_id="board 7", root=hashlib.sha256(b"7").digest()),
    "fixed": DealSource(DealKind.FIXED, seed=(1 << 53) - 7),
}
"""A deck of Tong-its for the first deal."""
NONCE_MS = 5_000
START_TIMEOUT_MS = 20_000
NO_CLOCK = ClockSpec()


@dataclass(frozen=True)
class Case:
    """A match to play.

    Attributes:
        game, ruleset, overrides: what is played; as many deals as `deals` where that can be set.
        deal: a key of `DEALS`, or ``decks`` for a given deck, the pack backwards.
        end: how it ends: by the rules (``finished``, also after a seat ``left`` before the start
            or ``withheld`` its nonce), or otherwise. ``withheld thrice`` never begins.
        clock: of the table.
        delay: spectators are late.
        seed: of the moves.
        is_bold: seats like moves with many cards.
        is_meek: seats play their fallback: nobody declares, bids or melds.
    """

    game: str
    ruleset: str
    overrides: Mapping[str, str] = field(default_factory=dict)
    deals: int = 2
    deal: str = "match"
    end: str = "finished"
    clock: ClockSpec = NO_CLOCK
    delay: bool = False
    seed: int = 1
    is_bold: bool = False
    is_meek: bool = False

    @property
    def name(self) -> str:
        """What to call it."""
        standard = GAMES[self.game].option_text(GAMES[self.game].options(self.ruleset, {}))
        more = " ".join(
            f"{name}={text}" for name, text in self.overrides.items() if text != standard[name]
        )
        return f"{self.game} {self.ruleset} {self.deal} {self.end} {self.seed} {more}".strip()


def cases() -> list[Case]:
    """Some 110 matches."""
    found = [
        Case(game, ruleset, deal=deal, seed=seed, is_bold=seed == 2, clock=_CLOCKS[seed % 3])
        for game, ruleset in CASES
        for seed, deal in enumerate(DEALS)
    ]
    for game in GAMES:
        rulesets = GAMES[game].rulesets()
        for number, end in enumerate(_ENDS):
            case = Case(game, rulesets[number % len(rulesets)], end=end, seed=number)
            if end == "forfeit":
                case = replace(case, clock=ClockSpec(per_move_ms=100, max_strikes=3))
            if end == "no show":
                case = replace(case, clock=ClockSpec(start_timeout_ms=START_TIMEOUT_MS))
            found.append(case)
        found += [
            Case(game, rulesets[0], clock=clock, seed=10 + number, delay=number == 1)
            for number, clock in enumerate(_POLICIES)
        ]
        found += [_any_options(game, seed) for seed in range(20)]
    return found + _RARE


_CLOCKS = (ClockSpec(), ClockSpec(base_ms=20_000, increment_ms=7), ClockSpec(window_ms=400))
_POLICIES = (
    ClockSpec(per_move_ms=500, on_timeout=TimeoutPolicy.FALLBACK, disconnect_grace_ms=2_000),
    ClockSpec(base_ms=900, increment_ms=5, disconnect_grace_ms=3_000, start_timeout_ms=60_000),
    ClockSpec(base_ms=2_500, window_ms=300, on_timeout=TimeoutPolicy.FORFEIT),
)
"""Of which seats come too late now and then, as none of them has a stream."""
_ENDS = ("forfeit", "conceded", "aborted", "left", "no show", "withheld", "withheld thrice", "away")
_RARE = [
    Case("tractor", "standard", {"no_declaration": "redeal"}, is_meek=True),
    Case("tractor", "standard", is_meek=True, deal="fixed"),
    *(Case(game, "standard", deal="decks") for game in GAMES),
    Case("tractor", "standard", {"no_declaration": "no_trump"}, is_meek=True),
    Case("tractor", "qq", is_meek=True),
    Case("tractor", "online", {"players": "6"}, deals=1, is_bold=True),
    Case("tractor", "document", {"players": "8", "packs": "3"}, deals=1, is_bold=True),
    Case("tractor", "standard", {"players": "12"}, deals=1, is_bold=True),
    Case("pokex", "document", {"all_pass": "redeal"}, deals=6, is_meek=True),
    Case("pokex", "standard", {"all_pass": "play", "wild_rank": "none"}, is_meek=True),
    Case("tongits", "standard", {"nobody_open": "lowest"}, deals=9, is_meek=True),
]


def _any_options(game: str, seed: int) -> Case:
    """A match by options that nobody chose."""
    rng = random.Random(f"{game} {seed}")
    ruleset = GAMES[game].rulesets()[0]
    while True:
        texts = random_texts(GAMES[game], rng)
        with contextlib.suppress(InvalidRequest):  # two of them may contradict each other
            new_options(GAMES[game], ruleset, texts)
            break
    deal = list(DEALS)[seed % 3]
    return Case(game, ruleset, texts, 1 + seed % 2, deal=deal, seed=seed, is_bold=seed % 3 == 2)


_records: dict[str, bytes] = {}


def record(case: Case) -> bytes:
    """The record of a match, played once."""
    key = repr(case)
    if key not in _records:
        _records[key] = _Match(case).play()
    return _records[key]


def _next(nonce: bytes) -> bytes:
    """The nonce that a seat gives after *nonce*."""
    return hashlib.sha256(b"next" + nonce).digest()


class _Match:
    """A table at which a case is played."""

    def __init__(self, case: Case) -> None:
        self.case = case
        game = GAMES[case.game]
        self.entry = GameEntry(game, wire_of(game))
        self.clock, self.log = ManualClock(START_MS), MemoryLog()
        self.rng = random.Random(f"{case.name} {case.seed}")
        self.draw: Iterator[int] = words(case.seed)
        ids = iter([f"{case.game}-{case.deal}-{case.seed}"])
        self.shard = Shard(
            clock=self.clock,
            secrets=known_secrets(),
            ids=lambda: next(ids),
            log=self.log,
            games={self.entry.wire.kind: self.entry},
            limits=Limits(nonce_ms=NONCE_MS),
        )

    def play(self) -> bytes:
        """The record of the match."""
        table = self._open()
        self._play_on(table)
        assert table.status is Status.ENDED, self.case.name
        kept = now(self.log.records.get(table.spec.table_id))
        assert kept is not None, self.case.name
        return kept.record

    def _given(self, overrides: Mapping[str, str]) -> DealSource:
        game = self.entry.game
        pack = pack_of(game, game.options(self.case.ruleset, overrides))
        return DealSource(DealKind.FIXED, seed=7, decks=(bytes(reversed(pack)),))

    def _open(self) -> Table:
        """A table with somebody on every seat."""
        case, shard = self.case, self.shard
        game = self.entry.game
        overrides = dict(case.overrides) | dict.fromkeys(limits(game), str(case.deals))
        players = game.players(game.options(case.ruleset, overrides))
        seats = [SeatSpec(Access.RESERVED, f"p{seat}") for seat in range(players)]
        created = shard.create_table(
            Caller(),
            CreateTable(
                kind=self.entry.wire.kind,
                ruleset=case.ruleset,
                overrides=overrides,
                deal=DEALS.get(case.deal) or self._given(overrides),
                clock=case.clock,
                delay=SpectatorDelay(decisions=3) if case.delay else None,
                seats=tuple(seats) if case.deal == "board" else (),
                title=case.name[:64],
                absence=AbsencePolicy.FORFEIT if case.end == "away" else AbsencePolicy.WAIT,
            ),
        )
        table = created.table
        name = table.spec.table_id
        nonces = [hashlib.sha256(f"nonce {seat}".encode()).digest() for seat in range(players)]
        if case.end == "left":
            leaver = shard.join(Caller(), JoinTable(name, player=Player("leaver")))
            shard.leave(Caller(ticket=leaver.ticket), name)
        for seat, nonce in enumerate(nonces):
            with_nonce = case.deal == "match" and (seat != 1 or case.seed % 2 == 0)
            code = created.invite_codes[seat] if created.invite_codes else ""
            hash_ = hashlib.sha256(nonce).digest() if with_nonce else b""
            join = JoinTable(name, player=Player(f"bot {seat}"), nonce_hash=hash_, invite_code=code)
            shard.join(Caller(), join)
        if case.end == "withheld thrice":
            for life in range(3):
                self._open_nonces(table, nonces, range(1, players))
                self._wait(NONCE_MS + 1)
                if life < 2:
                    hash_ = hashlib.sha256(nonces[0]).digest()
                    shard.join(Caller(), JoinTable(name, player=Player("late"), nonce_hash=hash_))
                    nonces[1:] = map(_next, nonces[1:])
        elif case.end in ("no show", "withheld"):
            self._open_nonces(table, nonces, range(1, players))
            self._wait(NONCE_MS + 1)
            if case.end == "withheld":
                hash_ = hashlib.sha256(nonces[0]).digest()
                shard.join(Caller(), JoinTable(name, player=Player("late"), nonce_hash=hash_))
                self._open_nonces(table, [nonces[0], *map(_next, nonces[1:])], range(players))
        else:
            self._open_nonces(table, nonces, range(players))
        return table

    def _open_nonces(self, table: Table, nonces: Sequence[bytes], seats: Sequence[int]) -> None:
        """Have *seats* open their nonces, each with the hash of its next one."""
        for seat in seats:
            if table.status is Status.AWAITING_NONCES and table.seats[seat].wants_nonce:
                following = hashlib.sha256(_next(nonces[seat])).digest()
                self.shard.open_nonce(table, seat, nonces[seat], following)

    def _play_on(self, table: Table) -> None:
        """Play until it ends."""
        case, steps = self.case, 0
        while table.status is not Status.ENDED:
            steps += 1
            if case.end == "no show":
                self._wait(START_TIMEOUT_MS)
            elif self._is_time_to_end(table, steps):
                self._end(table)
            elif case.end == "forfeit" and steps > 30:
                self._wait(1_000)
            elif case.end == "away" and steps > 30:
                self._wait(self.shard.limits.away_ms)
            elif not asked(table) or self.rng.random() < 0.03:
                self._wait(600)
            else:
                decision = self.rng.choice(asked(table))
                self.clock.advance(self.rng.choice((0, 1, 30)))
                move = self._move(table, decision)
                with contextlib.suppress(CroupierError):  # its time had run out
                    submit(self.shard, table, decision.seat, decision.id, move)

    def _is_time_to_end(self, table: Table, steps: int) -> bool:
        if self.case.end == "conceded":
            return bool(table.game.results(table.match.state))
        return self.case.end == "aborted" and steps > 40

    def _wait(self, ms: int) -> None:
        self.clock.advance(ms)
        self.shard.tick()

    def _move(self, table: Table, decision: Decision) -> Move:
        game, state = table.game, table.match.state
        is_turn = game.turn(state) is Turn.MOVE
        if self.case.is_meek and not (is_turn and self.rng.random() < 0.3):
            return game.fallback(state, decision.seat)
        legal = table.legal(decision.seat, decision.id)
        return choose(game, legal, self.rng, self.draw, self.case.is_bold)

    def _end(self, table: Table) -> None:
        """End it in another way than by the rules."""
        if self.case.end == "conceded":
            self.shard.concede(table, 1)
        else:
            table.abort("rain", self.clock.now)
        self.shard.commits.touch(table)
        self.shard.commits.flush()
