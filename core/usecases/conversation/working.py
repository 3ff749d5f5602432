"""Work off what waits: history, answer, gate; then the reply, or a draft for a person."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta

from core.channel_ports import Desk, InboundItem, NewReview, Outgoing, Settlement
from core.domain import Answer
from core.errors import KiyoError
from core.messages import IncomingMessage
from core.ports import Channel
from core.text.language import detect_language
from core.usecases.conversation.chatter import asks_something, is_chatter
from core.usecases.conversation.gating import decide_leaving, thresholds_for
from core.usecases.conversation.people import account_name, find_person, principal_for
from core.usecases.conversation.places import name_place
from core.usecases.conversation.replies import (
    answer_reply,
    notice,
    quote,
    review_notices,
    staff_notices,
)
from core.usecases.conversation.wording import Sentence, say
from core.usecases.reply import AskRequest

HISTORY_TURNS = 8
LEASE_SECONDS = 45.0
"""Renewed by housekeeping for as long as the process lives: after a crash nobody waits longer than this."""
MAX_ATTEMPTS = 5
"""A message whose worker vanished so often is given up: it may be what ends the workers."""
IGNORED = Settlement("ignored")

_log = logging.getLogger(__name__)

Ask = Callable[[AskRequest], Awaitable[Answer]]
"""Answers a question and records the turn; here, or in the process that holds the indexes."""


@dataclass(frozen=True, slots=True)
class Conversations:
    """What working needs. channels: those of this process, by name. worker: names it among all processes."""

    desk: Desk
    ask: Ask
    channels: Mapping[str, Channel]
    worker: str


async def work_once(conversations: Conversations) -> bool:
    """Take the oldest message that waits and end it; False when there is none.

    A question that is edited or deleted meanwhile is not answered as it was: it is taken up again, or left.
    """
    desk = conversations.desk
    item = await asyncio.to_thread(
        desk.inbox.claim_next, conversations.worker, LEASE_SECONDS, list(conversations.channels)
    )
    if item is None:
        return False
    try:
        settlement = await _decide(conversations, item)
    except asyncio.CancelledError:
        await asyncio.to_thread(desk.inbox.give_back, item)
        raise
    except KiyoError as error:
        _log.warning("message %s could not be answered: %s", item.key, error)
        settlement = _failed(desk, item, str(error))
    except Exception:
        incident = secrets.token_hex(4)
        _log.exception("message %s could not be answered, incident %s", item.key, incident)
        settlement = _failed(desk, item, f"Something went wrong; the log says more ({incident}).")
    await asyncio.to_thread(desk.inbox.settle, item, settlement)
    return True


async def _decide(conversations: Conversations, item: InboundItem) -> Settlement:
    desk, message = conversations.desk, item.message
    if item.attempt > MAX_ATTEMPTS:
        return _failed(desk, item, f"Kiyo stopped {MAX_ATTEMPTS} times while working on it.")
    settled = await asyncio.to_thread(_settle_without_answer, desk, item)
    if settled is not None:
        return settled
    channel = conversations.channels[message.place.channel]
    await channel.show_progress(message.place, message.message_id)
    history = await asyncio.to_thread(desk.inbox.history, message, HISTORY_TURNS)
    request = AskRequest(
        question=_question(message),
        principal=principal_for(desk.settings, message.place, message.author),
        channel=message.place.channel,
        history=history,
        thresholds=thresholds_for(desk.settings, message.place, message.labels),
    )
    return _settle_answer(desk, item, await conversations.ask(request))


def _question(message: IncomingMessage) -> str:
    return "\n\n".join(part for part in (message.title.strip(), message.text.strip()) if part)


def _settle_without_answer(desk: Desk, item: InboundItem) -> Settlement | None:
    """Why a message is not answered; None if it is a question for Kiyo."""
    message, settings = item.message, desk.settings
    if not any(character.isalnum() for character in _question(message)):
        return IGNORED
    if not message.addressed and (message.mentions or not asks_something(message.text)):
        return IGNORED
    if message.place.shared and _questions_only(desk, message) and is_chatter(_question(message)):
        return IGNORED
    if desk.inbox.taken_by(message.place):
        return IGNORED
    breaker = settings.limits.thread_per_hour
    if breaker and desk.inbox.recent_replies(message.place, 3600) >= breaker:
        return IGNORED
    return _settle_over_limit(desk, item)


def _questions_only(desk: Desk, message: IncomingMessage) -> bool:
    section = getattr(desk.settings.channels, message.place.channel, None)
    return bool(getattr(section, "questions_only", True))


def _settle_over_limit(desk: Desk, item: InboundItem) -> Settlement | None:
    """Count the question; over a limit the person is told once a minute."""
    message, limits = item.message, desk.settings.limits
    place = message.place
    person = find_person(desk.settings, place, message.author)
    bounds = {
        f"person:{person}": limits.person_per_minute,
        f"conversation:{name_place(place)}": limits.conversation_per_minute,
        f"workspace:{place.channel}:{place.workspace}": limits.workspace_per_minute,
    }
    scopes = [scope for scope, bound in bounds.items() if bound]
    counts = desk.limits.count(scopes, desk.now())
    if all(count <= bounds[scope] for scope, count in zip(scopes, counts, strict=True)):
        return None
    if desk.limits.count([f"told:{account_name(place, message.author)}"], desk.now()) != [1]:
        return IGNORED
    return Settlement("noticed", replies=(_notice(item, "too_many"),))


def _settle_answer(desk: Desk, item: InboundItem, answer: Answer) -> Settlement:
    message, settings = item.message, desk.settings
    leaving = decide_leaving(settings, answer.gate, message.place, message.labels)
    if leaving != "hand_over":
        reply = answer_reply(settings, answer, message.place, caution=leaving == "caution")
        outgoing = Outgoing(f"answer:{item.key}", message.place, reply, message.message_id)
        return Settlement("caution" if leaving == "caution" else "answered", answer.id, (outgoing,))
    review = NewReview(
        id=secrets.token_hex(8),
        answer_id=answer.id,
        place=message.place,
        reply_to=message.message_id,
        asker=find_person(settings, message.place, message.author),
        expires_at=desk.now() + timedelta(hours=settings.reviews.expire_hours),
    )
    notices = review_notices(settings, review, answer, message)
    replies = (_notice(item, "will_look"), *notices)
    return Settlement("handed_over", answer.id, replies, review)


def _failed(desk: Desk, item: InboundItem, reason: str) -> Settlement:
    """No answer came: the person is told, and staff with the reason."""
    where = item.message.place.name or name_place(item.message.place)
    text = f"A question in {where} could not be answered: {reason}\n\n{quote(_question(item.message))}"
    replies = (_notice(item, "failed"), *staff_notices(desk.settings, f"unanswered:{item.key}", text))
    return Settlement("failed", replies=replies)


def _notice(item: InboundItem, sentence: Sentence) -> Outgoing:
    message = item.message
    language = detect_language(_question(message))
    reply = notice(say(sentence, language), language)
    return Outgoing(f"{sentence}:{item.key}:{item.edits}", message.place, reply, message.message_id)
