"""The language model that writes answers."""

from __future__ import annotations

from pydantic import Field, SecretStr

from core.sections.base import Section


class LlmSettings(Section):
    """[llm]: the language model that writes answers; without `model` Kiyo quotes the lines that answer."""

    model: str = Field("", description="litellm's name, for example `openai/gpt-5-mini` or `ollama/qwen3`.")
    endpoint: str = Field("", description="Base URL where it is not the vendor's own.")
    api_key: SecretStr = Field(SecretStr(""), description='Only as a reference: "${OPENAI_API_KEY}".')
    timeout_seconds: float = Field(60.0, gt=0, description="For one call.")
    max_retries: int = Field(2, ge=0, description="After time-outs, 429 and server errors.")
    temperature: float = Field(0.0, ge=0, le=2, description="Of the model.")
    max_output_tokens: int = Field(1024, ge=1, description="Longest answer.")
