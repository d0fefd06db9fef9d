"""Settings: flags over environment over file over defaults, and one line for what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from croupier_server.config import Settings, SettingsError, is_loopback, load


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in Settings.model_fields:
        monkeypatch.delenv(f"CROUPIER_{name.upper()}", raising=False)
    monkeypatch.delenv("CROUPIER_CONFIG", raising=False)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "croupier.toml"


def test_defaults_are_enough() -> None:
    settings = load({})
    assert (settings.host, settings.port) == ("127.0.0.1", 7421)


def test_flags_come_before_environment_before_file(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text("port = 1\nheartbeat_ms = 1\ntables_max = 1\n")
    monkeypatch.setenv("CROUPIER_PORT", "2")
    monkeypatch.setenv("CROUPIER_HEARTBEAT_MS", "2")
    settings = load({"port": 3, "log_level": None}, file)
    assert (settings.port, settings.heartbeat_ms, settings.tables_max) == (3, 2, 1)


def test_the_environment_may_name_the_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text("port = 1\n")
    monkeypatch.setenv("CROUPIER_CONFIG", str(file))
    assert load({}).port == 1


def test_a_flag_names_the_file_before_the_environment(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text("port = 1\n")
    monkeypatch.setenv("CROUPIER_CONFIG", str(file.with_name("other.toml")))
    assert load({}, file).port == 1


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("prot = 1", "{file}: prot: there is no such setting"),
        ("[server]\nport = 1", "{file}: server: there is no such setting"),
        ("port = 'x'", "{file}: port: Input should be a valid integer"),
        ("port = 70000", "{file}: port: Input should be less than or equal to 65535, not 70000"),
        ("page_size_max = 0", "{file}: page_size_max: Input should be greater than or equal to 1"),
        (
            "loop = 'trio'",
            "{file}: loop: Input should be 'auto', 'uvloop' or 'asyncio', not 'trio'",
        ),
        ("port =", "{file}: not TOML: "),
    ],
)
def test_what_is_wrong_in_a_file_is_told_with_its_path(file: Path, text: str, line: str) -> None:
    file.write_text(text)
    with pytest.raises(SettingsError) as caught:
        load({}, file)
    message = str(caught.value)
    assert message.startswith(line.format(file=file))
    assert "\n" not in message


def test_a_file_that_is_not_there_is_told(file: Path) -> None:
    with pytest.raises(SettingsError, match="No such file"):
        load({}, file)


def test_what_is_wrong_in_the_environment_is_told_by_its_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CROUPIER_PORT", "x")
    with pytest.raises(SettingsError, match=r"^CROUPIER_PORT: .*integer"):
        load({})


def test_what_is_wrong_in_a_flag_is_told_by_its_name() -> None:
    with pytest.raises(SettingsError, match=r"^--tables-max: .*, not 0$"):
        load({"tables_max": 0})


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.1", "localhost", "::1"])
def test_loopback_needs_no_leave(host: str) -> None:
    assert is_loopback(host)
    assert load({"host": host}).host == host


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.2", "example.org", ""])
def test_any_other_host_needs_to_be_asked_for_in_so_many_words(host: str) -> None:
    with pytest.raises(SettingsError, match="--insecure-listen"):
        load({"host": host})
    assert load({"host": host, "insecure_listen": True}).host == host


TLS = {"tls_cert": "cert.pem", "tls_key": "cert.key"}


@pytest.mark.parametrize(
    ("flags", "asks"),
    [
        ({}, False),
        ({"auth": "keys"}, True),
        ({"auth": "none"}, False),
        ({"host": "0.0.0.0", **TLS}, True),
        ({"host": "0.0.0.0", "insecure_listen": True}, True),
        ({"host": "0.0.0.0", "insecure_listen": True, "auth": "none"}, False),
    ],
)
def test_keys_are_asked_for_beyond_loopback_unless_told_otherwise(
    flags: dict[str, str | bool], asks: bool
) -> None:
    settings = load(flags)
    assert settings.asks_for_keys is asks
    assert settings.calls_limit == (200 if asks else 0)


@pytest.mark.parametrize(
    ("flags", "missing"),
    [
        ({}, ["tls_cert is not set"]),
        ({"auth": "keys"}, ["tls_cert is not set"]),
        ({"auth": "none", **TLS}, ["auth is none"]),
        ({"auth": "none"}, ["auth is none", "tls_cert is not set"]),
    ],
)
def test_what_is_missing_beyond_loopback_is_named(
    flags: dict[str, str], missing: list[str]
) -> None:
    with pytest.raises(SettingsError) as caught:
        load({"host": "192.168.1.2", **flags})
    line = str(caught.value)
    assert line.startswith("host: 192.168.1.2 is reachable from other machines, and ")
    told = [words for words in ("auth is none", "tls_cert is not set") if words in line]
    assert told == missing
    assert load({"host": "192.168.1.2", "insecure_listen": True, **flags}).insecure_listen


def test_with_keys_and_encryption_no_leave_is_needed() -> None:
    assert load({"host": "192.168.1.2", **TLS}).host == "192.168.1.2"


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ({"tls_cert": "x"}, "belong together"),
        ({"tls_key": "x"}, "belong together"),
        ({"tls_client_ca": "x"}, "needs tls_cert"),
        ({"auth": "some"}, "--auth"),
        ({"calls_per_second": -1}, "--calls-per-second"),
        ({"calls_burst": 0}, "--calls-burst"),
    ],
)
def test_settings_of_identity_that_cannot_be(flags: dict[str, str | int], words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        load(flags)


def test_rates_may_be_set_with_and_without_keys() -> None:
    assert load({"calls_per_second": 7}).calls_limit == 7
    assert load({"calls_per_second": 0, "auth": "keys"}).calls_limit == 0


def test_every_setting_says_what_it_is() -> None:
    assert [name for name, field in Settings.model_fields.items() if not field.description] == []
