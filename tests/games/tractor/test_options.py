"""T-1 and T-10: options, their texts, their limits, and the rulesets."""

from __future__ import annotations

import pytest
from hypothesis import given

from croupier_server.errors import InvalidRequest, Reason
from croupier_server.games.tractor.options import SPECS, TractorOptions, auto_kitty, option_text
from tests.games.tractor.strategies import GAME, make_options
from tests.games.tractor.strategies import options as any_options

RULESETS = """
trump_making      declare              auction              declare          declare          declare
contract          none                 must_make            none             none             none
joker_pairs       ranked               ranked               equal            ranked           ranked
self_override     false                false                false            false            true
first_starter     final_declarer       final_declarer       final_declarer   final_declarer   first_declarer
no_declaration    redeal_then_kitty    redeal_then_kitty    first_rank_card_else_highest first_rank_card_else_highest third_kitty_card
first_drawer      starter              rotating             starter          starter          starter
nt_rank_cards     plain                plain                plain            trump            trump
tractor_follow    longest              pairs                pairs            longest          longest
throw_compare     largest              largest              largest          all              largest
throw_penalty     none                 none                 ten_per_throw    none             none
kitty_multiplier  2x_largest_component 2x_largest_component 2x_trick_size    2x_largest_component 2_pow_pairs_plus_1
ace_rule          defend               reach                pass             defend           defend
mandatory_levels  none                 none                 none             none             J,A
"""  # noqa: E501 - a table


@pytest.mark.parametrize(
    ("players", "packs", "hand", "kitty"),
    [
        (4, 2, 25, 8),
        (4, 3, 39, 6),
        (4, 4, 52, 8),
        (6, 2, 17, 6),
        (6, 3, 26, 6),
        (6, 4, 35, 6),
        (8, 3, 19, 10),
        (8, 4, 26, 8),
        (10, 5, 26, 10),
        (12, 6, 26, 12),
    ],
)
def test_kitty_and_hand(players: int, packs: int, hand: int, kitty: int) -> None:
    """T-1.2: the sizes that the rules name."""
    options = make_options(players=players, packs=packs)
    assert (options.hand, options.kitty) == (hand, kitty)


@pytest.mark.parametrize("players", [4, 6, 8, 10, 12])
@pytest.mark.parametrize("packs", [2, 3, 4, 5, 6])
def test_every_size_deals_every_card(players: int, packs: int) -> None:
    """T-1.2: any number of packs goes with any number of players."""
    options = make_options(players=players, packs=packs)
    assert options.hand * players + options.kitty == 54 * packs == options.cards
    assert options.hand >= 2
    assert options.kitty >= 5


@pytest.mark.parametrize("players", [4, 6, 8, 10, 12])
def test_default_packs_are_half_the_players(players: int) -> None:
    assert make_options(players=players).packs == players // 2


def test_rulesets_are_the_table() -> None:
    """T-10."""
    names = ("standard", "document", "pagat", "online", "qq")
    assert GAME.rulesets() == names
    standards = {spec.name: spec.standard for spec in SPECS}
    for column, name in enumerate(names):
        texts = option_text(GAME.options(name, {}))
        table = {row.split()[0]: row.split()[column + 1] for row in RULESETS.strip().split("\n")}
        for option, standard in standards.items():
            if option == "packs":
                continue
            assert texts[option] == table.get(option, standard), (name, option)


@given(any_options())
def test_text_reads_back(options: TractorOptions) -> None:
    texts = option_text(options)
    assert list(texts) == sorted(texts)
    assert GAME.options("standard", texts) == options
    assert GAME.options("document", texts) == options


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_every_listed_value_is_taken(spec: object) -> None:
    name, values, clause = spec.name, spec.values, spec.clause  # type: ignore[attr-defined]
    assert clause in GAME.clauses()
    for value in values:
        assert option_text(make_options(**{name: value}))[name] == value


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("players", "5"),
        ("players", "2"),
        ("players", ""),
        ("packs", "1"),
        ("packs", "7"),
        ("packs", "two"),
        ("packs", "-2"),
        ("packs", "٣"),
        ("kitty_size", "0"),
        ("kitty_size", "7"),
        ("kitty_size", "24"),
        ("kitty_size", "100"),
        ("kitty_size", "999999999999999999"),
        ("self_override", "True"),
        ("level_cap", "5"),
        ("mandatory_levels", "1"),
        ("mandatory_levels", "5,,A"),
        ("mandatory_levels", ""),
        ("max_deals", "0"),
        ("max_deals", "-1"),
        ("start_levels", "B"),
        ("start_levels", "2,3,4"),
        ("start_levels", "5,3"),
        ("starter", "4"),
        ("trump_making", "raced"),
    ],
)
def test_bad_value_is_refused_by_name(name: str, value: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        GAME.options("standard", {name: value})
    assert caught.value.reason is Reason.INVALID_OPTION
    assert caught.value.field == f"options.{name}"


def test_unknown_names_are_refused() -> None:
    with pytest.raises(InvalidRequest) as caught:
        GAME.options("standrad", {})
    assert (caught.value.reason, caught.value.field) == (Reason.UNKNOWN_RULESET, "ruleset")
    with pytest.raises(InvalidRequest) as caught:
        GAME.options("standard", {"packz": "2"})
    assert (caught.value.reason, caught.value.field) == (Reason.UNKNOWN_OPTION, "options.packz")


@pytest.mark.parametrize("size", [4, 8, 12, 16, 20])
def test_kitty_size_by_number(size: int) -> None:
    """T-1.2: any number that leaves equal hands no smaller than the kitty."""
    options = make_options(kitty_size=size)
    assert (options.kitty, options.hand) == (size, (108 - size) // 4)


def test_kitty_size_bounds() -> None:
    """T-1.2: from 1 card, to the size of a hand."""
    assert make_options(packs=2, players=10, kitty_size=8).hand == 10
    with pytest.raises(InvalidRequest):
        make_options(packs=2, players=10, kitty_size=18)
    assert make_options(packs=3, players=4, kitty_size=2).hand == 40
    for players in (4, 6, 8, 10, 12):
        for packs in (2, 3, 4, 5, 6):
            for size in range(1, 60):
                hand, rest = divmod(54 * packs - size, players)
                is_allowed = not rest and hand >= 2 and size <= hand
                if is_allowed:
                    assert make_options(players=players, packs=packs, kitty_size=size).kitty == size
                else:
                    with pytest.raises(InvalidRequest):
                        make_options(players=players, packs=packs, kitty_size=size)


def test_levels_that_differ_need_the_starter() -> None:
    assert make_options(start_levels="5,3", starter=1).start_levels == (5, 3)
    assert make_options(start_levels="T").start_levels == (10, 10)


def test_reach_cannot_start_at_ace() -> None:
    with pytest.raises(InvalidRequest):
        make_options(ace_rule="reach", start_levels="A")
    assert make_options(ace_rule="defend", start_levels="A").start_levels == (14, 14)


def test_auto_kitty_is_at_least_five() -> None:
    for players in (4, 6, 8, 10, 12):
        for packs in range(2, 7):
            kitty = auto_kitty(players, packs)
            assert kitty >= 5
            assert (54 * packs - kitty) % players == 0
            assert kitty - players < 5 or kitty <= players


def test_a_mandatory_level_is_named_once() -> None:
    with pytest.raises(InvalidRequest, match="'5,5' names 5 twice") as caught:
        make_options(mandatory_levels="5,5")
    assert caught.value.field == "options.mandatory_levels"
