"""Judge and verifier by a language model; what they are told is left to the prompts.

Pairs are asked in batches at once. A batch that fails leaves its pairs without a value, which is never a
"no"; only when nothing came at all the failure is passed on.
"""

from __future__ import annotations

import asyncio
import json
import math
import re
from collections.abc import Callable, Sequence
from typing import TypeVar

from core.errors import ProviderError, ProviderOutputError
from core.ports import Claim
from core.providers.litellm_client import LitellmClient, Messages

BATCH = 8
"""Pairs in one call: longer lists of values are miscounted by small models."""

_LIST = re.compile(r"\[[^\[\]]*\]")
T = TypeVar("T")

BuildMessages = Callable[[Sequence[Claim]], Messages]


class LitellmJudge:
    """Says yes or no to each pair."""

    def __init__(self, client: LitellmClient, build_messages: BuildMessages, prompt_id: str) -> None:
        self._client = client
        self._build_messages = build_messages
        self._prompt_id = prompt_id

    @property
    def id(self) -> str:
        return f"{self._client.service.model}:{self._prompt_id}"

    async def judge(self, claims: Sequence[Claim]) -> list[bool | None]:
        return await _ask_all(self._client, self._build_messages, claims, _verdict)


class LitellmVerifier:
    """Says how probable each pair is."""

    def __init__(self, client: LitellmClient, build_messages: BuildMessages, prompt_id: str) -> None:
        self._client = client
        self._build_messages = build_messages
        self._prompt_id = prompt_id

    @property
    def id(self) -> str:
        return f"{self._client.service.model}:{self._prompt_id}"

    async def verify(self, claims: Sequence[Claim]) -> list[float | None]:
        return await _ask_all(self._client, self._build_messages, claims, _probability)


async def _ask_all(
    client: LitellmClient,
    build_messages: BuildMessages,
    claims: Sequence[Claim],
    read: Callable[[object], T | None],
) -> list[T | None]:
    batches = [claims[start : start + BATCH] for start in range(0, len(claims), BATCH)]

    async def ask(batch: Sequence[Claim]) -> list[T | None] | ProviderError:
        try:
            completion = await client.complete(build_messages(batch))
            return [read(value) for value in _read_list(completion.text, len(batch), client.service.model)]
        except ProviderError as error:
            return error

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(ask(batch)) for batch in batches]
    answers = [task.result() for task in tasks]
    failures = [answer for answer in answers if isinstance(answer, ProviderError)]
    if failures and len(failures) == len(answers):
        raise failures[0]
    values: list[T | None] = []
    for batch, answer in zip(batches, answers, strict=True):
        values += [None] * len(batch) if isinstance(answer, ProviderError) else answer
    return values


def _read_list(text: str, count: int, model: str) -> list[object]:
    """The first JSON list of the right length; NaN is read, and refused by whoever needs a number."""
    for found in _LIST.findall(text):
        try:
            values = json.loads(found)
        except ValueError:
            continue
        if len(values) == count:
            return list(values)
    raise ProviderOutputError(f"{model} did not give {count} values for as many pairs")


def _verdict(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _probability(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) and 0.0 <= value <= 1.0 else None
