"""What Alembic runs: the revisions, on the connection that `migrating.upgrade` gives it."""

from __future__ import annotations

from alembic import context

from croupier_server.storage.schema import METADATA


def run() -> None:
    """Run the revisions that are asked for."""
    context.configure(
        connection=context.config.attributes["connection"],
        target_metadata=METADATA,
        render_as_batch=True,
    )
    with context.begin_transaction():
        context.run_migrations()


if __name__ == "env_py":  # Alembic's name for it; an import as a module runs nothing
    run()
