"""Tables of the people of the dashboard, their sessions, and the log of what people do."""

from __future__ import annotations

from sqlalchemy import JSON, Boolean, Index, Integer, Text, UniqueConstraint

from core.storage.schema import NUMBERED, Big, column, key, of, table

people = table(
    "people",
    key(),
    column("login", Text),
    column("email", Text),
    column("password_hash", Text, null=True),
    column("subject", Text, null=True),
    column("roles", JSON),
    column("groups", JSON),
    column("disabled", Boolean),
    column("failures", Integer),
    column("locked_until", Big, null=True),
    column("created_at", Big),
    UniqueConstraint("login"),
    UniqueConstraint("subject"),
    **NUMBERED,
)
"""Who may sign in. password_hash: argon2id, NULL for who signs in elsewhere; subject: who they are there."""

sessions = table(
    "sessions",
    key(),
    of("person", "people.key"),
    column("token_hash", Text),
    column("created_at", Big),
    column("expires_at", Big),
    UniqueConstraint("token_hash"),
    Index(None, "person"),
    **NUMBERED,
)
"""Browsers in which somebody is signed in; the token itself is only in the browser's cookie."""

audit_log = table(
    "audit_log",
    key(),
    column("at", Big),
    column("who", Text),
    column("action", Text),
    column("object_kind", Text),
    column("object_id", Text),
    column("detail", JSON),
    Index(None, "action", "key"),
    Index(None, "who", "key"),
    **NUMBERED,
)
"""What people did, in order; rows are only added."""
