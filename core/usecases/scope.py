"""Which files of a source one ingest speaks for: those found, those left out, those that are gone."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from core.domain import ArticleId, FileOutcome
from core.knowledge.reading import SUPPORTED_SUFFIXES
from core.knowledge.walking import SKIPPED_FOLDERS, FoundFile, Problem, walk_files
from core.ports import FileState, KnowledgeStore, SourceRecord
from core.usecases.sources import Territory, locate


@dataclass(frozen=True, slots=True)
class Scope:
    """start: what is walked, inside the source's folder; prefix: its path in there, "" for all of it.

    states: by path, those of articles taken over from another source included; `taken` names these.
    territory: of all sources.
    """

    source: SourceRecord
    start: Path
    prefix: str
    recursive: bool
    states: Mapping[str, FileState]
    taken: frozenset[ArticleId]
    territory: Territory

    def owns(self, folder: Path) -> bool:
        """Whether files of this folder lie in no other source, even behind a link."""
        owners = self.territory.owners(folder)
        return not owners or self.source.name in owners


@dataclass(frozen=True, slots=True)
class Walked:
    """found: files to read, by path. gone: live articles, by path, that should have been met and were not.
    outcomes: what is left out, with the reason."""

    found: Mapping[str, FoundFile]
    gone: Mapping[str, FileState]
    outcomes: tuple[FileOutcome, ...]


def open_scope(
    knowledge: KnowledgeStore,
    source: SourceRecord,
    taken: Mapping[str, FileState],
    path: Path,
    recursive: bool,
) -> Scope:
    """path: what was asked for, absolute. taken: see `open_source`; they are read again as changed ones."""
    again = {inner: replace(state, path=inner, settings_hash="") for inner, state in taken.items()}
    prefix = locate(source, path)
    return Scope(
        source=source,
        start=Path(source.location) / prefix,
        prefix=prefix,
        recursive=recursive,
        states={**knowledge.file_states(source.name), **again},
        taken=frozenset(state.article_id for state in taken.values()),
        territory=Territory(knowledge.sources()),
    )


def walk_scope(scope: Scope) -> Walked:
    """Articles below a folder that cannot be read now, or behind a link that leads nowhere, are not gone."""
    found: dict[str, FoundFile] = {}
    closed: list[str] = []
    outcomes: list[FileOutcome] = []
    for item in walk_files([scope.start], scope.recursive, SUPPORTED_SUFFIXES):
        path = locate(scope.source, item.path)
        if not scope.owns(_folder_of(item)):
            continue
        if isinstance(item, Problem):
            closed.append(path)
            outcomes.append(FileOutcome(path or ".", "skipped", item.reason))
        elif _is_unicode(path):
            found[path] = item
        else:
            shown = path.encode("utf-8", "backslashreplace").decode()
            outcomes.append(FileOutcome(shown, "skipped", "The name of this file is not Unicode; rename it."))
    missing = {path: state for path, state in _expected(scope) if path not in found}
    closed.extend(_dead_links(scope, missing))
    gone = {path: state for path, state in missing.items() if not any(_is_below(path, c) for c in closed)}
    return Walked(found, gone, (*outcomes, *_count_unsupported(scope)))


def _folder_of(item: FoundFile | Problem) -> Path:
    if isinstance(item, Problem) and os.path.isdir(item.path):
        return item.path
    return Path(os.path.realpath(item.path)).parent if os.path.islink(item.path) else item.path.parent


def _is_unicode(path: str) -> bool:
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _expected(scope: Scope) -> Iterator[tuple[str, FileState]]:
    """Live articles whose files this run should meet."""
    for path, state in scope.states.items():
        if state.removed or state.origin != "file" or not _is_below(path, scope.prefix):
            continue
        below = path.removeprefix(f"{scope.prefix}/" if scope.prefix else "")
        if scope.recursive or "/" not in below:
            yield path, state


def _dead_links(scope: Scope, paths: Iterable[str]) -> Iterator[str]:
    """Folders above these paths that are links to a place that is not there now, such as a lost mount."""
    folders = {"/".join(path.split("/")[:depth]) for path in paths for depth in range(1, path.count("/") + 1)}
    for folder in sorted(folders):
        place = Path(scope.source.location) / folder
        if os.path.islink(place) and not os.path.exists(place):
            yield folder


def _is_below(path: str, folder: str) -> bool:
    return not folder or path == folder or path.startswith(f"{folder}/")


def _count_unsupported(scope: Scope) -> Iterator[FileOutcome]:
    """One line for each kind of file that was passed over; hidden and generated files are not meant."""
    counts: Counter[str] = Counter()
    for folder, inner, names in os.walk(scope.start):
        inner[:] = [name for name in inner if scope.recursive and not _is_hidden(name)]
        if scope.owns(Path(folder)):
            counts.update(Path(name).suffix.lower() for name in names if not _is_hidden(name))
    for suffix in sorted(counts.keys() - SUPPORTED_SUFFIXES):
        many = counts[suffix] > 1
        files = f"{counts[suffix]} files" if many else "1 file"
        kind = f"ending in {suffix}" if suffix else "without an ending"
        reason = f"{files} {kind} {'are' if many else 'is'} not supported."
        yield FileOutcome(f"*{suffix}", "skipped", reason)


def _is_hidden(name: str) -> bool:
    return name.startswith(".") or name in SKIPPED_FOLDERS
