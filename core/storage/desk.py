"""The stores of the channels on one database, as the use cases take them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from core.channel_ports import Desk
from core.config import Settings
from core.storage.answers import SqlAnswerStore
from core.storage.audit import SqlAuditLog
from core.storage.channel_state import SqlApiKeyStore, SqlHealthStore, SqlLimitStore
from core.storage.engine import Database
from core.storage.feedback import SqlFeedbackStore
from core.storage.inbox import SqlInboxStore
from core.storage.keys import to_ms
from core.storage.leases import SqlLeaseStore
from core.storage.outbox import SqlOutboxStore
from core.storage.reviews import SqlReviewStore


def make_desk(database: Database, settings: Settings, now: Callable[[], datetime] | None = None) -> Desk:
    """now: aware UTC; the time of day unless told otherwise."""
    tell = now or (lambda: datetime.now(UTC))

    def clock() -> int:
        return to_ms(tell())

    return Desk(
        settings=settings,
        answers=SqlAnswerStore(database, settings.evaluation.excerpt_chars),
        inbox=SqlInboxStore(database, clock),
        outbox=SqlOutboxStore(database, clock),
        reviews=SqlReviewStore(database, clock),
        feedback=SqlFeedbackStore(database, clock),
        limits=SqlLimitStore(database),
        health=SqlHealthStore(database, clock),
        keys=SqlApiKeyStore(database, clock),
        log=SqlAuditLog(database, clock),
        leases=SqlLeaseStore(database, clock),
        now=tell,
    )
