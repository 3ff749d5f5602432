"""Roles."""

from __future__ import annotations

import pytest

from core.errors import RoleError
from core.usecases.people import ROLES, Person, Role, has_role, require


@pytest.mark.parametrize("needed", ROLES)
def test_a_maintainer_may_do_everything(needed: Role) -> None:
    require(Person("mina", "maintainer"), needed)


@pytest.mark.parametrize("role", ROLES)
def test_everybody_may_look(role: Role) -> None:
    require(Person("ann", role), "viewer")


@pytest.mark.parametrize(
    ("role", "needed"),
    [
        ("viewer", "reviewer"),
        ("viewer", "labeller"),
        ("viewer", "maintainer"),
        ("reviewer", "labeller"),
        ("labeller", "reviewer"),
        ("reviewer", "maintainer"),
        ("labeller", "maintainer"),
    ],
)
def test_what_a_role_does_not_include_is_refused_in_a_sentence(role: Role, needed: Role) -> None:
    assert not has_role(role, needed)
    with pytest.raises(RoleError, match=f"ann is a {role}; this needs the role {needed}."):
        require(Person("ann", role), needed)
