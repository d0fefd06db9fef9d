"""The examples of ``docs/fairness.md``: worked out three times, by code that shares nothing."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from croupier.v1 import game_pb2
from croupier_server.games.base import Turn
from croupier_server.games.cards import CARD_NAMES
from croupier_server.games.modules import WIRES_BY_NAME
from croupier_server.games.registry import GAMES
from croupier_server.storage.codec import read_record
from croupier_server.tables.match import deals
from croupier_server.verify import verify
from croupier_server.verify.log import RecordLog
from tests.meta.sources import ROOT
from tests.verify.javascript import needs_node, node

FILE = ROOT / "tests" / "vectors" / "fairness.json"
VECTORS: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
CARDS = {name: card for card, name in enumerate(CARD_NAMES) if card}


def fields_of(fields: list[dict[str, Any]]) -> list[Any]:
    return [
        bytes.fromhex(field["hex"]) if "hex" in field else field.get("text", field.get("number"))
        for field in fields
    ]


def read(text: str) -> list[int]:
    return [CARDS[name] for name in text.split()]


def test_the_file_is_what_the_script_writes() -> None:
    script = ROOT / "scripts" / "fairness_vectors.py"
    done = subprocess.run(
        [sys.executable, script, "--check"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "import croupier" not in script.read_text(encoding="utf-8")


def test_verifiable_secrets_and_roots() -> None:
    for one in VECTORS["pack"]:
        assert deals.pack(*fields_of(one["fields"])).hex() == one["hex"]
    for one in VECTORS["commitment_v2"]:
        found = deals.commitment(bytes.fromhex(one["terms"]), bytes.fromhex(one["secret"]))
        assert found.hex() == one["commitment"]
    for one in VECTORS["match_root"]:
        nonces = [bytes.fromhex(nonce) for nonce in one["nonces"]]
        found = deals.match_root(bytes.fromhex(one["secret"]), one["table_id"], nonces)
        assert found.hex() == one["root"]
        hashes = [hashlib.sha256(nonce).hexdigest() if nonce else "" for nonce in nonces]
        assert hashes == one["nonce_hashes"]
    for one in VECTORS["fixed_root"]:
        assert deals.fixed_root(int(one["seed"])).hex() == one["root"]


def test_verifiable_draws_and_rejection() -> None:
    for one in VECTORS["draws"]:
        drawn = deals.draws(bytes.fromhex(one["key"]))
        assert [str(next(drawn)) for _ in one["numbers"]] == one["numbers"]
    for one in VECTORS["below"]:
        drawn = deals.draws(bytes.fromhex(one["key"]))
        for turn in one["in_turn"]:
            assert str(deals.draw_below(drawn, int(turn["sides"]))) == turn["number"]
        used = iter(deals.draws(bytes.fromhex(one["key"])).__next__, next(drawn))
        assert len(list(used)) > len(one["in_turn"]), "some were passed over"


def test_verifiable_decks_and_lots() -> None:
    for one in VECTORS["decks"]:
        dealer = deals.RootDealer(bytes.fromhex(one["root"]))
        cards = read(VECTORS["packs"][one["pack"]])
        assert cards == sorted(cards)
        assert dealer.deck(one["deal"], one["attempt"], cards) == read(one["deck"])
    for one in VECTORS["lots"]:
        dealer = deals.RootDealer(bytes.fromhex(one["root"]))
        assert dealer.lot(one["deal"], one["sides"]) == one["lot"]


@pytest.mark.parametrize("one", VECTORS["dealing"], ids=lambda one: one["game"])
def test_verifiable_hands_are_dealt_in_the_documented_order(one: dict[str, Any]) -> None:
    game, wire = GAMES[one["game"]], WIRES_BY_NAME[one["game"]]
    overrides = {"trump_making": "auction"} if one["game"] == "tractor" else {}
    state = game.new(game.options("standard", overrides))
    first = one["first"]
    # In Pokex the dealer is the seat before the one that is dealt to first.
    game.apply_chance(state, [(first + 3) % 4 if one["game"] == "pokex" else first])
    assert game.turn(state) is Turn.CHANCE
    chance = game.chance(state)
    assert list(chance.cards) == sorted(read(one["deck"]))
    hands: dict[int, list[int]] = {}
    for event in game.apply_chance(state, read(one["deck"])):
        for seat, part in wire.event_bytes(event)[1].items():
            hands[seat] = list(_cards(part))
    assert hands == {seat: read(hand) for seat, hand in enumerate(one["hands"])}
    left = state.public.center if one["game"] == "pokex" else state.stock
    assert list(left) == read(one["left"])


def _cards(part: bytes) -> Sequence[int]:
    """The cards of a private part."""
    event = game_pb2.GamePrivateEvent.FromString(part)
    own = getattr(event, event.WhichOneof("game") or "")
    cards: Sequence[int] = getattr(own, own.WhichOneof("event")).cards
    return cards


def test_verifiable_the_chain_of_a_record() -> None:
    record = bytes.fromhex(VECTORS["record"]["hex"])
    _, rows = read_record(record)
    assert len(VECTORS["record"]["chain"]) == len(rows) + 1
    assert record[-32:].hex() == VECTORS["record"]["hash"]
    assert verify(record).verified


def test_verifiable_every_commitment_of_a_restarted_opening() -> None:
    told = VECTORS["restarted"]
    record = bytes.fromhex(told["hex"])
    match, _ = read_record(record)
    secrets = [*(one.secret for one in match.reveal.abandoned), match.reveal.secret]
    assert [secret.hex() for secret in secrets] == told["secrets"]
    assert RecordLog(record).commitments == [bytes.fromhex(one) for one in told["commitments"]]
    report = verify(record)
    assert (report.verified, report.warnings) == (True, 1)


@needs_node
def test_verifiable_the_second_verifier_finds_the_same() -> None:
    done = node(Path(__file__).with_name("vectors.mjs"), FILE)
    assert done.stderr == ""
    found, *rest = done.stdout.splitlines()
    assert rest == []
    assert found.endswith(" compared")
    assert int(found.split()[0]) > 100


def test_verifiable_the_page_says_it_right() -> None:
    """The code on the page, run as it stands."""
    page = (ROOT / "docs" / "fairness.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)
    for one in VECTORS["pack"]:
        assert names["pack"](*fields_of(one["fields"])).hex() == one["hex"]
    for one in VECTORS["decks"]:
        root, cards = bytes.fromhex(one["root"]), VECTORS["packs"][one["pack"]].split()
        assert names["deck"](root, one["deal"], one["attempt"], cards) == one["deck"].split()
    shown = names["pack"]("ab", 1).hex(" ", -4)
    assert shown.replace(" ", "") in page.replace(" ", "")
