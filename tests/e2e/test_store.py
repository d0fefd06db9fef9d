"""Where ``croupier serve`` keeps things, and what it says when it cannot."""

from __future__ import annotations

import stat
import subprocess
from pathlib import Path

import pytest

from tests.e2e.serving import COMMAND, SECONDS, clean_environment, served


def refused(*arguments: str, status: int = 1) -> str:
    """What a server that does not start says."""
    done = subprocess.run(
        [*COMMAND, "--port", "0", *arguments],
        env=clean_environment(),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert (done.returncode, done.stdout) == (status, "")
    assert done.stderr.startswith("croupier: store: ")
    assert done.stderr.count("\n") == 1
    return done.stderr


@pytest.mark.more
def test_without_a_store_it_is_a_file_in_the_data_folder(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "croupier"
    with served("--store", "", "--data-dir", str(folder)):
        file = folder / "croupier.db"
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert f"{file} is in use by" in refused("--store", f"sqlite:{file}")
    with served("--store", f"sqlite:{file}") as server:
        server.process.terminate()
        assert server.end()[0] == 0


def test_the_data_folder_is_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from croupier_server.config import load

    monkeypatch.delenv("CROUPIER_STORE")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    place = tmp_path / ".local" / "share" / "croupier" / "croupier.db"
    assert load({}).store_url == f"sqlite:{place}"
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "xdg"))
    assert load({}).store_url == f"sqlite:{tmp_path / 'xdg' / 'croupier' / 'croupier.db'}"
    assert load({"data_dir": "/srv"}).store_url == "sqlite:/srv/croupier.db"
    assert load({"data_dir": "/srv", "store": "memory:"}).store_url == "memory:"


@pytest.mark.more
@pytest.mark.parametrize("store", ["nonsense", "mysql://x", "sqlite:"])
def test_a_store_that_does_not_exist_is_one_clear_line(store: str) -> None:
    assert store in refused("--store", store, status=2)


@pytest.mark.more
def test_a_store_that_cannot_be_opened_is_one_clear_line(tmp_path: Path) -> None:
    file = tmp_path / "diary.txt"
    file.write_text("Dear diary, today I lost at cards. " * 500)
    assert "not a database" in refused("--store", f"sqlite:{file}")
    (tmp_path / "file").touch()
    assert "Not a directory" in refused("--store", f"sqlite:{tmp_path / 'file' / 'x.db'}")
