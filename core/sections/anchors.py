"""Finding where in long, structured documents an answer stands."""

from __future__ import annotations

from pydantic import Field

from core.sections.base import Section


class AnchorSettings(Section):
    """[rag.anchors]: used with `mode = "anchors"`, and by `auto` for long documents with headings."""

    dictionary: str = Field(
        "", description="TOML file of words that mean the same, across languages; see the page on anchors."
    )
    embeddings: bool = Field(True, description="Compare meaning as well, where words alone settle nothing.")
    line_vectors: bool = Field(
        False,
        description="Embed every line at ingest, too, where the model embeds chunks: finds more, but slower.",
    )
    arbiter: bool = Field(
        True, description="Let the language model rank the places, in one call (needs [llm] model)."
    )
    timeout_seconds: float = Field(20.0, gt=0, description="For that call; then the order is that of scores.")
    max_documents: int = Field(3, ge=1, description="Documents that are searched for one question.")
    document_share: float = Field(
        0.5, ge=0, le=1, description="Least relevance of a further document, as a share of the best one's."
    )
    auto_lines: int = Field(200, ge=1, description="`auto`: lines that make a document long.")
    auto_headings: int = Field(10, ge=1, description="`auto`: headings that make a document structured.")
