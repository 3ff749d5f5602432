"""Alembic's entry: runs the migrations on the connection that core.storage.migrating hands over."""

from __future__ import annotations

from alembic import context

from core.storage import (  # noqa: F401 - fill the metadata
    channel_tables,
    evaluation_tables,
    gap_tables,
    lab_tables,
    label_tables,
    lease_tables,
    people_tables,
    rollup_tables,
    tables,
    trace_tables,
)
from core.storage.schema import metadata


def run_migrations() -> None:
    connection = context.config.attributes["connection"]
    context.configure(
        connection=connection,
        target_metadata=metadata,
        render_as_batch=connection.dialect.name == "sqlite",
        transactional_ddl=True,
    )
    with context.begin_transaction():
        context.run_migrations()


run_migrations()
