"""Who may read an article, or all articles of a source; searching follows with the next refresh."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from core.errors import AskerError
from core.ports import KnowledgeStore
from core.usecases.audit import Acting


@dataclass(frozen=True, slots=True)
class ReadersReport:
    """target: an article's id or a source's name. readers: now, sorted. articles: how many they hold for;
    changed: how many of these had others before."""

    target: str
    readers: tuple[str, ...]
    articles: int
    changed: int


def read_readers(knowledge: KnowledgeStore, target: str) -> ReadersReport:
    """Who may read it now. Raises AskerError for neither a source nor an article."""
    source = next((s for s in knowledge.sources() if s.name == target), None)
    if source is not None:
        return ReadersReport(target, tuple(sorted(source.readers)), len(_live(knowledge, target)), 0)
    article = knowledge.get_article(target)
    if article is None:
        raise AskerError(f"There is no article and no source {target}.")
    return ReadersReport(target, tuple(sorted(article.readers)), 1, 0)


def change_readers(
    knowledge: KnowledgeStore, acting: Acting, target: str, groups: Collection[str]
) -> ReadersReport:
    """Let exactly these groups read it; a source's new articles get them, too.

    Raises AskerError for neither a source nor an article, or without a group, and RoleError for who is no
    maintainer.
    """
    acting.require("maintainer")
    wanted = frozenset(group.strip() for group in groups if group.strip())
    if not wanted:
        raise AskerError("Name at least one group with --set; `public` is everybody.")
    with acting.changing() as note:
        before = read_readers(knowledge, target)
        changed = _set_readers(knowledge, target, wanted)
        note("readers.change", "readers", target, before=before.readers, after=wanted, articles=changed)
    return replace(before, readers=tuple(sorted(wanted)), changed=changed)


def _set_readers(knowledge: KnowledgeStore, target: str, wanted: frozenset[str]) -> int:
    source = next((s for s in knowledge.sources() if s.name == target), None)
    ids = [target] if source is None else _live(knowledge, target)
    if source is not None:
        knowledge.save_source(replace(source, readers=wanted))
    changed = 0
    for article_id in ids:
        article = knowledge.get_article(article_id)
        if article is not None and article.readers != wanted:
            knowledge.set_readers(article_id, wanted)
            changed += 1
    return changed


def _live(knowledge: KnowledgeStore, source: str) -> list[str]:
    return [state.article_id for state in knowledge.file_states(source).values() if not state.removed]
