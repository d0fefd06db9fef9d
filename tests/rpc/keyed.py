"""A server that asks for keys, keys for it, and tables with seats of different principals."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from croupier.v1 import table_service_pb2 as tables_pb
from croupier_server.identity.keys import Scope, new_key
from croupier_server.storage.base import StoredKey
from tests.rpc.calls import Caller, Metadata, build
from tests.rpc.conftest import Running, server
from tests.rpc.players import FIXED, NONCES, SHORT, TABLES, Seats, hash_of, host_of

PLAYERS = ("ann", "bob", "cy", "di")
OWN = FIXED.replace("shared_seats: true", "") + SHORT
MATCH = "spec { game: GAME_KIND_TRACTOR } " + SHORT


def bearer(text: str) -> Metadata:
    """Metadata with a key."""
    return (("authorization", f"Bearer {text}"),)


class Keyed:
    """A server that asks for keys; everybody calls it over one connection."""

    def __init__(self, running: Running) -> None:
        self.running = running
        self.texts: dict[tuple[str, frozenset[Scope]], str] = {}

    async def key(
        self,
        principal: str,
        scopes: Sequence[Scope] = (Scope.PLAY,),
        ends: str = "",
        lasts_ms: int | None = None,
    ) -> str:
        """A key of *principal*: good (for so long), ``expired`` or ``revoked``."""
        now = self.running.clock.now_ms()
        made = new_key(secrets.token_bytes)
        expires = now if ends == "expired" else None if lasts_ms is None else now + lasts_ms
        keys = self.running.app.store.keys
        await keys.add(
            StoredKey(made.key_id, principal, frozenset(scopes), made.hash, now, expires)
        )
        if ends == "revoked":
            await keys.revoke(made.key_id, now)
        await self.running.app.door.look()
        return made.text

    async def good(self, principal: str, *scopes: Scope) -> str:
        """The same good key of *principal* each time."""
        name = principal, frozenset(scopes)
        if name not in self.texts:
            self.texts[name] = await self.key(principal, scopes)
        return self.texts[name]

    async def revoke(self, text: str) -> None:
        """Revoke a key; the server has noticed when this returns."""
        await self.running.app.store.keys.revoke(text.split("_")[1], 0)
        await self.running.app.door.look()

    def caller(self, key: str) -> Caller:
        """Calls with *key*."""
        return Caller(self.running.call.channel, bearer(key))

    async def player(self, name: str) -> Caller:
        """A caller that may play."""
        return self.caller(await self.good(name, Scope.PLAY))

    async def host(self, name: str = "hal") -> Caller:
        """A caller that may host."""
        return self.caller(await self.good(name, Scope.HOST))

    async def table(
        self, text: str = OWN, players: Sequence[str] = PLAYERS, *, nonces: bool = False
    ) -> Seats:
        """A table of hal's at which *players* sit, each with a key of their own."""
        host = await self.host()
        made = await host.unary(
            f"{TABLES}/CreateTable",
            build(tables_pb.CreateTableRequest, text),
            tables_pb.CreateTableResponse,
        )
        seats = Seats(host, made)
        for seat, name in enumerate(players):
            request = tables_pb.JoinTableRequest(table_id=seats.id, seat=seat)
            request.player.display_name = name
            if nonces:
                request.nonce_hash = hash_of(NONCES[seat])
            player = await self.player(name)
            joined = await player.unary(f"{TABLES}/JoinTable", request, tables_pb.JoinTableResponse)
            seats.tickets[seat] = joined.ticket
        return seats

    async def abort(self, seats: Seats) -> None:
        """Have its host stop a table."""
        await (await self.host()).unary(
            f"{TABLES}/AbortTable",
            tables_pb.AbortTableRequest(table_id=seats.id, detail="enough"),
            tables_pb.AbortTableResponse,
            host_of(seats.host),
        )


@asynccontextmanager
async def keyed(**changes: object) -> AsyncIterator[Keyed]:
    """A server that asks for keys."""
    async with server(auth="keys", **changes) as running:
        yield Keyed(running)
