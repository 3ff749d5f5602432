"""Files become articles: read, cut, embedded and written, one transaction an article.

A folder is a source. Its articles keep their ids through edits, moves and renames; what vanished from
the folder is taken out of every search. An interrupted run goes on where it stopped.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from core.config import Settings, SourceSettings
from core.domain import Article, ArticleKind, FileOutcome, IngestStatus, ParsedFile
from core.errors import ReadError
from core.knowledge.chunking import ChunkingSettings, chunk_article
from core.knowledge.reading import READER_VERSION, SUPPORTED_SUFFIXES, read_file
from core.knowledge.walking import FoundFile, Problem, walk_files
from core.ports import ArticleRecord, FileState, Progress, Services, SourceRecord, no_progress
from core.usecases.embedding import embed_chunks
from core.usecases.refresh import refresh_indexes


@dataclass(frozen=True, slots=True)
class IngestRequest:
    """One path to read. readers: for new articles; None takes the source's, else the default readers."""

    path: Path
    recursive: bool = True
    kind: ArticleKind = "document"
    readers: tuple[str, ...] | None = None
    source: str | None = None


@dataclass(slots=True)
class IngestReport:
    """What became of every path, in the order in which it was met."""

    source: str
    outcomes: list[FileOutcome] = field(default_factory=list)

    def count(self, status: IngestStatus) -> int:
        return sum(1 for outcome in self.outcomes if outcome.status == status)


@dataclass(frozen=True, slots=True)
class _Scope:
    """The source, and which of its paths this run speaks for ("" is all of them).

    nested: folders inside it that are sources of their own, each with a closing slash.
    """

    source: SourceRecord
    root: Path
    prefix: str
    nested: tuple[str, ...]
    states: dict[str, FileState]
    settings_hash: str


async def ingest_path(
    services: Services, request: IngestRequest, progress: Progress = no_progress
) -> IngestReport:
    """Bring the knowledge base up to date with a file or folder, then the indexes.

    A path that cannot be read is a line of the report and the rest goes on. Raises ReadError if the path
    itself does not exist.
    """
    if not request.path.exists():
        raise ReadError(f"{request.path} does not exist.")
    scope = await asyncio.to_thread(_open_scope, services, request)
    report = IngestReport(scope.source.name)
    found: dict[str, FoundFile] = {}
    complete = True
    walk = walk_files([request.path], request.recursive, SUPPORTED_SUFFIXES)
    for item in await asyncio.to_thread(list, walk):
        path = _relative(scope, item.path)
        if path.startswith(scope.nested):
            continue
        if isinstance(item, Problem):
            complete = complete and not item.path.is_dir()
            report.outcomes.append(FileOutcome(path, "skipped", item.reason))
        else:
            found[path] = item
    gone = _vanished(scope, found, request.recursive) if complete else {}
    by_content = {state.content_hash: state for state in gone.values()}
    for done, (path, file) in enumerate(found.items()):
        progress(done, len(found), path)
        outcome = await _ingest_file(services, scope, path, file, by_content)
        if outcome.status == "moved" and outcome.article_id is not None:
            gone = {p: s for p, s in gone.items() if s.article_id != outcome.article_id}
        report.outcomes.append(outcome)
    for path, state in gone.items():
        await asyncio.to_thread(services.knowledge.remove_article, state.article_id, services.now())
        report.outcomes.append(FileOutcome(path, "removed", "", state.article_id))
    progress(len(found), len(found), "")
    await refresh_indexes(services, progress)
    return report


async def make_record(
    services: Services, article: Article, parsed: ParsedFile, state: FileState
) -> ArticleRecord:
    """Cut and embed a parsed file. state carries the hash, size and time that the store remembers.

    Texts that this model has embedded before cost nothing.
    """
    settings = services.settings.rag.chunking
    cutting = ChunkingSettings(**settings.model_dump())
    line_vectors = None
    if settings.strategy == "semantic":
        line_vectors = await services.embedder.embed_passages([line.text for line in parsed.lines])
    chunks = await asyncio.to_thread(chunk_article, parsed, cutting, line_vectors)
    embedded = await embed_chunks(services, article.title, parsed.lines, chunks)
    return ArticleRecord(
        article=article,
        text=parsed.text,
        content_hash=state.content_hash,
        size=state.size,
        modified_ns=state.modified_ns,
        settings_hash=state.settings_hash,
        sections=parsed.sections,
        lines=parsed.lines,
        chunks=chunks,
        embedder_id=services.embedder.id,
        chunk_vectors=embedded.vectors,
        span_vectors=embedded.spans,
    )


def hash_settings(settings: Settings) -> str:
    """Changes when the same file would be read or cut differently."""
    return hashlib.sha256(f"{READER_VERSION}|{settings.rag.chunking!r}".encode()).hexdigest()[:16]


async def _ingest_file(
    services: Services, scope: _Scope, path: str, file: FoundFile, gone: Mapping[str, FileState]
) -> FileOutcome:
    known = scope.states.get(path)
    current = known is not None and not known.removed and known.settings_hash == scope.settings_hash
    if known and current and (known.size, known.modified_ns) == (file.size, file.modified_ns):
        return FileOutcome(path, "unchanged", "", known.article_id)
    try:
        content_hash = await asyncio.to_thread(_hash_content, file, _limit_bytes(services))
        if known and current and known.content_hash == content_hash:
            await asyncio.to_thread(
                services.knowledge.touch_article,
                known.article_id,
                size=file.size,
                modified_ns=file.modified_ns,
            )
            return FileOutcome(path, "unchanged", "", known.article_id)
        if known and known.origin == "dashboard" and known.content_hash != content_hash:
            return FileOutcome(path, "conflict", "edited in the dashboard since; not overwritten")
        moved = gone.get(content_hash) if known is None else None
        if moved is not None and moved.settings_hash == scope.settings_hash:
            await asyncio.to_thread(
                services.knowledge.move_article, moved.article_id, path, _uri(services, scope, path)
            )
            return FileOutcome(path, "moved", f"was {moved.path}", moved.article_id)
        parsed = await asyncio.to_thread(read_file, file.path, _limit_bytes(services))
    except ReadError as error:
        return FileOutcome(path, "skipped", str(error), known.article_id if known else None)
    article_id = known.article_id if known else f"{scope.source.name}/{path}"
    state = FileState(
        article_id, path, content_hash, file.size, file.modified_ns, "file", scope.settings_hash, False
    )
    record = await make_record(services, _article(services, scope, state, parsed), parsed, state)
    await asyncio.to_thread(services.knowledge.save_article, record)
    status: IngestStatus = "changed" if known and not known.removed else "added"
    return FileOutcome(path, status, "", article_id)


def _limit_bytes(services: Services) -> int:
    return int(services.settings.ingest.max_file_mb * 1_000_000)


def _hash_content(file: FoundFile, limit_bytes: int) -> str:
    """Hash of the file's bytes; a file over the limit is not read, its reader will say so."""
    if file.size > limit_bytes:
        return ""
    try:
        return hashlib.sha256(file.path.read_bytes()).hexdigest()
    except OSError as error:
        raise ReadError(f"This file cannot be read ({error.strerror or error}).") from error


def _article(services: Services, scope: _Scope, state: FileState, parsed: ParsedFile) -> Article:
    return Article(
        id=state.article_id,
        source=scope.source.name,
        path=state.path,
        uri=_uri(services, scope, state.path),
        title=parsed.title,
        kind=scope.source.kind,
        language=parsed.language,
        version=state.content_hash[:16],
        readers=scope.source.readers,
        updated_at=services.now(),
    )


def _uri(services: Services, scope: _Scope, path: str) -> str:
    configured = services.settings.sources.get(scope.source.name)
    base = configured.base_url if configured else ""
    return f"{base.rstrip('/')}/{path}" if base else f"{scope.source.name}/{path}"


def _open_scope(services: Services, request: IngestRequest) -> _Scope:
    path = Path(os.path.realpath(request.path))
    root = path if path.is_dir() else path.parent
    source = _find_source(services, request, root)
    location = Path(source.location)
    prefix = PurePosixPath(path.relative_to(location)).as_posix() if path != location else ""
    nested = tuple(
        f"{Path(other.location).relative_to(location).as_posix()}/"
        for other in services.knowledge.sources()
        if other.name != source.name and Path(other.location).is_relative_to(location)
    )
    states = services.knowledge.file_states(source.name)
    return _Scope(source, location, prefix, nested, states, hash_settings(services.settings))


def _find_source(services: Services, request: IngestRequest, root: Path) -> SourceRecord:
    """The source that owns this folder: named, the one it lies in, one that moved here, or a new one.

    Readers that differ from those of the enclosing source make the folder a source of its own.
    """
    known = {source.name: source for source in services.knowledge.sources()}
    configured = services.settings.sources.get(request.source) if request.source else None
    enclosing = [source for source in known.values() if root.is_relative_to(source.location)]
    if request.source is None and enclosing:
        nearest = max(enclosing, key=lambda source: len(source.location))
        wanted = frozenset(request.readers) if request.readers else nearest.readers
        if wanted == nearest.readers:
            return nearest
        if str(root) == nearest.location:
            raise ReadError(
                f"The articles of source {nearest.name!r} are for {', '.join(sorted(nearest.readers))}; "
                "reading it again does not change that."
            )
    name = request.source or root.name or "root"
    if name in known and request.source is None and Path(known[name].location).exists():
        name = f"{name}-{hashlib.sha256(str(root).encode()).hexdigest()[:6]}"
    if name in known and known[name].location == str(root):
        return known[name]
    readers = _readers(services, request, configured)
    if name in known:
        readers = known[name].readers
    return services.knowledge.save_source(SourceRecord(name, str(root), request.kind, readers))


def _readers(services: Services, request: IngestRequest, configured: SourceSettings | None) -> frozenset[str]:
    if request.readers:
        return frozenset(request.readers)
    if configured and configured.readers:
        return frozenset(configured.readers)
    return frozenset(services.settings.access.default_readers)


def _relative(scope: _Scope, path: Path) -> str:
    """Path below the source's folder, with forward slashes; symbolic links are not followed here."""
    absolute = Path(os.path.realpath(path.parent)) / path.name
    try:
        return absolute.relative_to(scope.root).as_posix()
    except ValueError:
        return absolute.name


def _vanished(scope: _Scope, found: Mapping[str, FoundFile], recursive: bool) -> dict[str, FileState]:
    """Live articles that this run should have met and did not."""

    def inside(path: str) -> bool:
        if scope.prefix and path != scope.prefix and not path.startswith(f"{scope.prefix}/"):
            return False
        below = path.removeprefix(f"{scope.prefix}/" if scope.prefix else "")
        return recursive or "/" not in below

    return {
        path: state
        for path, state in scope.states.items()
        if not state.removed and state.origin == "file" and path not in found and inside(path)
    }
