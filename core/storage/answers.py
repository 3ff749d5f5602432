"""AnswerStore: whole turns, with what was shown and what carried them."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import select

from core.domain import Answer, AnswerId
from core.ports import AudienceId
from core.storage import tables as t
from core.storage.engine import Database
from core.storage.keys import Clock, now_ms
from core.storage.recording import Recording, write_answer
from core.storage.restoring import restore_answers


class SqlAnswerStore:
    """Implements AnswerStore. excerpt_chars: the longest text kept of a statement, a line or a quote."""

    def __init__(self, database: Database, excerpt_chars: int = 240, clock: Clock = now_ms) -> None:
        self._database = database
        self._excerpt_chars = excerpt_chars
        self._clock = clock

    def record_answer(self, answer: Answer, *, example: bool = False) -> None:
        """example: marks an answer that was imported to show what the product does."""
        recording = Recording(answer, example, self._excerpt_chars, self._clock())
        with self._database.writing() as connection:
            write_answer(connection, recording)

    def get_answer(self, answer_id: AnswerId, audiences: Sequence[AudienceId] | None = None) -> Answer | None:
        """Question and answer are "" once their messages are gone; then statements keep their excerpts.

        audiences: leave out the articles that these may not read; None leaves nothing out.
        """
        with self._database.reading() as connection:
            key = connection.scalar(select(t.answers.c.key).where(t.answers.c.id == answer_id))
            return None if key is None else restore_answers(connection, [key], audiences)[0]

    def recent_answers(self, limit: int, audiences: Sequence[AudienceId] | None = None) -> list[Answer]:
        """Latest first."""
        a = t.answers.c
        query = select(a.key).order_by(a.created_at.desc(), a.key.desc()).limit(limit)
        with self._database.reading() as connection:
            return restore_answers(connection, list(connection.scalars(query)), audiences)
