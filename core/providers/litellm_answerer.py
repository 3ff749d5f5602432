"""Answerer, rewriter and reranker by a language model; what they are told is left to the prompts."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Sequence

from core.domain import Draft
from core.errors import ProviderOutputError
from core.ports import AnswerRequest, Turn
from core.providers.litellm_client import LitellmClient, Messages

_LONGEST_QUESTION = 1000
_NUMBERS = re.compile(r"\[[^\[\]]*\]")


class LitellmAnswerer:
    """Has the answer written by the model of `client`."""

    def __init__(
        self,
        client: LitellmClient,
        build_messages: Callable[[AnswerRequest], Messages],
        not_found_marker: str,
    ) -> None:
        """not_found_marker: what the prompt asks the model to write when the sources do not hold the answer;
        it never reaches anybody."""
        self._client = client
        self._build_messages = build_messages
        self._marker = not_found_marker

    @property
    def name(self) -> str:
        return self._client.service.model

    async def answer(self, request: AnswerRequest, on_text: Callable[[str], None] | None = None) -> Draft:
        """Streamed when `on_text` is given. The text is empty when the model wrote the marker alone."""
        shown = _WithoutMarker(self._marker, on_text) if on_text else None
        completion = await self._client.complete(
            self._build_messages(request), on_text=shown.receive if shown else None
        )
        if shown:
            shown.finish()
        return Draft(
            text=completion.text.replace(self._marker, "").strip(),
            found=self._marker not in completion.text,
            model=self.name,
            usage=completion.usage,
        )


class LitellmRewriter:
    """Makes a follow-up question stand on its own."""

    def __init__(
        self, client: LitellmClient, build_messages: Callable[[str, Sequence[Turn]], Messages]
    ) -> None:
        self._client = client
        self._build_messages = build_messages

    async def rewrite(self, question: str, history: Sequence[Turn]) -> str:
        """Give the question as it is when there is no history, or when the model wrote an essay instead."""
        if not history:
            return question
        completion = await self._client.complete(self._build_messages(question, history))
        rewritten = completion.text.strip().strip("\"'「」")
        return rewritten if rewritten and len(rewritten) <= _LONGEST_QUESTION else question


class LitellmReranker:
    """Scores passages by asking for a list of numbers."""

    def __init__(
        self, client: LitellmClient, build_messages: Callable[[str, Sequence[str]], Messages]
    ) -> None:
        self._client = client
        self._build_messages = build_messages

    async def score(self, question: str, passages: Sequence[str]) -> list[float]:
        """Raises ProviderOutputError when the model did not write one number for each passage."""
        if not passages:
            return []
        completion = await self._client.complete(self._build_messages(question, passages))
        for found in _NUMBERS.findall(completion.text):
            scores = _read_numbers(found)
            if scores is not None and len(scores) == len(passages):
                return scores
        raise ProviderOutputError(
            f"{self._client.service.model} did not give {len(passages)} numbers for as many passages"
        )


class _WithoutMarker:
    """Passes a stream on without the marker, holding back what may become one."""

    def __init__(self, marker: str, on_text: Callable[[str], None]) -> None:
        self._marker = marker
        self._on_text = on_text
        self._held = ""

    def receive(self, piece: str) -> None:
        text = (self._held + piece).replace(self._marker, "")
        keep = next(
            (size for size in range(len(self._marker) - 1, 0, -1) if text.endswith(self._marker[:size])), 0
        )
        self._held = text[len(text) - keep :]
        self._pass_on(text[: len(text) - keep])

    def finish(self) -> None:
        self._pass_on(self._held)
        self._held = ""

    def _pass_on(self, text: str) -> None:
        if text:
            self._on_text(text)


def _read_numbers(text: str) -> list[float] | None:
    try:
        numbers = [float(number) for number in json.loads(text)]
    except (ValueError, TypeError):
        return None
    return numbers if all(map(math.isfinite, numbers)) else None
