"""Files brought in on a page are kept whole, below one folder, for exactly their readers."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain import ANONYMOUS, PUBLIC, Principal
from core.errors import AskerError, RoleError
from core.people_ports import AuditFilter, Person
from core.ports import Services, SourceRecord
from core.storage.audit import SqlAuditLog
from core.storage.engine import Database, open_database
from core.storage.jobs import SqlJobStore
from core.usecases.audit import Acting
from core.usecases.jobs import perform
from core.usecases.uploads import (
    MOST_FILES,
    NAME_BYTES,
    Upload,
    UploadFolder,
    make_indexes_again,
    read_again,
    safe_name,
    source_for,
    upload_files,
)
from tests.databases import copied_sqlite, migrated_sqlite

__all__ = ["migrated_sqlite"]

MINA = Person("mina", "maintainer")
HOTELS = Upload("hotels.md", b"# Hotels\n\nHotels are paid up to 14,000 yen.\n")


@pytest.fixture
def database(migrated_sqlite: Path, tmp_path: Path) -> Iterator[Database]:
    opened = open_database(copied_sqlite(migrated_sqlite, tmp_path / "pages.db"))
    yield opened
    opened.close()


@pytest.fixture
def jobs(database: Database) -> SqlJobStore:
    return SqlJobStore(database)


@pytest.fixture
def acting(database: Database) -> Acting:
    return Acting(MINA, SqlAuditLog(database))


@pytest.fixture
def folder(tmp_path: Path) -> UploadFolder:
    return UploadFolder(tmp_path / "kiyo", 1.0)


async def test_an_upload_is_read_into_articles_for_its_readers_alone(
    services: Services, jobs: SqlJobStore, acting: Acting, folder: UploadFolder
) -> None:
    upload_files(jobs, acting, folder, [HOTELS], [PUBLIC])
    pay = Upload("給与.md", "# 給与\n\n給与は25日に支給します。\n".encode())
    upload_files(jobs, acting, folder, [pay], [" managers ", ""])
    while (job := jobs.claim("worker", 60, ["ingest"])) is not None:
        assert (await perform(services, job.kind, job.payload))["added"] == 1
        jobs.finish(job.id, {})
    knowledge = services.knowledge
    everybody = knowledge.counts(knowledge.readable_audiences(ANONYMOUS))
    managers = knowledge.counts(knowledge.readable_audiences(Principal("boss", frozenset({"managers"}))))
    assert (everybody.articles, managers.articles) == (1, 2)
    assert {source.name for source in knowledge.sources()} == {"uploads", source_for(["managers"])}


def test_a_file_of_a_known_name_replaces_it_and_leaves_nothing_half_written(
    jobs: SqlJobStore, acting: Acting, folder: UploadFolder
) -> None:
    upload_files(jobs, acting, folder, [HOTELS], [PUBLIC])
    upload_files(jobs, acting, folder, [Upload("hotels.md", b"# Hotels\n\nNone.\n")], [PUBLIC])
    kept = [path for path in folder.storage.rglob("*") if path.is_file()]
    assert [(path.name, path.read_bytes()) for path in kept] == [("hotels.md", b"# Hotels\n\nNone.\n")]


def test_who_is_no_maintainer_brings_in_nothing(
    database: Database, jobs: SqlJobStore, folder: UploadFolder
) -> None:
    rie = Acting(Person("rie", "reviewer"), SqlAuditLog(database))
    source = SourceRecord("docs", "/srv/docs", "document", frozenset({PUBLIC}))
    with pytest.raises(RoleError):
        upload_files(jobs, rie, folder, [HOTELS], [PUBLIC])
    with pytest.raises(RoleError):
        read_again(jobs, rie, source)
    with pytest.raises(RoleError):
        make_indexes_again(jobs, rie)
    assert not folder.storage.exists()
    assert jobs.claim("worker", 60, ["ingest", "reindex"]) is None


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ([], "between 1 and"),
        ([Upload(f"{n}.md", b"x") for n in range(MOST_FILES + 1)], "between 1 and"),
        ([HOTELS, Upload("other/hotels.md", b"x")], "same name"),
        ([HOTELS, Upload("large.md", b"x" * 1_000_001)], "large.md"),
        ([HOTELS, Upload("..", b"x")], "name of a file"),
    ],
)
def test_of_files_that_cannot_all_be_kept_none_is(
    jobs: SqlJobStore, acting: Acting, folder: UploadFolder, files: list[Upload], said: str
) -> None:
    with pytest.raises(AskerError, match=said):
        upload_files(jobs, acting, folder, files, [PUBLIC])
    assert not folder.storage.exists()


def test_every_change_is_in_the_log(jobs: SqlJobStore, acting: Acting, folder: UploadFolder) -> None:
    upload_files(jobs, acting, folder, [HOTELS], [PUBLIC])
    read_again(jobs, acting, SourceRecord("docs", "/srv/docs", "document", frozenset({PUBLIC})))
    make_indexes_again(jobs, acting)
    entries = acting.log.entries(AuditFilter(), 9)
    assert [(one.who, one.action) for one in entries] == [
        ("mina", "index.rebuild"),
        ("mina", "source.read"),
        ("mina", "files.upload"),
    ]


@given(st.text(max_size=300))
def test_no_name_leads_out_of_the_folder(name: str) -> None:
    try:
        kept = safe_name(name)
    except AskerError:
        return
    assert Path(kept).name == kept
    assert kept not in (".", "..")
    assert not kept.startswith(".")
    assert len(kept.encode()) <= NAME_BYTES
    assert not [one for one in kept if unicodedata.category(one).startswith("C")]


@pytest.mark.parametrize(
    ("given_", "kept"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\docs\\規程.pdf", "規程.pdf"),
        ("a\nb.md", "a_b.md"),
        ("が.md", "が.md"),
        (f"{'長' * 100}.md", f"{'長' * 65}.md"),
    ],
)
def test_a_name_keeps_what_tells_the_file(given_: str, kept: str) -> None:
    assert safe_name(given_) == kept
