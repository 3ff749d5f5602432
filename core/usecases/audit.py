"""The log of what people do: written with what they change, read by maintainers.

A use case that a person starts takes an `Acting`, asks it for the role, and writes inside `changing`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from core.people_ports import AuditEntry, AuditFilter, AuditLog, Person, Role
from core.usecases.people import require

Note = Callable[..., None]
"""note(action, object kind, object id, **detail)"""


@dataclass(frozen=True, slots=True)
class Acting:
    """A person who does something, and the log that keeps it."""

    person: Person
    log: AuditLog

    def require(self, needed: Role) -> None:
        """Raises RoleError for who may not."""
        require(self.person, needed)

    @contextmanager
    def changing(self) -> Iterator[Note]:
        """One transaction for all that stores write inside; what is not noted leaves no entry.

        Details are a few short values, and never a secret.
        """
        with self.log.writing() as write:

            def note(action: str, object_kind: str, object_id: str, **detail: object) -> None:
                write(self.person.name, action, object_kind, object_id, detail)

            yield note


def read_audit(log: AuditLog, person: Person, wanted: AuditFilter, limit: int = 200) -> list[AuditEntry]:
    """Entries, latest first. Raises RoleError for who is no maintainer."""
    require(person, "maintainer")
    return log.entries(wanted, limit)


def list_actions(log: AuditLog, person: Person) -> list[str]:
    """What can be asked for in `AuditFilter.action`. Raises RoleError for who is no maintainer."""
    require(person, "maintainer")
    return log.actions()
