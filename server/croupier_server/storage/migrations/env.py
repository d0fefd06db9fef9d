"""What Alembic runs: the revisions, on the connection that `migrating.upgrade` gives it.

Must not be put here: a way to run them without a connection.
"""

from __future__ import annotations

from alembic import context

from croupier_server.storage.schema import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
