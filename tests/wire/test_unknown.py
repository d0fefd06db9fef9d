"""What is found of fields that the contract does not have."""

from __future__ import annotations

import pytest
from google.protobuf.unknown_fields import UnknownFieldSet

from croupier.v1 import play_service_pb2, session_service_pb2
from croupier_server.wire.unknown import drop_unknown, unknown_number, unknown_path

STRANGE = b"\xa2\x7f\x01x"
"""Field 2036, of one byte."""


@pytest.mark.parametrize("data", [b"", b"\x70\x01", STRANGE, b"\xf8\xff\xff\xff\x0f\x01"])
def test_the_number_is_that_of_protobuf(data: bytes) -> None:
    known = play_service_pb2.SubmitMoveRequest(table_id="t1", decision_id="1-0")
    message = play_service_pb2.SubmitMoveRequest.FromString(data + known.SerializeToString())
    found = UnknownFieldSet(message)
    assert unknown_number(message) == (found[0].field_number if len(found) else 0)
    assert message.table_id == "t1"


@pytest.mark.parametrize(
    ("data", "is_strange"),
    [
        (b"\x0a\x02t1" + b"\x12\x03" + b"1-0", False),
        (b"\x12\x03" + b"1-0" + b"\x0a\x02t1", False),
        (b"\x0a\x82\x00t1", False),
        (b"\x0a\x02t1" + STRANGE, True),
        (b"\x1a\x04" + STRANGE, True),
    ],
    ids=["as written", "another order", "a longer varint", "a field", "a field within"],
)
def test_unknown_fields_are_found_however_the_others_are_written(
    data: bytes, is_strange: bool
) -> None:
    message = play_service_pb2.SubmitMoveRequest.FromString(data)
    assert drop_unknown(message, data) == is_strange
    assert STRANGE not in message.SerializeToString()


@pytest.mark.attack
def test_a_field_behind_a_thousand_messages_is_not_looked_for() -> None:
    def frame(empty: int) -> session_service_pb2.SessionRequest:
        last = b"\x1a\x04" + STRANGE
        return session_service_pb2.SessionRequest.FromString(b"\x1a\x00" * empty + last)

    assert unknown_path(frame(10)) == "opens[10].2036"
    assert unknown_path(frame(1_000)) == ""
