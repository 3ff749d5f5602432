"""How a draft for a person is added and dismissed, inside a transaction that a store opens."""

from __future__ import annotations

from sqlalchemy import Connection, select, update

from core.channel_ports import OPEN_STATES, NewReview
from core.storage import tables as t
from core.storage.channel_tables import reviews
from core.storage.engine import insert_new
from core.storage.keys import storable, to_ms
from core.storage.message_json import place_to_json
from core.storage.threads import ensure_conversation

_r = reviews.c


def add_review(connection: Connection, review: NewReview, now: int) -> bool:
    """False if there is no such answer, or a draft of it already."""
    answer = connection.scalar(select(t.answers.c.key).where(t.answers.c.id == review.answer_id))
    if answer is None or connection.scalar(select(_r.key).where(_r.answer == answer)) is not None:
        return False
    row = {
        "id": review.id,
        "answer": answer,
        "conversation": ensure_conversation(connection, review.place, now),
        "place": place_to_json(review.place),
        "reply_to": storable(review.reply_to),
        "asker": storable(review.asker),
        "edited": None,
        "state": "waiting",
        "decided_by": "",
        "version": 1,
        "error": "",
        "created_at": now,
        "expires_at": to_ms(review.expires_at),
        "updated_at": now,
    }
    return insert_new(connection, reviews, row)


def dismiss_of_answer(connection: Connection, answer_id: str, now: int) -> None:
    """The question is gone: nobody has to look at the draft any more."""
    answer = select(t.answers.c.key).where(t.answers.c.id == answer_id).scalar_subquery()
    values = {
        "state": "dismissed",
        "decided_at": now,
        "edited": None,
        "version": _r.version + 1,
        "updated_at": now,
    }
    connection.execute(update(reviews).where(_r.answer == answer, _r.state.in_(OPEN_STATES)).values(values))
