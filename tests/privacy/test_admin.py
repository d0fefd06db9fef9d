"""Private: what operators are told of tables without changing anything is the same in worlds that
nobody without a seat can tell apart."""

from __future__ import annotations

import pytest

from croupier.admin.v1 import admin_service_pb2 as pb
from croupier_server.games.base import PUBLIC
from croupier_server.games.registry import GAMES
from croupier_server.rpc.admin_service import AdminService, Operated
from croupier_server.rpc.pages import PageTokens
from croupier_server.storage.base import Store
from croupier_server.tables.caller import Caller
from croupier_server.tables.directory.directory import Directory
from tests.privacy.operators import told
from tests.privacy.serving import Manner, Served
from tests.privacy.test_every_call import short
from tests.privacy.test_late import BY_TIME, worlds

OPERATOR = Caller("operator")


async def status(served: Served, store: Store) -> list[str]:
    """Every answer of the service that only looks."""
    operated = Operated(served.shard, store, served.clock.now_ms, lambda: 0, lambda: None)
    service = AdminService(operated, PageTokens(b"key"))
    entries = pb.ListAuditEntriesRequest()
    return [
        repr(await service.get_server_status(OPERATOR, pb.GetServerStatusRequest())),
        repr(await service.list_audit_entries(OPERATOR, entries)),
    ]


@pytest.mark.parametrize("name", GAMES)
async def test_private_what_operators_see_of_tables(name: str) -> None:
    two, one = worlds(name, 5), short(name, audience=PUBLIC)
    first = await told(two.first, BY_TIME, status)
    assert first == await told(two.second, BY_TIME, status)
    assert "live_tables: 1" in first[-1][0]
    assert await told(one.first, Manner(), status) == await told(one.second, Manner(), status)


async def test_a_planted_count_of_tables_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The status tells of a hand."""

    def counted(directory: Directory) -> int:
        return sum(sum(table.match.state.hands) % 1_000_003 for table in directory)

    monkeypatch.setattr(Directory, "live", property(counted))
    two = worlds("tongits", 5)
    first = await told(two.first, BY_TIME, status)
    assert first != await told(two.second, BY_TIME, status)
