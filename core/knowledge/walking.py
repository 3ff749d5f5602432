"""Find the files that a list of paths means, and say of every other path why it is left out."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.domain import FileOutcome

SKIPPED_FOLDERS = frozenset(
    {"node_modules", "__pycache__", "venv", "site-packages", "bower_components", "target", "dist"}
)
"""Folders of generated or foreign files; hidden folders are skipped as well."""


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file to read. path: as reached from the path given. size in bytes, modified in nanoseconds."""

    path: Path
    size: int
    modified_ns: int


@dataclass(frozen=True, slots=True)
class Problem:
    """A path that cannot be used, with the reason as a sentence."""

    path: Path
    reason: str

    def outcome(self, shown_path: str = "") -> FileOutcome:
        """Give the line of the ingest report."""
        return FileOutcome(shown_path or str(self.path), "skipped", self.reason)


def walk_files(
    paths: Sequence[Path], recursive: bool, suffixes: Collection[str]
) -> Iterator[FoundFile | Problem]:
    """Yield files in a fixed order: paths as given, within a folder by name, files before folders.

    A folder gives its files with one of the suffixes (lower case, with dot), and with `recursive` those
    of its folders. Hidden files and folders and SKIPPED_FOLDERS are passed over in silence; a file named
    itself is always yielded, whatever its suffix. A file or folder reached twice, by a symbolic link or
    by naming it twice, is yielded once. Missing paths, unreadable folders, broken links and special
    files are problems.
    """
    walk = _Walk(recursive, frozenset(suffixes))
    for path in paths:
        yield from walk.visit_named(path)


class _Walk:
    def __init__(self, recursive: bool, suffixes: frozenset[str]) -> None:
        self._recursive = recursive
        self._suffixes = suffixes
        self._seen: set[tuple[int, int]] = set()

    def visit_named(self, path: Path) -> Iterator[FoundFile | Problem]:
        """Visit a path that was asked for by name."""
        try:
            status = path.stat()
        except OSError as error:
            yield Problem(path, _reason(error, path.is_symlink()))
            return
        if stat.S_ISDIR(status.st_mode):
            yield from self._visit_folder(path, status)
        elif stat.S_ISREG(status.st_mode):
            yield from self._file(path, status)
        else:
            yield Problem(path, "This is neither a file nor a folder.")

    def _file(self, path: Path, status: os.stat_result) -> Iterator[FoundFile]:
        if self._is_new(status):
            yield FoundFile(path, status.st_size, status.st_mtime_ns)

    def _is_new(self, status: os.stat_result) -> bool:
        identity = (status.st_dev, status.st_ino)
        if identity in self._seen:
            return False
        self._seen.add(identity)
        return True

    def _visit_folder(self, root: Path, status: os.stat_result) -> Iterator[FoundFile | Problem]:
        """Visit a folder; its folders wait on a stack, so that no depth is too deep."""
        waiting = [(root, status)]
        while waiting:
            folder, folder_status = waiting.pop()
            if not self._is_new(folder_status):
                continue
            try:
                with os.scandir(folder) as entries:
                    listed = sorted(entries, key=lambda entry: entry.name)
            except OSError as error:
                yield Problem(folder, _reason(error, False))
                continue
            folders: list[tuple[Path, os.stat_result]] = []
            for entry in listed:
                if not entry.name.startswith("."):
                    yield from self._visit_entry(folder, entry, folders)
            waiting.extend(reversed(folders))

    def _visit_entry(
        self, folder: Path, entry: os.DirEntry[str], folders: list[tuple[Path, os.stat_result]]
    ) -> Iterator[FoundFile | Problem]:
        path = folder / entry.name
        wanted = path.suffix.lower() in self._suffixes
        try:
            status = entry.stat()
        except OSError as error:
            if wanted or not entry.is_symlink():
                yield Problem(path, _reason(error, entry.is_symlink()))
            return
        if stat.S_ISDIR(status.st_mode):
            if self._recursive and entry.name not in SKIPPED_FOLDERS:
                folders.append((path, status))
        elif stat.S_ISREG(status.st_mode) and wanted:
            yield from self._file(path, status)
        elif wanted:
            yield Problem(path, "This is neither a file nor a folder.")


def _reason(error: OSError, is_link: bool) -> str:
    if isinstance(error, PermissionError):
        return "This may not be read (permission denied)."
    if isinstance(error, FileNotFoundError):
        return "This link leads nowhere." if is_link else "This does not exist."
    if is_link:
        return "This link leads back to itself."
    return f"This cannot be read ({error.strerror or error})."
