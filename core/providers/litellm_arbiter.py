"""The arbiter and the reader of tables of contents by a language model, one call each and no second try.

What they are told, and what of their answer is believed, is decided in `core.rag.anchors.arbiter`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from core.ports import ArbiterRequest, ArbiterVerdict, TocEntry, TocSelection
from core.prompts.loading import load_prompt
from core.providers.litellm_client import LitellmClient, ModelService
from core.rag.anchors.arbiter import (
    build_arbiter_messages,
    build_toc_messages,
    parse_selection,
    parse_verdict,
)


class LitellmArbiter:
    """Implements Arbiter. The client must not retry: an answer that comes late is of no use."""

    def __init__(self, client: LitellmClient) -> None:
        self._client = client

    @property
    def service(self) -> ModelService:
        return self._client.service

    async def judge(self, request: ArbiterRequest) -> ArbiterVerdict:
        model = self._client.service.model
        messages = await asyncio.to_thread(build_arbiter_messages, request, model)
        completion = await self._client.complete(messages)
        parsed = parse_verdict(completion.text)
        return ArbiterVerdict(
            rankings=parsed.rankings,
            not_found=parsed.not_found,
            confidence=parsed.confidence,
            raw=completion.text,
            prompt=load_prompt("arbiter", model).id,
            model=model,
            usage=completion.usage,
            problem=parsed.problem,
            caveats=parsed.caveats,
        )


class LitellmTocReader:
    """Implements TocReader."""

    def __init__(self, client: LitellmClient) -> None:
        self._client = client

    @property
    def id(self) -> str:
        model = self._client.service.model
        return f"{model}:{load_prompt('toc', model).id}"

    async def select(self, question: str, toc: Sequence[TocEntry]) -> TocSelection:
        model = self._client.service.model
        completion = await self._client.complete(build_toc_messages(question, toc, model))
        ids, reasoning = parse_selection(completion.text)
        return TocSelection(
            ids=ids,
            reasoning=reasoning,
            raw=completion.text,
            prompt=load_prompt("toc", model).id,
            model=model,
            usage=completion.usage,
        )
