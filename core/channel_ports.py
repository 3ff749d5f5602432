"""What the channels need from the database, as Protocols, and the values that pass.

All are sync; coroutines call them through `asyncio.to_thread`. Implementations live in storage.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from core.config import Settings
from core.domain import AnswerId, ArticleId, Language
from core.messages import IncomingMessage, Part, Place, Receipt, Reply
from core.people_ports import AuditLog
from core.ports import AnswerStore, Turn

Intake = Literal["queued", "duplicate", "updated", "kept", "removed", "full", "not_ours"]
"""What became of a message at the door: `updated` and `removed` before it was answered, `kept` after;
`not_ours`: not addressed, and in no thread of ours."""
Outcome = Literal["answered", "caution", "handed_over", "ignored", "noticed", "failed", "removed"]
ReviewState = Literal["waiting", "taken", "edited", "approved", "sending", "sent", "dismissed", "failed"]
OPEN_STATES: tuple[ReviewState, ...] = ("waiting", "taken", "edited", "failed")
"""Reviews on which somebody can decide; `failed`: approved, but the platform did not take it."""
FeedbackKind = Literal["helpful", "not_helpful", "wrong_source"]
PartState = Literal["waiting", "sending", "sent"]
HealthState = Literal["up", "down", "stopped"]
Scope = Literal["ask", "staff"]


@dataclass(frozen=True, slots=True)
class InboundItem:
    """A message that this worker has claimed. edits: how often it changed so far; attempt counts from 1."""

    key: int
    message: IncomingMessage
    edits: int
    worker: str
    attempt: int


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A reply to be queued. id: the same for the same reply. review_id: the draft that it came from."""

    id: str
    place: Place
    reply: Reply
    reply_to: str = ""
    review_id: str = ""


@dataclass(frozen=True, slots=True)
class NewReview:
    """A draft for a person. It is the text of the answer; asker: who is waiting for it."""

    id: str
    answer_id: AnswerId
    place: Place
    reply_to: str
    asker: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Settlement:
    """How a claimed message ends: written in one transaction, or not at all."""

    outcome: Outcome
    answer_id: AnswerId = ""
    replies: tuple[Outgoing, ...] = ()
    review: NewReview | None = None


@dataclass(frozen=True, slots=True)
class OutboxPart:
    """One message of a reply. `sending`: an earlier attempt may or may not have arrived."""

    part: Part
    ordinal: int
    state: PartState
    attempts: int = 0
    receipt_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OutboxItem:
    """A reply that this worker has claimed. parts: () until it was rendered. attempts: earlier failures."""

    key: int
    id: str
    place: Place
    reply: Reply
    reply_to: str
    parts: tuple[OutboxPart, ...]
    attempts: int
    worker: str
    review_id: str = ""


@dataclass(frozen=True, slots=True)
class Review:
    """A draft and what became of it. question, draft: "" once their text is gone. error: why sending failed.

    version: give it back when deciding, so that nobody decides on what they did not see.
    """

    id: str
    answer_id: AnswerId
    place: Place
    reply_to: str
    asker: str
    question: str
    draft: str
    edited: bool
    language: Language
    state: ReviewState
    decided_by: str
    version: int
    error: str
    created_at: datetime
    decided_at: datetime | None
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class FeedbackRow:
    """What one person thinks of one answer. article_id: the source called wrong, else None."""

    answer_id: AnswerId
    person: str
    kind: FeedbackKind
    article_id: ArticleId | None
    channel: str
    at: datetime


@dataclass(frozen=True, slots=True)
class ChannelHealth:
    """A channel in one process. since: of the state; error: the last one, "" if there was none."""

    channel: str
    worker: str
    state: HealthState
    since: datetime
    error: str
    heartbeat_at: datetime


@dataclass(frozen=True, slots=True)
class FailedReply:
    """A reply that the platform did not take, for staff."""

    id: str
    place: Place
    stage: str
    error: str
    at: datetime


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key of the HTTP channel, without the key itself. groups: what its questions may see."""

    name: str
    scopes: frozenset[Scope]
    groups: frozenset[str]
    revoked: bool
    created_at: datetime
    used_at: datetime | None


class InboxStore(Protocol):
    """What came in, each message once, for all processes on one database."""

    def take(self, message: IncomingMessage, limit: int) -> Intake:
        """Claim a new message, or apply an edit or deletion to the one that came before.

        limit: how many may wait; with more the message is claimed but not queued (`full`).
        """
        ...

    def claim_event(self, channel: str, event_id: str) -> bool:
        """True the first time; "" is always new."""
        ...

    def release_event(self, channel: str, event_id: str) -> None:
        """What it asked for failed: let it be tried again."""
        ...

    def claim_next(self, worker: str, lease_seconds: float, channels: Collection[str]) -> InboundItem | None:
        """The oldest message whose thread has no earlier one open; messages of a thread never overtake."""
        ...

    def settle(self, item: InboundItem, settlement: Settlement) -> bool:
        """End a claimed message with all that follows. False without effect if it was edited, deleted or
        claimed by another worker meanwhile; then it is taken up again as it is now."""
        ...

    def give_back(self, item: InboundItem) -> None:
        """Let it be claimed again, at once."""
        ...

    def renew(self, worker: str, lease_seconds: float) -> None:
        """The worker lives: what it claimed stays its own."""
        ...

    def history(self, message: IncomingMessage, limit: int) -> tuple[Turn, ...]:
        """Earlier turns of its thread, oldest first; only texts that still exist."""
        ...

    def taken_by(self, place: Place) -> str:
        """The person who has the thread, "" when Kiyo has it."""
        ...

    def set_taken(self, place: Place, who: str) -> None:
        """who: "" hands it back."""
        ...

    def recent_replies(self, place: Place, seconds: float) -> int:
        """Answers that were queued in this thread lately: what stops two bots."""
        ...

    def waiting(self) -> int: ...

    def last_heard(self, channel: str, limit: int) -> list[tuple[Place, str]]:
        """The places where something came last, the latest first, each with the id of its newest message."""
        ...

    def find_answer_place(self, answer_id: AnswerId) -> tuple[Place, str] | None:
        """Where an answer was asked for, with the id of the question's message."""
        ...


class OutboxStore(Protocol):
    """What goes out, in order within a thread, each part at most once confirmed."""

    def enqueue(self, outgoing: Outgoing) -> bool:
        """False if it is queued already."""
        ...

    def claim_next(self, worker: str, lease_seconds: float, channels: Collection[str]) -> OutboxItem | None:
        """The oldest reply that is due and has no earlier one open in its thread."""
        ...

    def renew(self, worker: str, lease_seconds: float) -> None:
        """The worker lives: what it claimed stays its own."""
        ...

    def save_parts(self, item: OutboxItem, parts: Sequence[Part]) -> OutboxItem: ...

    def begin_part(self, item: OutboxItem, ordinal: int) -> bool:
        """Note that it is about to be sent; False if another worker has the reply by now."""
        ...

    def confirm_part(self, item: OutboxItem, ordinal: int, receipt: Receipt) -> None: ...

    def release_part(self, item: OutboxItem, ordinal: int) -> None:
        """It certainly did not arrive."""
        ...

    def finish(self, item: OutboxItem) -> None: ...

    def retry(self, item: OutboxItem, after_seconds: float, error: str, *, counted: bool) -> None:
        """Try again later. counted: as a failure; waiting as the platform asked is none."""
        ...

    def fail(self, item: OutboxItem, error: str, told: Sequence[Outgoing] = ()) -> None:
        """Give it up. told: queued in the same transaction; not if another worker has the reply by now."""
        ...

    def find_answer(self, place: Place, message_id: str) -> AnswerId:
        """The answer that a message of ours belongs to, whichever part it is; "" if there is none."""
        ...

    def failed(self, limit: int) -> list[FailedReply]:
        """Latest first."""
        ...

    def waiting(self) -> int: ...


class ReviewStore(Protocol):
    def add(self, review: NewReview) -> bool:
        """False if the answer has a review already."""
        ...

    def get(self, review_id: str) -> Review | None: ...

    def find_by_answer(self, answer_id: AnswerId) -> Review | None: ...

    def list_reviews(self, states: Iterable[ReviewState], limit: int) -> list[Review]:
        """Oldest first."""
        ...

    def decide(
        self,
        review: Review,
        state: ReviewState,
        who: str,
        edited: str | None = None,
        send: Outgoing | None = None,
    ) -> bool:
        """Change it if nobody did since `review` was read. send: queue this reply in the same transaction;
        one that failed before goes on where it stopped."""
        ...

    def sent_parts(self, review_id: str) -> int:
        """How many messages of the reply have arrived."""
        ...

    def expire(self, now: datetime) -> list[Review]:
        """Dismiss what nobody decided on in time."""
        ...


class FeedbackStore(Protocol):
    def save(self, row: FeedbackRow) -> bool:
        """In place of what the person said before; False if there is no such answer."""
        ...

    def remove(self, answer_id: AnswerId, person: str) -> bool: ...

    def list_feedback(self, answer_id: AnswerId) -> list[FeedbackRow]: ...

    def count_by_article(self) -> dict[ArticleId, int]:
        """How many people called each article a wrong source."""
        ...


class LimitStore(Protocol):
    def count(self, scopes: Sequence[str], now: datetime) -> list[int]:
        """Count one question in each scope in this minute; returns the counts with it."""
        ...


class HealthStore(Protocol):
    def report(self, channel: str, worker: str, state: HealthState, error: str) -> None:
        """Note state and heartbeat; `since` stays while the state does, an error until the next one."""
        ...

    def beat(self, channel: str, worker: str) -> None:
        """The process lives; the state stays."""
        ...

    def list_health(self) -> list[ChannelHealth]: ...


class LeaseStore(Protocol):
    """One receiver for each channel: two pollers of one token would take each other's updates."""

    def hold(self, channel: str, worker: str, seconds: float) -> bool:
        """Have it from now on for so long; False if another worker has it."""
        ...

    def drop(self, channel: str, worker: str) -> None:
        """Let another one have it at once."""
        ...

    def holders(self) -> dict[str, str]:
        """Channel -> the worker that had it last and did not drop it."""
        ...


class ApiKeyStore(Protocol):
    def add(self, name: str, key_hash: str, scopes: Iterable[Scope], groups: Iterable[str]) -> bool:
        """False if the name is taken."""
        ...

    def list_keys(self) -> list[ApiKey]: ...

    def revoke(self, name: str) -> bool: ...

    def find(self, key_hash: str) -> ApiKey | None:
        """A key that is not revoked; notes that it was used."""
        ...


@dataclass(frozen=True, slots=True)
class Desk:
    """Everything that conversations, reviews and deliveries share; made by `core.app.open_desk`."""

    settings: Settings
    answers: AnswerStore
    inbox: InboxStore
    outbox: OutboxStore
    reviews: ReviewStore
    feedback: FeedbackStore
    limits: LimitStore
    health: HealthStore
    keys: ApiKeyStore
    log: AuditLog
    leases: LeaseStore
    now: Callable[[], datetime]
