"""Only certificates made for clients are taken from clients, on both ports."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import trustme
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID as Usage

from croupier_server.rpc.tls import is_for_clients
from tests.e2e.serving import served
from tests.e2e.test_tls import LIST, curl

PURPOSES = {
    "no usage": None,
    "servers": [Usage.SERVER_AUTH],
    "clients": [Usage.CLIENT_AUTH],
    "both": [Usage.SERVER_AUTH, Usage.CLIENT_AUTH],
    "mail": [Usage.EMAIL_PROTECTION],
}


class Authority:
    """An authority that states the purposes of what it issues, or not."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        authority = trustme.CA()
        self._issuer = x509.load_pem_x509_certificate(authority.cert_pem.bytes())
        key = serialization.load_pem_private_key(authority.private_key_pem.bytes(), None)
        assert isinstance(key, ec.EllipticCurvePrivateKey)
        self._key = key
        self.ca = folder / "ca.pem"
        authority.cert_pem.write_to_path(str(self.ca))

    def issue(self, name: str, purposes: list[x509.ObjectIdentifier] | None) -> tuple[Path, Path]:
        """Files with a certificate and its key."""
        key = ec.generate_private_key(ec.SECP256R1())
        now = datetime.now(UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)]))
            .issuer_name(self._issuer.subject)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=1))
            .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        )
        if purposes is not None:
            builder = builder.add_extension(x509.ExtendedKeyUsage(purposes), critical=False)
        cert, secret = self._folder / f"{name}.pem", self._folder / f"{name}.key"
        made = builder.sign(self._key, hashes.SHA256())
        cert.write_bytes(made.public_bytes(serialization.Encoding.PEM))
        secret.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        return cert, secret


@pytest.mark.parametrize("purposes", PURPOSES)
def test_a_certificate_is_for_clients_if_its_extended_key_usage_says_so(
    tmp_path: Path, purposes: str
) -> None:
    cert, _ = Authority(tmp_path).issue("x", PURPOSES[purposes])
    assert is_for_clients(cert.read_bytes()) == (purposes in ("clients", "both"))


@pytest.mark.more
@pytest.mark.attack
def test_the_servers_own_certificate_is_none_of_a_client(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    cert, key = authority.issue("server", None)
    client, client_key = authority.issue("client", [Usage.CLIENT_AUTH])
    flags = ("--tls-cert", str(cert), "--tls-key", str(key), "--tls-client-ca", str(authority.ca))
    store = ("--auth", "keys", "--admin-port", "0", "--store", f"sqlite:{tmp_path}/croupier.db")
    status = "croupier.admin.v1.AdminService/GetServerStatus"
    proto = ("--schema", "protos")
    with served(*flags, *store) as server:
        for address, method in ((server.address, LIST), (server.admin, status)):
            where = f"localhost:{address.rpartition(':')[2]}"
            for mine, refusal in (((cert, key), "extendedKeyUsage"), ((client, client_key), "key")):
                shown = ("--cacert", str(authority.ca), "--cert", str(mine[0]))
                code, text = curl(where, method, *proto, *shown, "--key", str(mine[1]))
                assert code != 0
                assert "unauthenticated" in text
                assert refusal in text
                assert ("extendedKeyUsage" in text) == (mine == (cert, key))
