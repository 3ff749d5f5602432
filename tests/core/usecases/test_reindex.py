"""Indexes that are lost, behind, or made by another model or analyser."""

from __future__ import annotations

import shutil
from collections.abc import Awaitable, Callable

import pytest

from core.errors import IndexMismatchError, ProviderError
from core.ports import Services
from core.usecases.refresh import refresh_indexes
from core.usecases.reindex import ReindexReport, rebuild_indexes
from core.usecases.reply import AskRequest, answer_question
from tests.core.usecases.test_sources import stop_at
from tests.core.usecases.workspace import Workspace, statuses
from tests.fake_models import FakeEmbedder

FILES: dict[str, str | bytes] = {
    "leave.md": "# Leave\n\nPaid leave is ten days a year.\n",
    "travel.md": "# Travel\n\nHotels are paid up to 14,000 yen a night.\n",
    "ja/kyuka.md": "# 休暇\n\n有給休暇は10日です。半日でも取れます。\n",
}


@pytest.fixture(params=[True, False], ids=["sentences", "passages"])
async def filled(request: pytest.FixtureRequest, workspace: Workspace) -> Workspace:
    """Three articles, embedded by line or by chunk."""
    workspace.embedder = FakeEmbedder(embeds_lines=request.param)
    workspace.write(FILES)
    await workspace.ingest()
    return workspace


def another_model(workspace: Workspace) -> FakeEmbedder:
    return FakeEmbedder(48, embeds_lines=workspace.embedder.embeds_lines, version=2)


@pytest.mark.parametrize(
    ("command", "chroma"), [(rebuild_indexes, False), (refresh_indexes, False), (rebuild_indexes, True)]
)
async def test_lost_indexes_are_built_again_without_an_embedding(
    filled: Workspace, command: Callable[[Services], Awaitable[object]], chroma: bool
) -> None:
    filled.open(chroma=chroma)
    await refresh_indexes(filled.services)
    before = await filled.find("paid leave")
    filled.close()
    lose_indexes(filled)
    filled.embedder = embedder = FakeEmbedder(embeds_lines=filled.embedder.embeds_lines)
    filled.open(chroma=chroma)
    assert (filled.services.keyword.count(), filled.services.vector.count()) == (0, 0)
    await command(filled.services)
    assert (filled.services.keyword.count(), filled.services.vector.count()) == (3, 3)
    assert embedder.embedded == []
    after = await filled.find("paid leave")
    assert [(c.chunk_id, c.relevance) for c in after.candidates] == [
        (c.chunk_id, c.relevance) for c in before.candidates
    ]


def lose_indexes(workspace: Workspace) -> None:
    for folder in workspace.store.iterdir():
        if folder.is_dir():
            shutil.rmtree(folder)


async def test_a_question_finds_what_another_process_has_ingested(filled: Workspace) -> None:
    filled.write({"pay.md": "# Pay\n\nSalaries arrive on the 25th.\n"})
    await filled.ingest()
    filled.close()
    lose_indexes(filled)
    answer = await filled.ask("When do salaries arrive?")
    assert [citation.article_id for citation in answer.citations] == ["docs/pay.md"]


async def test_asking_with_another_model_says_what_to_do(filled: Workspace) -> None:
    filled.embedder = another_model(filled)
    filled.open()
    with pytest.raises(IndexMismatchError, match="Run `kiyo reindex`"):
        await answer_question(filled.services, AskRequest("How long is paid leave?"))
    assert filled.services.answers.recent_answers(5) == []


async def test_reindexing_for_another_model_builds_beside_the_old_index(filled: Workspace) -> None:
    old = filled.embedder
    filled.embedder = new = another_model(filled)
    filled.open()
    report = await rebuild_indexes(filled.services)
    assert report == ReindexReport(embedded=3, chunks=3, revision=3)
    answer = await filled.ask("How long is paid leave?")
    assert "docs/leave.md" in {citation.article_id for citation in answer.citations}
    filled.embedder = old
    filled.open()
    assert filled.services.vector.count() == 3
    assert (await filled.ask("How long is paid leave?")).found
    assert len(new.embedded) > 0


async def test_reindexing_again_embeds_nothing(filled: Workspace) -> None:
    filled.embedder = new = another_model(filled)
    filled.open()
    await rebuild_indexes(filled.services)
    new.embedded.clear()
    assert await rebuild_indexes(filled.services) == ReindexReport(embedded=0, chunks=3, revision=3)
    assert new.embedded == []


async def test_an_interrupted_reindex_goes_on_where_it_stopped(filled: Workspace) -> None:
    filled.embedder = new = another_model(filled)
    filled.open()
    with pytest.raises(ProviderError, match="stopped"):
        await rebuild_indexes(filled.services, stop_at("embedding"))
    with pytest.raises(IndexMismatchError):
        await refresh_indexes(filled.services)
    new.embedded.clear()
    assert (await rebuild_indexes(filled.services)).embedded == 2
    assert not any("有給休暇" in text for text in new.embedded)


async def test_a_file_that_is_new_to_both_models_is_kept_before_the_reindex(filled: Workspace) -> None:
    filled.embedder = another_model(filled)
    filled.open()
    filled.write({"pay.md": "# Pay\n\nSalaries arrive on the 25th.\n"})
    report = await filled.ingest()
    assert statuses(report)["pay.md"] == "added"
    assert "kiyo reindex" in report.problem
    assert (await rebuild_indexes(filled.services)).embedded == 3
    assert statuses(await filled.ingest())["pay.md"] == "unchanged"
    assert await filled.ids_by_words("salaries") == ["docs/pay.md"]


async def test_another_analyser_builds_its_own_index_without_an_embedding(filled: Workspace) -> None:
    assert await filled.ids_by_words("半日") == ["docs/ja/kyuka.md"]
    filled.embedder = embedder = FakeEmbedder(embeds_lines=filled.embedder.embeds_lines)
    filled.open({"rag": {"analyser": "bigram", "relevance_threshold": 0.0}})
    assert filled.services.keyword.count() == 0
    await refresh_indexes(filled.services)
    assert filled.services.keyword.count() == 3
    assert embedder.embedded == []
    assert await filled.ids_by_words("でも") == ["docs/ja/kyuka.md"]


async def test_a_removed_article_is_not_embedded_again(filled: Workspace) -> None:
    (filled.docs / "leave.md").unlink()
    await filled.ingest()
    filled.embedder = new = another_model(filled)
    filled.open()
    assert (await rebuild_indexes(filled.services)).embedded == 2
    assert not any("ten days" in text for text in new.embedded)


async def test_refreshing_twice_changes_nothing(filled: Workspace) -> None:
    before = (filled.services.keyword.revision, filled.services.vector.revision)
    await refresh_indexes(filled.services)
    assert (filled.services.keyword.revision, filled.services.vector.revision) == before == (3, 3)


async def test_progress_of_a_rebuild_ends_at_the_newest_revision(filled: Workspace) -> None:
    filled.embedder = another_model(filled)
    filled.open()
    told: list[tuple[int, int | None, str]] = []
    await rebuild_indexes(filled.services, lambda *now: told.append(now))
    assert [now for now in told if now[2] == "embedding"] == [(n, 3, "embedding") for n in (1, 2, 3)]
    assert told[-1] == (3, 3, "indexing")
