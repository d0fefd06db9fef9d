"""Private: numbers of the tables are the same in worlds that nobody without a seat can tell apart.

Those of the store and of calls are not compared: they count sealed answers as they come, and are
for the operator alone (docs/security.md).
"""

from __future__ import annotations

import pytest
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from croupier_server import metrics
from croupier_server.games.base import PUBLIC
from croupier_server.games.registry import GAMES
from croupier_server.storage.base import Store
from croupier_server.tables.durability.tally import Tally
from croupier_server.tables.match.table import Table
from tests.privacy.operators import told
from tests.privacy.serving import Manner, Served
from tests.privacy.test_every_call import short
from tests.privacy.test_late import BY_BOTH, BY_TIME, worlds


async def table_numbers(served: Served, store: Store) -> list[str]:
    """The page, as far as it is about tables."""
    source = metrics.Source(served.shard, store, lambda: 0, lambda: 0)
    found = list(metrics._tables(source))

    class Tables(Collector):
        def collect(self) -> list[Metric]:
            return found

    registry = CollectorRegistry()
    registry.register(Tables())
    return generate_latest(registry).decode().splitlines()


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("manner", [BY_TIME, BY_BOTH])
async def test_private_metrics_of_late_tables(name: str, manner: Manner) -> None:
    two = worlds(name, 3)
    first = await told(two.first, manner, table_numbers)
    assert first == await told(two.second, manner, table_numbers)
    assert any("croupier_tables{" in line for line in first[0])


@pytest.mark.parametrize("name", GAMES)
async def test_private_metrics_of_another_deal(name: str) -> None:
    one = short(name, audience=PUBLIC)
    first = await told(one.first, Manner(), table_numbers, window_ms=400)
    assert first == await told(one.second, Manner(), table_numbers, window_ms=400)
    assert first[0] != first[-1]


async def test_a_planted_number_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Decisions of a table that is shown late count as they are answered."""

    def at_once(self: Tally, tables: list[Table]) -> dict[int, int]:
        found = dict.fromkeys(metrics.GAMES, 0)
        for table in tables:
            found[table.spec.kind] += sum(table.match.state.hands) % 1_000_003
        return found

    monkeypatch.setattr(Tally, "answered", at_once)
    two = worlds("tongits", 3)
    first = await told(two.first, BY_TIME, table_numbers)
    assert first != await told(two.second, BY_TIME, table_numbers)
