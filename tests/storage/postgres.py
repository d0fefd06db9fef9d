"""A PostgreSQL server of the tests' own: a cluster in a temporary folder, on a Unix socket there.

It is stopped when the run ends, however it ends. Without the programs of PostgreSQL the tests that
ask for it are skipped, but not where ``CI`` is set: there they fail. ``python -m
tests.storage.postgres`` starts one, says which version it is, and stops it.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import asyncpg
import pytest

ROLE: Final = "croupier"
SECONDS: Final = 300
_DEBIAN: Final = Path("/usr/lib/postgresql")
_GUARD: Final = 'read -r _; "$1" -D "$2" -m immediate -w stop >/dev/null 2>&1; rm -rf "$3"'
"""Waits for the end of its input, which comes with ours, and cleans up."""


class Missing(Exception):
    """PostgreSQL is not installed here."""


def program(name: str) -> Path:
    """Where a program of the server is: on the path, else the newest of Debian's.

    Raises:
        Missing: nowhere.
    """
    found = shutil.which(name)
    if found:
        return Path(found)
    versions = sorted(_DEBIAN.glob(f"*/bin/{name}"), key=lambda path: float(path.parts[-3]))
    if not versions:
        raise Missing(f"{name} is neither on the path nor below {_DEBIAN}; install postgresql")
    return versions[-1]


class Cluster:
    """A running server.

    Args:
        folder: an empty folder of ours.
        fsync: whether it waits for the disk.
        primary: whose standby it is, with what that has now; None: it is a primary itself.
    """

    def __init__(
        self, folder: Path, *, fsync: bool = False, primary: Cluster | None = None
    ) -> None:
        self._data = folder / "data"
        self._folder = folder
        self._settings = (
            f"-c listen_addresses= -c unix_socket_directories={folder} "
            f"-c fsync={'on' if fsync else 'off'} -c recovery_init_sync_method=syncfs "
            "-c shared_buffers=32MB -c max_connections=60"
        )
        self._owner = _owner()
        self._names = itertools.count(1)
        if self._owner:
            shutil.chown(folder, self._owner, pwd.getpwnam(self._owner).pw_gid)
        if primary is not None:
            self._run(
                program("pg_basebackup"),
                *("-D", str(self._data), "-d", f"host={primary._folder} user={ROLE}"),
                *("--write-recovery-conf", "--wal-method=stream", "--checkpoint=fast", "--no-sync"),
            )
            return
        self._run(
            program("initdb"),
            *("-D", str(self._data), "-U", ROLE, "--auth=trust", "--encoding=UTF8"),
            *("--locale=C", "--no-sync"),
        )

    def start(self) -> None:
        """Start it, also after `crash`."""
        log = str(self._folder / "log")
        self._run(self._pg_ctl, *self._place, "-w", "-l", log, "-o", self._settings, "start")

    def crash(self) -> None:
        """End it without any clean-up, as a power cut of its machine would."""
        self._run(self._pg_ctl, *self._place, "-m", "immediate", "-w", "stop")

    def promote(self) -> None:
        """Make a standby a primary, with what it has."""
        self._run(self._pg_ctl, *self._place, "-w", "promote")

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """Whatever happens to this process: the server is stopped and its folder removed."""
        guard = subprocess.Popen(
            ["/bin/sh", "-c", _GUARD, "sh", self._pg_ctl, self._data, self._folder],
            stdin=subprocess.PIPE,
            start_new_session=True,
            user=self._owner,
        )
        assert guard.stdin is not None
        try:
            yield
        finally:
            guard.stdin.close()
            guard.wait(SECONDS)
            shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def log(self) -> str:
        """What the server has written to its log."""
        return (self._folder / "log").read_text(encoding="utf-8")

    def url(self, database: str) -> str:
        """URL of a database."""
        return f"postgresql://{ROLE}@/{database}?host={self._folder}"

    async def connect(self, url: str = "") -> asyncpg.Connection:
        """A connection beside those of whatever is tested; to no database of a test by itself."""
        return await asyncpg.connect(url or self.url("postgres"))

    async def create(self) -> str:
        """Make an empty database; its URL."""
        name = f"test{next(self._names)}"
        connection = await self.connect()
        try:
            await connection.execute(f"CREATE DATABASE {name}")
        finally:
            await connection.close()
        return self.url(name)

    @property
    def _pg_ctl(self) -> Path:
        return program("pg_ctl")

    @property
    def _place(self) -> tuple[str, ...]:
        return "-D", str(self._data)

    def _run(self, command: Path, *arguments: str) -> None:
        """Run a program as the owner; what it says is in the error when it fails."""
        # pg_ctl leaves its output to the server that it starts, so a pipe would never end.
        with tempfile.TemporaryFile("w+") as said:
            done = subprocess.run(
                [command, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                cwd="/",
                user=self._owner,
                timeout=SECONDS,
                check=False,
            )
            said.seek(0)
            assert done.returncode == 0, f"{command.name}: {said.read()}"


def _owner() -> str | None:
    """As whom the server runs, which refuses to be root's; None: as whoever we are."""
    if os.geteuid() != 0:
        return None
    users = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in users else "nobody"


@contextmanager
def running(*, fsync: bool = False) -> Iterator[Cluster]:
    """A running server in a temporary folder.

    Raises:
        Missing: PostgreSQL is not installed here.
    """
    program("initdb")
    # The name of a socket has at most 107 bytes, so the folders of pytest are too deep for it.
    cluster = Cluster(Path(tempfile.mkdtemp(prefix="croupier-pg-")), fsync=fsync)
    with cluster.guarded():
        cluster.start()
        yield cluster


@contextmanager
def standby(primary: Cluster) -> Iterator[Cluster]:
    """A standby of *primary* that is not started yet, in a temporary folder."""
    folder = Path(tempfile.mkdtemp(prefix="croupier-pg-"))
    cluster = Cluster(folder, primary=primary)
    with cluster.guarded():
        yield cluster


@contextmanager
def skipped_where_missing() -> Iterator[None]:
    """Skip what asks for a server that cannot be had; under ``CI`` that is a failure."""
    try:
        yield
    except Missing as error:
        if os.environ.get("CI"):
            pytest.fail(str(error))
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """The server of this run; tests make databases of their own in it and never stop it."""
    with skipped_where_missing(), running() as server:
        yield server


@pytest.fixture(scope="module")
def mortal_cluster() -> Iterator[Cluster]:
    """A server that tests may crash and start again; it waits for the disk."""
    with skipped_where_missing(), running(fsync=True) as server:
        yield server


async def _version(server: Cluster) -> str:
    connection = await server.connect()
    try:
        return str(await connection.fetchval("SELECT version()"))
    finally:
        await connection.close()


if __name__ == "__main__":
    with running() as started:
        print(asyncio.run(_version(started)))
