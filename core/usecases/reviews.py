"""Decide on drafts that did not pass the gate: approve, edit, dismiss, take over, hand back.

Whoever acts first wins. A draft is `sent` only when the platform has confirmed; until then it is `approved`
or `sending`, and `failed` when the platform refused it. Sync: the dashboard calls these directly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from core.channel_ports import OPEN_STATES, Desk, Outgoing, Review, ReviewState
from core.domain import Answer
from core.messages import Reply
from core.usecases.conversation.replies import reply_sources

DecisionState = Literal["done", "not_allowed", "too_late", "gone", "not_empty"]


@dataclass(frozen=True, slots=True)
class Actor:
    """Who decides. may_review: from `may_review` of the conversation or the role in the dashboard."""

    name: str
    may_review: bool


@dataclass(frozen=True, slots=True)
class Decision:
    """What came of an attempt. review: as it is now, None when there is none. `done` is also said when the
    same person already did the same."""

    state: DecisionState
    review: Review | None = None


def list_reviews(desk: Desk, *, closed: bool = False, limit: int = 200) -> list[Review]:
    """Drafts on which somebody can decide or that are on their way, oldest first; `closed`: the others."""
    ended: tuple[ReviewState, ...] = ("sent", "dismissed")
    return desk.reviews.list_reviews(ended if closed else (*OPEN_STATES, "approved", "sending"), limit)


def approve_review(desk: Desk, review_id: str, actor: Actor, version: int | None = None) -> Decision:
    """Queue the draft for sending. version: of the draft that was looked at; another one is `too_late`."""
    return _send(desk, review_id, actor, version, None)


def edit_review(desk: Desk, review_id: str, actor: Actor, text: str, version: int | None = None) -> Decision:
    """Keep another text for the draft; approve it afterwards."""
    if not text.strip():
        return Decision("not_empty", desk.reviews.get(review_id))
    found = _open(desk, review_id, actor, version)
    if isinstance(found, Decision):
        return found
    if desk.reviews.sent_parts(review_id):
        return Decision("too_late", found)
    return _decided(desk, found, _decide(desk, found, actor, "edited", edited=text))


def send_edited(desk: Desk, review_id: str, actor: Actor, text: str, version: int | None = None) -> Decision:
    """Queue another text in place of the draft."""
    if not text.strip():
        return Decision("not_empty", desk.reviews.get(review_id))
    return _send(desk, review_id, actor, version, text)


def dismiss_review(desk: Desk, review_id: str, actor: Actor, version: int | None = None) -> Decision:
    """Send nothing."""
    found = _open(desk, review_id, actor, version, already="dismissed")
    if isinstance(found, Decision):
        return found
    return _decided(desk, found, _decide(desk, found, actor, "dismissed"))


def take_over(desk: Desk, review_id: str, actor: Actor, version: int | None = None) -> Decision:
    """Answer in person: Kiyo is silent in the thread until it is handed back."""
    found = _open(desk, review_id, actor, version, already="taken")
    if isinstance(found, Decision):
        return found
    with desk.log.writing() as note:
        done = desk.reviews.decide(found, "taken", actor.name)
        if done:
            desk.inbox.set_taken(found.place, actor.name)
            note(actor.name, "review.taken", "review", found.id, {"version": found.version})
    return _decided(desk, found, done)


def hand_back(desk: Desk, review_id: str, actor: Actor) -> Decision:
    """Let Kiyo answer in the thread again; a draft that was taken is closed, since a person answered."""
    review = desk.reviews.get(review_id)
    if not actor.may_review:
        return Decision("not_allowed", review)
    if review is None:
        return Decision("gone")
    with desk.log.writing() as note:
        desk.inbox.set_taken(review.place, "")
        if review.state == "taken":
            desk.reviews.decide(review, "dismissed", actor.name)
        note(actor.name, "review.handed_back", "review", review.id, {"version": review.version})
    return Decision("done", desk.reviews.get(review_id))


def find_evidence(desk: Desk, review: Review) -> Answer | None:
    """The recorded answer behind a draft: citations, statements and what carried them."""
    return desk.answers.get_answer(review.answer_id)


def _send(desk: Desk, review_id: str, actor: Actor, version: int | None, text: str | None) -> Decision:
    found = _open(desk, review_id, actor, version, already="approved")
    if isinstance(found, Decision):
        return found
    if text is not None and desk.reviews.sent_parts(review_id):
        return Decision("too_late", found)
    body = found.draft if text is None else text
    if not body.strip():
        return Decision("gone", found)
    outgoing = Outgoing(
        id=f"review:{found.id}",
        place=found.place,
        reply=_reply(desk, found, body),
        reply_to=found.reply_to,
        review_id=found.id,
    )
    return _decided(desk, found, _decide(desk, found, actor, "approved", edited=text, send=outgoing))


def _reply(desk: Desk, review: Review, text: str) -> Reply:
    answer = desk.answers.get_answer(review.answer_id)
    sources = () if answer is None else reply_sources(answer, text, shares=False)
    return Reply(text=text, language=review.language, sources=sources, answer_id=review.answer_id)


def _open(
    desk: Desk, review_id: str, actor: Actor, version: int | None, already: ReviewState | None = None
) -> Review | Decision:
    """The draft if this person may decide on it now, else why not."""
    review = desk.reviews.get(review_id)
    if not actor.may_review:
        return Decision("not_allowed", review)
    if review is None:
        return Decision("gone")
    on_its_way = ("approved", "sending", "sent") if already == "approved" else (already,)
    if review.state in on_its_way and review.decided_by == actor.name:
        return Decision("done", review)
    foreign = review.state == "taken" and review.decided_by != actor.name
    seen = version is None or version == review.version
    return review if review.state in OPEN_STATES and seen and not foreign else Decision("too_late", review)


def _decide(
    desk: Desk,
    review: Review,
    actor: Actor,
    state: ReviewState,
    *,
    edited: str | None = None,
    send: Outgoing | None = None,
) -> bool:
    with desk.log.writing() as note:
        done = desk.reviews.decide(review, state, actor.name, edited, send)
        if done:
            detail = {"version": review.version, "changed": edited is not None}
            note(actor.name, f"review.{state}", "review", review.id, detail)
    return done


def _decided(desk: Desk, review: Review, done: bool) -> Decision:
    return Decision("done" if done else "too_late", desk.reviews.get(review.id))
