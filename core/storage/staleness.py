"""Contributions whose lines are gone: decided per line, not per article.

A contribution is stale when a line that carried it changed or vanished. It stays in the tables, shown as
such, and leaves the current figures; it is current again when the line comes back.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import ColumnElement, Connection, Update, and_, bindparam, exists, select, update

from core.domain import Verdict
from core.storage import tables as t
from core.storage.keys import text_hash
from core.storage.rollups import rebuild_article_figures

CARRYING: tuple[Verdict, ...] = ("supported", "uncited")
_e, _c, _s = t.line_excerpts.c, t.contributions.c, t.supports.c


def refresh_staleness(connection: Connection, article: int, lines: Iterable[str], now: int) -> None:
    """Compare the lines that carried something with those that the article has now."""
    carried = connection.execute(select(_e.line_hash, _e.gone_at).where(_e.article == article)).all()
    if not carried:
        return
    present = {text_hash(line) for line in lines}
    lost = [key for key, gone_at in carried if gone_at is None and key not in present]
    back = [key for key, gone_at in carried if gone_at is not None and key in present]
    for keys, gone_at in ((lost, now), (back, None)):
        these = [{"of_hash": key} for key in keys]
        if these:
            by_hash = and_(_e.article == article, _e.line_hash == bindparam("of_hash"))
            values = {"gone_at": gone_at, "updated_at": now}
            connection.execute(update(t.line_excerpts).where(by_hash).values(values), these)
    if lost or back:
        mark_stale(connection, _c.article == article, now)
        rebuild_article_figures(connection, now, article)


def note_lines_gone(connection: Connection, versions: Iterable[int], now: int) -> None:
    """Compare the lines of an answer that comes late with the articles as they are now.

    versions: keys of the article versions that it was measured against. Only articles that were ingested
    again since are looked at; a removed one keeps its past, a version never seen here says nothing.
    """
    outdated = connection.scalars(_OUTDATED, {"of_versions": list(versions)}).all()
    if not outdated:
        return
    for article in connection.scalars(_INGESTED_SINCE, {"of_versions": outdated}).all():
        lines = connection.scalars(select(t.lines.c.text).where(t.lines.c.article == article))
        present = {text_hash(line) for line in lines}
        known = connection.scalars(select(_e.line_hash).where(_e.article == article, _e.gone_at.is_(None)))
        lost = [{"of_hash": key} for key in known if key not in present]
        if lost:
            by_hash = and_(_e.article == article, _e.line_hash == bindparam("of_hash"))
            values = {"gone_at": now, "updated_at": now}
            connection.execute(update(t.line_excerpts).where(by_hash).values(values), lost)


def mark_stale(connection: Connection, which: ColumnElement[bool], now: int) -> None:
    """Set the mark of the contributions that `which` selects, where it is not right already."""
    connection.execute(_correct_marks(which), {"of_now": now})


def mark_answer_stale(connection: Connection, answer: int, now: int) -> None:
    """The same for the contributions to one answer."""
    connection.execute(_OF_ANSWER, {"of_answer": answer, "of_now": now})


def _correct_marks(which: ColumnElement[bool]) -> Update:
    gone = (
        select(_s.answer)
        .join(t.line_excerpts, and_(_e.article == _s.article, _e.line_hash == _s.line_hash))
        .where(_s.answer == _c.answer, _s.article == _c.article)
        .where(_s.verdict.in_(CARRYING), _e.gone_at.is_not(None))
        .correlate(t.contributions)
    )
    stale = exists(gone)
    wrong = update(t.contributions).where(which, _c.share > 0, _c.stale != stale)
    return wrong.values(stale=stale, updated_at=bindparam("of_now"))


_OF_ANSWER = _correct_marks(_c.answer == bindparam("of_answer"))
"""Built once, since it runs with every answer."""

_v, _r = t.article_versions.c, t.revisions.c
_OUTDATED = (
    select(_v.key)
    .join(t.articles, _v.article == t.articles.c.key)
    .where(_v.key.in_(bindparam("of_versions", expanding=True)), _v.version != t.articles.c.version)
    .where(t.articles.c.removed_at.is_(None))
)
_INGESTED_SINCE = (
    select(_v.article)
    .where(_v.key.in_(bindparam("of_versions", expanding=True)))
    .where(exists().where(_r.article == _v.article, _r.change == "saved", _r.updated_at == _v.created_at))
    .distinct()
)
"""Apart, since it reads all revisions and hardly any answer needs it."""
