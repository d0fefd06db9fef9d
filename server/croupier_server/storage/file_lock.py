"""A lock that one process holds, and that ends with it."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path


class HeldElsewhere(Exception):
    """Another process has the lock.

    Attributes:
        pid: which, as far as is known; empty else.
    """

    def __init__(self, pid: str) -> None:
        super().__init__(pid)
        self.pid = pid


class FileLock:
    """Holds *path*, a file that is made for this and stays; it says which process has it.

    Raises:
        HeldElsewhere: another process has it, or this one by another `FileLock`.
        OSError: the file cannot be made.
    """

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            pid = os.pread(self._file, 32, 0).decode("ascii", "replace").strip()
            os.close(self._file)
            raise HeldElsewhere(pid) from None
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, f"{os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        """Let others have it."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
