"""Who may do what on the dashboard: the refusal of what a role does not allow."""

from __future__ import annotations

from core.errors import RoleError
from core.people_ports import ROLES, Person, Role

__all__ = ["ROLES", "Person", "Role", "has_role", "require"]


def has_role(role: Role, needed: Role) -> bool:
    """Whether a role includes the needed one: a maintainer may do everything, everybody may look."""
    return Person("", role).may(needed)


def require(person: Person, needed: Role) -> None:
    """Refuse what the person's roles do not include. Raises RoleError with a sentence to show."""
    if not person.may(needed):
        roles = " and ".join(person.roles)
        raise RoleError(f"{person.name} is a {roles}; this needs the role {needed}.")
