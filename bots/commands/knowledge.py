"""`kiyo ingest` and `kiyo reindex`: documents in, indexes made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bots.console import note, one_line, show_progress, write, write_json

if TYPE_CHECKING:
    from core.config import Settings
    from core.usecases.ingest import IngestRequest

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Paths = Annotated[
    list[Path] | None, typer.Argument(help="Folders or files; none reads the [sources] of the settings.")
]
Recursive = Annotated[bool, typer.Option("--recursive/--no-recursive", help="Read the folders below, too.")]
Readers = Annotated[
    list[str] | None, typer.Option("--readers", metavar="GROUP", help="Who may see new articles; repeatable.")
]
AllowEmpty = Annotated[
    bool, typer.Option("--allow-empty", help="Let a folder without any file lose its articles.")
]


class Kind(StrEnum):
    """What a person may ingest."""

    core = "core"
    document = "document"


KindOption = Annotated[Kind, typer.Option("--kind", help="`core` weighs more than `document`.")]


def register(app: typer.Typer) -> None:
    app.command("ingest")(ingest)
    app.command("reindex")(reindex)


def ingest(
    paths: Paths = None,
    recursive: Recursive = True,
    readers: Readers = None,
    kind: KindOption = Kind.document,
    allow_empty: AllowEmpty = False,
    as_json: AsJson = False,
) -> None:
    """Bring the knowledge base up to date with files."""
    from bots.running import Work, do_work
    from core.config import load_settings
    from core.usecases.ingest import IngestRequest
    from core.usecases.jobs import ingest_payload

    settings = load_settings()
    chosen = tuple(readers) if readers else None
    requests = [IngestRequest(path, recursive, kind.value, chosen) for path in paths or ()]
    if not requests:
        requests = configured_sources(settings)
    requests = [replace(request, allow_empty=allow_empty) for request in requests]
    with show_progress() as progress:
        report = do_work(settings, Work("ingest", ingest_payload(requests)), progress)
    if as_json:
        write_json(report)
    else:
        write(_describe(report))
    for problem in report["problems"]:
        note(problem)
    if report["problems"]:
        raise typer.Exit(1)


def reindex(as_json: AsJson = False) -> None:
    """Make missing vectors and refresh the indexes.

    After an index was lost, or the embedding model was changed.
    """
    from bots.running import Work, do_work
    from core.config import load_settings

    with show_progress() as progress:
        report = do_work(load_settings(), Work("reindex", {}), progress)
    if as_json:
        write_json(report)
    else:
        write(f"{report['chunks']} chunks are indexed; {report['embedded']} texts were embedded anew.")


def configured_sources(settings: Settings) -> list[IngestRequest]:
    """The [sources] of the settings. Raises AskerError if there are none."""
    from core.errors import AskerError
    from core.usecases.ingest import IngestRequest

    if not settings.sources:
        raise AskerError(
            "Name a folder (`kiyo ingest FOLDER`), or list folders as [sources.NAME] in kiyo.toml."
        )
    return [
        IngestRequest(Path(source.path), source.recursive, source.kind, source.readers or None, name)
        for name, source in settings.sources.items()
    ]


def _describe(report: Mapping[str, Any]) -> str:
    order = ("added", "changed", "moved", "unchanged", "removed", "skipped", "conflict")
    counts = ", ".join(f"{report[status]} {status}" for status in order if report[status])
    lines = [counts or "Nothing was found to read."]
    lines.extend(
        f"  {file['status']}: {one_line(file['path'])}: {one_line(file['reason'])}"
        for file in report["files"]
        if file["status"] in ("skipped", "conflict")
    )
    lines.append(f"The knowledge base holds {report['articles']} articles in {report['chunks']} chunks.")
    return "\n".join(lines)
