"""Options of a new table, and of one that is stored."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from croupier_server.errors import InvalidRequest, Reason
from croupier_server.games.modules import WIRES_BY_NAME
from croupier_server.games.registry import GAMES
from croupier_server.tables.match.codec import read_spec
from croupier_server.tables.match.creation import GameEntry, make_spec, terms
from croupier_server.tables.spec import CreateTable, TableSpec

CONTRADICTIONS = [
    ("tractor", "standard", "contract=must_make", "trump_making=declare"),
    ("tractor", "qq", "contract=must_make", "trump_making=declare"),
    ("tongits", "standard", "discard_take=meld_or_layoff_own", "layoff=false"),
    ("tongits", "standard", "discard_take=meld_or_layoff_any", "layoff=false"),
    ("tongits", "standard", "ace_high_runs=true", "runs=false"),
    ("tongits", "standard", "secret_open=burn", "secret_fours=false"),
    ("tongits", "standard", "secret_open=burn,challenge,call", "secret_fours=false"),
    ("tongits", "pay244", "special_pays=face_down", "secret_fours=false"),
    ("tongits", "document", "special_pays=face_down,any_four", "secret_fours=false"),
]
NEEDED = {
    "trump_making": "auction",
    "layoff": "true",
    "runs": "true",
    "secret_fours": "true",
}


def entry(game: str) -> GameEntry:
    return GameEntry(GAMES[game], WIRES_BY_NAME[game])


def made(game: str, ruleset: str, overrides: Mapping[str, str]) -> TableSpec:
    request = CreateTable(kind=entry(game).wire.kind, ruleset=ruleset, overrides=overrides)
    return make_spec(entry(game), request, table_id="t", secret=bytes(32), now=1)


@pytest.mark.parametrize(("game", "ruleset", "idle", "cause"), CONTRADICTIONS)
def test_a_new_table_has_no_options_that_contradict_each_other(
    game: str, ruleset: str, idle: str, cause: str
) -> None:
    (name, value), (other, found) = idle.split("="), cause.split("=")
    with pytest.raises(InvalidRequest) as caught:
        made(game, ruleset, {name: value, other: found})
    assert caught.value.reason is Reason.INVALID_OPTION
    assert caught.value.field == f"options.{name}"
    advice = f"set {other}={NEEDED[other]} or leave {name} out"
    assert caught.value.message == f"{name}: {idle} has no effect with {cause}; {advice}"
    assert made(game, ruleset, {name: value, other: NEEDED[other]}).option_text[name] == value
    assert made(game, ruleset, {other: found}).option_text[other] == found


def test_a_value_that_the_ruleset_has_contradicts_nothing() -> None:
    """In any spelling: only what differs from the ruleset can contradict it."""
    spelt = {"secret_fours": "false", "secret_open": "challenge, burn"}
    assert made("tongits", "standard", spelt).option_text["secret_open"] == "burn,challenge"
    text = made("tractor", "document", {"trump_making": "declare"}).option_text
    assert text["contract"] == "must_make"
    assert made("tractor", "document", text).option_text == text


def test_values_that_need_nothing_are_accepted() -> None:
    off = {"secret_fours": "false", "secret_open": "none", "special_pays": "in_hand,any_four"}
    assert made("tongits", "standard", off).option_text["special_pays"] == "in_hand,any_four"


@pytest.mark.parametrize(("game", "ruleset", "idle", "cause"), CONTRADICTIONS)
def test_a_stored_table_with_contradictory_options_is_readable(
    game: str, ruleset: str, idle: str, cause: str
) -> None:
    """Tables that were created before contradictions were refused are restored."""
    plain = made(game, ruleset, {})
    (name, value), (other, found) = idle.split("="), cause.split("=")
    stored = {**plain.option_text, name: value, other: found}
    assert read_spec(terms(plain), stored, entry(game)).option_text == stored
