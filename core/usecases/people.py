"""Who may do what on the dashboard: roles, and the refusal of what a role does not allow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from core.errors import RoleError

Role = Literal["viewer", "reviewer", "labeller", "maintainer"]
ROLES: tuple[Role, ...] = get_args(Role)


@dataclass(frozen=True, slots=True)
class Person:
    """A person who works with the dashboard."""

    name: str
    role: Role


def has_role(role: Role, needed: Role) -> bool:
    """Whether a role includes the needed one: a maintainer may do everything, everybody may look."""
    return role in (needed, "maintainer") or needed == "viewer"


def require(person: Person, needed: Role) -> None:
    """Refuse what the person's role does not include. Raises RoleError with a sentence to show."""
    if not has_role(person.role, needed):
        raise RoleError(f"{person.name} is a {person.role}; this needs the role {needed}.")
