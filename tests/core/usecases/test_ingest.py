"""What becomes of files that are added, edited, moved, deleted and read again."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from core.domain import ANONYMOUS, IngestStatus
from core.errors import ProviderError, ReadError
from core.ports import Vectors
from core.usecases.ingest import IngestRequest, ingest_path
from core.usecases.reply import AskRequest, answer_question
from tests.core.usecases.workspace import NOW, Workspace, reasons, statuses
from tests.fake_models import FakeEmbedder

LEAVE = "# Leave\n\nPaid leave is ten days a year.\n"
TRAVEL = "# Travel\n\nHotels are paid up to 14,000 yen a night.\n"
KYUKA = "# 休暇\n\n有給休暇は10日です。半日でも取れます。\n"


# --- added, changed, unchanged ---------------------------------------------------------------------


async def test_new_files_become_articles(workspace: Workspace) -> None:
    workspace.write({"leave.md": LEAVE, "ja/kyuka.md": KYUKA})
    report = await workspace.ingest()
    assert statuses(report) == {"leave.md": "added", "ja/kyuka.md": "added"}
    article = workspace.services.knowledge.get_article("docs/ja/kyuka.md")
    assert article is not None
    assert (article.title, article.language, article.path) == ("休暇", "ja", "ja/kyuka.md")
    assert (article.source, article.kind) == ("docs", "document")
    assert article.readers == {"public"}
    assert article.updated_at == NOW
    assert await workspace.ids_by_words("Paid leave") == ["docs/leave.md"]


async def test_a_second_run_reads_no_file_and_embeds_nothing(workspace: Workspace) -> None:
    workspace.embedder = embedder = FakeEmbedder(embeds_lines=True)
    workspace.write({"leave.md": LEAVE, "travel.md": TRAVEL})
    await workspace.ingest()
    embedder.embedded.clear()
    revision = workspace.services.knowledge.counts().revision
    for path in workspace.docs.iterdir():
        keep_looks(path, b"other text of the same length"[: path.stat().st_size])
    assert set(statuses(await workspace.ingest()).values()) == {"unchanged"}
    assert embedder.embedded == []
    assert workspace.services.knowledge.counts().revision == revision


def keep_looks(path: Path, content: bytes) -> None:
    """Other content in the same size and with the same time: whoever notices has read the file."""
    status = path.stat()
    path.write_bytes(content.ljust(status.st_size))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


async def test_a_touched_file_is_unchanged_and_not_hashed_the_next_time(workspace: Workspace) -> None:
    workspace.write({"leave.md": LEAVE})
    await workspace.ingest()
    os.utime(workspace.docs / "leave.md", ns=(5, 7))
    assert statuses(await workspace.ingest()) == {"leave.md": "unchanged"}
    assert workspace.services.knowledge.file_states("docs")["leave.md"].modified_ns == 7
    assert workspace.services.knowledge.counts().revision == 1


async def test_an_edit_keeps_the_id_and_embeds_only_its_own_lines(workspace: Workspace) -> None:
    workspace.embedder = embedder = FakeEmbedder(embeds_lines=True)
    workspace.write({"leave.md": LEAVE, "travel.md": TRAVEL})
    await workspace.ingest()
    before = workspace.services.knowledge.get_article("docs/leave.md")
    embedder.embedded.clear()
    workspace.now = NOW + timedelta(days=1)
    workspace.write({"leave.md": LEAVE.replace("ten", "twelve")})
    assert statuses(await workspace.ingest()) == {"leave.md": "changed", "travel.md": "unchanged"}
    after = workspace.services.knowledge.get_article("docs/leave.md")
    assert before is not None
    assert after is not None
    assert after.version != before.version
    assert after.updated_at == workspace.now
    assert not any("14,000" in text for text in embedder.embedded)
    assert await workspace.ids_by_words("twelve") == ["docs/leave.md"]
    assert await workspace.ids_by_words("ten") == []


async def test_texts_that_a_model_of_passages_has_seen_cost_nothing(workspace: Workspace) -> None:
    workspace.embedder = embedder = FakeEmbedder()
    section = "## {0}\n\n" + "Words about {0} fill a whole chunk. " * 60
    text = "# Rules\n\n" + "\n\n".join(section.format(name) for name in ("leave", "travel", "pay"))
    workspace.write({"rules.md": text})
    await workspace.ingest()
    first = len(embedder.embedded)
    embedder.embedded.clear()
    workspace.write({"rules.md": text.replace("Words about pay", "News about pay")})
    await workspace.ingest()
    assert 0 < len(embedder.embedded) < first
    assert all("News about pay" in passage for passage in embedder.embedded)


async def test_a_new_title_keeps_the_id(workspace: Workspace) -> None:
    workspace.write({"leave.md": LEAVE})
    await workspace.ingest()
    workspace.write({"leave.md": LEAVE.replace("# Leave", "# Absence")})
    assert statuses(await workspace.ingest()) == {"leave.md": "changed"}
    article = workspace.services.knowledge.get_article("docs/leave.md")
    assert article is not None
    assert article.title == "Absence"
    assert workspace.live_ids() == ["docs/leave.md"]


async def test_other_settings_of_chunking_cut_unchanged_files_anew(workspace: Workspace) -> None:
    workspace.write({"leave.md": LEAVE + "\nIt may be taken by the half day. Ask three days before.\n"})
    await workspace.ingest()
    assert workspace.services.knowledge.counts().chunks == 1
    small = {"chunking": {"chunk_size": 12, "chunk_overlap": 0}, "analyser": "dictionary_free"}
    workspace.open({"rag": small})
    assert statuses(await workspace.ingest()) == {"leave.md": "changed"}
    assert workspace.services.knowledge.counts().chunks > 1
    assert statuses(await workspace.ingest()) == {"leave.md": "unchanged"}


async def test_two_files_with_the_same_content_are_two_articles(workspace: Workspace) -> None:
    workspace.write({"a.md": LEAVE, "b.md": LEAVE})
    assert statuses(await workspace.ingest()) == {"a.md": "added", "b.md": "added"}
    assert workspace.live_ids() == ["docs/a.md", "docs/b.md"]
    (workspace.docs / "a.md").unlink()
    assert statuses(await workspace.ingest()) == {"b.md": "unchanged", "a.md": "removed"}


# --- moved, removed, back again --------------------------------------------------------------------


async def test_a_moved_file_keeps_its_id_and_is_not_embedded(workspace: Workspace) -> None:
    workspace.embedder = embedder = FakeEmbedder(embeds_lines=True)
    workspace.write({"leave.md": LEAVE, "travel.md": TRAVEL})
    await workspace.ingest()
    embedder.embedded.clear()
    move(workspace, "leave.md", "hr/absence.md")
    report = await workspace.ingest()
    assert statuses(report) == {"travel.md": "unchanged", "hr/absence.md": "moved"}
    article = workspace.services.knowledge.get_article("docs/leave.md")
    assert article is not None
    assert (article.path, article.uri) == ("hr/absence.md", "docs/hr/absence.md")
    assert embedder.embedded == []
    assert statuses(await workspace.ingest()) == {"travel.md": "unchanged", "hr/absence.md": "unchanged"}


def move(workspace: Workspace, old: str, new: str) -> None:
    (workspace.docs / new).parent.mkdir(parents=True, exist_ok=True)
    (workspace.docs / old).rename(workspace.docs / new)


async def test_a_moved_file_keeps_its_id_when_it_is_also_cut_anew(workspace: Workspace) -> None:
    workspace.write({"leave.md": LEAVE})
    await workspace.ingest()
    move(workspace, "leave.md", "absence.md")
    workspace.open({"rag": {"chunking": {"chunk_size": 12, "chunk_overlap": 0}}})
    assert statuses(await workspace.ingest()) == {"absence.md": "moved"}
    assert workspace.live_ids() == ["docs/leave.md"]


async def test_one_vanished_file_cannot_move_to_two_places(workspace: Workspace) -> None:
    workspace.write({"old.md": LEAVE})
    await workspace.ingest()
    (workspace.docs / "old.md").unlink()
    workspace.write({"a.md": LEAVE, "b.md": LEAVE})
    assert statuses(await workspace.ingest()) == {"a.md": "moved", "b.md": "added"}
    assert workspace.live_ids() == ["docs/b.md", "docs/old.md"]
    assert set(statuses(await workspace.ingest()).values()) == {"unchanged"}


async def test_two_equal_files_that_move_together_keep_both_ids(workspace: Workspace) -> None:
    workspace.write({"a.md": LEAVE, "b.md": LEAVE})
    await workspace.ingest()
    move(workspace, "a.md", "new/a.md")
    move(workspace, "b.md", "new/b.md")
    assert statuses(await workspace.ingest()) == {"new/a.md": "moved", "new/b.md": "moved"}
    assert workspace.live_ids() == ["docs/a.md", "docs/b.md"]


async def test_a_new_file_at_the_place_of_a_moved_one_is_another_article(workspace: Workspace) -> None:
    workspace.write({"rules.md": LEAVE})
    await workspace.ingest()
    move(workspace, "rules.md", "leave.md")
    await workspace.ingest()
    workspace.write({"rules.md": TRAVEL})
    assert statuses(await workspace.ingest()) == {"leave.md": "unchanged", "rules.md": "added"}
    assert workspace.live_ids() == ["docs/rules.md", "docs/rules.md~2"]
    moved = workspace.services.knowledge.get_article("docs/rules.md")
    assert moved is not None
    assert (moved.title, moved.path) == ("Leave", "leave.md")


async def test_a_deleted_file_leaves_every_search(workspace: Workspace) -> None:
    workspace.write({"leave.md": LEAVE, "travel.md": TRAVEL})
    await workspace.ingest()
    (workspace.docs / "leave.md").unlink()
    assert statuses(await workspace.ingest()) == {"travel.md": "unchanged", "leave.md": "removed"}
    assert workspace.live_ids() == ["docs/travel.md"]
    assert await workspace.ids_by_words("ten days of leave") == []
    assert await workspace.find_all("ten days of leave") == ["docs/travel.md"]
    assert workspace.services.vector.count() == 1


async def test_a_deleted_file_that_comes_back_has_its_old_id(workspace: Workspace) -> None:
    workspace.write({"leave.md": LEAVE})
    await workspace.ingest()
    (workspace.docs / "leave.md").unlink()
    await workspace.ingest(allow_empty=True)
    workspace.write({"leave.md": LEAVE})
    assert statuses(await workspace.ingest()) == {"leave.md": "added"}
    assert await workspace.ids_by_words("Paid leave") == ["docs/leave.md"]


async def test_a_file_renamed_to_the_name_of_a_deleted_one_keeps_its_own_id(workspace: Workspace) -> None:
    workspace.write({"a.md": LEAVE, "b.md": TRAVEL})
    await workspace.ingest()
    (workspace.docs / "a.md").unlink()
    await workspace.ingest()
    move(workspace, "b.md", "a.md")
    assert statuses(await workspace.ingest()) == {"a.md": "moved"}
    assert workspace.live_ids() == ["docs/b.md"]
    assert statuses(await workspace.ingest()) == {"a.md": "unchanged"}


# --- parts of a source -----------------------------------------------------------------------------


async def test_a_part_of_a_folder_speaks_only_for_itself(workspace: Workspace) -> None:
    workspace.write({"hr/leave.md": LEAVE, "hr/pay.md": "# Pay\n\nOn the 25th.\n", "travel.md": TRAVEL})
    await workspace.ingest()
    (workspace.docs / "hr/pay.md").unlink()
    (workspace.docs / "travel.md").unlink()
    report = await workspace.ingest(workspace.docs / "hr")
    assert report.source == "docs"
    assert statuses(report) == {"hr/leave.md": "unchanged", "hr/pay.md": "removed"}
    assert workspace.live_ids() == ["docs/hr/leave.md", "docs/travel.md"]


async def test_a_single_file_speaks_only_for_itself(workspace: Workspace) -> None:
    workspace.write({"leave.md": LEAVE, "travel.md": TRAVEL})
    await workspace.ingest()
    workspace.write({"leave.md": LEAVE + "\nMore.\n"})
    (workspace.docs / "travel.md").unlink()
    assert statuses(await workspace.ingest(workspace.docs / "leave.md")) == {"leave.md": "changed"}
    assert workspace.live_ids() == ["docs/leave.md", "docs/travel.md"]


async def test_a_folder_that_lost_all_its_files_keeps_its_articles(workspace: Workspace) -> None:
    workspace.write({"leave.md": LEAVE, "deep/travel.md": TRAVEL})
    await workspace.ingest()
    (workspace.docs / "leave.md").unlink()
    (workspace.docs / "deep/travel.md").unlink()
    with pytest.raises(ReadError, match=r"2 articles came from it; nothing was removed.*--allow-empty"):
        await workspace.ingest()
    assert len(workspace.live_ids()) == 2
    assert (await workspace.ingest(allow_empty=True)).count("removed") == 2
    assert workspace.live_ids() == []


async def test_without_recursion_deeper_articles_stay(workspace: Workspace) -> None:
    workspace.write({"leave.md": LEAVE, "deep/travel.md": TRAVEL})
    await workspace.ingest()
    (workspace.docs / "leave.md").unlink()
    (workspace.docs / "deep/travel.md").unlink()
    report = await workspace.ingest(recursive=False, allow_empty=True)
    assert statuses(report) == {"leave.md": "removed"}
    assert workspace.live_ids() == ["docs/deep/travel.md"]


async def test_the_same_folder_is_meant_however_it_is_written(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace.write({"hr/leave.md": LEAVE})
    await workspace.ingest()
    (workspace.base / "link").symlink_to(workspace.docs)
    monkeypatch.chdir(workspace.docs / "hr")
    for path in (Path(), Path(".."), Path("../../docs/hr/leave.md"), workspace.base / "link" / "hr"):
        report = await workspace.ingest(path)
        assert (report.source, statuses(report)) == ("docs", {"hr/leave.md": "unchanged"}), path


async def test_what_does_not_exist_is_refused(workspace: Workspace) -> None:
    with pytest.raises(ReadError, match="nowhere does not exist"):
        await workspace.ingest(workspace.base / "nowhere")


# --- conflicts and interruptions -------------------------------------------------------------------


async def edit_in_dashboard(workspace: Workspace, text: str) -> None:
    """What the dashboard stores when a person edits an article of a file."""
    from dataclasses import replace

    from core.knowledge.assembly import assemble
    from core.knowledge.readers.markdown import read_markdown
    from core.usecases.ingest import make_record

    knowledge = workspace.services.knowledge
    article = knowledge.get_article("docs/leave.md")
    assert article is not None
    state = replace(knowledge.file_states("docs")["leave.md"], content_hash="edited", origin="dashboard")
    edited = replace(article, origin="dashboard", version="edited")
    record = await make_record(workspace.services, edited, assemble(read_markdown(text), "leave"), state)
    knowledge.save_article(record)


@pytest.mark.parametrize("touched", [False, True])
async def test_an_edit_from_the_dashboard_is_a_conflict_and_is_kept(
    workspace: Workspace, touched: bool
) -> None:
    workspace.write({"leave.md": LEAVE})
    await workspace.ingest()
    await edit_in_dashboard(workspace, LEAVE.replace("ten", "fifteen"))
    if touched:
        workspace.write({"leave.md": LEAVE.replace("ten", "twelve")})
    (outcome,) = (await workspace.ingest()).outcomes
    assert (outcome.status, outcome.article_id) == ("conflict", "docs/leave.md")
    assert outcome.reason == "edited in the dashboard since; not overwritten"
    assert workspace.services.knowledge.article_text("docs/leave.md") == LEAVE.replace("ten", "fifteen")


async def test_an_edit_from_the_dashboard_stays_when_its_file_is_deleted(workspace: Workspace) -> None:
    workspace.write({"leave.md": LEAVE, "travel.md": TRAVEL})
    await workspace.ingest()
    await edit_in_dashboard(workspace, LEAVE.replace("ten", "fifteen"))
    (workspace.docs / "leave.md").unlink()
    assert statuses(await workspace.ingest()) == {"travel.md": "unchanged"}
    assert workspace.live_ids() == ["docs/leave.md", "docs/travel.md"]


class BreakingEmbedder(FakeEmbedder):
    """Fails at a text with the word, as long as it is broken."""

    def __init__(self, word: str) -> None:
        super().__init__(embeds_lines=True)
        self.word = word

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        if self.word and any(self.word in text for text in texts):
            raise ProviderError("The embedding service is down.")
        return await super().embed_passages(texts)


async def test_an_interrupted_run_keeps_what_it_has_and_goes_on(workspace: Workspace) -> None:
    workspace.embedder = embedder = BreakingEmbedder("Hotels")
    workspace.write({"a.md": LEAVE, "b.md": TRAVEL, "c.md": KYUKA, "gone.md": "# Gone\n\nSoon.\n"})
    embedder.word = ""
    await workspace.ingest(workspace.docs / "gone.md")
    (workspace.docs / "gone.md").unlink()
    embedder.word = "Hotels"
    with pytest.raises(ProviderError, match="down"):
        await workspace.ingest()
    assert workspace.live_ids() == ["docs/a.md", "docs/gone.md"]
    embedder.word = ""
    embedder.embedded.clear()
    expected: dict[str, IngestStatus] = {
        "a.md": "unchanged", "b.md": "added", "c.md": "added", "gone.md": "removed",
    }  # fmt: skip
    assert statuses(await workspace.ingest()) == expected
    assert not any("ten days" in text for text in embedder.embedded)
    assert await workspace.ids_by_words("Hotels") == ["docs/b.md"]


async def test_what_an_interrupted_run_has_kept_is_found_before_the_next_one(workspace: Workspace) -> None:
    workspace.embedder = BreakingEmbedder("Hotels")
    workspace.write({"a.md": LEAVE, "b.md": TRAVEL})
    with pytest.raises(ProviderError):
        await workspace.ingest()
    answer = await answer_question(workspace.services, AskRequest("How many days is paid leave?"))
    assert [citation.article_id for citation in answer.citations] == ["docs/a.md"]


async def test_progress_names_every_file_and_ends_complete(workspace: Workspace) -> None:
    workspace.write({"a.md": LEAVE, "b.md": TRAVEL})
    told: list[tuple[int, int | None, str]] = []
    await ingest_path(workspace.services, IngestRequest(workspace.docs), lambda *now: told.append(now))
    assert told[:3] == [(0, 2, "a.md"), (1, 2, "b.md"), (2, 2, "")]


async def test_citations_lead_to_the_address_of_the_source(workspace: Workspace) -> None:
    workspace.write({"hr/leave.md": LEAVE})
    settings = {"sources": {"wiki": {"path": str(workspace.docs), "base_url": "https://wiki.example/x/"}}}
    workspace.open({**settings, "rag": {"analyser": "dictionary_free"}})
    await workspace.ingest(source="wiki")
    article = workspace.services.knowledge.get_article("wiki/hr/leave.md")
    assert article is not None
    assert article.uri == "https://wiki.example/x/hr/leave.md"


async def test_unsupported_files_are_counted_by_kind(workspace: Workspace) -> None:
    workspace.write({"leave.md": LEAVE, "a.docx": b"x", "deep/B.DOCX": b"x", "c.png": b"x", "LICENSE": "x"})
    workspace.write({".hidden.docx": b"x", ".git/objects": b"x", "node_modules/a.exe": b"x"})
    report = await workspace.ingest()
    assert reasons(report) == {
        "*": "1 file without an ending is not supported.",
        "*.docx": "2 files ending in .docx are not supported.",
        "*.png": "1 file ending in .png is not supported.",
    }
    assert statuses(report)["leave.md"] == "added"
    report = await workspace.ingest(workspace.docs / "a.docx")
    assert reasons(report) == {"a.docx": "Files ending in .docx are not supported."}


async def test_a_long_gap_becomes_no_chunk(workspace: Workspace) -> None:
    workspace.write({"gap.txt": "Leave is ten days." + "\u3000" * 3000 + "Travel is paid."})
    await workspace.ingest()
    texts = workspace.readable_texts(ANONYMOUS)
    assert len(texts) >= 2
    assert all(text.strip() for text in texts)
