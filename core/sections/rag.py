"""From a question to what stands in the prompt."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from core.sections.anchors import AnchorSettings
from core.sections.base import Fraction, Section


class ChunkingSettings(Section):
    """[rag.chunking]: how articles are cut for the indexes and the prompt."""

    strategy: Literal["fixed_size", "sentence", "paragraph", "semantic", "recursive"] = Field(
        "recursive", description="`recursive` cuts at headings, then paragraphs, then sentences."
    )
    chunk_size: int = Field(512, ge=1, description="Upper limit of a chunk, in `unit`.")
    chunk_overlap: int = Field(64, ge=0, description="What neighbouring chunks share, in `unit`.")
    separators: tuple[str, ...] = Field(
        ("\n## ", "\n### ", "\n\n", "\n", ". ", "。"),
        strict=False,
        description="Where `recursive` may cut, best first.",
    )
    unit: Literal["tokens", "characters"] = Field("tokens", description="Unit of size and overlap.")

    @model_validator(mode="after")
    def _overlap_below_size(self) -> ChunkingSettings:
        if self.chunk_overlap >= self.chunk_size:
            raise ValueError(
                f"chunk_overlap ({self.chunk_overlap}) must be smaller than chunk_size ({self.chunk_size})"
            )
        if not all(self.separators):
            raise ValueError("separators must not be empty texts")
        return self


class FusionSettings(Section):
    """[rag.fusion]: how keyword and vector hits become one order."""

    method: Literal["learned", "weighted", "rrf"] = Field(
        "learned",
        description="`learned`: one calibrated relevance; `weighted`: min-max per list; `rrf`: by rank.",
    )
    rrf_k: int = Field(60, ge=1, description="Damping of `rrf`, in ranks.")
    vector_weight: Fraction = Field(0.5, description="Share of the vector list in `weighted`.")
    candidates: int = Field(100, ge=1, description="How many hits each detector contributes.")


class RagSettings(Section):
    """[rag]: from a question to what stands in the prompt."""

    enabled: bool = Field(True, description="Without it the answerer gets no sources.")
    mode: Literal["hybrid", "anchors", "auto"] = Field(
        "hybrid",
        description="`anchors`: search inside the best documents; `auto`: where the best one is long.",
    )
    max_results: int = Field(10, ge=1, description="Most sources in a prompt.")
    relevance_threshold: Fraction = Field(0.3, description="Least calibrated relevance of a source.")
    max_context_tokens: int = Field(4000, ge=1, description="Budget of all sources together.")
    selection_strategy: Literal["top_k", "mmr"] = Field("top_k", description="`mmr` avoids repetition.")
    mmr_lambda: Fraction = Field(0.7, description="1.0 orders like top_k, 0.0 is pure diversity.")
    query_reformulation: bool = Field(
        False, description="Let the language model rewrite follow-up questions (needs [llm] model)."
    )
    analyser: Literal["morphological", "dictionary_free", "bigram"] = Field(
        "morphological", description="How text becomes search terms."
    )
    reranker: Literal["none", "fastembed", "llm"] = Field("none", description="Optional second opinion.")
    chunking: ChunkingSettings = ChunkingSettings()
    fusion: FusionSettings = FusionSettings()
    anchors: AnchorSettings = AnchorSettings()
