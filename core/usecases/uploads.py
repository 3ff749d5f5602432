"""Files that are brought in on a page: kept in a folder of Kiyo's own, then read like any other."""

from __future__ import annotations

import hashlib
import os
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.domain import PUBLIC
from core.errors import AskerError
from core.job_requests import ingest_item
from core.ports import JobStore, SourceRecord
from core.usecases.audit import Acting

FOLDER = "uploads"
"""Below [storage] folder; whoever reads the files must see it at the same place."""
MOST_FILES = 200
NAME_BYTES = 200


@dataclass(frozen=True, slots=True)
class Upload:
    """name: as the browser gave it."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class UploadFolder:
    """Where files are kept: `storage` is [storage] folder; files over max_file_mb are refused."""

    storage: Path
    max_file_mb: float


def upload_files(
    jobs: JobStore, acting: Acting, folder: UploadFolder, files: Sequence[Upload], readers: Collection[str]
) -> int:
    """Keep the files and ask for them to be read; returns the job.

    readers: of articles that are new. Files for other readers lie in another folder, which is a source of
    its own, so none is ever shown to more people than before. A file of a known name replaces it.
    Raises RoleError, or AskerError for what cannot be kept; then none is.
    """
    acting.require("maintainer")
    groups = sorted({group.strip() for group in readers if group.strip()}) or [PUBLIC]
    if not files or len(files) > MOST_FILES:
        raise AskerError(f"Choose between 1 and {MOST_FILES} files.")
    named = {safe_name(one.name): one for one in files}
    if len(named) < len(files):
        raise AskerError("Two of these files have the same name.")
    large = [one.name for one in files if len(one.content) > folder.max_file_mb * 1_000_000]
    if large:
        raise AskerError(f"Over {folder.max_file_mb:g} MB ([ingest] max_file_mb): {', '.join(large)}.")
    source = source_for(groups)
    place = folder.storage / FOLDER / source
    for name, one in named.items():
        _write(place / name, one.content)
    with acting.changing() as note:
        note("files.upload", "source", source, files=sorted(named), readers=groups)
        item = ingest_item(place, readers=groups, source=source)
        return jobs.enqueue("ingest", {"paths": [item]}, acting.person.name)


def read_again(jobs: JobStore, acting: Acting, source: SourceRecord) -> int:
    """Ask for the folder of a source to be read again; returns the job. Raises RoleError."""
    acting.require("maintainer")
    with acting.changing() as note:
        note("source.read", "source", source.name)
        item = ingest_item(Path(source.location), kind=source.kind, source=source.name)
        return jobs.enqueue("ingest", {"paths": [item]}, acting.person.name)


def make_indexes_again(jobs: JobStore, acting: Acting) -> int:
    """Ask for both indexes to be brought up to date with the rows; returns the job. Raises RoleError."""
    acting.require("maintainer")
    with acting.changing() as note:
        note("index.rebuild", "index", "")
        return jobs.enqueue("reindex", {}, acting.person.name)


def source_for(groups: Sequence[str]) -> str:
    """The name of the source that holds the uploads for these readers."""
    if list(groups) == [PUBLIC]:
        return FOLDER
    return f"{FOLDER}-{hashlib.sha256(chr(0).join(sorted(groups)).encode()).hexdigest()[:8]}"


def safe_name(name: str) -> str:
    """The last part of a name, without what a file system or a terminal reads as anything else.

    Raises AskerError where nothing is left.
    """
    last = unicodedata.normalize("NFC", name).replace("\\", "/").rsplit("/", 1)[-1]
    kept = "".join("_" if unicodedata.category(one)[0] == "C" or one in '<>:"|?*' else one for one in last)
    kept = kept.strip(" .")
    stem, dot, suffix = kept.rpartition(".")
    while len(kept.encode()) > NAME_BYTES and stem:
        stem = stem[:-1]
        kept = f"{stem}{dot}{suffix}"
    if not kept.strip("_") or len(kept.encode()) > NAME_BYTES:
        raise AskerError(f"{name[:80]!r} cannot be the name of a file.")
    return kept


def _write(path: Path, content: bytes) -> None:
    """Whole or not at all: the process that reads may look at any moment."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name[:40]}.part")
    part.write_bytes(content)
    os.replace(part, path)
