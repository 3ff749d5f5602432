"""Work that a page asks for, as plain values for a job: questions, files to read, indexes to make again.

Nothing here needs an index, so that a page can write it; `core.usecases.jobs` reads it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from core.domain import ArticleKind, Principal
from core.ports import Turn


def ask_job(
    question: str, principal: Principal, channel: str, history: Sequence[Turn] = ()
) -> dict[str, object]:
    """The payload of an `ask` job. principal: among whose articles the answer is looked for.
    history: earlier turns, oldest first."""
    return {
        "question": question,
        "person": principal.id,
        "groups": sorted(principal.groups),
        "channel": channel,
        "history": [[turn.role, turn.text, list(turn.cited)] for turn in history],
    }


def ingest_item(
    path: Path,
    *,
    kind: ArticleKind = "document",
    readers: Iterable[str] | None = None,
    source: str | None = None,
) -> dict[str, object]:
    """One path of an `ingest` job, absolute, since the worker stands elsewhere."""
    return {
        "path": str(path.absolute()),
        "recursive": True,
        "kind": kind,
        "readers": None if readers is None else sorted(readers),
        "source": source,
        "allow_empty": False,
    }
