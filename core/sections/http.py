"""The HTTP server: questions over `/v1`, webhooks of the channels, figures for monitoring."""

from __future__ import annotations

from pydantic import Field

from core.sections.channel import ChannelSettings


class HttpSettings(ChannelSettings):
    """[channels.http]: the HTTP server, for `/v1/ask`, webhooks of other channels and monitoring."""

    host: str = Field("127.0.0.1", description="Address to listen on.")
    port: int = Field(8080, ge=0, le=65535, description="Port to listen on; 0 takes any that is free.")
    max_body_kb: int = Field(
        64, ge=1, le=10_240, description="Largest body of a question; a larger one gets 413."
    )
    max_webhook_kb: int = Field(
        1024, ge=1, le=25_600, description="Largest body of a webhook; GitHub sends up to 25600."
    )
    answer_timeout_seconds: float = Field(
        60.0, gt=0, description="How long `/v1/ask` waits for an answer before it says so with 504."
    )
    metrics_need_key: bool = Field(
        False, description="Ask for a key with the scope `staff` before `/metrics` answers."
    )
