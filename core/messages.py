"""What passes between channels and the core: messages, actions, replies, parcels, receipts.

An adapter turns what its platform says into these, and these into what its platform takes; everything
between is the same for all channels.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from core.domain import AnswerId, Citation, Language

Change = Literal["new", "edited", "deleted"]
ActionKind = Literal[
    "helpful",
    "not_helpful",
    "wrong_source",
    "withdraw",
    "human",
    "approve",
    "edit",
    "dismiss",
    "take_over",
    "hand_back",
]
"""What a person can do about an answer or a draft; `withdraw` takes earlier feedback back."""
Stage = Literal["final", "notice", "review", "progress"]
"""Of a reply: the answer, a sentence about what happens, a draft for staff, a sign that work goes on."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where something is said. Ids are the platform's own, opaque to the core; "" where it has none.

    shared: more people than the asker and the bot can read it. name: for people, never for keys.
    """

    channel: str
    workspace: str
    conversation: str
    thread: str = ""
    shared: bool = True
    name: str = ""


@dataclass(frozen=True, slots=True)
class Author:
    """Who wrote. groups: roles and teams as the platform names them, before [access] maps them to readers.

    is_self: this bot. is_staff: may maintain or moderate the place, as far as the platform tells.
    """

    id: str
    name: str = ""
    groups: frozenset[str] = frozenset()
    is_bot: bool = False
    is_self: bool = False
    is_staff: bool = False
    email: str = ""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that came with a message. size: bytes, None when unknown."""

    name: str
    media_type: str = ""
    size: int | None = None
    url: str = ""


@dataclass(frozen=True, slots=True)
class IncomingMessage:
    """One message as it stands now. The key is (channel, workspace, conversation, message id).

    text: Markdown, without the mention of the bot that addressed it; "" where `change` is "deleted".
    addressed: the bot was mentioned, commanded, replied to, or written to directly.
    """

    place: Place
    message_id: str
    author: Author
    text: str
    sent_at: datetime
    addressed: bool
    change: Change = "new"
    reply_to: str = ""
    title: str = ""
    mentions: tuple[str, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    labels: tuple[str, ...] = ()
    kind: str = "message"
    raw: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class IncomingAction:
    """A button, a reaction or a command about an answer or a review (`target` is its id).

    event_id: of the platform, so that a delivery that comes twice counts once. value: edited text, or the
    number of the wrong source. message_id: the message that holds the button, "" where there is none.
    """

    place: Place
    event_id: str
    author: Author
    kind: ActionKind
    target: str
    value: str = ""
    message_id: str = ""


@dataclass(frozen=True, slots=True)
class Button:
    """Something a reader of a reply can do. style: "" or "danger" or "primary"."""

    kind: ActionKind
    label: str
    target: str
    style: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class ReplySource:
    """A numbered source under an answer. share: of the answer that it carried; None outside staff places."""

    n: int
    title: str
    uri: str
    where: str = ""
    share: float | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """What is said in a place. text: Markdown with `[n]` marks. caution: a sentence in front, "" for none."""

    text: str
    language: Language
    stage: Stage = "final"
    sources: tuple[ReplySource, ...] = ()
    buttons: tuple[Button, ...] = ()
    caution: str = ""
    answer_id: AnswerId = ""
    citations: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """One message that the platform takes as it is. body: JSON of the adapter's own; text: plain fallback."""

    body: Mapping[str, Any]
    text: str


@dataclass(frozen=True, slots=True)
class Parcel:
    """One part on its way out. key: the same for every attempt; an adapter hides it in the message where the
    platform allows it, and finds it again after an ambiguous failure."""

    key: str
    place: Place
    reply_to: str
    part: Part
    ordinal: int = 0
    attempt: int = 1


@dataclass(frozen=True, slots=True)
class Receipt:
    """The platform confirmed: the ids of what it made."""

    message_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a channel can do, asked by the core instead of names. look_up: a sent part can be found again."""

    edits: bool = False
    buttons: bool = False
    threads: bool = False
    typing: bool = False
    look_up: bool = False
    reactions: bool = False
    private_notes: bool = False
    direct_messages: bool = True
    max_chars: int = 4000


@dataclass(frozen=True, slots=True)
class CheckFinding:
    """One line of `kiyo doctor`: state of a token, scope, intent or webhook, and what to change."""

    name: str
    ok: bool
    message: str
