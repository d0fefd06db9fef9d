"""What a client shows a server, and how it knows the server: a key, and certificates.

They are given as arguments or taken from the environment:

- ``CROUPIER_KEY``, or ``CROUPIER_KEY_FILE`` with the path of a file that holds it: the API key;
- ``CROUPIER_CA``: PEM file of the authorities that the server's certificate may be from;
- ``CROUPIER_CERT`` and ``CROUPIER_CERT_KEY``: PEM files of a certificate of our own;
- ``CROUPIER_TLS``: ``1`` encrypts also without these files, ``0`` never.

Commands that look at a table also send the invite code in ``CROUPIER_INVITE``.
"""

from __future__ import annotations

import ipaddress
import os
import ssl
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self, TypeAlias, cast

import grpc

from croupier.errors import UsageError

__all__ = [
    "INVITE",
    "VARIABLES",
    "Credentials",
    "encryption_advice",
    "invite_metadata",
    "read_key",
    "without_credentials",
]

Metadata: TypeAlias = tuple[tuple[str, str], ...]

_KEY: Final = "CROUPIER_KEY"
_KEY_FILE: Final = "CROUPIER_KEY_FILE"
_CA: Final = "CROUPIER_CA"
_CERT: Final = "CROUPIER_CERT"
_CERT_KEY: Final = "CROUPIER_CERT_KEY"
_TLS: Final = "CROUPIER_TLS"

INVITE: Final = "CROUPIER_INVITE"
"""Name of the variable that holds an invite code."""

VARIABLES: Final = (_KEY, _KEY_FILE, _CA, _CERT, _CERT_KEY, _TLS, INVITE)
"""Names of all variables that credentials are taken from."""

_WORDS: Final = {"": None, "0": False, "1": True}


@dataclass(frozen=True, slots=True)
class Credentials:
    """What a client shows a server, and how it knows the server.

    Attributes:
        key: the API key; empty: none.
        tls: whether to encrypt; None: if there is a file below.
        ca: PEM file of authorities; empty: those that come with gRPC.
        cert: PEM file of the client's certificate; empty: none.
        cert_key: PEM file of its private key.
    """

    key: str = field(default="", repr=False)
    tls: bool | None = None
    ca: str = ""
    cert: str = ""
    cert_key: str = ""

    def __post_init__(self) -> None:
        if bool(self.cert) != bool(self.cert_key):
            raise UsageError("cert and cert_key belong together; set both or neither")
        if self.tls is False and (self.ca or self.cert):
            raise UsageError(
                "ca and cert need TLS: leave them out, or do not switch TLS off (tls=False or "
                "CROUPIER_TLS=0)"
            )
        if self.key and not (self.key.isascii() and self.key.isprintable()):
            raise UsageError("the key contains characters that are not allowed in a key")

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Credentials:
        """What the environment says.

        Raises:
            UsageError: that cannot be.
        """
        get = environment.get
        key, file = get(_KEY, "").strip(), get(_KEY_FILE, "")
        if key and file:
            raise UsageError(f"{_KEY} and {_KEY_FILE} are both set; set only one")
        word = get(_TLS, "")
        if word not in _WORDS:
            raise UsageError(f"{_TLS} must be 0 or 1, not {word!r}")
        return cls(
            read_key(file) if file else key,
            _WORDS[word],
            get(_CA, ""),
            get(_CERT, ""),
            get(_CERT_KEY, ""),
        )

    def but(
        self,
        *,
        key: str | None = None,
        tls: bool | None = None,
        ca: str | None = None,
        cert: str | None = None,
        cert_key: str | None = None,
    ) -> Credentials:
        """These with what is not None in their place."""
        return Credentials(
            self.key if key is None else key,
            self.tls if tls is None else tls,
            self.ca if ca is None else ca,
            self.cert if cert is None else cert,
            self.cert_key if cert_key is None else cert_key,
        )

    @property
    def is_encrypted(self) -> bool:
        """Whether connections are encrypted."""
        return bool(self.ca or self.cert) if self.tls is None else self.tls

    def channel(self, address: str, options: Sequence[tuple[str, int]] = ()) -> grpc.aio.Channel:
        """A channel to *address* whose calls carry the key.

        Raises:
            UsageError: a file cannot be read, or the key would travel in the clear.
        """
        if self.is_encrypted:
            channel = grpc.aio.secure_channel(address, self._certificates(), options=options)
        else:
            self._expect_private(address)
            channel = grpc.aio.insecure_channel(address, options=options)
        return cast("grpc.aio.Channel", _Keyed(channel, self._metadata)) if self.key else channel

    def blocking_channel(self, address: str) -> grpc.Channel:
        """As `channel`, for programs without an event loop."""
        if self.is_encrypted:
            channel = grpc.secure_channel(address, self._certificates())
        else:
            self._expect_private(address)
            channel = grpc.insecure_channel(address)
        return cast("grpc.Channel", _Keyed(channel, self._metadata)) if self.key else channel

    @property
    def _metadata(self) -> Metadata:
        return (("authorization", f"Bearer {self.key}"),)

    def _expect_private(self, address: str) -> None:
        if self.key and self.tls is None and not _is_loopback(address):
            raise UsageError(
                f"the key would be sent to {address} unencrypted; pass ca or tls=True ({_CA}, "
                f"{_TLS}=1), or tls=False ({_TLS}=0) to allow that"
            )

    def _certificates(self) -> grpc.ChannelCredentials:
        files = _read(self.ca), _read(self.cert_key), _read(self.cert)
        self._expect_certificates()
        return grpc.ssl_channel_credentials(*files)

    def _expect_certificates(self) -> None:
        """gRPC says of a file that is none of its kind that nobody answers."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        try:
            if self.ca:
                context.load_verify_locations(self.ca)
        except ssl.SSLError:
            raise UsageError(f"{self.ca} contains no certificate") from None
        try:
            if self.cert:
                context.load_cert_chain(self.cert, self.cert_key, password=lambda: "")
        except ssl.SSLError:
            raise UsageError(
                f"{self.cert} and {self.cert_key}: not a certificate and its private key, or the "
                "key is encrypted"
            ) from None


def encryption_advice(said: str) -> str:
    """What to look at when nobody answers, to be put behind that; empty where gRPC has *said*
    nothing to the effect that somebody listens."""
    is_heard = "handshake" in said or "Socket closed" in said
    if not (is_heard and "failed to connect" in said):
        return ""
    return (
        "; a server listens there, but the TLS handshake failed. If it does not use TLS, set "
        f"{_TLS}=0. If it does, {_CA} must name the authority that signed its certificate, and "
        f"{_CERT} your own certificate if the server requires one"
    )


class _Keyed:
    """A channel whose calls all carry the same metadata besides their own.

    gRPC's own ways to do this need an encrypted channel, or make streams slower.
    """

    def __init__(self, channel: Any, metadata: Metadata) -> None:
        self._channel = channel
        self._metadata = metadata

    def __getattr__(self, name: str) -> Any:
        """Whatever else a channel has."""
        return getattr(self._channel, name)

    def unary_unary(self, *method: Any, **more: Any) -> Callable[..., Any]:
        """See `grpc.Channel`."""
        return self._keyed(self._channel.unary_unary(*method, **more))

    def unary_stream(self, *method: Any, **more: Any) -> Callable[..., Any]:
        """See `grpc.Channel`."""
        return self._keyed(self._channel.unary_stream(*method, **more))

    def stream_unary(self, *method: Any, **more: Any) -> Callable[..., Any]:
        """See `grpc.Channel`."""
        return self._keyed(self._channel.stream_unary(*method, **more))

    def stream_stream(self, *method: Any, **more: Any) -> Callable[..., Any]:
        """See `grpc.Channel`."""
        return self._keyed(self._channel.stream_stream(*method, **more))

    def _keyed(self, call: Callable[..., Any]) -> Callable[..., Any]:
        own = self._metadata

        def keyed(*request: Any, metadata: Metadata | None = None, **more: Any) -> Any:
            return call(*request, metadata=(*own, *(metadata or ())), **more)

        return keyed

    async def __aenter__(self) -> Self:
        await self._channel.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self._channel.__aexit__(*error)

    def __enter__(self) -> Self:
        self._channel.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._channel.__exit__(*error)


def read_key(path: str) -> str:
    """The key in a file.

    Raises:
        UsageError: the file cannot be read or is empty.
    """
    data = _read(path)
    key = (data or b"").decode(errors="replace").strip()
    if not key:
        raise UsageError(f"{path} contains no key")
    return key


def invite_metadata(environment: Mapping[str, str] = os.environ) -> Metadata:
    """Metadata with the invite code in *environment*; empty if it has none.

    Raises:
        UsageError: it has characters that no invite code has.
    """
    code = environment.get(INVITE, "").strip()
    if not (code.isascii() and code.isprintable()):
        raise UsageError(f"{INVITE} contains characters that are not allowed in an invite code")
    return (("croupier-invite", code),) if code else ()


def without_credentials(
    environment: Mapping[str, str], names: Sequence[str] = VARIABLES
) -> dict[str, str]:
    """*environment* without the variables *names*, for a program that may not have them."""
    return {name: value for name, value in environment.items() if name not in names}


def _read(path: str) -> bytes | None:
    if not path:
        return None
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from None


def _is_loopback(address: str) -> bool:
    """Whether what is sent to *address* stays on this machine."""
    if address.startswith("unix:"):
        return True
    host = address.removeprefix("ipv4:").removeprefix("ipv6:").rpartition(":")[0].strip("[]")
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
