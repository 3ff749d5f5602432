"""AnswerStore: whole turns, with what was shown and what carried them."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import select

from core.domain import Answer, AnswerId
from core.ports import AudienceId, Deferral, LateOutcome, LateWarning, PendingEvaluation
from core.storage import deferring
from core.storage import tables as t
from core.storage.engine import Database
from core.storage.gaps import SqlGapStore
from core.storage.keys import Clock, now_ms
from core.storage.recording import Recording, write_answer
from core.storage.restoring import restore_answers


class SqlAnswerStore:
    """Implements AnswerStore. excerpt_chars: the longest text kept of a statement, a line or a quote.

    gaps: what no article answers, kept beside the answers.
    """

    def __init__(self, database: Database, excerpt_chars: int = 240, clock: Clock = now_ms) -> None:
        self._database = database
        self._excerpt_chars = excerpt_chars
        self._clock = clock
        self.gaps = SqlGapStore(database, clock)

    def record_answer(self, answer: Answer, *, example: bool = False) -> None:
        """example: marks an answer that was imported to show what the product does."""
        recording = Recording(answer, example, self._excerpt_chars, self._clock())
        with self._database.writing() as connection:
            write_answer(connection, recording)

    def defer_answer(self, answer: Answer, deferral: Deferral) -> None:
        now = self._clock()
        recording = Recording(answer, False, self._excerpt_chars, now)
        with self._database.writing() as connection:
            key = write_answer(connection, recording)
            if key is not None:
                deferring.write_deferral(connection, key, deferral, now)

    def claim_evaluation(self, worker: str, lease_seconds: float) -> PendingEvaluation | None:
        with self._database.writing() as connection:
            return deferring.claim(connection, worker, int(lease_seconds * 1000), self._clock())

    def finish_evaluation(self, pending: PendingEvaluation, outcome: LateOutcome) -> bool:
        with self._database.writing() as connection:
            return deferring.finish(connection, pending, outcome, self._excerpt_chars, self._clock())

    def fail_evaluation(self, pending: PendingEvaluation, reason: str) -> None:
        with self._database.writing() as connection:
            deferring.fail(connection, pending, reason, self._clock())

    def retry_evaluations(self) -> int:
        with self._database.writing() as connection:
            return deferring.retry(connection, self._clock())

    def evaluation_states(self) -> dict[str, int]:
        with self._database.reading() as connection:
            return deferring.count_states(connection)

    def late_warnings(self, limit: int, *, unseen: bool = False) -> list[LateWarning]:
        with self._database.reading() as connection:
            return deferring.list_warnings(connection, limit, unseen=unseen)

    def mark_warnings_seen(self, answer_ids: Sequence[AnswerId], who: str) -> int:
        with self._database.writing() as connection:
            return deferring.mark_seen(connection, answer_ids, who, self._clock())

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
