"""Has the C library give large blocks back to the system as soon as they are free.

The record of a match is made in blocks of a megabyte and more. glibc takes large blocks from the
system one by one at first; but whenever one is freed it takes that size for usual, and serves
blocks up to it from its heaps from then on. There they lie between small ones that live longer, so
that what they leave stays resident. A limit that is set is never raised, see mallopt(3).
"""

from __future__ import annotations

import ctypes
from typing import Final

_M_TRIM_THRESHOLD: Final = -1
_M_MMAP_THRESHOLD: Final = -3

LARGE_BYTES: Final = 128 * 1024
"""Blocks of this size and above are the system's; glibc's own limit before it learns."""


def give_large_blocks_back() -> None:
    """Set the limits for this process. A C library without such limits is left alone."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, LARGE_BYTES)
        mallopt(_M_TRIM_THRESHOLD, 2 * LARGE_BYTES)
