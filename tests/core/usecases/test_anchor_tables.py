from __future__ import annotations

import numpy as np

from core.ports import Services
from core.rag.anchors.tables import DocumentTables
from core.usecases.anchor_tables import TableCache, keep_vectors, load_tables
from tests.core.rag.anchors.documents import Part, document
from tests.core.usecases.workspace import Workspace
from tests.fake_models import FakeEmbedder

MANUAL = "# Manual\n\n" + "".join(
    f"## Part {name}\n\nThe {name} is {name}.\n\n" for name in ("valve", "pump", "cable", "clock", "lamp")
)


async def opened(workspace: Workspace, **anchors: bool) -> Services:
    workspace.write({"manual.md": MANUAL})
    cutting = {"chunk_size": 12, "chunk_overlap": 0}
    rag = {"mode": "anchors", "analyser": "dictionary_free", "anchors": anchors, "chunking": cutting}
    services = workspace.open({"rag": rag})
    await workspace.ingest()
    return services


async def loaded(services: Services) -> DocumentTables:
    tables = await load_tables(services, "docs/manual.md")
    assert tables is not None
    return tables


async def test_lines_have_the_vectors_that_were_made_at_ingest(workspace: Workspace) -> None:
    services = await opened(workspace)
    embedder = workspace.embedder
    assert isinstance(embedder, FakeEmbedder)
    embedder.embedded.clear()
    tables = await loaded(services)
    assert tables.vectors is not None
    assert tables.vectors.lines is not None
    assert {"The valve is valve."}.isdisjoint(embedder.embedded)
    made = await embedder.embed_passages([line.text for line in tables.lines])
    assert np.allclose(tables.vectors.lines, made, atol=0.02)


async def test_titles_are_embedded_at_ingest(workspace: Workspace) -> None:
    services = await opened(workspace)
    sections = services.knowledge.article_sections("docs/manual.md")
    embedder = workspace.embedder
    assert isinstance(embedder, FakeEmbedder)
    embedder.embedded.clear()
    kept = await keep_vectors(services, [section.title for section in sections])
    assert embedder.embedded == []
    made = await embedder.embed_passages([section.title for section in sections])
    assert np.allclose(kept, made, atol=0.01)


async def test_a_model_of_passages_gives_units_and_titles_alone(workspace: Workspace) -> None:
    workspace.embedder = FakeEmbedder(embeds_lines=False)
    services = await opened(workspace)
    await workspace.ask("valve")
    tables = await loaded(services)
    assert tables.vectors is not None
    assert tables.vectors.lines is None
    assert tables.vectors.units is not None
    clock = next(i for i, unit in enumerate(tables.units) if unit.title == "Part clock")
    asked = await workspace.embedder.embed_query("The clock is clock")
    assert int(np.argmax(tables.vectors.units @ asked)) == clock


async def test_lines_are_embedded_at_ingest_for_a_model_of_passages_that_is_told_to(
    workspace: Workspace,
) -> None:
    workspace.embedder = embedder = FakeEmbedder(embeds_lines=False)
    services = await opened(workspace, line_vectors=True)
    embedder.embedded.clear()
    tables = await loaded(services)
    assert embedder.embedded == []
    assert tables.vectors is not None
    assert tables.vectors.lines is not None
    made = await embedder.embed_passages([line.text for line in tables.lines])
    assert np.allclose(tables.vectors.lines, made, atol=0.01)


async def test_without_embeddings_no_vector_is_loaded(workspace: Workspace) -> None:
    assert (await loaded(await opened(workspace, embeddings=False))).vectors is None


async def test_tables_are_made_once_for_a_version(workspace: Workspace) -> None:
    services = await opened(workspace)
    first = await loaded(services)
    assert (await loaded(services)).words is first.words
    workspace.write({"manual.md": MANUAL + "## Part new\n\nNew.\n"})
    await workspace.ingest()
    assert (await loaded(services)).words is not first.words


async def test_an_article_that_is_gone_has_no_tables(workspace: Workspace) -> None:
    assert await load_tables(await opened(workspace), "docs/other.md") is None


def test_the_cache_drops_what_was_used_least_recently() -> None:
    cache = TableCache(limit=4)
    small = document(Part("x", ("y",)))
    for name in "abc":
        cache.put((name, "v", ""), small)
        assert cache.get(("a", "v", "")) is small
    assert cache.get(("b", "v", "")) is None
    assert cache.get(("c", "v", "")) is small


def test_the_cache_keeps_one_version_of_an_article_and_always_the_last_document() -> None:
    cache = TableCache(limit=1)
    small = document(Part("x", ("y",)))
    cache.put(("a", "v1", ""), small)
    cache.put(("a", "v2", ""), small)
    assert cache.get(("a", "v1", "")) is None
    assert cache.get(("a", "v2", "")) is small
