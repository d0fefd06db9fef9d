"""The messages of the contract that tables read: frames of sessions and stored events.

What tables write is written by hand (``encode.py``, ``updates.py``); what they read is parsed here,
by the generated classes. Must not be put here: what is done with it.
"""

from __future__ import annotations

from google.protobuf.message import DecodeError

from croupier.v1.session_service_pb2 import (
    ChannelMove,
    ChannelNonce,
    ChannelOpen,
    SessionRequest,
)

__all__ = ["ChannelMove", "ChannelNonce", "ChannelOpen", "SessionRequest", "read_frame"]


def read_frame(data: bytes) -> SessionRequest | None:
    """A frame of a client; None when the bytes are none."""
    try:
        return SessionRequest.FromString(data)
    except DecodeError:
        return None
