"""`kiyo eval`: measure retrieval, support and attribution on data whose answers are known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from bots.console import show_progress, write, write_json

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


class Mode(StrEnum):
    """What ranks."""

    keyword = "keyword"
    vector = "vector"
    hybrid = "hybrid"


def register(app: typer.Typer) -> None:
    group = typer.Typer(help="Measure on data whose answers are known.", no_args_is_help=True)
    group.command("retrieval")(retrieval)
    group.command("support")(support)
    group.command("attribution")(attribution)
    app.add_typer(group, name="eval")


def retrieval(
    corpus: Annotated[Path, typer.Option(help="JSON lines {id, title, text}.")],
    queries: Annotated[Path, typer.Option(help="JSON lines {id, text, gold_doc_ids}.")],
    mode: Annotated[Mode, typer.Option(help="What ranks.")] = Mode.hybrid,
    as_json: AsJson = False,
) -> None:
    """Index a corpus in a temporary store and see whether the right documents are found."""
    import asyncio

    from bots.jsonl import read_rows
    from bots.temporary import temporary_services
    from core.usecases.eval_retrieval import evaluate_retrieval, read_corpus, read_questions

    documents, questions = read_corpus(read_rows(corpus)), read_questions(read_rows(queries))
    with temporary_services() as services, show_progress() as progress:
        figures = asyncio.run(evaluate_retrieval(services, documents, questions, mode.value, progress))
    _print(figures, as_json)


def support(
    data: Annotated[Path, typer.Option(help="JSON lines {id, lang, source_text, sentence, label}.")],
    as_json: AsJson = False,
) -> None:
    """See how well the support measure agrees with people."""
    import asyncio

    from bots.jsonl import read_rows
    from bots.temporary import configured_embedder
    from core.usecases.eval_support import evaluate_support

    rows = read_rows(data)
    with show_progress() as progress:
        work = evaluate_support(rows, configured_embedder(), progress=progress)
        figures = asyncio.run(work)
    _print(figures, as_json)


def attribution(
    data: Annotated[Path, typer.Option(help="JSON lines {question, answer_sentences, passages, gold}.")],
    as_json: AsJson = False,
) -> None:
    """See whether sentences are credited to the passages that people chose."""
    import asyncio

    from bots.jsonl import read_rows
    from bots.temporary import configured_embedder
    from core.usecases.eval_attribution import evaluate_attribution

    rows = read_rows(data)
    with show_progress() as progress:
        work = evaluate_attribution(rows, configured_embedder(), progress=progress)
        figures = asyncio.run(work)
    _print(figures, as_json)


def _print(figures: Mapping[str, Any], as_json: bool) -> None:
    if as_json:
        write_json(figures)
        return
    rows = list(_flatten(figures, ""))
    width = max((len(name) for name, _ in rows), default=0)
    for name, value in rows:
        write(f"{name:<{width}}  {value}")


def _flatten(figures: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, str]]:
    """Names and values of single figures; lists stand in the JSON alone."""
    for name, value in figures.items():
        if isinstance(value, Mapping):
            yield from _flatten(value, f"{prefix}{name}.")
        elif isinstance(value, float):
            yield f"{prefix}{name}", f"{value:.4g}"
        elif not isinstance(value, list):
            yield f"{prefix}{name}", "–" if value is None else str(value)
