"""Credentials: where they come from, and that a key is shown to nobody by accident."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import croupier
from croupier.credentials import VARIABLES, Credentials, read_key, without_credentials
from croupier_server.identity.keys import Scope
from tests.rpc.keyed import Keyed, keyed

KEY = "crp_" + "a" * 16 + "_" + "b" * 52


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
async def live() -> AsyncIterator[Keyed]:
    """A server that asks for keys."""
    async with keyed() as found:
        yield found


def test_nothing_is_shown_unless_something_is_said() -> None:
    assert Credentials.from_environment({}) == Credentials()
    assert not Credentials().is_encrypted


def test_the_environment_says_it_all(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text(f"{KEY}\n")
    found = Credentials.from_environment(
        {
            "CROUPIER_KEY_FILE": str(file),
            "CROUPIER_CA": "ca.pem",
            "CROUPIER_CERT": "cert.pem",
            "CROUPIER_CERT_KEY": "cert.key",
            "CROUPIER_TLS": "1",
        }
    )
    assert found == Credentials(KEY, True, "ca.pem", "cert.pem", "cert.key")
    assert Credentials.from_environment({"CROUPIER_KEY": f" {KEY} "}).key == KEY
    assert found.but(key="other", ca="").ca == ""
    assert found.but(key="other").cert == "cert.pem"


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({"CROUPIER_KEY": KEY, "CROUPIER_KEY_FILE": "x"}, "both set"),
        ({"CROUPIER_KEY_FILE": "/nowhere/at/all"}, "No such file"),
        ({"CROUPIER_TLS": "yes"}, "CROUPIER_TLS must be 0 or 1"),
        ({"CROUPIER_CERT": "x"}, "cert and cert_key belong together"),
        ({"CROUPIER_CA": "x", "CROUPIER_TLS": "0"}, "ca and cert need TLS"),
        ({"CROUPIER_KEY": "a\nb"}, "characters that are not allowed in a key"),
    ],
)
def test_what_cannot_be_is_said(environment: dict[str, str], words: str) -> None:
    with pytest.raises(croupier.UsageError, match=words):
        Credentials.from_environment(environment)


def test_a_file_without_a_key_is_none(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("\n")
    with pytest.raises(croupier.UsageError, match="contains no key"):
        read_key(str(file))


def test_a_key_is_in_no_text_that_somebody_may_log() -> None:
    assert KEY not in repr(Credentials(KEY))
    assert KEY not in repr(croupier.connect(key=KEY))


def test_programs_that_are_not_to_have_them_get_none() -> None:
    environment = dict.fromkeys(VARIABLES, "x") | {"CROUPIER_PORT": "1", "PATH": "p"}
    assert without_credentials(environment) == {"CROUPIER_PORT": "1", "PATH": "p"}


@pytest.mark.parametrize(
    "address", ["example.org:7421", "192.168.1.2:7421", "[2001:db8::1]:7421", "0.0.0.0:7421"]
)
async def test_a_key_goes_unencrypted_to_no_other_machine(address: str) -> None:
    with pytest.raises(croupier.UsageError, match="unencrypted"):
        Credentials(KEY).channel(address)
    with pytest.raises(croupier.UsageError, match="unencrypted"):
        Credentials(KEY).blocking_channel(address)
    for leave in (Credentials(KEY, tls=False), Credentials(KEY, tls=True), Credentials()):
        await leave.channel(address).close()


@pytest.mark.parametrize("address", ["127.0.0.1:1", "localhost:1", "[::1]:1", "unix:/run/x"])
async def test_on_this_machine_it_may(address: str) -> None:
    await Credentials(KEY).channel(address).close()


async def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(croupier.UsageError, match=r"nowhere\.pem: No such file"):
        Credentials(ca="nowhere.pem").channel("127.0.0.1:1")


async def test_a_file_that_is_no_certificate_is_named(tmp_path: Path) -> None:
    other = tmp_path / "other.pem"
    other.write_text("nothing of the kind")
    with pytest.raises(croupier.UsageError, match=r"other\.pem contains no certificate"):
        Credentials(ca=str(other)).channel("127.0.0.1:1")
    ours = Credentials(cert=str(other), cert_key=str(other))
    with pytest.raises(croupier.UsageError, match="not a certificate and its private key"):
        ours.blocking_channel("127.0.0.1:1")


async def test_a_client_calls_with_its_key(live: Keyed) -> None:
    address = live.running.app.server.address
    key = await live.key("ann", [Scope.PLAY, Scope.HOST])
    async with croupier.connect(address, key=key) as client:
        made = await client.create_table("tongits", rated=True)
        assert made.table.spec.rated
        ticket = await client.join(made.table_id, player="ann")
        with pytest.raises(croupier.Conflict, match="SEAT_TAKEN"):
            await client.join(made.table_id, player="ann")
        await client.leave(ticket)
        assert [table.table_id async for table in client.tables()] == [made.table_id]


async def test_a_client_finds_its_key_in_the_environment(
    live: Keyed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CROUPIER_KEY", await live.key("eve", [Scope.SPECTATE]))
    async with croupier.Client(live.running.app.server.address) as client:
        assert [table async for table in client.tables()] == []
        with pytest.raises(croupier.NotAllowed, match=r"PERMISSION_DENIED.*scope `host`"):
            await client.create_table("tongits")


@pytest.mark.parametrize("ends", ["expired", "revoked"])
async def test_a_key_that_is_not_good_fails_at_once(live: Keyed, ends: str) -> None:
    client = croupier.connect(live.running.app.server.address, key=await live.key("ann", ends=ends))
    with pytest.raises(croupier.NotAllowed, match=ends):
        await client.__aenter__()


async def test_without_a_key_a_client_is_told_that_it_needs_one(live: Keyed) -> None:
    async with croupier.Client(live.running.app.server.address) as client:
        with pytest.raises(croupier.NotAllowed, match="a key is required"):
            await client.create_table("tongits")


@pytest.mark.parametrize("transport", ["session", "watch"])
async def test_a_bot_whose_key_is_revoked_stops(
    live: Keyed, transport: croupier.client.Transport
) -> None:
    key = await live.key("ann", [Scope.PLAY, Scope.HOST])
    address = live.running.app.server.address

    class Revoked(croupier.Bot):
        """Loses its key when it is first asked."""

        async def decide(self, view: croupier.View, decision: croupier.Decision) -> croupier.Move:
            await live.revoke(key)
            return decision.legal[0]

    async with croupier.connect(address, key=key, transport=transport) as client:
        made = await client.create_table(
            "tongits", options={"max_hands": 1}, shared_seats=True, deal=None
        )
        tickets = [await client.join(made.table_id, player="ann") for _ in range(3)]
        with pytest.raises(croupier.NotAllowed, match="the key was revoked"):
            await _play_all(client, tickets, Revoked())


async def _play_all(
    client: croupier.Client, tickets: list[croupier.Ticket], bot: croupier.Bot
) -> None:

    plays = [asyncio.create_task(client.play(bot, ticket)) for ticket in tickets]
    try:
        for play in asyncio.as_completed(plays):
            await play
    finally:
        for task in plays:
            task.cancel()
        await asyncio.gather(*plays, return_exceptions=True)
