"""What a seed says: which tables are played, by whom, on what network and disk.

A plan is data alone, so that it can be printed, and cut down by hand when a failure is looked into.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any, Final, NamedTuple

from croupier.v1 import table_pb2, table_service_pb2
from croupier_server.errors import InvalidRequest
from croupier_server.games.base import AnyGame
from croupier_server.games.modules import WIRES_BY_NAME
from croupier_server.games.registry import GAMES
from croupier_server.games.settings import new_options
from croupier_server.tables.limits import Limits
from tests.sim.faults import Fault, make_faults

_DEALS: Final = {"tractor": "max_deals", "tongits": "max_hands", "pokex": "max_deals"}
"""The option that bounds a match."""

_GAMES: Final = ("tractor", "tongits", "tongits", "pokex", "pokex")
"""Matches of Tractor are the longest, so fewer are played."""

_WINDOW_MS: Final = 5_000
"""A window as long as this is answered in time by whoever is prompt."""

_NONCE_MS: Final = (1_000, 10_000, 30_000)
_AWAY_MS: Final = (5_000, 8_000)
"""All longer than it takes to notice that the store hangs, as nobody hears from it until then."""

_SAMPLES: Final = {
    "start_levels": ("2", "2,3", "A", "K,A", "9"),
    "mandatory_levels": ("none", "5,T,K", "A"),
    "starter": ("none", "0", "2"),
    "packs": ("auto", "2", "3"),
    "kitty_size": ("auto", "8", "6"),
    "secret_open": ("none", "burn", "burn,challenge", "burn,challenge,call"),
    "special_pays": ("none", "every_set", "face_down,in_hand", "any_four"),
    "target": ("33", "5", "12"),
}
"""Texts of options without a list of values."""


@dataclass(frozen=True)
class Temper:
    """How a client behaves.

    Attributes:
        think_ms: longest time that it takes for an ordinary answer.
        dawdle: how often it takes until its time has run out.
        lie: how often it does something that no client should do, beside playing.
        repeat: how often it sends an answer again that was accepted.
        stall: how often it stops reading for a while.
        rejoin: how often it takes its seat anew.
    """

    think_ms: int = 40
    dawdle: float = 0.0
    lie: float = 0.0
    repeat: float = 0.02
    stall: float = 0.0
    rejoin: float = 0.0

    @property
    def is_prompt(self) -> bool:
        """Whether it answers well within its time."""
        return not self.dawdle and not self.stall and not self.rejoin

    @property
    def is_honest(self) -> bool:
        """Whether it does nothing that a client should not do."""
        return not self.lie


_RESTARTS_MAX: Final = 2
"""After as many restarts for withheld nonces a table ends."""

HOUSE: Final = -1
"""In the place of a client's number: its house bots play a seat."""


class Unveiling(NamedTuple):
    """How a seat opens a nonce that is wanted.

    Attributes:
        after_ms: so long after it was wanted; None: never.
        is_wrong: it sends another one, at once.
    """

    after_ms: int | None = 0
    is_wrong: bool = False


@dataclass
class SeatPlan:
    """A seat and who plays it.

    Attributes:
        client: who; `HOUSE`: a house bot.
        in_session: whether in a session.
        mode: its view mode.
        has_nonce: whether it has nonces.
        has_next: whether it gives the hash of its next nonce with one.
        withheld: how it opens its first ones; those behind them, all of them mostly, at once.
    """

    client: int
    in_session: bool
    mode: int
    has_nonce: bool
    has_next: bool = True
    withheld: tuple[Unveiling, ...] = ()


@dataclass
class TablePlan:
    """A table, ready to be asked for.

    Attributes:
        game: its name.
        request: the request for it.
        seats: who plays.
        spectators: so many watch.
        aborts: the host stops it in the middle.
        concedes: a seat gives up in the middle; None: nobody does.
        starts_at_ms: when it is asked for.
        is_timed: whether a seat's time can run out.
    """

    game: str
    request: table_service_pb2.CreateTableRequest
    seats: list[SeatPlan]
    spectators: int
    aborts: bool
    concedes: int | None
    starts_at_ms: int
    is_timed: bool

    @property
    def is_whole(self) -> bool:
        """Nobody keeps it from being played to its end."""
        withheld = max((len(seat.withheld) for seat in self.seats), default=0)
        is_late = bool(withheld) and self.has_start_timeout
        never_begins = withheld > _RESTARTS_MAX
        return not (self.aborts or is_late or never_begins) and self.concedes is None

    @property
    def is_relieved(self) -> bool:
        """Whether house bots play for who is away."""
        return self.request.spec.absence == table_pb2.ABSENCE_POLICY_HOUSE_BOT

    @property
    def has_start_timeout(self) -> bool:
        """Whether it ends when it has not begun in time."""
        return self.request.spec.clock.HasField("start_timeout")


@dataclass
class Plan:
    """All of a run that does not happen by chance on the way.

    Attributes:
        seed: it all follows from this.
        limits: of the server.
        tempers: of the clients.
        delays: of their lines: milliseconds that a message takes, and how many more it may take.
        tables: that are played.
        window: bytes that may be on their way on a line before its writer has to wait.
        on_sqlite: whether the store is SQLite's own, on files.
        commit_ms: from and to how long a commit takes.
        slow_spectators: how many of the spectators stop reading now and then, as a share.
        faults: what breaks.
        prompt: by client, whether it answers in time whatever happens to the server.
        house_dies_ms: when the process of the house bots dies alone.
    """

    seed: int
    limits: Limits
    tempers: list[Temper]
    delays: list[tuple[float, float]]
    tables: list[TablePlan]
    window: int
    on_sqlite: bool
    commit_ms: tuple[float, float]
    slow_spectators: float
    faults: list[Fault]
    prompt: list[bool]
    house_dies_ms: tuple[int, ...] = ()


def make_plan(seed: int, *, with_trouble: bool = True, with_crashes: bool = True) -> Plan:
    """The plan of *seed*.

    Args:
        seed: any number.
        with_trouble: whether clients may behave badly and things may break.
        with_crashes: whether the server may.
    """
    rng = Random(f"plan {seed}")
    clients = rng.randint(2, 6)
    tempers = [_temper(rng, with_trouble=with_trouble) for _ in range(clients)]
    delays = [(rng.choice((0.0, 1.0, 10.0, 60.0)), rng.choice((0.0, 2.0, 20.0))) for _ in tempers]
    tables: list[TablePlan] = []
    for _ in range(rng.choice((1, 2, 2, 3))):
        tables += _tables(rng, tempers)
    slow = rng.choice((0.0, 0.5, 3.0, 20.0))
    limits = _limits(rng)
    faulty = [one for one in range(clients) if with_trouble and rng.random() < 0.3]
    faults = make_faults(rng, faulty, with_crashes=with_crashes) if with_trouble else []
    if with_trouble:
        limits = withhold(Random(f"nonces {seed}"), tables, limits)
        invite_house(Random(f"house {seed}"), tables)
    relief = Random(f"relief {seed}")
    if with_trouble and relieve(relief, tables):
        limits = limits._replace(away_ms=relief.choice((*_AWAY_MS, limits.away_ms)))
        faulty += send_away(relief, clients, faults)
    if with_trouble:
        hang(Random(f"hung {seed}"), faults)
    prompt = [one.is_prompt and at not in faulty for at, one in enumerate(tempers)]
    return Plan(
        seed=seed,
        limits=limits,
        tempers=tempers,
        delays=delays,
        tables=tables,
        window=rng.choice((1 << 10, 1 << 12, 1 << 16)),
        on_sqlite=with_trouble and rng.random() < 0.15,
        commit_ms=(0.0, slow),
        slow_spectators=0.3 if with_trouble else 0.0,
        faults=faults,
        prompt=prompt,
        house_dies_ms=_house_deaths(Random(f"deaths {seed}")) if with_trouble else (),
    )


def withhold(rng: Random, tables: list[TablePlan], limits: Limits, *, often: float = 0.2) -> Limits:
    """Have seats withhold their nonces, *often* a table; returns *limits* for that."""
    limits = limits._replace(nonce_ms=rng.choice(_NONCE_MS))
    for table in tables:
        with_nonce = [seat for seat in table.seats if seat.has_nonce]
        for seat in with_nonce:
            seat.has_next = rng.random() < 0.8
        is_match = table.request.spec.deal_source.HasField("match")
        if is_match and with_nonce and rng.random() < often:
            for seat in rng.sample(with_nonce, min(rng.choice((1, 1, 2)), len(with_nonce))):
                seat.withheld = tuple(
                    _unveiling(rng, limits.nonce_ms) for _ in range(rng.choice((1, 1, 2, 3)))
                )
    return limits


def invite_house(rng: Random, tables: list[TablePlan], *, often: float = 0.2) -> None:
    """Give seats to house bots, *often* a table, but for one at least."""
    for table in tables:
        if rng.random() >= often:
            continue
        players = len(table.seats)
        if not table.request.seats:
            table.request.seats.extend([table_service_pb2.SeatSpec()] * players)
        for seat in rng.sample(range(players), rng.randint(1, players - 1)):
            if seat == table.concedes:
                continue
            spec, plan = table.request.seats[seat], table.seats[seat]
            spec.access, spec.house_bot = table_pb2.SEAT_ACCESS_HOUSE, "random"
            plan.client, plan.withheld = HOUSE, ()


def relieve(rng: Random, tables: list[TablePlan], *, often: float = 0.2) -> bool:
    """Have house bots play for who is away, *often* a table; returns whether at any."""
    relieved = [table for table in tables if rng.random() < often]
    for table in relieved:
        table.request.spec.absence = table_pb2.ABSENCE_POLICY_HOUSE_BOT
    return bool(relieved)


def send_away(rng: Random, clients: int, faults: list[Fault]) -> list[int]:
    """Have clients be away for long; returns which."""
    away = rng.sample(range(clients), rng.choice((0, 1, 1, 2)))
    for line in away:
        for _ in range(rng.choice((1, 2))):
            at_ms, lasts_ms = int(rng.random() ** 2 * 25_000), rng.choice((9_000, 15_000, 20_000))
            faults.append(Fault(at_ms, "no route", line, lasts_ms, 0))
    faults.sort()
    return away


def hang(rng: Random, faults: list[Fault]) -> None:
    """Have the disk hang, in some runs."""
    if rng.random() < 0.1:
        at_ms, lasts_ms = int(rng.random() ** 2 * 25_000), rng.choice((700, 4_000, 20_000))
        faults.append(Fault(at_ms, "hung disk", 0, lasts_ms, 0))
        faults.sort()


def _house_deaths(rng: Random) -> tuple[int, ...]:
    return tuple(int(rng.random() ** 2 * 25_000) for _ in range(rng.choice((0, 0, 1, 3))))


def _unveiling(rng: Random, nonce_ms: int) -> Unveiling:
    """Never, late, so late that it may be in time or not, or another one than was promised."""
    return Unveiling(
        after_ms=rng.choice((None, None, 200, nonce_ms - 100, nonce_ms, 2 * nonce_ms)),
        is_wrong=rng.random() < 0.3,
    )


def _limits(rng: Random) -> Limits:
    return Limits(
        lag_max=rng.choice((8, 64, 1_024)),
        heartbeat_ms=rng.choice((1_000, 5_000, 10_000)),
        away_ms=rng.choice((10_000, 60_000)),
        ended_max=rng.choice((1, 64)),
        network_grace_ms=rng.choice((0, 100, 500)),
        unary_grace_ms=rng.choice((0, 100)),
    )


def _temper(rng: Random, *, with_trouble: bool) -> Temper:
    think = rng.choice((0, 20, 40, 200))
    kind = rng.random() if with_trouble else 0.0
    if kind < 0.6:
        return Temper(think)
    if kind < 0.7:
        return Temper(think, dawdle=0.03, rejoin=0.02)
    if kind < 0.8:
        return Temper(think, lie=0.2)
    if kind < 0.9:
        return Temper(think, stall=0.02)
    return Temper(think, repeat=0.2, rejoin=0.01, lie=0.05, dawdle=0.01, stall=0.01)


def _tables(rng: Random, tempers: list[Temper]) -> list[TablePlan]:
    """One table, or the two or three of a board."""
    game_name = rng.choice(_GAMES)
    game = GAMES[game_name]
    ruleset = rng.choice(game.rulesets())
    options = _options(rng, game, ruleset)
    spec = table_pb2.TableSpec(
        game=WIRES_BY_NAME[game_name].kind,  # type: ignore[arg-type]  # a number of GameKind
        ruleset=ruleset,
        options=WIRES_BY_NAME[game_name].options_message(options),
        legal_mode=rng.choice((0, 0, 0, 0, 1, 2, 3)),  # type: ignore[arg-type]
        shared_seats=True,
        start_mode=rng.choice((0, 1, 1, 1, 2)),  # type: ignore[arg-type]
        visibility=rng.choice((0, 1, 1, 2)),  # type: ignore[arg-type]
        title=rng.choice(("", "a table")),
    )
    _clock(rng, spec)
    request = table_service_pb2.CreateTableRequest()
    players = game.players(options)
    number = 1
    match rng.randrange(4):
        case 0:
            spec.deal_source.fixed.seed = rng.randrange(1 << 52, 1 << 53)
        case 1:
            number = rng.choice((1, 2, 3))
            board = spec.deal_source.board
            board.board_id, board.root, board.table_count = "board", rng.randbytes(32), number
        case _:
            spec.deal_source.match.SetInParent()
    if number > 1 or spec.deal_source.HasField("board") or rng.random() < 0.3:
        request.seats.extend(
            [table_service_pb2.SeatSpec(access=table_pb2.SEAT_ACCESS_RESERVED)] * players
        )
    if number > 1:  # a board waits for tables that do not begin
        spec.clock.ClearField("start_timeout")
    request.spec.CopyFrom(spec)
    return [_table(rng, game_name, request, players, tempers) for _ in range(number)]


def _table(
    rng: Random,
    game: str,
    request: table_service_pb2.CreateTableRequest,
    players: int,
    tempers: list[Temper],
) -> TablePlan:
    wanted = table_service_pb2.CreateTableRequest()
    wanted.CopyFrom(request)
    wanted.request_id = f"{rng.getrandbits(64):032x}"
    clock = wanted.spec.clock
    is_timed = bool(clock.base.seconds or clock.per_move.seconds)
    return TablePlan(
        game=game,
        request=wanted,
        seats=[
            SeatPlan(
                client=rng.randrange(len(tempers)),
                in_session=rng.random() < 0.7,
                mode=rng.choice((1, 1, 2)),
                has_nonce=rng.random() < 0.8,
            )
            for _ in range(players)
        ],
        spectators=rng.choice((0, 0, 1, 2)),
        aborts=rng.random() < 0.02,
        concedes=rng.randrange(players) if rng.random() < 0.03 else None,
        starts_at_ms=rng.choice((0, 0, 100, 3_000)),
        is_timed=is_timed,
    )


def _clock(rng: Random, spec: table_pb2.TableSpec) -> None:
    """No clock, a time for each move, a base with an increment, or a bank; and a window's time."""
    clock = spec.clock
    match rng.randrange(5):
        case 1:
            clock.per_move.seconds = rng.choice((5, 20))
        case 2:
            clock.base.seconds = rng.choice((120, 600))
            clock.increment.seconds = rng.choice((1, 5))
        case 3:
            clock.per_move.seconds = rng.choice((3, 10))
            clock.base.seconds = rng.choice((30, 300))
    if rng.random() < 0.3:
        clock.window_time.FromMilliseconds(rng.choice((200, 1_000, 5_000)))
    if rng.random() < 0.3:
        clock.max_strikes = rng.choice((1, 3, 10))
    clock.on_timeout = rng.choice((0, 1, 2, 3))  # type: ignore[assignment]  # a number
    if 0 < clock.window_time.ToMilliseconds() < _WINDOW_MS:
        # It may close before a question has come, which is nobody's fault.
        clock.on_timeout = table_pb2.TIMEOUT_POLICY_FALLBACK
    if rng.random() < 0.3:
        clock.disconnect_grace.seconds = rng.choice((2, 60))
    if rng.random() < 0.3:
        clock.start_timeout.seconds = rng.choice((60, 600))
    if rng.random() < 0.25:
        spec.spectator_delay.decisions = rng.choice((0, 1, 5))
        spec.spectator_delay.time.FromMilliseconds(rng.choice((0, 700, 4_000)))
    spec.absence = rng.choice((0, 1, 3))  # type: ignore[assignment]


def _options(rng: Random, game: AnyGame, ruleset: str) -> Any:
    """Options that go together, at most three deals a match."""
    deals = rng.choice(("1", "1", "2", "3"))
    bound = {_DEALS[game.name]: deals}
    for _ in range(8):
        texts = dict(bound)
        for spec in game.option_specs():
            values = spec.values or _SAMPLES.get(spec.name, ())
            if spec.name == "players":
                if rng.random() < 0.1:
                    texts["players"] = rng.choice(("6", "6", "8"))
            elif spec.name not in texts and values and rng.random() < 0.15:
                texts[spec.name] = rng.choice(values)
        try:
            return new_options(game, ruleset, texts)
        except InvalidRequest:
            continue
    return game.options(ruleset, bound)
