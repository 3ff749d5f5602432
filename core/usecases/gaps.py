"""What no article answers becomes a gap, and an article that answers it closes the gap.

Gaps follow support: only articles of the knowledge base close them, never an answer or a draft, and they open
again when those articles go.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, runtime_checkable

from core.contribution.gap_items import ArticleChange, GapBatch, GapText, ItemSupport, find_missing
from core.contribution.gaps import SAME_GAP
from core.domain import PUBLIC, Answer, AnswerId, ArticleId
from core.errors import KiyoError
from core.ports import AudienceId, Progress, Services, Vector, no_progress
from core.usecases.gap_support import NEAR, CheckedItem, Ground, find_supports, on_scale, read_ground

PLACED_AT_ONCE = 256
PLACED_WITH_ANSWER = 16
"""After deciding the past anew many items can wait; an answer does not wait for all of them."""
COMPARED_AT_ONCE = 1024
ARTICLES_AT_ONCE = 50

_log = logging.getLogger(__name__)


class GapStore(Protocol):
    """Keeps items, groups them and knows what supports them."""

    def note_items(
        self, answer_id: AnswerId, statements: Sequence[int], groups: Iterable[str], revision: int
    ) -> None:
        """Keep items of a recorded answer, once each. statements: see `find_missing`. groups: of whoever
        asked."""
        ...

    def groups_behind(self, audiences: Sequence[AudienceId]) -> frozenset[str]: ...

    def unplaced(self, embedder_id: str, limit: int) -> list[GapText]: ...

    def place(self, embedder_id: str, vectors: Mapping[int, Vector], threshold: float) -> None:
        """Put each item to the gap it is nearest to, from a mean cosine of `threshold` on, or open one."""
        ...

    def changes(self) -> tuple[int, list[ArticleChange]]:
        """The newest revision, and what changed since `mark_compared`."""
        ...

    def mark_compared(self, revision: int) -> None: ...

    def items_after(self, item: int, embedder_id: str, limit: int) -> GapBatch: ...

    def texts(self, items: Sequence[int]) -> dict[int, str]: ...

    def groups_of(self, audience: AudienceId) -> frozenset[str]: ...

    def replace_supports(self, found: Mapping[ArticleId, Sequence[ItemSupport]]) -> None: ...

    def drop_empty(self) -> None: ...


@runtime_checkable
class KeepsGaps(Protocol):
    """A store of answers that keeps the gaps beside them."""

    @property
    def gaps(self) -> GapStore: ...


async def note_gaps(services: Services, answer: Answer, groups: Iterable[str]) -> None:
    """Keep what a recorded answer says without support, or its question if nothing answers it.

    groups: of the person or the conversation it was given to; only who is in all of them is shown it.
    Whatever goes wrong is logged: the answer is given anyway, and what is not placed is placed the next time.
    """
    store, missing = _store(services), find_missing(answer)
    if store is None or not missing:
        return
    try:
        revision = await asyncio.to_thread(services.knowledge.revision)
        await asyncio.to_thread(store.note_items, answer.id, missing, groups, revision)
        await place_gaps(services, PLACED_WITH_ANSWER)
    except KiyoError as error:
        _log.warning("the gaps of answer %s are left for later: %s", answer.id, error)


async def note_late_gaps(services: Services, answer_id: AnswerId, audiences: Sequence[AudienceId]) -> None:
    """The same for an answer that was evaluated after it left. audiences: those of whoever asked."""
    store = _store(services)
    answer = await asyncio.to_thread(services.answers.get_answer, answer_id)
    if store is not None and answer is not None:
        await note_gaps(services, answer, await asyncio.to_thread(store.groups_behind, audiences))


async def groups_shown(services: Services, answer: Answer) -> frozenset[str]:
    """The groups that an answer of another bot is for, as far as its articles tell: all readers of those that
    not everybody may read."""
    used = {one.article_id for one in answer.exposures if one.in_prompt}
    used |= {one.article_id for one in answer.evaluation.contributions if one.statements}
    groups = {PUBLIC}
    for article_id in used:
        article = await asyncio.to_thread(services.knowledge.get_article, article_id)
        if article is not None and PUBLIC not in article.readers:
            groups |= article.readers
    return frozenset(groups)


async def place_gaps(services: Services, most: int | None = None) -> int:
    """Group the items that have no place yet, by the configured model; returns how many there were.

    most: leave the rest for the next time.
    """
    store = _store(services)
    placed = 0
    while store is not None and (most is None or placed < most):
        many = PLACED_AT_ONCE if most is None else most - placed
        waiting = await asyncio.to_thread(store.unplaced, services.embedder.id, many)
        if not waiting:
            break
        rows = await services.embedder.embed_passages([one.text for one in waiting])
        vectors = {one.item: row for one, row in zip(waiting, rows, strict=True)}
        threshold = await asyncio.to_thread(on_scale, services, SAME_GAP, rows[0])
        await asyncio.to_thread(store.place, services.embedder.id, vectors, threshold)
        placed += len(waiting)
    return placed


async def compare_gaps(services: Services, progress: Progress = no_progress) -> int:
    """Compare the gaps with the articles that came, changed or went since the last time.

    Closes what they support and opens what nothing supports any more; returns how many articles were
    compared. What fails is logged and, like an interrupted run, done again the next time. The indexes must
    be up to date.
    """
    store = _store(services)
    if store is None:
        return 0
    try:
        return await _compare_changes(services, store, progress)
    except KiyoError as error:
        _log.warning("the gaps are compared with the changed articles the next time: %s", error)
        return 0


async def _compare_changes(services: Services, store: GapStore, progress: Progress) -> int:
    await place_gaps(services)
    revision, changes = await asyncio.to_thread(store.changes)
    if changes:
        await asyncio.to_thread(store.drop_empty)
        first = await asyncio.to_thread(store.items_after, 0, services.embedder.id, 1)
        for start in range(0, len(changes) if first.items else 0, ARTICLES_AT_ONCE):
            progress(start, len(changes), "gaps")
            await _compare(services, store, changes[start : start + ARTICLES_AT_ONCE])
    await asyncio.to_thread(store.mark_compared, revision)
    return len(changes)


async def _compare(services: Services, store: GapStore, changes: Sequence[ArticleChange]) -> None:
    found: dict[ArticleId, list[ItemSupport]] = {change.article_id: [] for change in changes}
    ground = await asyncio.to_thread(read_ground, services, [one for one in changes if one.live])
    last = 0
    while ground.chunk_ids:
        batch = await asyncio.to_thread(store.items_after, last, services.embedder.id, COMPARED_AT_ONCE)
        if not batch.items:
            break
        last = batch.items[-1]
        for item in await asyncio.to_thread(_near_items, services, store, ground, batch):
            for article_id, support in await find_supports(services, item):
                found[article_id].append(support)
    await asyncio.to_thread(store.replace_supports, found)


def _near_items(services: Services, store: GapStore, ground: Ground, batch: GapBatch) -> list[CheckedItem]:
    """Those items of the batch that have chunks near them and a text to compare."""
    near = ground.near_chunks(batch, on_scale(services, NEAR, batch.vectors[0]))
    texts = store.texts([batch.items[row] for row in near])
    groups = {audience: store.groups_of(audience) for audience in {batch.audiences[row] for row in near}}
    return [
        CheckedItem(
            item=batch.items[row],
            statement=batch.statements[row],
            text=texts[batch.items[row]],
            vector=batch.vectors[row],
            groups=groups[batch.audiences[row]],
            hits=hits,
        )
        for row, hits in near.items()
        if batch.items[row] in texts
    ]


def _store(services: Services) -> GapStore | None:
    return services.answers.gaps if isinstance(services.answers, KeepsGaps) else None
