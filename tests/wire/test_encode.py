"""The wire format by hand writes what the official library writes."""

from __future__ import annotations

import pytest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp
from google.protobuf.wrappers_pb2 import UInt64Value
from hypothesis import given
from hypothesis import strategies as st

from croupier.v1 import play_service_pb2, pokex_pb2, table_pb2, tractor_pb2
from croupier_server.wire import encode

UINT32 = st.integers(0, 2**32 - 1)
UINT64 = st.one_of(st.integers(0, 2**64 - 1), st.sampled_from([0, 127, 128, 4095, 4096, 16384]))


@given(UINT64)
def test_varint_and_plain_number(number: int) -> None:
    message = UInt64Value(value=number)
    assert encode.field_number(1, number) == message.SerializeToString()
    if number:
        assert encode.field_varint(1, number) == message.SerializeToString()


def test_a_number_that_tells_zero_from_not_set() -> None:
    message = tractor_pb2.TractorTrick(winning_seat=0)
    assert encode.field_varint(2, 0) == message.SerializeToString() != b""


@given(st.integers(-(2**63), 2**63 - 1))
def test_negative_numbers_take_ten_bytes(number: int) -> None:
    assert encode.field_number(1, number) == Timestamp(seconds=number).SerializeToString()


@given(st.integers(-(2**31), 2**31 - 1))
def test_signed(number: int) -> None:
    message = pokex_pb2.PokexDealStarted(totals=[number])
    found = encode.framed(b"\x22", encode.packed_signed([number]))
    assert found == message.SerializeToString()


@pytest.mark.more
@given(st.lists(UINT32, max_size=40))
def test_packed(numbers: list[int]) -> None:
    message = tractor_pb2.TractorCardsDrawn(hand_sizes=numbers)
    assert encode.field_packed(1, numbers) == message.SerializeToString()
    assert encode.field_packed(1, iter(numbers)) == message.SerializeToString()


@given(st.binary(max_size=300))
def test_packed_small_numbers_as_bytes(numbers: bytes) -> None:
    small = bytes(number & 127 for number in numbers)
    message = tractor_pb2.TractorCardsDrawn(hand_sizes=small)
    assert encode.field_packed(1, small) == message.SerializeToString()


@given(st.text(max_size=5000), st.binary(max_size=200))
def test_text_and_blob(text: str, blob: bytes) -> None:
    message = play_service_pb2.OpenNonceRequest(table_id=text, nonce=blob)
    found = encode.field_text(1, text) + encode.field_blob(2, blob)
    assert found == message.SerializeToString()


@pytest.mark.parametrize("sequence", [0, 7, 2**32 - 1])
def test_a_message_in_a_message(sequence: int) -> None:
    heartbeat = table_pb2.Heartbeat(sequence=sequence)
    update = table_pb2.TableUpdate(heartbeat=heartbeat)
    assert encode.field_bytes(10, heartbeat.SerializeToString()) == update.SerializeToString()


@pytest.mark.more
@pytest.mark.parametrize("number", [1, 15, 16, 63])
def test_tags(number: int) -> None:
    assert encode.TAGS[number] == encode.tag(number, encode.LENGTH)
    assert encode.tag(number, encode.VARINT) == encode.varint(number * 8)


@given(st.integers(-62_135_596_800_000, 253_402_300_799_999))
def test_timestamp(milliseconds: int) -> None:
    message = Timestamp()
    message.FromMilliseconds(milliseconds)
    assert encode.timestamp(milliseconds) == message.SerializeToString()


@pytest.mark.more
@given(st.integers(-315_576_000_000_000, 315_576_000_000_000))
def test_duration(milliseconds: int) -> None:
    message = Duration()
    message.FromMilliseconds(milliseconds)
    assert encode.duration(milliseconds) == message.SerializeToString()
