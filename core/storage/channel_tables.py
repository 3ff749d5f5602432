"""Tables of the channels: what came in, what goes out, drafts that wait for a person, feedback, limits.

Questions and answers themselves stand in `messages`; what is repeated here of them is emptied as soon as
the question is answered or the answer has arrived.
"""

from __future__ import annotations

from sqlalchemy import JSON, Boolean, Column, Index, Integer, PrimaryKeyConstraint, Text, UniqueConstraint

from core.storage.schema import NUMBERED, Big, column, key, of, table

inbound = table(
    "inbound",
    key(),
    column("channel", Text),
    column("workspace", Text),
    column("conversation", Text),
    column("message_id", Text),
    column("lane", Text),
    column("state", Text),
    column("outcome", Text),
    column("payload", JSON(none_as_null=True), null=True),
    column("edits", Integer),
    column("answer", Text),
    column("attempts", Integer),
    column("worker", Text, null=True),
    column("lease_until", Big, null=True),
    column("created_at", Big),
    UniqueConstraint("channel", "workspace", "conversation", "message_id"),
    Index("ix_inbound_state", "state", "key"),
    Index("ix_inbound_lane", "lane", "state", "key"),
    **NUMBERED,
)
"""Every message that came, once. lane: place and thread, worked off in order. `payload` is the message while
it waits."""

inbound_events = table(
    "inbound_events",
    column("channel", Text),
    column("event_id", Text),
    column("created_at", Big),
    PrimaryKeyConstraint("channel", "event_id"),
    Index(None, "created_at"),
)
"""Ids of buttons and reactions that came, so that each counts once."""

threads = table(
    "threads",
    Column("conversation", Big, primary_key=True, autoincrement=False),
    column("taken_by", Text),
    column("taken_at", Big),
)
"""Conversations (`conversations.key`) that a person has taken over; Kiyo is silent there."""

reviews = table(
    "reviews",
    key(),
    column("id", Text),
    of("answer", "answers.key"),
    of("conversation", "conversations.key", cascade=False),
    column("place", JSON),
    column("reply_to", Text),
    column("asker", Text),
    column("edited", Text, null=True),
    column("state", Text),
    column("decided_by", Text),
    column("version", Integer),
    column("error", Text),
    column("created_at", Big),
    column("decided_at", Big, null=True),
    column("expires_at", Big),
    UniqueConstraint("id"),
    UniqueConstraint("answer"),
    Index("ix_reviews_state", "state", "key"),
    **NUMBERED,
)
"""Drafts for a person. The draft is the text of the answer; `edited` is what a person made of it. version:
raised by every change, so that whoever acts on an old state is told."""

outbox = table(
    "outbox",
    key(),
    column("id", Text),
    column("channel", Text),
    column("lane", Text),
    column("place", JSON),
    column("reply_to", Text),
    column("reply", JSON(none_as_null=True), null=True),
    column("state", Text),
    column("stage", Text),
    column("answer", Text),
    of("review", "reviews.key", null=True),
    column("attempts", Integer),
    column("next_at", Big),
    column("worker", Text, null=True),
    column("lease_until", Big, null=True),
    column("error", Text),
    column("created_at", Big),
    column("sent_at", Big, null=True),
    UniqueConstraint("id"),
    Index("ix_outbox_state", "state", "channel", "key"),
    Index("ix_outbox_lane", "lane", "state", "key"),
    Index(None, "review"),
    **NUMBERED,
)
"""Replies on their way. id: the same for the same reply, so that it is never queued twice."""

outbox_parts = table(
    "outbox_parts",
    of("outbox", "outbox.key"),
    column("ordinal", Integer),
    column("body", JSON(none_as_null=True), null=True),
    column("text", Text, null=True),
    column("state", Text),
    column("attempts", Integer),
    column("receipt_ids", JSON),
    PrimaryKeyConstraint("outbox", "ordinal"),
)
"""The messages of a reply as the platform takes them. state: waiting, sending (unknown whether it arrived
when the process ended meanwhile), sent."""

feedback = table(
    "feedback",
    of("answer", "answers.key"),
    column("person", Text),
    column("kind", Text),
    of("article", "articles.key", null=True),
    column("channel", Text),
    column("created_at", Big),
    PrimaryKeyConstraint("answer", "person"),
    Index(None, "article"),
)
"""What a person thinks of an answer. article: the source that is called wrong, else NULL."""

rate_counters = table(
    "rate_counters",
    column("scope", Text),
    column("minute", Big),
    column("count", Integer),
    PrimaryKeyConstraint("scope", "minute"),
)
"""Questions by person, place and workspace in each minute, for all processes."""

channel_health = table(
    "channel_health",
    column("channel", Text),
    column("worker", Text),
    column("state", Text),
    column("since", Big),
    column("error", Text),
    column("heartbeat_at", Big),
    PrimaryKeyConstraint("channel", "worker"),
)
"""How each process's channels are: up, down or stopped."""

api_keys = table(
    "api_keys",
    key(),
    column("name", Text),
    column("hash", Text),
    column("scopes", JSON),
    column("groups", JSON),
    column("revoked", Boolean),
    column("created_at", Big),
    column("used_at", Big, null=True),
    UniqueConstraint("name"),
    UniqueConstraint("hash"),
    **NUMBERED,
)
"""Keys of the HTTP channel. hash: SHA-256 of the key, which is random and never kept itself."""
