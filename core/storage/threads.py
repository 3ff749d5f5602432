"""Conversations and their messages as rows: who said what in a thread, and who has it."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Connection, and_, delete, insert, or_, select, update

from core.domain import ArticleId
from core.messages import IncomingMessage, Place
from core.ports import Turn
from core.storage import tables as t
from core.storage.channel_tables import threads
from core.storage.engine import insert_missing
from core.storage.keys import storable, to_ms

FLAT_HOURS = 12
"""How far back a conversation without threads is one thread."""
_c, _m = t.conversations.c, t.messages.c


def conversation_key(connection: Connection, place: Place) -> int | None:
    """Key of the thread, None if nothing was said there yet."""
    key = connection.scalar(select(_c.key).where(_is_place(place)))
    return None if key is None else int(key)


def ensure_conversation(connection: Connection, place: Place, now: int) -> int:
    found = conversation_key(connection, place)
    if found is not None:
        return found
    row = {
        "channel": place.channel,
        "workspace": storable(place.workspace),
        "conversation": storable(place.conversation),
        "thread": storable(place.thread),
        "created_at": now,
        "updated_at": now,
    }
    insert_missing(connection, t.conversations, [row])
    return int(connection.execute(select(_c.key).where(_is_place(place))).scalar_one())


def add_message(connection: Connection, message: IncomingMessage, now: int) -> int:
    """Keep what a person wrote; the same message again changes nothing."""
    conversation = ensure_conversation(connection, message.place, now)
    row = {
        "conversation": conversation,
        "platform_id": storable(message.message_id),
        "direction": "in",
        "channel": message.place.channel,
        "author": storable(message.author.id),
        "text": storable(asked_text(message)),
        "created_at": to_ms(message.sent_at),
        "updated_at": now,
    }
    insert_missing(connection, t.messages, [row])
    return int(connection.execute(select(_m.key).where(_is_message(message))).scalar_one())


def asked_text(message: IncomingMessage) -> str:
    """What is asked: the title, where the platform has one, and the text."""
    return "\n\n".join(part for part in (message.title.strip(), message.text.strip()) if part)


def change_message(connection: Connection, message: IncomingMessage, now: int) -> None:
    """An edit changes the text, a deletion removes it, here and in answers that it led to."""
    values: dict[str, object]
    if message.change == "deleted":
        values = {"text": None, "deleted_at": now, "updated_at": now}
    else:
        values = {"text": storable(asked_text(message)), "edited_at": now, "updated_at": now}
    connection.execute(update(t.messages).where(_is_message(message)).values(values))


def message_key(connection: Connection, message: IncomingMessage) -> int | None:
    key = connection.scalar(select(_m.key).where(_is_message(message)))
    return None if key is None else int(key)


def read_history(connection: Connection, message: IncomingMessage, limit: int) -> tuple[Turn, ...]:
    """Earlier turns, oldest first, an answer with the articles it cites.

    In a shared place without threads only those of the same person, and what was answered to anybody is left
    out: it may be about something else.
    """
    conversation = conversation_key(connection, message.place)
    if conversation is None:
        return ()
    asked_at, own = to_ms(message.sent_at), message_key(connection, message)
    wanted = [_m.conversation == conversation, _m.text.is_not(None)]
    if own is not None:
        wanted.append(or_(_m.direction == "out", _m.key < own))
    if not message.place.thread:
        wanted.append(_m.created_at >= asked_at - FLAT_HOURS * 3_600_000)
        if message.place.shared:
            wanted.append(and_(_m.direction == "in", _m.author == message.author.id))
    newest = select(_m.key, _m.direction, _m.text).where(*wanted).order_by(_m.key.desc()).limit(limit)
    rows = connection.execute(newest).all()
    cited = _cited(connection, [row.key for row in rows if row.direction == "out"])
    return tuple(
        Turn("user" if row.direction == "in" else "assistant", row.text, tuple(cited.get(row.key, ())))
        for row in reversed(rows)
    )


def _cited(connection: Connection, keys: Sequence[int]) -> dict[int, list[ArticleId]]:
    """Message key of an answer -> the articles it cites, in the order of their numbers."""
    if not keys:
        return {}
    a, c = t.answers.c, t.citations.c
    query = (
        select(a.answer_message, t.articles.c.id)
        .join(t.citations, c.answer == a.key)
        .join(t.articles, t.articles.c.key == c.article)
        .where(a.answer_message.in_(keys))
        .order_by(a.key, c.ordinal)
    )
    found: dict[int, list[ArticleId]] = {}
    for message, article in connection.execute(query):
        of_answer = found.setdefault(message, [])
        if article not in of_answer:
            of_answer.append(article)
    return found


def count_replies(connection: Connection, place: Place, since: int) -> int:
    """What Kiyo answered in this thread since then."""
    conversation = conversation_key(connection, place)
    if conversation is None:
        return 0
    ours = select(_m.key).where(
        _m.conversation == conversation, _m.direction == "out", _m.created_at >= since
    )
    return len(connection.execute(ours).all())


def read_taken(connection: Connection, place: Place) -> str:
    conversation = conversation_key(connection, place)
    if conversation is None:
        return ""
    taken = connection.scalar(select(threads.c.taken_by).where(threads.c.conversation == conversation))
    return str(taken or "")


def write_taken(connection: Connection, place: Place, who: str, now: int) -> None:
    conversation = ensure_conversation(connection, place, now)
    connection.execute(delete(threads).where(threads.c.conversation == conversation))
    if who:
        row = {"conversation": conversation, "taken_by": storable(who), "taken_at": now, "updated_at": now}
        connection.execute(insert(threads).values(row))


def attach_question(connection: Connection, answer_id: str, message: IncomingMessage, now: int) -> None:
    """Let a recorded answer refer to the message that came in, so that its text stands in the database once
    and goes with it."""
    a = t.answers.c
    found = connection.execute(select(a.key, a.question_message).where(a.id == answer_id)).first()
    asked = message_key(connection, message)
    if found is None or asked is None or found.question_message == asked:
        return
    values = {"question_message": asked, "updated_at": now}
    connection.execute(update(t.answers).where(a.key == found.key).values(values))
    if found.question_message is not None:
        connection.execute(delete(t.messages).where(_m.key == found.question_message))


def attach_answer(
    connection: Connection, answer_id: str, place: Place, platform_id: str, now: int, text: str | None = None
) -> None:
    """Put an answer that has arrived into its thread. text: what was sent, if not the recorded answer."""
    conversation = ensure_conversation(connection, place, now)
    known = select(_m.key).where(_m.conversation == conversation, _m.platform_id == platform_id)
    if connection.scalar(known) is not None:
        return
    seen = {"conversation": conversation, "platform_id": storable(platform_id), "updated_at": now}
    if text is None:
        written = select(t.answers.c.answer_message).where(t.answers.c.id == answer_id).scalar_subquery()
        connection.execute(
            update(t.messages).where(_m.key == written, _m.conversation.is_(None)).values(seen)
        )
        return
    row = seen | {
        "direction": "out",
        "channel": place.channel,
        "author": "",
        "text": storable(text),
        "created_at": now,
    }
    connection.execute(insert(t.messages).values(row))


def forget_turn(connection: Connection, answer_id: str, now: int) -> None:
    """Remove the texts of a turn whose question changed or went before the answer could leave."""
    a = t.answers.c
    found = connection.execute(select(a.question_message, a.answer_message).where(a.id == answer_id)).first()
    keys = [key for key in found or () if key is not None]
    unsent = and_(_m.key.in_(keys), _m.conversation.is_(None))
    connection.execute(update(t.messages).where(unsent).values(text=None, deleted_at=now, updated_at=now))


def _is_place(place: Place) -> ColumnElement[bool]:
    return and_(
        _c.channel == place.channel,
        _c.workspace == storable(place.workspace),
        _c.conversation == storable(place.conversation),
        _c.thread == storable(place.thread),
    )


def _is_message(message: IncomingMessage) -> ColumnElement[bool]:
    """By the key of messages, in whatever thread: an edit may come without naming it."""
    place = message.place
    conversations = select(_c.key).where(
        _c.channel == place.channel,
        _c.workspace == storable(place.workspace),
        _c.conversation == storable(place.conversation),
    )
    return and_(_m.conversation.in_(conversations), _m.platform_id == storable(message.message_id))
