"""Certificates of the server, from files that may be replaced while it runs.

gRPC asks for certificates at each handshake, on a thread of its own; it gets those that were good
when the files were last looked at. Connections that are open keep what they have.

Whether clients need a certificate holds for a whole port: gRPC's server either asks for none or
turns away who has none. What gRPC does not check is that a certificate was made for a client: one
without an extended key usage passes its handshake, the server's own among them. So every call
checks it.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

import grpc
import structlog

from croupier_server.errors import NotAllowed, Reason

_log = structlog.get_logger(__name__)

_EXTENDED_KEY_USAGE: Final = bytes.fromhex("551d25")
"""Object identifier 2.5.29.37 of the extension (RFC 5280, 4.2.1.12)."""
_CLIENT_AUTH: Final = bytes.fromhex("2b06010505070302")
"""Object identifier 1.3.6.1.5.5.7.3.2 of the purpose ``id-kp-clientAuth``."""
_EXTENSIONS: Final = 0xA3
"""Tag of the extensions of a certificate."""

_NO_STAMP: Final = ()


class CertificateError(Exception):
    """Certificates that cannot be used; the text is one line that names the file."""


class Files(NamedTuple):
    """Where certificates are.

    Attributes:
        cert: the server's, with what links it to its authority, PEM.
        key: its private key, PEM, not encrypted.
        client_ca: of the authorities one of which must have signed a client's certificate; None:
            clients need none.
    """

    cert: Path
    key: Path
    client_ca: Path | None = None


class Certificates:
    """The certificates that are good now.

    Args:
        files: where they are.

    Raises:
        CertificateError: they cannot be used.
    """

    def __init__(self, files: Files) -> None:
        self._files = files
        self._stamp = self._look()
        self._contexts: list[ssl.SSLContext] = []
        self._config = self._read()
        self._trouble = ""

    @property
    def asks_clients(self) -> bool:
        """Whether clients need a certificate."""
        return self._files.client_ca is not None

    def credentials(self) -> grpc.ServerCredentials:
        """What a port of the server is opened with."""
        return grpc.dynamic_ssl_server_credentials(self._config, self._now, self.asks_clients)

    def context(self) -> ssl.SSLContext:
        """What a port that is not gRPC's is opened with; it asks clients for no certificate."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._load(context)
        self._contexts.append(context)
        return context

    def refresh(self) -> None:
        """Look whether the files have changed, and take them if they fit together.

        A certificate that does not belong to the key, as while somebody replaces one after the
        other, is left alone and said in the log; what was good goes on.
        """
        stamp = self._look()
        if stamp == self._stamp and not self._trouble:
            return
        try:
            self._config = self._read()
        except CertificateError as error:
            if str(error) != self._trouble:
                _log.error("certificates rejected", error=str(error))
            self._trouble = str(error)
        else:
            _log.info("certificates reloaded", cert=str(self._files.cert))
            self._trouble = ""
            self._stamp = stamp

    def _now(self) -> grpc.ServerCertificateConfiguration:
        return self._config

    def _look(self) -> tuple[tuple[int, int, int], ...]:
        """What changes when somebody writes the files."""
        found = []
        for path in self._files:
            if path is None:
                continue
            try:
                status = path.stat()
            except OSError:
                return _NO_STAMP
            found.append((status.st_mtime_ns, status.st_size, status.st_ino))
        return tuple(found)

    def _read(self) -> grpc.ServerCertificateConfiguration:
        cert, _, client_ca = self._files
        before = [_bytes(path) for path in self._files if path is not None]
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._load(context)
        if client_ca is not None:
            try:
                context.load_verify_locations(client_ca)
            except (ssl.SSLError, OSError) as error:
                raise CertificateError(f"{client_ca}: {_why(error)}") from None
        if before != [_bytes(path) for path in self._files if path is not None]:
            raise CertificateError(f"{cert}: the file or its key is being written")
        for other in self._contexts:
            self._load(other)
        return grpc.ssl_server_certificate_configuration(
            [(before[1], before[0])], before[2] if client_ca is not None else None
        )

    def _load(self, context: ssl.SSLContext) -> None:
        cert, key, _ = self._files
        try:
            context.load_cert_chain(cert, key, password=_no_password)
        except (ssl.SSLError, OSError, ValueError) as error:
            raise CertificateError(f"{cert} and {key}: {_why(error)}") from None


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise CertificateError(f"{path}: {error.strerror or error}") from None


def _no_password() -> str:
    raise ValueError("the key is encrypted; the server cannot ask for a password")


def _why(error: Exception) -> str:
    reason = getattr(error, "reason", None)
    if reason == "KEY_VALUES_MISMATCH":
        return "the certificate does not belong to the key"
    if isinstance(error, ssl.SSLError):
        return f"not a certificate chain and a private key in PEM format ({reason or error})"
    return str(reason or error)


def expect_client_certificate(auth_context: Mapping[str, Iterable[bytes]]) -> None:
    """Check that the certificate of a connection, if it has one, was made for a client.

    A connection over the Unix socket of the house bots has none.

    Args:
        auth_context: of gRPC.

    Raises:
        NotAllowed: UNAUTHENTICATED, its extended key usage does not name clients.
    """
    for pem in auth_context.get("x509_pem_cert", ()):
        if not is_for_clients(pem):
            raise NotAllowed(
                Reason.UNAUTHENTICATED,
                "the certificate of this connection is not a client certificate: issue one with "
                "extendedKeyUsage=clientAuth",
            )


@lru_cache(maxsize=1_024)
def is_for_clients(pem: bytes) -> bool:
    """Whether the extended key usage of a certificate names clients (RFC 5280, 4.2.1.12).

    Args:
        pem: the certificate, which OpenSSL has verified.
    """
    der = ssl.PEM_cert_to_DER_cert(pem.decode("ascii"))
    ((_, certificate),) = _elements(der)
    _, to_be_signed = next(_elements(certificate))
    for tag, block in _elements(to_be_signed):
        if tag != _EXTENSIONS:
            continue
        ((_, extensions),) = _elements(block)
        for _, extension in _elements(extensions):
            (_, identifier), *_, (_, value) = _elements(extension)
            if identifier == _EXTENDED_KEY_USAGE:
                ((_, purposes),) = _elements(value)
                return any(purpose == _CLIENT_AUTH for _, purpose in _elements(purposes))
    return False


def _elements(der: bytes) -> Iterator[tuple[int, bytes]]:
    """Tag and content of each element of *der*, which is well-formed DER (X.690, 8.1)."""
    at = 0
    while at < len(der):
        tag, length, at = der[at], der[at + 1], at + 2
        if length & 0x80:
            size = length & 0x7F
            length, at = int.from_bytes(der[at : at + size], "big"), at + size
        yield tag, der[at : at + length]
        at += length
