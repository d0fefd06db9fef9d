"""Large blocks go back to the system, whatever was freed before."""

from __future__ import annotations

import ctypes
import subprocess
import sys

import pytest

PROGRAM = """
import ctypes, sys
from croupier_server.allocator import give_large_blocks_back

class Info(ctypes.Structure):
    _fields_ = [(f"field{number}", ctypes.c_size_t) for number in range(10)]

libc = ctypes.CDLL(None)
libc.mallinfo2.restype = Info

def of_the_system():
    return libc.mallinfo2().field4

if sys.argv[1] == "give":
    give_large_blocks_back()
freed = bytearray(8 << 20)
del freed  # from now on glibc takes eight megabytes for usual
before = of_the_system()
held = bytearray(1 << 20)
print(of_the_system() - before >= 1 << 20)
"""


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallinfo2"), reason="not glibc")
@pytest.mark.parametrize(("word", "expected"), [("give", "True"), ("leave", "False")])
def test_a_large_block_is_not_taken_from_a_heap(word: str, expected: str) -> None:
    command = [sys.executable, "-c", PROGRAM, word]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == expected
