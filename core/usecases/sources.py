"""Which source a folder belongs to, and who may see what is read from it.

A source is a named folder that owns the articles below it, save those of a source of its own further down.
Reading again never shows an article to more people than before.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from core.domain import PUBLIC, ArticleKind
from core.errors import ReadError
from core.ports import FileState, Services, SourceRecord

_ENOUGH_FILES = 0.5
"""Share of a source's files that stand in another folder when it is the same source that moved there."""


@dataclass(frozen=True, slots=True)
class WantedSource:
    """path: a file or folder, absolute. name and readers: as asked for, None where nothing was said."""

    path: Path
    kind: ArticleKind
    name: str | None
    readers: frozenset[str] | None

    @property
    def root(self) -> Path:
        """The folder that becomes the source."""
        return self.path if self.path.is_dir() else self.path.parent


class Territory:
    """Tells which sources own a folder: those whose own folder is the nearest one around it.

    Symbolic links are followed, so that a link into another source does not show it to other people.
    """

    def __init__(self, sources: Iterable[SourceRecord]) -> None:
        self._places = [(_real(source.location), source.name) for source in sources]
        self._owners: dict[Path, frozenset[str]] = {}

    def owners(self, folder: Path) -> frozenset[str]:
        """Names of its owners, more than one only where sources share a folder; none outside of all."""
        known = self._owners.get(folder)
        if known is None:
            real = _real(folder)
            around = [(len(place.parts), name) for place, name in self._places if real.is_relative_to(place)]
            deepest = max((depth for depth, _ in around), default=0)
            known = frozenset(name for depth, name in around if depth == deepest)
            self._owners[folder] = known
        return known


def open_source(services: Services, wanted: WantedSource) -> tuple[SourceRecord, dict[str, FileState]]:
    """The source that owns the wanted path, saved; and by path the articles that it takes over.

    It is the one named, the nearest around the folder, one that moved here, or a new one: other readers
    than those of the source around it make a folder a source of its own. What that one has read there so
    far is closed to its readers first, so at no moment do both see it.
    Raises ReadError when the readers asked for are not those that the articles have, or when another source
    has read them already.
    """
    source = _find_source(services, wanted)
    known = services.knowledge.sources()
    is_new = source not in known
    others = [one for one in known if one.name != source.name]
    territory = Territory([source, *others])
    if not is_new:
        place = _real(source.location)
        others = [one for one in others if place.is_relative_to(_real(one.location))]
    claimed = [one for other in others for one in _claim(services, territory, source, other)]
    if is_new and wanted.readers is not None:
        _refuse_to_widen(services, wanted.readers, [state for _, state in claimed])
    taken = _take_over(services, source, claimed)
    if is_new:
        services.knowledge.save_source(source)
    return source, taken


def locate(source: SourceRecord, path: Path) -> str:
    """Path below the source's folder with forward slashes, "" for that folder itself."""
    location = Path(source.location)
    inner = (
        path.relative_to(location)
        if path.is_relative_to(location)
        else _real(path).relative_to(_real(location))
    )
    return "" if inner == Path() else inner.as_posix()


# --- which source ----------------------------------------------------------------------------------


def _find_source(services: Services, wanted: WantedSource) -> SourceRecord:
    known = services.knowledge.sources()
    named = next((source for source in known if source.name == wanted.name), None)
    if named is not None:
        _refuse_other_readers(named, wanted)
        inside = _contains(named, wanted.root)
        return named if inside else _move_source(services, named, known, wanted.root)
    around = _nearest(known, wanted.root)
    if wanted.name is None and around is not None:
        if wanted.readers in (None, around.readers):
            return around
        if _real(around.location) == _real(wanted.root):
            _refuse_other_readers(around, wanted)
    elif wanted.name is None:
        moved = _find_moved(services, known, wanted.root)
        if moved is not None:
            _refuse_other_readers(moved, wanted)
            return _move_source(services, moved, known, wanted.root)
    _refuse_second_name(services, known, wanted)
    readers = wanted.readers
    if readers is None:
        readers = around.readers if around else frozenset(services.settings.access.default_readers)
    name = wanted.name or _free_name({source.name for source in known}, wanted.root)
    return SourceRecord(name, str(wanted.root), wanted.kind, readers)


def _nearest(known: Sequence[SourceRecord], root: Path) -> SourceRecord | None:
    """By where folders really are; else the source whose folder holds a link to this one."""
    owners = Territory(known).owners(root)
    around = [source for source in known if source.name in owners] or [
        source for source in known if root.is_relative_to(source.location)
    ]
    return max(around, key=lambda source: len(source.location), default=None)


def _contains(source: SourceRecord, root: Path) -> bool:
    return root.is_relative_to(source.location) or _real(root).is_relative_to(_real(source.location))


def _find_moved(services: Services, known: Sequence[SourceRecord], root: Path) -> SourceRecord | None:
    """The source whose folder is gone and whose files are here: moved, renamed, or seen from a container."""
    shares = [
        (_share_here(services, source, root), source)
        for source in known
        if not Path(source.location).exists()
    ]
    best, found = max(shares, key=lambda pair: pair[0], default=(0.0, None))
    return found if best >= _ENOUGH_FILES else None


def _share_here(services: Services, source: SourceRecord, root: Path) -> float:
    """Share of the source's files that are below root; in a folder of another name only with equal size."""
    live = _live(services, source)
    same_name = root.name in (source.name, Path(source.location).name)

    def is_here(state: FileState) -> bool:
        try:
            size = (root / state.path).stat().st_size
        except OSError:
            return False
        return same_name or size == state.size

    return sum(map(is_here, live)) / len(live) if live else 0.0


def _move_source(
    services: Services, source: SourceRecord, known: Sequence[SourceRecord], root: Path
) -> SourceRecord:
    """The sources inside it move along first, since it would otherwise read their articles as its own."""
    for other in known:
        if other.name != source.name and Path(other.location).is_relative_to(source.location):
            place = root / Path(other.location).relative_to(source.location)
            if place.is_dir():
                services.knowledge.save_source(replace(other, location=str(place)))
    return replace(source, location=str(root))


def _refuse_second_name(services: Services, known: Sequence[SourceRecord], wanted: WantedSource) -> None:
    """Two sources may share a folder only for different files of it."""
    for other in known:
        if _real(other.location) != _real(wanted.root):
            continue
        inside = locate(other, wanted.path)
        for state in _live(services, other):
            if inside in ("", state.path):
                raise ReadError(
                    f"{wanted.path} has been read as source {other.name!r} already; keep that name for it."
                )


def _free_name(taken: set[str], root: Path) -> str:
    name = root.name or "root"
    return f"{name}-{hashlib.sha256(str(root).encode()).hexdigest()[:6]}" if name in taken else name


# --- who may see it --------------------------------------------------------------------------------


def _refuse_other_readers(source: SourceRecord, wanted: WantedSource) -> None:
    if wanted.readers not in (None, source.readers):
        raise ReadError(
            f"The articles of source {source.name!r} are for {_listed(source.readers)}; "
            "reading it again does not change that."
        )


def _refuse_to_widen(services: Services, readers: frozenset[str], claimed: Sequence[FileState]) -> None:
    for state in claimed:
        held = _readers_of(services, state)
        if not _is_within(readers, held):
            raise ReadError(
                f"{state.article_id} is for {_listed(held)}; "
                f"reading it again does not show it to {_listed(readers)}."
            )


def _claim(
    services: Services, territory: Territory, source: SourceRecord, other: SourceRecord
) -> Iterator[tuple[str, FileState]]:
    """Live articles of the other source whose files lie in this one, by their path in this one."""
    here = _real(source.location)
    for state in _live(services, other):
        file = Path(other.location) / state.path
        if territory.owners(file.parent) == {source.name}:
            yield (_real(file.parent) / file.name).relative_to(here).as_posix(), state


def _take_over(
    services: Services, source: SourceRecord, claimed: Sequence[tuple[str, FileState]]
) -> dict[str, FileState]:
    """An article whose file is known here too goes; the others are closed to all but the source's readers."""
    present = {state.path for state in _live(services, source)} if claimed else set()
    taken: dict[str, FileState] = {}
    for path, state in claimed:
        if path in present:
            services.knowledge.remove_article(state.article_id, services.now())
            continue
        if _is_within(source.readers, _readers_of(services, state)):
            services.knowledge.set_readers(state.article_id, source.readers)
        taken[path] = state
    return taken


def _readers_of(services: Services, state: FileState) -> frozenset[str]:
    article = services.knowledge.get_article(state.article_id)
    return article.readers if article else frozenset()


def _is_within(readers: frozenset[str], held: frozenset[str]) -> bool:
    """Whether nobody new sees what is for `held` when it becomes for `readers`."""
    return PUBLIC in held or readers <= held


def _live(services: Services, source: SourceRecord) -> list[FileState]:
    return [one for one in services.knowledge.file_states(source.name).values() if not one.removed]


def _listed(readers: frozenset[str]) -> str:
    return ", ".join(sorted(readers)) or "nobody"


def _real(path: Path | str) -> Path:
    return Path(os.path.realpath(path))
