"""Keys of programs that ask over HTTP: made and revoked by maintainers."""

from __future__ import annotations

from dataclasses import dataclass

from core.channel_ports import ApiKeyStore, Scope
from core.usecases.audit import Acting


@dataclass(frozen=True, slots=True)
class NewKey:
    """hash: of the key itself, which only its owner has."""

    name: str
    hash: str
    scope: Scope
    groups: frozenset[str]


def add_key(keys: ApiKeyStore, acting: Acting, new: NewKey) -> bool:
    """False if there is a key of this name. Raises RoleError for who is no maintainer."""
    acting.require("maintainer")
    with acting.changing() as note:
        made = keys.add(new.name, new.hash, [new.scope], new.groups)
        if made:
            note("api_key.add", "api_key", new.name, scope=new.scope, groups=new.groups)
    return made


def revoke_key(keys: ApiKeyStore, acting: Acting, name: str) -> bool:
    """Refuse it from now on; False if there is none. Raises RoleError for who is no maintainer."""
    acting.require("maintainer")
    with acting.changing() as note:
        done = keys.revoke(name)
        if done:
            note("api_key.revoke", "api_key", name)
    return done
