"""Who asks on the command line."""

from __future__ import annotations

from core.config import Settings
from core.domain import ANONYMOUS, PUBLIC, Principal


def find_principal(settings: Settings, person: str | None) -> Principal:
    """The person with the groups of [access.people]; somebody who is not listed there is only in `public`."""
    if person is None:
        return ANONYMOUS
    groups = settings.access.people.get(person, ())
    return Principal(person, frozenset({PUBLIC, *groups}))
