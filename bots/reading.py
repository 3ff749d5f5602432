"""The database, for commands that only read rows, and the person who looks at them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bots.people import find_principal
from core.config import Settings
from core.domain import Principal
from core.ports import AudienceId

if TYPE_CHECKING:
    from core.storage.engine import Database


@dataclass(frozen=True, slots=True)
class Reader:
    """principal: who looks. audiences: what that person may read; everyone: all there are."""

    database: Database
    principal: Principal
    audiences: Sequence[AudienceId]
    everyone: Sequence[AudienceId]


@contextmanager
def open_reader(settings: Settings, person: str | None) -> Iterator[Reader]:
    """Where the settings do not enforce readers, everybody is in every group."""
    from core.storage.engine import open_database
    from core.storage.knowledge import SqlKnowledgeStore

    database = open_database(settings.database_url)
    try:
        knowledge = SqlKnowledgeStore(database)
        principal = find_principal(settings, person)
        groups = {group for source in knowledge.sources() for group in source.readers}
        everybody = Principal(principal.id, principal.groups | groups)
        if not settings.memory.acl_enabled:
            principal = everybody
        yield Reader(
            database,
            principal,
            knowledge.readable_audiences(principal),
            knowledge.readable_audiences(everybody),
        )
    finally:
        database.close()
