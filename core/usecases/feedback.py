"""What people think of an answer: one opinion each, changeable, taken back on request."""

from __future__ import annotations

from core.channel_ports import Desk, FeedbackKind, FeedbackRow
from core.domain import AnswerId


def give_feedback(
    desk: Desk, answer_id: AnswerId, person: str, kind: FeedbackKind, *, source: int = 0, channel: str = ""
) -> bool:
    """Keep the opinion in place of an earlier one of the same person; False if there is no such answer.

    source: for `wrong_source` the n of `[n]`; the article behind it is noted. With one source it may be 0.
    """
    article = None
    if kind == "wrong_source":
        answer = desk.answers.get_answer(answer_id)
        if answer is None:
            return False
        by_number = {citation.n: citation.article_id for citation in answer.citations}
        only = next(iter(by_number.values())) if len(set(by_number.values())) == 1 else None
        article = by_number.get(source, only)
    return desk.feedback.save(FeedbackRow(answer_id, person, kind, article, channel, desk.now()))


def withdraw_feedback(desk: Desk, answer_id: AnswerId, person: str) -> bool:
    """Forget what the person said; False if they said nothing."""
    return desk.feedback.remove(answer_id, person)
