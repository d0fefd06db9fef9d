"""What PostgreSQL refuses for ever, and a writer that fails, harm nothing else."""

from __future__ import annotations

import asyncio
from functools import partial

import asyncpg
import pytest
from structlog.testing import capture_logs

from croupier_server.storage import postgres_session
from tests.storage.postgres import Cluster
from tests.storage.test_postgres import beside, opened, row

REFUSE_999 = """
ALTER TABLE log_pieces ADD CONSTRAINT no_999 CHECK (last_sequence <> 999)
"""


@pytest.mark.more
@pytest.mark.parametrize("place", [0, 1, 57, 99])
async def test_isolated_what_the_server_refuses_is_found_among_many(
    cluster: Cluster, place: int
) -> None:
    """Two of a hundred that wait: one no text of the database, one against a constraint."""
    url = await cluster.create()
    told: list[tuple[int, str]] = []
    async with opened(url) as store, beside(cluster, url) as other:
        await other.execute(REFUSE_999)
        rows = [row(1, f"t{number}") for number in range(100)]
        rows[place] = row(1, "no\0text")
        rows[70] = row(999)
        done = asyncio.Event()

        def is_done(number: int, error: Exception | None) -> None:
            told.append((number, str(error)))
            if len(told) == 100:
                done.set()

        with capture_logs() as log:
            async with other.transaction():
                await other.execute("SELECT FROM writer FOR UPDATE")
                for number, one in enumerate(rows):
                    store.log.append([one], partial(is_done, number))
                await asyncio.sleep(0)
            await done.wait()
        assert [number for number, _ in told] == list(range(100))
        assert {told[place][1], told[70][1]} == {
            "CharacterNotInRepertoireError (22021)",
            "CheckViolationError (23514)",
        }
        assert sum(error == "None" for _, error in told) == 98
        tables = [one for number, one in enumerate(rows) if number not in (place, 70)]
        assert list(await store.log.tables()) == [one.table_id for one in tables]
        assert (store.log.trouble, store.log.gone) == ("", None)
        assert [one["event"] for one in log] == ["not stored"] * 2
        assert {one["error"] for one in log} == {
            "Refused('CharacterNotInRepertoireError (22021)')",
            "Refused('CheckViolationError (23514)')",
        }


@pytest.mark.more
async def test_private_what_a_database_says_of_a_row_is_not_repeated(cluster: Cluster) -> None:
    """Its detail is the row."""
    url = await cluster.create()
    async with beside(cluster, url) as other:
        await other.execute("CREATE TABLE t (word text CHECK (word = 'x'))")
        with pytest.raises(asyncpg.PostgresError) as error:
            await other.execute("INSERT INTO t VALUES ('s3cret')")
        assert "s3cret" in str(error.value)
        assert "s3cret" not in postgres_session.plain(error.value)
        with pytest.raises(asyncpg.DataError) as refusal:
            await other.execute("INSERT INTO t VALUES ($1)", 53)
        assert "53" in str(refusal.value)
        assert "53" not in postgres_session.plain(refusal.value)
