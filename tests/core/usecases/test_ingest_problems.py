"""Files and folders that cannot be used: each is a line of the report, the rest goes on, nothing is lost."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.domain import IngestStatus
from core.ports import KnowledgeCounts
from core.usecases.ingest import IngestReport
from tests.core.knowledge.pdfs import make_pdf
from tests.core.usecases.workspace import Workspace, reasons, statuses

LEAVE = "# Leave\n\nPaid leave is ten days a year.\n"
JAPANESE = "休暇の規程\n\n有給休暇は入社6か月後に10日付与されます。半日単位でも取得できます。\n"


def the_reason(report: IngestReport, path: str) -> str:
    """Why the path was left out, with everything else read."""
    others = {name: status for name, status in statuses(report).items() if name != path}
    assert set(others.values()) <= {"added", "unchanged"}, others
    return reasons(report)[path]


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("broken.pdf", b"%PDF-1.7\nthis is no PDF\n%%EOF", "This PDF is broken"),
        ("binary.txt", bytes(range(256)) * 40, "This file looks binary, not like text."),
        ("empty.md", b"", "This file is empty."),
        ("blank.md", b" \n\n\t\n", "This file is empty."),
        ("large.txt", b"word " * 30_000, "This file has 0.1 MB, more than the limit of 0.1 MB."),
        ("data.txt", b"\x00\x01\x02\x03" * 500, "This file looks binary, not like text."),
    ],
)
async def test_a_file_that_cannot_be_read_is_a_line_of_the_report(
    workspace: Workspace, name: str, content: bytes, reason: str
) -> None:
    workspace.open({"ingest": {"max_file_mb": 0.1}, "rag": {"analyser": "dictionary_free"}})
    workspace.write({name: content, "a.md": LEAVE, "z.md": LEAVE})
    report = await workspace.ingest()
    assert the_reason(report, name).startswith(reason)
    assert workspace.live_ids() == ["docs/a.md", "docs/z.md"]
    assert workspace.services.knowledge.get_article(f"docs/{name}") is None
    assert workspace.services.knowledge.counts() == KnowledgeCounts(2, 2, 4, 2)


async def test_a_pdf_without_text_needs_ocr_and_is_not_indexed(workspace: Workspace) -> None:
    workspace.write(
        {"scan.pdf": make_pdf([lambda canvas: canvas.rect(50, 50, 300, 300, fill=1)]), "a.md": LEAVE}
    )
    report = await workspace.ingest()
    assert the_reason(report, "scan.pdf") == "This PDF needs OCR: its page holds no text."
    assert workspace.live_ids() == ["docs/a.md"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "cp932", "euc_jp"])
async def test_japanese_is_read_in_every_common_encoding(workspace: Workspace, encoding: str) -> None:
    workspace.write({"kyuka.txt": JAPANESE.encode(encoding)})
    assert statuses(await workspace.ingest()) == {"kyuka.txt": "added"}
    assert workspace.services.knowledge.article_text("docs/kyuka.txt") == JAPANESE
    assert await workspace.ids_by_words("有給休暇") == ["docs/kyuka.txt"]


async def test_an_article_whose_file_breaks_stays_as_it_was(workspace: Workspace) -> None:
    workspace.write({"leave.md": LEAVE})
    await workspace.ingest()
    workspace.write({"leave.md": bytes(range(256)) * 40})
    report = await workspace.ingest()
    assert [(o.status, o.article_id) for o in report.outcomes] == [("skipped", "docs/leave.md")]
    assert await workspace.ids_by_words("ten days") == ["docs/leave.md"]


async def test_loops_of_links_end(workspace: Workspace) -> None:
    workspace.write({"a/leave.md": LEAVE})
    (workspace.docs / "a/again").symlink_to(workspace.docs)
    (workspace.docs / "self.md").symlink_to(workspace.docs / "self.md")
    report = await workspace.ingest()
    assert statuses(report) == {"self.md": "skipped", "a/leave.md": "added"}
    assert reasons(report) == {"self.md": "This link leads back to itself."}


@pytest.mark.parametrize("content", ["long line " * 20_000, "長い一行です" * 20_000])
async def test_one_very_long_line_is_kept_whole(workspace: Workspace, content: str) -> None:
    workspace.write({"long.txt": content + "終わりの合言葉はカワセミ", "a.md": LEAVE})
    report = await workspace.ingest()
    assert statuses(report) == {"long.txt": "added", "a.md": "added"}
    assert await workspace.ids_by_words("カワセミ") == ["docs/long.txt"]


async def test_a_name_in_another_encoding_is_a_line_of_the_report(workspace: Workspace) -> None:
    workspace.write({"leave.md": LEAVE})
    workspace.write({os.fsdecode("休暇.md".encode("cp932")): LEAVE})
    report = await workspace.ingest()
    assert statuses(report)["leave.md"] == "added"
    (name,) = reasons(report)
    assert reasons(report)[name] == "The name of this file is not Unicode; rename it."
    assert name.encode("utf-8").isascii()


# --- what cannot be reached is not gone ------------------------------------------------------------


@pytest.fixture
async def filled(workspace: Workspace) -> Workspace:
    workspace.write({"open/a.md": LEAVE, "closed/b.md": LEAVE + "B.\n", "closed/deep/c.md": LEAVE + "C.\n"})
    await workspace.ingest()
    return workspace


def close_folders(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Root may read everything, so the system says no here."""
    listed = os.scandir

    def deny(path: Path) -> Iterator[os.DirEntry[str]]:
        if Path(path).name in names:
            raise PermissionError(13, "Permission denied", str(path))
        return listed(path)

    monkeypatch.setattr(os, "scandir", deny)


async def test_an_unreadable_folder_keeps_its_articles_and_others_still_go(
    filled: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    close_folders(monkeypatch, "closed")
    (filled.docs / "open/a.md").unlink()
    expected: dict[str, IngestStatus] = {"closed": "skipped", "open/a.md": "removed"}
    report = await filled.ingest()
    assert statuses(report) == expected
    assert reasons(report) == {"closed": "This may not be read (permission denied)."}
    assert filled.live_ids() == ["docs/closed/b.md", "docs/closed/deep/c.md"]


async def test_an_unreadable_source_keeps_all_its_articles(
    filled: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    close_folders(monkeypatch, "docs")
    assert statuses(await filled.ingest()) == {".": "skipped"}
    assert len(filled.live_ids()) == 3


async def test_an_unreadable_source_inside_another_keeps_its_articles(
    filled: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    await filled.ingest(filled.docs / "closed", readers=("managers",))
    close_folders(monkeypatch, "closed")
    assert statuses(await filled.ingest(filled.docs / "closed")) == {".": "skipped"}
    assert statuses(await filled.ingest()) == {"open/a.md": "unchanged"}
    assert len(filled.live_ids()) == 3


async def test_a_lost_mount_behind_a_link_keeps_its_articles(workspace: Workspace) -> None:
    workspace.write({"a.md": LEAVE}, workspace.base / "mount")
    workspace.write({"own.md": LEAVE + "Own.\n"})
    (workspace.docs / "wiki").symlink_to(workspace.base / "mount")
    await workspace.ingest()
    assert workspace.live_ids() == ["docs/own.md", "docs/wiki/a.md"]
    (workspace.base / "mount").rename(workspace.base / "elsewhere")
    await workspace.ingest()
    assert workspace.live_ids() == ["docs/own.md", "docs/wiki/a.md"]
    (workspace.docs / "wiki").unlink()
    assert statuses(await workspace.ingest())["wiki/a.md"] == "removed"


async def test_a_file_behind_a_dead_link_keeps_its_article(workspace: Workspace) -> None:
    workspace.write({"target.md": LEAVE}, workspace.base / "mount")
    workspace.docs.mkdir()
    (workspace.docs / "a.md").symlink_to(workspace.base / "mount/target.md")
    await workspace.ingest()
    (workspace.base / "mount/target.md").unlink()
    report = await workspace.ingest()
    assert reasons(report) == {"a.md": "This link leads nowhere."}
    assert workspace.live_ids() == ["docs/a.md"]


async def test_files_of_the_same_name_behind_two_links_are_two_articles(workspace: Workspace) -> None:
    workspace.docs.mkdir()
    for name in ("one", "two"):
        workspace.write({"a.md": f"{LEAVE}\nThis is {name}.\n"}, workspace.base / name)
        (workspace.docs / name).symlink_to(workspace.base / name)
    assert statuses(await workspace.ingest()) == {"one/a.md": "added", "two/a.md": "added"}
