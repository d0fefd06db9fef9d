"""The settings of a tournament or ladder, from the file that its organiser writes.

`Spec` is the file as data. Its JSON is stored in the first event of the log, so a contest continues
with its original settings even if the file changes.
"""

from __future__ import annotations

import tomllib
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Final, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from croupier.clock import TimeoutPolicy
from croupier_server.contest.isolation import Isolation
from croupier_server.games import NAMES

if TYPE_CHECKING:
    from croupier_server.contest.results import MatchResult

SEED_MAX: Final = 2**53 - 1
"""JSON and JavaScript keep integers up to here exact."""


class BadSpec(ValueError):
    """An invalid contest file; the text has one line for each mistake: where, and what is wrong."""


class Format(StrEnum):
    """Who meets whom."""

    ROUND_ROBIN = "round-robin"
    """Every pair of entrants meets equally often."""
    GAUNTLET = "gauntlet"
    """The first entrant meets each of the others equally often."""
    SWISS = "swiss"
    """Rounds between entrants with about the same points, who have not met."""
    KNOCKOUT = "knockout"
    """The loser of a tie is out."""
    SPRT = "sprt"
    """The first entrant against the second, until one hypothesis is accepted."""
    LADDER = "ladder"
    """Until it is stopped, entrants whose ranking is the least certain meet."""


class Form(StrEnum):
    """How the cards of a board are used."""

    SWAPPED = "swapped"
    """Entrants who meet on a board play it under all seatings."""
    FIELD = "field"
    """Every entrant plays the board once, in the same seat, with house bots in all others."""
    INDEPENDENT = "independent"
    """Every table has cards of its own."""


class Primary(StrEnum):
    """The measure that decides the contest."""

    WIN_RATE = "win-rate"
    SCORE = "score"


class Records(StrEnum):
    """Which match records are stored."""

    ALL = "all"
    FAULTS = "faults"
    NONE = "none"

    def takes(self, result: MatchResult) -> bool:
        """Whether the record of *result* is stored."""
        return self is Records.ALL or (self is Records.FAULTS and bool(result.at_fault))


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


Name = Annotated[str, Field(min_length=1, max_length=64)]


class EntrantSpec(_Model):
    """A participant: a bot that we start, a team of bots, or a player who dials in.

    Attributes:
        name: shown everywhere; no two entrants share one.
        bot: a house bot, ``path/to/bot.py:Class`` or ``cmd:program arguments``.
        members: bots of a team, which take the seats of a side in turn; in place of `bot`.
        player: id of the principal of a bot that dials in; in place of `bot`.
        version: of the bot, as its owner calls it.
        owner: whose bot it is; entrants of one owner do not meet, unless `Spec.same_owner`.
    """

    name: Name
    bot: str = ""
    members: tuple[str, ...] = ()
    player: str = ""
    version: str = ""
    owner: str = ""

    @model_validator(mode="after")
    def _is_one_kind(self) -> Self:
        if [bool(self.bot), bool(self.members), bool(self.player)].count(True) != 1:
            raise ValueError("set exactly one of bot, members and player")
        return self


class ClockSpec(_Model):
    """The clock of every table; times in seconds, 0 if not used."""

    per_move: float = Field(default=0, ge=0)
    base: float = Field(default=0, ge=0)
    increment: float = Field(default=0, ge=0)
    on_timeout: TimeoutPolicy = "forfeit"
    max_strikes: int = Field(default=3, ge=0)
    disconnect_grace: float = Field(default=0, ge=0)

    @property
    def is_set(self) -> bool:
        """Whether any time limit is set."""
        return bool(self.per_move or self.base or self.increment)


class SprtSpec(_Model):
    """The hypotheses of a sequential test: effects in Elo, normalised by the spread of a match."""

    elo0: float = 0.0
    elo1: float = 20.0
    alpha: float = Field(default=0.05, gt=0, lt=0.5)
    beta: float = Field(default=0.05, gt=0, lt=0.5)

    @model_validator(mode="after")
    def _is_ordered(self) -> Self:
        if self.elo0 >= self.elo1:
            raise ValueError(f"elo0 must be below elo1, not {self.elo0:g} and {self.elo1:g}")
        return self


class Spec(_Model):
    """A contest.

    Attributes:
        name: shown everywhere.
        game, ruleset, options: what is played; of options, those that differ from the ruleset.
        format, form: who meets whom, and how boards are used.
        boards: how many boards each pair meets on (round robin, gauntlet); in each round or tie
            (swiss, knockout); at most in all (sprt, ladder; 0: no limit for a ladder).
        rounds: of a swiss.
        primary: the measure that decides.
        entrants: the participants.
        seed: determines the cards and the seeds of bots; None: drawn when the contest is created.
        batch: boards that are scheduled together.
        field_bot: plays all other seats where the form is ``field``.
        clock: of every table.
        stall_seconds: maximum time for a decision without a clock; then the bot has stalled.
        start_seconds: time to take the seats of a match.
        quarantine: boards in a row with a fault after which an entrant is left out.
        isolation: of the processes of bots, see `Isolation`.
        memory_mb: maximum memory of a bot with its child processes, in megabytes; 0: no limit.
        same_owner: whether entrants of one owner may meet.
        records: which records are kept.
        sprt: hypotheses of the format ``sprt``.
        confidence: of all intervals.
        simultaneous: whether the intervals hold for all pairs together, or for each alone.
        server: address of the server to play on, or several, over which boards are distributed;
            empty: servers are started for this contest.
    """

    name: Name
    game: str
    ruleset: str = ""
    options: dict[str, str] = {}
    format: Format = Format.ROUND_ROBIN
    form: Form = Form.SWAPPED
    boards: int = Field(default=100, ge=0)
    rounds: int = Field(default=0, ge=0, le=1000)
    primary: Primary = Primary.SCORE
    entrants: tuple[EntrantSpec, ...] = Field(alias="entrant", min_length=2, max_length=10_000)
    seed: int | None = Field(default=None, ge=0, le=SEED_MAX)
    batch: int = Field(default=64, ge=1, le=10_000)
    field_bot: str = "greedy"
    clock: ClockSpec = ClockSpec()
    stall_seconds: float = Field(default=60, gt=0)
    start_seconds: float = Field(default=60, gt=0)
    quarantine: int = Field(default=5, ge=1)
    isolation: Isolation = Isolation.OFF
    memory_mb: int = Field(default=4096, ge=0)
    same_owner: bool = False
    records: Records = Records.ALL
    sprt: SprtSpec = SprtSpec()
    confidence: float = Field(default=0.95, gt=0.5, lt=1)
    simultaneous: bool = False
    server: str | tuple[str, ...] = ""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.game not in NAMES:
            raise ValueError(f"game: there is no game {self.game!r}; use {', '.join(NAMES)}")
        names = [entrant.name for entrant in self.entrants]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"entrant: two entrants are named {name!r}; names must differ")
        if self.format is Format.SPRT and len(names) != 2:
            raise ValueError(f"format: sprt compares exactly two entrants; {len(names)} given")
        owners = [entrant.owner for entrant in self.entrants if entrant.owner]
        if self.format in (Format.SPRT, Format.KNOCKOUT) and not self.same_owner:
            for owner in owners:
                if owners.count(owner) > 1:
                    raise ValueError(
                        f"owner: {owner!r} has several entrants, who might have to meet in format "
                        f"{self.format}; set same_owner = true to allow that"
                    )
        players = [entrant.player for entrant in self.entrants if entrant.player]
        for player in players:
            if players.count(player) > 1:
                raise ValueError(
                    f"player: two entrants have the player {player!r}; players must differ"
                )
        if self.form is Form.FIELD and self.format not in (Format.ROUND_ROBIN, Format.LADDER):
            raise ValueError(
                f"form: field cannot be used with {self.format}, because all entrants play every "
                "board; use round-robin or ladder"
            )
        if self.boards == 0 and self.format is not Format.LADDER:
            raise ValueError(
                "boards: must be at least 1; 0 (no limit) is allowed only for format ladder"
            )
        if (self.format is Format.SWISS) != (self.rounds > 0):
            raise ValueError(
                "rounds: a swiss needs rounds, such as 7; remove rounds for any other format"
            )
        if self.isolation is not Isolation.OFF and self.server:
            raise ValueError(
                "isolation: bwrap requires servers that the contest starts; remove server, or set "
                "isolation to off"
            )
        if any(e.player for e in self.entrants):
            if self.form is Form.SWAPPED:
                raise ValueError(
                    "form: swapped cannot be used with players who dial in, because they would see "
                    "the cards of a board more than once; use field or independent"
                )
            if not self.servers:
                raise ValueError(
                    "server: not set; entrants with a player dial in to a running server, so give "
                    "its address, such as 127.0.0.1:7421"
                )
        if len(set(self.servers)) < len(self.servers) or "" in self.servers:
            raise ValueError(
                f"server: {list(self.servers)} must be different addresses, such as 10.0.0.1:7421"
            )
        return self

    @property
    def servers(self) -> tuple[str, ...]:
        """Addresses of the servers to play on; empty: the contest starts its own."""
        if isinstance(self.server, str):
            return (self.server,) if self.server else ()
        return self.server

    def as_json(self) -> dict[str, Any]:
        """Return the spec as JSON, for the log."""
        return self.model_dump(mode="json", by_alias=True)


def read_spec(text: str, **more: Any) -> Spec:
    """Parse a TOML file.

    Args:
        text: content of the file.
        more: defaults for keys that the file leaves out.

    Raises:
        BadSpec: the file is invalid.
    """
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadSpec(f"not TOML: {error}") from None
    return parse_spec(more | found)


def parse_spec(data: dict[str, Any]) -> Spec:
    """Parse *data*, the content of a contest file.

    Raises:
        BadSpec: it is invalid.
    """
    try:
        return Spec.model_validate(data)
    except ValidationError as error:
        raise BadSpec("\n".join(_line(one) for one in error.errors())) from None


def _line(error: Any) -> str:
    """One mistake: where, and what is wrong with it."""
    where = ".".join(str(part) for part in error["loc"])
    text = str(error["msg"]).removeprefix("Value error, ")
    if error["type"] == "extra_forbidden":
        text = "there is no such setting"
    return f"{where}: {text}" if where else text
