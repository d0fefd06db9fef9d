"""Settings of the server: flags over environment over file over defaults.

One field a setting; its description is what ``croupier serve --help`` and the documentation say.
The environment's names are the fields' in capitals after ``CROUPIER_``, the file is TOML with the
fields' names. A key of the file that is no setting is refused, and so is a variable that is none
but nearly has the name of one.
"""

from __future__ import annotations

import difflib
import ipaddress
import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field, ValidationError, model_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

PREFIX: Final = "CROUPIER_"
FILE_VARIABLE: Final = "CROUPIER_CONFIG"
"""Names the file where the flag ``--config`` does not."""

DEFAULT_PORT: Final = 7421
CALLS_PER_SECOND: Final = 200
"""Calls a second of a principal with a key, where nothing else is set."""
ROWS_MB_PER_DAY: Final = 64
"""Megabytes of rows without a played match, a day and principal with a key, by default."""

_PORT_MAX: Final = 65_535
_EVERY_ADDRESS: Final = ("0.0.0.0", "::")  # noqa: S104 - compared with
_HOST: Final = re.compile(r"(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?")
_ORIGIN: Final = re.compile(rf"https?://{_HOST.pattern}")

Positive = Annotated[int, Field(ge=1)]
Value = str | int | bool


_ALIKE: Final = 0.85
"""A variable so like a setting is that setting, misspelt (of 1, as `difflib` says), and so is one
with the same letters in another order.

Others are left alone: clients have variables of that prefix too, and so may whatever runs them."""


class SettingsError(Exception):
    """A setting that cannot be; the text is one line that says where it came from."""


class Settings(BaseSettings):
    """Everything that can be set."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, extra="forbid", frozen=True)

    host: str = Field("127.0.0.1", description="Address to listen on.")
    port: int = Field(DEFAULT_PORT, ge=0, le=65535, description="Port; 0: any free port.")
    insecure_listen: bool = Field(
        False,
        description="Allow an address beyond loopback without TLS. If auth is none, no keys are "
        "required either: anybody who reaches the server may then create tables and take seats.",
    )
    auth: Literal["auto", "none", "keys"] = Field(
        "auto",
        description="Whether callers need a key (croupier keys create). auto: only if the server "
        "listens beyond loopback.",
    )
    tls_cert: Path | None = Field(
        None, description="PEM file with the server's certificate chain; reread when it changes."
    )
    tls_key: Path | None = Field(None, description="PEM file with the private key.")
    tls_client_ca: Path | None = Field(
        None,
        description="PEM file with certificate authorities. If set, every client must present a "
        "certificate issued by one of them.",
    )
    admin_port: int | None = Field(
        None,
        ge=0,
        le=65535,
        description="Port of the Admin service, which always requires a key with the scope admin. "
        "0: any free port. Not set: no Admin service.",
    )
    admin_host: str = Field("127.0.0.1", description="Address of the Admin service.")
    metrics_port: int | None = Field(
        None,
        ge=0,
        le=65535,
        description="Port that serves /metrics for Prometheus. 0: any free port. Not set: no "
        "metrics.",
    )
    metrics_host: str = Field(
        "127.0.0.1",
        description="Address of the metrics port. It has no TLS and requires no key: do not expose "
        "it.",
    )
    web: str = Field(
        "",
        description="Address of the web port for browsers and curl (Connect, gRPC-Web and JSON "
        "over HTTP), such as 127.0.0.1:7422. A port alone is on loopback; 0: any free port. Empty: "
        "no web port. Needs pip install 'croupier-server[web]'.",
    )
    web_origins: str = Field(
        "",
        description="Comma-separated origins whose pages may call the web port, such as "
        "https://play.example.org. Others are refused.",
    )
    web_hosts: str = Field(
        "",
        description="Comma-separated host names that clients use for the web port (header Host), "
        "such as croupier.example.org or localhost:8000. Its own address always works.",
    )
    web_connections_max: Positive = Field(
        500,
        description="Maximum open connections of the web port; more are refused with status 503.",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="Lowest level that is logged."
    )
    log_format: Literal["auto", "json", "console"] = Field(
        "auto",
        description="Format of the log on standard error. auto: console on a terminal, else json.",
    )
    loop: Literal["auto", "uvloop", "asyncio"] = Field(
        "auto", description="Event loop. auto: uvloop if it is installed."
    )
    shutdown_grace_ms: int = Field(
        2_000, ge=0, description="Time that in-flight calls have to finish when the server stops."
    )
    heartbeat_ms: Positive = Field(10_000, description="Interval of heartbeats on a stream.")
    nonce_ms: Positive = Field(30_000, description="Time for seats to open their nonces.")
    network_grace_ms: int = Field(
        500,
        ge=0,
        description="Maximum allowance per decision for network latency, which the heartbeats of a "
        "session measure.",
    )
    unary_grace_ms: int = Field(
        100, ge=0, description="Flat allowance per decision where latency is not measured."
    )
    reconnect_grace_ms: int = Field(
        10_000,
        ge=0,
        description="Maximum time for which a seat's clock is paused after a restart, until the "
        "server resends its decision.",
    )
    away_ms: Positive = Field(
        60_000,
        description="Time without a stream or a call after which a seat is away. At a table "
        "without a clock, also the time for which it may leave a decision unanswered. The "
        "absence policy of the table decides what follows.",
    )
    idle_ms: Positive = Field(
        86_400_000, description="Time without any activity after which a table is ended."
    )
    tables_max: Positive = Field(10_000, description="Maximum number of live tables.")
    own_tables_max: int = Field(
        1_000,
        ge=0,
        description="Maximum number of live tables created by one principal with a key; 0: no "
        "limit.",
    )
    house_seats_max: int = Field(
        64,
        ge=0,
        description="Maximum number of house bot seats at the live tables of one principal with a "
        "key; 0: no limit.",
    )
    house_tables_max: int = Field(
        8,
        ge=0,
        description="Maximum number of live tables of one principal with a key at which only house "
        "bots sit; 0: no limit.",
    )
    calls_per_second: int | None = Field(
        None,
        ge=0,
        description="Tokens added to the bucket of each principal per second. A call or session "
        "item costs one token for each millisecond of processor time and for each 64 KiB of its "
        "reply, and at least one; accepted answers are free. 0: no limit. Default: 200 with keys, "
        "no limit without.",
    )
    calls_burst: Positive = Field(2_000, description="Maximum number of tokens in a bucket.")
    rows_mb_per_day: int | None = Field(
        None,
        ge=0,
        description="Megabytes of rows that one principal may write per day for tables at which no "
        "match is played. 0: no limit. Default: 64 with keys, no limit without.",
    )
    ended_max: int = Field(256, ge=0, description="Number of ended tables kept in memory.")
    store: str = Field(
        "",
        description="Where tables and records are stored: sqlite:PATH, postgresql://..., or "
        "memory:, which is lost when the server ends. Empty: croupier.db in the data folder.",
    )
    data_dir: str = Field(
        "",
        description="The data folder. Empty: croupier in XDG_DATA_HOME, or in ~/.local/share if "
        "that is not set.",
    )
    durability: Literal["power", "process"] = Field(
        "power",
        description="What an acknowledged move survives: a power cut, or only the end of the "
        "process, which is faster.",
    )
    records_days: int = Field(
        0,
        ge=0,
        le=36_500,
        description="Age in days after which records are deleted; checked once an hour. 0: never.",
    )
    records_max: Positive = Field(
        10_000,
        description="Maximum number of records in a store in memory; the oldest are deleted first.",
    )
    records_mb_max: Positive = Field(
        1_024,
        description="Maximum megabytes of records in a store in memory; a long match takes about "
        "half a megabyte.",
    )
    streams_max: Positive = Field(20_000, description="Maximum open streams of one principal.")
    watchers_max: int = Field(
        1_000,
        ge=0,
        description="Maximum open streams of one principal in the lobby, and of each table that it "
        "watches without a seat; 0: no limit.",
    )
    session_channels_max: Positive = Field(
        4_096, description="Maximum open channels on one session; each seat needs one."
    )
    feed_lag_max: Positive = Field(
        1_024, description="Events that a reader may lag behind before it gets a snapshot instead."
    )
    record_bytes_max: int = Field(
        1 << 20,
        ge=1_024,
        le=1 << 26,
        description="Maximum bytes of a record that VerifyRecord accepts. Other limits are fixed: "
        "a frame of a session 256 KiB, a move 4 KiB, any other request 64 KiB.",
    )
    page_size_max: int = Field(1_000, ge=1, le=1_000, description="Maximum page size of any list.")
    house_bots: bool = Field(True, description="Fill house seats with the bots of the SDK.")
    reflection: bool = Field(True, description="Serve gRPC reflection.")

    @model_validator(mode="after")
    def _loopback(self) -> Settings:
        hosts = {"host": self.host, "web": self.web_address[0] if self.web else "localhost"}
        faults = []
        if not self.asks_for_keys:
            faults.append("auth is none, so anybody could create tables and take seats")
        if self.tls_cert is None:
            faults.append(
                "tls_cert is not set, so keys, tickets and cards would be sent unencrypted"
            )
        for name, host in hosts.items():
            if faults and not (self.insecure_listen or is_loopback(host)):
                raise ValueError(
                    f"{name}: {host} is reachable from other machines, and "
                    f"{', and '.join(faults)}; pass --insecure-listen to allow it"
                )
        return self

    @model_validator(mode="after")
    def _web(self) -> Settings:
        for origin in self.web_origin_list:
            if not _ORIGIN.fullmatch(origin):
                raise ValueError(
                    f"web_origins: {origin!r} must be an origin such as https://play.example.org, "
                    "in lower case and without a path"
                )
        for host in self.web_host_list:
            if not _HOST.fullmatch(host):
                raise ValueError(
                    f"web_hosts: {host!r} must be a name such as croupier.example.org, in lower "
                    "case and with its port unless that is 80 or, with TLS, 443"
                )
        if not self.web:
            return self
        host, _ = self.web_address
        if host in _EVERY_ADDRESS and not self.web_host_list:
            raise ValueError(
                f"web: {host} stands for all addresses of this machine, so web_hosts must list the "
                "names that clients use"
            )
        if self.tls_client_ca is not None:
            raise ValueError(
                "web: the web port does not check client certificates, so tls_client_ca would not "
                "protect it; remove one of the two"
            )
        return self

    @property
    def web_address(self) -> tuple[str, int]:
        """Address and port of the web port.

        Raises:
            ValueError: there is none, or it cannot be one.
        """
        host, _, port = self.web.rpartition(":")
        if not (port.isascii() and port.isdigit() and int(port) <= _PORT_MAX):
            raise ValueError(f"web: {self.web!r} must be an address such as 127.0.0.1:7422")
        return host.removeprefix("[").removesuffix("]") or "127.0.0.1", int(port)

    @property
    def web_origin_list(self) -> frozenset[str]:
        """Origins whose pages may call the web port."""
        return frozenset(_listed(self.web_origins))

    @property
    def web_host_list(self) -> frozenset[str]:
        """Names by which the web port is called."""
        return frozenset(_listed(self.web_hosts))

    @model_validator(mode="after")
    def _operators(self) -> Settings:
        is_open = {
            "admin_host": self.admin_port is not None and self.tls_cert is None,
            "metrics_host": self.metrics_port is not None,
        }
        for name, is_unencrypted in is_open.items():
            host: str = getattr(self, name)
            if is_unencrypted and not (self.insecure_listen or is_loopback(host)):
                raise ValueError(
                    f"{name}: {host} is reachable from other machines, and that port is not "
                    "encrypted; pass --insecure-listen to allow it"
                )
        return self

    @property
    def store_url(self) -> str:
        """The store, whether it was named or not."""
        return self.store or f"sqlite:{self.data_folder / 'croupier.db'}"

    @property
    def data_folder(self) -> Path:
        """The data folder, whether it was named or not."""
        if self.data_dir:
            return Path(self.data_dir)
        base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
        return Path(base) / "croupier"

    @model_validator(mode="after")
    def _certificates(self) -> Settings:
        if (self.tls_cert is None) != (self.tls_key is None):
            raise ValueError("tls_cert and tls_key belong together; set both or neither")
        if self.tls_client_ca is not None and self.tls_cert is None:
            raise ValueError("tls_client_ca needs tls_cert and tls_key")
        return self

    @property
    def asks_for_keys(self) -> bool:
        """Whether callers need a key."""
        hosts = (self.host, self.web_address[0]) if self.web else (self.host,)
        return self.auth == "keys" or (
            self.auth == "auto" and not all(is_loopback(host) for host in hosts)
        )

    @property
    def calls_limit(self) -> int:
        """Calls a second of one principal; 0: any number."""
        if self.calls_per_second is None:
            return CALLS_PER_SECOND if self.asks_for_keys else 0
        return self.calls_per_second

    @property
    def rows_per_day(self) -> int:
        """Bytes of rows that one principal may write a day without a played match; 0: no limit."""
        if self.rows_mb_per_day is None:
            return ROWS_MB_PER_DAY << 20 if self.asks_for_keys else 0
        return self.rows_mb_per_day << 20

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - the names are pydantic's
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Flags, environment, file; nothing else."""
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls)


def _listed(text: str) -> list[str]:
    """The parts of a list with commas."""
    return [part for part in (piece.strip() for piece in text.split(",")) if part]


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach *host*."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def load(flags: Mapping[str, Value | None], file: Path | None = None) -> Settings:
    """The settings.

    Args:
        flags: settings given on the command line; None stands for not given.
        file: a TOML file; without it the one that the environment names, if it does.

    Raises:
        SettingsError: a value, a key or a variable that cannot be, a file that cannot be read.
    """
    _check_variables()
    path = _file(file)
    given = {key: value for key, value in flags.items() if value is not None}
    if path is not None:
        _check_readable(path)

    class Loaded(Settings):
        model_config = SettingsConfigDict(toml_file=path)

    try:
        return Loaded(**given)  # type: ignore[arg-type]
    except ValidationError as error:
        raise SettingsError(_first_line(error, given, path)) from None


def _file(file: Path | None) -> Path | None:
    """The file with settings, if there is one."""
    name = os.environ.get(FILE_VARIABLE, "")
    return file or (Path(name) if name else None)


def _check_variables() -> None:
    names = [PREFIX + name.upper() for name in Settings.model_fields] + [FILE_VARIABLE]
    for variable in os.environ:
        if not variable.upper().startswith(PREFIX) or variable.upper() in names:
            continue
        anagrams = [name for name in names if sorted(name) == sorted(variable.upper())]
        own = variable.upper().removeprefix(PREFIX)
        alike = difflib.get_close_matches(
            own, [name.removeprefix(PREFIX) for name in names], 1, _ALIKE
        )
        for meant in anagrams or [PREFIX + name for name in alike]:
            raise SettingsError(f"{variable}: there is no such setting; is {meant} meant?")


def _check_readable(path: Path) -> None:
    """It is read more than once, so that it has to be a file: a pipe would be empty, or wait."""
    try:
        if path.exists() and not path.is_file():
            raise SettingsError(f"{path}: a file is needed, not a folder, pipe or device")
        with path.open("rb") as file:
            tomllib.load(file)
    except OSError as error:
        raise SettingsError(f"{path}: {error.strerror or error}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: not TOML: {error}") from None


def _first_line(error: ValidationError, flags: Mapping[str, Value], path: Path | None) -> str:
    """The first fault: where the value came from, and what is wrong with it."""
    fault = error.errors(include_url=False)[0]
    message = fault["msg"].removeprefix("Value error, ")
    keys = [str(part) for part in fault["loc"]]
    if not keys:
        return message
    where = _origin(keys[0], flags) or f"{path}: {'.'.join(keys)}"
    if fault["type"] == "extra_forbidden":
        return f"{where}: there is no such setting"
    return f"{where}: {message}, not {without_password(repr(fault['input']))}"


def _origin(name: str, flags: Mapping[str, Value | None]) -> str:
    """The flag or the variable that gives a setting; empty when neither does."""
    if flags.get(name) is not None:
        return f"--{name.replace('_', '-')}"
    variable = f"{PREFIX}{name}".upper()
    return variable if variable in {key.upper() for key in os.environ} else ""


def origins(flags: Mapping[str, Value | None], file: Path | None = None) -> dict[str, str]:
    """Where each setting of `load` with the same arguments came from: a flag, a variable, a file,
    or ``default``."""
    path = _file(file)
    in_file = tomllib.loads(path.read_text(encoding="utf-8")) if path else {}
    return {
        name: _origin(name, flags) or (str(path) if name in in_file else "default")
        for name in Settings.model_fields
    }


def without_password(url: str) -> str:
    """*url* fit to be shown: what stands for a password in it is hidden.

    >>> without_password("postgresql://me:secret@db/croupier?passfile=x&password=secret")
    'postgresql://me:***@db/croupier?passfile=x&password=***'
    """
    url = re.sub(r"(?<=://)([^/?#@:]*):[^/?#]*@", r"\1:***@", url)
    return re.sub(r"(?i)([?&](?:password|sslpassword)=)[^&#]*", r"\1***", url)
