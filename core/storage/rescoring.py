"""PastStore: deciding recorded answers anew, block by block, from what is stored of them.

A block is one transaction, with the gaps that its verdicts open and close, so a run can be stopped anywhere
and taken up again, and two processes share it. The figures of days follow at once; their running totals,
which charts of a period read, at its end.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, RowMapping, bindparam, func, insert, select, update

from core.contribution.decisions import rename_evaluator
from core.contribution.redeciding import NewRules
from core.errors import StoreError
from core.storage import tables as t
from core.storage.engine import Database, execute_many, hold
from core.storage.evaluation_tables import rethreshold_runs
from core.storage.keys import Clock, now_ms
from core.storage.recording import RECORDING_LOCK
from core.storage.redecided_blocks import redecide_block
from core.storage.redecided_gaps import compare_again
from core.storage.rollup_tables import FIGURES, article_days

BLOCK = 2_000
"""Answers that are decided in one transaction."""
_r, _a = rethreshold_runs.c, t.answers.c


@dataclass(frozen=True, slots=True)
class PastRun:
    """One run over the past. answers, pairs: decided so far; changed: pairs with another verdict than before.

    is_resumed: an earlier run with the same rules had not come to its end.
    """

    run: int
    answers: int
    pairs: int
    changed: int
    is_resumed: bool = False


class SqlPastStore:
    """Everything is read from and written to the tables: no text is measured and no model is asked."""

    def __init__(self, database: Database, clock: Clock = now_ms, block: int = BLOCK) -> None:
        self._database = database
        self._clock = clock
        self._block = block

    def start(self, rules: NewRules, since: int) -> PastRun:
        """Begin a run over the answers from `since` (UTC ms) on, or go on with one that had not ended."""
        now = self._clock()
        with self._database.writing() as connection:
            hold(connection, RECORDING_LOCK)
            same = select(rethreshold_runs).where(
                _r.state == "running", _r.version == rules.model.version, _r.since == since
            )
            for row in connection.execute(same).mappings():
                if row["threshold"] == rules.threshold:
                    return PastRun(row["key"], row["answers"], row["pairs"], row["changed"], is_resumed=True)
            others = update(rethreshold_runs).where(_r.state == "running")
            connection.execute(others.values(state="replaced", updated_at=now))
            counts = dict.fromkeys(("last_answer", "answers", "pairs", "changed"), 0)
            named = {"version": rules.model.version, "threshold": rules.threshold, "since": since}
            times = {"state": "running", "created_at": now, "updated_at": now}
            key = connection.execute(
                insert(rethreshold_runs).returning(_r.key), {**counts, **named, **times}
            ).scalar_one()
        return PastRun(int(key), 0, 0, 0)

    def count(self, since: int) -> int:
        """Answers from `since` (UTC ms) on."""
        with self._database.reading() as connection:
            query = select(func.count()).select_from(t.answers).where(_a.created_at >= since)
            return connection.scalar(query) or 0

    def advance(self, run: int, rules: NewRules) -> PastRun | None:
        """Decide the next block; None when none is left.

        Raises StoreError when another run took its place.
        """
        now = self._clock()
        with self._database.writing() as connection:
            hold(connection, RECORDING_LOCK)
            row = connection.execute(select(rethreshold_runs).where(_r.key == run)).mappings().one()
            if row["state"] == "replaced":
                raise StoreError("Another run with other rules was begun meanwhile; this one ends here.")
            answers = _next_answers(connection, row, self._block)
            if not answers:
                return None
            pairs, changed = redecide_block(connection, rules, answers, now)
            if _rename_evaluators(connection, rules, answers, now):
                compare_again(connection, answers, now)
            done = PastRun(run, row["answers"] + len(answers), row["pairs"] + pairs, row["changed"] + changed)
            progress = {"answers": done.answers, "pairs": done.pairs, "changed": done.changed}
            last = {"last_answer": max(answers), "updated_at": now}
            connection.execute(update(rethreshold_runs).where(_r.key == run).values(progress | last))
        return done

    def finish(self, run: int) -> None:
        """Bring the running totals up to date; doing so again changes nothing."""
        now = self._clock()
        with self._database.writing() as connection:
            hold(connection, RECORDING_LOCK)
            _add_up_days(connection, now)
            ended = {"state": "done", "finished_at": now, "updated_at": now}
            connection.execute(
                update(rethreshold_runs).where(_r.key == run, _r.state == "running").values(ended)
            )


def _next_answers(connection: Connection, run: RowMapping, limit: int) -> dict[int, RowMapping]:
    query = (
        select(
            *(_a.key, _a.day, _a.channel, _a.language, _a.judged, _a.carried, _a.evaluator),
            *(_a.found, _a.gate, _a.created_at),
        )
        .where(_a.key > run["last_answer"], _a.created_at >= run["since"])
        .order_by(_a.key)
        .limit(limit)
    )
    return {row["key"]: row for row in connection.execute(query).mappings()}


def _rename_evaluators(
    connection: Connection, rules: NewRules, answers: Mapping[int, RowMapping], now: int
) -> int:
    """Answers without a judged statement keep the name of what found nothing to judge.

    Returns how many got another name.
    """
    own = None if rules.threshold == rules.model.threshold else rules.threshold
    rows = []
    for key, row in answers.items():
        new = rename_evaluator(row["evaluator"], rules.model.version, own)
        if row["judged"] and new != row["evaluator"]:
            rows.append({"of_answer": key, "new_name": new, "new_time": now})
    execute_many(connection, _RENAME, rows)
    return len(rows)


_RENAME = (
    update(t.answers)
    .where(_a.key == bindparam("of_answer"))
    .values(evaluator=bindparam("new_name"), updated_at=bindparam("new_time"))
)


def _add_up_days(connection: Connection, now: int) -> None:
    d = article_days.c
    summed: list[Any] = [
        func.sum(d[name]).over(partition_by=d.article, order_by=d.day).label(f"{name}_sum")
        for name in FIGURES
    ]
    totals = select(d.article, d.day, *summed).subquery()
    values: dict[str, Any] = {f"{name}_total": totals.c[f"{name}_sum"] for name in FIGURES}
    connection.execute(
        update(article_days)
        .where(d.article == totals.c.article, d.day == totals.c.day)
        .values(values | {"updated_at": now})
    )
