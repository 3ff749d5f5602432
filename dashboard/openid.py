"""An OpenID provider: what Streamlit is told of it, and who a person is by the claims that come back."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Mapping
from typing import Any

from streamlit.auth_util import get_cookie_with_chunks
from streamlit.web.server.server_util import get_cookie_secret
from streamlit.web.server.starlette.starlette_app_utils import decode_signed_value

from core.people_ports import ROLES, NewAccount, Role
from core.sections.dashboard import OidcSettings

USER_COOKIE = "_streamlit_user"
CALLBACK = "/oauth2callback"
LONGEST_CLAIM = 100


def provider_secrets(chosen: OidcSettings) -> dict[str, Any]:
    """The `auth` table that Streamlit otherwise reads from a file of its own; empty without a provider.

    Its cookie only lives from the provider's answer to our own session, so its secret is a new one at each
    start where none is given.
    """
    if not chosen.enabled:
        return {}
    return {
        "auth": {
            "redirect_uri": f"{chosen.public_url.rstrip('/')}{CALLBACK}",
            "cookie_secret": chosen.cookie_secret.get_secret_value() or secrets.token_urlsafe(32),
            "client_id": chosen.client_id,
            "client_secret": chosen.client_secret.get_secret_value(),
            "server_metadata_url": chosen.metadata_url,
        }
    }


def claims_in(cookies: Mapping[str, str]) -> dict[str, Any] | None:
    """The claims in the signed cookie that Streamlit sets after its callback; None if it is not from us."""
    raw = get_cookie_with_chunks(lambda name: _unsigned(name, cookies.get(name)), USER_COOKIE)
    try:
        claims = json.loads(raw) if raw else None
    except ValueError:
        return None
    return claims if isinstance(claims, dict) else None


def read_claims(chosen: OidcSettings, claims: Mapping[str, Any]) -> NewAccount | None:
    """The account that the claims describe; None without an issuer, an id or a login.

    An address that the provider has not verified is no login: anybody could claim it.
    """
    login = claims.get(chosen.login_claim)
    issuer, subject = claims.get("iss"), claims.get("sub")
    unverified = chosen.login_claim == "email" and claims.get("email_verified") is False
    if unverified or not all(isinstance(one, str) and one for one in (login, issuer, subject)):
        return None
    email = claims.get("email")
    return NewAccount(
        login=str(login)[:LONGEST_CLAIM],
        roles=_roles(chosen, _values(claims, chosen.roles_claim)),
        groups=frozenset(
            group for value in _values(claims, chosen.groups_claim) for group in chosen.groups.get(value, ())
        ),
        email=email[:LONGEST_CLAIM] if isinstance(email, str) else "",
        subject=f"{issuer}#{subject}",
    )


def _roles(chosen: OidcSettings, values: Iterable[str]) -> tuple[Role, ...]:
    named = {role for value in values for role in chosen.roles.get(value, ())}
    return tuple(role for role in ROLES if role in (named or set(chosen.default_roles)))


def _values(claims: Mapping[str, Any], claim: str) -> list[str]:
    value = claims.get(claim) if claim else None
    if isinstance(value, str):
        return [value]
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _unsigned(name: str, value: str | None) -> bytes | None:
    if value is None:
        return None
    return decode_signed_value(get_cookie_secret(), name, value.encode("latin-1", "replace"))
