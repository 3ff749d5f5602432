"""Places inside long documents: the right section first, headings in their sections, time of detectors."""

from __future__ import annotations

import asyncio
import json
import re
import tempfile
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from core.app import build, close
from core.config import load_settings
from core.domain import ANONYMOUS, Article, Line, LineKind, ParsedFile, Section
from core.errors import ReadError
from core.knowledge.reading import read_file
from core.ports import Services, Vector, Vectors
from core.rag.anchors.detection import Meaning, detect_anchors
from core.rag.anchors.parsing import parse_question
from core.rag.anchors.tables import DocumentTables, TableVectors, build_tables
from core.rag.relevance import CosineScale
from core.text.normalise import normalise
from core.usecases.ingest import IngestRequest, ingest_path
from core.usecases.retrieve import retrieve, retrieve_chunks
from tests.bench.figures import Context, Figure, at_least, at_most, percentile
from tests.bench.pool import SAMPLE
from tests.tools.make_paper_pdf import draw_paper, read_text

RIGHT_FIRST = at_least(0.80)
BETTER_BY = at_least(0.10)
HEADINGS = at_least(0.99)
WORDS_MS = at_most(20)
MEANING_MS = at_most(60)
INGEST_SECONDS = at_most(5)
LINES, ENTRIES, DIMENSIONS = 12_000, 300, 512
RUNS = 30
_LETTERS = re.compile(r"[\W_]+")
"""What is no letter or digit: the marks of Markdown stand in the line and not in the title."""
LIMIT_BYTES = 100_000_000
WORDS = (
    *("valve", "pump", "filter", "pressure", "sensor", "battery", "schedule", "zone", "leak", "drain"),
    *("winter", "warranty", "cable", "signal", "controller", "display", "button", "memory", "clock"),
    *("rain", "soil", "moisture", "water", "flow", "limit", "alarm", "update", "account"),
)
"""Of the long document, beside RARE others; the n-th word is drawn as often as 1 / n."""
RARE = 4_000
QUESTIONS = (
    "How much pressure does the filter of the pump stand in winter?",
    "Which alarm does the controller display when the battery of the clock is low?",
    "What happens when the controller loses its signal?",
    "Which kinds of leaks are covered by the warranty?",
)


def run(context: Context) -> list[Figure]:
    figures = asyncio.run(_measure_questions())
    figures += asyncio.run(_measure_detectors())
    return [*figures, *_measure_headings(context.data)] if context.data else figures


# --- the right section first --------------------------------------------------------------------------


@dataclass(slots=True)
class Tally:
    """Questions whose first place is the right section, by kind of question."""

    right: dict[str, int]
    asked: dict[str, int]

    def note(self, kind: str, right: bool) -> None:
        self.asked[kind] = self.asked.get(kind, 0) + 1
        self.right[kind] = self.right.get(kind, 0) + right

    @property
    def share(self) -> float:
        return round(sum(self.right.values()) / sum(self.asked.values()), 4)


async def _measure_questions() -> list[Figure]:
    """30 questions on the synthetic paper; both ways search the same store, without a language model."""
    content = tomllib.loads((files("tests.bench.data") / "anchor_questions.toml").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        (folder / "paper.pdf").write_bytes(draw_paper(read_text()))
        rows = "".join(f"[[entry]]\nterms = {json.dumps(g)}\n" for g in content["dictionary"]["groups"])
        (folder / "dictionary.toml").write_text(rows, encoding="utf-8")
        services = build(load_settings(environ=_environment(folder)))
        try:
            started = time.perf_counter()
            await ingest_path(services, IngestRequest(folder / "paper.pdf"))
            seconds = time.perf_counter() - started
            tallies = await _ask_all(services, folder, content["question"])
        finally:
            close(services)
    return [*_question_figures(tallies), Figure("ingest of 15 pages", round(seconds, 3), "s", INGEST_SECONDS)]


def _environment(folder: Path) -> dict[str, str]:
    return {
        "KIYO_STORAGE__FOLDER": str(folder / "store"),
        "KIYO_MEMORY__EMBEDDINGS__VECTOR_STORE": "sqlite",
        "KIYO_RAG__MODE": "anchors",
    }


async def _ask_all(
    services: Services, folder: Path, questions: Sequence[Mapping[str, str]]
) -> dict[str, Tally]:
    """By anchors with and without the dictionary, and by chunks."""
    rag = services.settings.rag
    told = rag.anchors.model_copy(update={"dictionary": str(folder / "dictionary.toml")})
    settings = services.settings.model_copy(update={"rag": rag.model_copy(update={"anchors": told})})
    ways = {"anchors": replace(services, settings=settings), "anchors without dictionary": services}
    tallies = {name: Tally({}, {}) for name in (*ways, "hybrid")}
    for question in questions:
        for name, way in ways.items():
            found = (await retrieve(way, question["text"], ANONYMOUS)).candidates
            tallies[name].note(question["kind"], bool(found) and _is_right(found[0].section, question))
        chunks = (await retrieve_chunks(services, question["text"], ANONYMOUS)).candidates
        tallies["hybrid"].note(question["kind"], bool(chunks) and _is_right(chunks[0].section, question))
    return tallies


def _is_right(section: Section, question: Mapping[str, str]) -> bool:
    return section.title == question["section"]


def _question_figures(tallies: Mapping[str, Tally]) -> Iterator[Figure]:
    for name, tally in tallies.items():
        target = RIGHT_FIRST if name == "anchors" else None
        yield Figure(f"right section first, {name}", tally.share, "", target)
        for kind, asked in tally.asked.items():
            yield Figure(f"right section first, {name}, {kind}", f"{tally.right[kind]} of {asked}")
    better = round(tallies["anchors"].share - tallies["hybrid"].share, 4)
    yield Figure("right section first, anchors above hybrid", better, "", BETTER_BY)


# --- time of detectors --------------------------------------------------------------------------------


async def _measure_detectors() -> list[Figure]:
    tables = _long_document()
    vector = np.ones(DIMENSIONS, dtype=np.float32) / np.float32(np.sqrt(DIMENSIONS))

    async def embed() -> Vector:
        return vector

    async def scale(of: Vector) -> CosineScale:
        return CosineScale(0.0, 0.05)

    figures = []
    for name, meaning, target in (
        ("without embeddings", None, WORDS_MS),
        ("with embeddings", Meaning(embed, scale), MEANING_MS),
    ):
        spent = []
        for number in range(RUNS + len(QUESTIONS)):
            question = parse_question(QUESTIONS[number % len(QUESTIONS)])
            started = time.perf_counter()
            await detect_anchors([tables], question, meaning)
            spent.append((time.perf_counter() - started) * 1000)
        measured = spent[len(QUESTIONS) :]
        title = f"detectors, {LINES} lines and {ENTRIES} entries, {name}"
        figures.append(Figure(f"{title}, median", round(percentile(measured, 50), 2), "ms", target))
        figures.append(Figure(f"{title}, p95", round(percentile(measured, 95), 2), "ms"))
    return figures


def _long_document() -> DocumentTables:
    chance = np.random.default_rng(7)
    every = max(RARE // 20 // len(WORDS), 1)
    known = [f"word{n}" for n in range(RARE)]
    known[every : every * (len(WORDS) + 1) : every] = WORDS
    often = 1.0 / np.arange(1, len(known) + 1)
    often /= often.sum()
    sections = [Section(0, 0, "Manual", None, "Manual")]
    lines: list[Line] = []
    for number in range(1, ENTRIES + 1):
        title = " ".join(chance.choice(WORDS, 3))
        sections.append(Section(number, 1, title, 0, f"Manual > {title}", "", number, number))
        texts = [title, *(" ".join(chance.choice(known, 14, p=often)) for _ in range(LINES // ENTRIES - 1))]
        for text in texts:
            kind: LineKind = "heading" if text is title else "sentence"
            n = len(lines)
            lines.append(Line(n, number, kind, text, 0, 0, number, n, n))
    public, then = frozenset({"public"}), datetime(2026, 1, 1, tzinfo=UTC)
    article = Article("a", "s", "p", "u", "Manual", "document", "en", "v", public, then)
    tables = build_tables(article, sections, lines, [])
    units = len(tables.units)
    vectors = TableVectors(_unit(chance, len(sections)), _unit(chance, len(lines)), _unit(chance, units))
    return replace(tables, vectors=vectors)


def _unit(chance: np.random.Generator, rows: int) -> Vectors:
    made = chance.normal(size=(rows, DIMENSIONS)).astype(np.float32)
    normed: Vectors = made / np.linalg.norm(made, axis=1, keepdims=True)
    return normed


# --- headings in their own sections ---------------------------------------------------------------------


def _measure_headings(data: Path) -> Iterator[Figure]:
    """Of every document with headings: does each entry of its table of contents own its heading line?"""
    for kind, pattern in (("PDF", "*.pdf"), ("Markdown", "*.md"), ("HTML", "*.html")):
        right = total = documents = 0
        for path in sorted((*data.rglob(pattern), *(SAMPLE / "knowledge").rglob(pattern))):
            parsed = _read(path)
            if parsed is None or len(parsed.sections) < 2:
                continue
            own = [_owns_its_heading(parsed, section) for section in parsed.sections[1:]]
            right, total, documents = right + sum(own), total + len(own), documents + 1
        value = round(right / total, 4) if total else None
        yield Figure(f"heading lines in their own section, {kind}", value, "", HEADINGS)
        yield Figure(f"heading lines in their own section, {kind}, read", f"{total} in {documents}")


def _read(path: Path) -> ParsedFile | None:
    try:
        return read_file(path, LIMIT_BYTES)
    except ReadError:
        return None


def _owns_its_heading(parsed: ParsedFile, section: Section) -> bool:
    """The section's first line is a heading that shows its title."""
    first: Any = next((line for line in parsed.lines if line.section == section.ordinal), None)
    if first is None:
        return False
    shown, title = (_LETTERS.sub("", normalise(text)) for text in (first.text, section.title))
    return first.kind == "heading" and (title in shown or shown in title)
