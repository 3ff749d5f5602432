"""Answers that leave before they are evaluated: the database is the queue.

Exactly one result is recorded for each, whatever workers do: a claim has a number, and only the result of the
last claim is taken.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, astuple, replace
from typing import Any

from sqlalchemy import Connection, RowMapping, and_, delete, func, insert, or_, select, update

from core.domain import AnswerId, Article, ArticleId, Candidate, Chunk, Line, Section
from core.ports import Deferral, LateOutcome, LateWarning, PendingEvaluation
from core.storage import rows
from core.storage import tables as t
from core.storage.access import ReaderSets
from core.storage.engine import hold, insert_missing
from core.storage.evaluation_tables import deferred_evaluations, deferred_spans, late_warnings
from core.storage.keys import from_ms
from core.storage.recording import RECORDING_LOCK, Recording, write_measure
from core.storage.restoring import restore_answers
from core.storage.rollup_tables import COUNTS
from core.storage.rollups import add_answer_figures, article_figures, move_article_figures

MAX_ATTEMPTS = 5
FIRST_PAUSE_MS = 60_000
"""Before a failed answer is tried again; four times as long after each further failure."""
OPEN_STATES = ("waiting", "running")
_d, _s, _w = deferred_evaluations.c, deferred_spans.c, late_warnings.c


def write_deferral(connection: Connection, answer: int, deferral: Deferral, now: int) -> None:
    """Queue an answer that was just recorded, with everything that stood in its prompt."""
    shown = {
        str(n): [[one.article.id, one.article.version] for one in group]
        for n, group in deferral.shown.items()
    }
    head = {
        "answer": answer,
        "state": "waiting",
        "gate_basis": deferral.gate_basis,
        "audiences": list(deferral.audiences),
        "shown": shown,
        "relevance": deferral.relevance,
        "attempts": 0,
        "created_at": now,
        "updated_at": now,
    }
    connection.execute(insert(deferred_evaluations), head)
    spans = [(n, one) for n, group in deferral.shown.items() for one in group]
    known = _article_keys(connection, {one.article.id for _, one in spans})
    found = [
        {
            "answer": answer,
            "ordinal": ordinal,
            "number": n,
            "article": known[one.article.id],
            "version": one.article.version,
            "span": _pack(one),
            "updated_at": now,
        }
        for ordinal, (n, one) in enumerate(spans)
        if one.article.id in known
    ]
    if found:
        connection.execute(insert(deferred_spans), found)


def claim(connection: Connection, worker: str, lease_ms: int, now: int) -> PendingEvaluation | None:
    """The oldest answer that waits, or whose worker's lease ran out; this worker has it until its lease ends.

    One that was given out MAX_ATTEMPTS times in vain has failed, and stays not judged until `retry`.
    """
    expired = and_(_d.state == "running", _d.lease_until < now)
    lost = {"state": "failed", "finished_at": now, "updated_at": now}
    lost["reason"] = f"The worker stopped before the end, {MAX_ATTEMPTS} times."
    connection.execute(update(deferred_evaluations).where(expired, _d.attempts >= MAX_ATTEMPTS).values(lost))
    paused = and_(_d.lease_until.is_not(None), _d.lease_until >= now)
    free = or_(and_(_d.state == "waiting", ~paused), expired)
    query = select(deferred_evaluations).where(free).order_by(_d.answer).limit(1)
    head = connection.execute(query.with_for_update(skip_locked=True)).mappings().first()
    if head is None:
        return None
    lease = {"state": "running", "worker": worker, "lease_until": now + lease_ms, "updated_at": now}
    mine = update(deferred_evaluations).where(_d.answer == head["answer"])
    connection.execute(mine.values(lease | {"attempts": head["attempts"] + 1}))
    return _restore(connection, head, worker)


def finish(
    connection: Connection, pending: PendingEvaluation, outcome: LateOutcome, excerpt_chars: int, now: int
) -> bool:
    """Record the evaluation of a claimed answer, and the warning if it would not have left like that.

    False without effect if the claim was lost: another worker has it, or has recorded its result.
    """
    hold(connection, RECORDING_LOCK)
    key = _owned(connection, pending)
    if key is None:
        return False
    evaluation = outcome.evaluation
    answer = replace(restore_answers(connection, [key], None)[0], evaluation=evaluation)
    recording = Recording(answer, False, excerpt_chars, now)
    before = article_figures(connection, key, key)
    connection.execute(delete(t.contributions).where(t.contributions.c.answer == key))
    write_measure(connection, recording, key)
    move_article_figures(connection, before, article_figures(connection, key, key), now)
    measured = {
        "statements": len(evaluation.statements),
        "judged": recording.judged,
        "carried": recording.carried,
    }
    values = measured | {"evaluator": evaluation.evaluator, "confidence": outcome.confidence}
    connection.execute(update(t.answers).where(t.answers.c.key == key).values(values | {"updated_at": now}))
    counts: dict[str, object] = {**dict.fromkeys(COUNTS, 0), **measured, "cost_usd": 0.0}
    counts |= {"day": recording.day, "channel": answer.channel, "language": answer.language}
    add_answer_figures(connection, counts, now)
    if outcome.warned_gate is not None:
        warning: dict[str, object] = {
            "answer": key,
            "gate_sent": answer.gate,
            "gate_measured": outcome.warned_gate,
        }
        warning |= {"share": outcome.share, "created_at": now, "updated_at": now}
        insert_missing(connection, late_warnings, [warning])
    _end(connection, key, "done", None, now)
    return True


def fail(connection: Connection, pending: PendingEvaluation, reason: str, now: int) -> None:
    """Give a claimed answer back, to be tried after a pause, or up after too many attempts."""
    key = _owned(connection, pending)
    if key is None:
        return
    if pending.attempt >= MAX_ATTEMPTS:
        _end(connection, key, "failed", reason, now)
        return
    pause = FIRST_PAUSE_MS * 4 ** (pending.attempt - 1)
    again = {"state": "waiting", "worker": None, "lease_until": now + pause, "reason": reason}
    again |= {"updated_at": now}
    connection.execute(update(deferred_evaluations).where(_d.answer == key).values(again))


def retry(connection: Connection, now: int) -> int:
    """Let everything that failed or pauses be tried from the start; returns how many answers that are."""
    stuck = or_(_d.state == "failed", and_(_d.state == "waiting", _d.lease_until.is_not(None)))
    values = {"state": "waiting", "attempts": 0, "worker": None, "lease_until": None, "finished_at": None}
    changed = update(deferred_evaluations).where(stuck).values(values | {"updated_at": now})
    return connection.execute(changed).rowcount


def count_states(connection: Connection) -> dict[str, int]:
    """How many answers are in which state."""
    query = select(_d.state, func.count().label("answers")).group_by(_d.state)
    return {row.state: row.answers for row in connection.execute(query)}


def list_warnings(connection: Connection, limit: int, *, unseen: bool) -> list[LateWarning]:
    """Latest first."""
    query = (
        select(t.answers.c.id, late_warnings)
        .join(t.answers, t.answers.c.key == _w.answer)
        .order_by(_w.created_at.desc(), _w.answer.desc())
        .limit(limit)
    )
    if unseen:
        query = query.where(_w.seen_at.is_(None))
    return [
        LateWarning(
            answer_id=row.id,
            gate_sent=row.gate_sent,
            gate_measured=row.gate_measured,
            share=row.share,
            at=from_ms(row.created_at),
            seen_by=row.seen_by,
        )
        for row in connection.execute(query)
    ]


def mark_seen(connection: Connection, answer_ids: Sequence[AnswerId], who: str, now: int) -> int:
    """Say that a member of staff has seen these warnings; returns how many were not seen before."""
    keys = select(t.answers.c.key).where(t.answers.c.id.in_(answer_ids))
    new = update(late_warnings).where(_w.answer.in_(keys), _w.seen_at.is_(None))
    return connection.execute(new.values(seen_at=now, seen_by=who, updated_at=now)).rowcount


def _owned(connection: Connection, pending: PendingEvaluation) -> int | None:
    """The key of the answer if this claim is still the last one."""
    query = (
        select(_d.answer)
        .join(t.answers, t.answers.c.key == _d.answer)
        .where(t.answers.c.id == pending.answer_id, _d.state == "running")
        .where(_d.worker == pending.worker, _d.attempts == pending.attempt)
    )
    return connection.scalar(query.with_for_update(of=deferred_evaluations))


def _end(connection: Connection, key: int, state: str, reason: str | None, now: int) -> None:
    if state == "done":
        connection.execute(delete(deferred_spans).where(_s.answer == key))
    values = {"state": state, "reason": reason, "lease_until": None, "finished_at": now, "updated_at": now}
    connection.execute(update(deferred_evaluations).where(_d.answer == key).values(values))


# --- what was shown ----------------------------------------------------------------------------------


def _restore(connection: Connection, head: RowMapping, worker: str) -> PendingEvaluation:
    key = head["answer"]
    written = t.messages.alias("written")
    query = (
        select(t.answers.c.id, t.answers.c.found, t.answers.c.gate, written.c.text)
        .outerjoin(written, written.c.key == t.answers.c.answer_message)
        .where(t.answers.c.key == key)
    )
    answer = connection.execute(query).one()
    shown = _restore_spans(connection, key)
    kept = {n: {one.article.id for one in group} for n, group in shown.items()}
    gone = {
        int(n): tuple((one, version) for one, version in group if one not in kept.get(int(n), set()))
        for n, group in head["shown"].items()
    }
    return PendingEvaluation(
        answer_id=answer.id,
        text=answer.text,
        found=answer.found,
        gate=answer.gate,
        relevance=head["relevance"],
        shown=shown,
        gone={n: group for n, group in gone.items() if group},
        audiences=tuple(head["audiences"]),
        worker=worker,
        attempt=head["attempts"] + 1,
    )


def _restore_spans(connection: Connection, key: int) -> dict[int, tuple[Candidate, ...]]:
    query = (
        select(_s.number, _s.version, _s.span, *rows.ARTICLE)
        .join(t.articles, t.articles.c.key == _s.article)
        .where(_s.answer == key)
        .order_by(_s.ordinal)
    )
    found = connection.execute(query).all()
    readers = ReaderSets().of(connection, {row.audience for row in found})
    shown: dict[int, tuple[Candidate, ...]] = {}
    for row in found:
        article = replace(rows.to_article(row[3:], readers), version=row.version)
        shown[row.number] = (*shown.get(row.number, ()), _unpack(article, row.span))
    return shown


def _pack(candidate: Candidate) -> dict[str, Any]:
    return {
        "chunk_id": candidate.chunk_id,
        "chunk": asdict(candidate.chunk),
        "section": asdict(candidate.section),
        "lines": [astuple(line) for line in candidate.lines],
    }


def _unpack(article: Article, span: Mapping[str, Any]) -> Candidate:
    return Candidate(
        chunk_id=span["chunk_id"],
        article=article,
        chunk=Chunk(**span["chunk"]),
        section=Section(**span["section"]),
        lines=tuple(Line(*line) for line in span["lines"]),
        scores={},
        relevance=0.0,
    )


def _article_keys(connection: Connection, ids: Collection[ArticleId]) -> dict[ArticleId, int]:
    query = select(t.articles.c.id, t.articles.c.key).where(t.articles.c.id.in_(ids))
    return {row.id: row.key for row in connection.execute(query)}
