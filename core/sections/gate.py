"""What an answer must reach to leave without a person."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, SecretStr, model_validator

from core.sections.base import Fraction, Section

Uncertain = Literal["hand_over", "send"]


class GatePlaceSettings(Section):
    """[gate.places.NAME]: other thresholds for a channel, a place or a label; what is not set stays.

    NAME is a channel (`slack`), a place (`slack:T1:C1`) or a label of the question (`label:billing`).
    """

    send: Fraction | None = Field(None, description="Instead of [gate] send.")
    caution: Fraction | None = Field(None, description="Instead of [gate] caution.")
    send_relevance: Fraction | None = Field(None, description="Instead of [gate] send_relevance.")
    caution_relevance: Fraction | None = Field(None, description="Instead of [gate] caution_relevance.")
    on_caution: Uncertain | None = Field(None, description="Instead of [gate] on_caution.")


class GateSettings(Section):
    """[gate]: what an answer in a channel must reach to leave without a person."""

    send: Fraction = Field(0.6, description="Least share of supported statements to be sent.")
    caution: Fraction = Field(0.3, description="Least share below which a person always looks first.")
    send_relevance: Fraction = Field(0.5, description="Least relevance of the best source to be sent.")
    caution_relevance: Fraction = Field(
        0.35, description="Least relevance below which a person always looks first."
    )
    on_caution: Uncertain = Field(
        "hand_over",
        description="Between the two a person looks first, or the answer leaves with a caution.",
    )
    review_model: str = Field(
        "",
        description="litellm's name of a model that sees question, answer and sources before the answer "
        "leaves and can hold it back; empty is none.",
    )
    review_endpoint: str = Field("", description="Base URL of that model where it is not the vendor's own.")
    review_api_key: SecretStr = Field(SecretStr(""), description='Only as a reference: "${REVIEW_API_KEY}".')
    places: dict[str, GatePlaceSettings] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _in_order(self) -> GateSettings:
        if self.caution > self.send or self.caution_relevance > self.send_relevance:
            raise ValueError("the thresholds for a caution may not lie above those for sending")
        return self
