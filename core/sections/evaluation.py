"""How contribution is measured."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, SecretStr, model_validator

from core.sections.base import Fraction, Section

Verdicts = Literal["supported", "uncited", "unverified"]


class EvaluationSettings(Section):
    """[evaluation]: how contribution is measured."""

    mode: Literal["inline", "background", "batch"] = Field(
        "inline",
        description="When answers are measured: before the reply leaves, soon after it, or by "
        "`kiyo evaluate --pending`.",
    )
    threshold: Fraction | None = Field(
        None, description="Least probability of support; empty is the one the coefficients were fitted with."
    )
    counting: tuple[Verdicts, ...] = Field(
        ("supported", "uncited"), strict=False, description="Verdicts that count as contribution."
    )
    excerpt_chars: int = Field(240, ge=20, le=2000, description="Longest excerpt that is stored.")
    judge: str = Field(
        "",
        description="litellm's name of a model whose verdicts replace the answerer's marks; empty is none.",
    )
    judge_endpoint: str = Field("", description="Base URL of the judge where it is not the vendor's own.")
    judge_api_key: SecretStr = Field(SecretStr(""), description='Only as a reference: "${JUDGE_API_KEY}".')
    verifier: Literal["none", "onnx", "llm"] = Field(
        "none", description="Optional second opinion beside the check: a cross-encoder file or a model."
    )
    verifier_path: str = Field(
        "", description="`onnx`: the file of the cross-encoder, with its `tokenizer.json` beside it."
    )
    verifier_model: str = Field("", description="`llm`: litellm's name of the model.")
    verifier_endpoint: str = Field("", description="Base URL of the verifier's model.")
    verifier_api_key: SecretStr = Field(
        SecretStr(""), description='Only as a reference: "${VERIFIER_API_KEY}".'
    )
    verifier_weight: float = Field(
        0.3,
        ge=0,
        le=0.5,
        description="How far the verifier moves the check, in log odds for each of its own.",
    )
    labels_per_week: int = Field(50, ge=1, description="How many pairs the weekly draw asks people about.")

    @model_validator(mode="after")
    def _verifier_is_complete(self) -> EvaluationSettings:
        if self.verifier == "onnx" and not self.verifier_path:
            raise ValueError("verifier = 'onnx' needs verifier_path")
        if self.verifier == "llm" and not self.verifier_model:
            raise ValueError("verifier = 'llm' needs verifier_model")
        return self
