"""Files become articles: read, cut, embedded and written, one transaction an article.

A folder is a source. Its articles keep their ids through edits, moves and renames; what vanished from
the folder is taken out of every search. An interrupted run goes on where it stopped. Which source a folder
is, and for whom, is left to `sources`.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import sys
from collections import defaultdict
from dataclasses import dataclass, field, replace
from pathlib import Path

from core.config import Settings
from core.domain import Article, ArticleId, ArticleKind, FileOutcome, IngestStatus, ParsedFile
from core.errors import IndexMismatchError, ReadError, SettingsError
from core.knowledge.chunking import ChunkingSettings, chunk_article
from core.knowledge.reading import READER_VERSION, read_file
from core.knowledge.walking import FoundFile
from core.ports import ArticleRecord, FileState, Progress, Services, no_progress
from core.usecases.anchor_tables import keep_vectors_for_anchors
from core.usecases.embedding import embed_chunks
from core.usecases.gaps import compare_gaps
from core.usecases.refresh import refresh_indexes
from core.usecases.scope import Scope, open_scope, walk_scope
from core.usecases.sources import WantedSource, open_source


@dataclass(frozen=True, slots=True)
class IngestRequest:
    """One path to read. readers: for new articles; None takes the source's, else the default readers.

    allow_empty: a folder that lost all its files loses its articles, too.
    """

    path: Path
    recursive: bool = True
    kind: ArticleKind = "document"
    readers: tuple[str, ...] | None = None
    source: str | None = None
    allow_empty: bool = False


@dataclass(slots=True)
class IngestReport:
    """What became of every path, in the order in which it was met.

    problem: why what was read cannot be searched yet; "" where it can.
    """

    source: str
    outcomes: list[FileOutcome] = field(default_factory=list)
    problem: str = ""

    def count(self, status: IngestStatus) -> int:
        return sum(1 for outcome in self.outcomes if outcome.status == status)


@dataclass(frozen=True, slots=True)
class _Run:
    """missing: by content, the articles whose files are gone; one that turns up elsewhere is taken out."""

    services: Services
    scope: Scope
    settings_hash: str
    missing: dict[str, list[FileState]]

    @property
    def limit_bytes(self) -> int:
        return int(min(self.services.settings.ingest.max_file_mb * 1_000_000, sys.maxsize))

    def is_current(self, state: FileState) -> bool:
        """Whether its chunks are those that would be made now."""
        return not state.removed and state.settings_hash == self.settings_hash

    def take_missing(self, content_hash: str) -> FileState | None:
        states = self.missing.get(content_hash)
        return states.pop(0) if states else None


async def ingest_path(
    services: Services, request: IngestRequest, progress: Progress = no_progress
) -> IngestReport:
    """Bring the knowledge base up to date with a file or folder, then the indexes and the gaps.

    A path that cannot be read is a line of the report and the rest goes on. Raises ReadError if the path
    itself does not exist, if the readers asked for are not those that its articles have, or if there is no
    file left of those that were read before (a disk that is not mounted looks like that).
    """
    if not request.path.exists():
        raise ReadError(f"{request.path} does not exist.")
    scope = await asyncio.to_thread(_open, services, request)
    walked = await asyncio.to_thread(walk_scope, scope)
    if walked.gone and not (walked.found or walked.outcomes or request.allow_empty):
        raise ReadError(_sudden_emptiness(request.path, len(walked.gone)))
    report = IngestReport(scope.source.name, list(walked.outcomes))
    run = _Run(services, scope, hash_settings(services.settings), defaultdict(list))
    for state in walked.gone.values():
        run.missing[state.content_hash].append(state)
    for done, (path, found) in enumerate(walked.found.items()):
        progress(done, len(walked.found), path)
        report.outcomes.append(await _ingest_file(run, path, found))
    for state in sorted((s for states in run.missing.values() for s in states), key=lambda s: s.path):
        await asyncio.to_thread(services.knowledge.remove_article, state.article_id, services.now())
        report.outcomes.append(FileOutcome(state.path, "removed", "", state.article_id))
    progress(len(walked.found), len(walked.found), "")
    try:
        await refresh_indexes(services, progress)
    except IndexMismatchError as error:
        report.problem = str(error)
        return report
    await compare_gaps(services, progress)
    return report


async def make_record(
    services: Services, article: Article, parsed: ParsedFile, state: FileState
) -> ArticleRecord:
    """Cut and embed a parsed file. state carries the hash, size and time that the store remembers.

    Texts that this model has embedded before cost nothing.
    """
    settings = services.settings.rag.chunking
    try:
        cutting = ChunkingSettings(**settings.model_dump())
    except ValueError as error:
        raise SettingsError(f"rag.chunking: {error}.") from error
    line_vectors = None
    if settings.strategy == "semantic":
        line_vectors = await services.embedder.embed_passages([line.text for line in parsed.lines])
    cut = await asyncio.to_thread(chunk_article, parsed, cutting, line_vectors)
    written = (chunk for chunk in cut if chunk.text.strip())  # a long gap holds nothing to find
    chunks = tuple(replace(chunk, ordinal=ordinal) for ordinal, chunk in enumerate(written))
    embedded = await embed_chunks(services, article.title, parsed.lines, chunks)
    await keep_vectors_for_anchors(services, parsed.sections, parsed.lines)
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


def _sudden_emptiness(path: Path, gone: int) -> str:
    articles = "1 article came" if gone == 1 else f"{gone} articles came"
    return (
        f"{path} holds no file to read any more, though {articles} from it; nothing was removed. If a disk "
        "is not mounted, mount it. If the files are gone for good, run it again with --allow-empty."
    )


def _open(services: Services, request: IngestRequest) -> Scope:
    path = Path(os.path.abspath(request.path))
    configured = services.settings.sources.get(request.source) if request.source else None
    readers = request.readers or (configured.readers if configured else None)
    wanted = WantedSource(path, request.kind, request.source, frozenset(readers) if readers else None)
    source, taken = open_source(services, wanted)
    return open_scope(services.knowledge, source, taken, path, request.recursive)


async def _ingest_file(run: _Run, path: str, found: FoundFile) -> FileOutcome:
    """Read a file if it has to be read; whatever is wrong with it is a line of the report."""
    known = run.scope.states.get(path)
    untouched = known and (known.size, known.modified_ns) == (found.size, found.modified_ns)
    if known and untouched and run.is_current(known) and known.origin == "file":
        return FileOutcome(path, "unchanged", "", known.article_id)
    try:
        content_hash = await asyncio.to_thread(_hash_content, found, run.limit_bytes)
        before = known if known and not known.removed else run.take_missing(content_hash) or known
        if before and run.is_current(before) and before.content_hash == content_hash:
            return await _keep(run, path, found, before)
        if known and known.origin == "dashboard" and known.content_hash != content_hash:
            reason = "edited in the dashboard since; not overwritten"
            return FileOutcome(path, "conflict", reason, known.article_id)
        return await _read(run, path, found, content_hash, before)
    except ReadError as error:
        return FileOutcome(path, "skipped", str(error), known.article_id if known else None)


async def _keep(run: _Run, path: str, found: FoundFile, before: FileState) -> FileOutcome:
    """The content is known: note where and when it was seen."""
    knowledge = run.services.knowledge
    if before.path != path:
        await asyncio.to_thread(knowledge.move_article, before.article_id, path, _uri(run, path))
        return FileOutcome(path, "moved", f"was {before.path}", before.article_id)
    if (before.size, before.modified_ns) != (found.size, found.modified_ns):
        await asyncio.to_thread(
            knowledge.touch_article, before.article_id, size=found.size, modified_ns=found.modified_ns
        )
    return FileOutcome(path, "unchanged", "", before.article_id)


async def _read(
    run: _Run, path: str, found: FoundFile, content_hash: str, before: FileState | None
) -> FileOutcome:
    """before: the article that this file was until now, at this path or another."""
    parsed = await asyncio.to_thread(read_file, found.path, run.limit_bytes)
    article_id = before.article_id if before else await _free_id(run, path)
    state = FileState(
        article_id, path, content_hash, found.size, found.modified_ns, "file", run.settings_hash, False
    )
    record = await make_record(run.services, _article(run, state, parsed), parsed, state)
    await asyncio.to_thread(run.services.knowledge.save_article, record)
    if before is None or before.removed:
        return FileOutcome(path, "added", "", article_id)
    if article_id in run.scope.taken:
        return FileOutcome(path, "moved", "was in another source", article_id)
    if before.path != path:
        return FileOutcome(path, "moved", f"was {before.path}", article_id)
    return FileOutcome(path, "changed", "", article_id)


async def _free_id(run: _Run, path: str) -> ArticleId:
    """Source and path, numbered where an article that moved away has kept that id."""
    plain = f"{run.scope.source.name}/{path}"
    article_id, number = plain, 1
    while article := await asyncio.to_thread(run.services.knowledge.get_article, article_id):
        if not article.source:
            break  # known only from recorded answers: now its content comes
        number += 1
        article_id = f"{plain}~{number}"
    return article_id


def _hash_content(file: FoundFile, limit_bytes: int) -> str:
    """Hash of the file's bytes; a file over the limit is not read, its reader will say so."""
    if file.size > limit_bytes:
        return ""
    try:
        return hashlib.sha256(file.path.read_bytes()).hexdigest()
    except OSError as error:
        raise ReadError(f"This file cannot be read ({error.strerror or error}).") from error


def _article(run: _Run, state: FileState, parsed: ParsedFile) -> Article:
    source = run.scope.source
    return Article(
        id=state.article_id,
        source=source.name,
        path=state.path,
        uri=_uri(run, state.path),
        title=parsed.title,
        kind=source.kind,
        language=parsed.language,
        version=state.content_hash[:16],
        readers=source.readers,
        updated_at=run.services.now(),
    )


def _uri(run: _Run, path: str) -> str:
    source = run.scope.source.name
    configured = run.services.settings.sources.get(source)
    base = configured.base_url.rstrip("/") if configured else ""
    return f"{base or source}/{path}"
