"""TLS, client certificates and keys, tried with programs of others: openssl and buf curl."""

from __future__ import annotations

import asyncio
import contextlib
import json
import ssl
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import trustme

import croupier
from croupier.bots import load_bot
from croupier_server.rpc.tls import CertificateError, Certificates, Files
from tests.e2e.curl_bot import BUF
from tests.e2e.serving import COMMAND, SECONDS, clean_environment, served

INFO = "croupier.v1.SystemService/GetServerInfo"
LIST = "croupier.v1.TableService/ListTables"
CREATE = "croupier.v1.TableService/CreateTable"


class Pki:
    """An authority, and certificates of it as files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)
        self.authority = trustme.CA()
        self.ca = folder / "ca.pem"
        self.authority.cert_pem.write_to_path(str(self.ca))
        self.cert, self.key = folder / "cert.pem", folder / "key.pem"

    def issue(self, name: str) -> tuple[Path, Path]:
        """A certificate and its key under names of their own."""
        issued = self.authority.issue_cert("localhost", "127.0.0.1", name)
        cert, key = self.folder / f"{name}.pem", self.folder / f"{name}.key"
        issued.private_key_pem.write_to_path(str(key))
        cert.write_bytes(b"".join(blob.bytes() for blob in issued.cert_chain_pems))
        return cert, key

    def put(self, name: str, *, cert: bool = True, key: bool = True) -> None:
        """Lay the certificate of *name*, its key, or both where the server has its own."""
        source = self.folder / f"{name}.pem", self.folder / f"{name}.key"
        if key:
            _replace(source[1], self.key)
        if cert:
            _replace(source[0], self.cert)


def _replace(source: Path, target: Path) -> None:
    new = target.with_suffix(".new")
    new.write_bytes(source.read_bytes())
    new.rename(target)


@pytest.fixture
def pki(tmp_path: Path) -> Pki:
    """An authority, and a first certificate laid for the server."""
    found = Pki(tmp_path)
    found.issue("first")
    found.put("first")
    return found


@pytest.fixture
def store(tmp_path: Path) -> str:
    """A store of one's own."""
    return f"sqlite:{tmp_path / 'croupier.db'}"


def ran(command: Sequence[str], *, check: bool = True) -> subprocess.CompletedProcess[str]:
    """A program that has ended, with nothing to read and without settings of Croupier."""
    return subprocess.run(
        command,
        check=check,
        input="",
        capture_output=True,
        text=True,
        errors="replace",
        env=clean_environment(),
        timeout=SECONDS,
    )


def tls_flags(pki: Pki, store: str) -> tuple[str, ...]:
    return ("--tls-cert", str(pki.cert), "--tls-key", str(pki.key), "--store", store)


def new_key(store: str, name: str, *scopes: str) -> str:
    """A key, made by the command line."""
    flags = [word for scope in scopes for word in ("--scope", scope)]
    done = ran([*COMMAND[:-1], "keys", "create", name, *flags, "--store", store])
    return done.stdout.strip()


def curl(
    address: str, method: str, *flags: str, data: str = "{}", https: bool = True
) -> tuple[int, str]:
    """Status and what was printed by ``buf curl``, which asks the server what there is."""
    plain = () if https else ("--http2-prior-knowledge",)
    url = f"{'https' if https else 'http'}://{address}/{method}"
    done = ran(
        [str(BUF), "curl", "--protocol", "grpc", *plain, *flags, "--data", data, url], check=False
    )
    return done.returncode, done.stdout + done.stderr


def shown(address: str, ca: Path, *flags: str) -> str:
    """What ``openssl s_client`` says of a handshake."""
    done = ran(
        [
            "openssl",
            "s_client",
            "-connect",
            address,
            "-CAfile",
            str(ca),
            "-alpn",
            "h2",
            "-verify_return_error",
            *flags,
        ],
        check=False,
    )
    return done.stdout + done.stderr


def serial(path: Path) -> str:
    """Serial number of a certificate."""
    done = ran(["openssl", "x509", "-in", str(path), "-noout", "-serial"])
    return done.stdout.strip()


def served_serial(address: str, folder: Path) -> str:
    """Serial number of the certificate that a server shows."""
    done = ran(["openssl", "s_client", "-connect", address, "-alpn", "h2"], check=False)
    begin, end = "-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----"
    pem = folder / "seen.pem"
    pem.write_text(begin + done.stdout.partition(begin)[2].partition(end)[0] + end + "\n")
    return serial(pem)


def wait_until(holds: Callable[[], bool]) -> None:
    """Ask again and again, as somebody would who waits for a server to notice."""
    deadline = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < deadline


def test_outside_programs_speak_tls_with_the_server(pki: Pki, store: str) -> None:
    with served(*tls_flags(pki, store)) as server:
        said = shown(server.address, pki.ca)
        assert "Verify return code: 0 (ok)" in said
        assert "ALPN protocol: h2" in said
        status, text = curl(server.address, INFO, "--cacert", str(pki.ca))
        assert status == 0, text
        assert "croupier.v1" in json.loads(text)["apiVersions"]
        status, _ = curl(server.address, INFO)
        assert status != 0, "an authority that nobody told of is not trusted"
        status, _ = curl(server.address, INFO, https=False)
        assert status != 0, "nothing is served unencrypted"
        assert "ok" not in shown(server.address, pki.ca, "-no_tls1_2", "-no_tls1_3")[-40:]


@pytest.mark.more
def test_with_an_authority_for_clients_they_need_a_certificate_of_it(
    pki: Pki, store: str, tmp_path: Path
) -> None:
    mine, stranger = Pki(tmp_path / "mine"), Pki(tmp_path / "stranger")
    flags = (*tls_flags(pki, store), "--tls-client-ca", str(mine.ca))
    trust = ("--cacert", str(pki.ca))
    with served(*flags) as server:
        for authority, answered in ((mine, True), (stranger, False)):
            cert, key = authority.issue("client")
            own = ("--cert", str(cert), "--key", str(key))
            status, text = curl(server.address, INFO, *trust, *own)
            assert (status == 0) is answered, text
        status, _ = curl(server.address, INFO, *trust)
        assert status != 0, "a client without a certificate is turned away"


@pytest.mark.more
def test_certificates_are_read_again_and_a_half_written_pair_is_not(pki: Pki, store: str) -> None:
    pki.issue("second")
    with served(*tls_flags(pki, store), "--log-format", "json") as server:
        before = served_serial(server.address, pki.folder)
        assert before == serial(pki.folder / "first.pem")
        pki.put("second", cert=False)
        assert server.process.stderr is not None
        lines = (json.loads(line) for line in server.process.stderr)
        refused = next(line for line in lines if line["event"] == "certificates rejected")
        assert "does not belong to the key" in refused["error"]
        assert served_serial(server.address, pki.folder) == before
        pki.put("second", key=False)
        next(line for line in lines if line["event"] == "certificates reloaded")
        assert served_serial(server.address, pki.folder) == serial(pki.folder / "second.pem")
        assert curl(server.address, INFO, "--cacert", str(pki.ca))[0] == 0


@pytest.mark.more
def test_keys_over_tls_from_their_making_to_their_end(pki: Pki, store: str) -> None:
    key = new_key(store, "ann", "host")
    with served(*tls_flags(pki, store), "--auth", "keys") as server:
        trust = ("--cacert", str(pki.ca))
        bearer = ("--header", f"authorization: Bearer {key}")
        assert curl(server.address, LIST, *trust, *bearer)[0] == 0
        status, text = curl(server.address, LIST, *trust)
        assert (status != 0, "a key is required" in text) == (True, True)
        later = ("--header", f"authorization: Bearer {new_key(store, 'bob', 'spectate')}")
        wait_until(lambda: curl(server.address, LIST, *trust, *later)[0] == 0)
        status, text = curl(
            server.address, CREATE, *trust, *later, data='{"spec": {"game": "GAME_KIND_TRACTOR"}}'
        )
        assert "a key with the scope `host` is needed" in text
        ran([*COMMAND[:-1], "keys", "revoke", key.split("_")[1], "--store", store])
        wait_until(lambda: "the key was revoked" in curl(server.address, LIST, *trust, *bearer)[1])


@pytest.mark.more
def test_a_server_for_which_nobody_has_a_key_says_how_to_make_one(store: str) -> None:
    with served("--auth", "keys", "--store", store, "--log-format", "json") as server:
        assert server.process.stderr is not None
        lines = (json.loads(line) for line in server.process.stderr)
        do = next(line for line in lines if line["event"] == "no keys exist")["do"].split()
        assert do[0] == "croupier"
        ran([*COMMAND[:-1], *do[1:]])
        assert "NAME" in ran([*COMMAND[:-1], "keys", "list", "--store", store]).stdout


@pytest.mark.more
@pytest.mark.parametrize("with_certificate", [False, True])
def test_a_bot_plays_house_bots_over_tls_with_a_key(
    pki: Pki, store: str, with_certificate: bool
) -> None:
    flags, cert, key = (*tls_flags(pki, store), "--auth", "keys"), "", ""
    if with_certificate:
        flags = (*flags, "--tls-client-ca", str(pki.ca))
        cert, key = map(str, pki.issue("client"))

    async def play(address: str) -> croupier.Result:
        async with croupier.connect(
            address, key=api_key, ca=str(pki.ca), cert=cert, cert_key=key
        ) as client:
            made = await client.create_table(
                "tongits", options={"max_hands": 1}, seats=["open", "greedy", "greedy"], rated=True
            )
            bot = load_bot("greedy")()
            return await client.play(bot, await client.join(made.table_id, player="ann"))

    api_key = new_key(store, "ann", "play", "host")
    with served(*flags) as server:
        assert asyncio.run(play(server.address)).reason is croupier.EndReason.FINISHED


@pytest.mark.more
@pytest.mark.parametrize("command", ["server-info", "record", "watch", "admin status"])
def test_a_client_that_does_not_know_the_authority_is_told_what_to_look_at(
    pki: Pki, store: str, tmp_path: Path, command: str
) -> None:
    stranger = str(Pki(tmp_path / "stranger").ca)
    words = [*COMMAND[:-1], *command.split()]
    with served(*tls_flags(pki, store)) as server:
        for trust in ((), ("--ca", stranger)):
            done = ran([*words, "--server", server.address, *trust], check=False)
            assert done.returncode == 1
            assert "CROUPIER_CA must name the authority" in done.stderr.splitlines()[-1]
        with pytest.raises(croupier.ConnectionFailed, match="CROUPIER_CA must name the authority"):
            asyncio.run(_connect(server.address, stranger))


async def _connect(address: str, ca: str) -> None:
    async with croupier.connect(address, ca=ca):
        pass


# Starting -----------------------------------------------------------------------------------------


def refused(*arguments: str) -> str:
    """The one line with which a server does not start."""
    done = ran([*COMMAND, "--port", "0", *arguments], check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    return done.stderr


def spoil(pki: Pki, what: str) -> tuple[Path, Path]:
    """A pair of files that no server can use."""
    match what:
        case "not there":
            return pki.folder / "nowhere.pem", pki.key
        case "no certificate":
            pki.cert.write_text("nothing of the kind\n")
        case "no key":
            pki.key.write_text("nothing of the kind\n")
        case "another key":
            return pki.cert, pki.issue("other")[1]
        case "an encrypted key":
            locked = pki.folder / "locked.key"
            ran(
                [
                    "openssl",
                    "pkey",
                    "-aes256",
                    "-passout",
                    "pass:x",
                    "-in",
                    str(pki.key),
                    "-out",
                    str(locked),
                ]
            )
            return pki.cert, locked
    return pki.cert, pki.key


@pytest.mark.parametrize(
    "what", ["not there", "no certificate", "no key", "another key", "an encrypted key"]
)
def test_certificates_that_cannot_be_used_are_told_in_one_line(pki: Pki, what: str) -> None:
    cert, key = spoil(pki, what)
    with pytest.raises(CertificateError) as caught:
        Certificates(Files(cert, key))
    line = str(caught.value)
    assert str(cert) in line or str(key) in line
    assert "\n" not in line


def presented(context: ssl.SSLContext, pki: Pki) -> bytes | None:
    """The certificate that a port with *context* shows a client."""
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    trusting = ssl.create_default_context(cafile=pki.ca)
    client = trusting.wrap_bio(to_client, to_server, server_hostname="localhost")
    server = context.wrap_bio(to_server, to_client, server_side=True)
    for side in (client, server, client, server):
        with contextlib.suppress(ssl.SSLWantReadError):
            side.do_handshake()
    return client.getpeercert(binary_form=True)


def test_the_web_port_takes_a_new_certificate_as_well(pki: Pki) -> None:
    certificates = Certificates(Files(pki.cert, pki.key))
    context = certificates.context()
    first = presented(context, pki)
    assert first is not None
    pki.issue("second")
    pki.put("second", key=False)
    certificates.refresh()
    assert presented(context, pki) == first, "it does not belong to the key"
    pki.put("second")
    certificates.refresh()
    assert presented(context, pki) not in (None, first)


@pytest.mark.more
def test_a_server_with_wrong_certificates_does_not_start(pki: Pki, store: str) -> None:
    pki.cert.write_text("nothing of the kind\n")
    assert str(pki.cert) in refused(*tls_flags(pki, store))


@pytest.mark.more
def test_beyond_loopback_keys_and_encryption_are_needed_or_leave_in_so_many_words(
    pki: Pki, store: str
) -> None:
    beyond = ("--host", "0.0.0.0")
    tls = tls_flags(pki, store)
    assert "tls_cert is not set" in refused(*beyond)
    assert "auth is none" in refused(*beyond, *tls, "--auth", "none")
    line = refused(*beyond, "--auth", "none")
    assert "auth is none" in line
    assert "tls_cert is not set" in line
    assert "--insecure-listen" in line
    for flags in ((*beyond, *tls), (*beyond, "--insecure-listen", "--store", store)):
        with served(*flags) as server:
            port = server.address.rpartition(":")[2]
            trust = ("--cacert", str(pki.ca)) if tls[0] in flags else ()
            status, text = curl(f"127.0.0.1:{port}", LIST, *trust, https=bool(trust))
            assert status != 0
            assert "a key is required" in text
