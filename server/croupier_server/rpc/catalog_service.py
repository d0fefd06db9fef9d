"""The catalogue: games, rulesets, options and the text of the rules.

Everything here is read from the games themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from croupier.v1 import catalog_service_pb2 as pb
from croupier_server.errors import NotFound, Reason
from croupier_server.games.base import AnyGame, Choice, Flag, Levels, Number, OptionSpec, WordSet
from croupier_server.games.modules import WIRES
from croupier_server.games.registry import GAMES
from croupier_server.rpc.pages import PageTokens
from croupier_server.tables.caller import Caller
from croupier_server.tables.spec import ruleset_hash
from croupier_server.wire.game import GameWire


class CatalogService:
    """``croupier.v1.CatalogService``."""

    service = "croupier.v1.CatalogService"

    def __init__(self, pages: PageTokens) -> None:
        self._pages = pages

    async def list_games(
        self, _caller: Caller, request: pb.ListGamesRequest
    ) -> pb.ListGamesResponse:
        """The games, by name."""
        wires = sorted(WIRES.values(), key=lambda wire: wire.name)
        page, token = self._pages.page("games", wires, request.page_size, request.page_token)
        games = [
            pb.GameInfo(
                game=wire.kind,  # type: ignore[arg-type]  # a number of GameKind
                name=wire.name,
                title=wire.title,
                rules_version=GAMES[wire.name].rules_version,
                seats_min=wire.seats_min,
                seats_max=wire.seats_max,
            )
            for wire in page
        ]
        return pb.ListGamesResponse(games=games, next_page_token=token)

    async def list_rulesets(
        self, _caller: Caller, request: pb.ListRulesetsRequest
    ) -> pb.ListRulesetsResponse:
        """Names of the rulesets, the default first."""
        _, game = _find(request.game)
        scope = f"rulesets/{game.name}"
        names, token = self._pages.page(
            scope, game.rulesets(), request.page_size, request.page_token
        )
        return pb.ListRulesetsResponse(rulesets=names, next_page_token=token)

    async def get_ruleset(
        self, _caller: Caller, request: pb.GetRulesetRequest
    ) -> pb.GetRulesetResponse:
        """One ruleset with every option."""
        wire, game = _find(request.game)
        name = request.ruleset or game.rulesets()[0]
        options = game.options(name, {})
        texts = game.option_text(options)
        return pb.GetRulesetResponse(
            ruleset=name,
            options=[_option(spec, texts[spec.name], wire) for spec in game.option_specs()],
            values=wire.options_message(options),
            hash=ruleset_hash(texts),
        )

    async def explain_rule(
        self, _caller: Caller, request: pb.ExplainRuleRequest
    ) -> pb.ExplainRuleResponse:
        """The clauses asked for, in the order of their ids."""
        _, game = _find(request.game)
        texts = game.clauses()
        wanted = request.clause
        found = [
            clause
            for clause in in_order(texts)
            if not wanted or clause == wanted or clause.startswith(f"{wanted}.")
        ]
        if not found:
            raise NotFound(
                Reason.UNKNOWN_CLAUSE, f"{game.name} has no rule {wanted!r}", field="clause"
            )
        return pb.ExplainRuleResponse(
            clauses=[pb.Clause(clause=clause, text=texts[clause]) for clause in found]
        )


def in_order(clauses: Iterable[str]) -> list[str]:
    """Ids of clauses as a reader counts them: T-9.6 before T-10.

    >>> in_order(["T-10", "T-9.6", "T-9", "T-9.10"])
    ['T-9', 'T-9.6', 'T-9.10', 'T-10']
    """

    def key(clause: str) -> tuple[str, list[tuple[int, str]]]:
        name, _, numbers = clause.partition("-")
        parts = numbers.split(".")
        return name, [(int(part), "") if part.isdecimal() else (0, part) for part in parts]

    return sorted(clauses, key=key)


def _option(spec: OptionSpec, default: str, wire: GameWire) -> pb.OptionInfo:
    """The entry of one option, whose value in the ruleset is *default*."""

    def values(texts: Iterable[str]) -> Iterator[pb.OptionValue]:
        for text in texts:
            yield pb.OptionValue(text=text, number=wire.option_number(spec.name, text))

    found = pb.OptionInfo(
        name=spec.name,
        clause=spec.clause,
        meaning=spec.meaning,
        default_value=default,
        depends_on=spec.depends_on,
    )
    match spec.type:
        case Flag():
            found.boolean.SetInParent()
        case Number(least, most, word):
            found.number.CopyFrom(pb.NumberOption(min=least, max=most, word=word))
        case Choice(texts):
            found.choice.values.extend(values(texts))
        case WordSet(words, alone):
            found.set.CopyFrom(pb.SetOption(values=values(words), alone=alone))
        case Levels(letters, least, most, distinct):
            bounds = pb.LevelsOption(min_items=least, max_items=most, distinct=distinct)
            bounds.levels.extend(values(letters))
            found.levels.CopyFrom(bounds)
    if spec.needs is not None:
        found.needs.CopyFrom(pb.OptionNeeds(**spec.needs._asdict()))
    return found


def _find(kind: int) -> tuple[GameWire, AnyGame]:
    """The game of a checked request: the contract allows only games that are here."""
    wire = WIRES[kind]
    return wire, GAMES[wire.name]
