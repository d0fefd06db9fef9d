"""Keys: how they look, what is kept of them, and when they are good."""

from __future__ import annotations

import asyncio
import hashlib
import re
import secrets

import pytest

from croupier_server.errors import NotAllowed, Reason
from croupier_server.identity.keyring import KeyRing
from croupier_server.identity.keys import (
    HOUSE,
    RESERVED,
    NewKey,
    Scope,
    is_principal,
    key_id_of,
    new_key,
    with_implied,
)
from croupier_server.storage.base import StoredKey
from croupier_server.storage.keys import KeyStore
from croupier_server.storage.opening import open_store
from croupier_server.tables.clocks.clock import ManualClock

START = 1_700_000_000_000


class Ring:
    """A ring over a real store, and a clock that the test moves."""

    def __init__(self, store: KeyStore) -> None:
        self.store = store
        self.clock = ManualClock(START)
        self.ring = KeyRing(store, self.clock.now_ms)

    async def add(
        self,
        principal: str = "ann",
        scopes: tuple[Scope, ...] = (Scope.PLAY,),
        expires_ms: int | None = None,
    ) -> NewKey:
        made = new_key(secrets.token_bytes)
        now = self.clock.now_ms()
        await self.store.add(
            StoredKey(made.key_id, principal, frozenset(scopes), made.hash, now, expires_ms)
        )
        await self.ring.refresh()
        return made

    def fault(self, text: str) -> str:
        """What is wrong with the key *text*."""
        with pytest.raises(NotAllowed) as caught:
            self.ring.find(text)
        assert caught.value.reason is Reason.UNAUTHENTICATED
        return caught.value.message


@pytest.fixture
async def keys() -> Ring:
    """A ring over a store in memory."""
    return Ring((await open_store("memory:")).keys)


def test_a_key_is_256_random_bits_behind_a_public_id() -> None:
    made = new_key(secrets.token_bytes)
    assert re.fullmatch(r"crp_[a-z2-7]{16}_[a-z2-7]{52}", made.text)
    assert made.text.split("_")[1] == made.key_id == key_id_of(made.text)
    assert made.hash == hashlib.sha256(made.text.encode()).digest()
    assert made.text != new_key(secrets.token_bytes).text
    assert made.text not in repr(made)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "crp",
        "crp__",
        "crp_" + "a" * 16,
        f"crp_{'a' * 16}_{'a' * 51}",
        f"crp_{'A' * 16}_{'a' * 52}",
    ],
)
async def test_what_is_no_key_is_none(keys: Ring, text: str) -> None:
    assert key_id_of(text) == ""
    assert keys.fault(text) == "this server has no such key; check that it is complete"


@pytest.mark.parametrize("name", ["ann", "bot-7", "a.b@c_d", "A" * 64])
def test_names_of_principals(name: str) -> None:
    assert is_principal(name)


@pytest.mark.parametrize(
    "name", ["", "-a", "a b", "ann\n", "A" * 65, "ä", "House", "LOCAL", *sorted(RESERVED)]
)
def test_names_that_no_principal_has(name: str) -> None:
    assert not is_principal(name)


@pytest.mark.parametrize(
    ("given", "has"),
    [
        ({"play"}, {"play", "spectate"}),
        ({"host"}, {"host", "spectate"}),
        ({"spectate"}, {"spectate"}),
        ({"admin"}, {"admin"}),
        ({"play", "admin"}, {"play", "spectate", "admin"}),
    ],
)
def test_who_plays_or_hosts_may_spectate(given: set[str], has: set[str]) -> None:
    assert with_implied(frozenset(given)) == has


async def test_a_key_is_good_from_its_making_to_its_end(keys: Ring) -> None:
    made = await keys.add("ann", (Scope.HOST,), START + 60_000)
    found = keys.ring.find(made.text)
    assert found.principal == "ann"
    assert found.scopes == {"host", "spectate"}
    keys.clock.advance(59_999)
    assert keys.ring.find(made.text) is found
    keys.clock.advance(1)
    assert keys.fault(made.text) == "the key has expired"


async def test_only_the_whole_key_is_the_key(keys: Ring) -> None:
    made, other = await keys.add("ann"), await keys.add("bob")
    mixed = f"crp_{made.key_id}_{other.text.split('_')[2]}"
    last = "b" if made.text[-1] == "a" else "a"
    for text in (mixed, made.text[:-1] + last, other.text[:-1], made.text + "a", made.key_id):
        assert keys.fault(text) == "this server has no such key; check that it is complete"


async def test_a_revoked_key_says_so_to_its_holder_alone(keys: Ring) -> None:
    made = await keys.add()
    assert await keys.store.revoke(made.key_id, keys.clock.now_ms())
    keys.ring.find(made.text)  # nobody has looked yet
    await keys.ring.refresh()
    assert keys.fault(made.text) == "the key was revoked"
    assert (
        keys.fault(f"crp_{made.key_id}_{'a' * 52}")
        == "this server has no such key; check that it is complete"
    )


async def test_what_a_key_opened_ends_with_it(keys: Ring) -> None:
    revoked = await keys.add()
    expiring = await keys.add("bob", expires_ms=START + 1_000)
    lasting = await keys.add("cy")
    ended: list[str] = []
    live = [keys.ring.find(key.text) for key in (revoked, expiring, lasting)]
    with (
        live[0].ending(lambda: ended.append("revoked")),
        live[1].ending(lambda: ended.append("expired")),
        live[2].ending(lambda: ended.append("never")),
    ):
        with live[0].ending(lambda: ended.append("closed before")):
            pass
        await keys.store.revoke(revoked.key_id, START)
        await keys.ring.refresh()
        assert ended == ["revoked"]
        keys.clock.advance(1_000)
        await keys.ring.refresh()
        assert ended == ["revoked", "expired"]
    with live[0].ending(lambda: ended.append("at once")):
        assert ended[2:] == ["at once"]


async def test_the_store_is_read_when_its_version_has_changed(keys: Ring) -> None:
    made = await keys.add()
    found = keys.ring.find(made.text)
    await keys.add("bob")
    assert keys.ring.find(made.text) is found, "a key that did not change stays the same"


class Broken:
    """A store that cannot be reached."""

    async def version(self) -> int:
        raise ConnectionError

    async def all(self) -> list[StoredKey]:
        raise ConnectionError

    async def add(self, key: StoredKey) -> None:
        raise ConnectionError

    async def revoke(self, key_id: str, now_ms: int) -> bool:
        raise ConnectionError


async def test_without_its_store_what_is_known_stays_good_and_expires(
    keys: Ring, monkeypatch: pytest.MonkeyPatch
) -> None:
    lasting = await keys.add()
    expiring = await keys.add(expires_ms=START + 10)
    monkeypatch.setattr(keys.ring, "_store", Broken())
    keys.clock.advance(10)
    with pytest.raises(ConnectionError):
        await keys.ring.refresh()
    keys.ring.find(lasting.text)
    assert keys.fault(expiring.text) == "the key has expired"


async def test_a_key_of_the_servers_own_is_never_stored(keys: Ring) -> None:
    own = keys.ring.make_own(HOUSE, [Scope.PLAY], secrets.token_bytes)
    await keys.add()
    assert keys.ring.find(own.text).principal == HOUSE
    assert own.key_id not in [key.key_id for key in await keys.store.all()]


async def test_a_ring_knows_whether_anybody_has_a_key(keys: Ring) -> None:
    keys.ring.make_own(HOUSE, [Scope.PLAY], secrets.token_bytes)
    found = [keys.ring.is_empty]
    made = await keys.add()
    found.append(keys.ring.is_empty)
    await keys.store.revoke(made.key_id, START)
    await keys.ring.refresh()
    found.append(keys.ring.is_empty)
    assert found == [True, False, True]


async def test_looks_one_after_another_do_not_get_in_each_others_way(keys: Ring) -> None:
    made = await keys.add()
    await asyncio.gather(*(keys.ring.refresh() for _ in range(10)))
    assert keys.ring.find(made.text).key_id == made.key_id
