"""The catalogue says what the games say."""

from __future__ import annotations

import random

import grpc
import pytest
from google.protobuf import descriptor

from croupier.v1 import catalog_service_pb2 as pb
from croupier.v1 import game_pb2
from croupier_server.games.modules import WIRES
from croupier_server.games.registry import GAMES
from croupier_server.rpc.catalog_service import CatalogService, in_order
from croupier_server.rpc.pages import PageTokens
from croupier_server.tables.spec import ruleset_hash
from tests.rpc.conftest import Serve
from tests.wire import playouts

CATALOG = "croupier.v1.CatalogService"
TRACTOR = game_pb2.GAME_KIND_TRACTOR
RULESETS = ["standard", "document", "pagat", "online", "qq"]


def catalog() -> CatalogService:
    return CatalogService(PageTokens(b"key of the test", size=3))


async def test_every_game_is_listed(serve: Serve) -> None:
    async with serve(catalog()) as call:
        answer = await call.unary(
            f"{CATALOG}/ListGames", pb.ListGamesRequest(), pb.ListGamesResponse
        )
    assert [game.name for game in answer.games] == sorted(GAMES)
    assert {
        game.name: (game.game, game.title, game.seats_min, game.seats_max) for game in answer.games
    } == {
        "tractor": (TRACTOR, "Tractor", 4, 12),
        "tongits": (game_pb2.GAME_KIND_TONGITS, "Tong-its", 3, 3),
        "pokex": (game_pb2.GAME_KIND_POKEX, "Pokex", 4, 4),
    }
    assert all(game.rules_version == GAMES[game.name].rules_version for game in answer.games)
    assert answer.next_page_token == ""


def test_seats_keep_to_the_bounds_that_are_listed() -> None:
    rng = random.Random(3)
    for wire in WIRES.values():
        game = GAMES[wire.name]
        numbers = {game.players(playouts.random_options(game, rng)) for _ in range(200)}
        assert (min(numbers), max(numbers)) == (wire.seats_min, wire.seats_max)


@pytest.mark.parametrize("size", [0, 1, 2, 5, 1000])
async def test_rulesets_come_in_pages(serve: Serve, size: int) -> None:
    names: list[str] = []
    token = ""
    async with serve(catalog()) as call:
        while True:
            request = pb.ListRulesetsRequest(game=TRACTOR, page_size=size, page_token=token)
            page = await call.unary(f"{CATALOG}/ListRulesets", request, pb.ListRulesetsResponse)
            assert len(page.rulesets) <= (size or 3)
            names += page.rulesets
            token = page.next_page_token
            if not token:
                break
    assert names == RULESETS


async def test_a_token_is_good_for_its_own_list_alone(serve: Serve) -> None:
    service = catalog()
    other = PageTokens(b"key of the test").token("games", "0")
    async with serve(service) as call:
        for token in (other, "x", "AAAA" * 8, "\N{BULLET}", "a" * 512):
            request = pb.ListRulesetsRequest(game=TRACTOR, page_token=token)
            refused = await call.refused(f"{CATALOG}/ListRulesets", request)
            assert (refused.code, refused.reason, refused.fields) == (
                grpc.StatusCode.INVALID_ARGUMENT,
                "INVALID_PAGE_TOKEN",
                ("page_token",),
            )


@pytest.mark.parametrize(
    ("kind", "name"),
    [(wire.kind, name) for wire in WIRES.values() for name in ("", *GAMES[wire.name].rulesets())],
)
async def test_a_ruleset_shows_every_option(serve: Serve, kind: int, name: str) -> None:
    wire, game = WIRES[kind], GAMES[WIRES[kind].name]
    async with serve(catalog()) as call:
        answer = await call.unary(
            f"{CATALOG}/GetRuleset",
            pb.GetRulesetRequest(game=kind, ruleset=name),  # type: ignore[arg-type]
            pb.GetRulesetResponse,
        )
    assert answer.ruleset == (name or game.rulesets()[0])
    fields = getattr(game_pb2.GameOptions(), wire.name).DESCRIPTOR.fields
    assert [option.name for option in answer.options] == [field.name for field in fields]
    assert all(option.clause and option.meaning for option in answer.options)
    for option in answer.options:
        values = [value.text for value in option.choice.values]
        assert not values or option.default_value in values
    texts = {option.name: option.default_value for option in answer.options}
    assert answer.hash == ruleset_hash(texts)
    overrides = wire.options_overrides(answer.values)
    assert game.option_text(game.options(game.rulesets()[0], overrides)) == texts


async def test_there_is_no_ruleset_of_another_name(serve: Serve) -> None:
    async with serve(catalog()) as call:
        refused = await call.refused(
            f"{CATALOG}/GetRuleset", pb.GetRulesetRequest(game=TRACTOR, ruleset="mine")
        )
    assert (refused.code, refused.reason, refused.fields) == (
        grpc.StatusCode.INVALID_ARGUMENT,
        "UNKNOWN_RULESET",
        ("ruleset",),
    )


SECTIONS = [
    (TRACTOR, "T-6.4", "T-1", ["T-9.6", "T-11.1"]),
    (game_pb2.GAME_KIND_TONGITS, "G-5.2", "G-3", ["G-2.4", "G-5.6"]),
    (game_pb2.GAME_KIND_POKEX, "P-4.1", "P-6", ["P-2.4", "P-5.3"]),
]


@pytest.mark.parametrize(("kind", "one", "section", "order"), SECTIONS)
async def test_a_clause_a_section_and_all(
    serve: Serve, kind: game_pb2.GameKind.ValueType, one: str, section: str, order: list[str]
) -> None:
    texts = GAMES[WIRES[kind].name].clauses()

    async with serve(catalog()) as call:

        async def explain(clause: str) -> list[str]:
            request = pb.ExplainRuleRequest(game=kind, clause=clause)
            answer = await call.unary(f"{CATALOG}/ExplainRule", request, pb.ExplainRuleResponse)
            assert all(found.text == texts[found.clause] for found in answer.clauses)
            return [found.clause for found in answer.clauses]

        assert await explain(one) == [one]
        found = await explain(section)
        assert len(found) > 1
        assert all(clause == section or clause.startswith(f"{section}.") for clause in found)
        every = await explain("")
        assert sorted(every) == sorted(texts)
        assert every.index(order[0]) < every.index(order[1])


@pytest.mark.parametrize("clause", ["T-99", "T-6.", "t-6.4", "x", "T-6.4.1"])
async def test_there_is_no_such_clause(serve: Serve, clause: str) -> None:
    async with serve(catalog()) as call:
        refused = await call.refused(
            f"{CATALOG}/ExplainRule", pb.ExplainRuleRequest(game=TRACTOR, clause=clause)
        )
    assert (refused.code, refused.reason) == (grpc.StatusCode.NOT_FOUND, "UNKNOWN_CLAUSE")


def test_clauses_are_counted_as_a_reader_counts() -> None:
    assert in_order(["T-11.1", "T-2", "T-9.10", "T-9.6"]) == ["T-2", "T-9.6", "T-9.10", "T-11.1"]


def test_every_kind_of_the_contract_is_a_game_here() -> None:
    kinds: descriptor.EnumDescriptor = game_pb2.GameKind.DESCRIPTOR
    assert set(kinds.values_by_number) - {0} == set(WIRES)
    assert {wire.name for wire in WIRES.values()} == set(GAMES)
