"""Who receives for a channel."""

from __future__ import annotations

from sqlalchemy import PrimaryKeyConstraint, Text

from core.storage.schema import Big, column, table

channel_leases = table(
    "channel_leases",
    column("channel", Text),
    column("worker", Text),
    column("lease_until", Big),
    PrimaryKeyConstraint("channel"),
)
"""One receiver for each token: the worker that has the lease. "" and 0 where nobody has it."""
