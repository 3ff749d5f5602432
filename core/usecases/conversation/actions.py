"""Buttons, reactions and commands: opinions about answers, decisions on drafts, a wish for a person."""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import Literal, get_args

from core.channel_ports import Desk, FeedbackKind, NewReview
from core.domain import Answer, Language
from core.messages import IncomingAction
from core.usecases.conversation.people import find_person, may_review
from core.usecases.conversation.places import name_place
from core.usecases.conversation.replies import quote, staff_notices
from core.usecases.conversation.wording import say
from core.usecases.feedback import give_feedback, withdraw_feedback
from core.usecases.reviews import (
    Actor,
    Decision,
    approve_review,
    dismiss_review,
    hand_back,
    send_edited,
    take_over,
)

ReviewAction = Literal["approve", "edit", "dismiss", "take_over", "hand_back"]


def handle_action(desk: Desk, action: IncomingAction) -> str:
    """Do what a person asked for, once, and return a sentence for them. Sync.

    The button says what is wanted and never who may: that is looked up for the person who pressed it.
    """
    if not desk.inbox.claim_event(action.place.channel, action.event_id):
        return ""
    try:
        return _act(desk, action)
    except BaseException:
        desk.inbox.release_event(action.place.channel, action.event_id)
        raise


def _act(desk: Desk, action: IncomingAction) -> str:
    if action.kind in get_args(ReviewAction):
        return _decide(desk, action)
    answer_id = action.target or desk.outbox.find_answer(action.place, action.message_id)
    answer = desk.answers.get_answer(answer_id) if answer_id else None
    if action.kind == "human":
        return _ask_person(desk, action, answer)
    if answer is None:
        return say("gone", "en")
    person = find_person(desk.settings, action.place, action.author)
    if action.kind == "withdraw":
        withdraw_feedback(desk, answer.id, person)
        return say("withdrawn", answer.language)
    kind: FeedbackKind = _FEEDBACK[action.kind]
    source = int(action.value) if action.value.isascii() and action.value.isdecimal() else 0
    give_feedback(desk, answer.id, person, kind, source=source, channel=action.place.channel)
    return say("thanks", answer.language)


_FEEDBACK: dict[str, FeedbackKind] = {
    "helpful": "helpful",
    "not_helpful": "not_helpful",
    "wrong_source": "wrong_source",
}


def _decide(desk: Desk, action: IncomingAction) -> str:
    person = find_person(desk.settings, action.place, action.author)
    actor = Actor(person, may_review(desk.settings, action.place, action.author))
    if not action.target or desk.reviews.get(action.target) is None:
        return _switch_thread(desk, action, actor)
    review_id = action.target
    if action.kind == "approve":
        return _tell(action, approve_review(desk, review_id, actor))
    if action.kind == "edit":
        return _tell(action, send_edited(desk, review_id, actor, action.value))
    if action.kind == "dismiss":
        return _tell(action, dismiss_review(desk, review_id, actor))
    if action.kind == "take_over":
        return _tell(action, take_over(desk, review_id, actor))
    return _tell(action, hand_back(desk, review_id, actor))


def _switch_thread(desk: Desk, action: IncomingAction, actor: Actor) -> str:
    """Take over and hand back work in a thread without any draft, too."""
    if action.kind not in ("take_over", "hand_back") or action.target:
        return say("gone", "en")
    if not actor.may_review:
        return say("not_allowed", "en")
    desk.inbox.set_taken(action.place, actor.name if action.kind == "take_over" else "")
    return say("taken" if action.kind == "take_over" else "handed_back", "en")


def _tell(action: IncomingAction, decision: Decision) -> str:
    review = decision.review
    language: Language = review.language if review is not None else "en"
    if decision.state == "done" and review is not None:
        if action.kind == "take_over":
            return say("taken", language)
        if action.kind == "hand_back":
            return say("handed_back", language)
        return say("done", language, state=review.state)
    if decision.state == "too_late" and review is not None:
        by = f", {review.decided_by}" if review.decided_by else ""
        return say("too_late", language, state=review.state, by=by)
    if decision.state in ("not_allowed", "not_empty"):
        return say("not_allowed" if decision.state == "not_allowed" else "not_empty", language)
    return say("gone", language)


def _ask_person(desk: Desk, action: IncomingAction, answer: Answer | None) -> str:
    """Somebody wants a person: Kiyo is silent in the thread, staff is told, the answer waits for review."""
    person = find_person(desk.settings, action.place, action.author)
    desk.inbox.set_taken(action.place, "staff")
    language: Language = "en" if answer is None else answer.language
    where = action.place.name or name_place(action.place)
    text = f"{person} asks for a person in {where}."
    key = f"human:{name_place(action.place)}:{action.place.thread}:{action.event_id or action.message_id}"
    if answer is not None:
        text += f"\n\n{quote(answer.question)}\n\n{answer.text}"
        expires = desk.now() + timedelta(hours=desk.settings.reviews.expire_hours)
        review = NewReview(secrets.token_hex(8), answer.id, action.place, "", person, expires)
        desk.reviews.add(review)
    for outgoing in staff_notices(desk.settings, key, text):
        desk.outbox.enqueue(outgoing)
    return say("coming", language)
