"""API keys: shown once, stored as a hash, checked without telling how far they were right."""

from __future__ import annotations

import hashlib
import secrets

from starlette.requests import Request

from core.channel_ports import ApiKey, ApiKeyStore, Scope

PREFIX = "kiyo_"


def make_key() -> str:
    """A new key with 256 random bits."""
    return f"{PREFIX}{secrets.token_urlsafe(32)}"


def hash_key(key: str) -> str:
    """A key is random, so a plain hash keeps it as well as a slow one."""
    return hashlib.sha256(key.encode()).hexdigest()


def find_key(store: ApiKeyStore, request: Request, scope: Scope) -> ApiKey | None:
    """The key of the request, if it is known and holds the scope; `staff` holds `ask`, too. Sync."""
    kind, _, given = request.headers.get("authorization", "").partition(" ")
    if kind.lower() != "bearer" or not given.startswith(PREFIX):
        return None
    key = store.find(hash_key(given.strip()))
    return key if key is not None and ({scope, "staff"} & key.scopes) else None
