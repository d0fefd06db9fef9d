"""``croupier config show``: every setting, where it comes from, and no secrets."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from croupier_server.cli import run
from croupier_server.config import (
    DEFAULT_PORT,
    FILE_VARIABLE,
    PREFIX,
    Settings,
    load,
    without_password,
)


def shown(capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    """Where each setting comes from, by its line without that."""
    lines = capsys.readouterr().out.splitlines()
    return {line.partition("  #")[0].rstrip(): line.rpartition("  # ")[2] for line in lines}


def test_flags_are_over_the_environment_over_the_file_over_defaults(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "croupier.toml"
    file.write_text("port = 1\nheartbeat_ms = 2\nidle_ms = 3\n")
    monkeypatch.setenv(f"{PREFIX}PORT", "4")
    monkeypatch.setenv(f"{PREFIX}HEARTBEAT_MS", "5")
    assert run(["config", "show", "--config", str(file), "--port", "6"]) == 0
    lines = shown(capsys)
    assert lines["port = 6"] == "--port"
    assert lines["heartbeat_ms = 5"] == "CROUPIER_HEARTBEAT_MS"
    assert lines["idle_ms = 3"] == str(file)
    assert lines["house_bots = true"] == "default"
    assert len(lines) == len(Settings.model_fields)


def test_what_is_shown_is_a_file_of_the_same_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(f"{PREFIX}LOG_LEVEL", "debug")
    assert run(["config", "show", "--house-bots", "false"]) == 0
    text = capsys.readouterr().out
    monkeypatch.delenv(f"{PREFIX}LOG_LEVEL")
    file = tmp_path / "again.toml"
    file.write_text(text)
    assert tomllib.loads(text)["log_level"] == "debug"
    monkeypatch.setenv(FILE_VARIABLE, str(file))
    again = load({"house_bots": False, "log_level": "debug"})
    assert load({}).model_dump() == again.model_dump()
    assert run(["config", "show"]) == 0
    assert shown(capsys)['log_level = "debug"'] == str(file)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["config"], "Missing command"),
        (["config", "show", "--port", "70000"], "--port: Input should be less than or equal"),
        (["config", "show", "--config", "/no/such/file"], "/no/such/file: No such file"),
        (["config", "show", "--store", "mysql://x"], "'mysql://x' must be memory:, sqlite:PATH"),
        (["config", "show", "--store", "memory:", "--auth", "keys"], "cannot have keys"),
    ],
)
def test_settings_that_cannot_be_are_one_line(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("variable", "meant"),
    [
        ("PROT", "PORT"),
        ("OHST", "HOST"),
        ("COFNIG", "CONFIG"),
        ("MAX_TABLES", "TABLES_MAX"),
        ("HEARTBEAT", "HEARTBEAT_MS"),
        ("STORES", "STORE"),
        ("TSL_CERT", "TLS_CERT"),
        ("RECORD_DAYS", "RECORDS_DAYS"),
    ],
)
@pytest.mark.parametrize("command", [["config", "show"], ["keys", "list"], ["serve"]])
def test_a_misspelt_variable_is_refused(
    variable: str,
    meant: str,
    command: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv(f"{PREFIX}{variable}", "1")
    assert run(command) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert f"CROUPIER_{variable}: there is no such setting; is CROUPIER_{meant} meant?" in error


@pytest.mark.parametrize(
    "variable",
    [
        *("ADMIN", "CA", "CERT", "CERT_KEY", "INVITES_FD", "KEY", "KEY_FILE", "TLS"),  # ours
        # Of whatever runs us, such as Kubernetes beside services of such names.
        *("SERVICE_HOST", "PORT_7421_TCP_ADDR", "METRICS_SERVICE_HOST", "METRICS_SERVICE_PORT"),
        *("METRICS_PORT_9090_TCP", "ADMIN_SERVICE_PORT", "STORE_URL", "TLS_CA", "VERSION", "HOME"),
    ],
)
def test_a_variable_of_another_name_is_not(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"{PREFIX}{variable}", "1")
    assert load({}).port == DEFAULT_PORT


def make_folder(path: Path) -> None:
    path.mkdir()


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def make_loop(path: Path) -> None:
    path.symlink_to(path)


def make_bytes(path: Path) -> None:
    path.write_bytes(b"port = \xc3\x28")


def make_words(path: Path) -> None:
    path.write_text("what I want: a server\n")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (make_folder, "a file is needed, not a folder"),
        (make_pipe, "a file is needed, not a folder, pipe"),
        (make_loop, "symbolic links"),
        (make_bytes, "not TOML"),
        (make_words, "not TOML"),
    ],
)
@pytest.mark.parametrize("command", [["config", "show"], ["keys", "list"], ["serve"]])
@pytest.mark.parametrize("by_flag", [True, False])
def test_what_is_no_file_of_settings_is_one_line(
    make: Callable[[Path], None],
    words: str,
    command: list[str],
    by_flag: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "croupier.toml"
    make(path)
    if not by_flag:
        monkeypatch.setenv(FILE_VARIABLE, str(path))
    assert run([*command, *(["--config", str(path)] if by_flag else [])]) == 2
    error = capsys.readouterr().err
    assert str(path) in error
    assert words in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("url", "fit"),
    [
        ("postgresql://db/x", "postgresql://db/x"),
        ("postgresql://me@db/x", "postgresql://me@db/x"),
        ("postgresql://me:s3cret@db:5432/x", "postgresql://me:***@db:5432/x"),
        ("postgresql://me:s3:c@ret@db/x", "postgresql://me:***@db/x"),
        ("postgresql:///x?host=/run&password=s3cret&user=me", "postgresql:///x?host=/run&password=***&user=me"),
        ("postgresql:///x?user=me&Password=s3cret", "postgresql:///x?user=me&Password=***"),
        ("sqlite:/data/a:b@c.db", "sqlite:/data/a:b@c.db"),
        ("memory:", "memory:"),
    ],
)  # fmt: skip
def test_passwords_in_urls_are_hidden(url: str, fit: str) -> None:
    assert without_password(url) == fit
