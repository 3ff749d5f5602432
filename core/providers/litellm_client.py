"""Calls to a model service through litellm: time limits, retries, errors, tokens and price.

What is asked is left to the callers. litellm takes seconds to import and fetches a price list when it is
imported, so it is imported at the first call, in a thread, with the list that it brings along.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import warnings
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

from core.domain import Usage
from core.errors import ProviderError, ProviderOutputError, ProviderTimeoutError
from core.providers.extras import import_extra

Messages = Sequence[Mapping[str, str]]
"""`role` and `content` of each message, as chat completions take them."""

T = TypeVar("T")

_FIRST_PAUSE_SECONDS = 0.5
_LONGEST_PAUSE_SECONDS = 30.0
_LONGEST_MESSAGE = 300
_CONTEXT = re.compile(r"context (length|size|window)", re.IGNORECASE)
_ADVICE = {
    401: "the service refused the key; check `api_key`",
    403: "the key may not use this model; check `api_key` and `model`",
    404: "the service does not know this model; check `model` and `endpoint`",
    429: "the service allows no more calls for now",
}
_RETRIED_STATUS = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})


@dataclass(frozen=True, slots=True)
class ModelService:
    """Which model is called, where, and within which limits.

    model: litellm's name, such as `openai/gpt-5-mini` or `ollama/qwen3`. endpoint: base URL, "" for the
    vendor's own. timeout_seconds: for one call; for the next piece when an answer is streamed.
    """

    model: str
    endpoint: str = ""
    api_key: str = field(default="", repr=False)
    timeout_seconds: float = 60.0
    max_retries: int = 2
    temperature: float = 0.0
    max_output_tokens: int = 1024


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model wrote."""

    text: str
    usage: Usage


class LitellmClient:
    """One model of one service. Its methods raise ProviderError and its children, never litellm's errors."""

    def __init__(
        self, service: ModelService, pause: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> None:
        """pause: waits that many seconds before a retry."""
        self.service = service
        self._pause = pause

    async def complete(self, messages: Messages, on_text: Callable[[str], None] | None = None) -> Completion:
        """Have a text written. With `on_text` it is streamed, and not tried again once a piece was given.

        Raises ProviderOutputError when there is no text in the answer.
        """
        litellm = await asyncio.to_thread(load_litellm)
        options = self._options(_chat_model(self.service.model)) | {
            "messages": [dict(message) for message in messages],
            "temperature": self.service.temperature,
            "max_tokens": self.service.max_output_tokens,
        }
        attempt = _Attempt()
        if on_text is None:
            return await self._retried(attempt, lambda: self._whole(litellm, options))
        return await self._retried(attempt, lambda: self._streamed(litellm, options, attempt, on_text))

    async def embed(self, texts: Sequence[str], dimensions: int | None = None) -> list[list[float]]:
        """Have texts embedded, in one call. dimensions: asked of the model where it offers a choice.

        Raises ProviderOutputError when the number of vectors differs from that of texts.
        """
        litellm = await asyncio.to_thread(load_litellm)
        options = self._options(self.service.model) | {"input": list(texts), "encoding_format": "float"}
        if dimensions is not None:
            options["dimensions"] = dimensions

        async def call() -> list[list[float]]:
            async with asyncio.timeout(self.service.timeout_seconds):
                response = await litellm.aembedding(**options)
            rows = [item["embedding"] for item in response.data or ()]
            if len(rows) != len(texts):
                raise ProviderOutputError(
                    f"{self.service.model} gave {len(rows)} vectors for {len(texts)} texts"
                )
            return rows

        return await self._retried(_Attempt(), call)

    def _options(self, model: str) -> dict[str, Any]:
        options: dict[str, Any] = {
            "model": model,
            "timeout": self.service.timeout_seconds,
            "num_retries": 0,
            "max_retries": 0,
            "drop_params": True,
        }
        if self.service.endpoint:
            options["api_base"] = self.service.endpoint
            # A server of one's own often needs no key, but its client refuses to start without one.
            options["api_key"] = self.service.api_key or "none"
        elif self.service.api_key:
            options["api_key"] = self.service.api_key
        return options

    async def _whole(self, litellm: Any, options: dict[str, Any]) -> Completion:
        async with asyncio.timeout(self.service.timeout_seconds):
            response = await litellm.acompletion(**options)
        text = response.choices[0].message.content if response.choices else None
        return self._completion(litellm, text, getattr(response, "usage", None))

    async def _streamed(
        self,
        litellm: Any,
        options: dict[str, Any],
        attempt: _Attempt,
        on_text: Callable[[str], None],
    ) -> Completion:
        stream = await litellm.acompletion(**options, stream=True, stream_options={"include_usage": True})
        pieces: list[str] = []
        usage = None
        async for chunk in stream:
            piece = chunk.choices[0].delta.content if chunk.choices else None
            if piece:
                attempt.delivered = True
                pieces.append(piece)
                on_text(piece)
            usage = getattr(chunk, "usage", None) or usage
        return self._completion(litellm, "".join(pieces), usage)

    def _completion(self, litellm: Any, text: object, usage: Any) -> Completion:
        if not isinstance(text, str) or not text.strip():
            raise ProviderOutputError(f"{self.service.model} answered without a text")
        input_tokens = getattr(usage, "prompt_tokens", 0) or 0
        output_tokens = getattr(usage, "completion_tokens", 0) or 0
        cost = _price(litellm, self.service.model, input_tokens, output_tokens)
        return Completion(text, Usage(input_tokens, output_tokens, cost, calls=1))

    async def _retried(self, attempt: _Attempt, call: Callable[[], Awaitable[T]]) -> T:
        vendor_error: type[Exception] = import_extra("openai", "llm").OpenAIError
        while True:
            try:
                return await call()
            except ProviderOutputError:
                raise
            except (vendor_error, TimeoutError) as error:
                pause = _pause_seconds(error, attempt.number)
                if attempt.delivered or attempt.number >= self.service.max_retries or pause is None:
                    raise self._translate(error) from error
            attempt.number += 1
            await self._pause(pause)

    def _translate(self, error: Exception) -> ProviderError:
        model = self.service.model
        kind = type(error).__name__
        said = " ".join(str(error).split())[:_LONGEST_MESSAGE]
        if isinstance(error, TimeoutError) or kind == "Timeout":
            return ProviderTimeoutError(
                f"{model} did not answer within {self.service.timeout_seconds:g} seconds"
            )
        if _is_malformed(error):
            return ProviderOutputError(f"{model} sent something that is not JSON: {said}")
        if kind == "ContextWindowExceededError" or _CONTEXT.search(said):
            advice = "the prompt is too long for it; lower [rag] max_context_tokens"
        else:
            advice = _ADVICE.get(getattr(error, "status_code", 0), "the call failed")
        return ProviderError(f"{model}: {advice} ({said})")


@dataclass(slots=True)
class _Attempt:
    """Which try of one call this is, and whether a caller has seen a part of its answer."""

    number: int = 0
    delivered: bool = False


def load_litellm() -> Any:
    """Import litellm so that it sends nothing and prints nothing. Raises ExtraMissingError."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    # pydantic says this of litellm's own types, while they are made; nobody here can act on it.
    warnings.filterwarnings("ignore", r"Items? .* `ReadOnly` qualifier", UserWarning, r"pydantic\.")
    litellm = import_extra("litellm", "llm")
    litellm.telemetry = False
    litellm.suppress_debug_info = True
    # Its embeddings take a limit of 0 retries for none given, and would retry beneath the retries here.
    litellm.DEFAULT_MAX_RETRIES = 0
    return litellm


def _chat_model(model: str) -> str:
    """litellm's `ollama/` completes a bare prompt; `ollama_chat/` uses the model's own chat template."""
    return f"ollama_chat/{model.removeprefix('ollama/')}" if model.startswith("ollama/") else model


def _price(litellm: Any, model: str, input_tokens: int, output_tokens: int) -> float | None:
    """Price in dollars by litellm's list; None, not 0, for a model without a price or unknown tokens."""
    listed = litellm.model_cost.get(model) or litellm.model_cost.get(model.partition("/")[2]) or {}
    price_in, price_out = listed.get("input_cost_per_token"), listed.get("output_cost_per_token")
    if price_in is None or price_out is None or not input_tokens:
        return None
    return float(price_in) * input_tokens + float(price_out) * output_tokens


def _pause_seconds(error: Exception, number: int) -> float | None:
    """Seconds to wait before the next try; None when another try is of no use or would have to wait long."""
    status = getattr(error, "status_code", None)
    if not isinstance(error, TimeoutError) and status not in _RETRIED_STATUS:
        return None
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    asked = _retry_after(headers.get("retry-after"))
    pause = _FIRST_PAUSE_SECONDS * 2**number if asked is None else asked
    return pause if pause <= _LONGEST_PAUSE_SECONDS else None


def _retry_after(value: str | None) -> float | None:
    """Read seconds or an HTTP date (RFC 9110, section 10.2.3)."""
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None


def _is_malformed(error: BaseException) -> bool:
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, json.JSONDecodeError):
            return True
        seen = seen.__cause__ or seen.__context__
    return False
