"""What the SDK gives a table: clocks, and the nonces of a seat."""

from __future__ import annotations

import hashlib

import pytest

from croupier import Clock, UsageError
from croupier.nonces import NONCE_BYTES, Nonces
from croupier.v1 import table_pb2


def test_a_nonce_is_opened_with_the_hash_of_the_next() -> None:
    first = b"n" * NONCE_BYTES
    nonces = Nonces(first)
    nonce, next_hash = nonces.open(hashlib.sha256(first).digest())
    assert nonce == first == nonces.last
    second, third_hash = nonces.open(next_hash)
    assert hashlib.sha256(second).digest() == next_hash
    assert len(second) == NONCE_BYTES
    assert second == nonces.last
    assert len({first, second, nonces.open(third_hash)[0]}) == 3


def test_a_nonce_that_is_asked_for_again_is_the_same_with_the_same_next() -> None:
    nonces = Nonces(b"n" * NONCE_BYTES)
    wanted = hashlib.sha256(nonces.last).digest()
    once = nonces.open(wanted)
    assert nonces.open(wanted) == once
    later = nonces.open(once[1])
    assert nonces.open(once[1]) == later


@pytest.mark.parametrize("wanted", [b"", bytes(32)])
def test_a_hash_that_was_never_promised_gets_the_last_nonce(wanted: bytes) -> None:
    nonces = Nonces(b"n" * NONCE_BYTES)
    assert nonces.open(wanted)[0] == b"n" * NONCE_BYTES


def test_a_clock_in_seconds_is_that_of_the_contract() -> None:
    clock = Clock(
        base=300,
        increment=0.25,
        per_move=1.5,
        window_time=2,
        strikes=4,
        on_time_out="forfeit",
        disconnect_grace=30,
        start_timeout=60,
    ).message()
    times = (
        clock.base,
        clock.increment,
        clock.per_move,
        clock.window_time,
        clock.disconnect_grace,
        clock.start_timeout,
    )
    assert [time.ToMilliseconds() for time in times] == [300_000, 250, 1_500, 2_000, 30_000, 60_000]
    assert (clock.strikes, clock.on_time_out) == (4, table_pb2.TIME_OUT_POLICY_FORFEIT)


def test_what_a_clock_does_not_have_is_not_set() -> None:
    expected = table_pb2.ClockSpec(on_time_out=table_pb2.TIME_OUT_POLICY_STRIKE)
    assert Clock().message() == expected


@pytest.mark.parametrize("seconds", [-1, float("nan"), float("inf")])
def test_a_time_that_is_none(seconds: float) -> None:
    with pytest.raises(UsageError, match="per_move is no time"):
        Clock(per_move=seconds).message()


def test_a_policy_that_there_is_not() -> None:
    with pytest.raises(UsageError, match="on_time_out"):
        Clock(on_time_out="mercy").message()  # type: ignore[arg-type]
