"""From the spec of a request to that of a contest, and back.

The contract can name principals and house bots alone. A program in the place of a house bot is
refused by a reason of its own, so that nobody has to guess why.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from croupier.bots import HOUSE_BOTS
from croupier.v1 import game_pb2, table_pb2
from croupier.v1 import tournament_service_pb2 as pb
from croupier_server.bots.spec import FORMS
from croupier_server.bots.spec import parse_spec as parse_search
from croupier_server.contest.ladder.spec import BadSpec, Form, Format, Primary, Spec, parse_spec
from croupier_server.errors import CroupierError, InvalidRequest, Reason
from croupier_server.games.modules import WIRES, WIRES_BY_NAME
from croupier_server.games.registry import GAMES
from croupier_server.games.settings import new_options
from croupier_server.rpc.requests import milliseconds, printable
from croupier_server.rpc.validate import malformed

Knows = Callable[[str], bool]
"""Whether there is a principal of this name."""

_TIME_S: Final = 60.0
"""Default of `TournamentSpec.stall_time` and `start_time`."""

_MILLIS: Final = 1_000
_HOUSE_BOT: Final = "greedy"
_PROGRAM_MARKS: Final = ("cmd:", ".py", "/", "\\")

_POLICIES: Final = {
    table_pb2.TIMEOUT_POLICY_UNSPECIFIED: "strike",
    table_pb2.TIMEOUT_POLICY_FALLBACK: "fallback",
    table_pb2.TIMEOUT_POLICY_STRIKE: "strike",
    table_pb2.TIMEOUT_POLICY_FORFEIT: "forfeit",
}


def read_spec(asked: pb.TournamentSpec, server: str, knows: Knows) -> Spec:
    """The contest that *asked* describes.

    Args:
        asked: has been checked against the bounds of its fields.
        server: address of the server of tables.
        knows: tells the principals.

    Raises:
        InvalidRequest: PROGRAM_NOT_ALLOWED, UNKNOWN_ENTRANT, or a reason of the game or of
            malformed requests; ``field`` says where.
    """
    wire = WIRES[asked.game]
    game = GAMES[wire.name]
    try:
        ruleset = asked.ruleset or game.rulesets()[0]
        options = wire.options_overrides(asked.options)
        new_options(game, ruleset, options)
    except CroupierError as error:
        where = error.field or "options"
        raise InvalidRequest(error.reason, error.message, field=f"spec.{where}") from None
    entrants = [
        _entrant(f"spec.entrants[{place}]", one, knows) for place, one in enumerate(asked.entrants)
    ]
    players = [one.player_id for one in asked.entrants]
    for place, player in enumerate(players):
        if player and player in players[:place]:
            why = f"{player!r} takes part already; a principal may take part once"
            raise malformed([(f"spec.entrants[{place}].player_id", why)])
    chosen = Format[_word(pb.TournamentFormat, asked.format or pb.TOURNAMENT_FORMAT_ROUND_ROBIN)]
    data: dict[str, Any] = {
        "name": printable("spec.name", asked.name),
        "game": wire.name,
        "ruleset": ruleset,
        "options": options,
        "format": chosen,
        "form": _form(asked, chosen),
        "boards": asked.boards,
        "rounds": asked.rounds,
        "primary": Primary[_word(pb.TournamentMeasure, asked.primary or 1)],
        "entrant": entrants,
        "clock": _clock(asked.clock),
        "stall_seconds": _seconds("spec.stall_time", asked.stall_time),
        "start_seconds": _seconds("spec.start_time", asked.start_time),
        "field_bot": _house_bot("spec.field_bot", asked.field_bot or _HOUSE_BOT),
        "server": server,
    }
    if asked.sprt.elo0 or asked.sprt.elo1:
        data["sprt"] = {"elo0": asked.sprt.elo0, "elo1": asked.sprt.elo1}
    try:
        return parse_spec(data)
    except BadSpec as error:
        raise malformed([_fault(line) for line in str(error).splitlines()]) from None


def write_spec(spec: Spec) -> pb.TournamentSpec:
    """*spec* as everybody may see it: all but what the cards follow from."""
    wire = WIRES_BY_NAME[spec.game]
    game = GAMES[spec.game]
    texts = game.option_text(new_options(game, spec.ruleset, spec.options))
    found = pb.TournamentSpec(
        name=spec.name,
        game=wire.kind,  # type: ignore[arg-type]  # a number of GameKind
        ruleset=spec.ruleset,
        options=_options(wire.name, texts),
        format=pb.TournamentFormat.Value(f"TOURNAMENT_FORMAT_{spec.format.name}"),
        form=pb.BoardForm.Value(f"BOARD_FORM_{spec.form.name}"),
        boards=spec.boards,
        rounds=spec.rounds,
        primary=pb.TournamentMeasure.Value(f"TOURNAMENT_MEASURE_{spec.primary.name}"),
        field_bot=spec.field_bot if spec.form is Form.FIELD else "",
    )
    for one in spec.entrants:
        found.entrants.add(
            name=one.name,
            version=one.version,
            **({"player_id": one.player} if one.player else {"house_bot": one.bot}),
        )
    _write_clock(found, spec)
    found.start_time.FromMilliseconds(int(spec.start_seconds * _MILLIS))
    if spec.format is Format.SPRT:
        found.sprt.elo0, found.sprt.elo1 = int(spec.sprt.elo0), int(spec.sprt.elo1)
    return found


def _options(name: str, texts: dict[str, str]) -> game_pb2.GameOptions:
    game = GAMES[name]
    return WIRES_BY_NAME[name].options_message(game.options(game.rulesets()[0], texts))


def _word(enum: Any, number: int) -> str:
    """The name of a value without the prefix that all values of *enum* share."""
    zero = enum.Name(0).removesuffix("UNSPECIFIED")
    return str(enum.Name(number)).removeprefix(zero)


def _entrant(field: str, asked: pb.TournamentEntrant, knows: Knows) -> dict[str, str]:
    found = {
        "name": printable(f"{field}.name", asked.name),
        "version": printable(f"{field}.version", asked.version),
    }
    if asked.WhichOneof("bot") == "house_bot":
        return found | {"bot": _house_bot(f"{field}.house_bot", asked.house_bot)}
    if not knows(asked.player_id):
        raise InvalidRequest(
            Reason.UNKNOWN_ENTRANT,
            f"no principal {asked.player_id!r} has a valid key; `croupier keys create` makes one",
            field=f"{field}.player_id",
        )
    return found | {"player": asked.player_id, "owner": asked.player_id}


def _house_bot(field: str, name: str) -> str:
    """*name*, which is that of a house bot."""
    if name in HOUSE_BOTS or parse_search(name) is not None:
        return name
    known = ", ".join((*HOUSE_BOTS, FORMS))
    if any(mark in name for mark in _PROGRAM_MARKS):
        raise InvalidRequest(
            Reason.PROGRAM_NOT_ALLOWED,
            f"{name!r} names a program or a file; an entrant must be a principal whose bot dials "
            f"in (`player_id`), or a house bot: {known}",
            field=field,
        )
    raise InvalidRequest(
        Reason.UNKNOWN_ENTRANT, f"there is no house bot {name!r}; use {known}", field=field
    )


def _form(asked: pb.TournamentSpec, chosen: Format) -> Form:
    if asked.form:
        return Form[_word(pb.BoardForm, asked.form)]
    if not any(one.player_id for one in asked.entrants):
        return Form.SWAPPED
    return Form.FIELD if chosen in (Format.ROUND_ROBIN, Format.LADDER) else Form.INDEPENDENT


def _clock(asked: table_pb2.ClockSpec) -> dict[str, Any]:
    for name in ("window_time", "start_timeout"):
        if asked.HasField(name):
            raise malformed([(f"spec.clock.{name}", "must not be set for a tournament")])
    found: dict[str, Any] = {
        name: milliseconds(f"spec.clock.{name}", getattr(asked, name)) / _MILLIS
        for name in ("per_move", "base", "increment", "disconnect_grace")
    }
    return found | {"on_timeout": _POLICIES[asked.on_timeout], "max_strikes": asked.max_strikes}


def _write_clock(found: pb.TournamentSpec, spec: Spec) -> None:
    if not spec.clock.is_set:
        found.stall_time.FromMilliseconds(int(spec.stall_seconds * _MILLIS))
        return
    for name in ("per_move", "base", "increment", "disconnect_grace"):
        if seconds := getattr(spec.clock, name):
            getattr(found.clock, name).FromMilliseconds(int(seconds * _MILLIS))
    policies = {word: number for number, word in _POLICIES.items()}
    found.clock.on_timeout = policies[spec.clock.on_timeout]
    found.clock.max_strikes = spec.clock.max_strikes


def _seconds(field: str, time: Any) -> float:
    return milliseconds(field, time) / _MILLIS or _TIME_S


def _fault(line: str) -> tuple[str, str]:
    """A mistake as a contest's file would have it, as one of the request."""
    where, colon, why = line.partition(": ")
    if not colon:
        return "spec", line
    name = "entrants" if where.startswith("entrant") else where
    return f"spec.{name}", why
