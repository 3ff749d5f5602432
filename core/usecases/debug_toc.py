"""What a language model would open by the table of contents alone: a tool for debugging, cached."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from core.domain import ArticleId, Section
from core.errors import AskerError
from core.ports import KnowledgeStore, TocEntry, TocReader, TraceStore
from core.rag.anchors.arbiter import check_ids
from core.rag.anchors.numbering import format_pages

RAW_CHARS = 4000


async def select_sections(
    knowledge: KnowledgeStore, traces: TraceStore, reader: TocReader, question: str, article_id: ArticleId
) -> dict[str, Any]:
    """The sections that the model selects, as plain values for JSON, with what it wrote.

    The same question, table of contents, model and wording ask no model again (`cached`).
    Raises AskerError if there is no such article or it has no headings, ProviderError when the call fails.
    """
    sections = await asyncio.to_thread(knowledge.article_sections, article_id)
    if len(sections) < 2:
        raise AskerError(f"There is no article {article_id} with headings.")
    toc = number_sections(sections)
    digest = _digest(reader.id, question, toc)
    kept = await asyncio.to_thread(traces.get_selection, digest)
    selection = kept or await _ask(traces, reader, question, toc, digest)
    by_id = {entry.id: section for entry, section in zip(toc, sections[1:], strict=True)}
    written = selection["ids"]
    checked = check_ids([str(one) for one in written] if isinstance(written, list) else [], by_id)
    return {
        "article_id": article_id,
        "question": question,
        "sections": [_section(number, by_id[number]) for number in checked.accepted],
        "rejected": list(checked.rejected),
        "reasoning": selection["reasoning"],
        "raw": selection["raw"],
        "prompt": selection["prompt"],
        "model": selection["model"],
        "usage": selection["usage"],
        "cached": kept is not None,
    }


def number_sections(sections: Sequence[Section]) -> tuple[TocEntry, ...]:
    """The table of contents as models are shown it: headings in order, from 0."""
    return tuple(
        TocEntry(str(number), section.level, section.title, format_pages(section))
        for number, section in enumerate(sections[1:])
    )


async def _ask(
    traces: TraceStore, reader: TocReader, question: str, toc: Sequence[TocEntry], digest: str
) -> Mapping[str, object]:
    said = await reader.select(question, toc)
    selection: dict[str, object] = {
        "ids": list(said.ids),
        "reasoning": said.reasoning,
        "raw": said.raw[:RAW_CHARS],
        "prompt": said.prompt,
        "model": said.model,
        "usage": asdict(said.usage),
    }
    await asyncio.to_thread(traces.save_selection, digest, selection)
    return selection


def _digest(reader: str, question: str, toc: Sequence[TocEntry]) -> str:
    rows = [[entry.id, entry.level, entry.title, entry.pages] for entry in toc]
    content = json.dumps([reader, question, rows], ensure_ascii=False)
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()


def _section(number: str, section: Section) -> dict[str, Any]:
    return {
        "id": number,
        "title": section.title,
        "breadcrumb": section.breadcrumb,
        "pages": format_pages(section),
    }
