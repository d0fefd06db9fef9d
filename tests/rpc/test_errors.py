"""One reason, one status: in the code, in the contract and on the wire."""

from __future__ import annotations

import re
from pathlib import Path

import grpc
import pytest

from croupier.errors import from_refusal, from_status
from croupier.v1 import errors_pb2, game_pb2, pokex_pb2
from croupier_server import errors
from croupier_server.errors import (
    CroupierError,
    Exhausted,
    IllegalMove,
    InvalidRequest,
    MalformedMove,
    Reason,
    StaleDecision,
)
from croupier_server.rpc.errors import DOMAIN, STATUS, code_of, internal, to_refusal, to_status
from scripts.gen_docs import reasons
from tests.rpc.calls import on_stream, take_apart

PREFIX = "ERROR_REASON_"


def documented(root: Path) -> dict[str, str]:
    """Status code of each reason by the first word of its comment in the contract."""
    text = (root / "protos/croupier/v1/errors.proto").read_text(encoding="utf-8")
    return {name: status for name, status, _ in reasons(text)}


def test_enum_and_contract_hold_the_same_reasons() -> None:
    wire = {name.removeprefix(PREFIX) for name in errors_pb2.ErrorReason.DESCRIPTOR.values_by_name}
    assert wire - {"UNSPECIFIED"} == {reason.value for reason in Reason}


def test_every_reason_has_a_status() -> None:
    assert set(STATUS) == set(Reason)


def test_statuses_are_those_of_the_contract(root: Path) -> None:
    assert documented(root) == {reason.value: code.name for reason, code in STATUS.items()}


def test_the_documentation_holds_the_same_reasons(root: Path) -> None:
    text = (root / "docs/protocol.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([A-Z_]+)` \| ([A-Z_]+) \|", text, re.MULTILINE)
    assert dict(rows) == {reason.value: code.name for reason, code in STATUS.items()}


@pytest.mark.parametrize("reason", Reason)
def test_every_refusal_has_one_error_info(reason: Reason) -> None:
    refusal = take_apart(to_status(CroupierError(reason, "so it is")))
    assert (refusal.domain, refusal.reason, refusal.code) == (DOMAIN, reason, STATUS[reason])
    assert refusal.message == "so it is"
    assert refusal.fields == ()


def test_an_illegal_move_names_its_clause() -> None:
    refusal = take_apart(to_status(IllegalMove("MUST_FOLLOW_PAIR", "T-6.4", "7H 7H")))
    assert refusal.metadata == {"rule": "MUST_FOLLOW_PAIR", "clause": "T-6.4"}
    assert "T-6.4" in refusal.message


def test_a_stream_says_the_same_as_a_status() -> None:
    wait = Exhausted(Reason.RATE_LIMITED, "wait", retry_ms=1500)
    malformed = MalformedMove(Reason.MALFORMED_MOVE, "no card", field="move.pokex")
    illegal = IllegalMove("BID_TOO_LOW", "P-2.1", "4 is not higher")
    for error in (wait, malformed, illegal):
        assert on_stream(to_refusal(error)) == take_apart(to_status(error))


def test_the_move_that_was_accepted_goes_along_as_a_move() -> None:
    move = game_pb2.Move(pokex=pokex_pb2.PokexMove(bid=pokex_pb2.PokexBid(tricks=4)))
    error = StaleDecision(Reason.DECISION_ANSWERED, "x", accepted=move.SerializeToString())
    assert to_refusal(error).accepted == move
    assert from_status(to_status(error)).accepted == move


@pytest.mark.parametrize("reason", Reason)
def test_the_sdk_knows_the_status_of_every_reason(reason: Reason) -> None:
    assert from_refusal(to_refusal(CroupierError(reason, "x"))).code is STATUS[reason]


def test_a_field_at_fault_is_named() -> None:
    error = InvalidRequest(Reason.INVALID_OPTION, "no", field="options.tractor.packs")
    assert take_apart(to_status(error)).fields == ("options.tractor.packs",)


def test_every_field_at_fault_is_named() -> None:
    error = InvalidRequest(
        Reason.MALFORMED_REQUEST, "a: no", field="a", violations=(("a", "no"), ("b", "nor"))
    )
    assert take_apart(to_status(error)).fields == ("a", "b")


def test_waiting_time_and_metadata_go_along() -> None:
    error = Exhausted(Reason.RATE_LIMITED, "wait", retry_ms=1500, metadata={"limit": "3"})
    refusal = take_apart(to_status(error))
    assert (refusal.retry_ms, refusal.metadata) == (1500, {"limit": "3"})


def test_a_status_fits_into_trailers() -> None:
    violations = tuple((f"seats[{n}].house_bot" * 50, "x" * 9000) for n in range(100))
    error = InvalidRequest(Reason.MALFORMED_REQUEST, "x" * 90_000, violations=violations)
    assert len(to_status(error).SerializeToString()) < 6_500


def test_a_fault_of_ours_says_nothing() -> None:
    status = to_status(internal())
    assert code_of(status) is grpc.StatusCode.INTERNAL
    assert take_apart(status).fields == ()


def test_the_tree_in_the_docstring_is_the_tree() -> None:
    classes = {
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, CroupierError)
    }
    told = set(re.findall(r"^ +([A-Z]\w+) ", errors.__doc__ or "", re.MULTILINE))
    assert told == classes
